/* Triangles that are in several leaves: each pair and each hit is reported once. */
#ifndef KILN_ONCE_H
#define KILN_ONCE_H

#include "pair_level.h"

enum { KILN_ONCE_KNOWN_BITS = 6, KILN_ONCE_KNOWN = 1 << KILN_ONCE_KNOWN_BITS };

/* Two stored triangles, and the slots that name them. */
typedef struct {
    uint32_t stored_x, stored_y, slot_x, slot_y;
} kiln_once_pair;

/* A walk of two trees, as far as it decides which leaves it reaches: its descent, and the boxes of
 * Y and of X where it began. Begun by kiln_once_begin. */
typedef struct kiln_once {
    const kiln_descent *descent;
    const kiln_tree_box *roots[2];
    bool x_first; /* of two boxes of one size X's is opened, not that which was found last */
    bool (*is_late)(const void *user); /* NULL: there is time */
    const void *late_user;
    kiln_once_pair known[KILN_ONCE_KNOWN]; /* some of the answers so far */
} kiln_once;

/* Must a walk of the two trees that names all pairs use this? */
static inline bool kiln_once_is_needed(const kiln_pair_frame *frame,
                                       const kiln_pair_visitor *visitor)
{
    return (frame->x->view.kind->shared || frame->y->view.kind->shared) &&
           !visitor->nearest_first && !visitor->boxes;
}

/* What is pointed to must stay where it is. */
void kiln_once_begin(kiln_once *once, const kiln_descent *descent, const kiln_tree_box *root_y,
                     const kiln_tree_box *root_x, bool x_first);

/* The lanes of a node that a walk of one tree enters: the same whenever it is called with a node.
 */
typedef uint32_t (*kiln_once_lanes)(const void *walk, const kiln_format_node8 *node);

/* The same for such a walk, and the slot in which it met a stored triangle. */
bool kiln_once_in_tree(const kiln_tree *tree, kiln_once_lanes lanes, const void *walk,
                       uint32_t slot);

#endif
