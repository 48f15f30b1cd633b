/* An axis set as the bytes of a file: formats/axes.md. */
#ifndef KILN_AXES_FILE_H
#define KILN_AXES_FILE_H

#include "../../lut/axes.h"
#include "container.h"

/* As kiln_container_write. The build key is made of the set's contents and of the versions of kiln,
 * the format and zlib. */
kiln_bake_status kiln_axes_encode(const kiln_lut_axes *set, kiln_layout layout,
                                  const kiln_watch *watch, void **file, size_t *size);

#endif
