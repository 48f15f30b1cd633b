/* What Assimp does not say about a glTF file is found in the file: what it reads wrong or silently
 * leaves out, and faces whose indices are out of range, of which it reports neither which nor how
 * many. */
#ifndef KILN_IMPORT_GLTF_H
#define KILN_IMPORT_GLTF_H

#include "reader.h"

typedef struct {
    uint32_t primitive; /* counted through all meshes of the file */
    uint32_t face;      /* counted through all faces of the primitive, good or bad */
    uint32_t corners[3];
} kiln_gltf_face;

typedef struct {
    uint32_t primitive_count;
    kiln_gltf_face *bad; /* by primitive, then by face */
    size_t bad_count;
} kiln_gltf_faces;

/* False: the file keeps its indices in a way that is not followed here, or there is no memory. */
bool kiln_gltf_find_bad(kiln_reading *reading, kiln_gltf_faces *faces);

void kiln_gltf_free(kiln_gltf_faces *faces);

/* Ends the process where the file needs what Assimp does not follow and its geometry would be
 * another; warns of what else is left out. A file that can't be read is left to Assimp. */
void kiln_gltf_check(kiln_reading *reading);

#endif
