/* Where nodes of FBX are, and the shapes that deformers give to geometry. */
#ifndef KILN_IMPORT_FBX_POSE_H
#define KILN_IMPORT_FBX_POSE_H

#include "../affine.h"
#include "document.h"
#include "geometry.h"

typedef struct {
    kiln_affine global;    /* to the scene */
    kiln_affine turn;      /* the rotation in that: of the node and of all above */
    kiln_affine geometric; /* of what the node shows, to the node */
    bool has_geometric;
    double scale[3]; /* the node's own */
} fbx_place;

/* The place of the scene itself. */
fbx_place kiln_fbx_origin(void);

/* The place of a node below one at `above`; `defaults` are the properties of nodes. */
fbx_place kiln_fbx_place(const fbx *f, uint32_t model, const fbx_properties *defaults,
                         const fbx_place *above);

/* Whether joints place the vertices of a geometry. */
bool kiln_fbx_is_skinned(const fbx *f, uint32_t geometry);

/* Applies the blend shapes of a geometry, and warns of other deformers than these and skins. */
void kiln_fbx_morph(const fbx *f, uint32_t geometry, fbx_shape *shape);

/* The place of a node of the scene by its object; NULL: the scene has no such node. */
typedef const fbx_place *fbx_place_of(const void *scene, uint32_t model);

/* Applies its skins where a node at `place` shows it: then the shape is in the frame of the scene.
 */
void kiln_fbx_skin(const fbx *f, uint32_t geometry, const fbx_place *place, fbx_place_of *place_of,
                   const void *scene, fbx_shape *shape);

#endif
