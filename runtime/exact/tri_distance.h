/* The least distance of two closed triangles. */
#ifndef KILN_TRI_DISTANCE_H
#define KILN_TRI_DISTANCE_H

#include <stdbool.h>

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

/* Of two triangles that meet at a corner or an edge of each, a common point, as near as doubles come
 * to it. Of others: the point of X that is nearest to Y among those that edges and corners give. */
void kiln_triangles_common_point(const double x[9], const double y[9], double point[3]);

#endif
