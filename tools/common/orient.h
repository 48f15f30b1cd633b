/* Signs of plane areas of float coordinates, exactly. */
#ifndef KILN_ORIENT_H
#define KILN_ORIENT_H

#include <stdbool.h>

/* Sign of the area of the triangle a b c in the plane: 1 turns left, -1 turns right, 0 no area. */
int kiln_orient(const float a[2], const float b[2], const float c[2]);

/* Whether three points in space lie on one line, or two or all of them coincide. */
bool kiln_no_area(const float a[3], const float b[3], const float c[3]);

#endif
