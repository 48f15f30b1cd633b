/* A descent of two trees whose pairs of volumes wait in an array, so that they can be taken in any
 * order, down to any level, and left at any moment. */
#ifndef KILN_FRONTIER_WALK_H
#define KILN_FRONTIER_WALK_H

#include "once.h"

/* As a lane: the box is the whole tree. */
enum { KILN_FRONTIER_ROOT = 255 };

/* A pair of volumes that nobody has looked into yet. */
typedef struct {
    uint64_t key;     /* the least is taken first */
    uint32_t node[2]; /* of Y, of X: the node that the volume is a lane of */
    uint8_t lane[2];  /* of Y, of X */
    uint8_t level;    /* how many pairs above were opened */
    bool leaves;      /* both are */
} kiln_frontier_pair;

typedef enum {
    KILN_FRONTIER_GOES_ON = 0,
    KILN_FRONTIER_DONE, /* nothing waits */
    KILN_FRONTIER_ENDED /* by a pair of triangles that was enough */
} kiln_frontier_state;

/* Begun by kiln_frontier_begin; must not be moved while it runs.
 *
 * Pairs stand in one array. Its first `shared` entries hold a heap, from the front, and pairs set
 * aside, from the back; the others are a stack, which is large enough for whatever is below one
 * pair. */
typedef struct {
    kiln_pair_frame frame; /* formed by the caller, with its maps */
    kiln_pair_visitor visitor;
    kiln_descent descent;
    kiln_once once; /* begun where it is needed */
    kiln_order order;
    kiln_frontier_pair *pairs;
    uint32_t shared;
    uint32_t heap, aside, stack; /* how many there are of each */
    uint32_t aside_level;        /* the least of those set aside, or UINT32_MAX */
    uint64_t serial;             /* pairs that were ever added */
    uint64_t steps;
    uint32_t deepest; /* level of a pair that was looked into */
    bool full;        /* the last run left pairs unopened for want of room */
    kiln_frontier_state state;
    kiln_tree_box root[2]; /* of Y, of X */
    float org[2][3];
} kiln_frontier_walk;

/* Entries of the stack for trees whose depths add up to `depths`. */
static inline uint32_t kiln_frontier_stack_room(uint32_t depths)
{
    return (KILN_NODE_WIDTH - 1) * depths + 1;
}

/* Begins with the pair of roots. The frame, the order, the visitor, `pairs` and `shared` are
 * set, and the roots' boxes may meet. */
void kiln_frontier_begin(kiln_frontier_walk *walk);

/* Looks into one pair after another, as long as the state is KILN_FRONTIER_GOES_ON, `steps` are
 * left, there is a pair above `level`, and `is_late`, where it is given, does not say that time is
 * up. */
void kiln_frontier_run(kiln_frontier_walk *walk, uint32_t level, uint64_t steps,
                       bool (*is_late)(const void *user), const void *user);

/* True: a run to that level has nothing to do. It may have none also where this is false. */
static inline bool kiln_frontier_is_idle(const kiln_frontier_walk *walk, uint32_t level)
{
    const bool heap_is_deep = walk->heap == 0 || (walk->order == KILN_ORDER_BREADTH_FIRST &&
                                                  walk->pairs[0].level >= level);
    return walk->state != KILN_FRONTIER_GOES_ON ||
           (walk->stack == 0 && walk->aside_level >= level && heap_is_deep);
}

/* Pairs that wait, by number; their order is not specified, but the same everywhere. */
static inline uint32_t kiln_frontier_count(const kiln_frontier_walk *walk)
{
    return walk->heap + walk->aside + walk->stack;
}
const kiln_frontier_pair *kiln_frontier_at(const kiln_frontier_walk *walk, uint32_t number);

/* The volume of X or Y in a pair as a box. */
void kiln_frontier_box(const kiln_frontier_walk *walk, const kiln_frontier_pair *pair, bool is_x,
                       kiln_tree_box *box);

#endif
