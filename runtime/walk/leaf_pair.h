/* The triangles of two leaves against each other, exactly. */
#ifndef KILN_LEAF_PAIR_H
#define KILN_LEAF_PAIR_H

#include "pair_filter.h"
#include "tree_box.h"

/* Corners of a stored triangle in X's frame: X's as they are stored, Y's carried. */
void kiln_stored_corners(const kiln_pair_frame *frame, bool is_x, uint32_t stored, double out[9]);

/* The same of all triangles of a leaf. */
void kiln_leaf_triangles_load(kiln_leaf_triangles *leaf, const kiln_pair_frame *frame,
                              const kiln_kernel *kernel, bool is_x, kiln_contents from);

/* Centre, axes and half-extents of a tree's box in X's frame. Needs the maps between node
 * spaces. */
void kiln_leaf_box_form(kiln_leaf_box *box, const kiln_pair_frame *frame, bool is_x,
                        const kiln_tree_box *own);

/* Does this pair of slots name its two triangles, of all in which they are met? (once.h) */
typedef bool (*kiln_is_first)(const void *once, uint32_t slot_x, uint32_t slot_y);

/* A leaf meets several others in succession, so the last of each tree is kept. */
typedef struct {
    const kiln_kernel *kernel;
    kiln_is_first is_first; /* NULL: every pair that meets is visited */
    const void *once;
    kiln_leaf_triangles x, y;
} kiln_leaf_pair;

static inline void kiln_leaf_pair_begin(kiln_leaf_pair *leaves, const kiln_kernel *kernel)
{
    KILN_ASSERT(kernel != NULL);
    leaves->kernel = kernel;
    leaves->is_first = NULL;
    leaves->once = NULL;
    leaves->x.count = 0;
    leaves->y.count = 0;
}

/* May a triangle of the leaf meet anything in a box of the other tree, in X's frame? False is a
 * proof. */
bool kiln_leaf_pair_reach(kiln_leaf_pair *leaves, const kiln_pair_frame *frame, bool is_x,
                          kiln_contents leaf, const kiln_leaf_box *box);

/* All pairs of two leaves. False: the visitor has had enough. */
bool kiln_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                         const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                         kiln_contents leaf_y);

#endif
