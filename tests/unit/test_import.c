/* Import: what comes out of small models whose answers are known, what is refused and how, and that
 * nothing the reading process does harms the one that asked. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/import/child.h"
#include "../../tools/import/flatten.h"
#include "../../tools/import/import.h"
#include "../../tools/import/program.h"
#include "../../tools/import/polygon.h"
#include "../../tools/import/scene.h"
#include "../support/amount.h"
#include "../support/open_files.h"
#include "../support/scratch.h"

/* -- helpers -- */

/* A limit against what hangs: no machine is busy enough to reach it by work. */
enum { HANG_SECONDS = 1000 };

typedef struct {
    kiln_soup soup;
    kiln_bake_report report;
    kiln_bake_status status;
} result;

static kiln_bake_options defaults(void)
{
    kiln_bake_options options = {.struct_size = sizeof options,
                                 .leaf = 4,
                                 .scale = 1,
                                 .up = -1,
                                 .import_memory = UINT64_C(1792) << 20,
                                 .import_seconds = HANG_SECONDS};
    return options;
}

static result import_with(const char *format, const void *data, size_t size,
                          const kiln_bake_options *options)
{
    kiln_bake_input input = {.path = NULL, .data = data, .size = size, .format = format};
    result r;

    memset(&r, 0, sizeof r);
    r.status = kiln_import(&input, options, &r.soup, &r.report);
    return r;
}

static result import_text(const char *format, const char *text)
{
    kiln_bake_options options = defaults();

    return import_with(format, text, strlen(text), &options);
}

static result import_file(const char *path)
{
    kiln_bake_options options = defaults();
    kiln_bake_input input = {.path = path};
    result r;

    memset(&r, 0, sizeof r);
    r.status = kiln_import(&input, &options, &r.soup, &r.report);
    return r;
}

static void done(result *r)
{
    kiln_soup_free(&r->soup);
}

static const char *string(const result *r, uint32_t offset)
{
    assert_true(offset < r->soup.strings_size);
    return r->soup.strings + offset;
}

static const float *corner(const result *r, uint32_t triangle, uint32_t i)
{
    return r->soup.positions + 3 * (size_t)r->soup.indices[3 * triangle + i];
}

static void cross_of(const result *r, uint32_t triangle, double cross[3])
{
    const float *a = corner(r, triangle, 0), *b = corner(r, triangle, 1),
                *c = corner(r, triangle, 2);

    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        cross[i] = ((double)b[j] - (double)a[j]) * ((double)c[k] - (double)a[k]) -
                   ((double)b[k] - (double)a[k]) * ((double)c[j] - (double)a[j]);
    }
}

static double area_of(const result *r)
{
    double sum = 0, cross[3];

    for (uint32_t i = 0; i < r->soup.triangle_count; i++) {
        cross_of(r, i, cross);
        sum += sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) / 2;
    }
    return sum;
}

static double volume_of(const result *r)
{
    double sum = 0, cross[3];

    for (uint32_t i = 0; i < r->soup.triangle_count; i++) {
        const float *a = corner(r, i, 0);

        cross_of(r, i, cross);
        sum += ((double)a[0] * cross[0] + (double)a[1] * cross[1] + (double)a[2] * cross[2]) / 6;
    }
    return sum;
}

static void assert_bounds(const result *r, double x0, double y0, double z0, double x1, double y1,
                          double z1)
{
    double want[6] = {x0, y0, z0, x1, y1, z1};

    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;

        for (uint32_t i = 0; i < r->soup.vertex_count; i++) {
            double value = (double)r->soup.positions[3 * i + (uint32_t)axis];

            low = fmin(low, value);
            high = fmax(high, value);
        }
        assert_true(fabs(low - want[axis]) <= 1e-6);
        assert_true(fabs(high - want[axis + 3]) <= 1e-6);
    }
}

static void assert_error(const result *r, kiln_bake_status status, const char *part)
{
    assert_int_equal(r->status, status);
    if (strstr(r->report.error, part) == NULL)
        print_error("error is: %s\n", r->report.error);
    assert_non_null(strstr(r->report.error, part));
    assert_null(r->soup.positions);
}

/* -- OBJ -- */

/* Faces keep their number through groups, materials, lines, points and polygons. */
static void obj_records(void **state)
{
    static const uint32_t face[] = {0, 0, 1, 2, 3, 3, 4}, user[] = {1, 1, 2, 1, 2, 2, 0};
    result r = import_text("obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\n"
                                  "o thing\nusemtl red\nf 1/1/1 2/1/1 3/1/1 4/1/1\n"
                                  "usemtl blue\np 1\nf 1//1 2//1 5//1\nl 1 2 3\ng sub\nusemtl red\n"
                                  "f 2 3 \\\n5\nusemtl blue\nf -5 -4 -3 -2\n");

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(r.soup.face[i], face[i]);
        assert_int_equal(r.soup.user[i], user[i]);
    }
    assert_int_equal(r.soup.part_count, 2);
    assert_string_equal(string(&r, r.soup.parts[0].node_path), "/thing");
    assert_string_equal(string(&r, r.soup.parts[1].node_path), "/thing/sub");
    assert_string_equal(string(&r, r.soup.materials[2]), "blue");
    assert_int_equal(r.soup.points_left_out, 1);
    assert_int_equal(r.soup.lines_left_out, 2);
    assert_int_equal(r.soup.faces_read, 4);
    assert_int_equal(r.soup.polygons_cut, 2);
    assert_int_equal(r.soup.vertex_count, 5);
    done(&r);
}

static void obj_relative_and_returning(void **state)
{
    result r = import_text("obj", "o a\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n"
                                  "o b\nv 10 0 0\nv 11 0 0\nv 11 1 0\nv 10 1 0\nf -4 -3 -2 -1\n"
                                  "o a\nf 1 2 5\n");

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 5);
    assert_bounds(&r, 0, 0, 0, 11, 1, 0);
    assert_int_equal(r.soup.part_count, 3);
    assert_string_equal(string(&r, r.soup.parts[2].node_path), "/a");
    done(&r);
}

static void hollow_object(void **state)
{
    result r = import_text("obj", "o first\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
                                  "o hollow\nv 50 50 50\nv 51 50 50\nv 50 51 50\n"
                                  "o last\nv 10 0 0\nv 11 0 0\nv 10 1 0\nf 7 8 9\n");

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.part_count, 2);
    assert_int_equal(r.soup.empty_mesh_count, 1);
    assert_int_equal(r.soup.warning_count, 1);
    assert_non_null(strstr(string(&r, r.soup.warnings[0]), "hollow"));
    assert_bounds(&r, 0, 0, 0, 11, 1, 0);
    done(&r);
}

static void points_and_lines(void **state)
{
    result r = import_text("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 100 100 100\nv -50 0 0\nv -50 9 9\n"
                                  "p 4\nl 5 6\nf 1 2 3\n");

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.points_left_out, 1);
    assert_int_equal(r.soup.lines_left_out, 1);
    assert_bounds(&r, 0, 0, 0, 1, 1, 0);
    done(&r);
    r = import_text("obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
    assert_error(&r, KILN_BAKE_INVALID, "no face (0 points and 1 lines");
}

static void zero_area_and_doubles(void **state)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 0\nv 9 9 9\n"
                               "f 1 1 5\nf 1 2 3\nf 1 2 4\nf 4 5 2\nf 2 4 1\nf 6 6 6\n";
    kiln_bake_options options = defaults();
    result r = import_text("obj", text);

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 6);
    assert_int_equal(r.soup.vertex_count, 5);
    assert_int_equal(r.soup.degenerate_count, 3);
    assert_int_equal(r.soup.duplicate_count, 2);
    done(&r);
    options.drop = KILN_DROP_DEGENERATE | KILN_DROP_DUPLICATE;
    r = import_with("obj", text, sizeof text - 1, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 1);
    assert_int_equal(r.soup.face[0], 2);
    assert_int_equal(r.soup.vertex_count, 3);
    assert_int_equal(r.soup.note_count, 5);
    assert_int_equal(r.soup.notes[4].reason, KILN_FACE_DEGENERATE);
    assert_int_equal(r.soup.notes[4].face, 5);
    assert_int_equal(r.soup.parts[0].triangle_count, 1);
    done(&r);
}

