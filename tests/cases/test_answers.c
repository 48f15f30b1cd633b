/* Cases of the field that are decided when a question is asked: exactness, touching,
 * containment, a mesh against itself, odd rotations, all pairs, numbers of faces. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/rounding.h"
#include "case_model.h"

/* At 100 poses of both that doubles hold exactly (a twentieth where shortened), B shifted by
 * `shift` in A's frame. */
static void expect_wherever(const case_model *a, const case_model *b, const double shift[3],
                            bool hit)
{
    uint64_t random = 7;
    const uint32_t poses = amount(100);
    for (uint32_t i = 0; i < poses; i++) {
        const kiln_pose pose_a = pose_exact(&random, 100);
        kiln_pose pose_b = pose_a;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 3; j++) {
                pose_b.translation[k] += pose_a.rotation[3 * k + j] * shift[j];
            }
        }
        case_expect(a, &pose_a, b, &pose_b, hit, -1);
    }
}

static void expect_equal_bytes(const char *name)
{
    const case_model plain = case_bake(name, NULL);
    for (int mode = 1; mode <= ROUNDING_MODES; mode++) {
        rounding_enter(mode);
        case_model other = case_bake(name, NULL);
        rounding_leave();
        assert_int_equal(other.size, plain.size);
        assert_memory_equal(other.bytes, plain.bytes, plain.size);
        case_free(&other);
    }
    case_model release = plain;
    case_free(&release);
}

/* Subnormal numbers: same bytes and answers whatever the processor does with them. */
static void test_c007_tiny_numbers(void **state)
{
    (void)state;
    expect_equal_bytes("C007_e-20.obj");
    expect_equal_bytes("C007_e-39.obj");
    expect_equal_bytes("C007_e-39_probe.obj");
    case_model cube = case_bake("C007_e-20.obj", NULL), flat = case_bake("C007_e-39.obj", NULL);
    case_model probe = case_bake("C007_e-39_probe.obj", NULL);
    const kiln_pose half = case_at(5e-21, 0, 0), beyond = case_at(1.5e-20, 0, 0);
    const kiln_pose far_off = case_at(1e-3, 0, 0);
    for (int mode = 1; mode <= ROUNDING_MODES; mode++) {
        rounding_enter(mode);
        case_expect(&cube, NULL, &cube, &half, true, -1);
        case_expect(&cube, NULL, &cube, &beyond, false, 0);
        case_expect(&flat, NULL, &probe, NULL, true, 1);
        case_expect(&flat, NULL, &probe, &far_off, false, 0);
        rounding_leave();
    }
    case_free(&cube);
    case_free(&flat);
    case_free(&probe);
}

/* Every box contains what it bounds, at every leaf size and in both layouts. */
static void test_c009_bounds_contain(void **state)
{
    (void)state;
    for (int leaf = 1; leaf <= 15; leaf++) {
        kiln_bake_options options = case_options();
        kiln_audit_counts counts;
        kiln_format_error error;
        options.leaf = leaf;
        options.layout = leaf % 2 == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW;
        case_model model = case_bake("C009_mesh.obj", &options);
        if (!kiln_audit(model.bytes, model.size, &counts, &error)) {
            fail_msg("%s", error.text);
        }
        assert_true(counts.containments >= 2 * 7 * 3);
        case_free(&model);
    }
}

/* Triangles in one plane, however that plane lies. */
static void test_c031_one_plane(void **state)
{
    (void)state;
    const double none[3] = {0, 0, 0}, lifted[3] = {0, 0x1p-20, 0}, aside[3] = {9, 0, 0};
    case_model a = case_bake("C031_a.obj", NULL), b = case_bake("C031_b.obj", NULL);
    case_model c = case_bake("C031_c.obj", NULL), d = case_bake("C031_d.obj", NULL);
    expect_wherever(&a, &b, none, true);
    expect_wherever(&c, &d, none, true);
    expect_wherever(&a, &b, lifted, false);
    expect_wherever(&a, &b, aside, false);
    case_free(&a);
    case_free(&b);
    case_free(&c);
    case_free(&d);
}

/* Cubes that share a face, part of one, an edge or a corner, on every side; 2^-20 apart they do
 * not. */
