/* The descent of one tree against itself.
 *
 * Pairs below a node are those below each of its lanes and those between two of its lanes. So each
 * node is visited once for itself: it is decoded, and opened against each of its lanes in turn, of
 * which only the lanes behind that one are taken; below two lanes that may meet the descent is that
 * of two trees (pair_walk.c), where both are this one. An unordered pair of nodes is reached by one
 * way only, from the node where the ways to the two part.
 *
 * A triangle of an octree may be in several leaves, so that two of them meet below many pairs of
 * lanes. There the tree is asked for each triangle what its bounds may meet, and what comes later
 * in the order of ids is judged: the walk of a box has a rule by which a triangle is named once
 * (shape_walk.h). */
#include "self_walk.h"

#include "../walk/pair_level.h"
#include "../walk/shape_walk.h"

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

/* ------------------------------------------------------------------------------- triangles -- */

static void take_corners(const kiln_leaf_triangles *leaf, uint32_t i, double out[9])
{
    for (int k = 0; k < 9; k++) {
        out[k] = leaf->corner[k][i];
    }
}

static bool judge_pair(const kiln_self_visitor *visitor, const kiln_tree *tree, uint32_t stored_x,
                       const double x[9], uint32_t stored_y, const double y[9])
{
    kiln_relation relation;
    const bool first = kiln_tree_id(tree, stored_x) < kiln_tree_id(tree, stored_y);
    const uint32_t a = first ? stored_x : stored_y, b = first ? stored_y : stored_x;
    return !visitor->judge(visitor->user, a, first ? x : y, b, first ? y : x, &relation) ||
           visitor->take(visitor->user, a, b, &relation);
}

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
        take_corners(y, j, of_y);
        for (; left != 0; left &= left - 1) {
            const uint32_t i = (uint32_t)__builtin_ctz(left);
            take_corners(x, i, of_x);
            if (!judge_pair(w->visitor, w->tree, kiln_tree_triangle(w->tree, x->first + i), of_x,
                            stored_y, of_y)) {
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

typedef struct {
    const kiln_tree *tree;
    const kiln_self_visitor *visitor;
    const kiln_shape_box *box;
    uint32_t stored; /* the triangle in hand */
    double corners[9], lower[3], upper[3];
    bool ended;
} octree_walk;

static void load_stored(const kiln_tree *tree, uint32_t stored, double corners[9], double lower[3],
                        double upper[3])
{
    for (int c = 0; c < 3; c++) {
        float room[3];
        const float *vertex = kiln_tree_vertex(tree, stored, (unsigned)c, room);
        for (int k = 0; k < 3; k++) {
            const double at = (double)vertex[k];
            corners[3 * c + k] = at;
            lower[k] = c == 0 || at < lower[k] ? at : lower[k];
            upper[k] = c == 0 || at > upper[k] ? at : upper[k];
        }
    }
}

static bool judge_octree_leaf(void *user, uint32_t first, uint32_t count)
{
    octree_walk *w = (octree_walk *)user;
    const kiln_tree *tree = w->tree;
    w->ended = w->visitor->stops(w->visitor->user);
    for (uint32_t slot = first; slot < first + count && !w->ended; slot++) {
        const uint32_t stored = kiln_tree_triangle(tree, slot);
        double corners[9], lower[3], upper[3];
        kiln_relation relation;
        if (kiln_tree_id(tree, stored) <= kiln_tree_id(tree, w->stored)) {
            continue;
        }
        load_stored(tree, stored, corners, lower, upper);
        bool apart = false;
        for (int k = 0; k < 3; k++) {
            apart = apart || lower[k] > w->upper[k] || upper[k] < w->lower[k];
        }
        if (!apart &&
            w->visitor->judge(w->visitor->user, w->stored, w->corners, stored, corners,
                              &relation) &&
            kiln_shape_walk_is_first(tree, w->box, slot)) {
            w->ended = !w->visitor->take(w->visitor->user, w->stored, stored, &relation);
        }
    }
    return !w->ended;
}

static void walk_octree(const kiln_tree *tree, const kiln_self_visitor *visitor)
{
    const kiln_format_tree *entry = tree->view.entry;
    kiln_placement placement;
    kiln_shape_box box;
    octree_walk w;
    w.tree = tree;
    w.visitor = visitor;
    w.box = &box;
    w.ended = false;
    (void)kiln_placement_form(&placement, NULL);
    for (uint32_t i = 0; i < entry->triangle_count && !w.ended; i++) {
        kiln_shape shape;
        w.stored = entry->triangle_first + i;
        load_stored(tree, w.stored, w.corners, w.lower, w.upper);
        memset(&shape, 0, sizeof shape);
        shape.kind = KILN_SHAPE_BOX;
        memcpy(shape.a, w.lower, sizeof shape.a);
        memcpy(shape.b, w.upper, sizeof shape.b);
        kiln_shape_box_form(&box, tree, &placement, &shape);
        kiln_shape_walk(tree, &box, judge_octree_leaf, &w);
    }
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
        walk_octree(tree, visitor);
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
