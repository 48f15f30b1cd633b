/* An axis set from the inside. */
#ifndef KILN_AXES_SET_H
#define KILN_AXES_SET_H

#include "../../formats/format.h"
#include "../../lut/axes_default.h"
#include "../kiln_axes.h"

struct kiln_axes {
    const kiln_axis_set *set;
    /* The look-up table of zones: a mask for each cell. zone_cells is 0 without one. */
    double zone_sine;
    uint32_t zone_cells;
    const uint64_t *zones;
    uint64_t bytes;
};

#endif
