/* Procedural models of a chosen number of triangles, the same on every machine: coordinates are
 * computed by +, -, *, / and square roots alone and kept as whole millionths. */
#ifndef KILN_MODELS_SHAPE_H
#define KILN_MODELS_SHAPE_H

#ifdef __cplusplus
extern "C" {
#endif

#include <stdint.h>

typedef struct {
    int32_t *positions; /* 3 a vertex, in millionths */
    uint32_t *indices;  /* 3 a triangle */
    uint32_t vertex_count, triangle_count;
} shape_mesh;

typedef struct {
    const char *name, *what;
    void (*make)(double triangles, shape_mesh *mesh); /* adds about so many */
} shape_kind;

extern const shape_kind shape_kinds[];
extern const unsigned shape_kind_count;

/* NULL: there is none of this name. */
const shape_kind *shape_find(const char *name);

/* The model with `triangles` triangles or as near to it as its parts allow: within 5 % from 5,000
 * on. Released by shape_free. Ends the program when memory is short. */
shape_mesh shape_make(const shape_kind *kind, uint32_t triangles);
void shape_free(shape_mesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
