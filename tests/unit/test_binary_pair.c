/* Margins of pairs of boxes (Tropp et al. 2006, Equations 7 and 13), where a proof has to hold: two
 * boxes are moved until they share a point that lies on the surfaces of both, in long double, and
 * no margin along a plane that parted them before may then be above 0. Boxes are as large, as far
 * from the origin and as skewed as a file may have them, and poses depart from orthonormal by as
 * much as calls take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/front/binary_pair.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { ROUNDS = 60000 };

typedef long double wide;

static wide dot_of(const wide a[3], const wide b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* x of m x = v, by cofactors. */
static void solve(const wide m[9], const wide v[3], wide x[3])
{
    const wide c[9] = {
        m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
        m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
        m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    const wide det = m[0] * c[0] + m[1] * c[3] + m[2] * c[6];
    for (int i = 0; i < 3; i++) {
        x[i] = dot_of(c + 3 * i, v) / det;
    }
}

/* --------------------------------------------------------------------------------- made up -- */

static quick_model cube[2]; /* whose trees have boxes of ours in place of their roots */

static int open_cubes(void **unused)
{
    (void)unused;
    cube[0] = quick_model_of(mesh_box(-1, -1, -1, 1, 1, 1), "obb2,aabb2", 4);
    cube[1] = quick_model_of(mesh_box(-8, -8, -8, 8, 8, 8.5f), "obb2,aabb2", 4);
    return 0;
}

static int close_cubes(void **unused)
{
    (void)unused;
    quick_model_free(&cube[0]);
    quick_model_free(&cube[1]);
    return 0;
}

/* A rotation whose entries are floats, skewed by as much as the verifier takes. */
static void skewed_axes(uint64_t *state, float axis[3][3])
{
    kiln_rodrigues_steps((float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127), axis);
    const double by = random_below(state, 2) == 0 ? 0 : 0x1.8p-21;
    float was[3][3];
    memcpy(was, axis, sizeof was);
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            axis[k][j] = (float)((double)was[k][j] * (1 - by) - by * (double)was[(k + 1) % 3][j] -
                                 by * (double)was[(k + 2) % 3][j]);
        }
    }
}

/* A box that holds a point of [-1, 1]^3, at a corner or anywhere: small, flat, or far larger. */
static void make_box(uint64_t *state, kiln_binary_tree *tree)
{
    float axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    double half[3], centre[3];
    const double size = random_below(state, 3) == 0 ? 300 : random_below(state, 2) == 0 ? 0.3 : 0;
    if (!tree->aligned) {
        skewed_axes(state, axis);
    }
    const bool corner = random_below(state, 2) == 0;
    for (int k = 0; k < 3; k++) {
        half[k] = random_below(state, 3) == 0 ? 0 : random_between(state, 0, size);
        centre[k] = random_between(state, -1, 1);
    }
    for (int k = 0; k < 3; k++) {
        const double side = random_below(state, 2) == 0 ? -1 : 1;
        const double along = half[k] * (corner ? side : random_between(state, -1, 1));
        for (int j = 0; j < 3; j++) {
            centre[j] += along * (double)axis[k][j];
        }
    }
    for (int k = 0; k < 3; k++) {
        tree->root.head.org[k] = (float)(centre[k] / 2);
        const float rest = (float)(centre[k] / 2);
        if (tree->aligned) {
            tree->root.aligned.centre[k][0] = rest;
            tree->root.aligned.half[k][0] = (float)half[k];
            continue;
        }
        tree->root.oriented.centre[k][0] = rest;
        tree->root.oriented.half[k][0] = (float)half[k];
        for (int j = 0; j < 3; j++) {
            tree->root.oriented.axis[3 * k + j][0] = axis[k][j];
        }
    }
}

/* The same box in long double: |axis k . (p - centre)| <= half k. */
typedef struct {
    wide centre[3], axis[9], half[3];
} wide_box;

static wide_box box_of(const kiln_binary_tree *tree)
{
    wide_box box;
    for (int k = 0; k < 3; k++) {
        const float(*centre)[2] =
            tree->aligned ? tree->root.aligned.centre : tree->root.oriented.centre;
        const float(*half)[2] = tree->aligned ? tree->root.aligned.half : tree->root.oriented.half;
        box.centre[k] = (wide)tree->root.head.org[k] + (wide)centre[k][0];
        box.half[k] = (wide)half[k][0];
        for (int j = 0; j < 3; j++) {
            box.axis[3 * k + j] =
                tree->aligned ? (wide)(j == k) : (wide)tree->root.oriented.axis[3 * k + j][0];
        }
    }
    return box;
}

