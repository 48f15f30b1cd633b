/* The look-up table of zones: which axes velocities in a cell of directions use. */
#ifndef KILN_LUT_AXES_ZONES_H
#define KILN_LUT_AXES_ZONES_H

#include <stdbool.h>
#include <stdint.h>

/* Cells along an edge, so that a cell is no wider than 5 % of phi, whose sine is given (Coming and
 * Staadt 2004, section V-D.1). */
uint32_t kiln_lut_zone_cells(double sine);

/* Writes the mask of (count + 63) / 64 words of each of the 3 cells^2 cells (formats/axes.md). */
void kiln_lut_zones_fill(const double (*axes)[3], uint32_t count, double sine, uint32_t cells,
                         uint64_t *zones);

#endif
