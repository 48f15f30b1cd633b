/* Counts for boolean queries.
 *
 * This is the library's own walk, compiled a second time with two functions exchanged for ones
 * that count and then do the same: what is counted is what a query does, not what a copy of it
 * did once, and the library itself carries no counters. tally_near.c does the same to distances. */
#include "tally.h"

#include "../../runtime/walk/leaf_pair.h"

#include <stdlib.h>

static tally *counting;

static inline const kiln_format_node8 *tally_tree_node(const kiln_tree *tree, uint32_t index)
{
    counting->nodes++;
    return kiln_tree_node(tree, index);
}

static inline bool tally_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                                        const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                                        kiln_contents leaf_y)
{
    counting->leaves++;
    counting->pairs += (uint64_t)leaf_x.count * leaf_y.count;
    return kiln_leaf_pair_meet(leaves, frame, visitor, leaf_x, leaf_y);
}

#define kiln_tree_node tally_tree_node
#define kiln_leaf_pair_meet tally_leaf_pair_meet
#define kiln_pair_walk tally_walk
#define kiln_pair_walk_from tally_walk_from
kiln_status tally_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                       const kiln_pose *pose_b, const kiln_pair_visitor *visitor);
void tally_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                     const kiln_tree_box *from_y, const kiln_pair_visitor *visitor);
#include "../../runtime/walk/pair_walk.c"

#include "stop_at_first.h"

bool tally_collide(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b, tally *sum)
{
    bool found = false;
    const kiln_pair_visitor visitor = {
        .visit = stop_at_first, .user = &found, .nearest_first = true};
    counting = sum;
    if (tally_walk(a, NULL, b, pose_b, &visitor) != KILN_OK) {
        abort();
    }
    return found;
}

/* *user, an uint64_t, counts the pairs that meet. */
static bool count_pair(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    (void)frame;
    (void)x;
    (void)y;
    ++*(uint64_t *)user;
    return true;
}

uint64_t tally_collide_all(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b,
                           tally *sum)
{
    uint64_t found = 0;
    const kiln_pair_visitor visitor = {.visit = count_pair, .user = &found};
    counting = sum;
    if (tally_walk(a, NULL, b, pose_b, &visitor) != KILN_OK) {
        abort();
    }
    return found;
}
