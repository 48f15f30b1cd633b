/* Kernels of every instruction set that runs here against the scalar ones.
 *
 * Lanes and probes are random, degenerate (flat, points, coincident, parallel axes), huge and
 * tiny, and with infinities and NaN in any place. Masks of lanes that are used: all 256. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/base/tree.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { ROUNDS = 200000, QUICK_ROUNDS = 20000 };

#define EVEN_LOSS 0x3F315CACu /* nearly ln 2 */

static int round_count(void)
{
    return is_shortened() ? QUICK_ROUNDS : ROUNDS;
}

static float any_number(uint64_t *state, double size)
{
    return (float)random_between(state, -size, size);
}

static void any_axes(uint64_t *state, float axis[3][3])
{
    const kiln_pose pose = pose_random(state, 0);
    const bool parallel = random_below(state, 4) == 0;
    for (int i = 0; i < 9; i++) {
        axis[i / 3][i % 3] = parallel ? (i % 4 == 0 ? 1.0f : 0.0f) : (float)pose.rotation[i];
    }
}

static float any_half(uint64_t *state, double size)
{
    return random_below(state, 5) == 0 ? 0.0f : (float)random_between(state, 0, size);
}

/* Sizes such that about half of the lanes meet the probe. */
static void any_case(uint64_t *state, kiln_lanes *lanes, kiln_probe *probe)
{
    const double unit = ldexp(1.0, (int)random_below(state, 80) - 40);
    for (int i = 0; i < 8; i++) {
        float axis[3][3];
        any_axes(state, axis);
        for (int k = 0; k < 9; k++) {
            lanes->axis[k][i] = axis[k / 3][k % 3];
        }
        for (int k = 0; k < 3; k++) {
            lanes->centre[k][i] = any_number(state, 2 * unit);
            lanes->half[k][i] = any_half(state, 2 * unit);
        }
    }
    any_axes(state, probe->axis);
    for (int k = 0; k < 3; k++) {
        probe->centre[k] = random_below(state, 8) == 0 ? lanes->centre[k][random_below(state, 8)]
                                                       : any_number(state, 2 * unit);
        probe->half[k] = any_half(state, unit);
    }
    probe->epsilon = 0x1p-17f;
    probe->slack = (float)ldexp(unit, -23);
}

/* Something that no verified file holds, but extreme poses may lead to. */
static void spoil(uint64_t *state, kiln_lanes *lanes, kiln_probe *probe)
{
    static const float bad[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e-45f, -0.0f};
    const float value = bad[random_below(state, sizeof bad / sizeof bad[0])];
    float *const places[] = {&lanes->axis[random_below(state, 9)][random_below(state, 8)],
                             &lanes->centre[random_below(state, 3)][random_below(state, 8)],
                             &lanes->half[random_below(state, 3)][random_below(state, 8)],
                             &probe->axis[random_below(state, 3)][random_below(state, 3)],
                             &probe->centre[random_below(state, 3)],
                             &probe->half[random_below(state, 3)],
                             &probe->slack};
    *places[random_below(state, sizeof places / sizeof places[0])] = value;
}

static void kernels_give_equal_masks(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    uint64_t kept = 0, dropped = 0;
    const int rounds = round_count();
    for (int i = 0; i < rounds; i++) {
        kiln_lanes lanes;
        kiln_probe probe;
        any_case(&state, &lanes, &probe);
        if (random_below(&state, 3) == 0) {
            spoil(&state, &lanes, &probe);
        }
        const uint32_t used = i < 256 ? (uint32_t)i : random_below(&state, 256);
        const kiln_kernel *kernel;
        for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            const uint32_t full = kernel->overlap(&lanes, &probe, used);
            const uint32_t flat = kernel->overlap_aligned(&lanes, &probe, used);
            assert_int_equal(full, kiln_kernel_scalar.overlap(&lanes, &probe, used));
            assert_int_equal(flat, kiln_kernel_scalar.overlap_aligned(&lanes, &probe, used));
            assert_int_equal((full | flat) & ~used, 0);
            kept += (uint64_t)__builtin_popcount(full);
            dropped += (uint64_t)__builtin_popcount(used & ~full);
        }
    }
    assert_true(kept > (uint64_t)rounds / 2);
    assert_true(dropped > (uint64_t)rounds / 2);
}

/* A corner of a box, or a point in it. */
static void any_point(uint64_t *state, const float axis[3][3], const float centre[3],
                      const float half[3], double out[3])
{
    const bool corner = random_below(state, 2) == 0;
    for (int k = 0; k < 3; k++) {
        out[k] = (double)centre[k];
    }
    for (int j = 0; j < 3; j++) {
        const double part =
            corner ? (random_below(state, 2) == 0 ? -1 : 1) : random_between(state, -1, 1);
        for (int k = 0; k < 3; k++) {
            out[k] += part * (double)half[j] * (double)axis[j][k];
        }
    }
}

