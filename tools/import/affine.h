/* Affine transforms in double, row-major: where a node puts its meshes. */
#ifndef KILN_IMPORT_AFFINE_H
#define KILN_IMPORT_AFFINE_H

#include <stdbool.h>

#include "scene.h"

typedef struct {
    double m[3][4];
} kiln_affine;

/* The transform that does `inner` first, then `outer`: to the frame of the parent's parent. */
kiln_affine kiln_affine_join(const kiln_affine *outer, const kiln_affine *inner);

/* The node's own, to its parent. */
kiln_affine kiln_affine_of_node(const kiln_scene_node *node);

/* Of 16 numbers by rows, the last of which has to be 0 0 0 1, but for rounding; false: it is not.
 */
bool kiln_affine_of_rows(const double rows[16], kiln_affine *affine);

/* Adds the point `from`, transformed, `weight` times to `to`: what a joint does to a vertex. */
void kiln_affine_add(const kiln_affine *affine, double weight, const double from[3], double to[3]);

/* Of an angle in degrees; exactly 0, 1 and -1 at quarters of a turn, which angles mostly are. */
void kiln_sine_cosine(double degrees, double *sine, double *cosine);

/* The rotation about an axis of length 1 by the angle that has these. */
kiln_affine kiln_affine_rotation(const double axis[3], double sine, double cosine);

/* Scales, and rotates so that axis `from` (0 x, 1 y, 2 z) becomes axis `to`, without mirroring. */
kiln_affine kiln_affine_of_options(double scale, int from, int to);

bool kiln_affine_is_finite(const kiln_affine *affine);

/* Whether it reverses faces: its determinant is negative. */
bool kiln_affine_mirrors(const kiln_affine *affine);

/* A bound of how much a length can grow. */
double kiln_affine_growth(const kiln_affine *affine);

#endif
