/* Poses that need be no rotations. */
#ifndef KILN_TEST_AFFINE_H
#define KILN_TEST_AFFINE_H

#include "brute.h"

/* Small integers and powers of two; or scales of which the largest is up to 2^2, 2^12 or 2^38
 * times the least. */
typedef enum {
    AFFINE_LATTICE,
    AFFINE_MILD,
    AFFINE_STRONG,
    AFFINE_EXTREME,
    AFFINE_MIXES
} affine_mix;

/* A rotation in one of five cases, else a mirror, a shear, or uneven scales; with a scale, and a
 * translation of up to 4 or 0.7. One that calls accept. */
kiln_pose affine_pose(uint64_t *state, affine_mix how);

/* Does kiln.h count it as a rotation? Is it none, and accepted? */
bool affine_is_rotation(const kiln_pose *pose);
bool affine_is_served(const kiln_pose *pose);

/* Rounded once, so that its sign is right. */
double affine_determinant(const double m[9]);

/* a b */
void affine_times(const double a[9], const double b[9], double out[9]);

/* How its mesh gets into the world less the translation of `from`, as kiln.h says. */
brute_affine affine_carry(const kiln_pose *pose, const kiln_pose *from);

/* Where two meshes are compared, as kiln.h says: X stays, Y is carried to it; where one of the
 * poses is no rotation, both are carried, into the world less X's translation. */
typedef struct {
    bool swapped; /* X is B */
    bool turned;  /* two rotations: X is not carried, of_x is unset */
    brute_affine of_x, of_y;
    double scale; /* from there to the world */
} affine_frame;

affine_frame affine_frame_of(const kiln_tree *tree_a, const kiln_pose *pose_a,
                             const kiln_tree *tree_b, const kiln_pose *pose_b);

/* Corners of a triangle of X and one of Y as they are compared; `a` and `b`: the ids of A's and
 * of B's. */
void affine_corners(const affine_frame *f, const mesh *mesh_a, uint32_t a, const mesh *mesh_b,
                    uint32_t b, double x[9], double y[9]);

#endif
