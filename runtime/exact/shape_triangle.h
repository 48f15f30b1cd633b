/* A box, sphere or capsule against one triangle, in the shape's own frame. */
#ifndef KILN_SHAPE_TRIANGLE_H
#define KILN_SHAPE_TRIANGLE_H

#include "../kiln.h"

/* Do they meet, as kiln.h says? The shape's numbers have been checked, and are 0 or at least
 * KILN_EXACT_MIN in magnitude like the corners'. Needs the environment of fpu.h. */
bool kiln_shape_meets_triangle(const kiln_shape *shape, const double corners[9]);

#endif