static void bad_faces(void **state)
{
    static const char index[] = "o arm\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 99\nf 0 1 2\n";
    static const char value[] = "v 0 0 0\nv 1 0 0\nv 0 nan 0\nv 0 1 0\nf 1 2 4\nf 1 2 3 4\n";
    static const char large[] = "v 0 0 0\nv 1e30 0 0\nv 0 1e39 0\nv 0 1 0\nf 1 2 4\nf 1 2 3\n";
    kiln_bake_options options = defaults();
    result r = import_text("obj", index);

    (void)state;
    assert_error(&r, KILN_BAKE_INVALID, "node \"/arm\", mesh \"arm\", face 1: corner 2");
    assert_non_null(strstr(r.report.error, "vertex 98, where there are 3"));
    r = import_text("obj", value);
    assert_error(&r, KILN_BAKE_INVALID, "face 1: corner 2 is not finite");
    r = import_text("obj", large);
    assert_error(&r, KILN_BAKE_INVALID, "face 1: corner 2 is not finite");
    options.on_bad = KILN_ON_BAD_DROP;
    r = import_with("obj", index, sizeof index - 1, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 1);
    assert_int_equal(r.soup.note_count, 2);
    assert_int_equal(r.soup.notes[1].face, 2);
    assert_int_equal(r.soup.notes[1].reason, KILN_FACE_INDEX_RANGE);
    done(&r);
    r = import_with("obj", value, sizeof value - 1, &options);
    assert_int_equal(r.soup.notes[0].reason, KILN_FACE_NOT_FINITE);
    done(&r);
    r = import_text("obj", "v 0 1,5 0\nf 1 1 1\n");
    assert_error(&r, KILN_BAKE_INVALID, "line 1: a coordinate must be a number");
}

/* A vertex of OBJ has three numbers, or four, six or seven of known meaning. */
static void obj_counts_of_numbers(void **state)
{
    static const struct {
        const char *line, *error, *warning;
    } cases[] = {
        {"v 0 0 0", NULL, NULL},
        {"v 0 0 0 1", NULL, NULL},
        {"v 0 0 0 2", NULL, "1 vertex has a fourth number other than 1"},
        {"v 0 0 0 9", NULL, "1 vertex has a fourth number other than 1"},
        {"v 0 0 0 .1 .2", "line 1: a vertex has three coordinates", NULL},
        {"v 0 0 0 .1 .2 .3", NULL, NULL},
        {"v 0 0 0 .1 .2 .3 # 7 8", NULL, NULL},
        {"v 0 0 0 .1 .2 .3 1", NULL, "1 vertex has seven numbers"},
        {"v 0 0 0 .1 .2 .3 1 5", "line 1: a vertex has three coordinates", NULL},
        {"v 0 0 0 1 0 0 0 1 0", "line 1: a vertex has three coordinates", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        result r;

        snprintf(text, sizeof text, "%s\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", cases[i].line);
        r = import_text("obj", text);
        if (cases[i].error != NULL) {
            assert_error(&r, KILN_BAKE_INVALID, cases[i].error);
            continue;
        }
        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_int_equal(r.soup.warning_count, cases[i].warning != NULL);
        if (cases[i].warning != NULL)
            assert_non_null(strstr(string(&r, r.soup.warnings[0]), cases[i].warning));
        assert_true(corner(&r, 0, 0)[0] == 0 && corner(&r, 0, 1)[0] == 1);
        done(&r);
    }
}

/* The value nearest to the decimal, under a locale that writes a comma, and in any rounding mode.
 *  */
static void decimals(void **state)
{
    static const char text[] = "v 0.1 1e-39 3.4028234663852886e38\n"
                               "v 16777217 0.30000000000000000001 -0.0\n"
                               "v 1.0000001 2.5E+3 .5\nf 1 2 3\n";
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

    (void)state;
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        result r;

        fesetround(modes[i]);
        r = import_text("obj", text);
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_true(corner(&r, 0, 0)[0] == 0.1f);
        assert_true(corner(&r, 0, 0)[1] == 1e-39f);
        assert_true(corner(&r, 0, 0)[2] == 3.4028234663852886e38f);
        assert_true(corner(&r, 0, 1)[0] == 16777216.0f);
        assert_true(corner(&r, 0, 1)[1] == 0.3f);
        assert_true(!signbit(corner(&r, 0, 1)[2]));
        assert_true(corner(&r, 0, 2)[0] == 1.0000001f);
        assert_true(corner(&r, 0, 2)[1] == 2500.0f);
        done(&r);
    }
    (void)setlocale(LC_ALL, "C");
}

static void precision(void **state)
{
    static const char far[] = "v 3000001.1 2000000 250\nv 3000002.1 2000000 250\n"
                              "v 3000001.1 2000001 250\nf 1 2 3\n";
    static const char exact[] = "v -48317.25 -127847.75 -42946.25\nv 77056.375 -56279.75 -23496.5\n"
                                "v 0 -100000 -30000\nv -48317.1875 -127847.75 -23496.5\n"
                                "f 1 2 3\nf 1 2 4\n";
    kiln_bake_options options = defaults();
    result r = import_text("obj", far);

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.warning_count, 1);
    assert_true(r.soup.precision_step >= 0.1 && r.soup.precision_step <= 0.125);
    assert_non_null(strstr(string(&r, r.soup.warnings[0]), "step by 0.25"));
    done(&r);
    options.strict = true;
    r = import_with("obj", far, sizeof far - 1, &options);
    assert_error(&r, KILN_BAKE_INVALID, "step by 0.25");
    r = import_with("obj", exact, sizeof exact - 1, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    done(&r);
    options.strict = false;
    options.scale = 1e-44;
    r = import_with("obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 32, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.warning_count, 1);
    assert_non_null(strstr(string(&r, r.soup.warnings[0]), "step by 1.4e-45"));
    done(&r);
}

/* -- polygons -- */

static void concave_faces(void **state)
{
    result r = import_text("obj", "v 0 0 0\nv 4 1 0\nv 0 4 0\nv 1 2 0\nf 1 2 3 4\n");

    (void)state;
    assert_int_equal(r.soup.triangle_count, 2);
    assert_true(fabs(area_of(&r) - 6) < 1e-12);
    done(&r);
    r = import_text("obj",
                    "v 0 0 0\nv 5 0 0\nv 5 3 0\nv 4 3 0\nv 4 1 0\nv 3 1 0\nv 3 3 0\nv 2 3 0\n"
                    "v 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7 8 9 10 11 12\n");
    assert_int_equal(r.soup.triangle_count, 10);
    assert_int_equal(r.soup.degenerate_count, 0);
    assert_true(fabs(area_of(&r) - 11) < 1e-12);
    done(&r);
}

static uint32_t random_state = 1;

static double random_unit(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 8) / 16777216;
}

static double signed_area(const float *positions, const uint32_t *corners, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++) {
        const float *a = positions + 3 * (size_t)corners[i];
        const float *b = positions + 3 * (size_t)corners[(i + 1) % count];

        sum += (double)a[0] * (double)b[1] - (double)a[1] * (double)b[0];
    }
    return sum / 2;
}

/* Polygons of many corners, whose ears are long, many or deep inside: combs, spirals, stars. They
 * are cut into triangles that sum up to their area, and each corner is compared with few others. */
static void large_polygons(void **state)
{
    enum { COUNT = 20000 };
    static float positions[3 * COUNT];
    static uint32_t corners[COUNT], triangles[3 * COUNT];
    /* A search through all corners would take half of COUNT for each ear that is tried. */
    static const uint64_t most[3] = {2000, 100, 400};

    (void)state;
    for (int shape = 0; shape < 3; shape++) {
        kiln_polygon_work work = {0};
        double sum = 0, whole;

        for (uint32_t i = 0; i < COUNT; i++) {
            /* A comb: teeth to the right, closed by two corners on the left. */
            double x = i % 2 == 0 ? 0 : 1000 + i % 7, y = i;
            const double side = i < COUNT / 2 ? 0 : 1;
            const double along = 0.05 * (i < COUNT / 2 ? i : COUNT - 1 - i);
            const double angle = 6.283185307179586 * i / COUNT, spike = 0.2 + random_unit();

            if (shape == 0 && i >= COUNT - 2)
                x = -1, y = i == COUNT - 2 ? COUNT : -1;
            if (shape == 1)
                x = (1 + 0.2 * along + 0.3 * side) * cos(along),
                y = (1 + 0.2 * along + 0.3 * side) * sin(along);
            if (shape == 2)
                x = spike * cos(angle), y = spike * sin(angle);
            positions[3 * i] = (float)x;
            positions[3 * i + 1] = (float)y;
            positions[3 * i + 2] = 0;
            corners[i] = i;
        }
        whole = fabs(signed_area(positions, corners, COUNT));
        assert_int_equal(kiln_polygon_cut(&work, positions, corners, COUNT, triangles),
                         KILN_POLYGON_OK);
        for (size_t i = 0; i < 3 * (COUNT - 2); i += 3)
            sum += fabs(signed_area(positions, triangles + i, 3));
        print_message("shape %d: %.1f comparisons a corner\n", shape,
                      (double)work.comparisons / COUNT);
        assert_true(fabs(sum - whole) < 1e-9 * whole);
        assert_true(work.comparisons < most[shape] * (uint64_t)COUNT);
        kiln_polygon_work_free(&work);
    }
}

