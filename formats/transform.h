/* Rigid transforms, with or without a scale in them, and matrices by rows. The operations
 * promise their order of additions, as those of vector.h do. */
#ifndef KILN_TRANSFORM_H
#define KILN_TRANSFORM_H

#include "vector.h"

/* A map p = rotation q + translation. */
typedef struct {
    double rotation[9], translation[3];
} kiln_transform;

/* The point p where the map takes it; `out` is not p. */
static inline void kiln_transform_point(const kiln_transform *by, const double p[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = kiln_dot(by->rotation + 3 * i, p) + by->translation[i];
    }
}

/* The matrix m, by rows, times v; `out` is not v. Sums run as those of kiln_dot. */
static inline void kiln_matrix_apply(const double m[9], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = kiln_dot(m + 3 * i, v);
    }
}

/* a b; `out` is neither of them. */
static inline void kiln_matrix_multiply(const double a[9], const double b[9], double out[9])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] = (a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j]) + a[3 * i + 2] * b[6 + j];
        }
    }
}

#endif
