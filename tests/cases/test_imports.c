/* Cases of the field that are decided when a model is read: what is kept, what is left out, and
 * what is said about it. */
#define _XOPEN_SOURCE 700
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../formats/check.h"
#include "../../formats/nodes.h"
#include "../../tools/encode/audit.h"
#include "case_model.h"

static void expect_sound(const case_model *model)
{
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    if (!kiln_audit(model->bytes, model->size, NULL, &error)) {
        fail_msg("%s", error.text);
    }
}

/* Triangles without area are kept as the point and the segment that they are, and counted; asked to
 * drop them, nothing is left and the bake says so. */
static void test_c001_no_area(void **state)
{
    (void)state;
    const char *names[] = {"C001_point.obj", "C001_needle.obj"};
    case_model box = case_bake("C001_box.obj", NULL);
    for (int i = 0; i < 2; i++) {
        case_model model = case_bake(names[i], NULL);
        assert_int_equal(model.report.degenerate, 1);
        expect_sound(&model);
        for (int k = 1; k < 100; k++) {
            const kiln_pose away = case_at(0.6 + 0.05 * k, 0.51 + k, -k);
            case_expect(&box, NULL, &model, &away, false, 0);
        }
        kiln_bake_options options = case_options();
        kiln_bake_report report;
        options.drop = KILN_DROP_DEGENERATE;
        assert_int_equal(case_try(names[i], &options, &report), KILN_BAKE_INVALID);
        assert_non_null(strstr(report.error, "no face"));
        kiln_bake_report_free(&report);
        case_free(&model);
    }
    case_free(&box);
}

/* Small is not degenerate: nothing is dropped, not even by a bake that drops what has no area. */
static void test_c003_small_faces(void **state)
{
    (void)state;
    const struct {
        const char *name;
        unsigned faces;
    } models[] = {{"C003_sliver.obj", 1}, {"C003_small.obj", 12}, {"C003_centimetre.obj", 1}};
    kiln_bake_options options = case_options();
    options.drop = KILN_DROP_DEGENERATE | KILN_DROP_DUPLICATE;
    for (int i = 0; i < 3; i++) {
        case_model model = case_bake(models[i].name, &options);
        assert_true(model.report.faces >= models[i].faces);
        assert_int_equal(model.report.faces_dropped, 0);
        assert_int_equal(model.report.degenerate, 0);
        expect_sound(&model);
        case_free(&model);
    }
}

/* Floats too coarse for a model are told of, and how coarse, also where that model lost nothing
 * itself: what it is placed against does. */
static void test_c005_far_coordinates(void **state)
{
    (void)state;
    const char *coarse[] = {"C005_A.obj", "C005_B_gap.obj", "C005_B_over.obj"};
    for (int i = 0; i < 3; i++) {
        case_model model = case_bake(coarse[i], NULL);
        assert_true(model.report.precision_step > 0.09 && model.report.precision_step <= 0.25);
        assert_true(case_warns(&model.report, "32-bit floats"));
        case_free(&model);
    }
    case_model unit = case_bake("C005_unit.obj", NULL);
    assert_int_equal(unit.report.warning_count, 0);
    for (int k = 0; k < 20; k++) { /* far poses: what counts is the gap between them */
        const double far_out = 3000000.0 * k;
        const kiln_pose a = case_at(far_out, -far_out, 250);
        const kiln_pose apart = case_at(far_out + 1 + 0x1p-20, -far_out, 250);
        const kiln_pose touching = case_at(far_out + 1, -far_out, 250);
        case_expect(&unit, &a, &unit, &apart, false, 0);
        case_expect(&unit, &a, &unit, &touching, true, -1);
    }
    case_free(&unit);
}

typedef struct {
    double axis[3][3], half[3]; /* the model's unit */
} root_box;

/* The box of lane 0 of the root of the OBB tree. */
static root_box read_root_box(const case_model *model)
{
    root_box out;
    kiln_reader reader;
    kiln_view view;
    kiln_format_error error;
    kiln_lane_box lane;
    assert_true(kiln_reader_open(&reader, model->bytes, model->size, NULL, &error));
    assert_true(kiln_view_open(&view, &reader, false, &error));
    const kiln_view_tree tree = kiln_view_get_tree(&view, 0);
    assert_int_equal(tree.entry->bv, KILN_FORMAT_BV_OBB8);
    kiln_obb8_decode_lane(tree.nodes, 0, &lane);
    for (int i = 0; i < 3; i++) {
        out.half[i] = ldexp((double)lane.half[i], tree.entry->scale_exponent);
        for (int k = 0; k < 3; k++) {
            out.axis[i][k] = (double)lane.axis[i][k];
        }
    }
    kiln_reader_close(&reader);
    return out;
}

