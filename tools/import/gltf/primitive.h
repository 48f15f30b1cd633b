/* Primitives of glTF: vertices and faces. */
#ifndef KILN_IMPORT_GLTF_PRIMITIVE_H
#define KILN_IMPORT_GLTF_PRIMITIVE_H

#include "document.h"
#include "pose.h"

/* What gives a mesh another shape than its own. */
typedef struct {
    const gltf_skin *skin; /* NULL: none */
    const double *weights; /* of the morph targets; NULL: none */
    size_t weight_count;
    bool residuals; /* of the whole scene: vertices are sent as double */
} gltf_shape_of_mesh;

/* The number of faces, without reading any. */
uint64_t kiln_gltf_count_faces(const gltf *g, const gltf_place *primitive);

/* Sends vertices and faces; returns how many faces. *vertices is how many vertices. */
uint64_t kiln_gltf_send_primitive(gltf *g, const gltf_place *primitive,
                                  const gltf_shape_of_mesh *pose, uint32_t material,
                                  uint64_t *vertices);

/* The number of morph targets of a primitive. */
size_t kiln_gltf_target_count(const gltf *g, const gltf_place *primitive);

#endif