static void test_c033_touching(void **state)
{
    (void)state;
    case_model cube = case_bake("C033_cube.obj", NULL);
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            for (int z = -1; z <= 1; z++) {
                const double gap = 1 + 0x1p-20;
                const double touching[3] = {x, y, z}, part[3] = {x, 0.25 * y, 0.25 * z};
                const double apart[3] = {gap * x, gap * y, gap * z};
                expect_wherever(&cube, &cube, touching, true);
                expect_wherever(&cube, &cube, part, true);
                expect_wherever(&cube, &cube, apart, x == 0 && y == 0 && z == 0);
            }
        }
    }
    case_free(&cube);
}

/* Surfaces are asked about: a cube of width 1 meets one of width 10 where their faces cross. */
static void test_c035_inside(void **state)
{
    (void)state;
    case_model outer = case_bake("C035_outer.obj", NULL), inner = case_bake("C035_inner.obj", NULL);
    for (double x = -7; x <= 7; x += 0.125) {
        const kiln_pose at = case_at(x, 0.125, -0.25);
        case_expect(&outer, NULL, &inner, &at, fabs(x) >= 4.5 && fabs(x) <= 5.5, -1);
        for (int k = 0; k < CASE_KINDS; k++) {
            kiln_place place;
            assert_int_equal(kiln_locate_mesh(outer.trees[k], NULL, inner.trees[CASE_KINDS - 1 - k],
                                              &at, &place),
                             KILN_OK);
            assert_int_equal(place, fabs(x) < 4.5   ? KILN_PLACE_INSIDE
                                    : fabs(x) > 5.5 ? KILN_PLACE_OUTSIDE
                                                    : KILN_PLACE_SURFACE);
        }
    }
    case_free(&outer);
    case_free(&inner);
}

static void expect_own_pairs(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose)
{
    const size_t capacity = 1 << 14;
    const uint32_t triangles = kiln_tree_get_info(a).triangle_count;
    kiln_pair *pairs = malloc(capacity * sizeof *pairs);
    size_t count = 0, own = 0;
    assert_non_null(pairs);
    assert_int_equal(kiln_contacts(a, pose, b, pose, NULL, pairs, capacity, &count), KILN_OK);
    assert_true(count <= capacity);
    for (size_t i = 0; i < count; i++) {
        own += pairs[i].a == pairs[i].b;
    }
    assert_int_equal(own, triangles);
    free(pairs);
}

static void check_against_itself(const char *name)
{
    uint64_t random = 3;
    case_model one = case_bake(name, NULL), two = case_bake(name, NULL);
    for (int i = 0; i < 20; i++) {
        const kiln_pose pose = pose_random(&random, 1000);
        for (int kind = 0; kind < CASE_KINDS; kind++) {
            expect_own_pairs(one.trees[kind], one.trees[kind], &pose);
            expect_own_pairs(one.trees[kind], two.trees[kind], &pose);
            expect_own_pairs(one.trees[kind], two.trees[(kind + 1) % CASE_KINDS], &pose);
        }
    }
    case_free(&one);
    case_free(&two);
}

/* One handle twice, or the file opened twice: every triangle meets itself. */
static void test_c037_the_same_mesh(void **state)
{
    (void)state;
    check_against_itself("C037_torus.obj");
    check_against_itself("C037_cube.obj");
}

static kiln_status from(double x, double y, double z, double w, kiln_pose *pose)
{
    const double q[4] = {x, y, z, w}, t[3] = {1.5, 0, 0};
    return kiln_pose_from_quaternion(q, t, pose);
}

/* Quaternions of the wrong length are errors or are normalised; never a scale. */
static void test_c039_quaternions(void **state)
{
    (void)state;
    case_model cube = case_bake("C039_cube.obj", NULL);
    const double lengths[] = {1, 1 + 1e-4, 1 - 1e-4, 1 + 5e-6, -1, -1 + 1e-4};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        kiln_pose pose;
        assert_int_equal(from(0, 0, 0, lengths[i], &pose), KILN_OK);
        case_expect(&cube, NULL, &cube, &pose, false, 0);
        assert_int_equal(from(0.6 * lengths[i], 0, 0, 0.8 * lengths[i], &pose), KILN_OK);
        case_expect(&cube, NULL, &cube, &pose, false, 0);
        pose.translation[0] = 1;
        case_expect(&cube, NULL, &cube, &pose, true, -1);
    }
    const double refused[] = {0, 2, 1.01, 0.99, NAN, INFINITY};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        kiln_pose pose = case_at(1, 2, 3);
        const kiln_pose before = pose;
        assert_int_equal(from(0, 0, 0, refused[i], &pose), KILN_ERROR_POSE);
        assert_memory_equal(&pose, &before, sizeof pose);
    }
    case_free(&cube);
}

