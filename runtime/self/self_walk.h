/* The descent of one tree against itself: pairs of triangles that may meet, each once. */
#ifndef KILN_SELF_WALK_H
#define KILN_SELF_WALK_H

#include "../base/tree.h"
#include "../exact/exact.h"
#include "../kernel/kernel.h"

typedef struct {
    /* Corners of two stored triangles, a before b by their ids, that may meet. False: not wanted;
     * else `take` is called, at most once for the pair, with what was left in *relation. */
    bool (*judge)(void *user, uint32_t stored_a, const double a[9], uint32_t stored_b,
                  const double b[9], kiln_relation *relation);
    /* False stops the walk. */
    bool (*take)(void *user, uint32_t stored_a, uint32_t stored_b, const kiln_relation *relation);
    /* Is the walk to end? Asked before triangles are looked at, often. */
    bool (*stops)(void *user);
    void *user;
    bool all; /* else pairs that have no more in common than corners of both may be passed over,
                 unless they have the same corners */
} kiln_self_visitor;

static inline void kiln_self_corners(const kiln_leaf_triangles *leaf, uint32_t i, double out[9])
{
    for (int k = 0; k < 9; k++) {
        out[k] = leaf->corner[k][i];
    }
}

static inline bool kiln_self_judge(const kiln_self_visitor *visitor, const kiln_tree *tree,
                                   uint32_t stored_x, const double x[9], uint32_t stored_y,
                                   const double y[9], kiln_relation *how)
{
    return kiln_tree_id(tree, stored_x) < kiln_tree_id(tree, stored_y)
               ? visitor->judge(visitor->user, stored_x, x, stored_y, y, how)
               : visitor->judge(visitor->user, stored_y, y, stored_x, x, how);
}

static inline bool kiln_self_take(const kiln_self_visitor *visitor, const kiln_tree *tree,
                                  uint32_t stored_x, uint32_t stored_y, const kiln_relation *how)
{
    const bool first = kiln_tree_id(tree, stored_x) < kiln_tree_id(tree, stored_y);
    return visitor->take(visitor->user, first ? stored_x : stored_y, first ? stored_y : stored_x,
                         how);
}

/* That of an octree whose file says which pairs of lanes are needed: cell_walk.c. */
void kiln_self_walk_cells(const kiln_tree *tree, const kiln_self_visitor *visitor);

/* Needs the environment of fpu.h, in which the visitor is called. KILN_OK, or what a tree lacks. */
kiln_status kiln_self_walk(const kiln_tree *tree, const kiln_self_visitor *visitor);

#endif
