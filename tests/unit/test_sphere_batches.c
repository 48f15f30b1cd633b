/* Spheres in batches: arguments and edges; and the kernels of balls, each lane against the decoded
 * box in doubles, where the ball just reaches it. That answers are those of single calls is in
 * property/test_sphere_batches.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/spheres/ball.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/base/tree.h"
#include "../../runtime/kiln_spheres.h"
#include "../support/amount.h"
#include "../support/body.h"

static const double zero[1] = {0}, half[1] = {0.5}, quarter[1] = {0.25};

static kiln_spheres one_sphere(const double *x, const double *radius)
{
    const kiln_spheres of = {x, half, half, radius, 1, NULL, 1};
    return of;
}

static void arguments(void **state)
{
    (void)state;
    body b = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    const kiln_tree *tree = b.trees[0];
    kiln_spheres of = one_sphere(zero, quarter);
    kiln_spheres_hit hit = {true, 7, 7, 7};
    uint8_t meets = 9;
    uint64_t found = 9;
    assert_int_equal(kiln_spheres_any(NULL, NULL, &of, NULL, 1, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_spheres_any(tree, NULL, NULL, NULL, 1, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_spheres_each(tree, NULL, &of, NULL, 1, NULL, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    for (int i = 0; i < 6; i++) {
        const double bad[] = {-1, NAN, HUGE_VAL, 1.1e60, -1.1e60, 0};
        of = one_sphere(zero, &bad[i]);
        assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, &hit),
                         i < 5 ? KILN_ERROR_ARGUMENT : KILN_OK);
        if (i > 0 && i < 5) {
            of = one_sphere(&bad[i], quarter);
            assert_int_equal(kiln_spheres_each(tree, NULL, &of, NULL, 1, NULL, &meets, &found),
                             KILN_ERROR_ARGUMENT);
        }
    }
    assert_true(hit.found); /* a radius of 0 in a face */
    const uint32_t link[1] = {1};
    of = one_sphere(zero, quarter);
    of.link = link;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, &hit), KILN_ERROR_ARGUMENT);
    of.link_count = 2;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, &hit), KILN_OK);
    of.link_count = 0;
    of.link = NULL;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, &hit), KILN_ERROR_ARGUMENT);
    of = one_sphere(NULL, quarter);
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 1, NULL, &hit), KILN_ERROR_ARGUMENT);
    assert_true(meets == 9 && found == 9);

    /* A pose that is none, in the second configuration, also of a link without spheres. */
    kiln_pose poses[4] = {kiln_pose_identity(), kiln_pose_identity(), kiln_pose_identity(),
                          kiln_pose_identity()};
    kiln_spheres_hit hits[2];
    poses[3].rotation[0] = NAN;
    of = one_sphere(zero, quarter);
    of.link_count = 2;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, poses, 2, NULL, hits), KILN_ERROR_POSE);
    of.link = link;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, poses, 2, NULL, hits), KILN_ERROR_POSE);
    assert_int_equal(kiln_spheres_any(tree, &poses[3], &of, NULL, 2, NULL, hits), KILN_ERROR_POSE);

    /* Nothing to ask. */
    of.count = 0;
    of.x = NULL;
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, poses, 2, NULL, hits), KILN_ERROR_POSE);
    poses[3] = poses[2];
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, poses, 2, NULL, hits), KILN_OK);
    assert_false(hits[0].found || hits[1].found);
    assert_int_equal(kiln_spheres_each(tree, NULL, &of, poses, 2, NULL, &meets, &found), KILN_OK);
    assert_true(found == 0 && meets == 9);
    of = one_sphere(zero, quarter);
    assert_int_equal(kiln_spheres_any(tree, NULL, &of, NULL, 0, NULL, hits), KILN_OK);
    assert_false(kiln_tree_is_points(NULL));
    assert_false(kiln_tree_is_points(tree));
    body_free(&b);
}

/* Touching counts: a sphere beside the face x = 0, whose radius is the distance; and numbers at
 * both ends of what is allowed. */
