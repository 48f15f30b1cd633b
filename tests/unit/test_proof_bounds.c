/* The margins that make a proof of what the broad phase says, each on inputs that need it.
 *
 * Ordinary meshes hardly ever touch within a few units in the last place, so that a margin could
 * be dropped and every other test would still pass. Here boxes share a single point of their
 * surfaces that is known without rounding, points lie at equal distances up to the rounding of a
 * map, and a kernel that counts or records what it is given stands in for the real one. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/node_kinds.h"
#include "../../runtime/base/tree.h"
#include "../../runtime/exact/expansion.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/pose/affine.h"
#include "../../runtime/walk/tree_box.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { ROUNDS = 200000, QUICK_ROUNDS = 6000 };

static int round_count(void)
{
    return is_shortened() ? QUICK_ROUNDS : ROUNDS;
}

/* ---------------------------------------------------------------- boxes that share one point -- */

/* Axes of a lane as nodes store them, or nearly those of another box: parallel edges are the
 * hard case. */
static void any_axes(uint64_t *state, const float near[3][3], float axis[3][3])
{
    if (near != NULL && random_below(state, 2) == 0) {
        const float by = ldexpf(1.0f, -(int)random_below(state, 24));
        for (int i = 0; i < 9; i++) {
            axis[i / 3][i % 3] = near[i / 3][i % 3];
        }
        /* A small rotation about the third axis: to first order, so not by more than 2^-9. */
        const float angle = fminf(by, 0x1p-12f);
        for (int k = 0; k < 3; k++) {
            axis[0][k] = near[0][k] + angle * near[1][k];
            axis[1][k] = near[1][k] - angle * near[0][k];
        }
        return;
    }
    kiln_rodrigues_steps((float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127), axis);
}

/* The least half-extents of a box of these axes, around 0, that holds `point` in exact
 * arithmetic: a float times a float has 48 bits, and the sum of three is rounded in long double
 * far below a float's last place, so that the next float above is enough. */
static void hold_point(const float axis[3][3], const double point[3], float half[3])
{
    for (int k = 0; k < 3; k++) {
        const long double along = fabsl((long double)axis[k][0] * (long double)point[0] +
                                        (long double)axis[k][1] * (long double)point[1] +
                                        (long double)axis[k][2] * (long double)point[2]);
        half[k] = (float)along;
        if ((long double)half[k] <= along) {
            half[k] = nextafterf(half[k], INFINITY);
        }
    }
}

/* How the two boxes are made. */
enum { LARGE_LANE, LARGE_PROBE, BOTH, SHAPES };

/* Lane 0 and the probe share `point`, which lies on the surface of both, and of extents that do
 * not matter some are larger. */
static void make_touching(uint64_t *state, int shape, bool aligned, kiln_lanes *lanes,
                          kiln_probe *probe)
{
    static const float units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    float axis[3][3], half[3];
    double point[3], back[3];
    memset(lanes, 0, sizeof *lanes);
    memset(probe, 0, sizeof *probe);
    if (aligned) {
        memcpy(axis, units, sizeof axis);
    } else {
        any_axes(state, NULL, axis);
    }
    any_axes(state, shape == BOTH ? (const float(*)[3])axis : NULL, probe->axis);
    for (int k = 0; k < 3; k++) {
        /* The point and the probe's centre are floats relative to the lane's centre, which is 0. */
        const float at = (float)random_between(state, -1, 1);
        const float centre = (float)random_between(state, -2, 2);
        point[k] = shape == LARGE_PROBE ? 0 : (double)at;
        probe->centre[k] = shape == LARGE_LANE ? at : centre;
        back[k] = point[k] - (double)probe->centre[k];
    }
    hold_point((const float(*)[3])axis, point, half);
    hold_point((const float(*)[3])probe->axis, back, probe->half);
    if (shape == LARGE_LANE) {
        memset(probe->half, 0, sizeof probe->half);
    }
    if (shape == LARGE_PROBE) {
        memset(half, 0, sizeof half);
    }
    for (int k = 0; k < 3; k++) {
        lanes->half[k][0] = half[k] * (random_below(state, 4) == 0 ? 1.5f : 1.0f);
        for (int j = 0; j < 3; j++) {
            lanes->axis[3 * k + j][0] = axis[k][j];
        }
    }
    probe->epsilon = 0x1p-17f; /* of orthonormal poses */
}

