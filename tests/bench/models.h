/* Real models, where they are installed: baked as the command does it, and read back, so that every
 * library is given the same triangles. */
#ifndef KILN_BENCH_MODELS_H
#define KILN_BENCH_MODELS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "../support/meshes.h"

typedef struct {
    const char *name;
    const char *path; /* below the folder of models */
} model;

extern const model models[];
extern const unsigned model_count;

/* The folder is $KILN_MODELS, or where Debian puts assimp-testmodels. False: not installed. Stops
 * the program when a model is there and can't be baked. */
bool model_load(const model *which, mesh *out);

#ifdef __cplusplus
}
#endif

#endif
