/* Matrices of poses that are no rotations: their inverse, their limits, and what becomes of boxes.
 */
#ifndef KILN_AFFINE_H
#define KILN_AFFINE_H

#include "../kiln.h"

#include <stdbool.h>

/* A pose as p_world = matrix p + translation. */
typedef struct {
    double matrix[9];  /* scale x rotation, each entry rounded once */
    double inverse[9]; /* of that, within 2^-50 of its largest entry where kiln_affine_is_sound */
    double most, most_inverse; /* their largest entries in magnitude */
    bool mirrors;
} kiln_affine;

/* The inverse by cofactors over the determinant, all in pairs of doubles, each entry rounded once:
 * within 2^-52 + 2^-98 s of its largest entry, s being the product of the largest entries of both.
 * Numbers that are not finite, where the matrix has none. Returns the determinant's sign. */
int kiln_matrix_invert_wide(const double m[9], double out[9]);

/* Of any pose. False: nothing is inverse to it. */
bool kiln_affine_form(const kiln_pose *pose, kiln_affine *out);

/* Is it one that calls accept, though it may be no rotation? `affine` is formed of the pose. */
bool kiln_affine_is_sound(const kiln_pose *pose, const kiln_affine *affine);

/* The largest magnitude of nine; a number that is no finite one, or infinity, where one of them is
 * not. */
double kiln_matrix_most(const double m[9]);

/* The square root of the sum of squares, rounded up: no vector gets longer by more. */
double kiln_matrix_norm(const double m[9]);

/* An oriented box around all c + sum of t_k arm[k] with t_k from -1 to 1, about the same centre c:
 * its axes, orthonormal within 2^-30, the first along the longest arm, and its half-extents, which
 * are not rounded up. */
void kiln_arms_enclose(double arm[3][3], double axis[3][3], double half[3]);

#endif
