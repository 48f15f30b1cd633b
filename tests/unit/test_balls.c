/* Balls around what is below the volumes of a binary tree: that they hold it, in exact arithmetic,
 * and that two of them are never said to be apart whose triangles meet, at the edges of what
 * rounding and poses that are no rotations can do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/front/balls.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

typedef struct {
    quick_model model;
    const kiln_tree *tree;
    kiln_ball *balls;
} balled;

static balled balled_of(mesh m, const char *bv, int leaf)
{
    balled b;
    b.model = quick_model_of(m, bv, leaf);
    b.tree = kiln_file_tree(b.model.file, 0);
    b.balls = calloc(kiln_balls_count(b.tree), sizeof *b.balls);
    assert_non_null(b.balls);
    kiln_balls_make(b.tree, b.balls);
    return b;
}

static void balled_free(balled *b)
{
    free(b->balls);
    quick_model_free(&b->model);
}

/* Is a stored vertex in the ball, as the format says where it is in node space? */
static void assert_holds(const balled *b, const kiln_ball *ball, const float vertex[3])
{
    mpq_t sum, at, of;
    mpq_inits(sum, at, of, NULL);
    for (int k = 0; k < 3; k++) {
        mpq_set_d(at, (double)vertex[k]);
        mpq_set_d(of, b->tree->view.entry->origin[k]);
        mpq_sub(at, at, of);
        mpq_set_d(of, kiln_power_of_two(-b->tree->view.entry->scale_exponent));
        mpq_mul(at, at, of);
        mpq_set_d(of, (double)ball->centre[k]);
        mpq_sub(at, at, of);
        mpq_mul(at, at, at);
        mpq_add(sum, sum, at);
    }
    mpq_set_d(of, (double)ball->radius);
    mpq_mul(of, of, of);
    assert_true(mpq_cmp(sum, of) <= 0);
    mpq_clears(sum, at, of, NULL);
}

/* All triangles below a volume are in the ball; returns how many there are. */
static uint32_t assert_holds_all(const balled *b, const kiln_ball *ball, const kiln_ball *below)
{
    uint32_t count = 0;
    if (kiln_ball_is_leaf(below)) {
        for (uint32_t i = 0; i < below->below; i++) {
            const uint32_t stored = kiln_tree_triangle(b->tree, below->first + i);
            for (size_t c = 0; c < 3; c++) {
                const uint32_t vertex = b->tree->triangles[3 * (size_t)stored + c];
                assert_holds(b, ball, b->tree->vertices + 3 * (size_t)vertex);
            }
        }
        return below->below;
    }
    for (uint32_t lane = 0; lane < 2; lane++) {
        if ((below->below >> lane & 1) != 0) {
            count += assert_holds_all(b, ball, &b->balls[below->first + lane]);
        }
    }
    return count;
}

/* Tiny triangles far from each other, at coordinates of very different magnitude: a corner is then
 * not where double says. */
static mesh dust(uint64_t *state, uint32_t triangles)
{
    mesh m = mesh_soup(state, triangles, 1e-6);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        if (random_below(state, 3) == 0) {
            m.positions[i] = (float)ldexp((double)m.positions[i], -20 - (int)(i % 40));
        }
    }
    for (uint32_t i = 0; i < m.triangle_count; i += 2) { /* triangles that are points */
        m.indices[3 * i + 1] = m.indices[3 * i + 2] = m.indices[3 * i];
    }
    return m;
}

static mesh mesh_number(uint64_t *state, unsigned which)
{
    switch (which) {
    case 0:
        return mesh_torus(12, 8, 0.2);
    case 1:
        return mesh_soup(state, 60, 0.3);
    case 2:
        return mesh_lattice(state, 60, 4);
    case 3:
        return dust(state, 60);
    case 4:
        return mesh_soup(state, 1, 1);
    default:
        return mesh_box(-1e6f, 3, 1e-30f, 1e6f, 4, 2e-30f);
    }
}

enum { MESHES = 6 };

