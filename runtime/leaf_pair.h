/* The triangles of two leaves against each other, exactly. */
#ifndef KILN_LEAF_PAIR_H
#define KILN_LEAF_PAIR_H

#include "pair_walk.h"
#include "tree_box.h"

/* Two numbers at once, element by element, in vector registers where the machine has them. */
typedef double kiln_two __attribute__((vector_size(16)));

/* Box of a triangle. Of X: lower x y z, -upper x y z. Of Y: upper x y z, -lower x y z. Two are apart
 * exactly where a number of X's exceeds that of Y's in the same place. */
typedef struct {
    kiln_two part[3];
} kiln_triangle_box;

/* A leaf's triangles in X's frame. */
typedef struct {
    uint32_t first, count; /* slots; count 0: none yet */
    double corners[KILN_LEAF_TRIANGLES_MAX][9];
    kiln_triangle_box boxes[KILN_LEAF_TRIANGLES_MAX];
} kiln_leaf_triangles;

/* A leaf meets several others in turn, so the last of each tree is kept. */
typedef struct {
    kiln_leaf_triangles x, y;
} kiln_leaf_pair;

static inline void kiln_leaf_pair_begin(kiln_leaf_pair *leaves)
{
    leaves->x.count = 0;
    leaves->y.count = 0;
}

/* All pairs of two leaves. False: the visitor has had enough. */
bool kiln_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                         const kiln_pair_visitor *visitor, const kiln_tree_box *leaf_x,
                         const kiln_tree_box *leaf_y);

#endif
