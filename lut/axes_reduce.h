/* Axes from the points of a covering: of the two directions of a line one is enough. */
#ifndef KILN_LUT_AXES_REDUCE_H
#define KILN_LUT_AXES_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

/* Writes the axes of an antipodal set: one of each two opposite points. Returns their number. */
uint32_t kiln_lut_axes_of_pairs(const double (*points)[3], uint32_t count, double (*axes)[3]);

/* Writes the axes of any covering whose radius has this sine: the points of a hemisphere and those
 * within the radius below it (Coming and Staadt 2004, section IV-D), for the pole that leaves the
 * fewest of `tries` poles; of two that are opposite one. Returns their number. */
uint32_t kiln_lut_axes_of_points(const double (*points)[3], uint32_t count, double sine,
                                 uint32_t tries, double (*axes)[3]);

#endif
