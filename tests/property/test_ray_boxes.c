/* What is sampled: nodes of one leaf whose box is made around a point, on whose faces or at whose
 * corners that is, or which is that point; orgs and steps in all of their range, those that no
 * encoder writes too; lines through the point in any direction, along axes and nearly so, from
 * near it and far away. In every instruction set.
 *
 * Oracle: the box holds the point and the line goes through it, so the leaf must be entered, and a
 * triangle in it that lies across the line be found. Tolerance: none.
 *
 * support/amount.h tells how many. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../../runtime/pose/line.h"
#include "../support/amount.h"
#include "../support/meshes.h"

enum { NODES = 60000, EXP_USUAL = 121, EXP_MOST = 137 };

/* A tree of one node with one triangle, in node space. */
typedef struct {
    kiln_format_tree entry;
    kiln_tree tree;
    kiln_file *file;
    union {
        kiln_format_node_aabb8 aabb;
        kiln_format_node_obb8 obb;
    } node;
    float vertices[9];
    uint32_t triangle[3], id;
} one_leaf;

static void make_leaf(one_leaf *leaf, int kind)
{
    memset(leaf, 0, sizeof *leaf);
    for (int k = 0; k < 3; k++) {
        leaf->entry.bounds_lower[k] = -1;
        leaf->entry.bounds_upper[k] = 1;
        leaf->triangle[k] = (uint32_t)k;
    }
    leaf->entry.node_count = 1;
    leaf->file = calloc(1, sizeof *leaf->file);
    assert_non_null(leaf->file);
    leaf->file->view.triangle_count = 1;
    leaf->tree.view.entry = &leaf->entry;
    leaf->tree.view.kind = &kiln_node_kinds[kind];
    leaf->tree.view.nodes = &leaf->node;
    leaf->tree.view.slots = 1;
    leaf->tree.file = leaf->file;
    leaf->tree.vertices = leaf->vertices;
    leaf->tree.triangles = leaf->triangle;
    leaf->tree.ids = &leaf->id;
}

/* An org and a step so that the point that is a number of steps away from the org is in the tree's
 * box. That point is exact. */
static double any_place(uint64_t *state, float *org, uint8_t *exp, uint32_t steps)
{
    for (;;) {
        const double near = random_below(state, 8) == 0 ? 0 : random_between(state, -1, 1);
        switch (random_below(state, 8)) {
        case 0:
            *exp = (uint8_t)(1 + random_below(state, 60));
            break;
        case 1:
            *exp = (uint8_t)(EXP_USUAL + 1 + random_below(state, EXP_MOST - EXP_USUAL));
            break;
        default:
            *exp = (uint8_t)(EXP_USUAL - random_below(state, 16));
            break;
        }
        const double away = steps * ldexp(1, *exp - 127);
        *org = (float)(near - away);
        if (fabsf(*org) <= 1024 && fabs((double)*org + away) <= 1) {
            return (double)*org + away;
        }
    }
}

static void make_aabb(uint64_t *state, one_leaf *leaf, unsigned lane, double point[3])
{
    kiln_format_node_aabb8 *node = &leaf->node.aabb;
    for (int k = 0; k < 3; k++) {
        const uint32_t step = random_below(state, 256);
        point[k] = any_place(state, &node->head.org[k], &node->head.exp[k], step);
        for (unsigned i = 0; i < 8; i++) {
            node->lower[k][i] = node->upper[k][i] = (uint8_t)random_below(state, 256);
        }
        node->lower[k][lane] = node->upper[k][lane] = (uint8_t)step;
        switch (random_below(state, 4)) {
        case 0:
            node->lower[k][lane] = (uint8_t)random_below(state, step + 1);
            break;
        case 1:
            node->upper[k][lane] = (uint8_t)(step + random_below(state, 256 - step));
            break;
        default:
            break;
        }
    }
}

/* A corner of a box whose axes are off by a few 2^-24 is kept so much away from its faces. */
static void make_obb(uint64_t *state, one_leaf *leaf, unsigned lane, double point[3])
{
    kiln_format_node_obb8 *node = &leaf->node.obb;
    kiln_lane_box box;
    const bool flat = random_below(state, 2) == 0;
    node->head.half_exp = (uint8_t)(112 + random_below(state, 8));
    for (int k = 0; k < 3; k++) {
        const uint32_t step = random_below(state, 256);
        point[k] = any_place(state, &node->head.org[k], &node->head.exp[k], step);
        for (unsigned i = 0; i < 8; i++) {
            node->centre[k][i] = (uint8_t)step;
            node->half[k][i] = (uint16_t)(flat ? 0 : random_below(state, 0x3C00));
            node->rotation[k][i] = (int8_t)((int)random_below(state, 255) - 127);
        }
    }
    kiln_obb8_decode_lane(node, lane, &box);
    for (int k = 0; k < 3; k++) {
        const double side = (1 - 0x1p-20) * ((double)random_below(state, 3) - 1);
        for (int j = 0; j < 3; j++) {
            point[j] += side * (double)box.half[k] * (double)box.axis[k][j];
        }
    }
}