static void expect_orthonormal(const root_box *box)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double dot = 0;
            for (int k = 0; k < 3; k++) {
                dot += box->axis[i][k] * box->axis[j][k];
            }
            assert_true(fabs(dot - (i == j)) < 1e-6);
        }
    }
}

/* Planar meshes get a box without thickness, collinear ones a box without NaN. */
static void test_c011_flat_meshes(void **state)
{
    (void)state;
    kiln_bake_options options = case_options();
    options.leaf = 15;
    case_model planar = case_bake("C011_planar.obj", &options);
    const root_box box = read_root_box(&planar);
    expect_orthonormal(&box);
    const double *h = box.half;
    const double thin = fmin(h[0], fmin(h[1], h[2]));
    assert_true(thin >= 0 && thin < 1e-6);
    assert_true(h[0] * h[1] + h[1] * h[2] + h[2] * h[0] <= 2 * 0.5 * 0.70710678);
    expect_sound(&planar);
    case_free(&planar);

    case_model line = case_bake("C011_line.obj", &options);
    const root_box thread = read_root_box(&line);
    expect_orthonormal(&thread);
    for (int i = 0; i < 3; i++) {
        assert_true(thread.half[i] >= 0 && thread.half[i] < 3);
    }
    assert_int_equal(line.report.degenerate, 2);
    expect_sound(&line);
    case_free(&line);

    case_model pair = case_bake("C011_back2back.obj", NULL);
    assert_int_equal(pair.report.faces, 2);
    expect_sound(&pair);
    case_free(&pair);
}

/* An object without faces is warned of by name and makes no tree; strictly, it ends the bake. */
static void test_c013_hollow_object(void **state)
{
    (void)state;
    kiln_bake_options options = case_options();
    options.split = KILN_SPLIT_MESH;
    case_model model = case_bake("C013_mixed.obj", &options);
    assert_int_equal(model.report.empty_meshes, 1);
    assert_true(case_warns(&model.report, "\"hollow\""));
    assert_int_equal(kiln_file_tree_count(model.file), 2 * CASE_KINDS);
    assert_non_null(kiln_file_find(model.file, "first", KILN_BV_OBB));
    assert_non_null(kiln_file_find(model.file, "last", KILN_BV_AABB));
    assert_null(kiln_file_find(model.file, "hollow", 0));
    case_free(&model);

    kiln_bake_report report;
    options.strict = true;
    assert_int_equal(case_try("C013_mixed.obj", &options, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "hollow"));
    kiln_bake_report_free(&report);
}

/* Does the triangle's front look away from x, 0, 0? */
static bool looks_away(const kiln_tree *tree, uint32_t triangle, double x)
{
    float p[3][3];
    assert_int_equal(kiln_tree_corners(tree, triangle, p), KILN_OK);
    double u[3], v[3], volume = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = (double)(p[1][k] - p[0][k]);
        v[k] = (double)(p[2][k] - p[0][k]);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        volume += ((double)p[0][k] - (k == 0 ? x : 0)) * (u[i] * v[j] - u[j] * v[i]);
    }
    return volume > 0;
}

/* Every face of a mirrored part looks outwards, and keeps the number that it has unmirrored. */
static void test_c015_mirrored_node(void **state)
{
    (void)state;
    case_model plain = case_bake("C015_plain.gltf", NULL),
               mirror = case_bake("C015_mirror.gltf", NULL);
    for (uint32_t i = 0; i < 12; i++) {
        kiln_source of_plain, of_mirror;
        assert_int_equal(kiln_tree_source(plain.trees[0], i, &of_plain), KILN_OK);
        assert_int_equal(kiln_tree_source(mirror.trees[0], i, &of_mirror), KILN_OK);
        assert_true(looks_away(plain.trees[0], i, 1.5));
        assert_true(looks_away(mirror.trees[0], i, -1.5));
        assert_int_equal(of_plain.face, of_mirror.face);
    }
    case_free(&plain);
    case_free(&mirror);
}

static void expect_edge(const char *name, double edge, double unit)
{
    case_model model = case_bake(name, NULL);
    const kiln_tree_info info = kiln_tree_get_info(model.trees[0]);
    assert_true(fabs(model.report.unit - unit) < 1e-9);
    for (int k = 0; k < 3; k++) {
        const double got = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
        assert_true(fabs(got - edge) < 1e-6);
    }
    case_free(&model);
}

