/* What counts of possible collision cells mean: J. Klein and G. Zachmann, "Time-Critical
 * Collision Detection Using an Average-Case Approach", VRST 2003, sections 3.3 and 3.4.3.
 *
 * A box is divided into grid^3 equal cells. Cell (x, y, z) counts along the box's own axes.
 * Cells are gathered in regions: all in one, octants, or the six pyramids over the box's faces
 * (Figure 7). */
#ifndef KILN_FORMAT_ADB_H
#define KILN_FORMAT_ADB_H

#include "format.h"

#include <stdbool.h>

enum { KILN_ADB_GRID_MAX = 16, KILN_ADB_REGIONS_MOST = 8 };

bool kiln_adb_is_sound(const kiln_format_adb *adb);

/* 1, 8 or 6. */
unsigned kiln_adb_region_count(const kiln_format_adb *adb);

/* The region of a cell. Octant: bit k is set in the upper half along axis k. Pyramid: 2 axis +
 * (1 on the upper side), of the axis along which the cell's middle is farthest from the box's;
 * of equally far ones the first from axis octant mod 3 on, in the order x y z x y: cells on the
 * pyramids' edges are dealt out evenly, where the paper does not say whose they are. */
unsigned kiln_adb_region_of(const kiln_format_adb *adb, const unsigned cell[3]);

/* Cells in each region. */
void kiln_adb_region_cells(const kiln_format_adb *adb, uint32_t cells[KILN_ADB_REGIONS_MOST]);

/* A stored count c stands for min(c * unit, cells of the region) cells; c is the true number over
 * unit, rounded up, at most 255. 1 wherever regions have at most 256 cells. */
uint32_t kiln_adb_unit(const kiln_format_adb *adb);

#endif