/* The point of the box that is farthest along a direction. */
static void farthest_point(const wide_box *box, const wide direction[3], wide point[3])
{
    wide transposed[9], signs[3], from[3];
    for (int i = 0; i < 9; i++) {
        transposed[i] = box->axis[3 * (i % 3) + i / 3];
    }
    solve(transposed, direction, signs);
    for (int k = 0; k < 3; k++) {
        signs[k] = signs[k] < 0 ? -box->half[k] : box->half[k];
    }
    solve(box->axis, signs, from);
    for (int k = 0; k < 3; k++) {
        point[k] = box->centre[k] + from[k];
    }
}

/* A pose that departs by up to 1e-6, and stretches (1, 1, 1) the most, or does not. */
static kiln_pose departing_pose(uint64_t *state, const kiln_pose *as, double sign)
{
    kiln_pose pose = as != NULL ? *as : pose_random(state, 0);
    const double by = as == NULL && random_below(state, 2) == 0 ? 0 : sign * 0.4999e-6;
    double was[9];
    memcpy(was, pose.rotation, sizeof was);
    for (int i = 0; i < 9; i++) {
        const int row = i / 3 * 3;
        pose.rotation[i] += by * (was[row] + was[row + 1] + was[row + 2]);
    }
    if (random_below(state, 2) == 0) {
        pose.scale = scale_random(state, false) * (random_below(state, 4) == 0 ? 200 : 1);
    }
    return pose;
}

/* ------------------------------------------------------------------------------------ tests -- */

/* Trees at two poses. */
typedef struct {
    kiln_binary_tree a, b;
    kiln_pose pose_a, pose_b;
    kiln_pair_frame frame;
    kiln_binary_frame pair;
} placed;

static void place_trees(placed *p)
{
    assert_int_equal(kiln_pair_frame_form(&p->frame, p->a.tree, &p->pose_a, p->b.tree, &p->pose_b),
                     KILN_OK);
    kiln_binary_frame_form(&p->pair, &p->frame,
                           p->frame.swapped ? p->pose_b.scale : p->pose_a.scale, &p->a, &p->b);
}

static bool part_roots(const placed *p, kiln_binary_plane *plane, double *margin)
{
    kiln_binary_box a;
    kiln_binary_carried b;
    kiln_binary_box_get(&p->a, KILN_BINARY_ROOT, &a);
    kiln_binary_carry(&p->pair, KILN_BINARY_ROOT, &b);
    return kiln_binary_part(&p->pair, &a, &b, plane, margin);
}

/* A point of a tree's node space in the world. */
static void point_in_world(const kiln_tree *tree, const kiln_pose *pose, const wide point[3],
                           wide out[3])
{
    const wide unit = ldexpl(1, tree->view.entry->scale_exponent);
    for (int i = 0; i < 3; i++) {
        out[i] = pose->translation[i];
        for (int k = 0; k < 3; k++) {
            out[i] += (wide)pose->rotation[3 * i + k] * (wide)pose->scale *
                      (point[k] * unit + (wide)tree->view.entry->origin[k]);
        }
    }
}

/* The covector of the world that is `along` in a tree's node space, but for its length: R^-T. */
static void covector_from_world(const kiln_pose *pose, const wide world[3], wide out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = (wide)pose->rotation[k] * world[0] + (wide)pose->rotation[3 + k] * world[1] +
                 (wide)pose->rotation[6 + k] * world[2];
    }
}

static void covector_to_world(const kiln_pose *pose, const wide own[3], wide out[3])
{
    wide transposed[9];
    for (int i = 0; i < 9; i++) {
        transposed[i] = (wide)pose->rotation[3 * (i % 3) + i / 3];
    }
    solve(transposed, own, out);
}

/* The direction of a plane in the world. */
static void plane_in_world(const placed *p, const kiln_binary_plane *plane, wide out[3])
{
    const int face = (int)plane->axis[0];
    wide own[3] = {plane->axis[0], plane->axis[1], plane->axis[2]};
    for (int k = 0; p->a.aligned && k < 3; k++) {
        own[k] = face % 3 == k;
    }
    const bool of_a = p->a.aligned && face < 3;
    covector_to_world(of_a ? &p->pose_a : &p->pose_b, own, out);
}

/* Moves B so that it and A share the points of their surfaces that are the farthest towards each
 * other along the world's direction `way`, which leads to B. */