static void expect_touching(uint64_t *state, const kiln_lanes *lanes, const kiln_probe *probe,
                            bool aligned)
{
    const kiln_kernel *kernel;
    float squared[8], line[3];
    kiln_pose any = pose_random(state, 0);
    for (int k = 0; k < 3; k++) {
        line[k] = (float)any.rotation[k];
    }
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        const uint32_t mask =
            (aligned ? kernel->overlap_aligned : kernel->overlap)(lanes, probe, 1);
        assert_int_equal(mask, 1);
        (aligned ? kernel->gaps_aligned : kernel->gaps)(lanes, probe, line, squared);
        assert_true(squared[0] == 0);
    }
}

/* A clear bit is a proof, so it stands whatever is rounded; and a bound of the distance is 0. */
static void boxes_that_share_a_point_meet(void **unused)
{
    (void)unused;
    uint64_t state = 12;
    for (int i = 0; i < round_count(); i++) {
        kiln_lanes lanes;
        kiln_probe probe;
        const bool aligned = i % 4 == 0;
        make_touching(&state, i % SHAPES, aligned, &lanes, &probe);
        expect_touching(&state, &lanes, &probe, aligned);
    }
}

/* The same where the probe's centre is known up to its slack only. */
static void slack_covers_where_a_probe_is(void **unused)
{
    (void)unused;
    uint64_t state = 13;
    for (int i = 0; i < round_count(); i++) {
        kiln_lanes lanes;
        kiln_probe probe;
        const bool aligned = i % 4 == 0;
        make_touching(&state, i % SHAPES, aligned, &lanes, &probe);
        probe.slack = ldexpf(1.0f, -(int)random_below(&state, 20));
        const kiln_pose any = pose_random(&state, 0);
        for (int k = 0; k < 3; k++) {
            probe.centre[k] += 0.999f * probe.slack * (float)any.rotation[k];
        }
        expect_touching(&state, &lanes, &probe, aligned);
    }
}

/* A ball of a lane about 0 and, beyond a point of its surface, a box whose corner is there or a
 * ball: the point is all that they share. */