/* Stars with random spikes, on a lattice so that areas are exact: each triangle turns as the
 * polygon does, and the areas sum up. */
static void random_polygons(void **state)
{
    kiln_polygon_work work = {0};

    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t count = 4 + (size_t)(random_unit() * 40);
        float positions[3 * 64];
        uint32_t corners[64], triangles[3 * 64];
        double sum = 0, whole;

        for (uint32_t i = 0; i < count; i++) {
            double angle = 2 * 3.141592653589793 * (i + 0.5 * random_unit()) / (double)count;
            double radius = random_unit() < 0.3 ? 1000 : 20 + 980 * random_unit();

            positions[3 * i] = (float)rint(radius * cos(angle));
            positions[3 * i + 1] = (float)rint(radius * sin(angle));
            positions[3 * i + 2] = 7;
            corners[i] = round % 2 == 0 ? i : (uint32_t)count - 1 - i;
        }
        whole = signed_area(positions, corners, count);
        assert_int_equal(kiln_polygon_cut(&work, positions, corners, count, triangles),
                         KILN_POLYGON_OK);
        for (size_t i = 0; i + 2 < count; i++) {
            uint32_t triangle[3];

            for (size_t j = 0; j < 3; j++)
                triangle[j] = corners[triangles[3 * i + j]];
            sum += fabs(signed_area(positions, triangle, 3));
        }
        assert_true(sum == fabs(whole));
    }
    kiln_polygon_work_free(&work);
}

/* Polygons that touch themselves in every way: triangles of a lattice, each new one put at an edge
 * of the polygon, over and over. Other edges and corners often lie where the new one comes, and
 * stay separate. Some corners between two others are left out then, some stand twice. */

enum { LATTICE = 8, MOST_GROWN = 60 };

typedef struct {
    int points[2 * MOST_GROWN][2];
    bool taken[3 * LATTICE][3 * LATTICE]; /* by the sum of a triangle's corners */
    int count, triangles;
} grown;

/* Twice the area of three points; more than 0: they turn left. */
static int twice_area(const int *a, const int *b, const int *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static void insert_corner(grown *g, int at, int x, int y)
{
    memmove(g->points[at + 1], g->points[at], (size_t)(g->count - at) * sizeof *g->points);
    g->points[at][0] = x;
    g->points[at][1] = y;
    g->count++;
}

/* Puts a triangle on the right of an edge, if it is in the lattice and not there yet. */
static void grow_at(grown *g, int edge)
{
    static const int around[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
    const int *a = g->points[edge], *b = g->points[(edge + 1) % g->count];
    int k = 0, apex[2], sum[2];

    while (around[k][0] != b[0] - a[0] || around[k][1] != b[1] - a[1])
        k++;
    for (int i = 0; i < 2; i++) {
        apex[i] = a[i] + around[(k + 5) % 6][i];
        sum[i] = a[i] + b[i] + apex[i];
        if (apex[i] < 0 || apex[i] >= LATTICE)
            return;
    }
    if (g->taken[sum[0]][sum[1]])
        return;
    g->taken[sum[0]][sum[1]] = true;
    g->triangles++;
    insert_corner(g, edge + 1, apex[0], apex[1]);
}

static void grow_polygon(grown *g)
{
    const int wanted = 1 + (int)(random_unit() * (MOST_GROWN - 4));

    memset(g, 0, sizeof *g);
    insert_corner(g, 0, LATTICE / 2, LATTICE / 2);
    insert_corner(g, 1, LATTICE / 2 + 1, LATTICE / 2);
    insert_corner(g, 2, LATTICE / 2 + 1, LATTICE / 2 + 1);
    g->taken[3 * (LATTICE / 2) + 2][3 * (LATTICE / 2) + 1] = true;
    g->triangles = 1;
    for (int tries = 0; tries < 1000 && g->triangles < wanted; tries++)
        grow_at(g, (int)(random_unit() * g->count));
    for (int i = 1; i + 1 < g->count && g->count > 4; i++) {
        const int *a = g->points[i - 1], *b = g->points[i], *c = g->points[i + 1];
        const bool straight = twice_area(a, b, c) == 0 && (a[0] != c[0] || a[1] != c[1]);

        if (straight && random_unit() < 0.5)
            memmove(g->points[i], g->points[i + 1], (size_t)(--g->count - i) * sizeof *g->points);
        else if (random_unit() < 0.05 && g->count < 2 * MOST_GROWN - 1)
            insert_corner(g, i, b[0], b[1]);
    }
}

/* How many of the triangles cover a point, 3,000 times as large, that lies on none of their sides.
 */
static int count_covering(const int (*corners)[3][2], int count, const int *point)
{
    int covering = 0;

    for (int i = 0; i < count; i++) {
        int scaled[3][2], left = 0, right = 0;

        for (int j = 0; j < 6; j++)
            scaled[j / 2][j % 2] = 3000 * corners[i][j / 2][j % 2];
        for (int j = 0; j < 3; j++) {
            const int area = twice_area(scaled[j], scaled[(j + 1) % 3], point);

            left += area > 0;
            right += area < 0;
        }
        covering += left == 3 || right == 3;
    }
    return covering;
}

/* They are cut into triangles whose areas add up, that turn as the polygon does, and that cover
 * each triangle of the lattice once or not at all. */
static void touching_polygons(void **state)
{
    const uint32_t rounds = amount(5000);
    kiln_polygon_work work = {0};

    (void)state;
    for (uint32_t round = 0; round < rounds; round++) {
        static grown g;
        static int cut[2 * MOST_GROWN][3][2];
        float positions[3 * 2 * MOST_GROWN];
        uint32_t corners[2 * MOST_GROWN], triangles[3 * 2 * MOST_GROWN];
        int area = 0;

        grow_polygon(&g);
        for (int i = 0; i < g.count; i++) {
            /* In one plane and sense, then in others. */
            for (uint32_t k = 0; k < 3; k++)
                positions[3 * (uint32_t)i + (round + k) % 3] = k < 2 ? (float)g.points[i][k] : 5;
            corners[i] = (uint32_t)(round % 2 == 0 ? i : g.count - 1 - i);
        }
        assert_int_equal(kiln_polygon_cut(&work, positions, corners, (size_t)g.count, triangles),
                         KILN_POLYGON_OK);
        for (int i = 0; i < g.count - 2; i++) {
            for (int j = 0; j < 3; j++)
                memcpy(cut[i][j], g.points[corners[triangles[3 * i + j]]], sizeof cut[i][j]);
            area += abs(twice_area(cut[i][0], cut[i][1], cut[i][2]));
        }
        assert_int_equal(area, g.triangles);
        for (int x = 0; x < 3 * LATTICE; x++)
            for (int y = 0; y < 3 * LATTICE; y++) {
                /* Near the middle of a triangle; no line through two corners meets it. */
                const int point[2] = {1000 * x + 17, 1000 * y + 5};

                if (x % 3 + y % 3 == 3)
                    assert_int_equal(count_covering((const int(*)[3][2])cut, g.count - 2, point),
                                     g.taken[x][y]);
            }
    }
    kiln_polygon_work_free(&work);
}

/* A row of lobes that touch it in a corner each, outside or as holes: as fast as others. */
static void large_touching_polygons(void **state)
{
    enum { TEETH = 5000, COUNT = 4 * TEETH };
    static float positions[3 * COUNT];
    static uint32_t corners[COUNT], triangles[3 * COUNT];

    (void)state;
    for (int shape = 0; shape < 2; shape++) {
        kiln_polygon_work work = {0};
        double sum = 0, whole;

        for (uint32_t i = 0; i < TEETH; i++) {
            const float x = (float)(TEETH - i), up = shape == 0 ? 1 : -1;
            const float lobe[4][2] = {{x, 0}, {x + 0.25F, up}, {x - 0.25F, up}, {x, 0}};

            for (uint32_t j = 0; j < 4; j++) {
                positions[3 * (4 * i + j)] = lobe[j][0];
                positions[3 * (4 * i + j) + 1] = lobe[j][1];
                positions[3 * (4 * i + j) + 2] = 0;
                corners[4 * i + j] = 4 * i + j;
            }
        }
        /* The row is closed far below. */
        positions[3 * (COUNT - 1) + 1] = positions[1] = -2 * TEETH;
        whole = fabs(signed_area(positions, corners, COUNT));
        assert_int_equal(kiln_polygon_cut(&work, positions, corners, COUNT, triangles),
                         KILN_POLYGON_OK);
        for (size_t i = 0; i < 3 * (COUNT - 2); i += 3)
            sum += fabs(signed_area(positions, triangles + i, 3));
        print_message("shape %d: %.1f comparisons a corner\n", shape,
                      (double)work.comparisons / COUNT);
        assert_true(fabs(sum - whole) < 1e-9 * whole);
        assert_true(work.comparisons < 2000 * (uint64_t)COUNT);
        kiln_polygon_work_free(&work);
    }
}

/* A square hole joined to the outside by a double edge; corners on lines; crossing; a point; lobes
 * that touch in a corner, by its number or by its place; holes that touch the outline. */
static void odd_polygons(void **state)
{
    static const struct {
        const char *text;
        uint32_t triangles;
        double area;
    } cases[] = {
        {"v 0 0 0\nv 9 0 0\nv 9 9 0\nv 0 9 0\nv 3 3 0\nv 3 6 0\nv 6 6 0\nv 6 3 0\n"
         "f 1 2 3 4 1 5 6 7 8 5\n",
         8, 72},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\nv 0 2 0\nv 0 1 0\n"
         "f 1 2 3 4 5 6 7 8\n",
         6, 4},
        {"v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n", 2, -1},
        {"v 5 5 5\nf 1 1 1 1 1\n", 3, 0},
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\n"
         "f 1 2 3 4 1 7 6 5\n",
         6, 14},
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\nv 0 0 0\n"
         "f 1 2 3 4 8 7 6 5\n",
         6, 14},
        {"v 0 0 0\nv 2 -1 0\nv 2 1 0\nv -2 1 0\nv -2 -1 0\nf 1 2 3 1 4 5\n", 4, 4},
        {"v 0 0 0\nv 2 -1 0\nv 2 1 0\nv -2 1 0\nv -2 -1 0\nv 0 0 0\nf 1 2 3 6 4 5\n", 4, 4},
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 2 0 0\nv 0 4 0\nf 1 2 3 4 5\n", 3, 8},
        {"v 0 0 0\nv 5 0 0\nv 6 0 0\nv 6 6 0\nv 0 6 0\nv 4.25 0.5 0\nv 4.5 0.75 0\nv 0 4 0\n"
         "f 1 2 3 4 5 6 7 2 6 5 8\n",
         9, 35.84375},
        {"v 0 4 0\nv 0 0 0\nv 4 4 0\nv 4 0 0\nf 1 2 1 3 2 4 3\n", 5, 8},
        {"v 0 0 0\nv 0 2 0\nv 0 2 2\nv 0 0 2\nf 1 2 3 4\n", 2, 4},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        result r = import_text("obj", cases[i].text);

        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_int_equal(r.soup.triangle_count, cases[i].triangles);
        assert_int_equal(r.soup.warning_count, cases[i].area < 0);
        if (cases[i].area >= 0)
            assert_true(fabs(area_of(&r) - cases[i].area) < 1e-9);
        else
            assert_non_null(strstr(string(&r, r.soup.warnings[0]), "the outline crosses itself"));
        done(&r);
    }
}

