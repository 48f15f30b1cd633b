/* Walks of an octree by its marked pairs of lanes. Boxes are compared as whole numbers of steps,
 * all lanes of a node at a time. */
#include "cells.h"

#include "assert.h"
#include "vector.h"

#include <math.h>
#include <string.h>

enum {
    CELLS_WAITING = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH,
    CELL_STEPS = 2 + 2 * KILN_TREE_DEPTH_MAX
};

/* Room about a box that another is held against, times 1 and the sizes of its coordinates. Let p be
 * a point that both hold. It may lie outside of each by KILN_CELL_SLACK, so that they are apart by
 * 2^-39 (1 + |p|) at most. The difference between a side and an origin is rounded by no more than
 * that between p and the origin, which is 1024 at most: 2^-42 (1 + |p|). The room is more than the
 * sum of these, so the two boxes are found to meet. */
#define CELL_ROOM 0x1p-38

typedef uint8_t cell_bytes __attribute__((vector_size(8)));

/* Lanes of a node, as a step of the way to a pair of leaves. */
typedef struct {
    uint32_t node;
    uint8_t other; /* the step whose lane in hand it was opened against */
    uint8_t mask;  /* lanes not taken yet */
    uint8_t lane;  /* in hand */
} cell_step;
KILN_STATIC_ASSERT(CELL_STEPS <= UINT8_MAX, "numbers of steps");

/* ----------------------------------------------------------------------------------- boxes -- */

void kiln_cells_box(const kiln_format_node8 *node, unsigned lane, kiln_cell_box *out)
{
    const kiln_format_node_aabb8 *box = (const kiln_format_node_aabb8 *)(const void *)node;
    for (int k = 0; k < 3; k++) {
        const double step = (double)kiln_node8_step(node->exp[k]), org = (double)node->org[k];
        out->lower[k] = org + box->lower[k][lane] * step;
        out->upper[k] = org + box->upper[k][lane] * step;
    }
}

/* The same with room. */
static void box_of_lane(const kiln_format_node8 *node, unsigned lane, kiln_cell_box *out)
{
    kiln_cells_box(node, lane, out);
    for (int k = 0; k < 3; k++) {
        out->lower[k] -= CELL_ROOM * (1 + fabs(out->lower[k]));
        out->upper[k] += CELL_ROOM * (1 + fabs(out->upper[k]));
    }
}

uint32_t kiln_cells_that_meet(const kiln_format_node8 *node, const kiln_cell_box *with)
{
    const kiln_format_node_aabb8 *box = (const kiln_format_node_aabb8 *)(const void *)node;
    cell_bytes apart = {0};
    for (int k = 0; k < 3; k++) {
        const double per_step = kiln_power_of_two(127 - (int)node->exp[k]);
        const double from = (with->lower[k] - (double)node->org[k]) * per_step;
        const double to = (with->upper[k] - (double)node->org[k]) * per_step;
        cell_bytes lower, upper;
        if (!(from <= 255 && to >= 0)) {
            return 0;
        }
        const uint8_t least = (uint8_t)(255 - (int)(255 - (from > 0 ? from : 0)));
        const uint8_t largest = (uint8_t)(int)(to < 255 ? to : 255);
        memcpy(&lower, box->lower[k], sizeof lower);
        memcpy(&upper, box->upper[k], sizeof upper);
        apart |= (cell_bytes)(lower > largest) | (cell_bytes)(upper < least);
    }
    uint64_t bytes;
    memcpy(&bytes, &apart, sizeof bytes);
    const uint64_t bits = (bytes & 0x0101010101010101) * 0x0102040810204080 >> 56;
    return kiln_node8_used(node) & ~(uint32_t)bits;
}

void kiln_cell_pair_bound(const kiln_format_tree *entry, const double a[9], const double b[9],
                          kiln_cell_box *out)
{
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        const double low = kiln_larger(kiln_smaller(a[k], kiln_smaller(a[3 + k], a[6 + k])),
                                       kiln_smaller(b[k], kiln_smaller(b[3 + k], b[6 + k])));
        const double high = kiln_smaller(kiln_larger(a[k], kiln_larger(a[3 + k], a[6 + k])),
                                         kiln_larger(b[k], kiln_larger(b[3 + k], b[6 + k])));
        const double lower = (low - entry->origin[k]) * unit;
        const double upper = (high - entry->origin[k]) * unit;
        out->lower[k] = lower - CELL_ROOM * (1 + fabs(lower));
        out->upper[k] = upper + CELL_ROOM * (1 + fabs(upper));
    }
}

