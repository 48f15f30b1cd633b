/* A hierarchy of groups, and its writing as a binary tree of cuts.
 *
 * Depth. The bound of binary.c is kept by its own rule: a range of n triangles at depth d, which
 * fills u = ceil(n / leaf) leaves, must have u <= 2^(D - d), D = KILN_BINARY_DEPTH_MAX. A group is
 * written as it is if both of its sides keep that true; otherwise all below it is cut by medians
 * instead, which do. Only chains of nearly D groups are met by it, which no ordinary mesh makes.
 *
 * The hierarchy may be as deep as it has groups, so nothing here recurses over it but the writing
 * of what lies within the bound. What becomes one leaf or is cut anew is gathered without
 * recursion, by the way through the parents. */
#include "hierarchy.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const kiln_hierarchy *h;
    const kiln_record *from; /* in the order of the leaves' runs */
    kiln_record *records;
    uint32_t *marks;
    uint32_t placed; /* records that have their place */
    kiln_binary *tree;
} writing;

bool kiln_hierarchy_room(kiln_hierarchy *h, uint32_t leaf_count)
{
    KILN_ASSERT(leaf_count > 0 && h->groups == NULL);
    h->leaf_count = leaf_count;
    const bool numbered = leaf_count <= UINT32_MAX / 2; /* or there are not numbers for all */
    h->groups = numbered ? malloc((2 * (size_t)leaf_count - 1) * sizeof *h->groups) : NULL;
    return h->groups != NULL;
}

void kiln_hierarchy_free(kiln_hierarchy *h)
{
    free(h->groups);
    h->groups = NULL;
}

void kiln_hierarchy_set_leaf(kiln_hierarchy *h, uint32_t leaf, const kiln_record *records,
                             uint32_t first, uint32_t count)
{
    KILN_ASSERT(leaf < h->leaf_count && count > 0);
    kiln_group *group = &h->groups[leaf];
    *group = (kiln_group){.child = {first, 0}, .parent = leaf, .count = count};
    for (unsigned k = 0; k < 3; k++) {
        group->lower[k] = kiln_record_lower(&records[first], k);
        group->upper[k] = kiln_record_upper(&records[first], k);
        for (uint32_t i = first + 1; i < first + count; i++) {
            const float low = kiln_record_lower(&records[i], k);
            const float high = kiln_record_upper(&records[i], k);
            group->lower[k] = low < group->lower[k] ? low : group->lower[k];
            group->upper[k] = high > group->upper[k] ? high : group->upper[k];
        }
    }
}

void kiln_hierarchy_join(kiln_hierarchy *h, uint32_t group, uint32_t left, uint32_t right)
{
    KILN_ASSERT(group >= h->leaf_count && left != right);
    kiln_group *a = &h->groups[left], *b = &h->groups[right], *out = &h->groups[group];
    for (unsigned k = 0; k < 3; k++) {
        out->lower[k] = a->lower[k] < b->lower[k] ? a->lower[k] : b->lower[k];
        out->upper[k] = a->upper[k] > b->upper[k] ? a->upper[k] : b->upper[k];
    }
    out->child[0] = left;
    out->child[1] = right;
    out->count = a->count + b->count;
    a->parent = b->parent = group;
}

/* The records of a leaf get the next places. */
static void place_leaf(writing *w, uint32_t leaf)
{
    const kiln_group *group = &w->h->groups[leaf];
    KILN_ASSERT(kiln_group_is_leaf(w->h, leaf));
    memcpy(w->records + w->placed, w->from + group->child[0], group->count * sizeof *w->records);
    w->placed += group->count;
}

/* The records of all leaves below a group, left to right: down to the first leaf, then up to the
 * first group that was entered from its left, and down its right side. */
static void place_all(writing *w, uint32_t top)
{
    const kiln_hierarchy *h = w->h;
    uint32_t at = top;
    for (;;) {
        while (!kiln_group_is_leaf(h, at)) {
            at = h->groups[at].child[0];
        }
        place_leaf(w, at);
        while (at != top && h->groups[h->groups[at].parent].child[1] == at) {
            at = h->groups[at].parent;
        }
        if (at == top) {
            return;
        }
        at = h->groups[h->groups[at].parent].child[1];
    }
}

/* Writes what is below a group from the next place on, and returns the cut of its root, or 0 for a
 * leaf. Recursion at most KILN_BINARY_DEPTH_MAX deep. */
static uint32_t write_below(writing *w, uint32_t group, uint32_t depth)
{
    const kiln_group *g = &w->h->groups[group];
    const kiln_range range = {w->placed, w->placed + g->count, 0};
    if (kiln_is_leaf(w->tree, &range)) {
        place_all(w, group);
        return 0;
    }
    KILN_ASSERT(depth < KILN_BINARY_DEPTH_MAX);
    bool within = !kiln_group_is_leaf(w->h, group);
    for (unsigned s = 0; s < 2 && within; s++) {
        within = kiln_depth_allows(w->h->groups[g->child[s]].count, w->tree->leaf, depth + 1);
    }
    if (!within) {
        place_all(w, group);
        return kiln_binary_cut_by_medians(w->tree, w->records, w->marks, range, depth);
    }
    const uint32_t split = range.first + w->h->groups[g->child[0]].count;
    const uint32_t left = write_below(w, g->child[0], depth + 1);
    const uint32_t right = write_below(w, g->child[1], depth + 1);
    w->tree->nodes[split].left = left;
    w->tree->nodes[split].right = right;
    return split;
}

bool kiln_hierarchy_write(const kiln_hierarchy *h, kiln_record *records, uint32_t count,
                          kiln_binary *tree, kiln_arena *arena)
{
    KILN_ASSERT(h->groups[h->root].count == count);
    kiln_record *from = malloc(count * sizeof *from);
    uint32_t *marks = malloc(count * sizeof *marks);
    const bool ready =
        from != NULL && marks != NULL && kiln_binary_room(tree, count, h->leaf, arena);
    if (ready) {
        memcpy(from, records, count * sizeof *from);
        writing w = {.h = h, .from = from, .records = records, .marks = marks, .tree = tree};
        tree->root = write_below(&w, h->root, 0);
        KILN_ASSERT(w.placed == count);
        kiln_binary_list_items(tree);
    }
    free(marks);
    free(from);
    return ready;
}