static void touching_and_extremes(void **state)
{
    (void)state;
    body b = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    static const struct {
        double x, radius;
        bool meets;
    } cases[] = {{-0.25, 0.25, true}, {-0.25, 0.24999, false}, {1.5, 0.5, true},
                 {0.5, 0.5, true},    {0.5, 0.4999, false}, /* inside, away from the surface */
                 {0.5, 1e60, true},   {1e60, 1e60, true},      {1e60, 1e59, false},
                 {-1e-300, 0, true}, /* counts as 0 */
                 {1e30, 1e30, true},  {0.5, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const kiln_spheres of = one_sphere(&cases[i].x, &cases[i].radius);
        for (int kind = 0; kind < BODY_KINDS; kind++) {
            for (int s = 0; s < 5; s++) {
                static const double scales[] = {KILN_SCALE_MIN, 1e-5, 1, 1e5, KILN_SCALE_MAX};
                kiln_pose pose = kiln_pose_identity();
                kiln_spheres_hit hit;
                kiln_triangle_hit single;
                const kiln_shape shape = {
                    KILN_SHAPE_SPHERE, {cases[i].x, 0.5, 0.5}, {0, 0, 0}, cases[i].radius};
                assert_int_equal(kiln_spheres_any(b.trees[kind], NULL, &of, NULL, 1, NULL, &hit),
                                 KILN_OK);
                assert_int_equal(hit.found, cases[i].meets);
                pose.scale = scales[s];
                assert_int_equal(kiln_spheres_any(b.trees[kind], &pose, &of, NULL, 1, NULL, &hit),
                                 KILN_OK);
                assert_int_equal(
                    kiln_overlap_any(b.trees[kind], &pose, &shape, NULL, NULL, &single), KILN_OK);
                assert_int_equal(hit.found, single.found);
                assert_int_equal(kiln_spheres_any(b.trees[kind], NULL, &of, &pose, 1, NULL, &hit),
                                 KILN_OK);
                assert_int_equal(
                    kiln_overlap_any(b.trees[kind], NULL, &shape, &pose, NULL, &single), KILN_OK);
                assert_int_equal(hit.found, single.found);
            }
        }
    }
    body_free(&b);
}

/* A thousand spheres are more than the bundles that a task keeps. */
static void many_spheres(void **state)
{
    enum { MANY = 3000 };
    static double numbers[4][MANY];
    static uint8_t meets[2 * MANY];
    (void)state;
    body b = body_of(mesh_torus(20, 10, 0), 4, KILN_LAYOUT_RAW);
    uint64_t random = 3;
    for (int i = 0; i < MANY; i++) {
        for (int k = 0; k < 3; k++) {
            numbers[k][i] = random_between(&random, -1.5, 1.5);
        }
        numbers[3][i] = random_between(&random, 0, 0.2);
    }
    const kiln_spheres of = {numbers[0], numbers[1], numbers[2], numbers[3], MANY, NULL, 1};
    uint64_t found, total = 0;
    assert_int_equal(kiln_spheres_each(b.trees[0], NULL, &of, NULL, 2, NULL, meets, &found),
                     KILN_OK);
    for (int i = 0; i < MANY; i++) {
        const kiln_shape shape = {KILN_SHAPE_SPHERE,
                                  {numbers[0][i], numbers[1][i], numbers[2][i]},
                                  {0, 0, 0},
                                  numbers[3][i]};
        kiln_triangle_hit hit;
        assert_int_equal(kiln_overlap_any(b.trees[0], NULL, &shape, NULL, NULL, &hit), KILN_OK);
        assert_int_equal(hit.found, meets[i]);
        assert_int_equal(hit.found, meets[MANY + i]);
        total += 2 * hit.found;
    }
    assert_true(found == total && total > MANY / 10);
    body_free(&b);
}

/* -------------------------------------------------------------------------------- kernels -- */

/* The square of the distance of a point of node space from a decoded lane, in doubles. */
static double squared_from(const kiln_node_kind *kind, const kiln_format_node8 *node, unsigned lane,
                           const float middle[4])
{
    kiln_lanes lanes;
    double way[3], squared = 0;
    kind->decode(node, &lanes);
    for (int k = 0; k < 3; k++) {
        way[k] = (double)node->org[k] + (double)lanes.centre[k][lane] - (double)middle[k];
    }
    if (kind->balls) {
        const double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        const double left = fmax(length - (double)lanes.half[0][lane], 0);
        return left * left;
    }
    for (int k = 0; k < 3; k++) {
        double along = way[k];
        if (!kind->aligned) {
            along = 0;
            for (int j = 0; j < 3; j++) {
                along += (double)lanes.axis[3 * k + j][lane] * way[j];
            }
        }
        const double left = fmax(fabs(along) - (double)lanes.half[k][lane], 0);
        squared += left * left;
    }
    return squared;
}

/* Points just outside of boxes, seen from far off, so that roundings are as large as they get for
 * what the ball reaches: what the reach says is kept. */
static void lanes_are_kept(void **state)
{
    (void)state;
    uint64_t random = 17;
    size_t kept = 0, left_out = 0;
    for (uint32_t turn = 0; turn < amount(40); turn++) {
        mesh m = mesh_soup(&random, 60, 0.3);
        for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
            m.positions[i] += turn % 2 == 0 ? 0 : 3; /* node space keeps it about 0 */
        }
        body b = body_of(m, 1 + (int)random_below(&random, 4), KILN_LAYOUT_RAW);
        for (int i = 0; i < BODY_KINDS; i++) {
            const kiln_tree *tree = b.trees[i];
            for (uint32_t n = 0; n < tree->view.entry->node_count; n++) {
                const kiln_format_node8 *node = kiln_tree_node(tree, n);
                for (uint32_t left = kiln_node8_used(node); left != 0; left &= left - 1) {
                    const unsigned lane = (unsigned)__builtin_ctz(left);
                    kiln_placed_ball ball = {{0, 0, 0, 0}, {0, 0, 0}, 0, HUGE_VAL, 0};
                    kiln_balls_abreast abreast;
                    memset(&abreast, 0, sizeof abreast);
                    for (int k = 0; k < 3; k++) {
                        ball.middle[k] = (float)random_between(&random, -1.2, 1.2);
                    }
                    /* Towards the lane, as near as floats come to it from outside. */
                    kiln_lanes lanes;
                    tree->view.kind->decode(node, &lanes);
                    double low = 0, high = 1;
                    float from[3];
                    memcpy(from, ball.middle, sizeof from);
                    for (int step = 0; step < 24; step++) {
                        const double middle = (low + high) / 2;
                        for (int k = 0; k < 3; k++) {
                            const double to = (double)node->org[k] + (double)lanes.centre[k][lane];
                            ball.middle[k] =
                                (float)((double)from[k] + middle * (to - (double)from[k]));
                        }
                        if (squared_from(tree->view.kind, node, lane, ball.middle) > 0) {
                            low = middle;
                        } else {
                            high = middle;
                        }
                    }
                    for (int k = 0; k < 3; k++) {
                        const double to = (double)node->org[k] + (double)lanes.centre[k][lane];
                        ball.middle[k] = (float)((double)from[k] + low * (to - (double)from[k]));
                    }
                    const double off = sqrt(squared_from(tree->view.kind, node, lane, ball.middle));
                    ball.reach = (float)(off * (1 + 0x1p-15)) + 0x1p-60f;
                    const unsigned at = random_below(&random, 8);
                    double near = 0;
                    for (int k = 0; k < 3; k++) {
                        abreast.middle[k][at] = ball.middle[k];
                        near += fabs((double)ball.middle[k]);
                    }
                    const float abreast_reach = ball.reach + (float)(near * 0x1p-22);
                    abreast.squared[at] = abreast_reach * abreast_reach;
                    for (unsigned set = 0; kiln_kernel_runnable(set) != NULL; set++) {
                        const kiln_ball_kernels *kernels = kiln_kernel_runnable(set)->balls;
                        const uint32_t mask = kernels->lanes(tree, &ball, node);
                        assert_true((mask >> lane & 1) != 0);
                        assert_true((mask & ~kiln_node8_used(node)) == 0);
                        kept++;
                        left_out += (size_t)__builtin_popcount(kiln_node8_used(node) & ~mask);
                        if (tree->view.kind->in_steps) {
                            uint32_t met[8];
                            kernels->abreast(&abreast, node, 1u << lane, met);
                            assert_true((met[lane] >> at & 1) != 0);
                        }
                    }
                }
            }
        }
        body_free(&b);
    }
    assert_true(left_out > kept); /* most lanes of the same nodes are further off */
}