/* A face that is twisted crosses itself from some side only, and there is no wrong way to cut it.
 * The same face pressed flat is one that crosses itself. */
static void twisted_faces_are_no_crossing_ones(void **state)
{
    static const char *const faces[] = {
        "v 2.8336 1.065 -0.2435\nv 2.8751 0.658 -0.544518\nv 1.6235 1.026 -5.37269\n"
        "v 2.3865 0.792 -3.39975\nf 1 2 3 4\n",
        "v 2.8336 1 -0.2435\nv 2.8751 1 -0.544518\nv 1.6235 1 -5.37269\n"
        "v 2.3865 1 -3.39975\nf 1 2 3 4\n"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        result r = import_text("obj", faces[i]);

        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_int_equal(r.soup.triangle_count, 2);
        assert_int_equal(r.soup.warning_count, i);
        done(&r);
    }
}

/* All faces that cross themselves are one warning, by the first; and --strict refuses. */
static void crossing_faces(void **state)
{
    static const char text[] = "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\no a\nf 1 3 2 4\n"
                               "f 1 2 3 4\nf 1 2 3\nf 4 3 2 1\nf 2 1 4 3\n";
    kiln_bake_options options = defaults();
    result r = import_text("obj", text);

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 9);
    assert_int_equal(r.soup.warning_count, 1);
    assert_non_null(
        strstr(string(&r, r.soup.warnings[0]), "face 1 (and 2 faces more): the outline"));
    done(&r);
    options.strict = true;
    r = import_with("obj", text, sizeof text - 1, &options);
    assert_error(&r, KILN_BAKE_INVALID, "crosses itself");
}

/* -- STL, PLY, OFF -- */

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void put_float(uint8_t *to, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    put_u32(to, bits);
}

static void stl(void **state)
{
    uint8_t binary[84 + 2 * 50 + 3] = "solid but binary";
    kiln_bake_options options = defaults();
    result r;

    (void)state;
    put_u32(binary + 80, 2);
    for (int facet = 0; facet < 2; facet++)
        for (int i = 0; i < 9; i++)
            put_float(binary + 84 + 50 * facet + 12 + 4 * i, (float)(i % 4 == 0) + (float)facet);
    r = import_with("STL", binary, 84 + 100, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 2);
    assert_int_equal(r.soup.face[1], 1);
    done(&r);
    for (int i = 0; i < 2; i++) {
        r = import_with("stl", binary, 84 + 99, &options);
        assert_error(&r, KILN_BAKE_INVALID, "cut short");
        r = import_with("stl", binary, sizeof binary, &options);
        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_int_equal(r.soup.triangle_count, 2);
        assert_int_equal(r.soup.warning_count, 1);
        done(&r);
        memcpy(binary, "plain", 5);
    }
    r = import_text("stl", "solid a b\nfacet normal 0 0 0 outer loop vertex 0 0 0\nvertex 1 0 0\n"
                           "VERTEX 0 1 0\nendloop endfacet\nendsolid a b\nsolid hollow\nendsolid\n"
                           "solid c\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 1 0 1\n"
                           "vertex 0 1 1\nendloop\nendfacet\nendsolid c\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.part_count, 2);
    assert_int_equal(r.soup.face[1], 1);
    assert_string_equal(string(&r, r.soup.parts[0].node_path), "/a b");
    assert_int_equal(r.soup.empty_mesh_count, 1);
    done(&r);
    r = import_text("stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\n");
    assert_error(&r, KILN_BAKE_INVALID, "ends within a facet");
}

static void ply(void **state)
{
    static const char header[] =
        "ply\nformat %s 1.0\ncomment x\nelement vertex 4\nproperty double x\n"
        "property float y\nproperty short z\nproperty uchar red\n"
        "element face 3\nproperty uchar flag\n"
        "property list uchar int vertex_indices\nend_header\n%s";
    static const char little[] = "\0\0\0\0\0\0\xF0\x3F\0\0\0\x40\xFE\xFF\x07";
    char text[1024];
    kiln_bake_options options = defaults();
    size_t size;
    result r;

    (void)state;
    snprintf(text, sizeof text, header, "ascii",
             "0 0 0 1\n1 0 0 1 1 1\n0 1 0 1 0 0\n 1 3 0 1 2 1 2 0 1\n0 4 0 1 2 3\n");
    r = import_text("ply", text);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 3);
    assert_int_equal(r.soup.face[0], 0);
    assert_int_equal(r.soup.face[2], 2);
    assert_int_equal(r.soup.lines_left_out, 1);
    done(&r);
    snprintf(text, sizeof text, header, "binary_little_endian", "");
    size = strlen(text);
    for (int i = 0; i < 4; i++, size += 15)
        memcpy(text + size, little, 15);
    for (int i = 0; i < 3; i++, size += 14)
        memcpy(text + size, "\0\x03\0\0\0\0\x01\0\0\0\x02\0\0\0", 14);
    r = import_with("ply", text, size, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 3);
    assert_bounds(&r, 1, 2, -2, 1, 2, -2);
    done(&r);
    r = import_with("ply", text, size - 1, &options);
    assert_error(&r, KILN_BAKE_INVALID, "ends within its 3 of element \"face\"");
    r = import_text("ply", "ply\nformat ascii 1.0\nelement vertex 5\nproperty float x\n"
                           "property float y\nproperty float z\nelement tristrips 1\n"
                           "property list int int vertex_indices\nend_header\n"
                           "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n7 0 1 2 3 -1 0 1\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        double cross[3];

        cross_of(&r, i, cross);
        assert_true(cross[2] == 1);
    }
    done(&r);
}

