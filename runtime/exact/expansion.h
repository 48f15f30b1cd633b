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

/* out = e times f, where f has at most 2 components and, if it has 2, e at most
 * KILN_EXPANSION_FACTOR. At most
 * 2 m n components. */
#define KILN_EXPANSION_FACTOR 16
int kiln_expansion_product(int m, const double *e, int n, const double *f, double *out);

/* A difference of two doubles, or any number of two components. */
typedef struct {
    int count;
    double part[2];
} kiln_difference;

/* out = x0 y1 - x1 y0. At most 16 components. */
int kiln_expansion_cross(const kiln_difference *x0, const kiln_difference *y1,
                         const kiln_difference *x1, const kiln_difference *y0, double out[16]);

/* out = the determinant of the rows u, v, w. At most 192 components. */
int kiln_expansion_triple(const kiln_difference u[3], const kiln_difference v[3],
                          const kiln_difference w[3], double out[192]);

/* e = -e. */
void kiln_expansion_negate(int m, double *e);

/* -1, 0, +1. */
int kiln_expansion_sign(int m, const double *e);

#endif
