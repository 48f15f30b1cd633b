/* The rounding of coordinates: what 32-bit floats lose, and whether that matters; and, on request,
 * vertices on a grid, which make smaller files at the price of exactness. */
#ifndef KILN_IMPORT_GRID_H
#define KILN_IMPORT_GRID_H

#include "../common/soup.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The larger of two neighbouring floats' distances at `value`. */
double kiln_float_step(double value);

/* The median length of the edges of a sample of triangles, the same for the same triangles. */
double kiln_typical_edge(const float *positions, const uint32_t *indices, size_t triangles);

/* The longest side of their box; 0 without triangles. */
double kiln_extent(const float *positions, const uint32_t *indices, size_t triangles);

/* Moves every vertex to the nearest multiple of a step on each axis. The step is a power of two:
 * the longest side of the box of the vertices has at least half as many steps as 2^bits and at most
 * as many. A vertex moves by at most half a step on each axis, and not at all where floats are
 * coarser than the step. Vertices that then coincide become one; triangles that lose their area
 * stay. Fills soup->lossy_step and its fellows. False: no memory, the soup is then good for freeing
 * only. */
bool kiln_snap_to_grid(kiln_soup *soup, int bits);

#endif
