/* Large spherical coverings: triangulations of the icosahedron's faces, with its rotations. */
#ifndef KILN_LUT_AXES_GEODESIC_H
#define KILN_LUT_AXES_GEODESIC_H

#include "axes_recipes.h"

enum { KILN_LUT_GEODESIC_POINTS = 100000 }; /* most */

/* Is this 10 (b^2 + b c + c^2) + 2, b >= c >= 0? *b and *c are then those with the largest b - c
 * first. */
bool kiln_lut_geodesic_is(uint32_t points, uint32_t *b, uint32_t *c);

/* The next number of points from `points` on that is one. */
uint32_t kiln_lut_geodesic_next(uint32_t points);

/* The recipe of the triangulation (b, c), improved by `steps` steps. recipe->first is released by
 * free(). The same bits on every machine. False: out of memory. */
bool kiln_lut_geodesic_make(uint32_t b, uint32_t c, uint32_t steps, kiln_lut_recipe *recipe);

#endif
