/* A filled-bins table as the bytes of a file: formats/bins.md. */
#ifndef KILN_BINS_FILE_H
#define KILN_BINS_FILE_H

#include "../../lut/bins.h"
#include "container.h"
#include "weights_file.h"

/* As kiln_container_write. The build key is made of what shapes the table: profile, rounding,
 * limits, weights, and the versions of kiln, the format and zlib. `weights` (NULL: none) go with
 * it. */
kiln_bake_status kiln_bins_encode(const kiln_lut_bins *table, const kiln_weights_rows *weights,
                                  kiln_layout layout, const kiln_watch *watch, void **file,
                                  size_t *size);

#endif