/* No two points of the boxes are nearer than the bound, whose unit is `unit`. */
static void expect_lower_bound(uint64_t *state, const kiln_lanes *lanes, const kiln_probe *probe,
                               unsigned lane, bool aligned, double bound, double unit)
{
    float axis[3][3], centre[3], half[3];
    for (int k = 0; k < 3; k++) {
        centre[k] = lanes->centre[k][lane];
        half[k] = lanes->half[k][lane];
        for (int j = 0; j < 3; j++) {
            axis[k][j] = aligned ? (k == j ? 1.0f : 0.0f) : lanes->axis[3 * k + j][lane];
        }
    }
    for (int i = 0; i < 20; i++) {
        double p[3], q[3], squared = 0;
        any_point(state, (const float(*)[3])axis, centre, half, p);
        any_point(state, (const float(*)[3])probe->axis, probe->centre, probe->half, q);
        for (int k = 0; k < 3; k++) {
            squared += (p[k] - q[k]) * (p[k] - q[k]);
        }
        assert_true(bound <= squared + 1e-12 * unit * unit);
    }
}

static void gaps_are_equal_and_below_the_distance(void **unused)
{
    (void)unused;
    uint64_t state = 78;
    kiln_lanes lanes;
    kiln_probe probe;
    uint64_t apart = 0;
    for (int i = 0; i < round_count() / 4; i++) {
        any_case(&state, &lanes, &probe);
        for (int k = 0; k < 3; k++) {
            probe.centre[k] *= i % 3 == 0 ? 1 : 4;
        }
        float turned[3][3], line[3] = {0, 0, 0}, full[8], flat[8];
        any_axes(&state, turned);
        for (int k = 0; k < 3 && i % 2 == 0; k++) {
            line[k] = turned[0][k];
        }
        const bool spoilt = i % 5 == 0;
        if (spoilt) {
            spoil(&state, &lanes, &probe);
        }
        kiln_kernel_scalar.gaps(&lanes, &probe, line, full);
        kiln_kernel_scalar.gaps_aligned(&lanes, &probe, line, flat);
        const kiln_kernel *kernel;
        for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            float squared[8];
            kernel->gaps(&lanes, &probe, line, squared);
            assert_memory_equal(squared, full, sizeof squared);
            kernel->gaps_aligned(&lanes, &probe, line, squared);
            assert_memory_equal(squared, flat, sizeof squared);
        }
        for (unsigned lane = 0; lane < 8 && !spoilt; lane++) {
            const double unit = (double)probe.slack * 0x1p23;
            apart += full[lane] > 0;
            expect_lower_bound(&state, &lanes, &probe, lane, false, (double)full[lane], unit);
            expect_lower_bound(&state, &lanes, &probe, lane, true, (double)flat[lane], unit);
        }
    }
    assert_true(apart > (uint64_t)round_count() / 2);
}

/* Against a box in the middle of node space, along its axes. */
static uint32_t open_node(const kiln_kernel *kernel, const kiln_tree *tree, uint32_t node,
                          bool alike, float epsilon, kiln_decoded_node *out)
{
    static const float nowhere[3] = {0, 0, 0};
    kiln_box_transform by;
    kiln_decoded_node box;
    memset(&by, 0, sizeof by);
    memset(&box, 0, sizeof box);
    for (int k = 0; k < 3; k++) {
        by.rotation[k][k] = 1.0f;
        box.lanes.half[k][0] = 0.25f;
        box.lanes.axis[4 * k][0] = 1.0f;
    }
    by.column_xy[0][0] = by.column_xy[1][1] = by.column_z[2] = 1.0;
    by.scale = 1.0f;
    by.epsilon = epsilon;
    by.alike = alike;
    by.margins = false;
    box.org = nowhere;
    kiln_probe probe;
    return kiln_kernel_of(kernel, tree->view.kind)
        ->open(kiln_tree_node(tree, node), &by, &box, true, out, &probe);
}

/* Masks that need not be alike lie between those of a bound that is a little tighter and of one
 * that is a little looser. */
static void check_free_mask(const kiln_kernel *kernel, const kiln_tree *tree, uint32_t node)
{
    kiln_decoded_node opened;
    const float epsilon = 0x1p-17f;
    const uint32_t mask = open_node(kernel, tree, node, false, epsilon, &opened);
    const uint32_t least =
        open_node(&kiln_kernel_scalar, tree, node, true, 0.9f * epsilon, &opened);
    const uint32_t most = open_node(&kiln_kernel_scalar, tree, node, true, 1.1f * epsilon, &opened);
    assert_int_equal(least & ~mask, 0);
    assert_int_equal(mask & ~most, 0);
}

