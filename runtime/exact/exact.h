/* What is decided about single triangles, and exactly: do two meet, how far apart are two, does
 * a shape meet one. Each is a float filter with a proven bound, then floating-point expansions
 * (expansion.h) or pairs of doubles (double_double.h). Nothing else in the library decides
 * these. All of it needs the environment of fpu.h: round to nearest, no flushing of denormals. */
#ifndef KILN_EXACT_H
#define KILN_EXACT_H

#include "../kiln.h"

#include <stdbool.h>

/* Coordinates must be 0 or have a magnitude in [KILN_EXACT_MIN, KILN_EXACT_MAX]: then every product
 * and tail of the expansions is representable and nothing under- or overflows. */
#define KILN_EXACT_MIN 0x1p-250
#define KILN_EXACT_MAX 0x1p+250

/* Sign (-1, 0, +1) of the determinant of (a - d, b - d, c - d), exact. */
int kiln_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);

/* Of each corner of s the sign of kiln_exact_orient3d(corner, t + 3, t + 6, t): 1 in front of t. */
void kiln_exact_plane_sides(const double t[9], const double s[9], int side[3]);

/* Sign of (a - c) x (b - c) in the plane of the coordinates i and j, exact. */
int kiln_exact_orient2d(const double a[3], const double b[3], const double c[3], int i, int j);

/* Do two closed triangles meet? Exact for every input in range: touching, coplanar, shared corners
 * and edges, segments and points (triangles without area) included. Corner k of a triangle is
 * t[3 k .. 3 k + 2]. Symmetric in its arguments and in the order of the corners.
 * Needs round-to-nearest, no flushing of denormals. */
bool kiln_exact_triangles_meet(const double a[9], const double b[9]);

/* A point that both surely have, which is less than *error from that in each coordinate: a corner
 * of both, or where an edge of one crosses the other. False: none is certain, though they may meet.
 * A function of the corners alone; coordinates in range as for kiln_exact_triangles_meet. Neither
 * output is defined where it is false. */
bool kiln_triangles_certain_point(const double x[9], const double y[9], double point[3],
                                  double *error);

/* ------------------------------------------------------- how two meet: triangle_relation.c -- */

typedef enum {
    KILN_MEETING_NONE,
    KILN_MEETING_TOUCH,   /* in a point or a segment, and none of the following */
    KILN_MEETING_CROSS,   /* not in one plane, and a point is inside both */
    KILN_MEETING_OVERLAP, /* in one plane, with an area in common */
    KILN_MEETING_SAME     /* they have the same corners */
} kiln_meeting;

typedef struct {
    kiln_meeting how;
    unsigned shared; /* points that are a corner of both */
    bool beyond;     /* they have a point in common that is not in the hull of these */
} kiln_relation;

/* How two closed triangles meet, exactly, with the inputs of kiln_exact_triangles_meet and as
 * symmetric. Those that share a corner always meet; where they have nothing beyond what they share,
 * they touch, but for two that are the same. */
kiln_relation kiln_triangles_relate(const double a[9], const double b[9]);

/* Points that are a corner of both. */
unsigned kiln_triangles_shared(const double a[9], const double b[9]);

/* ----------------------------------------------------------------- distances: tri_distance.c -- */

typedef struct {
    double value;            /* 0 exactly where the triangles meet (kiln_exact_triangles_meet) */
    double on_x[3], on_y[3]; /* nearest points; not set for 0 */
    double apart[3];         /* on_x - on_y, before they were rounded; not set for 0 */
} kiln_tri_nearest;

/* Corner k of a triangle is t[3 k .. 3 k + 2], in range as for kiln_exact_triangles_meet; triangles
 * without area are segments and points. `value` is a function of the corners alone, within
 * 2^-43 of the largest difference of a coordinate between any two of the six of the true distance.
 * False: it is greater than `limit`; *out is then untouched. Needs the environment of fpu.h. */
bool kiln_triangles_nearest(const double x[9], const double y[9], double limit,
                            kiln_tri_nearest *out);

/* The same, but *out is always set. Beyond the limit its value may be infinite and its other
 * members rough; `apart`, which may then have any length, is still the way between them, nearly.
 */
void kiln_triangles_measure(const double x[9], const double y[9], double limit,
                            kiln_tri_nearest *out);

/* Of two triangles that meet at a corner or an edge of each, a common point, as near as doubles
 * come to it. Of others: the point of X that is nearest to Y among those that edges and corners
 * give. */
void kiln_triangles_common_point(const double x[9], const double y[9], double point[3]);

/* --------------------------------------------- boxes, spheres and capsules: shape_triangle.c -- */

/* Do they meet, as kiln.h says? The shape's numbers have been checked, and are 0 or at least
 * KILN_EXACT_MIN in magnitude like the corners'. Needs the environment of fpu.h. */
bool kiln_shape_meets_triangle(const kiln_shape *shape, const double corners[9]);

#endif
