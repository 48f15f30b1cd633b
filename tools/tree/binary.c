/* The binary tree that a builder's cuts make.
 *
 * The top of the tree is cut level by level, each node by one thread or the largest by all
 * together, down to subtrees of moderate size; these are tasks of one loop. What the tasks are
 * follows from the number of triangles alone, so threads do not show.
 *
 * Depth. Let a range of n triangles fill u = ceil(n / leaf) leaves, and let d inner nodes lie above
 * it. Kept true for every range: u <= 2^(D - d), D = KILN_BINARY_DEPTH_MAX.
 *   - The root: u <= 2^32 <= 2^60.
 *   - A builder's split is taken when both sides keep it true; otherwise the median's is, whose
 *     sides fill at most ceil(u / 2) <= 2^(D - d - 1) leaves.
 *   - At d = D a range fills one leaf, so it is one.
 * So no path has more than D inner nodes, and the C stack holds at most D frames of build_below. On
 * ordinary meshes the median never has to step in. Every level costs O(count), so time is at most
 * O(D count) whatever the input. */
#include "binary.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

enum {
    ITEMS_A_LEVEL = 256,   /* at most this many ranges of one level exceed count / 256 */
    ITEM_LIMIT_MIN = 4096, /* subtrees of less work than this are not worth a task of their own */
    WIDE_MIN = 1 << 15     /* nor are fewer triangles worth the start of threads */
};

typedef struct {
    kiln_binary *tree;
    kiln_record *records;
    uint32_t *marks;
    const kiln_divider *divider;
    uint32_t level_first; /* first item of the level that is being split */
} build;

bool kiln_depth_allows(uint32_t triangles, uint32_t leaf, uint32_t depth)
{
    KILN_ASSERT(depth <= KILN_BINARY_DEPTH_MAX && leaf > 0);
    return kiln_leaf_units(triangles, leaf) <= (uint64_t)1 << (KILN_BINARY_DEPTH_MAX - depth);
}

/* Cuts a range that is not a leaf, by the threads of `watch` where that is not NULL; then 0 where
 * it cancels. */
static uint32_t cut(const build *b, const kiln_range *range, uint32_t depth,
                    const kiln_watch *watch)
{
    KILN_ASSERT(range->last - range->first > b->tree->leaf);
    const uint32_t leaf = b->tree->leaf, count = range->last - range->first;
    kiln_record *records = b->records + range->first;
    uint32_t *marks = b->marks + range->first;
    uint32_t left = watch != NULL ? b->divider->wide(records, marks, count, leaf, watch)
                                  : b->divider->one(records, marks, count, leaf);
    if (left == 0) {
        return 0;
    }
    if (!kiln_depth_allows(left, leaf, depth + 1) ||
        !kiln_depth_allows(count - left, leaf, depth + 1)) {
        left = kiln_split_median(records, marks, count, leaf);
    }
    return range->first + left;
}

/* Returns the cut of the subtree's root, or 0 for a leaf. */
static uint32_t build_below(const build *b, kiln_range range, uint32_t depth)
{
    KILN_ASSERT(range.first < range.last);
    if (kiln_is_leaf(b->tree, &range)) {
        return 0;
    }
    const uint32_t split = cut(b, &range, depth, NULL);
    kiln_binary_node *node = &b->tree->nodes[split];
    node->left = build_below(b, (kiln_range){range.first, split, 0}, depth + 1);
    node->right = build_below(b, (kiln_range){split, range.last, 0}, depth + 1);
    return split;
}

uint32_t kiln_binary_cut_by_medians(kiln_binary *tree, kiln_record *records, uint32_t *marks,
                                    kiln_range range, uint32_t depth)
{
    static const kiln_divider medians = {kiln_split_median, NULL};
    const build b = {.tree = tree, .records = records, .marks = marks, .divider = &medians};
    return build_below(&b, range, depth);
}

/* Is the item one node, and not a whole subtree? */
static bool is_single(const kiln_binary *tree, const kiln_item *item)
{
    KILN_ASSERT(item->range.first < item->range.last);
    return item->range.last - item->range.first > tree->item_limit;
}

/* One task: cuts one of a level's nodes, unless all threads together have done so. */
static void split_single(void *context, uint32_t index)
{
    const build *b = context;
    KILN_ASSERT(b->level_first + index < b->tree->item_count);
    kiln_item *item = &b->tree->items[b->level_first + index];
    if (is_single(b->tree, item) && item->range.split == 0) {
        item->range.split = cut(b, &item->range, item->depth, NULL);
    }
}

/* Cuts those of a level by all threads together that would keep one thread busy while others wait.
 * What they are depends on the number of threads, the cuts don't. */
static bool split_largest(const build *b, const kiln_watch *watch)
{
    KILN_ASSERT(watch->threads > 0);
    kiln_binary *tree = b->tree;
    const uint32_t share = tree->count / (2 * watch->threads);
    kiln_watch still = *watch;
    still.to = still.from;
    if (watch->threads < 2 || b->divider->wide == NULL) {
        return true;
    }
    for (uint32_t i = b->level_first; i < tree->item_count; i++) {
        kiln_item *item = &tree->items[i];
        const uint32_t count = item->range.last - item->range.first;
        if (is_single(tree, item) && count > share && count > WIDE_MIN) {
            item->range.split = cut(b, &item->range, item->depth, &still);
            if (item->range.split == 0) {
                return false;
            }
        }
    }
    return true;
}