/* Every lane bit for bit as formats/nodes.h; the mask and the order those of the reference. */
static void check_node(const kiln_kernel *kernel, const kiln_tree *tree, uint32_t node)
{
    kiln_lanes lanes;
    kiln_decoded_node opened, reference;
    memset(&opened, 0, sizeof opened);
    memset(&reference, 0, sizeof reference);
    tree->view.kind->decode(kiln_tree_node(tree, node), &lanes);
    const uint32_t mask = open_node(kernel, tree, node, true, 0x1p-17f, &opened);
    assert_int_equal(mask, open_node(&kiln_kernel_scalar, tree, node, true, 0x1p-17f, &reference));
    check_free_mask(kernel, tree, node);
    assert_int_equal(opened.order, reference.order);
    for (unsigned lane = 0; lane < tree->view.kind->lanes; lane++) {
        for (int k = 0; k < 3; k++) {
            assert_memory_equal(&opened.lanes.centre[k][lane], &lanes.centre[k][lane], 4);
            assert_memory_equal(&opened.lanes.half[k][lane], &lanes.half[k][lane], 4);
        }
        for (int k = 0; k < 9 && !tree->view.kind->aligned; k++) {
            assert_memory_equal(&opened.lanes.axis[k][lane], &lanes.axis[k][lane], 4);
        }
        assert_memory_equal(&opened.area[lane], &reference.area[lane], 4);
    }
}

static void nodes_are_decoded_as_the_format_says(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(40, 20, 0.2);
    void *bytes;
    kiln_file *file = quick_open(&m, QUICK_ALL_KINDS, 3, KILN_LAYOUT_RAW, &bytes);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        for (uint32_t i = 0; i < file->tree_count; i++) {
            for (uint32_t node = 0; node < file->trees[i].view.entry->node_count; node++) {
                check_node(kernel, &file->trees[i], node);
            }
        }
    }
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* Lane `lane` of the node against a box that touches it, as nearly as doubles allow, from below or
 * from above: `by` moves the box along a direction until the reference changes its mind. */
static void touch(uint64_t *state, const kiln_tree *tree, uint32_t node, unsigned lane,
                  const kiln_decoded_node *box, kiln_box_transform *by)
{
    kiln_decoded_node opened;
    kiln_probe probe;
    double way[3], start[3], near = 0, far = 8;
    for (int k = 0; k < 3; k++) {
        way[k] = random_between(state, -1, 1);
        start[k] = k < 2 ? by->offset_xy[k] : by->offset_z;
    }
    for (int i = 0; i < 70; i++) {
        const double middle = 0.5 * (near + far);
        for (int k = 0; k < 2; k++) {
            by->offset_xy[k] = start[k] + middle * way[k];
        }
        by->offset_z = start[2] + middle * way[2];
        const uint32_t mask =
            kiln_kernel_of(&kiln_kernel_scalar, tree->view.kind)
                ->open(kiln_tree_node(tree, node), by, box, false, &opened, &probe);
        *((mask >> lane & 1) != 0 ? &near : &far) = middle;
    }
}

/* The sets may fuse products where the mask comes to the same; within roundings of touching it does
 * not by itself. */
static void masks_are_alike_where_boxes_touch(void **unused)
{
    (void)unused;
    uint64_t state = 31;
    mesh m = mesh_torus(40, 20, 0.2);
    void *bytes;
    kiln_file *file = quick_open(&m, QUICK_ALL_KINDS, 3, KILN_LAYOUT_RAW, &bytes);
    static const float nowhere[3] = {0, 0, 0};
    for (int round = 0; round < round_count() / 100; round++) {
        const kiln_tree *tree = &file->trees[random_below(&state, file->tree_count)];
        const uint32_t node = random_below(&state, tree->view.entry->node_count);
        const kiln_format_node8 *of = kiln_tree_node(tree, node);
        const kiln_pose pose = pose_random(&state, 0);
        kiln_box_transform by;
        kiln_decoded_node box, opened;
        kiln_lane_box lane_box;
        kiln_probe probe;
        double centre[3];
        memset(&by, 0, sizeof by);
        memset(&box, 0, sizeof box);
        tree->view.kind->decode_lane(of, 0, &lane_box);
        kiln_lane_box_centre(&lane_box, of->org, centre);
        for (int k = 0; k < 3; k++) {
            by.rotation[k] = (kiln_quad){(float)pose.rotation[k], (float)pose.rotation[3 + k],
                                         (float)pose.rotation[6 + k], 0};
            box.lanes.half[k][0] = (float)random_between(&state, 0.1, 1) * lane_box.half[0];
            box.lanes.axis[4 * k][0] = 1.0f;
        }
        by.offset_xy = (kiln_two){centre[0], centre[1]};
        by.offset_z = centre[2];
        by.scale = 1.0f;
        by.epsilon = 0x1p-17f;
        by.alike = true;
        by.margins = false;
        box.org = nowhere;
        touch(&state, tree, node, 0, &box, &by);
        for (int step = -4; step <= 4; step++) {
            kiln_box_transform near = by;
            near.offset_z += step * 0x1p-24 * (double)lane_box.half[0];
            const uint32_t mask = kiln_kernel_of(&kiln_kernel_scalar, tree->view.kind)
                                      ->open(of, &near, &box, false, &opened, &probe);
            const kiln_kernel *kernel;
            for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
                assert_int_equal(kiln_kernel_of(kernel, tree->view.kind)
                                     ->open(of, &near, &box, false, &opened, &probe),
                                 mask);
            }
        }
    }
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* Any box near a node, or up to 10^6 times as far as it is large, along an axis of its own or not,
 * and once in 8 with a number that no pose leads to. */
