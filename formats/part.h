/* A tree of which only the first nodes have arrived.
 *
 * What is missing is hidden in the nodes themselves: an inner lane whose node is not there
 * becomes a leaf of one triangle, so that walks need not know. What it was is kept in the bytes
 * of the node's header that are 0 in a file, and comes back when the node arrives.
 *
 * Theorem. After kiln_part_grow returned true for n nodes, then whatever the bytes of the file
 * are, a traversal as in check.h that does not look into leaves, and does not start at all
 * where n is 0,
 *   - reads only nodes 0 .. n - 1: other lanes are leaves; and, where the tree has counts, only
 *     those of these nodes' lanes;
 *   - ends, and meets every node once at most: children come after their parents, and have one
 *     (rules 17, 18);
 *   - holds at most as many nodes on its path as the directory says (19).
 * Triangles are another matter: they are read only when all is there and check.h has its theorem.
 */
#ifndef KILN_PART_H
#define KILN_PART_H

#include "check.h"

typedef struct {
    uint32_t nodes;      /* that are there */
    uint32_t first_open; /* no node before this one has hidden lanes */
    uint32_t levels;     /* levels of the tree that are complete */
    uint64_t triangles;  /* in the leaves of these nodes */
} kiln_part;

/* How many nodes of the tree, and of their counts, where it has any, have been taken. */
uint32_t kiln_part_arrived(const kiln_view *view, const kiln_view_tree *tree);

/* Links the nodes from part->nodes to `nodes` of a tree of the view, whose nodes are memory of the
 * reader. At first *part is all 0. False: a rule is broken; the part must not be used any more. */
bool kiln_part_grow(kiln_part *part, const kiln_view *view, const kiln_view_tree *tree,
                    uint32_t nodes, kiln_format_error *error);

/* Restores the nodes of a complete tree as they are in the file. */
void kiln_part_end(const kiln_view_tree *tree);

#endif
