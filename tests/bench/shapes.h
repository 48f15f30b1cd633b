/* Procedural meshes to measure on, smooth and of many parts: the same on every machine. */
#ifndef KILN_BENCH_SHAPES_H
#define KILN_BENCH_SHAPES_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../support/meshes.h"

typedef struct {
    const char *name;
    mesh (*make)(void); /* released by mesh_free */
} shape;

extern const shape shapes[];
extern const unsigned shape_count;

#ifdef __cplusplus
}
#endif

#endif