static void any_box_near(uint64_t *state, const kiln_format_node8 *node, kiln_decoded_node *box,
                         kiln_box_transform *by, bool *spoilt)
{
    static const float nowhere[3] = {0, 0, 0}, bad[] = {INFINITY, NAN, -INFINITY, 3e38f, 1e-45f};
    const kiln_pose pose = pose_random(state, 1);
    const double far = random_below(state, 2) == 0 ? 1 : pow(10, random_between(state, 0, 6));
    memset(by, 0, sizeof *by);
    memset(box, 0, sizeof *box);
    const bool along = random_below(state, 4) == 0;
    double place[3];
    for (int k = 0; k < 3; k++) {
        by->rotation[k] = (kiln_quad){(float)pose.rotation[k], (float)pose.rotation[3 + k],
                                      (float)pose.rotation[6 + k], 0};
        box->lanes.half[k][0] = any_half(state, 0.3);
        box->lanes.axis[4 * k][0] = 1.0f;
        place[k] =
            (double)node->org[k] + far * (along ? pose.rotation[3 * k] : pose.translation[k]);
    }
    by->offset_xy = (kiln_two){place[0], place[1]};
    by->offset_z = place[2];
    by->scale = 1.0f;
    by->epsilon = 0x1p-17f;
    by->slack = random_below(state, 2) == 0 ? 0.0f : 0x1p-20f;
    by->alike = true;
    by->margins = true;
    box->org = nowhere;
    *spoilt = random_below(state, 8) == 0;
    if (*spoilt) {
        box->lanes.half[random_below(state, 3)][0] = bad[random_below(state, 5)];
        by->slack = random_below(state, 2) == 0 ? bad[random_below(state, 5)] : by->slack;
    }
}

/* The margin of lanes that are apart has the same bits in every set, is not above the distance of
 * any of them, and does not change what the mask is. */
static void margins_are_equal_and_below_the_distance(void **unused)
{
    (void)unused;
    uint64_t state = 33, known = 0;
    mesh m = mesh_torus(40, 20, 0.2);
    void *bytes;
    kiln_file *file = quick_open(&m, QUICK_ALL_KINDS, 3, KILN_LAYOUT_RAW, &bytes);
    for (int round = 0; round < round_count() / 20; round++) {
        const kiln_tree *tree = &file->trees[random_below(&state, file->tree_count)];
        const kiln_format_node8 *of =
            kiln_tree_node(tree, random_below(&state, tree->view.entry->node_count));
        kiln_box_transform by;
        kiln_decoded_node box, opened, other;
        kiln_probe probe;
        bool spoilt;
        any_box_near(&state, of, &box, &by, &spoilt);
        const uint32_t mask = kiln_kernel_of(&kiln_kernel_scalar, tree->view.kind)
                                  ->open(of, &by, &box, false, &opened, &probe);
        assert_true(opened.margin >= 0 && opened.margin <= KILN_MARGIN_MOST);
        const kiln_kernel *kernel;
        for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            kiln_probe same;
            assert_int_equal(
                kiln_kernel_of(kernel, tree->view.kind)->open(of, &by, &box, false, &other, &same),
                mask);
            assert_memory_equal(&other.margin, &opened.margin, sizeof other.margin);
        }
        by.margins = false;
        assert_int_equal(kiln_kernel_of(&kiln_kernel_scalar, tree->view.kind)
                             ->open(of, &by, &box, false, &other, &probe),
                         mask);
        const double margin = (double)opened.margin;
        for (uint32_t left = spoilt ? 0 : kiln_node8_used(of) & ~mask; left; left &= left - 1) {
            known += margin > 0;
            expect_lower_bound(&state, &opened.lanes, &probe, (unsigned)__builtin_ctz(left),
                               tree->view.kind->aligned, margin * margin, 1);
        }
    }
    assert_true(known > (uint64_t)round_count() / 20);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

