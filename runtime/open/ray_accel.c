/* Unpacks a tree for faster rays, in the caller's memory: see kiln_rays.h.
 *
 * Boxes are along the axes of node space whatever the tree's own are: an oriented box costs a line
 * three times what one of these does. A lane's box is that of the corners below it. A coordinate in
 * node space is rounded three times on its way to a float, by less than 2^-23 of itself, for which
 * kernel/kernel_ray_accel.h has room. Nodes have higher numbers than their parents (rule 17), so
 * one pass from the last to the first meets every child before its parent. Trees whose leaves hold
 * parts of triangles are refused: around whole triangles their boxes overlap, and rays of an octree
 * took up to 1.6 times as long as without. */
#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/caller_memory.h"
#include "../base/tree.h"
#include "../kiln_rays.h"

#include <math.h>
#include <string.h>

struct kiln_ray_accel {
    kiln_tree tree; /* all but ray_nodes is that of the tree that it is for */
    kiln_ray_node *nodes;
    uint32_t groups; /* that follow the nodes */
};

enum {
    ACCEL_ALIGNMENT = 64,
    STEPS_OF_NODE = sizeof(kiln_ray_node) / KILN_RAY_ACCEL_STEP,
    STEPS_OF_GROUP = sizeof(kiln_ray_group) / KILN_RAY_ACCEL_STEP
};

KILN_STATIC_ASSERT(sizeof(kiln_ray_node) % KILN_RAY_ACCEL_STEP == 0 &&
                       sizeof(kiln_ray_group) % KILN_RAY_ACCEL_STEP == 0,
                   "nodes and groups are whole steps");
KILN_STATIC_ASSERT((KILN_LEAF_TRIANGLES_MAX + 3) / 4 <= KILN_RAY_MORE_MOST + 1,
                   "a reference says how many groups a leaf has");

static uint32_t groups_of(unsigned triangles)
{
    return (triangles + 3u) / 4u;
}

/* Of the leaves of all nodes. */
static uint64_t count_groups(const kiln_tree *tree)
{
    uint64_t groups = 0;
    for (uint32_t i = 0; i < tree->view.entry->node_count; i++) {
        const kiln_format_node8 *node = kiln_tree_node(tree, i);
        for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
            groups += (node->inner >> lane & 1) != 0 ? 0 : groups_of(kiln_node8_count(node, lane));
        }
    }
    return groups;
}

static size_t head_size(void)
{
    return (sizeof(kiln_ray_accel) + ACCEL_ALIGNMENT - 1) / ACCEL_ALIGNMENT * ACCEL_ALIGNMENT;
}

/* KILN_ERROR_LIMIT: a reference could not say where all of it is. */
static kiln_status measure_accel(const kiln_tree *tree, uint32_t *groups, size_t *size)
{
    if (tree->view.kind->shared) {
        return KILN_ERROR_KIND;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    const uint64_t count = count_groups(tree);
    const uint64_t steps =
        (uint64_t)tree->view.entry->node_count * STEPS_OF_NODE + count * STEPS_OF_GROUP;
    const uint64_t bytes = steps * KILN_RAY_ACCEL_STEP + head_size() + ACCEL_ALIGNMENT - 1;
    if (steps > UINT32_MAX / KILN_RAY_PLACE || bytes > SIZE_MAX) {
        return KILN_ERROR_LIMIT;
    }
    *groups = (uint32_t)count;
    *size = (size_t)bytes;
    return KILN_OK;
}

size_t kiln_ray_accel_size(const kiln_tree *tree)
{
    uint32_t groups;
    size_t size;
    return tree != NULL && measure_accel(tree, &groups, &size) == KILN_OK ? size : 0;
}

/* -------------------------------------------------------------------------------------- boxes --
 */

typedef struct {
    double lower[3], upper[3];
} space_box;

static const space_box no_box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};

static void put_box(kiln_ray_node *node, unsigned lane, const space_box *box)
{
    for (unsigned k = 0; k < 3; k++) {
        node->face[0][k][lane] = (float)box->lower[k];
        node->face[1][k][lane] = (float)box->upper[k];
    }
}

/* The box of all lanes of a node; empty ones change nothing. */
static void join_lanes(const kiln_ray_node *node, space_box *box)
{
    *box = no_box;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned lane = 0; lane < 8; lane++) {
            box->lower[k] = fmin(box->lower[k], (double)node->face[0][k][lane]);
            box->upper[k] = fmax(box->upper[k], (double)node->face[1][k][lane]);
        }
    }
}

