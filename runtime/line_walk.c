/* The boxes along a line.
 *
 * A node is opened, all its lanes are tested at once, and those that the line may meet are put on a stack,
 * the nearest on top. Never more than seven wait on a level, so the stack has a size fixed at compile
 * time. A box that starts behind what a hit has cut the line to is dropped when it is taken. */
#include "line_walk.h"

#include <math.h>

enum { STACK = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH };

typedef struct {
    uint32_t first; /* inner: node; leaf: first slot */
    uint32_t count; /* inner: 0; leaf: triangles */
    float entry;    /* the line is not in the box before this s */
} waiting_box;

typedef struct {
    const kiln_tree *tree;
    kiln_slab_ray *ray;
    const kiln_kernel *kernel;
    waiting_box stack[STACK];
    unsigned height;
} walk;

static uint32_t meet_bytes(const walk *w, const kiln_format_node8 *node, float entry[8])
{
    const kiln_slab_ray *ray = w->ray;
    kiln_slabs slabs;
    for (unsigned k = 0; k < 3; k++) {
        const double inverse = ray->inverse[k];
        const double step = (double)kiln_node8_step(node->exp[k]) * inverse;
        const double start = ((double)node->org[k] - ray->origin[k]) * inverse;
        const double error = 0x1p-21 * (fabs(start) + 255 * fabs(step)) +
                             (double)ray->slack * fabs(inverse);
        const bool backward = inverse < 0;
        slabs.step[k] = (float)step;
        slabs.near[k] = (float)(start - error);
        slabs.far[k] = (float)(start + error);
        slabs.nearer[k] = (uint8_t)(8 * k + (backward ? 24 : 0));
        slabs.farther[k] = (uint8_t)(8 * k + (backward ? 0 : 24));
    }
    slabs.s_max = ray->s_max;
    return w->kernel->ray_bytes((const kiln_format_node_aabb8 *)(const void *)node, &slabs, entry);
}

static uint32_t meet_lanes(const walk *w, const kiln_format_node8 *node, float entry[8])
{
    const kiln_slab_ray *ray = w->ray;
    kiln_lanes lanes;
    kiln_ray_probe probe;
    float distance = 0;
    for (int k = 0; k < 3; k++) {
        probe.origin[k] = (float)(ray->origin[k] - (double)node->org[k]);
        probe.direction[k] = ray->narrow[k];
        distance += fabsf(probe.origin[k]);
    }
    probe.reach = 2 * ray->slack + 0x1p-18f * ray->length + 0x1p-21f * distance;
    probe.s_max = ray->s_max;
    w->tree->kind->decode(node, &lanes);
    return w->tree->kind->aligned ? w->kernel->ray_aligned(&lanes, &probe, entry)
                                  : w->kernel->ray_oriented(&lanes, &probe, entry);
}

/* Places a box among those of its node, which start at `base`, the nearest on top. */
static inline void push(walk *w, unsigned base, waiting_box box)
{
    unsigned place = w->height++;
    while (place > base && w->stack[place - 1].entry < box.entry) {
        w->stack[place] = w->stack[place - 1];
        place--;
    }
    w->stack[place] = box;
}

static void open_node(walk *w, uint32_t index)
{
    const kiln_format_node8 *node = kiln_tree_node(w->tree, index);
    const unsigned base = w->height;
    float entry[8];
    uint32_t mask = (w->tree->kind->bv == KILN_FORMAT_BV_AABB8 ? meet_bytes(w, node, entry)
                                                               : meet_lanes(w, node, entry)) &
                    kiln_node8_used(node);
    for (; mask != 0; mask &= mask - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(mask);
        const bool inner = (node->inner >> lane & 1) != 0;
        const waiting_box box = {inner ? kiln_node8_child(node, lane) : kiln_node8_slot(node, lane),
                                 inner ? 0 : kiln_node8_count(node, lane), entry[lane]};
        push(w, base, box);
    }
}

void kiln_line_walk(const kiln_tree *tree, kiln_slab_ray *ray, kiln_line_leaf leaf, void *user)
{
    walk w;
    w.tree = tree;
    w.ray = ray;
    w.kernel = kiln_kernel_active();
    w.height = 0;
    open_node(&w, 0);
    while (w.height > 0) {
        const waiting_box box = w.stack[--w.height];
        if (box.entry > ray->s_max) {
            continue;
        }
        if (box.count == 0) {
            open_node(&w, box.first);
        } else if (!leaf(user, ray, box.first, box.count)) {
            return;
        }
    }
}
