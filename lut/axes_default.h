/* The axis set that is built into the runtime, so that who needs no special one needs no file:
 * constant data, 1.7 KB. Written by generate_axes.c. */
#ifndef KILN_LUT_AXES_DEFAULT_H
#define KILN_LUT_AXES_DEFAULT_H

#include <stdint.h>

/* Unit vectors, of two opposite ones one, with the covering radius of all: certified, in radians,
 * and its sine; both are rounded up. */
typedef struct {
    uint32_t count;
    const double (*axes)[3];
    double radius, sine;
} kiln_axis_set;

extern const kiln_axis_set kiln_axes_built_in;

#endif
