/* The counts that a bake leaves beside a tree's nodes, as cells in each octant of a box. */
#ifndef KILN_ADB_COUNTS_H
#define KILN_ADB_COUNTS_H

#include "../../formats/adb.h"
#include "../base/tree.h"

/* What a tree's counts mean. */
typedef struct {
    float cells;     /* in a box's grid */
    float unit;      /* cells that a count of 1 stands for */
    uint8_t regions; /* KILN_ADB_REGIONS_... */
} kiln_adb_grid;

kiln_adb_grid kiln_adb_grid_of(const kiln_format_adb *adb);

/* Possible cells in each octant, bit k of the index the upper side of axis k. */
void kiln_adb_octants(const kiln_adb_grid *grid, const kiln_format_adb_box *box, float octants[8]);

static inline float kiln_adb_level(const kiln_format_adb_box *box)
{
    return (float)box->lb * (1.0f / 255.0f);
}

#endif
