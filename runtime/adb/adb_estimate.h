/* How probable a collision is in pairs of boxes: eight nodes of one tree against one of the other. */
#ifndef KILN_ADB_ESTIMATE_H
#define KILN_ADB_ESTIMATE_H

#include "adb_counts.h"
#include "../kernel/adb_lanes.h"
#include "adb_probability.h"

/* What is counted in the first `count` lanes of a node. */
void kiln_adb_take_counts(const kiln_adb_grid *grid, const kiln_adb_kernels *kernels,
                          const kiln_format_adb_box counts[], unsigned count,
                          kiln_adb_lanes *boxes);

/* kiln_adb_kernels.weigh, with losses as the options want them. */
uint32_t kiln_adb_weigh(const kiln_adb_kernels *kernels, const kiln_adb_options *options,
                        const kiln_adb_weights *weights, const kiln_adb_lanes *boxes,
                        const kiln_adb_box *other, uint32_t used, kiln_adb_weighed *out);

#endif
