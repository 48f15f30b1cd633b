/* Draco (KHR_draco_mesh_compression), by Google's library, which is C++. */
#ifndef KILN_IMPORT_GLTF_DRACO_H
#define KILN_IMPORT_GLTF_DRACO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint32_t id;                    /* in the stream */
    unsigned type, width, elements; /* as those of an accessor */
    uint8_t *bytes;                 /* filled, without gaps; for free() */
} kiln_draco_attribute;

typedef struct {
    uint32_t vertices, corners;
    uint32_t *indices; /* three a face; for free() */
} kiln_draco_mesh;

/* NULL when done; else what is wrong, "" where there is no memory. */
const char *kiln_draco_decode(const void *data, size_t size, kiln_draco_mesh *mesh,
                              kiln_draco_attribute *attributes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
