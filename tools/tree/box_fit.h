/* How the orientation of an oriented box is fitted: to what, and by which rule. */
#ifndef KILN_TREE_BOX_FIT_H
#define KILN_TREE_BOX_FIT_H

#include "../kiln_bake.h"
#include "measure.h"

#include <stdatomic.h>

/* An oriented box as it was fitted. */
typedef struct {
    float rotation[3]; /* Rodrigues vector in steps of the stored lattice */
    kiln_extents extents;
} kiln_fitted_box;

/* A fit other than the default: what holds for the tree, and the boxes of its inner nodes. */
typedef struct kiln_box_fits {
    kiln_box_fit rule;
    float finest; /* orientations are multiples of this, as the kind stores them */
    const kiln_binary *tree;
    kiln_fitted_box *inner;     /* by cut */
    atomic_bool *out_of_memory; /* set where a fit was */
} kiln_box_fits;

/* The fit of an inner node, of which all below it are fitted where boxes are those of children. */
void kiln_box_fit_node(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node);

/* The box of any range: that of an inner node as it was fitted, or of a leaf, fitted now. */
void kiln_box_fit_get(const kiln_cloud *cloud, const kiln_range *range, kiln_fitted_box *box);

/* Right-handed axes of a box of points by one of the rules that look at points alone, or of one
 * along the object axes where there is no more than a point. False: out of memory. */
bool kiln_box_fit_axes_of_points(kiln_box_fit rule, const kiln_points *points, double axis[3][3]);

#endif
