/* Triangles that are in several leaves: each pair and each hit is reported once. */
#ifndef KILN_ONCE_H
#define KILN_ONCE_H

#include "pair_level.h"

/* A walk of two trees, as far as it decides which leaves it reaches: its descent, and the boxes of
 * Y and of X where it began. */
typedef struct kiln_once {
    const kiln_descent *descent;
    const kiln_tree_box *roots[2];
    bool x_first; /* of two boxes of one size X's is opened, not that which was found last */
} kiln_once;

/* Must a walk of the two trees that names all pairs use this? */
static inline bool kiln_once_is_needed(const kiln_pair_frame *frame,
                                       const kiln_pair_visitor *visitor)
{
    return (frame->x->view.kind->shared || frame->y->view.kind->shared) &&
           !visitor->nearest_first && !visitor->boxes;
}

/* `once` is a kiln_once. Of all pairs of slots with the triangles of these two that the walk
 * reaches: is this the one that names them? True for exactly one. */
bool kiln_once_is_first(const void *once, uint32_t slot_x, uint32_t slot_y);

/* The lanes of a node that a walk of one tree enters: the same whenever it is called with a node.
 */
typedef uint32_t (*kiln_once_lanes)(const void *walk, const kiln_format_node8 *node);

/* The same for such a walk, and the slot in which it met a stored triangle. */
bool kiln_once_in_tree(const kiln_tree *tree, kiln_once_lanes lanes, const void *walk,
                       uint32_t slot);

#endif
