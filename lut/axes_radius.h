/* The covering radius of points, certified: the largest angle from any direction to the nearest of
 * them. */
#ifndef KILN_LUT_AXES_RADIUS_H
#define KILN_LUT_AXES_RADIUS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double radius; /* upper bound in radians, at most 2^-40 / sine above the true one */
    double sine;   /* upper bound of its sine, which is not above 1 */
    double cosine; /* lower bound of its cosine, above 0 */
    uint32_t facets;
    uint64_t exact_decisions; /* of the hull: how many took whole numbers */
} kiln_lut_radius;

/* What points have to be: coordinates are multiples of 2^-53, and lengths within 2^-49 of 1. */
bool kiln_lut_points_are_sound(const double (*points)[3], uint32_t count);

/* Of sound points. False: out of memory, points that coincide, or none within 90 degrees of some
 * direction. */
bool kiln_lut_covering_radius(const double (*points)[3], uint32_t count, kiln_lut_radius *radius);

#endif
