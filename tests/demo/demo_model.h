/* The models of the demo: real ones from a package, and ones that are computed here. */
#ifndef KILN_DEMO_MODEL_H
#define KILN_DEMO_MODEL_H

#include "../../tools/kiln_bake.h"
#include "../support/meshes.h"

#include <stdbool.h>
#include <stdio.h>

enum { DEMO_PATH_SIZE = 4096 };

typedef struct {
    const char *name;
    const char *source; /* below the folder of real models; NULL: computed */
    void (*write)(FILE *out);
    const char *extension; /* of what is computed */
} demo_source;

extern const demo_source demo_sources[];
extern const int demo_source_count;

/* A model that was baked twice, packed and raw, and opened. */
typedef struct {
    const demo_source *source;
    char packed_path[DEMO_PATH_SIZE], raw_path[DEMO_PATH_SIZE];
    kiln_bake_report packed, raw;
    double seconds;  /* of the packed bake, from the model to the file */
    kiln_file *file; /* raw */
    const kiln_tree *tree;
    mesh triangles; /* as stored, by their ids */
    double radius, reach;
} demo_model;

/* Writes or finds the model, bakes it into `folder` and opens it. False, with a line on standard
 * error, when that fails. */
bool demo_model_make(demo_model *model, const demo_source *source, const char *folder);
void demo_model_free(demo_model *model);

/* Is it there? Real models come from a package that may be missing. */
bool demo_source_exists(const demo_source *source);

double demo_seconds(void);

#endif
