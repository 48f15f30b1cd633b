/* The triangles of two leaves against each other, exactly. */
#ifndef KILN_LEAF_PAIR_H
#define KILN_LEAF_PAIR_H

#include "pair_filter.h"
#include "tree_box.h"

/* Corners of a stored triangle in X's frame: X's as they are stored, Y's carried. */
void kiln_stored_corners(const kiln_pair_frame *frame, bool is_x, uint32_t stored, double out[9]);

/* The two triangles of a hint by where they are stored, and their corners as above. False: it is
 * none of these trees', or their polygons are not there. */
bool kiln_hint_corners(const kiln_pair_frame *frame, kiln_hint hint, uint32_t *stored_x,
                       uint32_t *stored_y, double x[9], double y[9]);

/* Do they meet? */
bool kiln_hint_meets(const kiln_pair_frame *frame, kiln_hint hint, uint32_t *stored_x,
                     uint32_t *stored_y);

/* Corners of all triangles of a leaf, carried; `carry` NULL: as they are. */
void kiln_leaf_triangles_carry(kiln_leaf_triangles *leaf, const kiln_tree *tree,
                               const kiln_kernel *kernel, const kiln_transform *carry,
                               kiln_contents from);

/* The same as the frame of two trees has them. */
void kiln_leaf_triangles_load(kiln_leaf_triangles *leaf, const kiln_pair_frame *frame,
                              const kiln_kernel *kernel, bool is_x, kiln_contents from);

/* Centre, axes and half-extents of a tree's box in X's frame. Needs the maps between node
 * spaces. */
void kiln_leaf_box_form(kiln_leaf_box *box, const kiln_pair_frame *frame, bool is_x,
                        const kiln_tree_box *own);

/* Does this pair of slots name its two triangles, which meet, of all pairs of slots in which the
 * walk meets them? KILN_ONCE_FIRST for exactly one. Late: by then there was no time left. (once.c)
 */
struct kiln_once;
typedef enum { KILN_ONCE_NOT_FIRST = 0, KILN_ONCE_FIRST, KILN_ONCE_LATE } kiln_once_answer;
kiln_once_answer kiln_once_is_first(struct kiln_once *once, uint32_t slot_x, uint32_t slot_y);

/* A leaf meets several others in succession, so the last of each tree is kept. */
typedef struct {
    const kiln_kernel *kernel;
    struct kiln_once *once; /* NULL: every pair that meets is visited */
    bool late; /* so that pairs of the last two leaves were not visited, none of them */
    kiln_leaf_triangles x, y;
} kiln_leaf_pair;

static inline void kiln_leaf_pair_begin(kiln_leaf_pair *leaves, const kiln_kernel *kernel)
{
    KILN_ASSERT(kernel != NULL);
    leaves->kernel = kernel;
    leaves->once = NULL;
    leaves->late = false;
    leaves->x.count = 0;
    leaves->y.count = 0;
}

/* The leaf's triangles: those that are kept, or loaded in their place. */
kiln_leaf_triangles *kiln_leaf_pair_fetch(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                                          bool is_x, kiln_contents leaf);

/* May a triangle of the leaf meet anything in a box of the other tree, in X's frame? False is a
 * proof. */
bool kiln_leaf_pair_reach(kiln_leaf_pair *leaves, const kiln_pair_frame *frame, bool is_x,
                          kiln_contents leaf, const kiln_leaf_box *box);

/* Squared distance of the boxes of X's triangle i and Y's triangle j of two leaves. */
static inline double kiln_leaf_boxes_gap_squared(const kiln_leaf_triangles *x, uint32_t i,
                                                 const kiln_leaf_triangles *y, uint32_t j)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double above = x->lower[k][i] - y->upper[k][j];
        const double below = y->lower[k][j] - x->upper[k][i];
        const double gap = above > below ? above : below;
        sum += gap > 0 ? gap * gap : 0;
    }
    return sum;
}

/* A lower bound of the distance of X's triangle i and Y's triangle j of two leaves that are loaded,
 * in X's frame, by their boxes and by their planes; 0 or less: none is known. Planes are not
 * looked at where the boxes are further apart than `enough`. */
double kiln_leaf_pair_margin(const kiln_leaf_triangles *x, uint32_t i, const kiln_leaf_triangles *y,
                             uint32_t j, double enough);

/* All pairs of two leaves. False: the visitor has had enough, or there was no time. */
bool kiln_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                         const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                         kiln_contents leaf_y);

#endif
