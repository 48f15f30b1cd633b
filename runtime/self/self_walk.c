/* The descent of one tree against itself.
 *
 * Pairs below a node are those below each of its lanes and those between two of its lanes. So each
 * node is visited once for itself: it is decoded, and opened against each of its lanes in turn, of
 * which only the lanes behind that one are taken; below two lanes that may meet the descent is that
 * of two trees (pair_walk.c), where both are this one. An unordered pair of nodes is reached by one
 * way only, from the node where the ways to the two part.
 *
 * A triangle of an octree may be in several leaves, so that two of them meet below many pairs of
 * lanes. Where the file does not say which of these are needed (cell_walk.c), the tree is asked for
 * each triangle what its bounds and its plane may meet, and what comes later in the order of ids is
 * judged: a common point is in the box of a leaf that has the other one, and there is a rule by
 * which that is named once (once.h). */
#include "self_walk.h"

#include "../../formats/assert.h"
#include "../../formats/cells.h"
#include "../walk/once.h"
#include "../walk/pair_level.h"

#include <math.h>
#include <string.h>

enum {
    LEVELS_SHALLOW = KILN_LEVELS_BELOW + 40, /* twice the depth of the tree */
    WAITING = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH
};

typedef struct {
    const kiln_tree *tree;
    const kiln_self_visitor *visitor;
    kiln_descent descent;
    kiln_leaf_pair leaves;
} self_walk;

/* ---------------------------------------------------------------------------------- leaves -- */

