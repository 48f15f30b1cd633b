/* k-DOPs of every pair of kinds: the sums by which directions bound each other are right and the
 * best there are; lanes whose volumes share a point are kept, in every instruction set alike; slabs
 * are as tight about their triangles as their steps allow. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/walk/dop_map.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"

enum { KINDS = KILN_NODE_KIND_COUNT, LANES = KILN_NODE_WIDTH };

/* Two trees of which only the kinds are looked at, and a rotation of Y in X's frame. */
typedef struct {
    kiln_tree x, y;
    kiln_pair_frame frame;
    kiln_dop_map map[2];
} two_dops;

static void any_rotation(uint64_t *state, double rotation[9])
{
    const kiln_pose pose = pose_random(state, 0);
    memcpy(rotation, pose.rotation, sizeof pose.rotation);
    if (random_below(state, 8) == 0) { /* whole turns by a quarter, or by an eighth about z */
        static const double quarter[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
        static const double half = 0.70710678118654752;
        const double eighth[9] = {half, -half, 0, half, half, 0, 0, 0, 1};
        memcpy(rotation, random_below(state, 2) == 0 ? quarter : eighth, sizeof quarter);
    }
}

/* False: this pair of kinds is not realigned. */
static bool form(two_dops *two, unsigned x, unsigned y, const double rotation[9])
{
    memset(two, 0, sizeof *two);
    two->x.view.kind = &kiln_node_kinds[x];
    two->y.view.kind = &kiln_node_kinds[y];
    two->frame.x = &two->x;
    two->frame.y = &two->y;
    for (int i = 0; i < 9; i++) {
        two->frame.to_x.rotation[i] = (float)rotation[i];
        two->frame.to_y.rotation[i] = (float)rotation[3 * (i % 3) + i / 3];
    }
    if (!kiln_dops_are_realigned(two->x.view.kind, two->y.view.kind)) {
        return false;
    }
    kiln_dop_maps_form(&two->frame, two->map);
    return true;
}

static void direction_of(const kiln_dop_set *set, unsigned i, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = (double)set->direction[k][i];
    }
}

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* -------------------------------------------------------------------------------- the sums -- */

static double volume(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The least bound of d on a k-DOP whose faces are all at distance 1, by trying all triples. */
static double least_bound(const kiln_dop_set *set, const double d[3])
{
    const unsigned count = 3u + set->slabs;
    double least = HUGE_VAL, e[3][3];
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = i + 1; j < count; j++) {
            for (unsigned k = j + 1; k < count; k++) {
                direction_of(set, i, e[0]);
                direction_of(set, j, e[1]);
                direction_of(set, k, e[2]);
                const double all = volume(e[0], e[1], e[2]);
                if (all != 0) {
                    const double bound = fabs(volume(d, e[1], e[2]) / all) * length_of(e[0]) +
                                         fabs(volume(e[0], d, e[2]) / all) * length_of(e[1]) +
                                         fabs(volume(e[0], e[1], d) / all) * length_of(e[2]);
                    least = bound < least ? bound : least;
                }
            }
        }
    }
    return least;
}

/* What the directions of `own` are in the other's frame, as sums of its directions. */
static void check_sums(const kiln_dop_map *map, const double to_own[9])
{
    for (unsigned j = 0; j < 3u + map->own->slabs; j++) {
        double d[3], turned[3], sum[3] = {0, 0, 0}, bound = 0;
        unsigned terms = 0;
        direction_of(map->own, j, d);
        for (int k = 0; k < 3; k++) {
            turned[k] = to_own[k] * d[0] + to_own[3 + k] * d[1] + to_own[6 + k] * d[2];
        }
        for (unsigned i = 0; i < 3u + map->other->slabs; i++) {
            double e[3];
            const double weight = (double)map->by_other[i][j];
            direction_of(map->other, i, e);
            for (int k = 0; k < 3; k++) {
                sum[k] += weight * e[k];
            }
            bound += fabs(weight) * length_of(e);
            terms += weight != 0;
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(sum[k] - turned[k]) < 1e-6);
        }
        assert_true(terms <= 3);
        assert_true(bound < least_bound(map->other, turned) + 1e-6);
    }
    for (unsigned i = 3u + map->other->slabs; i < KILN_DOP_DIRECTIONS_MAX; i++) {
        for (unsigned j = 0; j < KILN_DOP_ROOM; j++) {
            assert_true(map->by_other[i][j] == 0.0f);
        }
    }
}

