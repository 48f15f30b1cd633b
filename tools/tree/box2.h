/* Numbers as binary nodes store them: floats about an origin. */
#ifndef KILN_BUILD_BOX2_H
#define KILN_BUILD_BOX2_H

#include "../../formats/format.h"

/* org in the middle of the boxes' centres, a multiple of 2^-24 within [-1, 1]; exp that of 1. */
void kiln_box2_head(double middle[2][3], unsigned lane_count, kiln_format_node8 *head);

/* The centre relative to org: a float and a multiple of 2^-50, so that org + centre is exact in
 * double. */
float kiln_box2_centre(float org, double middle);

/* The least float not below x; what is positive and below 2^-100 counts as that. 0 <= x. */
float kiln_float_above(double x);

/* Not less than what is between `centre` and the farther of two ends, and that itself where a
 * double holds it. */
double kiln_reach_above(double centre, double lower, double upper);

#endif