static void balls_that_share_a_point_meet(void **unused)
{
    (void)unused;
    static const float nowhere[3] = {0, 0, 0};
    uint64_t state = 16;
    const kiln_node_kind *kind = &kiln_node_kinds[KILN_KIND_SPHERE];
    for (int round = 0; round < round_count(); round++) {
        const bool ball = round % 2 == 0;
        const int exponent = (int)random_below(&state, 30) - 15; /* of the lane's radius */
        kiln_format_node_sphere node;
        memset(&node, 0, sizeof node);
        node.head.half_exp = (uint8_t)(127 + exponent - 15);
        for (unsigned k = 0; k < 3; k++) {
            node.head.exp[k] = 127;
        }
        const uint32_t radius = 0x7800 | random_below(&state, 0x3FF);
        node.head.count[0] = 1;
        node.radius[0][0] = (uint8_t)radius;
        node.radius[1][0] = (uint8_t)(radius >> 8);
        kiln_lane_box lane;
        kind->decode_lane(&node.head, 0, &lane);
        const kiln_pose any = pose_random(&state, 0);
        kiln_decoded_node other, opened;
        kiln_box_transform by;
        kiln_probe probe;
        float axis[3][3], reach[3];
        double point[3], back[3], squared = 0;
        memset(&by, 0, sizeof by);
        memset(&other, 0, sizeof other);
        any_axes(&state, NULL, axis);
        for (int k = 0; k < 3; k++) {
            point[k] = (double)lane.half[0] * any.rotation[3 * k] * (1 - 0x1p-50);
            back[k] = -point[k];
        }
        for (int k = 0; k < 3; k++) {
            const float *a = axis[k];
            const double along =
                (double)a[0] * point[0] + (double)a[1] * point[1] + (double)a[2] * point[2];
            for (int i = 0; i < 3; i++) {
                const double out = ball ? any.rotation[3 * i] / 3 : (double)a[i];
                back[i] -= ball || along >= 0 ? out : -out;
            }
        }
        for (int k = 0; k < 3; k++) {
            other.lanes.centre[k][0] = (float)-back[k];
            back[k] = point[k] - (double)other.lanes.centre[k][0];
            squared += back[k] * back[k];
        }
        hold_point((const float(*)[3])axis, back, reach);
        for (int k = 0; k < 3; k++) {
            by.rotation[k][k] = 1.0f;
            other.lanes.half[k][0] = ball ? nextafterf((float)sqrt(squared), INFINITY) : reach[k];
            for (int j = 0; j < 3; j++) {
                other.lanes.axis[3 * k + j][0] = axis[k][j];
            }
        }
        by.column_xy[0][0] = by.column_xy[1][1] = by.column_z[2] = 1.0;
        by.scale = 1.0f;
        by.epsilon = 0x1p-17f;
        by.slack = 0x1p-43f;
        by.balls = other.balls = ball;
        other.org = nowhere;
        const kiln_kernel *kernel;
        for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            assert_int_equal(
                kiln_kernel_of(kernel, kind)->open(&node.head, &by, &other, false, &opened, &probe),
                1);
        }
    }
}

/* --------------------------------------------------------------------- a kernel that records -- */

static kiln_kernel real, spy;
static uint64_t opened;   /* nodes */
static float least_slack; /* of probes that distances were bounded from */

static kiln_open_node real_open; /* of the one kind of nodes that a query opens */

static uint32_t count_open(const kiln_format_node8 *node, const kiln_box_transform *by,
                           const kiln_decoded_node *other, bool in_order, kiln_decoded_node *out,
                           kiln_probe *probe)
{
    opened++;
    return real_open(node, by, other, in_order, out, probe);
}

static void note_gaps(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                      float squared[8])
{
    least_slack = fminf(least_slack, probe->slack);
    real.gaps(lanes, probe, line, squared);
}

static void note_gaps_aligned(const kiln_lanes *lanes, const kiln_probe *probe, const float line[3],
                              float squared[8])
{
    least_slack = fminf(least_slack, probe->slack);
    real.gaps_aligned(lanes, probe, line, squared);
}

/* Until kiln_kernel_force(NULL), on queries of trees of one kind. */
static void begin_spying(const kiln_tree *tree)
{
    const unsigned kind = kiln_node_kind_index(tree->view.kind);
    real = spy = *kiln_kernel_active();
    real_open = real.kinds[kind].open;
    spy.kinds[kind].open = count_open;
    spy.gaps = note_gaps;
    spy.gaps_aligned = note_gaps_aligned;
    opened = 0;
    least_slack = INFINITY;
    kiln_kernel_force(&spy);
}

/* ----------------------------------------------------------------------- the large-leaf rule -- */

/* A fine sphere inside a room of twelve triangles: the box of the room's leaves holds all of the
 * sphere, and separates none of its nodes; the triangles separate nearly all. Without the rule
 * every node is opened. */