/* ---------------------------------------------------------------------------------- places -- */

bool kiln_cells_leaf_holds(const kiln_view_tree *tree, kiln_contents leaf, uint32_t stored,
                           uint32_t *slot)
{
    for (uint32_t i = 0; i < leaf.count; i++) {
        if (kiln_view_tree_triangle(tree, leaf.first + i) == stored) {
            *slot = leaf.first + i;
            return true;
        }
    }
    return false;
}

static bool is_marked(uint32_t pairs, unsigned i, unsigned j)
{
    return i == j || (pairs & (i < j ? kiln_lane_pair_bit(i, j) : kiln_lane_pair_bit(j, i))) != 0;
}

/* Does a leaf have one of two triangles, and itself, or a leaf of the same node that is marked with
 * it, the other? */
static bool find_in_node(const kiln_view_tree *tree, kiln_cell_pair *of, uint32_t index,
                         unsigned lane)
{
    const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
    const uint32_t pairs = tree->lane_pairs[index];
    for (unsigned turn = 0; turn < 2; turn++) {
        uint32_t slot[2];
        if (!kiln_cells_leaf_holds(tree, kiln_node8_contents(node, lane), of->stored[turn],
                                   &slot[turn])) {
            continue;
        }
        uint32_t leaves = kiln_node8_used(node) & ~(uint32_t)node->inner;
        for (; leaves != 0; leaves &= leaves - 1) {
            const unsigned other = (unsigned)__builtin_ctz(leaves);
            if (is_marked(pairs, lane, other) &&
                kiln_cells_leaf_holds(tree, kiln_node8_contents(node, other), of->stored[1 - turn],
                                      &slot[1 - turn])) {
                memcpy(of->slot, slot, sizeof slot);
                return true;
            }
        }
    }
    return false;
}

/* The first place in one node, in the order of lanes that meet what the triangles' bounds have in
 * common. False: there is none. */
static bool find_in_nodes(const kiln_view_tree *tree, kiln_cell_pair *of)
{
    struct {
        uint32_t node, mask;
    } path[KILN_TREE_DEPTH_MAX];
    unsigned height = 0;
    uint32_t index = 0;
    for (bool enters = true;;) {
        if (enters) {
            if (of->stops != NULL && of->stops(of->user)) {
                return false;
            }
            KILN_ASSERT(height < KILN_TREE_DEPTH_MAX);
            path[height].node = index;
            path[height++].mask =
                kiln_cells_that_meet(kiln_view_tree_node(tree, index), &of->common);
        }
        while (height > 0 && path[height - 1].mask == 0) {
            height--;
        }
        if (height == 0) {
            return false;
        }
        const unsigned lane = (unsigned)__builtin_ctz(path[height - 1].mask);
        path[height - 1].mask &= path[height - 1].mask - 1;
        const kiln_contents contents =
            kiln_node8_contents(kiln_view_tree_node(tree, path[height - 1].node), lane);
        enters = contents.count == 0;
        index = contents.first;
        if (!enters && find_in_node(tree, of, path[height - 1].node, lane)) {
            return true;
        }
    }
}