/* Losses are finite and positive for lanes of the mask, 0 for others, wherever the probe is and
 * whatever its size. */
static void weights_are_equal_and_finite(void **unused)
{
    (void)unused;
    static const float bad[] = {INFINITY, NAN, 3e38f, 0x1p60f, 1e-45f, 0.0f};
    uint64_t state = 32;
    for (int round = 0; round < round_count() / 4; round++) {
        kiln_decoded_node opened;
        kiln_likely_weights weights;
        kiln_probe probe;
        memset(&opened, 0, sizeof opened);
        memset(&weights, 0, sizeof weights);
        any_case(&state, &opened.lanes, &probe);
        if (round % 4 == 0) {
            const float value = bad[random_below(&state, sizeof bad / sizeof bad[0])];
            float *const places[] = {&probe.centre[random_below(&state, 3)],
                                     &probe.half[random_below(&state, 3)], &probe.slack};
            *places[random_below(&state, 3)] = value;
        }
        weights.bias = any_number(&state, 4);
        for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
            weights.feature[i] = any_number(&state, 3);
        }
        for (int i = 0; i < 8; i++) {
            const float h[3] = {opened.lanes.half[0][i], opened.lanes.half[1][i],
                                opened.lanes.half[2][i]};
            opened.area[i] = h[0] * h[1] + h[1] * h[2] + h[2] * h[0];
        }
        const bool aligned = random_below(&state, 2) == 0;
        const uint32_t mask = 1 + random_below(&state, 255);
        const float log_root = any_number(&state, 30);
        float features[KILN_LIKELY_FEATURES][8], of_set[KILN_LIKELY_FEATURES][8];
        kiln_weighed_lanes first = {.features = features}, other = {.features = of_set};
        kiln_kernel_scalar.weigh(&opened, aligned, &probe, mask, &weights, log_root, &first);
        for (unsigned lane = 0; lane < 8; lane++) {
            const float loss = first.loss[lane];
            assert_true((mask >> lane & 1) != 0 ? loss > 0 && loss < 64 : loss == 0);
            assert_true(loss <= first.most);
        }
        assert_true(first.sum >= first.most);
        const kiln_kernel *kernel;
        for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            kernel->weigh(&opened, aligned, &probe, mask, &weights, log_root, &other);
            assert_memory_equal(first.loss, other.loss, sizeof first.loss);
            assert_memory_equal(&first.sum, &other.sum, sizeof first.sum);
            assert_memory_equal(&first.most, &other.most, sizeof first.most);
            if ((mask & (mask - 1)) != 0) {
                assert_int_equal(kiln_kernel_scalar.order_weighed(first.loss, mask),
                                 kernel->order_weighed(other.loss, mask));
            }
            for (uint32_t left = round % 4 != 0 ? mask : 0; left != 0; left &= left - 1) {
                const unsigned lane = (unsigned)__builtin_ctz(left);
                for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
                    assert_memory_equal(&features[i][lane], &of_set[i][lane], sizeof(float));
                }
            }
        }
        if ((mask & (mask - 1)) != 0) { /* the likeliest first */
            const uint32_t order = kiln_kernel_scalar.order_weighed(first.loss, mask);
            assert_true(first.loss[order & 7] > 0.999f * first.loss[order >> 3 & 7]);
        }
    }
}

/* Infinite extents and axes that are at right angles make 0 x infinity, whose sign differs between
 * machines: nothing is computed of them, and the odds are even. */
static void weights_of_infinite_boxes_are_stored_bits(void **unused)
{
    (void)unused;
    kiln_decoded_node opened;
    kiln_likely_weights weights;
    kiln_probe probe;
    memset(&opened, 0, sizeof opened);
    memset(&weights, 0, sizeof weights);
    memset(&probe, 0, sizeof probe);
    weights.bias = 1.0f;
    for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
        weights.feature[i] = 0.25f;
    }
    for (int lane = 0; lane < 8; lane++) {
        for (int k = 0; k < 3; k++) {
            opened.lanes.half[k][lane] = 1.0f + (float)lane;
            opened.lanes.axis[4 * k][lane] = 1.0f;
        }
        opened.area[lane] = 3.0f;
    }
    for (int k = 0; k < 3; k++) {
        probe.half[k] = INFINITY;
        probe.axis[k][k] = 1.0f;
    }
    probe.epsilon = 0x1p-17f;
    probe.slack = INFINITY;
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_weighed_lanes out = {.features = NULL};
        kernel->weigh(&opened, false, &probe, 255, &weights, 0.0f, &out);
        for (int lane = 0; lane < 8; lane++) {
            uint32_t bits;
            memcpy(&bits, &out.loss[lane], sizeof bits);
            assert_int_equal(bits, EVEN_LOSS);
        }
    }
}

