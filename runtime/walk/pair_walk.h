/* Simultaneous descent of two trees: the traversal that all pairwise queries share. */
#ifndef KILN_PAIR_WALK_H
#define KILN_PAIR_WALK_H

#include "pair_filter.h"
#include "tree_box.h"

/* Forms the frame and visits every pair that meets, each once, in the floating-point environment
 * that exact predicates need; `visit` runs in it too. Errors as kiln_collide. */
kiln_status kiln_pair_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_visitor *visitor);

/* The same below two boxes that may meet, in a frame that was formed and in that environment. */
void kiln_pair_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                         const kiln_tree_box *from_y, const kiln_pair_visitor *visitor);

#endif
