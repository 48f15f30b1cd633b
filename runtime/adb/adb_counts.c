/* From regions of any sort to octants, which is what overlaps are weighed by. */
#include "adb_counts.h"

/* kiln_adb_unit without its walk over the cells: regions are as equal as can be. */
kiln_adb_grid kiln_adb_grid_of(const kiln_format_adb *adb)
{
    const uint32_t cells = (uint32_t)adb->grid * adb->grid * adb->grid;
    const uint32_t count = kiln_adb_region_count(adb);
    const uint32_t most = (cells + count - 1) / count;
    return (kiln_adb_grid){(float)cells, (float)((most + 255) / 256), adb->regions};
}

/* A single region spreads over all octants, a pyramid over the four that it reaches into. */
void kiln_adb_octants(const kiln_adb_grid *grid, const kiln_format_adb_box *box, float octants[8])
{
    const uint8_t *count = box->count;
    if (grid->regions == KILN_ADB_REGIONS_OCTANTS) {
        for (unsigned i = 0; i < 8; i++) {
            octants[i] = grid->unit * (float)count[i];
        }
        return;
    }
    const bool one = grid->regions == KILN_ADB_REGIONS_ONE;
    const float share = grid->unit * (one ? 0.125f : 0.25f);
    for (unsigned i = 0; i < 8; i++) {
        const unsigned sum =
            one ? count[0] : (unsigned)count[i & 1] + count[2 + (i >> 1 & 1)] + count[4 + (i >> 2)];
        octants[i] = share * (float)sum;
    }
}