static void a_small_object_in_a_large_leaf_is_separated_at_once(void **unused)
{
    (void)unused;
    mesh room = mesh_box(-8, -8, -8, 8, 8, 8), ring = mesh_torus(60, 40, 0.1);
    for (unsigned kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        void *bytes[2];
        kiln_file *file[2] = {
            quick_open(&room, kiln_node_kinds[kind].name, 12, KILN_LAYOUT_RAW, &bytes[0]),
            quick_open(&ring, kiln_node_kinds[kind].name, 4, KILN_LAYOUT_RAW, &bytes[1])};
        const kiln_tree *tree[2] = {kiln_file_tree(file[0], 0), kiln_file_tree(file[1], 0)};
        kiln_pose pose = kiln_pose_identity();
        kiln_hit hit;
        pose.translation[0] = 1;
        begin_spying(tree[0]);
        assert_int_equal(kiln_collide(tree[0], NULL, tree[1], &pose, NULL, &hit), KILN_OK);
        kiln_kernel_force(NULL);
        assert_false(hit.found);
        print_message("%s: %u of %u nodes opened\n", kiln_node_kinds[kind].name, (unsigned)opened,
                      (unsigned)kiln_tree_get_info(tree[1]).node_count);
        assert_true(opened <= 8);
        for (int i = 0; i < 2; i++) {
            kiln_close(file[i]);
            free(bytes[i]);
        }
    }
    mesh_free(&room);
    mesh_free(&ring);
}

/* The same room, and the ring across one of its walls or just inside: what the rule proves about
 * a box must be about that box. Brute force is the answer of any one kind, which all have to
 * give. */
static void a_small_object_across_a_large_leaf_is_found(void **unused)
{
    (void)unused;
    enum { POSES = 60 };
    uint64_t state = 15;
    unsigned meeting[POSES] = {0};
    kiln_pose poses[POSES];
    mesh room = mesh_box(-8, -8, -8, 8, 8, 8), ring = mesh_torus(30, 20, 0.1);
    for (int i = 0; i < POSES; i++) {
        poses[i] = pose_random(&state, 5);
        poses[i].translation[i % 3] = random_between(&state, 5, 8);
    }
    for (unsigned kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        void *bytes[2];
        kiln_file *file[2] = {
            quick_open(&room, kiln_node_kinds[kind].name, 12, KILN_LAYOUT_RAW, &bytes[0]),
            quick_open(&ring, kiln_node_kinds[kind].name, 4, KILN_LAYOUT_RAW, &bytes[1])};
        for (int i = 0; i < POSES; i++) {
            kiln_hit hit;
            assert_int_equal(kiln_collide(kiln_file_tree(file[0], 0), NULL,
                                          kiln_file_tree(file[1], 0), &poses[i], NULL, &hit),
                             KILN_OK);
            meeting[i] += hit.found;
        }
        for (int i = 0; i < 2; i++) {
            kiln_close(file[i]);
            free(bytes[i]);
        }
    }
    unsigned found = 0;
    for (int i = 0; i < POSES; i++) {
        assert_true(meeting[i] == 0 || meeting[i] == KILN_NODE_KIND_COUNT);
        found += meeting[i] != 0;
    }
    assert_true(found > 10 && found < POSES - 10);
    mesh_free(&room);
    mesh_free(&ring);
}

/* -------------------------------------------------------------------- the slack of near_walk -- */

/* A plate of 2^64 sizes of a small soup, which floats its edge by 2^47 of them, as far off as
 * positions are uncertain with origins at 2^88. In the soup's units the square of the way to the
 * plate's centre is no float any more; the sum of extents along it still is one, and must not be
 * lost. */
static void a_plate_as_large_as_floats_is_near(void **unused)
{
    (void)unused;
    uint64_t state = 4;
    const float edge = 0x1p64f * (1 - 0x1p-17f), height = 0x1p88f;
    mesh plate = mesh_box(-edge, height, -edge, edge, height, edge);
    mesh soup = mesh_soup(&state, 30, 0.1);
    for (unsigned kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        void *bytes[2];
        kiln_file *file[2] = {
            quick_open(&plate, kiln_node_kinds[kind].name, 12, KILN_LAYOUT_RAW, &bytes[0]),
            quick_open(&soup, kiln_node_kinds[kind].name, 1, KILN_LAYOUT_RAW, &bytes[1])};
        kiln_pose pose = kiln_pose_identity();
        kiln_hit hit;
        pose.translation[0] = 0x1p64;
        pose.translation[1] = (double)height;
        assert_int_equal(kiln_within(kiln_file_tree(file[0], 0), NULL, kiln_file_tree(file[1], 0),
                                     &pose, 0x1p48, NULL, &hit),
                         KILN_OK);
        assert_true(hit.found);
        for (int i = 0; i < 2; i++) {
            kiln_close(file[i]);
            free(bytes[i]);
        }
    }
    mesh_free(&plate);
    mesh_free(&soup);
}