static void points(void **state)
{
    static const char ply_points[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty uchar red\nproperty float x\n"
        "property float y\nproperty float z\nproperty float nx\nend_header\n"
        "9 0 0 0 1\n9 1 0 0 1\n9 0 0 0 1\n9 0 %s 2 1\n";
    static const char *const refused[][2] = {
        {"0 0 0\n1 1\n", "line 2: a point must have x, y and z"},
        {"0 0 0\n1 1 C\n", "line 2: a coordinate must be a number"},
        {"C 0 0 0\n", "line 1: a coordinate must be a number"},
        {"0 0 0\n\n1 1e39 1\n", "point 1 (line 3): it is not finite or too large"},
        {"3\n0 0 0\n1 1 1\n", "line 1 says that 3 points follow, but there are 2"},
        {"1\n0 0 0\n1 1 1\n", "line 3: more points than the number before them says"},
        {"0 0 0\n1\n1 1 1\n", "line 2: a number of points between points"},
        {"# nothing\n", "no face"},
        {"0\n", "no face"},
    };
    char text[512];
    kiln_bake_options options = defaults();
    result r;

    (void)state;
    snprintf(text, sizeof text, ply_points, "5");
    options.drop = KILN_DROP_DEGENERATE; /* a point is none */
    r = import_with("ply", text, strlen(text), &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_true(r.soup.points);
    assert_int_equal(r.soup.triangle_count, 4);
    assert_int_equal(r.soup.vertex_count, 3);
    assert_int_equal(r.soup.duplicate_count, 1);
    assert_int_equal(r.soup.degenerate_count, 0);
    assert_int_equal(r.soup.points_left_out, 0);
    assert_int_equal(r.soup.warning_count, 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(r.soup.face[i], i);
        assert_int_equal(r.soup.indices[3 * i], r.soup.indices[3 * i + 1]);
        assert_int_equal(r.soup.indices[3 * i], r.soup.indices[3 * i + 2]);
    }
    assert_bounds(&r, 0, 0, 0, 1, 5, 2);
    done(&r);
    snprintf(text, sizeof text, ply_points, "nan");
    r = import_text("ply", text);
    assert_error(&r, KILN_BAKE_INVALID, "point 3 (line 13): it is not finite");
    options.on_bad = KILN_ON_BAD_DROP;
    r = import_with("ply", text, strlen(text), &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 3);
    assert_int_equal(r.soup.note_count, 1);
    done(&r);
    /* Blanks, commas and semicolons, comments, names of columns, numbers of points. */
    r = import_text("xyz", "# a\n\n// b\n  1,2,3,200\n4;5;6;7;8\n7\t8 9\r\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 3);
    assert_bounds(&r, 1, 2, 3, 7, 8, 9);
    done(&r);
    r = import_text("pts", "2\n0 0 0 9 9 9 9\n1 1 1\n1\n2 2 2\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 3);
    done(&r);
    r = import_text("asc", "Red Z Y X\n255 3 2 1\nred 6 5 4\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 1, 2, 3, 4, 5, 6);
    done(&r);
    /* Names in a comment, as many as a point has numbers; and a sentence, of another length. */
    r = import_text("asc", "//Intensity,Z,Y,X\n2\n9 3 2 1\n9 6 5 4\n// X Y Z Intensity\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 1, 2, 3, 4, 5, 6);
    done(&r);
    r = import_text("xyz", "# z y x\n# x y z of points, in metres\n1 2 3\n4 5 6\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 1, 2, 3, 4, 5, 6);
    done(&r);
    r = import_text("xyz", "# x right y ahead z up\n1 2 3 7 8 9\n4 5 6 7 8 9\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 1, 2, 3, 4, 5, 6);
    done(&r);
    r = import_text("xyz", "// z y x\nx y z\n1 2 3\n4 5 6\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 1, 2, 3, 4, 5, 6);
    done(&r);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        r = import_text("xyz", refused[i][0]);
        assert_error(&r, KILN_BAKE_INVALID, refused[i][1]);
    }
    /* The vertices of a mesh, those of no face included, once for several meshes that share them.
     */
    options = defaults();
    options.points = true;
    options.scale = 2;
    static const char mesh[] = "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 7\nf 1 2 3\no b\nf 3 2 1\n";
    r = import_with("obj", mesh, sizeof mesh - 1, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_true(r.soup.points);
    assert_int_equal(r.soup.triangle_count, 4);
    assert_bounds(&r, 0, 0, 0, 2, 2, 14);
    done(&r);
}

static void off(void **state)
{
    result r =
        import_text("off", "# made by hand\nCOFF\n4 3 0 # counts\n0 0 0 1 1 1 1\n1 0 0 1 0 0 1\n"
                           "\n1 1 0 1 1 1 1\n0 1 0 0 0 0 1\n4 0 1 2 3 255 0 0\n2 0 1\n3 0 1 9\n");

    (void)state;
    assert_error(&r, KILN_BAKE_INVALID, "face 2: corner 2 refers to vertex 9, where there are 4");
    r = import_text("off", "OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 1);
    done(&r);
    r = import_text("off", "OFF\n353535235358 6 0\n0 0 0\n");
    assert_error(&r, KILN_BAKE_INVALID, "the file ends within the vertices");
    r = import_text("off", "OFF BINARY\n");
    assert_error(&r, KILN_BAKE_UNSUPPORTED, "binary OFF");
}

/* -- scenes by Assimp -- */

/* One triangle 0 0 0, 1 0 0, 0 1 0, and indices 0 1 2. */
#define TRIANGLE_BUFFER                                                                            \
    "\"buffers\":[{\"byteLength\":42,\"uri\":\"data:application/octet-stream;base64,"              \
    "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA\"}],"                                \
    "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},"                          \
    "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],"                                          \
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"      \
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],"                  \
    "\"asset\":{\"version\":\"2.0\"},\"scene\":0,"
#define TRIANGLE_MESH                                                                              \
    "\"meshes\":[{\"name\":\"part\",\"primitives\":[{\"attributes\":{\"POSITION\":0},"             \
    "\"indices\":1},{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"

/* Two instances, one of them mirrored under a turned and scaled parent. */
static void instances_and_mirrors(void **state)
{
    result r = import_text(
        "gltf", "{" TRIANGLE_BUFFER TRIANGLE_MESH "\"scenes\":[{\"nodes\":[0,2]}],\"nodes\":["
                "{\"name\":\"base\",\"children\":[1],\"scale\":[2,2,2],\"translation\":[10,0,0]},"
                "{\"name\":\"arm\",\"mesh\":0,\"scale\":[-1,1,1]},{\"name\":\"leg\",\"mesh\":0}]}");
    double cross[3];

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.part_count, 4);
    assert_int_equal(r.soup.triangle_count, 4);
    assert_non_null(strstr(string(&r, r.soup.parts[0].node_path), "/base/arm"));
    assert_non_null(strstr(string(&r, r.soup.parts[2].node_path), "/leg"));
    assert_int_equal(r.soup.parts[1].primitive, 1);
    assert_bounds(&r, 0, 0, 0, 10, 2, 0);
    for (uint32_t i = 0; i < 4; i++) {
        cross_of(&r, i, cross);
        /* The mirror turns the face about: it looks the other way, as the thing's outside does. */
        assert_true(cross[2] == (i < 2 ? 4 : 1));
    }
    assert_true(r.soup.unit == 1);
    assert_int_equal(r.soup.up_axis, 1);
    assert_int_equal(r.soup.duplicate_count, 2);
    done(&r);
}

/* A face with a bad index has its number, and the others keep theirs. */
static void bad_gltf_index(void **state)
{
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
        "\"nodes\":[{\"name\":\"arm\",\"mesh\":0}],\"meshes\":[{\"name\":\"part\",\"primitives\":["
        "{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"buffers\":[{\"byteLength\":54,"
        "\"uri\":"
        "\"data:application/"
        "octet-stream;base64,"
        "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAkAAAABAAIAAAACAAMA\"}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":36},"
        "{\"buffer\":0,\"byteOffset\":36,\"byteLength\":18}],\"accessors\":[{\"bufferView\":0,"
        "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":1,"
        "\"componentType\":5123,\"count\":9,\"type\":\"SCALAR\"}]}";
    kiln_bake_options options = defaults();
    result r = import_text("gltf", text);

    (void)state;
    assert_error(&r, KILN_BAKE_INVALID,
                 "arm\", mesh \"part\", face 0: corner 2 refers to vertex 9, where there are 3");
    options.on_bad = KILN_ON_BAD_DROP;
    r = import_with("gltf", text, sizeof text - 1, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 1);
    assert_int_equal(r.soup.face[0], 1);
    assert_int_equal(r.soup.note_count, 2);
    assert_int_equal(r.soup.notes[1].face, 2);
    done(&r);
}

/* The reader of glTF warns of what it leaves out, and refuses what it would read as another shape.
 */
static void gltf_left_out(void **state)
{
#define TWO_SCENES                                                                                 \
    "\"nodes\":[{\"mesh\":0},{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]},{\"nodes\":[1]}]"
    result r =
        import_text("gltf", "{" TRIANGLE_BUFFER TRIANGLE_MESH TWO_SCENES
                            ",\"extensionsRequired\":[\"KHR_materials_unlit\",\"CESIUM_RTC\"]}");

    (void)state;
    assert_error(&r, KILN_BAKE_UNSUPPORTED, "\"CESIUM_RTC\"");
    r = import_text(
        "gltf", "{\"buffers\":[{\"uri\":\"data:application/octet-stream;base64,"
                "AAAAAAAAAAABAAAAAAAAAAEAAAA=\",\"byteLength\":20}],\"bufferViews\":[{\"buffer\":0,"
                "\"byteLength\":18}],\"accessors\":[{\"bufferView\":0,\"componentType\":5122,"
                "\"count\":3,\"type\":\"VEC3\"}],\"asset\":{\"version\":\"2.0\"},\"meshes\":[{"
                "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"nodes\":[{\"mesh\":0}],"
                "\"scenes\":[{\"nodes\":[0]}],\"scene\":0}");
    assert_error(
        &r, KILN_BAKE_INVALID,
        "/accessors/0/componentType: 5122 is not possible for what it is used for (without "
        "KHR_mesh_quantization)");
    r = import_text("gltf", "{" TRIANGLE_BUFFER TRIANGLE_MESH TWO_SCENES "}");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 2);
    assert_int_equal(r.soup.warning_count, 1);
    assert_non_null(strstr(string(&r, r.soup.warnings[0]), "only scene 0 of 2 is read"));
    done(&r);
#undef TWO_SCENES
}

static void matrix_not_finite(void **state)
{
    result r =
        import_text("gltf", "{" TRIANGLE_BUFFER TRIANGLE_MESH "\"scenes\":[{\"nodes\":[0]}],"
                            "\"nodes\":[{\"name\":\"far\",\"mesh\":0,\"scale\":[1e39,1,1]}]}");

    (void)state;
    assert_error(&r, KILN_BAKE_INVALID, "far\"");
}

#define COLLADA(unit, axis)                                                                        \
    "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><asset><unit name=\"u\" meter=\"" unit      \
    "\"/><up_axis>" axis "</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"         \
    "<source id=\"p\"><float_array id=\"pa\" count=\"9\">0 0 0 100 0 0 0 0 200</float_array>"      \
    "<technique_common><accessor source=\"#pa\" count=\"3\" stride=\"3\"><param name=\"X\" "       \
    "type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"         \
    "</accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" "      \
    "source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" "   \
    "offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"                \
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><instance_geometry "             \
    "url=\"#g\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene "     \
    "url=\"#s\"/></scene></COLLADA>"

static void units_and_axes(void **state)
{
    kiln_bake_options options = defaults();
    result r;

    (void)state;
    (void)setlocale(LC_ALL, "de_DE.UTF-8");
    r = import_text("dae", COLLADA("0.01", "Y_UP"));
    (void)setlocale(LC_ALL, "C");
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_true(r.soup.unit == 0.01);
    assert_int_equal(r.soup.up_axis, 1);
    assert_bounds(&r, 0, 0, 0, 1, 0, 2);
    done(&r);
    r = import_text("dae", COLLADA("0", "Y_UP"));
    assert_error(&r, KILN_BAKE_INVALID, "a unit of 0 metres");
    r = import_text("dae", COLLADA("0.0254", "Z_UP"));
    assert_int_equal(r.soup.up_axis, 2);
    assert_true(r.soup.unit == 0.0254);
    assert_bounds(&r, 0, 0, 0, 2.54, 5.08, 0);
    done(&r);
    options.up = 2;
    options.scale = 10;
    r = import_with("dae", COLLADA("0.01", "Z_UP"), strlen(COLLADA("0.01", "Z_UP")), &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_bounds(&r, 0, 0, 0, 10, 0, 20);
    done(&r);
}

#define VERTEX "<input semantic='VERTEX' source='#v' offset='0'/>"
#define BOUND(a, b)                                                                                \
    "<bind_material><technique_common><instance_material symbol='a' target='#" a                   \
    "'/><instance_material symbol='b' target='#" b "'/></technique_common></bind_material>"

/* Paths, meshes, primitives and materials of Collada. What is shown with other materials is the
 * same mesh; a symbol that nothing is bound to is a material of its own. */
static void names_of_collada(void **state)
{
    static const char text[] =
        "<COLLADA version='1.4.1'><library_materials><material id='y' name='yellow'/><material "
        "id='x'/></library_materials><library_geometries><geometry id='g'><mesh><source id='p'>"
        "<float_array id='a' count='9'>0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor "
        "source='#a' count='3' stride='3'><param name='X'/><param name='Y'/><param name='Z'/>"
        "</accessor></technique_common></source><vertices id='v'><input semantic='POSITION' "
        "source='#p'/></vertices><triangles count='1' material='a'>" VERTEX "<p>0 1 2</p>"
        "</triangles><triangles count='1' material='b'>" VERTEX "<p>2 1 0</p></triangles></mesh>"
        "</geometry></library_geometries><library_nodes><node sid='low'><instance_geometry "
        "url='#g'>" BOUND(
            "y", "x") "</instance_geometry></node></library_nodes>"
                      "<library_visual_scenes><visual_scene id='s'><node id='i' sid='j' name='k'>"
                      "<instance_geometry url='#g'>" BOUND(
                          "x",
                          "none") "</instance_geometry><node name='k'>"
                                  "<translate>0 0 1</translate><instance_geometry url='#g'>" BOUND(
                                      "x", "none") "</instance_geometry></node><node><translate>0 "
                                                   "0 2</translate><instance_geometry "
                                                   "url='#g'>" BOUND("y",
                                                                     "x") "</instance_geometry></"
                                                                          "node></node></"
                                                                          "visual_scene>"
                                                                          "</"
                                                                          "library_visual_scenes><"
                                                                          "scene><instance_visual_"
                                                                          "scene "
                                                                          "url='#s'/></scene></"
                                                                          "COLLADA>";
    static const struct {
        const char *path;
        uint32_t mesh, primitive, material;
    } wanted[] = {{"/s/i", 0, 0, 1},   {"/s/i", 1, 1, 2},          {"/s/i/k", 0, 0, 1},
                  {"/s/i/k", 1, 1, 2}, {"/s/i/nodes[3]", 0, 0, 0}, {"/s/i/nodes[3]", 1, 1, 1}};
    result r = import_text("dae", text);

    (void)state;
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.warning_count, 0);
    assert_int_equal(r.soup.material_count, 3);
    assert_string_equal(string(&r, r.soup.materials[0]), "yellow");
    assert_string_equal(string(&r, r.soup.materials[1]), "x");
    assert_string_equal(string(&r, r.soup.materials[2]), "DefaultMaterial");
    assert_int_equal(r.soup.part_count, 6);
    for (size_t i = 0; i < 6; i++) {
        const kiln_soup_part *part = &r.soup.parts[i];

        assert_string_equal(string(&r, part->node_path), wanted[i].path);
        assert_string_equal(string(&r, part->mesh_name), "g");
        assert_int_equal(part->mesh, wanted[i].mesh);
        assert_int_equal(part->primitive, wanted[i].primitive);
        assert_int_equal(r.soup.user[part->triangle_first], wanted[i].material);
    }
    done(&r);
}

#undef VERTEX
#undef BOUND

/* Turning by --up mirrors nothing. */
static void up_keeps_volume(void **state)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\n"
                               "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    kiln_bake_options options = defaults();

    (void)state;
    for (int up = -1; up < 3; up++) {
        result r;

        options.up = up;
        r = import_with("obj", text, sizeof text - 1, &options);
        assert_int_equal(r.status, KILN_BAKE_OK);
        assert_true(fabs(volume_of(&r) - 1) < 1e-12);
        done(&r);
    }
}

/* -- files -- */

static char folder[SCRATCH_SIZE];

static int make_folder(void **state)
{
    (void)state;
    return !scratch_make(folder, "import");
}

static int remove_folder(void **state)
{
    (void)state;
    return !scratch_remove(folder);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static const char triangle_obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void odd_names(void **state)
{
    static const char *const names[] = {"F\xC3\xB6lder.obj", "\xFF.obj", "two\nlines.obj", "-x.obj",
                                        "\xE3\x83\x86 \xC3\xB1 mesh.OBJ"};
    char path[SCRATCH_PATH_SIZE];
    result r;

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        write_file(path, triangle_obj);
        r = import_file(path);
        assert_int_equal(r.status, KILN_BAKE_OK);
        done(&r);
    }
    assert_int_equal(chdir(folder), 0);
    r = import_file("-x.obj");
    assert_int_equal(r.status, KILN_BAKE_OK);
    done(&r);
    assert_int_equal(chdir("/"), 0);
}

static void not_a_file(void **state)
{
    char path[SCRATCH_PATH_SIZE], *endless = malloc(4001);
    result r;

    (void)state;
    assert_non_null(endless);
    snprintf(path, sizeof path, "%s/missing \xC3\xB1.obj", folder);
    r = import_file(path);
    assert_error(&r, KILN_BAKE_IO, path);
    r = import_file(folder);
    assert_error(&r, KILN_BAKE_IO, "a folder");
    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    r = import_file(path);
    assert_error(&r, KILN_BAKE_IO, "a pipe");
    memset(endless, 'a', 4000);
    endless[4000] = '\0';
    r = import_file(endless);
    assert_error(&r, KILN_BAKE_IO, "can't be opened");
    free(endless);
    r = import_text("xyzzy", "what");
    assert_error(&r, KILN_BAKE_UNSUPPORTED, "no reader for \"xyzzy\"");
    r = import_text("obj", "");
    assert_error(&r, KILN_BAKE_INVALID, "empty");
    r = import_text("gltf", "{ this is not it");
    assert_error(&r, KILN_BAKE_INVALID, "its JSON is broken: line 1, column 6");
}

static void side_files(void **state)
{
    char path[SCRATCH_PATH_SIZE], other[SCRATCH_PATH_SIZE];
    uint8_t before[32];
    result r;

    (void)state;
    snprintf(path, sizeof path, "%s/b.mtl", folder);
    write_file(path, "newmtl red\n");
    snprintf(path, sizeof path, "%s/a.mtl", folder);
    write_file(path, "newmtl red\n");
    snprintf(other, sizeof other, "%s/sided.obj", folder);
    write_file(other, "mtllib ./b.mtl\nmtllib a.mtl b.mtl none.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"
                      "usemtl red\nf 1 2 3\n");
    r = import_file(other);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.side_file_count, 2);
    assert_string_equal(string(&r, r.soup.side_files[0]), "a.mtl");
    assert_string_equal(string(&r, r.soup.side_files[1]), "b.mtl");
    assert_int_equal(r.soup.absent_file_count, 2);
    assert_string_equal(string(&r, r.soup.side_files[2]), "a.mtl b.mtl none.mtl");
    assert_string_equal(string(&r, r.soup.side_files[3]), "none.mtl");
    assert_true(r.soup.side_files[0] >= r.soup.names_size);
    memcpy(before, r.soup.source_hash, sizeof before);
    done(&r);
    write_file(path, "newmtl blue\n");
    r = import_file(other);
    assert_memory_not_equal(before, r.soup.source_hash, sizeof before);
    memcpy(before, r.soup.source_hash, sizeof before);
    done(&r);
    snprintf(path, sizeof path, "%s/none.mtl", folder);
    write_file(path, "");
    r = import_file(other);
    assert_int_equal(r.soup.side_file_count, 3);
    assert_int_equal(r.soup.absent_file_count, 1);
    assert_memory_not_equal(before, r.soup.source_hash, sizeof before);
    done(&r);
}

/* -- limits -- */

static bool refuse(void *user, const char *stage, double part)
{
    int *left = user;

    (void)stage;
    (void)part;
    return --*left > 0;
}

/* A model that takes a while. */
static char *grid(int cells, size_t *size)
{
    size_t room =
        (size_t)(cells + 1) * (size_t)(cells + 1) * 32 + (size_t)cells * (size_t)cells * 40;
    char *text = malloc(room), *to = text;

    assert_non_null(text);
    for (int y = 0; y <= cells; y++)
        for (int x = 0; x <= cells; x++)
            to += sprintf(to, "v %d %d 0\n", x, y);
    for (int y = 0; y < cells; y++)
        for (int x = 0; x < cells; x++) {
            int at = y * (cells + 1) + x + 1;
            to += sprintf(to, "f %d %d %d %d\n", at, at + 1, at + cells + 2, at + cells + 1);
        }
    *size = (size_t)(to - text);
    return text;
}

static void limits_of_import(void **state)
{
    kiln_bake_options options = defaults();
    size_t size;
    char *text = grid(500, &size);
    int calls = 5;
    result r;

    (void)state;
    options.import_seconds = 0.02;
    r = import_with("obj", text, size, &options);
    assert_error(&r, KILN_BAKE_FAILED, "takes longer than 0.02 s");
    options = defaults();
    options.import_memory = 1 << 22;
    r = import_with("obj", text, size, &options);
    assert_error(&r, KILN_BAKE_FAILED, "4 MiB");
    options = defaults();
    options.progress = refuse;
    options.progress_user = &calls;
    r = import_with("obj", text, size, &options);
    assert_error(&r, KILN_BAKE_FAILED, "cancelled");
    options = defaults();
    options.import_memory = 0;
    options.import_seconds = 0;
    r = import_with("obj", text, size, &options);
    assert_int_equal(r.status, KILN_BAKE_OK);
    assert_int_equal(r.soup.triangle_count, 500000);
    done(&r);
    free(text);
}

/* -- the importing program -- */

/* Ends the one child process with the signal `user`, as a error of the importer does. */
static bool strike(void *user, const char *stage, double part)
{
    char text[32] = "";
    FILE *list = fopen("/proc/thread-self/children", "r");

    (void)stage;
    (void)part;
    if (list != NULL) {
        if (fgets(text, sizeof text, list) != NULL)
            (void)kill((pid_t)atol(text), *(const int *)user);
        fclose(list);
    }
    return true;
}

static void crash_names_the_file(void **state)
{
    static const struct {
        int number;
        const char *says;
    } ends[] = {{SIGSEGV, "big.obj: the importer crashed (Segmentation fault)"},
                {SIGSYS, "big.obj: the importer was stopped: it asked the system"}};
    size_t size;
    char *text = grid(500, &size);

    (void)state;
    if (access("/proc/thread-self/children", R_OK) != 0) {
        free(text);
        print_message("skipped: the system lists no children of a thread in /proc\n");
        skip();
    }
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        kiln_bake_options options = defaults();
        kiln_bake_input input = {.path = "big.obj", .data = text, .size = size};
        int number = ends[i].number;
        result r;

        memset(&r, 0, sizeof r);
        options.progress = strike;
        options.progress_user = &number;
        r.status = kiln_import(&input, &options, &r.soup, &r.report);
        assert_error(&r, KILN_BAKE_FAILED, ends[i].says);
    }
    free(text);
}

static void *import_often(void *user)
{
    for (int i = 0; i < 20; i++) {
        result r = import_text("obj", triangle_obj);

        if (r.status != KILN_BAKE_OK)
            *(int *)user = 1;
        done(&r);
        r = import_text("dae", COLLADA("1", "Y_UP"));
        if (r.status != KILN_BAKE_OK)
            *(int *)user = 1;
        done(&r);
    }
    return NULL;
}

static void many_threads(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    int failed[THREADS] = {0}, files = open_files_count();

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, import_often, &failed[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(failed[i], 0);
    }
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(open_files_count(), files);
}

/* -- another importer -- */

/* Writes bytes to FOLDER/NAME, and makes it a program. */
static void put_program(const char *name, const void *bytes, size_t size)
{
    char path[SCRATCH_PATH_SIZE];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static void remove_program(const char *name)
{
    char path[SCRATCH_PATH_SIZE];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

/* Imports a triangle by the importers in the folder, and expects that error. */
static void expect_refusal(const char *format, const char *says)
{
    kiln_bake_options options = defaults();
    result r;

    options.importer = folder;
    r = import_with(format, triangle_obj, strlen(triangle_obj), &options);
    assert_error(&r, KILN_BAKE_FAILED, says);
}

static void importer_missing(void **state)
{
    char says[2 * SCRATCH_PATH_SIZE];

    (void)state;
    snprintf(says, sizeof says, "kiln-import, is not in %s; install kiln whole", folder);
    expect_refusal("obj", says);
    snprintf(says, sizeof says, "kiln-import-assimp, is not in %s; install kiln whole", folder);
    expect_refusal("3ds", says);
    /* A folder of that name is none. */
    snprintf(says, sizeof says, "%s/kiln-import", folder);
    assert_int_equal(mkdir(says, 0700), 0);
    expect_refusal("obj", "is not in");
    assert_int_equal(rmdir(says), 0);
}

static void importer_of_another_version(void **state)
{
    const kiln_child_greeting greeting = {.program = KILN_CHILD_PROGRAM,
                                          .version = "99.1, protocol 7"};
    char script[SCRATCH_PATH_SIZE + 32];

    (void)state;
    put_program("greeting", &greeting, sizeof greeting);
    snprintf(script, sizeof script, "#!/bin/sh\ncat '%s/greeting' >&3\nexec cat\n", folder);
    put_program("kiln-import", script, strlen(script));
    expect_refusal("obj", "is of kiln 99.1, protocol 7, and this is kiln " KILN_CHILD_VERSION);
    remove_program("kiln-import");
    remove_program("greeting");
}

static void importer_that_does_not_start(void **state)
{
    static const char ends[] = "#!/bin/sh\nexit 3\n", other[] = "#!/bin/sh\nyes >&3\n",
                      no_program[] = "none";

    (void)state;
    put_program("kiln-import", ends, sizeof ends - 1);
    expect_refusal("obj", "ended (exit status 3) before it read anything");
    put_program("kiln-import", other, sizeof other - 1);
    expect_refusal("obj", "before it read anything");
    put_program("kiln-import", no_program, sizeof no_program - 1);
    expect_refusal("obj", "can't be started; Exec format error");
    remove_program("kiln-import");
}

/* A program that says it has a library of that version, and ends. */
static void put_greeter(const char *library)
{
    kiln_child_greeting greeting = {.program = KILN_CHILD_PROGRAM, .version = KILN_CHILD_VERSION};
    char script[64 + 4 * sizeof greeting], *to = script;
    uint8_t bytes[sizeof greeting];

    snprintf(greeting.library, sizeof greeting.library, "%s", library);
    memcpy(bytes, &greeting, sizeof bytes);
    to += sprintf(to, "#!/bin/sh\nprintf '");
    for (size_t i = 0; i < sizeof bytes; i++)
        to += sprintf(to, "\\%03o", bytes[i]);
    to += sprintf(to, "' >&3\n");
    put_program("kiln-import-assimp", script, (size_t)(to - script));
}

/* Formats of our own depend on none, and what can't be started has none. */
static void version_of_the_library(void **state)
{
    char version[KILN_LIBRARY_VERSION_SIZE];

    (void)state;
    kiln_importer_library(NULL, "obj", version);
    assert_string_equal(version, "");
    kiln_importer_library(NULL, "3ds", version);
    assert_true(version[0] >= '1' && version[0] <= '9' && version[1] == '.');
    kiln_importer_library(folder, "3ds", version);
    assert_string_equal(version, "");
    kiln_importer_library(NULL, "a format that nobody knows", version);
    assert_true(version[0] >= '1' && version[0] <= '9' && version[1] == '.');
    /* One that is replaced is asked again. */
    put_greeter("5.2.5");
    kiln_importer_library(folder, "3ds", version);
    assert_string_equal(version, "5.2.5");
    remove_program("kiln-import-assimp");
    put_greeter("5.4.3");
    kiln_importer_library(folder, "3ds", version);
    assert_string_equal(version, "5.4.3");
    remove_program("kiln-import-assimp");
    kiln_importer_library(folder, "3ds", version);
    assert_string_equal(version, "");
}

/* -- a child that lies -- */

static void send_sound_scene(int pipe)
{
    kiln_sender *sender = kiln_sender_start(pipe);
    kiln_scene_mesh mesh = {.face_count = 2, .vertex_count = 4};
    kiln_scene_node root = {.parent = KILN_SCENE_NONE}, node = {.parent = 0, .place_count = 1};
    kiln_scene_facts facts = {.unit_factor = 1, .up_declared = -1, .up_now = 1};
    static const float positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    static const uint32_t corners[7] = {0, 1, 2, 0, 1, 3, 2}, sizes[2] = {3, 4},
                          numbers[2] = {0, 1};

    root.name = node.name = kiln_send_string(sender, "n", 1);
    for (int i = 0; i < 16; i += 5)
        root.matrix[i] = node.matrix[i] = 1;
    kiln_send_u32(sender, KILN_ARRAY_MATERIALS, 0);
    kiln_send_u32(sender, KILN_ARRAY_MATERIALS, 0);
    kiln_send(sender, KILN_ARRAY_POSITIONS, positions, 4);
    kiln_send(sender, KILN_ARRAY_CORNERS, corners, 7);
    kiln_send(sender, KILN_ARRAY_SIZES, sizes, 2);
    kiln_send(sender, KILN_ARRAY_RECORDS, numbers, 2);
    kiln_send(sender, KILN_ARRAY_USERS, numbers, 2);
    kiln_send(sender, KILN_ARRAY_MESHES, &mesh, 1);
    kiln_send(sender, KILN_ARRAY_NODES, &root, 1);
    kiln_send(sender, KILN_ARRAY_NODES, &node, 1);
    kiln_send_u32(sender, KILN_ARRAY_PLACES, 0);
    kiln_send(sender, KILN_ARRAY_FACTS, &facts, 1);
    kiln_send_end(sender);
    free(sender);
}

/* Whether the bytes are a sound scene; whatever they are, nothing bad happens. */
static bool receive(const uint8_t *bytes, size_t size)
{
    kiln_scene scene = {.most = 1 << 22};
    bool sound = kiln_scene_receive(&scene, bytes, size) && kiln_scene_is_sound(&scene);

    if (sound && scene.arrays[KILN_ARRAY_FAILURE].count == 0) {
        kiln_bake_options options = defaults();
        kiln_flatten_task task = {.options = &options};
        kiln_soup soup = {0};

        options.on_bad = KILN_ON_BAD_DROP;
        options.import_memory = 1 << 22;
        (void)kiln_flatten(&scene, &task, &soup);
        kiln_soup_free(&soup);
    }
    kiln_scene_free(&scene);
    return sound;
}

static void hostile_scenes(void **state)
{
    static struct {
        uint8_t bytes[1 << 12]; /* less than a pipe holds */
        size_t size;
    } good, bad;
    int pipes[2];
    ssize_t got;

    (void)state;
    assert_int_equal(pipe(pipes), 0);
    send_sound_scene(pipes[1]);
    close(pipes[1]);
    while ((got = read(pipes[0], good.bytes + good.size, sizeof good.bytes - good.size)) > 0)
        good.size += (size_t)got;
    close(pipes[0]);
    assert_true(good.size > 0 && receive(good.bytes, good.size));
    for (size_t size = 0; size < good.size; size++)
        assert_false(receive(good.bytes, size));
    for (size_t bit = 0; bit < 8 * good.size; bit++) {
        bad = good;
        bad.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        (void)receive(bad.bytes, bad.size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_records),
        cmocka_unit_test(obj_relative_and_returning),
        cmocka_unit_test(hollow_object),
        cmocka_unit_test(points_and_lines),
        cmocka_unit_test(zero_area_and_doubles),
        cmocka_unit_test(bad_faces),
        cmocka_unit_test(obj_counts_of_numbers),
        cmocka_unit_test(decimals),
        cmocka_unit_test(precision),
        cmocka_unit_test(concave_faces),
        cmocka_unit_test(random_polygons),
        cmocka_unit_test(large_polygons),
        cmocka_unit_test(touching_polygons),
        cmocka_unit_test(large_touching_polygons),
        cmocka_unit_test(odd_polygons),
        cmocka_unit_test(twisted_faces_are_no_crossing_ones),
        cmocka_unit_test(crossing_faces),
        cmocka_unit_test(stl),
        cmocka_unit_test(ply),
        cmocka_unit_test(points),
        cmocka_unit_test(off),
        cmocka_unit_test(instances_and_mirrors),
        cmocka_unit_test(bad_gltf_index),
        cmocka_unit_test(gltf_left_out),
        cmocka_unit_test(matrix_not_finite),
        cmocka_unit_test(units_and_axes),
        cmocka_unit_test(names_of_collada),
        cmocka_unit_test(up_keeps_volume),
        cmocka_unit_test(odd_names),
        cmocka_unit_test(not_a_file),
        cmocka_unit_test(side_files),
        cmocka_unit_test(limits_of_import),
        cmocka_unit_test(crash_names_the_file),
        cmocka_unit_test(many_threads),
        cmocka_unit_test(importer_missing),
        cmocka_unit_test(importer_of_another_version),
        cmocka_unit_test(importer_that_does_not_start),
        cmocka_unit_test(version_of_the_library),
        cmocka_unit_test(hostile_scenes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
