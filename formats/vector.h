/* Vectors of three doubles: the one home of the operations on them.
 *
 * Answers and files depend on every rounding on the way, so the order of operations is part of
 * what these promise: sums run from left to right, and each operation is rounded to double on its
 * own, since every file is compiled with -ffp-contract=off. Whoever needs another order writes it
 * out where it is needed. Arrays are taken as they stand in triangles and boxes; kiln_vector is
 * for code that returns vectors. */
#ifndef KILN_VECTOR_H
#define KILN_VECTOR_H

#include <stdbool.h>

typedef struct {
    double x[3];
} kiln_vector;

/* Of two numbers; b where they are equal or one is not a number, unlike fmax and fmin. */
static inline double kiln_larger(double a, double b)
{
    return a > b ? a : b;
}

static inline double kiln_smaller(double a, double b)
{
    return a < b ? a : b;
}

/* (a0 b0 + a1 b1) + a2 b2 */
static inline double kiln_dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* a x b; `out` is neither of them. */
static inline void kiln_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void kiln_subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] - b[k];
    }
}

/* 0 and -0 are one. */
static inline bool kiln_is_same_point(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* The vector from b to a. */
static inline kiln_vector kiln_vector_between(const double a[3], const double b[3])
{
    return (kiln_vector){{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
}

static inline kiln_vector kiln_vector_cross(kiln_vector a, kiln_vector b)
{
    return (kiln_vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                          a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

static inline double kiln_vector_dot(kiln_vector a, kiln_vector b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

#endif