/* The triangles of two leaves, or of one, each pair once. */
static bool judge_leaves(self_walk *w, const kiln_leaf_triangles *x, const kiln_leaf_triangles *y)
{
    uint32_t pairs[KILN_LEAF_LANES];
    if (w->visitor->stops(w->visitor->user)) {
        return false;
    }
    (w->visitor->all ? w->descent.kernel->triangle_pairs
                     : w->descent.kernel->triangle_pairs_beyond)(x, y, pairs);
    for (uint32_t j = 0; j < y->count; j++) {
        uint32_t left = x == y ? pairs[j] & ((1u << j) - 1u) : pairs[j];
        if (left == 0) {
            continue;
        }
        double of_y[9], of_x[9];
        const uint32_t stored_y = kiln_tree_triangle(w->tree, y->first + j);
        kiln_self_corners(y, j, of_y);
        for (; left != 0; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            kiln_self_corners(x, i, of_x);
            const uint32_t stored_x = kiln_tree_triangle(w->tree, x->first + i);
            kiln_relation how;
            if (kiln_self_judge(w->visitor, w->tree, stored_x, of_x, stored_y, of_y, &how) &&
                !kiln_self_take(w->visitor, w->tree, stored_x, stored_y, &how)) {
                return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------ two lanes -- */

/* All pairs below the lanes of `at`, which is the first level above `bottom`. */
static bool descend_lanes(self_walk *w, kiln_level *bottom)
{
    const kiln_descent *d = &w->descent;
    kiln_level *at = bottom;
    kiln_probe probe;
    for (;;) {
        while (at >= bottom && at->mask == 0) {
            at--;
        }
        if (at < bottom) {
            return true;
        }
        kiln_level_take(d, at);
        const kiln_level *lane = at, *other = at->other;
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        if (is_leaf && other_is_leaf) {
            const kiln_level *x = lane->is_x ? lane : other, *y = lane->is_x ? other : lane;
            if (!judge_leaves(w, kiln_leaf_pair_fetch(&w->leaves, d->frame, true, x->contents),
                              kiln_leaf_pair_fetch(&w->leaves, d->frame, false, y->contents))) {
                return false;
            }
            continue;
        }
        const bool first = other_is_leaf || (!is_leaf && lane->area >= other->area);
        const kiln_level *of = first ? lane : other, *against = first ? other : lane;
        if (is_leaf == other_is_leaf || kiln_level_may_open(d, &w->leaves, of, against)) {
            at++;
            KILN_ASSERT(at - bottom < KILN_LEVELS_MOST - 1);
            kiln_level_open(d, false, of, against, at, &probe);
        }
    }
}

/* All pairs below a node: levels[0] is the node as Y's, levels[1] the node as X's against a lane of
 * that. Inner lanes wait on the stack. */
static bool visit_node(self_walk *w, uint32_t index, const kiln_level *root, kiln_level *levels,
                       uint32_t *waiting, unsigned *height)
{
    const kiln_descent *d = &w->descent;
    const kiln_format_node8 *node = kiln_tree_node(w->tree, index);
    const uint32_t used = kiln_node8_used(node);
    kiln_level *own = &levels[0], *at = &levels[1];
    kiln_probe probe;
    own->other = root;
    own->is_x = false;
    own->mask = used;
    (void)d->open[0](node, &d->to[0], &root->opened, false, &own->opened, &probe);
    while (own->mask != 0) {
        kiln_level_take(d, own);
        if (own->contents.count == 0) {
            KILN_ASSERT(*height < WAITING);
            waiting[(*height)++] = own->contents.first;
        } else {
            const kiln_leaf_triangles *leaf =
                kiln_leaf_pair_fetch(&w->leaves, d->frame, false, own->contents);
            if (leaf->count > 1 && !judge_leaves(w, leaf, leaf)) {
                return false;
            }
        }
        if (own->mask != 0) {
            /* Lanes are taken in ascending order, so those that are left are behind this one. */
            at->other = own;
            at->is_x = true;
            at->mask =
                own->mask & d->open[1](node, &d->to[1], &own->opened, false, &at->opened, &probe);
            if (!descend_lanes(w, at)) {
                return false;
            }
        }
    }
    return true;
}

static void walk_levels(self_walk *w, const kiln_tree_box *box, kiln_level *levels)
{
    uint32_t waiting[WAITING];
    unsigned height = 1;
    kiln_level root;
    float org[3];
    waiting[0] = 0;
    kiln_level_begin(box, true, org, &root);
    while (height > 0) {
        const uint32_t index = waiting[--height];
        if (!visit_node(w, index, &root, levels, waiting, &height)) {
            return;
        }
    }
}

/* Frames of the stack of their own for two depths, as in pair_walk.c. */
__attribute__((noinline)) static void walk_shallow(self_walk *w, const kiln_tree_box *root)
{
    kiln_level levels[LEVELS_SHALLOW];
    walk_levels(w, root, levels);
}

__attribute__((noinline)) static void walk_any_depth(self_walk *w, const kiln_tree_box *root)
{
    kiln_level levels[KILN_LEVELS_MOST];
    walk_levels(w, root, levels);
}

/* --------------------------------------------------------------------------------- octrees -- */

/* Room, times 1 and the greatest coordinate of the triangle in hand in node space: more than a
 * point that it has may lie outside of a box (KILN_CELL_SLACK), and than coordinates, and the
 * comparison of sides with them (CELL_ROOM of cells.c), are off by rounding. */
#define BOUNDS_ROOM 0x1p-38

enum { UNMET = 64 }; /* triangles that are remembered: a power of two */

typedef struct {
    const kiln_tree *tree;
    const kiln_self_visitor *visitor;
    uint32_t stored; /* the triangle in hand */
    double corners[9], lower[3], upper[3];
    kiln_cell_box bounds;        /* in node space, with room */
    double normal[3], low, high; /* there the slab of its plane, n . p, with room */
    uint32_t unmet[UNMET];       /* that it does not meet, of those seen in other leaves */
    bool ended;
} octree_walk;

static void load_stored(const kiln_tree *tree, uint32_t stored, double corners[9], double lower[3],
                        double upper[3])
{
    kiln_tree_stored_corners(tree, stored, corners);
    for (int k = 0; k < 3; k++) {
        lower[k] = kiln_smaller(corners[k], kiln_smaller(corners[3 + k], corners[6 + k]));
        upper[k] = kiln_larger(corners[k], kiln_larger(corners[3 + k], corners[6 + k]));
    }
}

static void take_in_hand(octree_walk *w, uint32_t stored)
{
    const kiln_format_tree *entry = w->tree->view.entry;
    const double unit = kiln_power_of_two(-entry->scale_exponent);
    double most = 1, e[3], f[3], size = 0, along = 0;
    w->stored = stored;
    load_stored(w->tree, stored, w->corners, w->lower, w->upper);
    for (int k = 0; k < 3; k++) {
        w->bounds.lower[k] = (w->lower[k] - entry->origin[k]) * unit;
        w->bounds.upper[k] = (w->upper[k] - entry->origin[k]) * unit;
        most = kiln_larger(most, kiln_larger(fabs(w->bounds.lower[k]), fabs(w->bounds.upper[k])));
        e[k] = (w->corners[3 + k] - w->corners[k]) * unit;
        f[k] = (w->corners[6 + k] - w->corners[k]) * unit;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        w->bounds.lower[k] -= BOUNDS_ROOM * most;
        w->bounds.upper[k] += BOUNDS_ROOM * most;
        size += w->bounds.upper[k] - w->bounds.lower[k];
        w->normal[k] = e[i] * f[j] - e[j] * f[i];
        along += w->normal[k] * ((w->corners[k] - entry->origin[k]) * unit);
    }
    w->low = along - BOUNDS_ROOM * most * size * size;
    w->high = along + BOUNDS_ROOM * most * size * size;
    memset(w->unmet, 0xFF, sizeof w->unmet);
}

/* Does the plane of the triangle in hand meet the box of a lane? The corners of the box are taken
 * at which n . p is least and most: no summand of the least lies above that of a point of the
 * triangle in the box, so that one that is off by more than the room, since a side is far away,
 * makes the sum too low by far more. */
static bool plane_meets(const octree_walk *w, const kiln_format_node8 *node, unsigned lane)
{
    double least = 0, most = 0;
    kiln_cell_box box;
    kiln_cells_box(node, lane, &box);
    for (int k = 0; k < 3; k++) {
        const double from = w->normal[k] * box.lower[k], to = w->normal[k] * box.upper[k];
        least += kiln_smaller(from, to);
        most += kiln_larger(from, to);
    }
    return least <= w->high && most >= w->low;
}

/* The lanes of a node whose boxes the triangle may meet: its bounds, and of leaves its plane. */
static uint32_t lanes_in_hand(const void *walk, const kiln_format_node8 *node)
{
    const octree_walk *w = (const octree_walk *)walk;
    uint32_t mask = kiln_cells_that_meet(node, &w->bounds);
    for (uint32_t leaves = mask & ~(uint32_t)node->inner; leaves != 0; leaves &= leaves - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(leaves);
        mask &= ~((uint32_t)!plane_meets(w, node, lane) << lane);
    }
    return mask;
}

static bool judge_octree_leaf(octree_walk *w, uint32_t first, uint32_t count)
{
    const kiln_tree *tree = w->tree;
    w->ended = w->visitor->stops(w->visitor->user);
    for (uint32_t slot = first; slot < first + count && !w->ended; slot++) {
        const uint32_t stored = kiln_tree_triangle(tree, slot);
        uint32_t *unmet = &w->unmet[stored % UNMET];
        double corners[9], lower[3], upper[3];
        kiln_relation relation;
        if (*unmet == stored || kiln_tree_id(tree, stored) <= kiln_tree_id(tree, w->stored)) {
            continue;
        }
        load_stored(tree, stored, corners, lower, upper);
        bool apart = false;
        for (int k = 0; k < 3; k++) {
            apart = apart || lower[k] > w->upper[k] || upper[k] < w->lower[k];
        }
        if (apart || !w->visitor->judge(w->visitor->user, w->stored, w->corners, stored, corners,
                                        &relation)) {
            *unmet = stored;
        } else if (kiln_once_in_tree(tree, lanes_in_hand, w, slot)) {
            w->ended = !w->visitor->take(w->visitor->user, w->stored, stored, &relation);
        }
    }
    return !w->ended;
}

/* All pairs of a stored triangle with those that come later. */
static void walk_with(octree_walk *w, uint32_t stored)
{
    uint32_t waiting[WAITING];
    unsigned height = 1;
    take_in_hand(w, stored);
    waiting[0] = 0;
    while (height > 0) {
        const kiln_format_node8 *node = kiln_tree_node(w->tree, waiting[--height]);
        for (uint32_t mask = lanes_in_hand(w, node); mask != 0; mask &= mask - 1) {
            const unsigned lane = (unsigned)__builtin_ctz(mask);
            if ((node->inner >> lane & 1) != 0) {
                KILN_ASSERT(height < WAITING);
                waiting[height++] = kiln_node8_child(node, lane);
            } else if (!judge_octree_leaf(w, kiln_node8_slot(node, lane),
                                          kiln_node8_count(node, lane))) {
                return;
            }
        }
    }
}

static void walk_octree(const kiln_tree *tree, const kiln_self_visitor *visitor)
{
    const kiln_format_tree *entry = tree->view.entry;
    octree_walk w = {.tree = tree, .visitor = visitor, .ended = false};
    for (uint32_t i = 0; i < entry->triangle_count && !w.ended; i++) {
        walk_with(&w, entry->triangle_first + i);
    }
}

/* Counts what is wanted, and takes none of it. */
typedef struct {
    const kiln_self_visitor *visitor;
    uint32_t count;
} wanted_count;

static bool count_wanted(void *user, uint32_t stored_a, const double a[9], uint32_t stored_b,
                         const double b[9], kiln_relation *relation)
{
    wanted_count *w = (wanted_count *)user;
    w->count += w->visitor->judge(w->visitor->user, stored_a, a, stored_b, b, relation);
    return false;
}

static bool count_stops(void *user)
{
    const kiln_self_visitor *visitor = ((const wanted_count *)user)->visitor;
    return visitor->stops(visitor->user);
}

/* Are the marks of an octree of use? Where they are many, pairs are met at many places: each time
 * that one is, it takes long to find out whether it is to be named there. That is worth its while
 * where few are wanted, which a sample of the triangles tells. Of smooth surfaces there are about
 * two marks a node. Where most triangles are in one leaf each, few pairs are met twice. */
static bool marks_are_of_use(const kiln_tree *tree, const kiln_self_visitor *visitor)
{
    enum { SAMPLE = 32, NODES = 256, MARKS_A_NODE = 3 };
    const kiln_format_tree *entry = tree->view.entry;
    uint32_t marks = 0;
    for (uint32_t i = 0; i < NODES; i++) {
        const uint64_t at = (uint64_t)i * entry->node_count / NODES;
        marks += (uint32_t)__builtin_popcount(tree->view.lane_pairs[at]);
    }
    if (marks < MARKS_A_NODE * NODES || tree->view.slots < 2 * (uint64_t)entry->triangle_count) {
        return true;
    }
    wanted_count wanted = {visitor, 0};
    const kiln_self_visitor counts = {count_wanted, NULL, count_stops, &wanted, visitor->all};
    octree_walk w = {.tree = tree, .visitor = &counts, .ended = false};
    for (uint32_t i = 0; i < SAMPLE && !w.ended; i++) {
        const uint64_t at = (uint64_t)i * entry->triangle_count / SAMPLE;
        walk_with(&w, entry->triangle_first + (uint32_t)at);
    }
    return wanted.count < SAMPLE;
}

/* ---------------------------------------------------------------------------------- the tree -- */

static bool visit_nothing(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    (void)user;
    (void)frame;
    (void)x;
    (void)y;
    return true;
}

kiln_status kiln_self_walk(const kiln_tree *tree, const kiln_self_visitor *visitor)
{
    kiln_pair_frame frame;
    kiln_tree_box root;
    const kiln_status status = kiln_pair_frame_relate_polygons(&frame, tree, NULL, tree, NULL);
    if (status != KILN_OK) {
        return status;
    }
    if (tree->view.kind->shared) {
        const bool by_marks = tree->view.lane_pairs != NULL && marks_are_of_use(tree, visitor);
        (by_marks ? kiln_self_walk_cells : walk_octree)(tree, visitor);
        return KILN_OK;
    }
    kiln_pair_frame_form_maps(&frame);
    kiln_tree_box_root(&frame, true, &root);
    /* What the descent takes of a visitor is in which order lanes come, and that there are
     * triangles. */
    const kiln_pair_visitor plain = {visit_nothing, NULL, false, false, NULL, NULL};
    self_walk w;
    w.tree = tree;
    w.visitor = visitor;
    kiln_descent_make(&frame, &plain, false, &w.descent);
    kiln_leaf_pair_begin(&w.leaves, w.descent.kernel);
    if (2 * tree->view.entry->depth <= LEVELS_SHALLOW - KILN_LEVELS_BELOW) {
        walk_shallow(&w, &root);
    } else {
        walk_any_depth(&w, &root);
    }
    return KILN_OK;
}
