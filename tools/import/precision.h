/* What rounding coordinates to 32-bit floats loses, and whether that matters. */
#ifndef KILN_IMPORT_PRECISION_H
#define KILN_IMPORT_PRECISION_H

#include <stddef.h>
#include <stdint.h>

/* The larger of two neighbouring floats' distances at `value`. */
double kiln_float_step(double value);

/* The median length of the edges of a sample of triangles, the same for the same triangles. */
double kiln_typical_edge(const float *positions, const uint32_t *indices, size_t triangles);

/* The longest side of their box; 0 without triangles. */
double kiln_extent(const float *positions, const uint32_t *indices, size_t triangles);

#endif
