/* Bytes of a glTF document: buffers, and the views that accessors are in. */
#ifndef KILN_IMPORT_GLTF_BUFFER_H
#define KILN_IMPORT_GLTF_BUFFER_H

#include "document.h"

typedef struct {
    gltf_place place;
    size_t index;
    uint64_t offset, length; /* within the buffer */
    uint64_t stride;         /* 0: none is given */
    const gltf_buffer *buffer;
    const uint8_t *decoded; /* NULL: the bytes are the buffer's */
} gltf_view;

/* Opens a view, checked, and its buffer; decompresses it where it is compressed. */
gltf_view kiln_gltf_view(gltf *g, size_t index);
/* Copies bytes of a view that has them. */
void kiln_gltf_view_read(const gltf *g, const gltf_view *view, uint64_t offset, void *to,
                         uint64_t size);

#endif
