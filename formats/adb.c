/* Regions of the cells of a box: all in one, octants, or the six pyramids over the faces (Klein
 * and Zachmann 2003, Figure 7; adb.h). Everything is counted in whole cells, without a table:
 * baking needs a few numbers per tree, and the runtime needs only the sizes. */
#include "adb.h"

#include "assert.h"

#include <string.h>

/* The grids, and the ways to count, that this version knows; a later one may add to them. */
bool kiln_adb_is_sound(const kiln_format_adb *adb)
{
    return (adb->grid == 4 || adb->grid == 8 || adb->grid == 16) &&
           adb->regions >= KILN_ADB_REGIONS_ONE && adb->regions <= KILN_ADB_REGIONS_SECTORS &&
           adb->area >= KILN_ADB_AREA_MEAN && adb->area <= KILN_ADB_AREA_MAX &&
           adb->polygons >= KILN_ADB_POLYGONS_SUBTREE && adb->polygons <= KILN_ADB_POLYGONS_BOX &&
           adb->factor > 0 && adb->factor <= 1000;
}

unsigned kiln_adb_region_count(const kiln_format_adb *adb)
{
    return adb->regions == KILN_ADB_REGIONS_ONE       ? 1
           : adb->regions == KILN_ADB_REGIONS_OCTANTS ? 8
                                                      : 6;
}

/* The pyramid of a cell belongs to the axis along which the middle of the cell is farthest from
 * that of the box. Where axes are equally far, the octant decides which one comes first, so that
 * cells on the edges are dealt out evenly. */
static unsigned sector_of(unsigned grid, const unsigned cell[3], unsigned octant)
{
    KILN_ASSERT(octant < 8);
    unsigned distance[3], farthest = 0; /* in half cells, odd */
    for (unsigned k = 0; k < 3; k++) {
        const unsigned twice = 2 * cell[k] + 1;
        distance[k] = twice > grid ? twice - grid : grid - twice;
        farthest = distance[k] > farthest ? distance[k] : farthest;
    }
    unsigned axis = octant % 3;
    while (distance[axis] != farthest) {
        axis = (axis + 1) % 3;
    }
    return 2 * axis + (octant >> axis & 1);
}

/* Bit k of the octant is set in the upper half of axis k, whose grid has an even number of cells.
 */
unsigned kiln_adb_region_of(const kiln_format_adb *adb, const unsigned cell[3])
{
    unsigned octant = 0;
    KILN_ASSERT(cell[0] < adb->grid && cell[1] < adb->grid && cell[2] < adb->grid);
    for (unsigned k = 0; k < 3; k++) {
        octant |= (2 * cell[k] >= adb->grid ? 1u : 0u) << k;
    }
    switch (adb->regions) {
    case KILN_ADB_REGIONS_OCTANTS:
        return octant;
    case KILN_ADB_REGIONS_SECTORS:
        return sector_of(adb->grid, cell, octant);
    default:
        return 0;
    }
}

/* Cells are counted one by one: grids have at most 16 of them on an edge. */
void kiln_adb_region_cells(const kiln_format_adb *adb, uint32_t cells[KILN_ADB_REGIONS_MOST])
{
    memset(cells, 0, KILN_ADB_REGIONS_MOST * sizeof *cells);
    unsigned at[3];
    for (at[0] = 0; at[0] < adb->grid; at[0]++) {
        for (at[1] = 0; at[1] < adb->grid; at[1]++) {
            for (at[2] = 0; at[2] < adb->grid; at[2]++) {
                cells[kiln_adb_region_of(adb, at)]++;
            }
        }
    }
}

/* One step of a stored byte stands for this many cells: the least number with which the largest
 * region can still be counted in a byte. */
uint32_t kiln_adb_unit(const kiln_format_adb *adb)
{
    uint32_t cells[KILN_ADB_REGIONS_MOST], most = 0;
    kiln_adb_region_cells(adb, cells);
    for (unsigned i = 0; i < KILN_ADB_REGIONS_MOST; i++) {
        most = cells[i] > most ? cells[i] : most;
    }
    return (most + 255) / 256;
}