/* The same sums, of the other map's point of view. */
static void check_alike(const kiln_dop_map *map, const kiln_dop_map *back)
{
    for (unsigned i = 0; i < 3u + map->other->slabs; i++) {
        float weight[KILN_DOP_DIRECTIONS_MAX] = {0};
        for (unsigned k = 0; k < 3; k++) {
            assert_true(map->index[i][k] < 3u + map->own->slabs);
            weight[map->index[i][k]] += map->weight[i][k];
        }
        for (unsigned j = 0; j < 3u + map->own->slabs; j++) {
            assert_true(weight[j] == back->by_other[j][i]);
        }
    }
}

static void directions_are_sums_of_three(void **unused)
{
    (void)unused;
    uint64_t state = 41;
    unsigned pairs = 0;
    for (unsigned pair = 0; pair < KINDS * KINDS; pair++) {
        for (int round = 0; round < (is_shortened() ? 10 : 60); round++) {
            two_dops two;
            double rotation[9], back[9];
            any_rotation(&state, rotation);
            if (!form(&two, pair / KINDS, pair % KINDS, rotation)) {
                break;
            }
            for (int i = 0; i < 9; i++) {
                back[i] = rotation[3 * (i % 3) + i / 3];
            }
            check_sums(&two.map[1], rotation);
            check_sums(&two.map[0], back);
            check_alike(&two.map[1], &two.map[0]);
            check_alike(&two.map[0], &two.map[1]);
            pairs += round == 0;
        }
    }
    assert_int_equal(pairs, 24); /* of five kinds all but two trees of 6-DOPs */
}

/* ------------------------------------------------------------------------------ the kernels -- */

typedef union {
    kiln_format_node8 head;
    kiln_format_node_dop26 most;
} any_node;

/* Slabs of all lanes around a point of each, some of no width beyond what the grid needs; nodes of
 * very different size, so that of one or the other only roundings are left. */
static void draw_node(uint64_t *state, const kiln_node_kind *kind, any_node *node,
                      double inside[LANES][3])
{
    uint8_t *const rows = (uint8_t *)node;
    memset(node, 0, sizeof *node);
    static const int sizes[] = {-20, -8, -8, -40};
    const int size = sizes[random_below(state, 4)];
    for (int k = 0; k < 3; k++) {
        node->head.exp[k] = (uint8_t)(127 + size - (int)random_below(state, 4));
        node->head.org[k] = (float)random_between(state, -0.5, 0.5);
    }
    node->head.inner = 255;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint32_t loose = 1 + (random_below(state, 2) == 0 ? 0 : random_below(state, 60));
        double from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = random_between(state, 60, 190) * ldexp(1, node->head.exp[k] - 127);
            inside[lane][k] = (double)node->head.org[k] + from[k];
        }
        for (unsigned j = 0; j < 3u + kind->dop->slabs; j++) {
            double place = 0, step, start = 0;
            uint8_t *lower = rows + sizeof(kiln_format_node8) + (size_t)8 * j;
            uint8_t *upper = lower + 24;
            if (j < 3) {
                place = from[j];
                step = ldexp(1, node->head.exp[j] - 127);
            } else {
                const kiln_dop_grid grid = kiln_dop_grid_of(kind->dop, &node->head, j - 3);
                double d[3];
                direction_of(kind->dop, j, d);
                place = d[0] * from[0] + d[1] * from[1] + d[2] * from[2];
                step = (double)grid.step;
                start = (double)grid.start;
                lower = rows + sizeof(kiln_format_node_aabb8) + (size_t)8 * (j - 3);
                upper = lower + (size_t)8 * kind->dop->slabs;
            }
            const double at = (place - start) / step;
            lower[lane] = (uint8_t)fmax(0, floor(at) - (double)random_below(state, loose));
            upper[lane] = (uint8_t)fmin(255, ceil(at) + (double)random_below(state, loose));
        }
    }
}

static bool is_in(const kiln_node_kind *kind, const any_node *node, unsigned lane,
                  const double p[3])
{
    kiln_lane_box box;
    kiln_box placed;
    kind->decode_lane(&node->head, lane, &box);
    kiln_lane_box_place(&box, node->head.org, &placed);
    for (int k = 0; k < 3; k++) {
        if (!(fabs(p[k] - placed.centre[k]) <= placed.half[k])) {
            return false;
        }
    }
    return kind->beyond(&node->head, lane, p) <= 0;
}

