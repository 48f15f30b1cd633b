/* Where a point is to a closed mesh. */
#ifndef KILN_INSIDE_H
#define KILN_INSIDE_H

#include "../pose/pose.h"

/* `carry` NULL: `point` is in the tree's own frame. Else it is in the frame that the tree's
 * corners are carried into by it, and `inverse` is that of its rotation. The tree has polygons and
 * is closed; coordinates are 0 or as kiln_exact wants them. Needs the environment of fpu.h. */
kiln_place kiln_inside_point(const kiln_tree *tree, const kiln_transform *carry,
                             const double inverse[9], const double point[3]);

#endif