static void any_way(uint64_t *state, double way[3])
{
    random_direction(state, way);
    const uint32_t how = random_below(state, 4);
    for (uint32_t k = 0; k < 3 && how < 2; k++) {
        if (random_below(state, 2) == 0) {
            way[k] *= how == 0 ? 0 : ldexp(1, -(int)random_below(state, 60));
        }
    }
    if (way[0] == 0 && way[1] == 0 && way[2] == 0) {
        way[random_below(state, 3)] = 1;
    }
    const double largest = fmax(fabs(way[0]), fmax(fabs(way[1]), fabs(way[2])));
    for (int k = 0; k < 3; k++) {
        way[k] /= largest;
    }
}

/* A triangle across the line around the point. */
static void set_triangle(one_leaf *leaf, const double point[3], const double way[3])
{
    int least = 0;
    double aside[3] = {0, 0, 0}, u[3], v[3];
    for (int k = 1; k < 3; k++) {
        least = fabs(way[k]) < fabs(way[least]) ? k : least;
    }
    aside[least] = 1;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        u[k] = way[i] * aside[j] - way[j] * aside[i];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        v[k] = way[i] * u[j] - way[j] * u[i];
    }
    for (int k = 0; k < 3; k++) {
        leaf->vertices[k] = (float)(point[k] + u[k]);
        leaf->vertices[3 + k] = (float)(point[k] - u[k] + v[k]);
        leaf->vertices[6 + k] = (float)(point[k] - u[k] - v[k]);
    }
}

static void check_line(const one_leaf *leaf, const kiln_line *line, unsigned lane)
{
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        for (int any = 0; any < 2; any++) {
            kiln_slab_ray ray;
            kiln_found_hit hit;
            assert_true(kernel->ray_form(&leaf->tree, line, 0, &ray));
            assert_true(
                (kernel->line_lanes(&leaf->tree, &ray, (const kiln_format_node8 *)&leaf->node) >>
                     lane &
                 1) != 0);
            assert_true(kernel->ray_find(&leaf->tree, &ray, 1, any != 0, &hit));
            assert_int_equal(hit.stored, 0);
        }
    }
}

static void run_kind(int kind, uint64_t seed)
{
    uint64_t state = seed;
    one_leaf leaf;
    make_leaf(&leaf, kind);
    for (uint32_t i = 0; i < amount(NODES); i++) {
        const unsigned lane = random_below(&state, 8);
        double point[3], way[3];
        kiln_format_node8 *head =
            kind == KILN_KIND_AABB8 ? &leaf.node.aabb.head : &leaf.node.obb.head;
        memset(head->count, 0, sizeof head->count);
        head->count[lane / 2] = (uint8_t)(1u << 4 * (lane % 2));
        do {
            if (kind == KILN_KIND_AABB8) {
                make_aabb(&state, &leaf, lane, point);
            } else {
                make_obb(&state, &leaf, lane, point);
            }
        } while (!(fabs(point[0]) <= 1 && fabs(point[1]) <= 1 && fabs(point[2]) <= 1));
        any_way(&state, way);
        set_triangle(&leaf, point, way);
        kiln_line line = {{0, 0, 0}, {way[0], way[1], way[2]}, -HUGE_VAL, HUGE_VAL};
        const double back =
            random_below(&state, 4) == 0 ? 0 : ldexp(1, (int)random_below(&state, 30) - 10);
        for (int k = 0; k < 3; k++) {
            line.origin[k] = point[k] - back * way[k];
        }
        if (random_below(&state, 2) == 0) {
            line.t_min = -1; /* floats of the triangle move it a little */
            line.t_max = 2 * back + 1;
        }
        check_line(&leaf, &line, lane);
    }
    free(leaf.file);
}

static void test_boxes_in_steps(void **state)
{
    (void)state;
    run_kind(KILN_KIND_AABB8, 31);
}

static void test_oriented_boxes(void **state)
{
    (void)state;
    run_kind(KILN_KIND_OBB8, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_in_steps),
        cmocka_unit_test(test_oriented_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