/* One task: a whole subtree. */
static void build_subtree(void *context, uint32_t index)
{
    const build *b = context;
    KILN_ASSERT(index < b->tree->item_count);
    kiln_item *item = &b->tree->items[index];
    if (!is_single(b->tree, item)) {
        item->range.split = build_below(b, item->range, item->depth);
    }
}

static uint32_t add_item(kiln_binary *tree, uint32_t first, uint32_t last, uint32_t depth)
{
    KILN_ASSERT(first < last);
    tree->items[tree->item_count] = (kiln_item){.range = {first, last, 0}, .depth = depth};
    return tree->item_count++;
}

void kiln_binary_list_items(kiln_binary *tree)
{
    KILN_ASSERT(tree->count > 0);
    tree->item_count = 0;
    add_item(tree, 0, tree->count, 0);
    tree->items[0].range.split = tree->root;
    for (uint32_t i = 0; i < tree->item_count; i++) {
        kiln_item *item = &tree->items[i];
        kiln_range side[2];
        if (!is_single(tree, item)) {
            continue;
        }
        kiln_sides(tree, &item->range, side);
        for (unsigned s = 0; s < 2; s++) {
            item->child[s] = add_item(tree, side[s].first, side[s].last, item->depth + 1);
            tree->items[item->child[s]].range.split = side[s].split;
        }
    }
}

void kiln_binary_link_items(kiln_binary *tree)
{
    KILN_ASSERT(tree->item_count > 0);
    for (uint32_t i = 0; i < tree->item_count; i++) {
        const kiln_item *item = &tree->items[i];
        if (is_single(tree, item)) {
            kiln_binary_node *node = &tree->nodes[item->range.split];
            node->left = tree->items[item->child[0]].range.split;
            node->right = tree->items[item->child[1]].range.split;
        }
    }
    tree->root = tree->items[0].range.split;
}

/* Level by level down to subtrees of moderate size, then these: tasks depend on the input alone. */
static bool build_all(build *b, const kiln_watch *watch)
{
    kiln_watch part = *watch;
    const double step = (watch->to - watch->from) / 16;
    add_item(b->tree, 0, b->tree->count, 0);
    for (uint32_t level = 0; level < b->tree->item_count;) {
        const uint32_t count = b->tree->item_count - level;
        part.to = part.from + (part.from + step < watch->to - 8 * step ? step : 0);
        b->level_first = level;
        if (!split_largest(b, &part) || !kiln_parallel_for(&part, count, split_single, b)) {
            return false;
        }
        part.from = part.to;

        /* The children of one level's single nodes make the next level. */
        const uint32_t level_last = b->tree->item_count;
        for (uint32_t i = level; i < level_last; i++) {
            kiln_item *item = &b->tree->items[i];
            if (is_single(b->tree, item)) {
                const kiln_range *r = &item->range;
                item->child[0] = add_item(b->tree, r->first, r->split, item->depth + 1);
                item->child[1] = add_item(b->tree, r->split, r->last, item->depth + 1);
            }
        }
        level += count;
    }
    part.to = watch->to;
    if (!kiln_parallel_for(&part, b->tree->item_count, build_subtree, b)) {
        return false;
    }
    kiln_binary_link_items(b->tree);
    return true;
}

bool kiln_binary_room(kiln_binary *tree, uint32_t count, uint32_t leaf, kiln_arena *arena)
{
    KILN_ASSERT(count > 0 && leaf > 0);
    const uint32_t share = count / ITEMS_A_LEVEL;
    *tree = (kiln_binary){.count = count, .leaf = leaf};
    tree->item_limit = share > ITEM_LIMIT_MIN ? share : ITEM_LIMIT_MIN;
    tree->nodes = kiln_arena_take(arena, count, sizeof *tree->nodes);
    /* Every level holds at most 256 single nodes, and only their children are items. */
    const size_t most =
        count > tree->item_limit ? 2 * ITEMS_A_LEVEL * KILN_BINARY_DEPTH_MAX + 1 : 1;
    tree->items = kiln_arena_take(arena, most, sizeof *tree->items);
    return tree->nodes != NULL && tree->items != NULL;
}

bool kiln_binary_build(kiln_binary *tree, kiln_record *records, uint32_t count, uint32_t leaf,
                       const kiln_divider *divider, const kiln_watch *watch, kiln_arena *arena,
                       bool *cancelled)
{
    uint32_t *marks = malloc(count * sizeof *marks);
    build b = {.tree = tree, .records = records, .marks = marks, .divider = divider};
    *cancelled = false;
    const bool ready = kiln_binary_room(tree, count, leaf, arena) && marks != NULL;
    if (ready) {
        *cancelled = !build_all(&b, watch);
    }
    free(marks);
    return ready && !*cancelled;
}