static void balls_hold_what_is_below(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    for (unsigned which = 0; which < MESHES * 4; which++) {
        balled b = balled_of(mesh_number(&state, which / 4), which % 2 == 0 ? "obb2" : "aabb2",
                             which / 2 % 2 == 0 ? 1 : 4);
        const kiln_ball *all = &b.balls[0];
        assert_int_equal(assert_holds_all(&b, all, all), b.tree->view.entry->triangle_count);
        for (uint32_t i = 0; i < kiln_balls_count(b.tree); i++) {
            const kiln_ball *ball = &b.balls[i];
            assert_true(kiln_ball_is_leaf(ball) == (ball->below <= 15));
            assert_true((ball->radius > 0) == (ball->below != 0));
            assert_true((double)ball->radius < 2);
            (void)assert_holds_all(&b, ball, ball);
        }
        balled_free(&b);
    }
}

/* No ball is larger than the one about its box, but for rounding. */
static void balls_are_not_loose(void **unused)
{
    (void)unused;
    balled b = balled_of(mesh_box(-1, -1, -1, 1, 1, 1), "aabb2", 1);
    assert_true((double)b.balls[0].radius < sqrt(3.0) * 1.000001);
    for (uint32_t i = 1; i < kiln_balls_count(b.tree); i++) {
        if (kiln_ball_is_leaf(&b.balls[i]) && b.balls[i].below != 0) {
            assert_true((double)b.balls[i].radius < sqrt(2.0) * 1.000001);
        }
    }
    balled_free(&b);
}

/* A pose that is within what calls accept, and makes lengths longer. */
static void stretch(kiln_pose *pose)
{
    for (int i = 0; i < 9; i++) {
        pose->rotation[i] *= 1 + 4.9e-7;
    }
}

/* Moves Y so that its corner is exactly where one of X's is, as far as doubles can. */
static bool bring_together(const balled *x, const balled *y, const float *on_x, const float *on_y,
                           kiln_pose *pose, kiln_pair_frame *frame)
{
    for (int tries = 0; tries < 4; tries++) {
        double at[3];
        bool exact = true;
        assert_int_equal(kiln_pair_frame_form(frame, x->tree, NULL, y->tree, pose), KILN_OK);
        if (frame->swapped) {
            return false;
        }
        kiln_pair_frame_transform(frame, on_y, at);
        for (int k = 0; k < 3; k++) {
            exact = exact && at[k] == (double)on_x[k];
            pose->translation[k] += (double)on_x[k] - at[k];
        }
        if (exact) {
            return true;
        }
    }
    return false;
}

/* The triangles of two leaves, to which these corners belong, have a corner in common. */
static void assert_leaves_meet(const balled *x, const balled *y, const kiln_pair_frame *frame,
                               const kiln_ball *of_x, const kiln_ball *of_y)
{
    kiln_balls_frame by;
    kiln_balls_relate(frame, &by);
    assert_false(kiln_balls_are_apart(&by, of_x, of_y));
    assert_false(kiln_balls_are_apart(&by, &x->balls[0], &y->balls[0]));
}

static const float *corner_of(const balled *b, const kiln_ball *leaf, uint64_t *state)
{
    const uint32_t stored = kiln_tree_triangle(b->tree, leaf->first);
    const uint32_t vertex = b->tree->triangles[3 * (size_t)stored + random_below(state, 3)];
    return b->tree->vertices + 3 * (size_t)vertex;
}

static const kiln_ball *leaf_of(const balled *b, uint64_t *state)
{
    for (;;) {
        const kiln_ball *ball = &b->balls[random_below(state, kiln_balls_count(b->tree))];
        if (kiln_ball_is_leaf(ball) && ball->below != 0) {
            return ball;
        }
    }
}

/* Triangles that are segments, with the centre of a ball in their middle, pointing from corner to
 * corner: Y's ball ends where its corner is. */
static mesh needles(uint64_t *state, uint32_t triangles)
{
    mesh m = mesh_soup(state, triangles, 0.2);
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        m.indices[3 * i + 2] = m.indices[3 * i];
    }
    return m;
}

/* Points far from the origin of their model: a pose brings them back, and what double rounds on the
 * way is more than a ball of a point has. */
static mesh far_points(uint64_t *state, uint32_t triangles)
{
    mesh m = mesh_lattice(state, triangles, 8);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = m.positions[i] * 0.125f + 1e6f;
    }
    for (uint32_t i = 0; i < m.triangle_count; i++) {
        m.indices[3 * i + 1] = m.indices[3 * i + 2] = m.indices[3 * i];
    }
    return m;
}

/* X is of points: its balls have nearly no radius, so that what is left for roundings is what
 * `margin`, `growth` and Y's radius have. Y's corner is turned towards X's from outside. */