/* From a point inside as far along a direction as the volume goes: into `out`, which is inside. */
static void go_out(const kiln_node_kind *kind, const any_node *node, unsigned lane,
                   const double from[3], const double way[3], double out[3])
{
    double near = 0, far = 8;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (near + far);
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = from[k] + middle * way[k];
        }
        *(is_in(kind, node, lane, p) ? &near : &far) = middle;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = from[k] + near * way[k];
    }
}

static kiln_box_transform transform_of(const two_dops *two, const double rotation[9], double scale,
                                       const double offset[3])
{
    kiln_box_transform by;
    memset(&by, 0, sizeof by);
    for (int j = 0; j < 3; j++) {
        by.column_xy[j] = (kiln_two){rotation[j] * scale, rotation[3 + j] * scale};
        by.column_z[j] = rotation[6 + j] * scale;
        by.rotation[j] =
            (kiln_quad){(float)rotation[j], (float)rotation[3 + j], (float)rotation[6 + j], 0.0f};
    }
    by.offset_xy = (kiln_two){offset[0], offset[1]};
    by.offset_z = offset[2];
    by.scale = (float)scale;
    by.epsilon = 0x1p-17f;
    by.slack = (float)(0x1p-43 * (1 + scale));
    by.aligned = true;
    by.alike = true;
    by.margins = false;
    by.dops = &two->map[1];
    return by;
}

/* Lane `lane` of a node of X against one of Y, with a boundary point of each at one place, then Y
 * moved apart along `way`: how many steps until the lane is taken away? 0 would be a fault. */
static int steps_apart(uint64_t *state, const two_dops *two, const double rotation[9])
{
    const kiln_node_kind *x = two->x.view.kind, *y = two->y.view.kind;
    any_node node_x, node_y;
    double inside_x[LANES][3], inside_y[LANES][3], p[3], q[3], way[3], back[3], offset[3];
    draw_node(state, x, &node_x, inside_x);
    draw_node(state, y, &node_y, inside_y);
    const unsigned lane = random_below(state, LANES), other_lane = random_below(state, LANES);
    const double scale = ldexp(1, (int)random_below(state, 9) - 4) * random_between(state, 1, 2);
    for (int k = 0; k < 3; k++) {
        way[k] = random_between(state, -1, 1);
    }
    for (int k = 0; k < 3; k++) { /* the way from X to Y, and back in Y's space */
        back[k] = -(rotation[k] * way[0] + rotation[3 + k] * way[1] + rotation[6 + k] * way[2]);
    }
    go_out(x, &node_x, lane, inside_x[lane], way, p);
    go_out(y, &node_y, other_lane, inside_y[other_lane], back, q);
    for (int k = 0; k < 3; k++) {
        const double *row = rotation + 3 * k;
        offset[k] = p[k] - scale * (row[0] * q[0] + row[1] * q[1] + row[2] * q[2]);
    }
    kiln_decoded_node other, opened;
    kiln_probe probe;
    memset(&other, 0, sizeof other);
    y->decode(&node_y.head, &other.lanes);
    other.org = node_y.head.org;
    other.node = &node_y.head;
    other.lane = other_lane;
    for (int step = 0;; step++) {
        double moved[3];
        for (int k = 0; k < 3; k++) {
            moved[k] = offset[k] + (step == 0 ? 0 : ldexp(way[k], step - 30));
        }
        const kiln_box_transform by = transform_of(two, rotation, scale, moved);
        const kiln_open_node open = kiln_kernel_of(&kiln_kernel_scalar, x)->open;
        const uint32_t mask = open(&node_x.head, &by, &other, true, &opened, &probe);
        const kiln_kernel *kernel;
        for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
            assert_int_equal(
                kiln_kernel_of(kernel, x)->open(&node_x.head, &by, &other, true, &opened, &probe),
                mask);
        }
        if ((mask >> lane & 1) == 0) {
            return step;
        }
        assert_true(step < 60);
    }
}

