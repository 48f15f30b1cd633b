/* Floating-point expansions (Shewchuk 1997, "Adaptive precision floating-point arithmetic and fast
 * robust geometric predicates"): an exact number as the sum of doubles that don't overlap, smallest
 * magnitude first, zeros left out. The number zero has no components.
 *
 * Everything here is exact as long as no component over- or underflows; who calls has to bound its
 * inputs. Needs round-to-nearest-even. Outputs must not alias inputs. */
#ifndef KILN_EXPANSION_H
#define KILN_EXPANSION_H

/* out = a - b. At most 2 components. Each function returns how many it wrote. */
int kiln_expansion_difference(double a, double b, double out[2]);

/* out = e + f. At most m + n components. */
int kiln_expansion_sum(int m, const double *e, int n, const double *f, double *out);

/* out = e times f, where f has at most 2 components and e at most KILN_EXPANSION_FACTOR. At most
 * 2 m n components. */
#define KILN_EXPANSION_FACTOR 16
int kiln_expansion_product(int m, const double *e, int n, const double *f, double *out);

/* e = -e. */
void kiln_expansion_negate(int m, double *e);

/* -1, 0, +1. */
int kiln_expansion_sign(int m, const double *e);

#endif
