/* How probable a collision is in pairs of boxes: eight nodes of one tree against one of the other.
 */
#ifndef KILN_ADB_ESTIMATE_H
#define KILN_ADB_ESTIMATE_H

#include "../../formats/adb.h"
#include "../base/tree.h"
#include "../kernel/adb_lanes.h"
#include "../base/probability.h"

/* ------------------------------------------------------------------------------------ counts -- */

/* What a tree's counts mean. */
typedef struct {
    float cells;     /* in a box's grid */
    float unit;      /* cells that a count of 1 stands for */
    float layer;     /* cells in one layer of the grid */
    uint8_t regions; /* KILN_ADB_REGIONS_... */
} kiln_adb_grid;

kiln_adb_grid kiln_adb_grid_of(const kiln_format_adb *adb);

/* Possible cells in each octant, bit k of the index the upper side of axis k. */
void kiln_adb_octants(const kiln_adb_grid *grid, const kiln_format_adb_box *box, float octants[8]);

/* Does a box hold less than a surface through it fills, one layer of cells? Then there are polygons
 * in cells that have too little area there to be counted: long and narrow ones. */
static inline bool kiln_adb_is_sparse(const kiln_adb_grid *grid, const kiln_format_adb_box *box)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < KILN_ADB_REGIONS_MOST; i++) {
        sum += box->count[i];
    }
    return grid->unit * (float)sum < grid->layer;
}

static inline float kiln_adb_level(const kiln_format_adb_box *box)
{
    return (float)box->lb * (1.0f / 255.0f);
}

/* What is counted in the first `count` lanes of a node. */
void kiln_adb_take_counts(const kiln_adb_grid *grid, const kiln_adb_kernels *kernels,
                          const kiln_format_adb_box counts[], unsigned count,
                          kiln_adb_lanes *boxes);

/* kiln_adb_kernels.weigh, with losses as the options want them. */
uint32_t kiln_adb_weigh(const kiln_adb_kernels *kernels, const kiln_adb_options *options,
                        const kiln_adb_weights *weights, const kiln_adb_lanes *boxes,
                        const kiln_adb_box *other, uint32_t used, kiln_adb_weighed *out);

#endif