static void make_touch(placed *p, const wide way[3])
{
    const wide_box a = box_of(&p->a), b = box_of(&p->b);
    wide own[3], point_a[3], point_b[3], at_a[3], at_b[3];
    covector_from_world(&p->pose_a, way, own);
    farthest_point(&a, own, point_a);
    point_in_world(p->a.tree, &p->pose_a, point_a, at_a);
    covector_from_world(&p->pose_b, way, own);
    for (int k = 0; k < 3; k++) {
        own[k] = -own[k];
    }
    farthest_point(&b, own, point_b);
    point_in_world(p->b.tree, &p->pose_b, point_b, at_b);
    for (int k = 0; k < 3; k++) {
        p->pose_b.translation[k] += (double)(at_a[k] - at_b[k]);
    }
}

/* Of B nothing but a corner of [-1, 1]^3, in a box with a face along (1, 1, 1), and both poses
 * stretch that in opposite ways. */
static void stretch(placed *p, uint64_t *state)
{
    const kiln_pose same = pose_random(state, 0);
    const double third = sqrt(1.0 / 3), half = sqrt(0.5), sixth = sqrt(1.0 / 6);
    const double axes[9] = {third, third, third, half, -half, 0, sixth, sixth, -2 * sixth};
    for (int i = 0; i < 9; i++) {
        p->b.root.oriented.axis[i][0] = (float)axes[i];
    }
    for (int k = 0; k < 3; k++) {
        p->b.root.head.org[k] = -0.5f;
        p->b.root.oriented.centre[k][0] = -0.5f;
        p->b.root.oriented.half[k][0] = 0x1p-20f;
    }
    p->pose_a = departing_pose(state, &same, -1);
    p->pose_b = departing_pose(state, &same, 1);
    p->pose_b.scale = p->pose_a.scale * 100;
}

static placed any_placed(uint64_t *state, unsigned kind, double direction[3])
{
    placed p;
    memset(&p, 0, sizeof p);
    const unsigned first = random_below(state, 2);
    kiln_binary_tree_form(&p.a, kiln_file_tree(cube[first].file, kind));
    kiln_binary_tree_form(&p.b, kiln_file_tree(cube[1 - first].file, kind));
    make_box(state, &p.a);
    make_box(state, &p.b);
    p.pose_a = departing_pose(state, NULL, -1);
    p.pose_b = departing_pose(state, NULL, 1);
    random_direction(state, direction);
    if (!p.b.aligned && random_below(state, 8) == 0) {
        stretch(&p, state);
        for (int k = 0; k < 3; k++) {
            const double *row = p.pose_b.rotation + 3 * k;
            direction[k] = ((row[0] + row[1]) + row[2]) * sqrt(1.0 / 3);
        }
    }
    return p;
}

static double largest_scale(const placed *p)
{
    return fmax(p->pose_a.scale, p->pose_b.scale * 8);
}

/* The direction of a plane in the world, as it parts boxes that `direction` leads between. */
static void way_of_plane(const placed *p, const kiln_binary_plane *plane, const double direction[3],
                         wide way[3])
{
    plane_in_world(p, plane, way);
    const wide along = way[0] * direction[0] + way[1] * direction[1] + way[2] * direction[2];
    for (int k = 0; k < 3 && p->a.aligned && along < 0; k++) {
        way[k] = -way[k];
    }
}

static void boxes_that_touch_have_no_margin(void **unused)
{
    (void)unused;
    uint64_t state = 3;
    uint32_t planes = 0;
    for (uint32_t round = 0; round < amount(ROUNDS); round++) {
        double direction[3], margin;
        placed p = any_placed(&state, random_below(&state, 2), direction);
        kiln_binary_plane plane;
        wide way[3] = {direction[0], direction[1], direction[2]};
        make_touch(&p, way);
        const kiln_pose touching = p.pose_b;
        for (int k = 0; k < 3; k++) { /* far enough for a plane */
            p.pose_b.translation[k] +=
                direction[k] * 0.01 * largest_scale(&p) * (random_below(&state, 2) == 0 ? 100 : 1);
        }
        place_trees(&p);
        if (!part_roots(&p, &plane, &margin)) {
            continue;
        }
        planes++;
        assert_true(margin > 0);
        way_of_plane(&p, &plane, direction, way);
        p.pose_b = touching;
        make_touch(&p, way);
        place_trees(&p);
        kiln_binary_box a;
        kiln_binary_box_get(&p.a, KILN_BINARY_ROOT, &a);
        assert_true(!(kiln_binary_margin(&p.pair, &a, KILN_BINARY_ROOT, &plane) > 0));
        assert_true(!part_roots(&p, &plane, &margin));
    }
    assert_true(planes > amount(ROUNDS) / 4);
}

