/* The binary tree that a builder makes, before it is collapsed and encoded.
 *
 * The tree is an order of the triangles and a set of cuts: a node is a range [first, last) of the
 * order, an inner node also the position `split` of its cut. No two inner nodes have the same cut,
 * so nodes live in an array indexed by it: no counter that threads would share, 16 bytes a
 * triangle. Ranges of at most `leaf` triangles are leaves and have no entry. */
#ifndef KILN_BUILD_BINARY_H
#define KILN_BUILD_BINARY_H

#include "../common/memory.h"
#include "../common/parallel.h"
#include "split.h"

/* No path has more inner nodes than this: see binary.c. */
enum { KILN_BINARY_DEPTH_MAX = 60 };

typedef struct {
    uint32_t left, right; /* cut of each side that is an inner node */
    union {
        float half_area; /* of the bounding volume, node space; until the collapse is planned */
        uint32_t shares; /* how the collapse opens it: see collapse8.c */
    };
    int8_t rotation[3]; /* of the bounding volume */
    uint8_t height;     /* inner nodes on the longest path down, this one included */
} kiln_binary_node;

typedef struct {
    uint32_t first, last, split;
} kiln_range;

/* The top of the tree, breadth-first: parents before children. Items with more than item_limit
 * triangles are single nodes; the others stand for the whole subtree below them. */
typedef struct {
    kiln_range range;
    uint32_t child[2]; /* items; 0 for the others */
    uint32_t depth;
} kiln_item;

typedef struct {
    uint32_t count, leaf;
    uint32_t root; /* cut of the root; meaningless when count <= leaf */
    kiln_binary_node *nodes;
    kiln_item *items;
    uint32_t item_count, item_limit;
} kiln_binary;

/* Orders `records` and makes the tree. False: out of memory (*cancelled false) or cancelled. */
bool kiln_binary_build(kiln_binary *tree, kiln_record *records, uint32_t count, uint32_t leaf,
                       const kiln_divider *divider, const kiln_watch *watch, kiln_arena *arena,
                       bool *cancelled);

/* Room for the nodes and items of a tree. False: out of memory. */
bool kiln_binary_room(kiln_binary *tree, uint32_t count, uint32_t leaf, kiln_arena *arena);

/* Cuts a range at `depth` and all below it by medians, which keep the bound of depth where it holds
 * for the range. Returns the cut of the range, 0 for a leaf. `marks` are one a record. */
uint32_t kiln_binary_cut_by_medians(kiln_binary *tree, kiln_record *records, uint32_t *marks,
                                    kiln_range range, uint32_t depth);

/* May so many triangles be below `depth` inner nodes? The bound of binary.c. */
bool kiln_depth_allows(uint32_t triangles, uint32_t leaf, uint32_t depth);

/* The items anew, of a tree whose top has changed. */
void kiln_binary_list_items(kiln_binary *tree);

/* Cuts of the top and the root, of a tree whose subtrees' cuts have changed in the items. */
void kiln_binary_link_items(kiln_binary *tree);

static inline bool kiln_is_leaf(const kiln_binary *tree, const kiln_range *range)
{
    return range->last - range->first <= tree->leaf;
}

/* The two sides of an inner node. */
static inline void kiln_sides(const kiln_binary *tree, const kiln_range *range, kiln_range side[2])
{
    const kiln_binary_node *node = &tree->nodes[range->split];
    side[0] = (kiln_range){range->first, range->split, node->left};
    side[1] = (kiln_range){range->split, range->last, node->right};
}

#endif