static void expect_units(void)
{
    expect_edge("C017_cm.dae", 1, 0.01);
    expect_edge("C017_inch.dae", 2.54, 0.0254);
    expect_edge("C017_m.dae", 1, 1);
}

/* Units are applied once and reported; a decimal comma changes nothing. */
static void test_c017_units(void **state)
{
    (void)state;
    expect_units();
    char folder[CASE_PATH_SIZE];
    assert_int_equal(setenv("LOCPATH", case_temporary("locale", folder), 1), 0);
    if (system("mkdir -p \"$LOCPATH\" && "
               "localedef -i de_DE -f UTF-8 \"$LOCPATH/de_DE.UTF-8\" 2>/dev/null") == -1 ||
        setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        print_message("skipped: no German locale (package locales)\n");
        skip();
    }
    assert_string_equal(localeconv()->decimal_point, ",");
    expect_units();
    case_model box = case_bake("C001_box.obj", NULL);
    assert_true((double)kiln_tree_get_info(box.trees[0]).bounds_upper[0] == 0.5);
    case_free(&box);
    assert_string_equal(localeconv()->decimal_point, ",");
    (void)setlocale(LC_ALL, "C");
    (void)unsetenv("LOCPATH");
}

/* Polygons answer like their references all over their boxes, not only at chosen points. */
static void test_c021_concave_polygons(void **state)
{
    (void)state;
    const char *names[2][2] = {{"C021_dart.obj", "C021_dart_ref.obj"},
                               {"C021_comb.obj", "C021_comb_ref.obj"}};
    case_model probe = case_bake("C021_probe.obj", NULL);
    for (int i = 0; i < 2; i++) {
        case_model polygon = case_bake(names[i][0], NULL), cut = case_bake(names[i][1], NULL);
        assert_int_equal(polygon.report.polygons_cut, 1);
        int hits = 0;
        for (double x = -0.45; x < 5.5; x += 0.19) {
            for (double y = -0.45; y < 4.5; y += 0.19) {
                kiln_hit hit;
                const kiln_pose at = case_at(x, y, 0);
                assert_int_equal(kiln_collide(cut.trees[0], NULL, probe.trees[0], &at, NULL, &hit),
                                 KILN_OK);
                case_expect(&polygon, NULL, &probe, &at, hit.found, -1);
                hits += hit.found;
            }
        }
        assert_true(hits > 100);
        case_free(&polygon);
        case_free(&cut);
    }
    case_free(&probe);
}

/* Points and lines are left out and counted; where there is nothing else, nothing is written. */
static void test_c023_points_and_lines(void **state)
{
    (void)state;
    case_model mixed = case_bake("C023_mixed.obj", NULL);
    assert_int_equal(mixed.report.faces, 1);
    assert_int_equal(mixed.report.points_left_out, 1);
    assert_int_equal(mixed.report.lines_left_out, 1);
    case_free(&mixed);

    const char *lines = "v 0 0 0\nv 1 0 0\nl 1 2\n";
    const kiln_bake_input input = {"lines.obj", lines, strlen(lines), "obj"};
    char output[CASE_PATH_SIZE];
    kiln_bake_report report;
    assert_int_equal(kiln_bake(&input, case_temporary("lines.kiln", output), NULL, &report),
                     KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "no face"));
    assert_int_equal(access(output, F_OK), -1);
    kiln_bake_report_free(&report);
}