/* A map between meshes far from their origins costs positions 2^-43 of how far (pose.c). Both
 * boxes of a bound are placed by it, and a vector is up to three times as long as its largest
 * part, so that a probe is given four times that. Here this is more than the probe's own
 * rounding. */
static void a_bound_has_the_slack_of_its_map(void **unused)
{
    (void)unused;
    const float far = 0x1p23f;
    mesh near_box = mesh_box(0, 0, 0, 1, 1, 1), far_box = mesh_box(far, 0, 0, far + 1, 1, 1);
    for (unsigned kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        void *bytes[2];
        kiln_file *file[2] = {
            quick_open(&near_box, kiln_node_kinds[kind].name, 1, KILN_LAYOUT_RAW, &bytes[0]),
            quick_open(&far_box, kiln_node_kinds[kind].name, 1, KILN_LAYOUT_RAW, &bytes[1])};
        const kiln_tree *tree[2] = {kiln_file_tree(file[0], 0), kiln_file_tree(file[1], 0)};
        kiln_pose pose = kiln_pose_identity();
        kiln_nearest out;
        pose.translation[0] = 1.5 - (double)far;
        begin_spying(tree[0]);
        assert_int_equal(kiln_distance(tree[0], NULL, tree[1], &pose, NULL, &out), KILN_OK);
        kiln_kernel_force(NULL);
        assert_true(out.distance == 0.5);
        const int exponents[2] = {tree[0]->view.entry->scale_exponent,
                                  tree[1]->view.entry->scale_exponent};
        const int most = exponents[0] > exponents[1] ? exponents[0] : exponents[1];
        assert_true(isfinite(least_slack));
        assert_true(ldexp((double)least_slack, most) >= 4 * 0x1p-43 * 0x1p24);
        for (int i = 0; i < 2; i++) {
            kiln_close(file[i]);
            free(bytes[i]);
        }
    }
    mesh_free(&near_box);
    mesh_free(&far_box);
}

enum { POINTS = 300 };

static bool only_one(void *user, kiln_pair pair)
{
    const uint32_t *wanted = user;
    return pair.a == *wanted;
}

/* Points at nearly the same distance from a point that a map from far away places: with the
 * bounds of boxes off by what the map rounds, the least distance is found only if they are
 * lowered by as much. */
