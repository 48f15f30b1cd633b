/* Where nodes of Collada are, and the shapes that controllers give to geometry. */
#ifndef KILN_IMPORT_COLLADA_POSE_H
#define KILN_IMPORT_COLLADA_POSE_H

#include "../affine.h"
#include "document.h"
#include "geometry.h"

/* The node's own transform, to its parent. */
kiln_affine kiln_dae_transform(const dae *d, uint32_t node);

/* A node where the scene has it; one that is instanced has several places. */
typedef struct {
    uint32_t element;
    uint32_t depth;
    kiln_affine global; /* to the scene, without its unit and axis */
} dae_place;

/* Depth-first. */
typedef struct {
    dae_place *items;
    size_t count, capacity;
} dae_places;

/* The geometry that a controller gives another shape; *skinned is whether joints place it. */
uint32_t kiln_dae_controlled(const dae *d, uint32_t controller, bool *skinned);

/* The shape that an <instance_controller> gives it: a skinned one is in the frame of the scene, any
 * other in that of the node. */
dae_shape kiln_dae_pose(const dae *d, uint32_t instance, uint32_t controller,
                        const dae_places *places);

#endif
