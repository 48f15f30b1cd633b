/* What the public header promises of shapes: touching counts, what is refused, filters and
 * buffers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/body.h"
#include "../support/counted.h"

/* The box from -1 to 1. */
static body box_body(void)
{
    return body_of(mesh_box(-1, -1, -1, 1, 1, 1), 4, KILN_LAYOUT_RAW);
}

static bool meets(const body *b, const kiln_shape *shape)
{
    kiln_triangle_hit hit;
    assert_int_equal(kiln_overlap_any(b->trees[0], NULL, shape, NULL, NULL, &hit), KILN_OK);
    return hit.found;
}

static void test_touching_counts(void **state)
{
    (void)state;
    body b = box_body();
    kiln_shape box = {KILN_SHAPE_BOX, {1, -1, -1}, {2, 1, 1}, 0};
    assert_true(meets(&b, &box));
    box.a[0] = nextafter(1, 2);
    assert_false(meets(&b, &box));
    const kiln_shape corner = {KILN_SHAPE_BOX, {1, 1, 1}, {1, 1, 1}, 0};
    assert_true(meets(&b, &corner));
    kiln_shape ball = {KILN_SHAPE_SPHERE, {4, 0, 0}, {NAN, NAN, NAN}, 3}; /* b is not looked at */
    assert_true(meets(&b, &ball));
    ball.radius = 3 * (1 - 0x1p-36);
    assert_false(meets(&b, &ball));
    kiln_shape capsule = {KILN_SHAPE_CAPSULE, {3, 0, 3}, {3, 0, -3}, 2};
    assert_true(meets(&b, &capsule));
    capsule.radius = 2 * (1 - 0x1p-36);
    assert_false(meets(&b, &capsule));
    body_free(&b);
}

static void test_surfaces_not_solids(void **state)
{
    (void)state;
    body b = box_body();
    const kiln_shape within = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 0.5};
    const kiln_shape around = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 9};
    const kiln_shape box_around = {KILN_SHAPE_BOX, {-9, -9, -9}, {9, 9, 9}, 0};
    const kiln_shape through = {KILN_SHAPE_CAPSULE, {0, 0.3, -8}, {0, 0.1, 8}, 0};
    size_t count;
    assert_false(meets(&b, &within));
    assert_true(meets(&b, &around));
    assert_int_equal(kiln_overlap_all(b.trees[0], NULL, &box_around, NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(count, 12);
    assert_int_equal(kiln_overlap_all(b.trees[0], NULL, &through, NULL, NULL, NULL, 0, &count),
                     KILN_OK);
    assert_int_equal(count, 2);
    body_free(&b);
}

/* A box on its edge, by a turn of 45 degrees about z: it reaches sqrt(2). */
static void test_oriented_box(void **state)
{
    (void)state;
    body b = box_body();
    const kiln_shape box = {KILN_SHAPE_BOX, {-1, -1, -1}, {1, 1, 1}, 0};
    const double half_turn[4] = {0, 0, sin(0.39269908169872414), cos(0.39269908169872414)};
    kiln_pose pose;
    kiln_triangle_hit hit;
    for (int i = 0; i < 2; i++) {
        const double at[3] = {1 + sqrt(2) + (i == 0 ? -1e-9 : 1e-9), 0, 0};
        assert_int_equal(kiln_pose_from_quaternion(half_turn, at, &pose), KILN_OK);
        assert_int_equal(kiln_overlap_any(b.trees[0], NULL, &box, &pose, NULL, &hit), KILN_OK);
        assert_int_equal(hit.found, i == 0);
    }
    body_free(&b);
}

/* A needle a million times as long as it is high, and balls just off its flank. */
static void test_needles(void **state)
{
    (void)state;
    const float positions[] = {0, 0, 0, 1, 1e-6f, 0, 3, 0, 0};
    mesh m = {malloc(sizeof positions), malloc(3 * sizeof(uint32_t)), 3, 1};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, positions, sizeof positions);
    for (uint32_t i = 0; i < 3; i++) {
        m.indices[i] = i;
    }
    body b = body_of(m, 4, KILN_LAYOUT_RAW);
    kiln_shape ball = {KILN_SHAPE_SPHERE, {1, 4e-7, 2}, {0, 0, 0}, 2};
    assert_true(meets(&b, &ball));
    ball.radius = 2 * (1 - 0x1p-36);
    assert_false(meets(&b, &ball));
    body_free(&b);
}