static void the_nearest_of_nearly_equal_points_is_found(void **unused)
{
    (void)unused;
    uint64_t state = 14;
    unsigned unequal = 0;
    const unsigned rounds = is_shortened() ? 8 : 40;
    for (unsigned round = 0; round < rounds; round++) {
        float cloud[POINTS][9], tip[9];
        uint32_t indices[POINTS][3];
        kiln_pose pose = pose_random(&state, 0);
        for (int i = 0; i < POINTS; i++) {
            const double y = random_between(&state, -0.002, 0.002),
                         z = random_between(&state, -0.002, 0.002);
            const double p[3] = {1 - sqrt(1 - y * y - z * z), y, z}; /* 1 from (1, 0, 0) */
            for (int k = 0; k < 9; k++) {
                cloud[i][k] = (float)p[k % 3];
                indices[i][k % 3] = (uint32_t)(3 * i + k % 3);
            }
        }
        for (int k = 0; k < 9; k++) {
            tip[k] = k < 3 ? (float)random_between(&state, 0x1p29, 0x1p30) : tip[k % 3];
        }
        for (int k = 0; k < 3; k++) {
            pose.translation[k] = k == 0 ? 1 : 0;
            for (int j = 0; j < 3; j++) {
                pose.translation[k] -= pose.rotation[3 * k + j] * (double)tip[j];
            }
        }
        const mesh many = {cloud[0], indices[0], 3 * POINTS, POINTS}, one = {tip, indices[0], 3, 1};
        void *bytes[2];
        kiln_file *file[2] = {quick_open(&many, kiln_node_kinds[round % KILN_NODE_KIND_COUNT].name,
                                         1, KILN_LAYOUT_RAW, &bytes[0]),
                              quick_open(&one, kiln_node_kinds[round % KILN_NODE_KIND_COUNT].name,
                                         1, KILN_LAYOUT_RAW, &bytes[1])};
        const kiln_tree *tree[2] = {kiln_file_tree(file[0], 0), kiln_file_tree(file[1], 0)};
        kiln_pair_options options = kiln_pair_options_default();
        kiln_nearest all, out;
        assert_int_equal(kiln_distance(tree[0], NULL, tree[1], &pose, NULL, &all), KILN_OK);
        double least = INFINITY;
        for (uint32_t i = 0; i < POINTS; i++) {
            options.filter = only_one;
            options.filter_user = &i;
            assert_int_equal(kiln_distance(tree[0], NULL, tree[1], &pose, &options, &out), KILN_OK);
            assert_true(out.found);
            least = fmin(least, out.distance);
        }
        unequal += all.distance != least;
        for (int i = 0; i < 2; i++) {
            kiln_close(file[i]);
            free(bytes[i]);
        }
    }
    assert_int_equal(unequal, 0);
}

/* ----------------------------------------------------------------------- the canonical order -- */

/* One of two trees is carried to the other, which rounds. Which one it is follows from the
 * meshes and, for one mesh, from the poses, not from the order of the arguments: swapping these
 * changes no bit. */
static void swapping_arguments_changes_no_bit(void **unused)
{
    (void)unused;
    uint64_t state = 17;
    mesh soup[2] = {mesh_soup(&state, 30, 0.3), mesh_soup(&state, 30, 0.3)};
    void *bytes[2];
    kiln_file *file[2];
    for (int i = 0; i < 2; i++) {
        file[i] = quick_open(&soup[i], "obb", 4, KILN_LAYOUT_RAW, &bytes[i]);
    }
    for (int i = 0; i < 200; i++) {
        const kiln_tree *a = kiln_file_tree(file[0], 0), *b = kiln_file_tree(file[i % 2], 0);
        const kiln_pose pose_a = pose_random(&state, 3), pose_b = pose_random(&state, 3);
        kiln_nearest one, other;
        assert_int_equal(kiln_distance(a, &pose_a, b, &pose_b, NULL, &one), KILN_OK);
        assert_int_equal(kiln_distance(b, &pose_b, a, &pose_a, NULL, &other), KILN_OK);
        assert_memory_equal(&one.distance, &other.distance, sizeof one.distance);
        assert_true(one.distance == 0 ||
                    (one.pair.a == other.pair.b && one.pair.b == other.pair.a));
    }
    for (int i = 0; i < 2; i++) {
        kiln_close(file[i]);
        free(bytes[i]);
        mesh_free(&soup[i]);
    }
}

/* ---------------------------------------------------------------------------- exact products -- */

/* The product of two doubles of 53 bits each is their rounded product and what a fused
 * multiply-add says that is wrong of it. */
static void products_of_full_doubles_are_exact(void **unused)
{
    (void)unused;
    uint64_t state = 16;
    for (int i = 0; i < round_count(); i++) {
        const double a = random_between(&state, -1, 1), b = random_between(&state, -1, 1);
        const double head = a * b, tail = fma(a, b, -head);
        double out[2];
        const int count = kiln_expansion_product(1, &a, 1, &b, out);
        assert_int_equal(count, tail != 0 ? 2 : 1);
        assert_true(out[count - 1] == head);
        assert_true(tail == 0 || out[0] == tail);
    }
}