/* A node of a kind of k-DOPs whose slabs hold anything, and a probe near it. */
static void any_slabs(uint64_t *state, const kiln_dop_set *set, bool wide, kiln_probe *probe,
                      kiln_format_node8 *node)
{
    uint8_t *const rows = (uint8_t *)node + sizeof(kiln_format_node_aabb8);
    const int unit = ilogb((double)probe->slack) + 23;
    memset(node, 0, sizeof(kiln_format_node_dop26));
    for (int k = 0; k < 3; k++) {
        node->exp[k] = (uint8_t)(127 + unit - 6 - (int)random_below(state, 3));
        memset((uint8_t *)node + sizeof *node + 24 + 8 * k, 255, 8);
        probe->centre[k] = any_number(state, ldexp(1, unit)) + (float)ldexp(1, unit);
    }
    for (unsigned i = 0; i < 8u * set->slabs; i++) {
        const uint8_t lower = (uint8_t)random_below(state, wide ? 256 : 32);
        rows[i] = lower;
        rows[8 * set->slabs + i] = (uint8_t)(255 - random_below(state, wide ? 256u - lower : 32u));
    }
}

/* Points of a probe that are in a lane's volume, too, keep the lane, in every set alike. */
static void slabs_keep_what_meets(void **unused)
{
    (void)unused;
    for (unsigned k = 0; k < KILN_NODE_KIND_COUNT; k++) {
        const kiln_node_kind *kind = &kiln_node_kinds[k];
        uint64_t state = 14, kept = 0, dropped = 0, inside = 0;
        if (kind->dop == NULL || kind->dop->slabs == 0) {
            continue;
        }
        for (int round = 0; round < round_count() / 8; round++) {
            kiln_format_node_dop26 node;
            kiln_format_node8 *const head = &node.box.head;
            kiln_lanes lanes;
            kiln_probe probe;
            any_case(&state, &lanes, &probe);
            any_slabs(&state, kind->dop, round % 2 == 0, &probe, head);
            if (round % 8 == 0) {
                spoil(&state, &lanes, &probe);
            }
            const uint32_t used = random_below(&state, 256);
            const uint32_t mask =
                kiln_kernel_of(&kiln_kernel_scalar, kind)->refine(head, &probe, used);
            const kiln_kernel *kernel;
            for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
                assert_int_equal(kiln_kernel_of(kernel, kind)->refine(head, &probe, used), mask);
            }
            assert_int_equal(mask & ~used, 0);
            kept += (uint64_t)__builtin_popcount(mask);
            dropped += (uint64_t)__builtin_popcount(used & ~mask);
            for (int i = 0; i < 40 && round % 8 != 0; i++) {
                double p[3];
                any_point(&state, (const float(*)[3])probe.axis, probe.centre, probe.half, p);
                for (unsigned lane = 0; lane < 8; lane++) {
                    const bool in = kind->beyond(head, lane, p) <= 0;
                    inside += in;
                    assert_true(!in || (used >> lane & 1) == 0 || (mask >> lane & 1) != 0);
                }
            }
        }
        assert_true(kept > (uint64_t)round_count() / 64);
        assert_true(dropped > (uint64_t)round_count() / 16);
        assert_true(inside > (uint64_t)round_count() / 16);
    }
}

/* A node of balls in about the place of a probe. */
static kiln_format_node_sphere any_balls(uint64_t *state, int unit)
{
    kiln_format_node_sphere node;
    memset(&node, 0, sizeof node);
    node.head.half_exp = (uint8_t)(127 + unit - 15);
    memset(node.head.count, 0x11, sizeof node.head.count);
    for (unsigned k = 0; k < 3; k++) {
        node.head.exp[k] = (uint8_t)(127 + unit - 6 - (int)random_below(state, 3));
    }
    for (unsigned i = 0; i < 8; i++) {
        const uint32_t radius = random_below(state, 8) == 0 ? 0 : random_below(state, 0x7BFF);
        node.radius[0][i] = (uint8_t)radius;
        node.radius[1][i] = (uint8_t)(radius >> 8);
        for (unsigned k = 0; k < 3; k++) {
            node.centre[k][i] = (uint8_t)random_below(state, 256);
        }
    }
    return node;
}

/* Points of a probe that are in a lane's ball, too, keep the lane, in every set alike, be the
 * probe a box or the ball in a cube. */
