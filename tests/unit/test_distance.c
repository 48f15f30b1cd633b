/* Distances and tolerance queries: known values, edges, wrong arguments. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/body.h"
#include "../support/counted.h"

static kiln_pose at(double x, double y, double z)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = x;
    pose.translation[1] = y;
    pose.translation[2] = z;
    return pose;
}

static kiln_nearest between(const body *a, const body *b, double x, double y, double z)
{
    kiln_nearest out;
    const kiln_pose pose = at(x, y, z);
    assert_int_equal(kiln_distance(a->trees[0], NULL, b->trees[0], &pose, NULL, &out), KILN_OK);
    assert_true(out.found);
    return out;
}

static void test_boxes(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    assert_true(between(&cube, &cube, 3, 0, 0).distance == 2);
    assert_true(between(&cube, &cube, 0, -1.25, 0.5).distance == 0.25);
    assert_true(between(&cube, &cube, 4, 5, 0).distance == 5);
    assert_true(between(&cube, &cube, 1 + 0x1p-20, 0, 0).distance == 0x1p-20);
    assert_true(between(&cube, &cube, 1 + 0x1p-50, 0.5, 0.5).distance == 0x1p-50);
    assert_true(between(&cube, &cube, 1, 0.25, 0.25).distance == 0);
    assert_true(between(&cube, &cube, 0.5, 0.5, 0.5).distance == 0);
    assert_true(between(&cube, &cube, 0, 0, 0).distance == 0);
    body_free(&cube);
}

/* Surfaces, not solids: a box in the middle of another is as far as their faces are. */
static void test_inside(void **state)
{
    (void)state;
    body outer = body_of(mesh_box(-5, -5, -5, 5, 5, 5), 4, KILN_LAYOUT_RAW),
         inner = body_of(mesh_box(-1, -1, -1, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    assert_true(between(&outer, &inner, 0, 0, 0).distance == 4);
    assert_true(between(&outer, &inner, 0, 3, 0).distance == 1);
    assert_true(between(&outer, &inner, 0, 4, 0).distance == 0);
    body_free(&outer);
    body_free(&inner);
}

static void test_points_and_normal(void **state)
{
    (void)state;
    body large = body_of(mesh_box(-5, -5, -5, 5, 5, 5), 4, KILN_LAYOUT_RAW),
         tip = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    kiln_nearest out;
    /* Both turned about z by a quarter and moved: world = (-y, x, z) + (10, 20, 30). */
    kiln_pose pose_a = at(10, 20, 30), pose_b;
    const double quarter[9] = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    memcpy(pose_a.rotation, quarter, sizeof quarter);
    pose_b = pose_a;
    pose_b.translation[0] += -7; /* y = 7 in A's frame */
    assert_int_equal(kiln_distance(large.trees[0], &pose_a, tip.trees[0], &pose_b, NULL, &out),
                     KILN_OK);
    assert_true(out.distance == 2);
    assert_true(out.point_a[0] == 5 && out.point_b[0] == 3);
    assert_true(out.point_a[1] == out.point_b[1] && out.point_a[2] == out.point_b[2]);
    assert_true(out.normal[0] == 1 && fabs(out.normal[1]) == 0 && fabs(out.normal[2]) == 0);
    kiln_nearest swapped;
    assert_int_equal(kiln_distance(tip.trees[0], &pose_b, large.trees[0], &pose_a, NULL, &swapped),
                     KILN_OK);
    assert_true(swapped.pair.a == out.pair.b && swapped.pair.b == out.pair.a);
    assert_memory_equal(swapped.point_a, out.point_b, sizeof out.point_b);
    assert_true(swapped.normal[0] == -1);
    body_free(&large);
    body_free(&tip);
}

/* Where they meet, the point is on both and the normal that of the contact. */
static void test_meeting(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_nearest out = between(&cube, &cube, 1, 0.25, 0.25);
    assert_true(out.point_a[0] == 1 && out.point_b[0] == 1);
    for (int k = 1; k < 3; k++) {
        assert_true(out.point_a[k] == out.point_b[k]);
        assert_true(out.point_a[k] >= 0.25 && out.point_a[k] <= 1);
    }
    double length = 0;
    for (int k = 0; k < 3; k++) {
        length += out.normal[k] * out.normal[k];
    }
    assert_true(fabs(length - 1) < 1e-14);
    body_free(&cube);
}

static void test_within(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pose pose = at(3, 0, 0), touching = at(1, 0, 0);
    kiln_pair_options options = kiln_pair_options_default();
    kiln_hit hit;
    assert_int_equal(kiln_within(cube.trees[0], NULL, cube.trees[0], &pose, 2, NULL, &hit),
                     KILN_OK);
    assert_true(hit.found && hit.hint.a != 0 && hit.hint.b != 0);
    assert_true(hit.pair.value_a == body_value(hit.pair.a) &&
                hit.pair.value_b == body_value(hit.pair.b));
    options.hint = hit.hint;
    options.beyond = 0; /* this and the like are kiln_distance's */
    options.relative = -1;
    assert_int_equal(
        kiln_within(cube.trees[0], NULL, cube.trees[0], &pose, HUGE_VAL, &options, &hit), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(
        kiln_within(cube.trees[0], NULL, cube.trees[0], &pose, nextafter(2, 0), &options, &hit),
        KILN_OK);
    assert_true(!hit.found && hit.pair.a == 0 && hit.pair.b == 0 && hit.hint.a == 0);
    assert_int_equal(kiln_within(cube.trees[0], NULL, cube.trees[0], &pose, 0, NULL, &hit),
                     KILN_OK);
    assert_false(hit.found);
    assert_int_equal(kiln_within(cube.trees[0], NULL, cube.trees[0], &touching, 0, NULL, &hit),
                     KILN_OK);
    assert_true(hit.found);
    body_free(&cube);
}

static void test_beyond(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_pose pose = at(3, 0, 0);
    kiln_pair_options options = kiln_pair_options_default();
    kiln_nearest out;
    options.beyond = 1.5;
    assert_int_equal(kiln_distance(cube.trees[0], NULL, cube.trees[0], &pose, &options, &out),
                     KILN_OK);
    const kiln_nearest none = {.distance = 1.5};
    assert_memory_equal(&out, &none, sizeof out);
    options.beyond = 2;
    assert_int_equal(kiln_distance(cube.trees[0], NULL, cube.trees[0], &pose, &options, &out),
                     KILN_OK);
    assert_true(out.found && out.distance == 2);
    body_free(&cube);
}

static void refuse(const body *b, const kiln_pose *pose, const kiln_pair_options *options,
                   kiln_status want)
{
    kiln_nearest out, before;
    memset(&before, 0x5a, sizeof before);
    out = before;
    assert_int_equal(kiln_distance(b->trees[0], pose, b->trees[0], NULL, options, &out), want);
    assert_int_equal(kiln_distance(b->trees[0], NULL, b->trees[0], pose, options, &out), want);
    assert_memory_equal(&out, &before, sizeof out);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const double wrong[] = {NAN, -1, -HUGE_VAL, -0x1p-1074};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kiln_hit hit = {true, {7, 8, 9, 10}, {1, 2}};
        kiln_pair_options options[4];
        for (int k = 0; k < 4; k++) {
            options[k] = kiln_pair_options_default();
        }
        options[0].beyond = wrong[i];
        options[1].relative = wrong[i];
        options[2].absolute = wrong[i];
        options[3].relative = HUGE_VAL;
        for (int k = 0; k < 4; k++) {
            refuse(&cube, NULL, &options[k], KILN_ERROR_ARGUMENT);
        }
        assert_int_equal(
            kiln_within(cube.trees[0], NULL, cube.trees[0], NULL, wrong[i], NULL, &hit),
            KILN_ERROR_ARGUMENT);
        assert_true(hit.found && hit.pair.a == 7 && hit.hint.a == 1 && hit.hint.b == 2);
    }
    kiln_pose bent = kiln_pose_identity();
    bent.rotation[0] = 0;
    refuse(&cube, &bent, NULL, KILN_ERROR_POSE);
    kiln_nearest out;
    kiln_hit hit;
    assert_int_equal(kiln_distance(NULL, NULL, cube.trees[0], NULL, NULL, &out),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_distance(cube.trees[0], NULL, NULL, NULL, NULL, &out),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_distance(cube.trees[0], NULL, cube.trees[0], NULL, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_within(NULL, NULL, cube.trees[0], NULL, 1, NULL, &hit),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_within(cube.trees[0], NULL, cube.trees[0], NULL, 1, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_within(cube.trees[0], &bent, cube.trees[0], NULL, 1, NULL, &hit),
                     KILN_ERROR_POSE);
    body_free(&cube);
}

static void test_without_polygons(void **state)
{
    (void)state;
    counted bare = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    kiln_nearest out;
    kiln_hit hit;
    assert_int_equal(kiln_distance(bare.tree, NULL, bare.tree, NULL, NULL, &out),
                     KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_within(bare.tree, NULL, bare.tree, NULL, 1, NULL, &hit),
                     KILN_ERROR_NOT_LOADED);
    counted_free(&bare);
}

/* Two planes of many triangles, a whole face of which is equally near: with a tolerance that is no
 * more work than elsewhere. */
static void test_parallel_planes(void **state)
{
    (void)state;
    body cube = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    kiln_pair_options options = kiln_pair_options_default();
    options.relative = 1e-9;
    kiln_nearest out;
    const kiln_pose pose = at(0, 0, 1.5);
    assert_int_equal(kiln_distance(cube.trees[0], NULL, cube.trees[0], &pose, &options, &out),
                     KILN_OK);
    assert_true(out.distance == 0.5);
    assert_true(between(&cube, &cube, 0, 0, 1.5).distance == 0.5);
    body_free(&cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_points_and_normal),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_beyond),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_without_polygons),
        cmocka_unit_test(test_parallel_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