/* ---------------------------------------------------------------- maps that are no rotations -- */

/* A long box whose decoded first axis is off by 14 roundings of floats, and a map that flattens it
 * along its length: what the axis is off by is then as long as the box. The ends that the box
 * really has are `ends` after the map. */
static void flattened_box(uint64_t *state, kiln_tree_box *box, double map[9], double end[3])
{
    const kiln_pose ideal = pose_random(state, 0);
    const double thin = ldexp(1, -14 - (int)random_below(state, 6));
    memset(box, 0, sizeof *box);
    for (int k = 0; k < 9; k++) {
        map[k] = (k % 4 == 0 ? 1 : 0) - (1 - thin) * ideal.rotation[k / 3] * ideal.rotation[k % 3];
        const double off = k < 3 ? 14 * 0x1p-24 * ideal.rotation[3 + k] : 0;
        box->axis[k / 3][k % 3] = (float)(ideal.rotation[k] + off);
    }
    for (int k = 0; k < 3; k++) {
        box->half[k] = k == 0 ? 1 : 0x1p-30f;
        end[k] = map[3 * k] * ideal.rotation[0] + map[3 * k + 1] * ideal.rotation[1] +
                 map[3 * k + 2] * ideal.rotation[2];
    }
}

static void a_flattened_box_holds_its_ends(void **unused)
{
    (void)unused;
    uint64_t state = 24;
    for (int i = 0; i < 200; i++) {
        kiln_tree_box box;
        double map[9], end[3], arm[3][3], axis[3][3], half[3];
        flattened_box(&state, &box, map, end);
        const double off = kiln_tree_box_arms(map, &box, arm);
        kiln_arms_enclose(arm, axis, half);
        for (int k = 0; k < 3; k++) {
            const double along = axis[k][0] * end[0] + axis[k][1] * end[1] + axis[k][2] * end[2];
            assert_true(fabs(along) <= half[k] + off);
        }
    }
}

static void a_flattened_probe_holds_its_ends(void **unused)
{
    (void)unused;
    uint64_t state = 25;
    for (int i = 0; i < 200; i++) {
        kiln_tree_box box;
        kiln_decoded_node of;
        kiln_box_transform by;
        kiln_probe probe;
        const float org[3] = {0, 0, 0};
        double map[9], end[3];
        flattened_box(&state, &box, map, end);
        memset(&of, 0, sizeof of);
        memset(&by, 0, sizeof by);
        of.org = org;
        by.scale = 1;
        by.affine = true;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 2; j++) {
                by.column_xy[k][j] = map[3 * j + k];
            }
            by.column_z[k] = map[6 + k];
            of.lanes.half[k][0] = box.half[k];
            for (int j = 0; j < 3; j++) {
                of.lanes.axis[3 * k + j][0] = box.axis[k][j];
            }
        }
        kiln_carry_affine(&by, &of, org, &probe);
        for (int k = 0; k < 3; k++) {
            double along = 0;
            for (int j = 0; j < 3; j++) {
                along += (double)probe.axis[k][j] * (end[j] - (double)probe.centre[j]);
            }
            assert_true(fabs(along) <= (double)probe.half[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_that_share_a_point_meet),
        cmocka_unit_test(slack_covers_where_a_probe_is),
        cmocka_unit_test(balls_that_share_a_point_meet),
        cmocka_unit_test(a_small_object_in_a_large_leaf_is_separated_at_once),
        cmocka_unit_test(a_small_object_across_a_large_leaf_is_found),
        cmocka_unit_test(a_plate_as_large_as_floats_is_near),
        cmocka_unit_test(a_bound_has_the_slack_of_its_map),
        cmocka_unit_test(the_nearest_of_nearly_equal_points_is_found),
        cmocka_unit_test(swapping_arguments_changes_no_bit),
        cmocka_unit_test(products_of_full_doubles_are_exact),
        cmocka_unit_test(a_flattened_box_holds_its_ends),
        cmocka_unit_test(a_flattened_probe_holds_its_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
