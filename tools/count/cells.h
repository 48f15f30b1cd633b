/* How much surface each cell of a box's grid holds. */
#ifndef KILN_COUNT_CELLS_H
#define KILN_COUNT_CELLS_H

#include "../../formats/adb.h"
#include "../../formats/nodes.h"

#include <stddef.h>

typedef struct {
    kiln_box box; /* half-extents floored: see kiln_cells_begin */
    unsigned grid;
    double scale[3];  /* cells a unit of length */
    size_t stride[3]; /* between cells that are neighbours along an axis */
    double area[KILN_ADB_GRID_MAX * KILN_ADB_GRID_MAX * KILN_ADB_GRID_MAX];
} kiln_cells;

/* Empty cells over a box. Half-extents below a fiftieth of the largest are taken for that: flat
 * boxes of planar faces have no cells otherwise, where the paper's ratios of volumes are 0 / 0.
 * False: the box is a point, or not finite. */
bool kiln_cells_begin(kiln_cells *cells, const kiln_box *box, unsigned grid);

/* Adds a triangle of node space, [corner][coordinate], of area `area` there. What lies outside
 * of the box is cut off, but with `inside` corners are taken to be inside, where rounding may
 * put them out. */
void kiln_cells_add(kiln_cells *cells, const double corner[9], double area, bool inside);

/* The area from which on a cell counts as possible (the paper's MaxArea, Definition 2): by `rule`,
 * KILN_ADB_AREA_..., times `factor`. */
double kiln_cells_threshold(const kiln_cells *cells, unsigned rule, double factor);

#endif
