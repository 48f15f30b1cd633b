/* How far is a point from a triangle, exactly? Answered in integers of any length: see
 * oracle_point.c. For tests only; not thread-safe. */
#ifndef KILN_TEST_ORACLE_POINT_H
#define KILN_TEST_ORACLE_POINT_H

#include <gmp.h>
#include <stdbool.h>

typedef struct {
    mpz_t over, under; /* the square of the distance, in squares of 2^grid */
    int kind, part;    /* as kiln_feature and kiln_surface_point.part */
    double weights[3]; /* rounded to nearest or so */
} oracle_point;

void oracle_point_init(oracle_point *o);
void oracle_point_clear(oracle_point *o);

/* The exponent of the lowest bit of all numbers, and `grid`. */
int oracle_grid(const double *from, int count, int grid);

/* Any finite coordinates that are multiples of 2^grid, any degeneracy. */
void oracle_point_measure(const double p[3], const double t[9], int grid, oracle_point *out);

/* Sign of the distance of a less that of b. */
int oracle_point_compare(const oracle_point *a, const oracle_point *b);

/* Sign of the distance less the radius, a multiple of 2^grid. */
int oracle_point_compare_radius(const oracle_point *a, double radius, int grid);

/* Is `distance` within this part of the distance, and 0 if and only if that is? */
bool oracle_point_is(const oracle_point *a, double distance, int grid, double within);

#endif
