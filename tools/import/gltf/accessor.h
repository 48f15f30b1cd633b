/* Accessors of glTF: what they are declared to hold, and their elements. */
#ifndef KILN_IMPORT_GLTF_ACCESSOR_H
#define KILN_IMPORT_GLTF_ACCESSOR_H

#include "document.h"

/* Types of components, by their numbers in the file. */
enum {
    GLTF_BYTE = 5120,
    GLTF_UNSIGNED_BYTE = 5121,
    GLTF_SHORT = 5122,
    GLTF_UNSIGNED_SHORT = 5123,
    GLTF_UNSIGNED_INT = 5125,
    GLTF_FLOAT = 5126
};

/* Sets of components, for what is allowed where. */
enum {
    GLTF_IS_BYTE = 1,
    GLTF_IS_UNSIGNED_BYTE = 2,
    GLTF_IS_SHORT = 4,
    GLTF_IS_UNSIGNED_SHORT = 8,
    GLTF_IS_UNSIGNED_INT = 16,
    GLTF_IS_FLOAT = 32
};

typedef enum {
    GLTF_OF_VERTICES,  /* a view may have a stride */
    GLTF_OF_INSTANCES, /* likewise */
    GLTF_OF_OTHERS     /* indices and matrices: it may not */
} gltf_use;

typedef struct {
    size_t index;
    uint64_t count;    /* elements, below 2^31 */
    unsigned type;     /* of components */
    unsigned width;    /* bytes of a component */
    unsigned elements; /* components of an element: 3 of a VEC3 */
    bool normalized;
} gltf_shape;

/* What an accessor is declared to be; it has to be of one of the components, and of elements of so
 * many. */
gltf_shape kiln_gltf_shape(const gltf *g, size_t index, unsigned components, unsigned elements);

/* All its elements, one after the other without gaps, sparse ones put in; for free(). */
uint8_t *kiln_gltf_load(gltf *g, const gltf_shape *shape, gltf_use use);

/* One component, as the number that it stands for. */
double kiln_gltf_value(const gltf_shape *shape, const uint8_t *bytes, size_t component);
/* One of an unsigned type, as it is. */
uint32_t kiln_gltf_unsigned(unsigned width, const uint8_t *bytes, size_t component);

#endif
