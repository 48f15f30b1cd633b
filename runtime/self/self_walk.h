/* The descent of one tree against itself: pairs of triangles that may meet, each once. */
#ifndef KILN_SELF_WALK_H
#define KILN_SELF_WALK_H

#include "../base/tree.h"
#include "../exact/exact.h"

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

/* Needs the environment of fpu.h, in which the visitor is called. KILN_OK, or what a tree lacks. */
kiln_status kiln_self_walk(const kiln_tree *tree, const kiln_self_visitor *visitor);

#endif
