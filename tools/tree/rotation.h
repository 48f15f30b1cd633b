/* Orientations of boxes as nodes store them: three bytes, see KILN_RODRIGUES_STEP in nodes.h. */
#ifndef KILN_BUILD_ROTATION_H
#define KILN_BUILD_ROTATION_H

#include <stdint.h>

/* The stored orientation nearest to a box with these axes, right-handed and orthonormal. Which axis
 * is which, and which way it points, is not kept: a box has no such thing. */
void kiln_rotation_quantise(double axis[3][3], int8_t rotation[3]);

#endif
