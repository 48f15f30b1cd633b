/* Where the samples of a height field lie.
 *
 * A picture's first row is its top. Seen from above, from the greatest heights, with x to the right
 * the field looks as its picture does: rows come from the greatest y down to 0. Where y is up they
 * go along z, and where x is up the axes of the first case are changed in turn, x to y to z. */
#include "height_grid.h"

#include "../../formats/assert.h"

#include <string.h>

const char *kiln_height_grid_refusal(const kiln_bake_options *o)
{
    for (int k = 0; k < 2; k++) {
        if (!(o->spacing[k] >= 0 && o->spacing[k] <= 1e300)) {
            return "the spacing of a height field must be finite and above 0";
        }
        if (!(o->heights[k] >= -1e300 && o->heights[k] <= 1e300)) {
            return "heights must be finite";
        }
    }
    if (o->heights[0] == o->heights[1] && o->heights[0] != 0) {
        return "the heights of the least and the greatest sample must differ";
    }
    if (o->hole < -1 || o->hole > UINT16_MAX) {
        return "a hole is a sample, 0 to 65535";
    }
    if (o->columns < 0) {
        return "columns must be 2 or more";
    }
    return (unsigned)o->diagonal > KILN_HEIGHTS_ALTERNATE
               ? "unknown diagonal; use rising, falling or alternate"
               : NULL;
}

const char *kiln_height_grid_stray(const kiln_bake_options *o)
{
    const kiln_bake_options d = kiln_bake_options_default();
    return strcmp(o->bv, d.bv) != 0 && strcmp(o->bv, "aabb") != 0 ? "--bv"
           : o->leaf != d.leaf                                    ? "--leaf"
           : strcmp(o->builder, d.builder) != 0                   ? "--builder"
           : o->split != d.split                                  ? "--split"
           : o->lossy_grid != 0                                   ? "--lossy-grid"
           : o->adb != 0                                          ? "--adb"
           : o->drop != 0                                         ? "--drop"
           : o->on_bad != d.on_bad                                ? "--on-bad"
           : o->quality != d.quality                              ? "--quality"
           : o->points                                            ? "--points"
           : o->fit_to != d.fit_to                                ? "--fit"
           : o->box_fit != d.box_fit                              ? "--box-fit"
           : o->spheres != d.spheres                              ? "--spheres"
                                                                  : NULL;
}

const char *kiln_height_grid_option(const kiln_bake_options *o)
{
    return o->spacing[0] != 0 || o->spacing[1] != 0   ? "--spacing"
           : o->heights[0] != 0 || o->heights[1] != 0 ? "--heights"
           : o->columns != 0                          ? "--columns"
           : o->hole != -1                            ? "--hole"
           : o->diagonal != KILN_HEIGHTS_RISING       ? "--diagonal"
                                                      : NULL;
}

void kiln_height_grid_make(const kiln_soup *soup, const kiln_bake_options *o,
                           kiln_format_heights *grid)
{
    static const uint8_t axes[3][3] = {{1, 2, 0}, {0, 2, 1}, {0, 1, 2}};
    const double across = o->spacing[0] > 0 ? o->spacing[0] : 1;
    const double down = o->spacing[1] > 0 ? o->spacing[1] : across;
    const bool scaled = o->heights[0] != o->heights[1];
    KILN_ASSERT(soup->samples != NULL && soup->greatest > 0);
    memset(grid, 0, sizeof *grid);
    grid->columns = soup->columns;
    grid->rows = soup->rows;
    memcpy(grid->axis, axes[o->up >= 0 ? o->up : 2], sizeof grid->axis);
    grid->step[0] = across * o->scale;
    grid->step[1] = (o->up == 1 ? down : -down) * o->scale;
    grid->origin[1] = o->up == 1 ? 0 : (double)(soup->rows - 1) * -grid->step[1];
    grid->step[2] = o->scale;
    if (scaled) {
        grid->step[2] = (o->heights[1] - o->heights[0]) / soup->greatest * o->scale;
        grid->origin[2] = o->heights[0] * o->scale;
    }
    grid->hole = o->hole >= 0 ? (uint32_t)o->hole : KILN_HEIGHTS_NO_HOLE;
    grid->diagonal = (uint8_t)o->diagonal;
}