/* The corners of `count` triangles from a slot on into groups of four, and their box. */
static void put_leaf(const kiln_tree *tree, uint32_t first, uint32_t count, kiln_ray_group *group,
                     space_box *box)
{
    const kiln_format_tree *entry = tree->view.entry;
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    *box = no_box;
    for (uint32_t i = 0; i < 4 * groups_of(count); i++) {
        const uint32_t stored = kiln_tree_triangle(tree, first + (i < count ? i : count - 1));
        const float *place[3];
        float room[10];
        kiln_tree_corner_places(tree, stored, place, room);
        group[i / 4].stored[i % 4] = stored;
        for (unsigned c = 0; c < 3; c++) {
            for (unsigned k = 0; k < 3; k++) {
                const double at = ((double)place[c][k] - entry->origin[k]) * unit;
                group[i / 4].corner[c][k][i % 4] = place[c][k];
                box->lower[k] = fmin(box->lower[k], at);
                box->upper[k] = fmax(box->upper[k], at);
            }
        }
    }
}

/* Fills node `index`, whose children are filled; its groups end where `end` says, which is
 * moved to where they begin. */
static void fill_node(kiln_ray_accel *accel, uint32_t index, uint32_t *end)
{
    const kiln_tree *tree = &accel->tree;
    const kiln_format_node8 *node = kiln_tree_node(tree, index);
    const size_t nodes = tree->view.entry->node_count;
    kiln_ray_node *out = accel->nodes + index;
    kiln_ray_group *const groups = (kiln_ray_group *)(void *)(accel->nodes + nodes);
    const unsigned used = kiln_node8_used(node);
    unsigned lane = (unsigned)__builtin_popcount(used);
    space_box box;
    memset(out, 0, sizeof *out);
    for (unsigned i = lane; i < 8; i++) {
        put_box(out, i, &no_box);
    }
    for (unsigned round = 0; round < 2; round++) { /* from the last to the first: inner lanes */
        const unsigned of = round == 0 ? used & node->inner : used & ~(unsigned)node->inner;
        for (unsigned i = 8; i > 0; i--) {
            if ((of >> (i - 1) & 1) == 0) {
                continue;
            }
            const kiln_contents in = kiln_node8_contents(node, i - 1);
            lane--;
            if (in.count == 0) {
                join_lanes(accel->nodes + in.first, &box);
                out->references[lane] = in.first * (STEPS_OF_NODE * KILN_RAY_PLACE);
            } else {
                const uint32_t own = groups_of(in.count);
                KILN_ASSERT(*end >= own);
                *end -= own;
                put_leaf(tree, in.first, in.count, groups + *end, &box);
                out->references[lane] =
                    ((uint32_t)nodes * STEPS_OF_NODE + *end * STEPS_OF_GROUP) * KILN_RAY_PLACE +
                    ((own - 1) << KILN_RAY_MORE_SHIFT) + KILN_RAY_LEAF;
            }
            put_box(out, lane, &box);
        }
    }
    KILN_ASSERT(lane == 0);
}

/* KILN_ERROR_RULE: the tree is outside node space. Faces are then farther than the kernels take. */
static kiln_status fill_accel(kiln_ray_accel *accel)
{
    uint32_t end = accel->groups;
    space_box all;
    memcpy(accel->tree.ray_hash, accel->tree.view.entry->geometry_hash,
           sizeof accel->tree.ray_hash);
    for (uint32_t i = accel->tree.view.entry->node_count; i > 0; i--) {
        fill_node(accel, i - 1, &end);
    }
    KILN_ASSERT(end == 0);
    join_lanes(accel->nodes, &all);
    for (unsigned k = 0; k < 3; k++) {
        if (!(all.lower[k] >= -KILN_RAY_FACE_MOST && all.upper[k] <= KILN_RAY_FACE_MOST)) {
            return KILN_ERROR_RULE;
        }
    }
    return KILN_OK;
}

/* --------------------------------------------------------------------------------- for callers --
 */

kiln_status kiln_ray_accel_update(kiln_ray_accel *accel)
{
    if (accel == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(fill, fill_accel);
    const kiln_status status = fill(accel);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_ray_accel_place(void *memory, size_t size, const kiln_tree *tree,
                                 kiln_ray_accel **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (memory == NULL || tree == NULL || out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    uint32_t groups;
    size_t needed;
    const kiln_status status = measure_accel(tree, &groups, &needed);
    if (status != KILN_OK) {
        return status;
    }
    if (size < needed) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + kiln_memory_skip(memory, ACCEL_ALIGNMENT);
    kiln_ray_accel *accel = (kiln_ray_accel *)(void *)start;
    accel->tree = *tree;
    accel->nodes = (kiln_ray_node *)(void *)(start + head_size());
    accel->groups = groups;
    accel->tree.ray_nodes = accel->nodes;
    const kiln_status filled = kiln_ray_accel_update(accel);
    if (filled == KILN_OK) {
        *out = accel;
    }
    return filled;
}

const kiln_tree *kiln_ray_accel_tree(const kiln_ray_accel *accel)
{
    return accel != NULL ? &accel->tree : NULL;
}
