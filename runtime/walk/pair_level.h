/* What a descent of two trees holds for each node that it has opened, and what it does with that:
 * what pair_walk.c and likely_walk.c have in common.
 *
 * A level holds one opened node, decoded, the box of the other tree that it was tested against, and
 * the lanes that may still meet it. A box is the lane in hand of a level, so none is ever copied.
 */
#ifndef KILN_PAIR_LEVEL_H
#define KILN_PAIR_LEVEL_H

#include "../../formats/assert.h"
#include "leaf_pair.h"

enum {
    KILN_LEVELS_BELOW = 2, /* levels for the boxes where a descent begins */
    KILN_LEVELS_MOST = KILN_LEVELS_BELOW + 2 * KILN_TREE_DEPTH_MAX
};

/* How many times as large as a box a leaf must be for its triangles to be tested against the
 * box. */
#define KILN_LEAF_LARGE 8.0f

typedef struct kiln_level kiln_level;
struct kiln_level {
    KILN_ALIGNAS(64)
    kiln_decoded_node opened; /* so that no vector of it lies across two lines of the cache */
    const kiln_level *other;  /* whose lane in hand the lanes were tested against */
    uint32_t mask;            /* lanes not taken yet */
    /* The lane in hand, to which levels above point. */
    float area; /* half its surface, in square units of X's node space */
    kiln_contents contents;
    bool is_x; /* the opened node is X's */
};

/* What does not change during a descent. */
typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    const kiln_kernel *kernel;
    kiln_open_node open[2];   /* nodes of Y, of X */
    kiln_box_transform to[2]; /* boxes of X to Y, of Y to X */
    kiln_dop_map dops[2];     /* what these need where both trees are of k-DOPs */
    float area_scale[2];
} kiln_descent;

/* `alike`: masks of lanes are the same in every instruction set. The frame has its maps. */
void kiln_descent_make(const kiln_pair_frame *frame, const kiln_pair_visitor *visitor, bool alike,
                       kiln_descent *out);

/* A box that is no lane, as a level whose lane in hand it is; `org` belongs to the level. */
void kiln_level_begin(const kiln_tree_box *box, bool is_x, float org[3], kiln_level *out);

/* May the lane in hand of `at` meet any of the triangles of the leaf in hand, or come as near as
 * `by` to them, in X's frame? */
bool kiln_level_reaches(const kiln_descent *d, kiln_leaf_pair *leaves, const kiln_level *at,
                        const kiln_level *leaf, double by);

/* Is a leaf so large beside a volume that its triangles are to be looked at first? */
static inline bool kiln_level_is_large(const kiln_descent *d, const kiln_level *of,
                                       const kiln_level *leaf)
{
    return leaf->area > KILN_LEAF_LARGE * of->area && !d->visitor->boxes;
}

static inline bool kiln_level_is_aligned(const kiln_descent *d, const kiln_level *at)
{
    return (at->is_x ? d->frame->x : d->frame->y)->view.kind->aligned;
}

/* Opens the lane in hand of `of`, which is inner, against that of `other`, into *at; its lanes are
 * put in order if that is wanted. */
static inline void kiln_level_open(const kiln_descent *d, bool in_order, const kiln_level *of,
                                   const kiln_level *other, kiln_level *at, kiln_probe *probe)
{
    const bool is_x = of->is_x;
    KILN_ASSERT(of->contents.count == 0);
    KILN_ASSERT(of->is_x != other->is_x);
    const kiln_format_node8 *node =
        kiln_tree_node(is_x ? d->frame->x : d->frame->y, of->contents.first);
    at->other = other;
    at->is_x = is_x;
    at->mask = d->open[is_x](node, &d->to[is_x], &other->opened, in_order, &at->opened, probe);
    KILN_ASSERT(at->opened.node == node);
    KILN_ASSERT((at->mask & ~(uint32_t)kiln_node8_used(node)) == 0);
}

static inline void kiln_level_take(const kiln_descent *d, kiln_level *at)
{
    KILN_ASSERT(at->mask != 0);
    uint32_t lane = (uint32_t)__builtin_ctz(at->mask);
    if (d->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        lane = at->opened.order & 7u;
        at->opened.order >>= 3;
    }
    KILN_ASSERT((at->mask >> lane & 1) != 0);
    at->mask &= ~(1u << lane);
    at->opened.lane = lane;
    at->area = at->opened.area[lane] * d->area_scale[at->is_x];
    at->contents = kiln_node8_contents(at->opened.node, lane);
}

/* Is opening the lane in hand of `of` against a leaf worth its while? Large triangles may hold
 * all of a small object in the leaf's box, which then separates none of the object's, where they
 * separate nearly all themselves. */
static inline bool kiln_level_may_open(const kiln_descent *d, kiln_leaf_pair *leaves,
                                       const kiln_level *of, const kiln_level *leaf)
{
    return !kiln_level_is_large(d, of, leaf) || kiln_level_reaches(d, leaves, of, leaf, 0);
}

#endif
