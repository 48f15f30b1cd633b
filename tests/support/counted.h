/* Files with counts of possible collision cells, from meshes in memory. */
#ifndef KILN_TEST_COUNTED_H
#define KILN_TEST_COUNTED_H

#include "quick_bake.h"

typedef struct {
    mesh mesh;
    void *bytes;
    kiln_file *file;
    const kiln_tree *tree; /* the first */
} counted;

/* Takes over `m`. `bv` may list kinds; `grid` 0: no counts. Stops the test on failure. */
counted counted_bake(mesh m, const char *bv, int leaf, int grid, kiln_adb_regions regions,
                     bool polygons);

/* On a grid of 4, by octants, with polygons. */
counted counted_of(mesh m, const char *bv, int leaf);

void counted_free(counted *c);

#endif
