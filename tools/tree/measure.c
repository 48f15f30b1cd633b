#include "measure.h"

typedef struct {
    const kiln_cloud *cloud;
    kiln_binary *tree;
    kiln_fit_node fit;
    bool with_moments;
    kiln_measure *items; /* of each item of the tree's top */
} pass;

void kiln_measure_triangles(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                            bool with_moments, kiln_measure *measure)
{
    measure->moments = kiln_moments_none;
    kiln_cloud_bounds(cloud, first, last, &measure->bounds);
    for (uint32_t t = first; with_moments && t < last; t++) {
        double p[3][3];
        kiln_moments one;
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned k = 0; k < 3; k++) {
                p[i][k] = kiln_frame_apply(&cloud->frame, k, cloud->records[t].corner[i][k]);
            }
        }
        kiln_moments_of_triangle(p, &one);
        kiln_moments_join(&measure->moments, &one);
    }
}

static void join(kiln_measure *measure, const kiln_measure *other)
{
    kiln_extents_join(&measure->bounds, &other->bounds);
    kiln_moments_join(&measure->moments, &other->moments);
}

/* The greater of the children's heights and one. Leaves have height 0. */
static void set_height(const kiln_binary *tree, const kiln_range *range)
{
    kiln_range side[2];
    unsigned height = 0;
    kiln_sides(tree, range, side);
    for (unsigned i = 0; i < 2; i++) {
        if (!kiln_is_leaf(tree, &side[i]) && tree->nodes[side[i].split].height > height) {
            height = tree->nodes[side[i].split].height;
        }
    }
    tree->nodes[range->split].height = (uint8_t)(height + 1);
}

/* Recursion as deep as the binary tree: at most KILN_BINARY_DEPTH_MAX + 1. */
static void measure_below(const pass *p, const kiln_range *range, kiln_measure *measure)
{
    if (kiln_is_leaf(p->tree, range)) {
        kiln_measure_triangles(p->cloud, range->first, range->last, p->with_moments, measure);
        return;
    }
    kiln_range side[2];
    kiln_measure right;
    kiln_sides(p->tree, range, side);
    measure_below(p, &side[0], measure);
    measure_below(p, &side[1], &right);
    join(measure, &right);
    p->fit(p->cloud, range, measure, &p->tree->nodes[range->split]);
    set_height(p->tree, range);
}

static void measure_subtree(void *context, uint32_t index)
{
    const pass *p = context;
    const kiln_item *item = &p->tree->items[index];
    if (item->child[0] == 0) {
        measure_below(p, &item->range, &p->items[index]);
    }
}

static void fit_single(void *context, uint32_t index)
{
    const pass *p = context;
    const kiln_item *item = &p->tree->items[index];
    if (item->child[0] != 0) {
        p->fit(p->cloud, &item->range, &p->items[index], &p->tree->nodes[item->range.split]);
    }
}

/* Children come after their parents in the list, so backwards. */
static void join_singles(const pass *p)
{
    for (uint32_t i = p->tree->item_count; i-- > 0;) {
        const kiln_item *item = &p->tree->items[i];
        if (item->child[0] != 0) {
            p->items[i] = p->items[item->child[0]];
            join(&p->items[i], &p->items[item->child[1]]);
            set_height(p->tree, &item->range);
        }
    }
}

bool kiln_measure_tree(const kiln_cloud *cloud, kiln_binary *tree, kiln_fit_node fit,
                       bool with_moments, const kiln_watch *watch, kiln_arena *arena,
                       bool *cancelled)
{
    pass p = {cloud, tree, fit, with_moments,
              kiln_arena_take(arena, tree->item_count, sizeof *p.items)};
    kiln_watch part = *watch;
    *cancelled = false;
    if (p.items == NULL) {
        return false;
    }
    part.to = watch->from + 0.8 * (watch->to - watch->from);
    *cancelled = !kiln_parallel_for(&part, tree->item_count, measure_subtree, &p);
    if (!*cancelled) {
        join_singles(&p);
        part.from = part.to;
        part.to = watch->to;
        *cancelled = !kiln_parallel_for(&part, tree->item_count, fit_single, &p);
    }
    return !*cancelled;
}