static void volumes_that_meet_are_kept(void **unused)
{
    (void)unused;
    uint64_t state = 42;
    for (unsigned pair = 0; pair < KINDS * KINDS; pair++) {
        for (int round = 0; round < (is_shortened() ? 60 : 600); round++) {
            two_dops two;
            double rotation[9];
            any_rotation(&state, rotation);
            if (!form(&two, pair / KINDS, pair % KINDS, rotation)) {
                break;
            }
            assert_true(steps_apart(&state, &two, rotation) > 0);
        }
    }
}

/* A box that only its corner keeps from being apart of a lane: the least extents that hold `point`,
 * in exact arithmetic but for less than a float's last place, about a centre farther out. */
static void make_box_beyond(uint64_t *state, const double point[3], const double way[3],
                            double size, kiln_probe *probe)
{
    memset(probe, 0, sizeof *probe);
    kiln_rodrigues_steps((float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127),
                         (float)random_between(state, -127, 127), probe->axis);
    double centre[3] = {point[0], point[1], point[2]};
    for (int k = 0; k < 3; k++) {
        const float *a = probe->axis[k];
        const double along = (double)a[0] * way[0] + (double)a[1] * way[1] + (double)a[2] * way[2];
        const double half = size * random_between(state, 0, 1) * (along < 0 ? -1 : 1);
        for (int i = 0; i < 3; i++) {
            centre[i] += half * (double)a[i];
        }
    }
    for (int k = 0; k < 3; k++) {
        probe->centre[k] = (float)centre[k];
    }
    for (int k = 0; k < 3; k++) {
        long double along = 0;
        for (int i = 0; i < 3; i++) {
            along += (long double)probe->axis[k][i] *
                     ((long double)point[i] - (long double)probe->centre[i]);
        }
        probe->half[k] = nextafterf((float)fabsl(along), INFINITY);
    }
    probe->epsilon = 0x1p-17f;
    /* That of a probe which the kernels make: what the rounding of its centre comes to. */
    probe->slack = 0x1p-43f + 0x1p-23f * (fabsf(probe->centre[0]) + fabsf(probe->centre[1]) +
                                          fabsf(probe->centre[2]));
}

static void boxes_that_meet_slabs_are_kept(void **unused)
{
    (void)unused;
    uint64_t state = 44;
    for (unsigned i = 0; i < KINDS; i++) {
        const kiln_node_kind *kind = &kiln_node_kinds[i];
        for (int round = 0; round < (is_shortened() ? 2000 : 20000) && kind->dop != NULL; round++) {
            any_node node;
            double inside[LANES][3], p[3], way[3];
            draw_node(&state, kind, &node, inside);
            const unsigned lane = random_below(&state, LANES);
            for (int k = 0; k < 3; k++) {
                way[k] = random_between(&state, -1, 1);
            }
            go_out(kind, &node, lane, inside[lane], way, p);
            for (int k = 0; k < 3; k++) {
                p[k] -= (double)node.head.org[k];
            }
            kiln_probe probe;
            make_box_beyond(&state, p, way, ldexp(1, (int)random_below(&state, 20) - 14), &probe);
            const kiln_kernel *kernel;
            for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
                assert_true(
                    (kiln_kernel_of(kernel, kind)->refine(&node.head, &probe, 0xFF) >> lane & 1) !=
                    0);
            }
        }
    }
}

/* Numbers that no pose leads to, and slabs of nothing: masks are alike all the same. */
static void masks_of_anything_are_alike(void **unused)
{
    (void)unused;
    static const float bad[] = {INFINITY, NAN, 3e38f, 0x1p100f, 1e-45f};
    uint64_t state = 43;
    for (unsigned pair = 0; pair < KINDS * KINDS; pair++) {
        for (int round = 0; round < (is_shortened() ? 40 : 400); round++) {
            two_dops two;
            double rotation[9], inside[LANES][3];
            any_rotation(&state, rotation);
            if (!form(&two, pair / KINDS, pair % KINDS, rotation)) {
                break;
            }
            const kiln_node_kind *x = two.x.view.kind, *y = two.y.view.kind;
            any_node node_x, node_y;
            draw_node(&state, x, &node_x, inside);
            draw_node(&state, y, &node_y, inside);
            for (size_t i = sizeof node_x.head; i < x->node_size && round % 2 == 0; i++) {
                ((uint8_t *)&node_x)[i] = (uint8_t)random_below(&state, 256);
            }
            const double offset[3] = {random_between(&state, -0.1, 0.1), 0, 0};
            kiln_box_transform by = transform_of(&two, rotation, 1, offset);
            float *const places[] = {&by.scale, &by.slack, &by.epsilon};
            if (round % 4 == 0) {
                *places[random_below(&state, 3)] = bad[random_below(&state, 5)];
            }
            kiln_decoded_node other, opened;
            kiln_probe probe;
            memset(&other, 0, sizeof other);
            y->decode(&node_y.head, &other.lanes);
            other.org = node_y.head.org;
            other.node = &node_y.head;
            const uint32_t mask = kiln_kernel_of(&kiln_kernel_scalar, x)
                                      ->open(&node_x.head, &by, &other, true, &opened, &probe);
            const kiln_kernel *kernel;
            for (unsigned set = 1; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
                assert_int_equal(kiln_kernel_of(kernel, x)->open(&node_x.head, &by, &other, true,
                                                                 &opened, &probe),
                                 mask);
            }
        }
    }
}