static void balls_whose_triangles_meet_are_not_apart(void **unused)
{
    (void)unused;
    uint64_t state = 9;
    uint32_t met = 0;
    for (unsigned kind = 0; kind < 3; kind++) {
        balled x = balled_of(dust(&state, 40), "aabb2", 1);
        balled y = balled_of(kind == 0   ? needles(&state, 40)
                             : kind == 1 ? dust(&state, 40)
                                         : far_points(&state, 40),
                             "obb2", 1);
        for (uint32_t i = 0; i < amount(20000); i++) {
            kiln_pose pose = pose_random(&state, 1);
            kiln_pair_frame frame;
            pose.scale = scale_random(&state, false);
            if (i % 2 == 0) {
                stretch(&pose);
            }
            const kiln_ball *of_x = leaf_of(&x, &state), *of_y = leaf_of(&y, &state);
            const float *on_x = corner_of(&x, of_x, &state), *on_y = corner_of(&y, of_y, &state);
            if (bring_together(&x, &y, on_x, on_y, &pose, &frame)) {
                assert_leaves_meet(&x, &y, &frame, of_x, of_y);
                met++;
            } else if (bring_together(&y, &x, on_y, on_x, &pose, &frame)) {
                assert_leaves_meet(&y, &x, &frame, of_y, of_x);
                met++;
            }
        }
        balled_free(&x);
        balled_free(&y);
    }
    assert_true(met > 0);
}

/* A coordinate below 2^-250 counts as 0: for a mesh of one point, whose node space may have a unit
 * of 2^-400, that is far from where the pose says it is. */
static void coordinates_that_count_as_zero_are_there(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    mesh point = mesh_soup(&state, 1, 1);
    memset(point.positions, 0, 3 * point.vertex_count * sizeof(float));
    balled b = balled_of(point, "aabb2", 1);
    kiln_tree tree = *b.tree;
    kiln_format_tree entry = *tree.view.entry;
    kiln_balls_frame by;
    kiln_pair_frame frame;
    kiln_pose pose = kiln_pose_identity();
    double at[3];
    entry.scale_exponent = -400;
    tree.view.entry = &entry;
    pose.translation[1] = 1e-80;
    assert_int_equal(kiln_pair_frame_form(&frame, &tree, NULL, &tree, &pose), KILN_OK);
    kiln_pair_frame_transform(&frame, b.tree->vertices, at);
    assert_true(at[0] == 0 && at[1] == 0 && at[2] == 0);
    kiln_balls_relate(&frame, &by);
    assert_false(kiln_balls_are_apart(&by, &b.balls[0], &b.balls[0]));
    balled_free(&b);
}

/* Balls that are apart by more than that are said to be. */
static void balls_far_apart_are_found_apart(void **unused)
{
    (void)unused;
    balled b = balled_of(mesh_torus(12, 8, 0), "obb2", 1);
    kiln_balls_frame by;
    kiln_pair_frame frame;
    kiln_pose pose = kiln_pose_identity();
    const double unit = kiln_power_of_two(b.tree->view.entry->scale_exponent);
    const double touching = 2 * (double)b.balls[0].radius * unit;
    for (int axis = 0; axis < 3; axis++) {
        for (int apart = 0; apart < 2; apart++) {
            pose = kiln_pose_identity();
            pose.translation[axis] = touching * (apart ? 1.0001 : 0.9999);
            assert_int_equal(kiln_pair_frame_form(&frame, b.tree, NULL, b.tree, &pose), KILN_OK);
            kiln_balls_relate(&frame, &by);
            assert_true(kiln_balls_are_apart(&by, &b.balls[0], &b.balls[0]) == (apart == 1));
        }
    }
    pose.translation[0] = 1e60;
    pose.scale = KILN_SCALE_MAX;
    assert_int_equal(kiln_pair_frame_form(&frame, b.tree, NULL, b.tree, &pose), KILN_OK);
    kiln_balls_relate(&frame, &by);
    assert_true(kiln_balls_are_apart(&by, &b.balls[0], &b.balls[0]));
    balled_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_hold_what_is_below),
        cmocka_unit_test(balls_are_not_loose),
        cmocka_unit_test(balls_whose_triangles_meet_are_not_apart),
        cmocka_unit_test(coordinates_that_count_as_zero_are_there),
        cmocka_unit_test(balls_far_apart_are_found_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
