/* Exact predicates on double coordinates: a float filter with a proven bound, then floating-point
 * expansions. The one place where "do these two triangles meet?" is decided. */
#ifndef KILN_EXACT_H
#define KILN_EXACT_H

#include <stdbool.h>

/* Coordinates must be 0 or have a magnitude in [KILN_EXACT_MIN, KILN_EXACT_MAX]: then every product
 * and tail of the expansions is representable and nothing under- or overflows. */
#define KILN_EXACT_MIN 0x1p-250
#define KILN_EXACT_MAX 0x1p+250

/* Sign (-1, 0, +1) of the determinant of (a - d, b - d, c - d), exact. */
int kiln_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

/* Sign of (a - c) x (b - c) in the plane of the coordinates i and j, exact. */
int kiln_exact_orient2d(const double a[3], const double b[3], const double c[3], int i, int j);

/* Do two closed triangles meet? Exact for every input in range: touching, coplanar, shared corners
 * and edges, segments and points (triangles without area) included. Corner k of a triangle is
 * t[3 k .. 3 k + 2]. Symmetric in its arguments and in the order of the corners.
 * Needs round-to-nearest, no flushing of denormals. */
bool kiln_exact_triangles_meet(const double a[9], const double b[9]);

#endif
