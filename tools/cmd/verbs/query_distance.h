/* kiln query --shapes: convex shapes of lines of numbers, and --mode distance. */
#ifndef KILN_CMD_QUERY_DISTANCE_H
#define KILN_CMD_QUERY_DISTANCE_H

#include "../../../runtime/kiln_shapes.h"

#include <jansson.h>
#include <stdbool.h>

/* The shape of a line: 6 numbers, a box; 3 n + 1, the hull of n vertices and a radius. `corners`
 * holds those of a box; other vertices stay in `numbers`. False: no shape has so many. */
bool query_convex_of(const double *numbers, int count, double corners[24], kiln_convex *out);

/* Why a shape is none; NULL: a number is out of range. */
const char *query_convex_fault(const double *numbers, int count);

/* Prints the nearest triangle of a shape, or appends it to `answers`. */
void query_distance_report(const kiln_tree *tree, const kiln_shape_nearest *nearest, bool witness,
                           json_t *answers);

#endif
