/* A height field as the bytes of a file: formats/hierarchy.md, section 15. */
#ifndef KILN_ENCODE_HEIGHTS_FILE_H
#define KILN_ENCODE_HEIGHTS_FILE_H

#include "container.h"

typedef struct {
    const kiln_format_heights *grid;
    const uint16_t *samples; /* [columns * rows] */
    const char *meta;        /* JSON */
    size_t meta_size;
} kiln_heights_model;

/* The tree that follows from the samples, with its geometry hash. KILN_BAKE_INVALID: there is none,
 * since the grid is out of range, a coordinate is not finite in float, or all is holes.
 * KILN_BAKE_FAILED: no memory, or cancelled by the watch. */
kiln_bake_status kiln_heights_tree(const kiln_format_heights *grid, const uint16_t *samples,
                                   const kiln_watch *watch, kiln_format_tree *entry);

/* The file with that tree. As kiln_container_write. */
kiln_bake_status kiln_heights_encode(const kiln_heights_model *model, const kiln_format_tree *entry,
                                     kiln_layout layout, const uint8_t build_key[16],
                                     const kiln_watch *watch, void **file, size_t *size);

#endif