/* The reach holds the ball about where its middle is in floats. */
static void reach_holds_the_rounded_middle(void **state)
{
    (void)state;
    uint64_t random = 19;
    body b = body_of(mesh_torus(8, 6, 0), 4, KILN_LAYOUT_RAW);
    const kiln_tree *tree = b.trees[0];
    const kiln_format_tree *entry = tree->view.entry;
    kiln_placement placement;
    kiln_placed_ball_frame frame;
    assert_int_equal(kiln_placement_between(&placement, NULL, NULL), KILN_OK);
    kiln_placed_ball_frame_form(&frame, tree, &placement);
    for (int i = 0; i < 1000; i++) {
        double centre[3], squared = 0;
        const double radius = ldexp(1, -(int)random_below(&random, 60));
        kiln_placed_ball ball;
        for (int k = 0; k < 3; k++) {
            centre[k] = random_between(&random, -2, 2);
        }
        kiln_placed_ball_form(&ball, &frame, centre, radius);
        for (int k = 0; k < 3; k++) {
            const double way = ldexp(centre[k] - entry->origin[k], -entry->scale_exponent) -
                               (double)ball.middle[k];
            squared += way * way;
        }
        assert_true((double)ball.reach * (1 - 0x1p-17) >=
                    sqrt(squared) + ldexp(radius, -entry->scale_exponent));
    }
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(touching_and_extremes),
        cmocka_unit_test(many_spheres),
        cmocka_unit_test(lanes_are_kept),
        cmocka_unit_test(reach_holds_the_rounded_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
