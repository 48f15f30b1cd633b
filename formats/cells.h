/* Where two triangles of an octree are met, by the pairs of lanes that a file marks (hierarchy.md,
 * OCTP): in one leaf, or in two below two lanes of a node that are marked as a pair.
 *
 * A walk looks into all leaves, each by itself or with those of its node that it is marked with,
 * and below marked pairs into all pairs of leaves whose boxes meet. Whatever the marks are, it
 * reads nothing but the tree, and ends. */
#ifndef KILN_CELLS_H
#define KILN_CELLS_H

#include "check.h"

/* A box in node space. */
typedef struct {
    double lower[3], upper[3];
} kiln_cell_box;

/* A side of an octree's box at x may cut off what it bounds by this times (1 + |x|): `kiln verify`
 * lets no more pass. The bounds of parts that `kiln bake` writes are off by far less. */
#define KILN_CELL_SLACK 0x1p-40

/* Two triangles, the one with the lower number first, and two slots of theirs. */
typedef struct {
    uint32_t stored[2], slot[2];
    kiln_cell_box common; /* the box that their bounds share */
    /* NULL, or asked at each node and pair of lanes; true ends the search: there is no place. */
    bool (*stops)(void *user);
    void *user;
} kiln_cell_pair;

typedef struct {
    /* The slots of a leaf, or of leaves of one node that are marked with each other. NULL: they are
     * passed over. False ends the walk. */
    bool (*leaf)(void *user, uint32_t node, kiln_contents leaf);
    /* The slots of two leaves of that node, or, where it is KILN_NO_INDEX, of any two. */
    bool (*leaves)(void *user, uint32_t node, kiln_contents x, kiln_contents y);
    /* NULL, or asked at each node and pair of lanes that is looked into; true ends the walk. */
    bool (*stops)(void *user);
    void *user;
    const kiln_cell_box *within; /* NULL, or only lanes are entered whose boxes meet it */
} kiln_cell_visitor;

/* Has a leaf a triangle? If so, in which slot. */
bool kiln_cells_leaf_holds(const kiln_view_tree *tree, kiln_contents leaf, uint32_t stored,
                           uint32_t *slot);

/* The box of a lane, each side rounded once: where it is near 0, by little. */
void kiln_cells_box(const kiln_format_node8 *node, unsigned lane, kiln_cell_box *out);

/* The lanes in use of an octree's node whose boxes meet a box. What is off by rounding, and by
 * KILN_CELL_SLACK, that box has room for: cells.c. */
uint32_t kiln_cells_that_meet(const kiln_format_node8 *node, const kiln_cell_box *with);

/* The tree has lane_pairs. */
void kiln_cells_walk(const kiln_view_tree *tree, const kiln_cell_visitor *visitor);

/* The box that the bounds of two triangles share, as those of triangles that meet do, with room for
 * rounding and for slack. */
void kiln_cell_pair_bound(const kiln_format_tree *entry, const double a[9], const double b[9],
                          kiln_cell_box *out);

/* Does a leaf of the node, whose box meets of->common, have the lower one of the slots? */
bool kiln_cell_pair_meets(const kiln_view_tree *tree, const kiln_cell_pair *of, uint32_t node);

/* Sets the slots of two triangles to those of the place that names them, of all where a walk meets
 * them: the first in one node, in the order of lanes that meet what their bounds have in common; or
 * if there is none, the first two leaves in a walk of such lanes. False: there is none. */
bool kiln_cell_pair_find(const kiln_view_tree *tree, kiln_cell_pair *of);

#endif
