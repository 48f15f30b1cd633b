/* The grid of a height field, as the options of a bake place it. */
#ifndef KILN_BAKE_HEIGHT_GRID_H
#define KILN_BAKE_HEIGHT_GRID_H

#include "../../formats/format.h"
#include "../common/soup.h"
#include "../kiln_bake.h"

/* Are the options of height fields in range? NULL, or what is wrong. */
const char *kiln_height_grid_refusal(const kiln_bake_options *options);

/* An option that was given and is of no use for a height field, as the command calls it; NULL: none
 * was. */
const char *kiln_height_grid_stray(const kiln_bake_options *options);

/* The reverse: an option of height fields that was given; NULL: none was. */
const char *kiln_height_grid_option(const kiln_bake_options *options);

/* `soup` has samples, and the options are not refused. */
void kiln_height_grid_make(const kiln_soup *soup, const kiln_bake_options *options,
                           kiln_format_heights *grid);

#endif
