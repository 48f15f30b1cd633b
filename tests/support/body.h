/* A mesh and its trees of every kind, opened. */
#ifndef KILN_TEST_BODY_H
#define KILN_TEST_BODY_H

#include "quick_bake.h"

enum { BODY_KINDS = 4 };

typedef struct {
    mesh mesh;
    void *bytes;
    kiln_file *file;
    const kiln_tree *trees[BODY_KINDS]; /* obb, aabb, obb2, aabb2 */
} body;

/* Takes the mesh; all of it goes with body_free. Stops the test on failure. */
body body_of(mesh m, int leaf, kiln_layout layout);

void body_free(body *b);

#endif