static void balls_keep_what_meets(void **unused)
{
    (void)unused;
    static const float nowhere[3] = {0, 0, 0};
    uint64_t state = 15, kept = 0, dropped = 0, inside = 0;
    const kiln_node_kind *kind = &kiln_node_kinds[KILN_KIND_SPHERE];
    for (int round = 0; round < round_count() / 4; round++) {
        kiln_lanes lanes;
        kiln_probe probe, made;
        kiln_decoded_node other, opened;
        kiln_box_transform by;
        any_case(&state, &lanes, &probe);
        const bool spoilt = round % 8 == 0;
        const int unit = ilogb((double)probe.slack) + 23;
        const kiln_format_node_sphere node = any_balls(&state, unit);
        const kiln_format_node8 *head = &node.head;
        memset(&by, 0, sizeof by);
        memset(&other, 0, sizeof other);
        for (int k = 0; k < 3; k++) {
            probe.centre[k] = any_number(&state, ldexp(1, unit)) + (float)ldexp(1, unit);
        }
        if (spoilt) {
            spoil(&state, &lanes, &probe);
        }
        for (int k = 0; k < 3; k++) {
            by.rotation[k][k] = 1.0f;
            other.lanes.half[k][0] = probe.half[round % 2 == 0 ? 0 : k];
            other.lanes.centre[k][0] = probe.centre[k];
            for (int j = 0; j < 3; j++) {
                other.lanes.axis[3 * k + j][0] = probe.axis[k][j];
            }
        }
        by.column_xy[0][0] = by.column_xy[1][1] = by.column_z[2] = 1.0;
        by.scale = 1.0f;
        by.epsilon = probe.epsilon;
        by.slack = probe.slack;
        by.balls = other.balls = round % 2 == 0;
        other.org = nowhere;
        const uint32_t mask = kiln_kernel_of(&kiln_kernel_scalar, kind)
                                  ->open(head, &by, &other, false, &opened, &made);
        const uint32_t left = kiln_kernel_of(&kiln_kernel_scalar, kind)->refine(head, &made, 0xFF);
        const kiln_kernel *kernel;
        for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            const kiln_kernel_kind *k = kiln_kernel_of(kernel, kind);
            assert_int_equal(k->open(head, &by, &other, false, &opened, &made), mask);
            assert_int_equal(k->refine(head, &made, 0x5A), left & 0x5A);
            assert_true(opened.balls);
        }
        assert_true(by.balls || mask == left);
        kept += (uint64_t)__builtin_popcount(mask);
        dropped += (uint64_t)__builtin_popcount(0xFF & ~mask);
        for (int i = 0; i < 40 && !spoilt; i++) {
            double p[3], from = 0;
            any_point(&state, (const float(*)[3])made.axis, made.centre, made.half, p);
            for (int k = 0; k < 3; k++) {
                from += pow(p[k] - (double)made.centre[k], 2);
            }
            const bool in_ball = sqrt(from) <= (double)made.half[0];
            for (unsigned lane = 0; lane < 8 && (in_ball || !by.balls); lane++) {
                const bool in = kind->beyond(head, lane, p) <= 0;
                inside += in;
                assert_true(!in || (mask >> lane & 1) != 0);
            }
        }
    }
    assert_true(kept > (uint64_t)round_count() / 8);
    assert_true(dropped > (uint64_t)round_count() / 8);
    assert_true(inside > (uint64_t)round_count());
}

/* Corners of two leaves: whole numbers of a small range, where much touches and is flat, or
 * anything. */
static uint32_t any_leaf(uint64_t *state, bool whole, float vertices[45][3],
                         uint32_t triangles[16][3], const uint32_t *list[16])
{
    const uint32_t count = 1 + random_below(state, 15);
    for (int v = 0; v < 45; v++) {
        for (int k = 0; k < 3; k++) {
            vertices[v][k] = whole ? (float)random_below(state, 4) : any_number(state, 1);
        }
    }
    for (uint32_t i = 0; i < 16; i++) {
        for (int c = 0; c < 3; c++) {
            triangles[i][c] = random_below(state, 45);
        }
        list[i] = triangles[i];
    }
    return count;
}

static void what_is_no_pair_does_not_meet(void **unused)
{
    (void)unused;
    uint64_t state = 3, met = 0, dropped = 0;
    for (int round = 0; round < round_count() / 100; round++) {
        float corners[2][45][3];
        uint32_t triangles[2][16][3], pairs[KILN_LEAF_LANES], expected[KILN_LEAF_LANES];
        const uint32_t *list[2][16];
        static kiln_leaf_triangles x, y;
        const kiln_pose pose = pose_random(&state, 0.5);
        kiln_transform carry;
        memcpy(carry.rotation, pose.rotation, sizeof carry.rotation);
        memcpy(carry.translation, pose.translation, sizeof carry.translation);
        const bool whole = round % 2 == 0;
        x.count = any_leaf(&state, whole, corners[0], triangles[0], list[0]);
        y.count = any_leaf(&state, whole, corners[1], triangles[1], list[1]);
        const kiln_kernel *kernel;
        for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            kernel->load_triangles(corners[0][0], list[0], NULL, &x);
            kernel->load_triangles(corners[1][0], list[1], whole ? NULL : &carry, &y);
            kernel->triangle_pairs(&x, &y, pairs);
            if (set == 0) {
                memcpy(expected, pairs, sizeof expected);
            }
            assert_memory_equal(pairs, expected, y.count * sizeof pairs[0]);
        }
        for (uint32_t j = 0; j < y.count; j++) {
            for (uint32_t i = 0; i < x.count; i++) {
                double a[9], b[9];
                for (int k = 0; k < 9; k++) {
                    a[k] = x.corner[k][i];
                    b[k] = y.corner[k][j];
                }
                const bool meet = kiln_exact_triangles_meet(a, b), kept = expected[j] >> i & 1;
                assert_true(kept || !meet);
                met += meet;
                dropped += !kept;
            }
        }
    }
    assert_true(met > 1000 && dropped > 1000);
}