/* Equation 13: what was kept before a translation gives the margin after it, which no roundings
 * but those of floats part from the one that is computed anew. */
static void translations_keep_the_rest(void **unused)
{
    (void)unused;
    uint64_t state = 9;
    uint32_t planes = 0;
    for (uint32_t round = 0; round < amount(ROUNDS / 4); round++) {
        double direction[3], margin;
        placed p = any_placed(&state, 0, direction);
        kiln_binary_plane plane;
        kiln_binary_box a;
        for (int k = 0; k < 3; k++) {
            p.pose_b.translation[k] = random_between(&state, -20, 20) * largest_scale(&p);
        }
        place_trees(&p);
        if (!part_roots(&p, &plane, &margin)) {
            continue;
        }
        planes++;
        kiln_binary_box_get(&p.a, KILN_BINARY_ROOT, &a);
        const float rest = kiln_binary_rest(&p.pair, &a, &plane);
        assert_true(kiln_binary_margin_of(&p.pair, rest, &plane) == margin);
        for (int k = 0; k < 3; k++) {
            p.pose_b.translation[k] += random_between(&state, -2, 2);
        }
        const kiln_binary_map was = p.pair.to_a;
        place_trees(&p);
        assert_memory_equal(was.point, p.pair.to_a.point, sizeof was.point);
        const double moved = kiln_binary_margin_of(&p.pair, rest, &plane);
        const double anew = kiln_binary_margin(&p.pair, &a, KILN_BINARY_ROOT, &plane);
        assert_true(moved == anew);
    }
    assert_true(planes > amount(ROUNDS / 4) / 8);
}

/* Boxes that share a point are moved apart along the normal of their plane, which is then their
 * distance, and no margin is larger. */
static void margins_are_lengths_of_the_world(void **unused)
{
    (void)unused;
    uint64_t state = 21;
    uint32_t planes = 0;
    for (uint32_t round = 0; round < amount(ROUNDS / 4); round++) {
        double direction[3], margin;
        placed p = any_placed(&state, random_below(&state, 2), direction);
        kiln_binary_plane plane;
        wide way[3] = {direction[0], direction[1], direction[2]};
        make_touch(&p, way);
        const double apart = random_between(&state, 0.1, 30) * largest_scale(&p);
        for (int k = 0; k < 3; k++) {
            p.pose_b.translation[k] += direction[k] * apart;
        }
        place_trees(&p);
        if (!part_roots(&p, &plane, &margin)) {
            continue;
        }
        planes++;
        way_of_plane(&p, &plane, direction, way);
        make_touch(&p, way);
        const wide length = sqrtl(dot_of(way, way));
        for (int k = 0; k < 3; k++) {
            p.pose_b.translation[k] += (double)(way[k] / length * (wide)apart);
        }
        place_trees(&p);
        kiln_binary_box a;
        kiln_binary_box_get(&p.a, KILN_BINARY_ROOT, &a);
        margin = kiln_binary_margin(&p.pair, &a, KILN_BINARY_ROOT, &plane);
        assert_true(margin > 0);
        assert_true(margin <= apart);
    }
    assert_true(planes > amount(ROUNDS / 4) / 4);
}

static void trees_of_other_kinds_are_not_taken(void **unused)
{
    (void)unused;
    quick_model other = quick_model_of(mesh_box(-1, -1, -1, 1, 1, 1), "obb,obb2", 4);
    const kiln_tree *obb2 = kiln_file_tree(cube[0].file, 0);
    const kiln_tree *aabb2 = kiln_file_tree(cube[0].file, 1);
    assert_true(kiln_binary_takes(obb2, kiln_file_tree(other.file, 1)));
    assert_true(kiln_binary_takes(aabb2, aabb2));
    assert_false(kiln_binary_takes(obb2, aabb2));
    assert_false(kiln_binary_takes(kiln_file_tree(other.file, 0), kiln_file_tree(other.file, 0)));
    quick_model_free(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_touch_have_no_margin),
        cmocka_unit_test(translations_keep_the_rest),
        cmocka_unit_test(margins_are_lengths_of_the_world),
        cmocka_unit_test(trees_of_other_kinds_are_not_taken),
    };
    return cmocka_run_group_tests(tests, open_cubes, close_cubes);
}