/* A matrix without inverse, or that is not finite, is an error in every query; one that scales or
 * mirrors does what it says. The cube at 1.5 that is four times as large has a face in the plane of
 * one of the other's. */
static void test_c039_poses(void **state)
{
    (void)state;
    case_model cube = case_bake("C039_cube.obj", NULL);
    static const struct {
        double diagonal[3];
        bool refused, hit;
    } cases[] = {{{4, 4, 4}, false, true},        {{-1, 1, 1}, false, false},
                 {{1, 1, 1.00001}, false, false}, {{1, 0.25, 3}, false, false},
                 {{2.001, 0.25, 3}, false, true}, {{0, 0, 0}, true, false},
                 {{1, 1, 0}, true, false},        {{(double)NAN, 1, 1}, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kiln_pose pose = case_at(1.5, 0, 0);
        for (int k = 0; k < 3; k++) {
            pose.rotation[4 * k] = cases[i].diagonal[k];
        }
        if (!cases[i].refused) {
            case_expect(&cube, NULL, &cube, &pose, cases[i].hit, -1);
            case_expect(&cube, &pose, &cube, NULL, cases[i].hit, -1);
            continue;
        }
        for (int kind = 0; kind < CASE_KINDS; kind++) {
            const kiln_tree *tree = cube.trees[kind];
            kiln_hit hit = {true, {17, 18, 0, 0}, {0, 0}};
            size_t count = 19;
            assert_int_equal(kiln_collide(tree, NULL, tree, &pose, NULL, &hit), KILN_ERROR_POSE);
            assert_int_equal(kiln_collide(tree, &pose, tree, NULL, NULL, &hit), KILN_ERROR_POSE);
            assert_int_equal(kiln_contacts(tree, &pose, tree, NULL, NULL, NULL, 0, &count),
                             KILN_ERROR_POSE);
            assert_true(hit.found && hit.pair.a == 17 && hit.pair.b == 18 && count == 19);
        }
    }
    case_free(&cube);
}

/* All pairs, each once, in one order; a short buffer is told of. */
static void test_c063_all_pairs(void **state)
{
    (void)state;
    case_model big = case_bake("C063_big.obj", NULL), small = case_bake("C063_small.obj", NULL);
    const kiln_pose at = case_at(0, 0, 1);
    kiln_pair first[12];
    for (int i = 0; i < CASE_KINDS; i++) {
        for (int j = 0; j < CASE_KINDS; j++) {
            kiln_pair pairs[20], few[5];
            size_t count;
            assert_int_equal(
                kiln_contacts(big.trees[i], NULL, small.trees[j], &at, NULL, pairs, 20, &count),
                KILN_OK);
            assert_int_equal(count, 12);
            for (int k = 1; k < 12; k++) {
                assert_true(pairs[k - 1].a < pairs[k].a ||
                            (pairs[k - 1].a == pairs[k].a && pairs[k - 1].b < pairs[k].b));
            }
            if (i + j == 0) {
                memcpy(first, pairs, sizeof first);
            }
            assert_memory_equal(first, pairs, sizeof first);
            assert_int_equal(
                kiln_contacts(big.trees[i], NULL, small.trees[j], &at, NULL, few, 5, &count),
                KILN_OK);
            assert_int_equal(count, 12);
            assert_memory_equal(few, first, sizeof few);
            assert_int_equal(
                kiln_contacts(big.trees[i], NULL, small.trees[j], &at, NULL, NULL, 0, &count),
                KILN_OK);
            assert_int_equal(count, 12);
        }
    }
    case_free(&big);
    case_free(&small);
}

enum { GRID_FACES = 128 };

/* Asks for every half cell of the grid and expects the face records numbers[0 .. 127]. */
static void expect_numbers(const case_model *grid, const case_model *probe, const uint32_t *numbers)
{
    for (int face = 0; face < GRID_FACES; face++) {
        const int row = face / 16, column = face / 2 % 8;
        const kiln_pose at =
            face % 2 == 0 ? case_at(column, row, 0) : case_at(column - 0.5625, row + 0.5, 0);
        for (int i = 0; i < CASE_KINDS; i++) {
            kiln_pair pair;
            kiln_source source;
            size_t count;
            assert_int_equal(
                kiln_contacts(grid->trees[i], NULL, probe->trees[i], &at, NULL, &pair, 1, &count),
                KILN_OK);
            assert_int_equal(count, 1);
            assert_int_equal(kiln_tree_source(grid->trees[i], pair.a, &source), KILN_OK);
            assert_int_equal(source.face, numbers[face]);
        }
    }
}

/* The grid's text with records that will be dropped put among its faces (a corner that is not
 * finite before the first and before every seventh face, a copy of the first behind every
 * eleventh), and the numbers that its own faces have then. */
static char *litter(uint32_t numbers[GRID_FACES])
{
    char path[CASE_PATH_SIZE], line[256];
    FILE *in = fopen(case_path("C065_grid.obj", path), "r");
    const size_t capacity = 1 << 14;
    char *text = calloc(capacity, 1), *at = text;
    uint32_t record = 0, face = 0;
    char first[256] = "";
    assert_non_null(in);
    assert_non_null(text);
    at += sprintf(at, "v nan 0 0\n");
    while (fgets(line, sizeof line, in) != NULL) {
        unsigned a, b, c;
        if (sscanf(line, "f %u %u %u", &a, &b, &c) != 3) {
            at += sprintf(at, "%s", line);
            continue;
        }
        if (face % 7 == 0) {
            at += sprintf(at, "f 1 2 3\n");
            record++;
        }
        if (face == 0) {
            (void)snprintf(first, sizeof first, "f %u %u %u\n", b + 1, c + 1, a + 1);
        }
        at += sprintf(at, "f %u %u %u\n", a + 1, b + 1, c + 1);
        numbers[face] = record++;
        if (face++ % 11 == 0) {
            at += sprintf(at, "%s", first);
            record++;
        }
    }
    assert_int_equal(fclose(in), 0);
    assert_int_equal(face, GRID_FACES);
    assert_true((size_t)(at - text) < capacity);
    return text;
}

/* Numbers are those of the source, whatever order the tree has and whatever was dropped. */
static void test_c065_face_numbers(void **state)
{
    (void)state;
    uint32_t numbers[GRID_FACES];
    case_model probe = case_bake("C065_probe.obj", NULL);
    for (uint32_t i = 0; i < GRID_FACES; i++) {
        numbers[i] = i;
    }
    for (int leaf = 1; leaf <= 15; leaf += 7) {
        kiln_bake_options options = case_options();
        options.leaf = leaf;
        options.layout = leaf == 8 ? KILN_LAYOUT_RAW : KILN_LAYOUT_PACKED;
        case_model grid = case_bake("C065_grid.obj", &options);
        expect_numbers(&grid, &probe, numbers);
        case_free(&grid);
    }
    kiln_bake_options options = case_options();
    options.on_bad = KILN_ON_BAD_DROP;
    options.drop = KILN_DROP_DUPLICATE;
    char *text = litter(numbers);
    case_model littered = case_bake_text(text, &options);
    assert_int_equal(littered.report.faces_dropped, 19 + 12);
    assert_int_equal(littered.report.dropped_count, 19 + 12);
    assert_non_null(strstr(littered.report.dropped[0], "face 0: a corner is not finite"));
    expect_numbers(&littered, &probe, numbers);
    case_free(&littered);
    options.on_bad = KILN_ON_BAD_ERROR;
    kiln_bake_report report;
    assert_int_equal(case_try_text(text, &options, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "face 0"));
    kiln_bake_report_free(&report);
    free(text);
    case_free(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c007_tiny_numbers), cmocka_unit_test(test_c009_bounds_contain),
        cmocka_unit_test(test_c031_one_plane),    cmocka_unit_test(test_c033_touching),
        cmocka_unit_test(test_c035_inside),       cmocka_unit_test(test_c037_the_same_mesh),
        cmocka_unit_test(test_c039_quaternions),  cmocka_unit_test(test_c039_poses),
        cmocka_unit_test(test_c063_all_pairs),    cmocka_unit_test(test_c065_face_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
