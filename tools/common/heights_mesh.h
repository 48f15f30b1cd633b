/* The triangles of a height field as arrays, for tools that go through all of them. */
#ifndef KILN_COMMON_HEIGHTS_MESH_H
#define KILN_COMMON_HEIGHTS_MESH_H

#include "../../formats/check.h"

typedef struct {
    float *vertices;     /* a vertex for each sample */
    uint32_t *triangles; /* by id; all three corners of one that is not there are the same */
    uint32_t *ids;
} kiln_heights_mesh;

/* Where the view is a height field, gives it arrays, which are to be freed; else *mesh is all NULL.
 * False: no memory. */
bool kiln_heights_mesh_make(kiln_view *view, kiln_heights_mesh *mesh);
void kiln_heights_mesh_free(kiln_heights_mesh *mesh);

#endif
