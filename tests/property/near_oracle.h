/* The squared distance of two closed triangles, or of a convex hull and one, in rational numbers,
 * by a method that shares nothing with the library's: see near_oracle.c. For tests only; not
 * thread-safe. */
#ifndef KILN_TEST_NEAR_ORACLE_H
#define KILN_TEST_NEAR_ORACLE_H

#include <gmp.h>
#include <stdbool.h>

/* Corner k is t[3 k .. 3 k + 2]. Any finite coordinates, any degeneracy. *squared must be set
 * up. */
void near_oracle_squared(const double a[9], const double b[9], mpq_t squared);

/* The same of a convex hull, given by at most so many vertices. */
enum { NEAR_ORACLE_VERTICES = 12 };
void near_oracle_hull_squared(const double *vertices, unsigned count, const double t[9],
                              mpq_t squared);

/* Is `value` within `room` of the square root of `squared`? */
bool near_oracle_agrees(const mpq_t squared, double value, double room);

#endif