bool kiln_cell_pair_meets(const kiln_view_tree *tree, const kiln_cell_pair *of, uint32_t node)
{
    const kiln_format_node8 *with = kiln_view_tree_node(tree, node);
    const uint32_t slot = of->slot[0] < of->slot[1] ? of->slot[0] : of->slot[1];
    uint32_t leaves = kiln_cells_that_meet(with, &of->common) & ~(uint32_t)with->inner;
    for (; leaves != 0; leaves &= leaves - 1) {
        const kiln_contents leaf = kiln_node8_contents(with, (unsigned)__builtin_ctz(leaves));
        if (slot - leaf.first < leaf.count) {
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------------------------ walk -- */

static bool walk_stops(const kiln_cell_visitor *visitor)
{
    return visitor->stops != NULL && visitor->stops(visitor->user);
}

static uint32_t lanes_entered(const kiln_cell_visitor *visitor, const kiln_format_node8 *node)
{
    return visitor->within != NULL ? kiln_cells_that_meet(node, visitor->within)
                                   : kiln_node8_used(node);
}

/* What a lane contains. Where the node of an inner lane has only leaves, and few triangles in all,
 * the lane is taken as one leaf that contains all of these. */
static kiln_contents cell_contents(const kiln_view_tree *tree, const kiln_format_node8 *node,
                                   unsigned lane)
{
    const kiln_contents lane_has = kiln_node8_contents(node, lane);
    if (lane_has.count == 0) {
        const kiln_format_node8 *below = kiln_view_tree_node(tree, lane_has.first);
        uint32_t count = 0;
        for (unsigned i = 0; i < KILN_NODE_WIDTH; i++) {
            count += kiln_node8_count(below, i);
        }
        if (below->inner == 0 && count - 1 < KILN_LEAF_TRIANGLES_MAX) {
            return (kiln_contents){below->tri, count};
        }
    }
    return lane_has;
}

/* All pairs of leaves below two lanes of a node. */
static bool descend_cells(const kiln_view_tree *tree, const kiln_cell_visitor *visitor,
                          uint32_t index, unsigned lane_x, unsigned lane_y)
{
    cell_step path[CELL_STEPS];
    const bool leaves = ((uint32_t)kiln_view_tree_node(tree, index)->inner &
                         ((1u << lane_x) | (1u << lane_y))) == 0;
    uint32_t top = 1, number = 1;
    path[0] = (cell_step){index, 0, 0, (uint8_t)lane_x};
    path[1] = (cell_step){index, 0, 0, (uint8_t)lane_y};
    while (!walk_stops(visitor)) {
        /* The lane in hand of a step and that which it was opened against. */
        const cell_step *hand[2] = {&path[number], &path[path[number].other]};
        kiln_contents contents[2];
        kiln_cell_box box[2];
        double size[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            const kiln_format_node8 *node = kiln_view_tree_node(tree, hand[i]->node);
            contents[i] = cell_contents(tree, node, hand[i]->lane);
            box_of_lane(node, hand[i]->lane, &box[i]);
            for (int k = 0; k < 3; k++) {
                size[i] += box[i].upper[k] - box[i].lower[k];
            }
        }
        if (contents[0].count != 0 && contents[1].count != 0) {
            if (!visitor->leaves(visitor->user, top == 1 && leaves ? index : KILN_NO_INDEX,
                                 contents[0], contents[1])) {
                return false;
            }
        } else {
            const int of =
                contents[1].count != 0 || (contents[0].count == 0 && size[0] >= size[1]) ? 0 : 1;
            const kiln_format_node8 *node = kiln_view_tree_node(tree, contents[of].first);
            const uint32_t mask =
                kiln_cells_that_meet(node, &box[1 - of]) & lanes_entered(visitor, node);
            KILN_ASSERT(top + 1 < CELL_STEPS);
            path[++top] =
                (cell_step){contents[of].first, (uint8_t)(hand[1 - of] - path), (uint8_t)mask, 0};
        }
        while (top >= 2 && path[top].mask == 0) {
            top--;
        }
        if (top < 2) {
            return true;
        }
        path[top].lane = (uint8_t)__builtin_ctz(path[top].mask);
        path[top].mask &= (uint8_t)(path[top].mask - 1);
        number = top;
    }
    return false;
}

/* Visits the pairs of lanes that a node marks, except those in `done`. */
static bool descend_pairs(const kiln_view_tree *tree, const kiln_cell_visitor *visitor,
                          uint32_t index, uint32_t done)
{
    const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
    const uint32_t pairs = tree->lane_pairs[index] & KILN_LANE_PAIRS_ALL & ~done;
    const uint32_t used = pairs != 0 ? lanes_entered(visitor, node) : 0;
    for (unsigned j = 1; j < KILN_NODE_WIDTH && pairs >> (j * (j - 1) / 2) != 0; j++) {
        uint32_t left = (used >> j & 1) != 0 ? pairs >> (j * (j - 1) / 2) & ((1u << j) - 1u) : 0;
        for (left &= used; left != 0; left &= left - 1) {
            const unsigned i = (unsigned)__builtin_ctz(left);
            const bool leaves =
                ((uint32_t)node->inner >> i & 1) == 0 && ((uint32_t)node->inner >> j & 1) == 0;
            kiln_cell_box box;
            box_of_lane(node, i, &box);
            if ((leaves || (kiln_cells_that_meet(node, &box) >> j & 1) != 0) &&
                !descend_cells(tree, visitor, index, i, j)) {
                return false;
            }
        }
    }
    return true;
}

/* The leaves of a node. Their slots follow one another, so that those of several that are marked
 * with each other are taken as one leaf; *done gets the pairs of lanes that these were. */
static bool look_into_leaves(const kiln_view_tree *tree, const kiln_cell_visitor *visitor,
                             uint32_t index, uint32_t *done)
{
    const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
    const uint32_t pairs = tree->lane_pairs[index];
    uint32_t left = kiln_node8_used(node) & ~(uint32_t)node->inner;
    while (left != 0) {
        const unsigned first = (unsigned)__builtin_ctz(left);
        kiln_contents run = kiln_node8_contents(node, first);
        uint32_t lanes = 1u << first;
        for (left &= left - 1; left != 0; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(left);
            const uint32_t count = kiln_node8_count(node, lane);
            const uint32_t marked = pairs >> (lane * (lane - 1) / 2) & lanes;
            if (marked != lanes || run.count + count > KILN_LEAF_TRIANGLES_MAX) {
                break;
            }
            *done |= lanes << (lane * (lane - 1) / 2);
            lanes |= 1u << lane;
            run.count += count;
        }
        if (run.count > 1 && !visitor->leaf(visitor->user, index, run)) {
            return false;
        }
    }
    return true;
}

/* All nodes that are entered. */
void kiln_cells_walk(const kiln_view_tree *tree, const kiln_cell_visitor *visitor)
{
    uint32_t waiting[CELLS_WAITING];
    unsigned height = 1;
    waiting[0] = 0;
    while (height > 0 && !walk_stops(visitor)) {
        const uint32_t index = waiting[--height];
        const kiln_format_node8 *node = kiln_view_tree_node(tree, index);
        uint32_t done = 0;
        if ((visitor->leaf != NULL && !look_into_leaves(tree, visitor, index, &done)) ||
            !descend_pairs(tree, visitor, index, done)) {
            return;
        }
        for (uint32_t mask = lanes_entered(visitor, node) & node->inner; mask != 0;
             mask &= mask - 1) {
            KILN_ASSERT(height < CELLS_WAITING);
            waiting[height++] = kiln_node8_child(node, (unsigned)__builtin_ctz(mask));
        }
    }
}

typedef struct {
    const kiln_view_tree *tree;
    kiln_cell_pair *pair;
    bool found;
} place_search;

static bool search_stops(void *user)
{
    const kiln_cell_pair *pair = ((const place_search *)user)->pair;
    return pair->stops != NULL && pair->stops(pair->user);
}

static bool look_for_pair(void *user, uint32_t node, kiln_contents x, kiln_contents y)
{
    place_search *s = (place_search *)user;
    (void)node;
    for (unsigned turn = 0; turn < 2 && !s->found; turn++) {
        uint32_t slot[2];
        if (kiln_cells_leaf_holds(s->tree, turn == 0 ? x : y, s->pair->stored[0], &slot[0]) &&
            kiln_cells_leaf_holds(s->tree, turn == 0 ? y : x, s->pair->stored[1], &slot[1])) {
            memcpy(s->pair->slot, slot, sizeof slot);
            s->found = true;
        }
    }
    return !s->found;
}

bool kiln_cell_pair_find(const kiln_view_tree *tree, kiln_cell_pair *of)
{
    KILN_ASSERT(of->stored[0] < of->stored[1]);
    if (find_in_nodes(tree, of)) {
        return true;
    }
    place_search s = {tree, of, false};
    const kiln_cell_visitor visitor = {
        .leaves = look_for_pair, .stops = search_stops, .user = &s, .within = &of->common};
    kiln_cells_walk(tree, &visitor);
    return s.found;
}
