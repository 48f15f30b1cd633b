/* A point and a triangle, decided exactly: at which feature the triangle is nearest to the point,
 * which of two triangles is nearer, whether one is within a radius.
 *
 * Coordinates are 0 or from 2^-250 to 2^234 in magnitude; those of triangles are multiples of
 * 2^-149 below 2^162, as floats are, and what affine poses make of them (walk/affine_point_walk.h).
 * Corner k is t[3 k .. 3 k + 2]; triangles without area are segments and points. Everything here is
 * a function of its arguments alone. Needs the environment of fpu.h. */
#ifndef KILN_POINT_TRIANGLE_H
#define KILN_POINT_TRIANGLE_H

#include "../kiln_nearest.h"

/* The least face of the triangle that has the nearest point: corner `part`, or the edge that is
 * opposite corner `part`, or all of it (0). Where corners coincide or lie on a line, the corner or
 * the edge of the smallest number that has the point. */
typedef struct {
    kiln_feature kind;
    uint32_t part;
} kiln_nearest_feature;

kiln_nearest_feature kiln_point_feature(const double p[3], const double t[9]);

/* Is the corner nearest, so surely that doubles say so? It may then be another that has the same
 * coordinates, too. */
bool kiln_point_stays_at_corner(const double p[3], const double t[9], uint32_t corner);

/* Have both the same coordinates? Then they are equally far from any point. A face has no other
 * face's. */
bool kiln_features_coincide(const double t[9], kiln_nearest_feature of_t, const double u[9],
                            kiln_nearest_feature of_u);

/* Sign of the distance of p from t less that from u. */
int kiln_point_compare(const double p[3], const double t[9], kiln_nearest_feature of_t,
                       const double u[9], kiln_nearest_feature of_u);

/* Sign of the distance of p from t less the radius, which is 0 or from 2^-250 on, or infinite. */
int kiln_point_compare_radius(const double p[3], const double t[9], kiln_nearest_feature of_t,
                              double radius);

/* The distance within 2^-40 of itself, 0 exactly where it is 0; weights of the corners of the
 * nearest point within 2^-30, of which those beside the feature are 0, none is negative, and all
 * add up to 1 within 2^-50. */
typedef struct {
    double distance, weights[3];
} kiln_point_measure;

void kiln_measure_point(const double p[3], const double t[9], kiln_nearest_feature of_t,
                        kiln_point_measure *out);

#endif