static void copy_file(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (int c = fgetc(in); c != EOF; c = fgetc(in)) {
        assert_int_equal(fputc(c, out), c);
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(fclose(out), 0);
}

/* Bakes TMPDIR/FOLDER/NAME.obj to NAME.kiln beside it and opens that. */
static void there_and_back(const char *folder, const char *name)
{
    char directory[CASE_PATH_SIZE], model[CASE_PATH_SIZE + 64], baked[CASE_PATH_SIZE + 64];
    char grid[CASE_PATH_SIZE];
    kiln_file *file = NULL;
    (void)mkdir(case_temporary(folder, directory), 0777);
    (void)snprintf(model, sizeof model, "%s/%s.obj", directory, name);
    (void)snprintf(baked, sizeof baked, "%s/%s.kiln", directory, name);
    copy_file(case_path("C065_grid.obj", grid), model);
    const kiln_bake_input input = {model, NULL, 0, NULL};
    assert_int_equal(kiln_bake(&input, baked, NULL, NULL), KILN_BAKE_OK);
    assert_int_equal(kiln_open(baked, NULL, &file), KILN_OK);
    kiln_close(file);
}

/* Paths are bytes. */
static void test_c055_names(void **state)
{
    (void)state;
    there_and_back("Földer", "ñ mesh");
    there_and_back("Földer/テスト", "ñ mesh");
    there_and_back("line\nbreak", "a\nb");
    there_and_back("byte \xff of no text", "\xfe\xff");
    there_and_back("dash", "-mesh");

    char absent[CASE_PATH_SIZE];
    kiln_bake_report report;
    kiln_bake_input input = {case_temporary("Földer/テスト/absent.obj", absent), NULL, 0, NULL};
    assert_int_equal(kiln_bake(&input, "/dev/null", NULL, &report), KILN_BAKE_IO);
    assert_non_null(strstr(report.error, absent));
    kiln_bake_report_free(&report);

    char long_path[CASE_PATH_SIZE + 1000];
    memset(long_path, 'x', sizeof long_path);
    (void)strcpy(long_path + sizeof long_path - 5, ".obj");
    input.path = long_path;
    assert_int_equal(kiln_bake(&input, "/dev/null", NULL, &report), KILN_BAKE_IO);
    assert_true(report.error[0] != '\0');
    kiln_bake_report_free(&report);
}

/* In a child, for limits do not come off: the status of a bake of the grid that may write 512
 * bytes. */
static int bake_limited(const char *output)
{
    const struct rlimit limit = {512, 512};
    char grid[CASE_PATH_SIZE];
    const kiln_bake_input input = {case_path("C065_grid.obj", grid), NULL, 0, NULL};
    kiln_bake_report report;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) {
        return 100;
    }
    const kiln_bake_status status = kiln_bake(&input, output, NULL, &report);
    const bool told = strstr(report.error, "no space") != NULL;
    kiln_bake_report_free(&report);
    return told ? (int)status : 101;
}

/* Where there is no room, the old file stays, and the status says so. */
static void test_c057_no_space(void **state)
{
    (void)state;
    char output[CASE_PATH_SIZE], grid[CASE_PATH_SIZE];
    kiln_bake_report report;
    const kiln_bake_input input = {case_path("C065_grid.obj", grid), NULL, 0, NULL};
    if (access("/dev/full", F_OK) == 0) {
        assert_int_equal(kiln_bake(&input, "/dev/full", NULL, &report), KILN_BAKE_IO);
        assert_non_null(strstr(report.error, "no space"));
        kiln_bake_report_free(&report);
    }
    assert_int_equal(kiln_bake(&input, case_temporary("old.kiln", output), NULL, NULL),
                     KILN_BAKE_OK);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(bake_limited(output));
    }
    int status = -1;
    kiln_file *file = NULL;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), KILN_BAKE_IO);
    assert_int_equal(kiln_open(output, NULL, &file), KILN_OK);
    kiln_close(file);
}

/* Binary STL that begins with "solid" is the text of the same cube; OBJ that counts backwards. */
static void test_c067_reader_quirks(void **state)
{
    (void)state;
    case_model binary = case_bake("C067_solid_header.stl", NULL);
    case_model text = case_bake("C067_ascii.stl", NULL);
    case_model backwards = case_bake("C067_relative.obj", NULL);
    const kiln_tree_info of_binary = kiln_tree_get_info(binary.trees[0]);
    const kiln_tree_info of_text = kiln_tree_get_info(text.trees[0]);
    assert_memory_equal(of_binary.geometry_hash, of_text.geometry_hash, 16);
    assert_int_equal(of_binary.triangle_count, 12);
    kiln_source first, last;
    assert_int_equal(kiln_tree_source(backwards.trees[0], 0, &first), KILN_OK);
    assert_int_equal(kiln_tree_source(backwards.trees[0], 3, &last), KILN_OK);
    assert_int_equal(first.face, 0);
    assert_int_equal(last.face, 1);
    float corners[3][3];
    assert_int_equal(kiln_tree_corners(backwards.trees[0], 3, corners), KILN_OK);
    assert_true((double)corners[0][0] >= 10);
    case_free(&binary);
    case_free(&text);
    case_free(&backwards);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c001_no_area),
        cmocka_unit_test(test_c003_small_faces),
        cmocka_unit_test(test_c005_far_coordinates),
        cmocka_unit_test(test_c011_flat_meshes),
        cmocka_unit_test(test_c013_hollow_object),
        cmocka_unit_test(test_c015_mirrored_node),
        cmocka_unit_test(test_c017_units),
        cmocka_unit_test(test_c021_concave_polygons),
        cmocka_unit_test(test_c023_points_and_lines),
        cmocka_unit_test(test_c055_names),
        cmocka_unit_test(test_c057_no_space),
        cmocka_unit_test(test_c067_reader_quirks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