static void test_filter_and_buffer(void **state)
{
    (void)state;
    body b = box_body();
    const kiln_shape around = {KILN_SHAPE_BOX, {-9, -9, -9}, {9, 9, 9}, 0};
    kiln_query_options options = kiln_query_options_default();
    body_rule even = {2, 0, 0};
    options.filter = body_filter;
    options.filter_user = &even;
    kiln_triangle_hit hits[4];
    size_t count;
    assert_int_equal(kiln_overlap_all(b.trees[0], NULL, &around, NULL, &options, hits, 4, &count),
                     KILN_OK);
    assert_int_equal(count, 6);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(hits[i].found && hits[i].triangle == 2 * i);
        assert_int_equal(hits[i].value, body_value(2 * i));
    }
    body_free(&b);
}

static bool stop_at_once(void *user, const kiln_triangle_hit *hit)
{
    (void)hit;
    ++*(size_t *)user;
    return false;
}

static void expect_refused(const kiln_tree *tree, const kiln_pose *pose, const kiln_shape *shape,
                           kiln_status want)
{
    kiln_triangle_hit hit = {true, 5, 6};
    kiln_triangle_hit all = {true, 77, 78};
    size_t count = 77;
    assert_int_equal(kiln_overlap_any(tree, NULL, shape, pose, NULL, &hit), want);
    assert_int_equal(kiln_overlap_any(tree, pose, shape, NULL, NULL, &hit), want);
    assert_int_equal(kiln_overlap_all(tree, NULL, shape, pose, NULL, &all, 1, &count), want);
    assert_int_equal(kiln_overlap_each(tree, NULL, shape, pose, NULL, stop_at_once, &count, &count),
                     want);
    assert_true(hit.found && hit.triangle == 5 && hit.value == 6 && all.triangle == 77 &&
                count == 77);
}

static void test_refusals(void **state)
{
    (void)state;
    body b = box_body();
    const kiln_shape good = {KILN_SHAPE_CAPSULE, {0, 0, 0}, {1, 0, 0}, 1};
    const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL, 1e61};
    kiln_pose pose = kiln_pose_identity();
    expect_refused(NULL, NULL, &good, KILN_ERROR_ARGUMENT);
    expect_refused(b.trees[0], NULL, NULL, KILN_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        kiln_shape shape = good;
        shape.a[i % 3] = bad[i];
        expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
        shape = good;
        shape.b[i % 3] = bad[i];
        expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
        shape = good;
        shape.radius = bad[i];
        expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
    }
    kiln_shape shape = good;
    shape.kind = (kiln_shape_kind)4;
    expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
    shape.kind = KILN_SHAPE_BOX;
    shape.a[2] = 1;
    expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
    shape = good;
    shape.radius = -1e-300;
    expect_refused(b.trees[0], NULL, &shape, KILN_ERROR_ARGUMENT);
    pose.rotation[4] = 0;
    expect_refused(b.trees[0], &pose, &good, KILN_ERROR_POSE);
    size_t calls = 0, count = 0;
    assert_int_equal(
        kiln_overlap_each(b.trees[0], NULL, &good, NULL, NULL, stop_at_once, &calls, &count),
        KILN_OK);
    assert_true(calls == 1 && count == 1);
    body_free(&b);
    counted c = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    expect_refused(c.tree, NULL, &good, KILN_ERROR_NOT_LOADED);
    counted_free(&c);
}

/* As large and as far as numbers may be. */
static void test_extremes(void **state)
{
    (void)state;
    body b = box_body();
    kiln_shape ball = {KILN_SHAPE_SPHERE, {1e60, 0, 0}, {0, 0, 0}, 1e60};
    assert_true(meets(&b, &ball));
    ball.radius = 0.9e60;
    assert_false(meets(&b, &ball));
    const kiln_shape plank = {KILN_SHAPE_BOX, {-1e60, -1e-3, 1}, {1e60, 1e-3, 1e60}, 0};
    assert_true(meets(&b, &plank));
    const kiln_shape away = {KILN_SHAPE_BOX, {-1e60, -1e-3, 1.0000001}, {1e60, 1e-3, 1e60}, 0};
    assert_false(meets(&b, &away));
    const kiln_shape pole = {KILN_SHAPE_CAPSULE, {-1e30, 2, 0}, {1e30, 2, 0}, 1};
    assert_true(meets(&b, &pole));
    const kiln_shape point = {KILN_SHAPE_SPHERE, {1, 0.25, 0.5}, {0, 0, 0}, 0};
    assert_true(meets(&b, &point));
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touching_counts),   cmocka_unit_test(test_surfaces_not_solids),
        cmocka_unit_test(test_oriented_box),      cmocka_unit_test(test_needles),
        cmocka_unit_test(test_filter_and_buffer), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
