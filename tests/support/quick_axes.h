/* Axis sets for tests. */
#ifndef KILN_TEST_QUICK_AXES_H
#define KILN_TEST_QUICK_AXES_H

#include "../../lut/axes.h"
#include "../../tools/kiln_bake.h"

#include <stddef.h>

/* A set with a table at its covering radius, or without; stops the test on failure. Released by
 * kiln_lut_axes_free. */
kiln_lut_axes quick_axes_set(uint32_t points, bool antipodal, bool zones);

/* Its file, at a multiple of 64 bytes; released by free(). */
void *quick_axes(uint32_t points, bool antipodal, bool zones, kiln_layout layout, size_t *size);

#endif