/* Triangles of one mesh, which share corners: what is left out has nothing beyond them. */
static void what_is_beyond_shared_corners_is_kept(void **unused)
{
    (void)unused;
    uint64_t state = 4, kept = 0, dropped = 0, shared = 0;
    for (int round = 0; round < round_count() / 100; round++) {
        float corners[2][45][3];
        uint32_t triangles[2][16][3], pairs[KILN_LEAF_LANES], expected[KILN_LEAF_LANES];
        const uint32_t *list[2][16];
        static kiln_leaf_triangles x, y;
        x.count = any_leaf(&state, round % 2 == 0, corners[0], triangles[0], list[0]);
        y.count = any_leaf(&state, round % 2 == 0, corners[1], triangles[1], list[1]);
        for (int i = 0; i < 45 && round % 4 == 3; i++) {
            /* In one plane exactly, where heights are computed with roundings. */
            const int u = (int)random_below(&state, 1 << 20),
                      v = (int)random_below(&state, 1 << 20);
            corners[0][i][0] = (float)u;
            corners[0][i][1] = (float)v;
            corners[0][i][2] = (float)(3 * u - 5 * v);
        }
        for (int i = 0; i < 45; i++) {
            for (int k = 0; k < 3; k++) {
                corners[1][i][k] = corners[0][(i + round) % 45][k];
            }
        }
        const kiln_kernel *kernel;
        for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            kernel->load_triangles(corners[0][0], list[0], NULL, &x);
            kernel->load_triangles(corners[1][0], list[1], NULL, &y);
            kernel->triangle_pairs_beyond(&x, &y, pairs);
            if (set == 0) {
                memcpy(expected, pairs, sizeof expected);
            }
            assert_memory_equal(pairs, expected, y.count * sizeof pairs[0]);
        }
        for (uint32_t j = 0; j < y.count; j++) {
            for (uint32_t i = 0; i < x.count; i++) {
                double a[9], b[9];
                for (int k = 0; k < 9; k++) {
                    a[k] = x.corner[k][i];
                    b[k] = y.corner[k][j];
                }
                const kiln_relation relation = kiln_triangles_relate(a, b);
                const bool may = expected[j] >> i & 1;
                assert_true(may || !(relation.beyond || relation.how == KILN_MEETING_SAME));
                kept += may && relation.shared > 0;
                dropped += !may && relation.shared > 0;
                shared += relation.shared > 1;
            }
        }
    }
    assert_true(kept > 100 && dropped > 1000 && shared > 100);
}

static void a_set_can_be_forced(void **unused)
{
    (void)unused;
    const kiln_kernel *const best = kiln_kernel_active();
    unsigned sets = 0;
    for (const kiln_kernel *kernel; (kernel = kiln_kernel_runnable(sets)) != NULL; sets++) {
        kiln_kernel_force(kernel);
        assert_ptr_equal(kiln_kernel_active(), kernel);
    }
    kiln_kernel_force(NULL);
    assert_ptr_equal(kiln_kernel_active(), best);
    assert_ptr_equal(kiln_kernel_runnable(sets - 1), best);
    assert_ptr_equal(kiln_kernel_runnable(0), &kiln_kernel_scalar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_give_equal_masks),
        cmocka_unit_test(gaps_are_equal_and_below_the_distance),
        cmocka_unit_test(nodes_are_decoded_as_the_format_says),
        cmocka_unit_test(masks_are_alike_where_boxes_touch),
        cmocka_unit_test(margins_are_equal_and_below_the_distance),
        cmocka_unit_test(weights_are_equal_and_finite),
        cmocka_unit_test(weights_of_infinite_boxes_are_stored_bits),
        cmocka_unit_test(slabs_keep_what_meets),
        cmocka_unit_test(balls_keep_what_meets),
        cmocka_unit_test(what_is_no_pair_does_not_meet),
        cmocka_unit_test(what_is_beyond_shared_corners_is_kept),
        cmocka_unit_test(a_set_can_be_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