/* -------------------------------------------------------------------------------- the fit -- */

/* Of every leaf: no corner beyond a slab, and no slab two steps wider than the corners need. */
static void check_fit(const kiln_tree *tree, const kiln_format_node8 *node, unsigned lane)
{
    const kiln_node_kind *kind = tree->view.kind;
    const kiln_contents leaf = kiln_node8_contents(node, lane);
    for (unsigned j = 0; j < kind->dop->slabs; j++) {
        float centre, half;
        double d[3], lower = HUGE_VAL, upper = -HUGE_VAL;
        direction_of(kind->dop, 3 + j, d);
        kiln_dop_decode_slab(kind->dop, node, lane, j, &centre, &half);
        for (uint32_t i = 0; i < 3 * leaf.count; i++) {
            const uint32_t stored = kiln_tree_triangle(tree, leaf.first + i / 3);
            const float *v = tree->vertices + 3 * tree->triangles[3 * stored + i % 3];
            double along = 0;
            for (int k = 0; k < 3; k++) {
                const double unit = ldexp(1, -tree->view.entry->scale_exponent);
                const double at = ((double)v[k] - tree->view.entry->origin[k]) * unit;
                along += d[k] * (at - (double)node->org[k]);
            }
            lower = fmin(lower, along);
            upper = fmax(upper, along);
        }
        const double step = (double)kiln_dop_grid_of(kind->dop, node, j).step;
        const double low = (double)centre - (double)half, high = (double)centre + (double)half;
        assert_true(low <= lower + 1e-12 && low > lower - 2 * step);
        assert_true(high >= upper - 1e-12 && high < upper + 2 * step);
    }
}

static void slabs_fit_their_triangles(void **unused)
{
    (void)unused;
    uint64_t state = 44;
    mesh meshes[] = {mesh_torus(20, 12, 0.2),      mesh_soup(&state, 400, 0.1),
                     mesh_box(0, 0, 0, 1, 2, 0),   mesh_box(0, 0, 0, 1, 0, 0), /* needles */
                     mesh_box(0, 0, -3, 0, 1, -3), mesh_box(7, 5, 0, 7, 5, 1),
                     mesh_box(7, 5, 1, 7, 5, 1)};
    for (size_t m = 0; m < sizeof meshes / sizeof meshes[0]; m++) {
        unsigned leaves = 0;
        void *bytes;
        kiln_file *file = quick_open(&meshes[m], QUICK_ALL_KINDS, 3, KILN_LAYOUT_RAW, &bytes);
        for (uint32_t i = 0; i < file->tree_count; i++) {
            const kiln_tree *tree = &file->trees[i];
            for (uint32_t n = 0; n < tree->view.entry->node_count; n++) {
                const kiln_format_node8 *node = kiln_tree_node(tree, n);
                for (unsigned lane = 0; lane < LANES && tree->view.kind->dop != NULL; lane++) {
                    if (kiln_node8_count(node, lane) != 0) {
                        check_fit(tree, node, lane);
                        leaves++;
                    }
                }
            }
        }
        assert_true(leaves >= 5); /* of each kind one */
        kiln_close(file);
        free(bytes);
        mesh_free(&meshes[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directions_are_sums_of_three),
        cmocka_unit_test(volumes_that_meet_are_kept),
        cmocka_unit_test(boxes_that_meet_slabs_are_kept),
        cmocka_unit_test(masks_of_anything_are_alike),
        cmocka_unit_test(slabs_fit_their_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
