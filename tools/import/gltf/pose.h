/* Where nodes of glTF are, and where skins take vertices. */
#ifndef KILN_IMPORT_GLTF_POSE_H
#define KILN_IMPORT_GLTF_POSE_H

#include "../affine.h"
#include "document.h"

#define GLTF_NO_PARENT UINT32_MAX

typedef struct {
    uint32_t *parents; /* of each node, or GLTF_NO_PARENT; the nodes are trees */
    kiln_affine *globals;
    bool *known;   /* of each node, whether its global transform is */
    uint32_t *way; /* scratch: from a node up */
} gltf_nodes;

/* Finds the parents. Ends the work where a node has two, or is below itself. */
void kiln_gltf_find_parents(const gltf *g, gltf_nodes *nodes);
void kiln_gltf_free_nodes(gltf_nodes *nodes);

/* The node's own transform, to its parent. */
kiln_affine kiln_gltf_transform(const gltf *g, const gltf_place *node);
/* Of a translation, a rotation as a quaternion, and a scale. The quaternion may be as far from a
 * unit one as `tolerance`. */
kiln_affine kiln_gltf_compose(const gltf *g, const gltf_place *at, const double translation[3],
                              const double rotation[4], const double scale[3], double tolerance);

typedef struct {
    kiln_affine *joints; /* from the mesh as it was bound to the scene */
    size_t count;
} gltf_skin;

/* For free(skin.joints). */
gltf_skin kiln_gltf_skin(gltf *g, gltf_nodes *nodes, size_t index);

#endif
