/* Where nodes of Collada are, and the shapes that controllers give to geometry. */
#ifndef KILN_IMPORT_COLLADA_POSE_H
#define KILN_IMPORT_COLLADA_POSE_H

#include "../affine.h"
#include "document.h"
#include "geometry.h"
#include "joints.h"

/* The node's own transform, to its parent. */
kiln_affine kiln_dae_transform(const dae *d, uint32_t node);

/* The geometry that a controller gives another shape; *skinned is whether joints place it. */
uint32_t kiln_dae_controlled(const dae *d, uint32_t controller, bool *skinned);

/* The shape that an <instance_controller> gives it, for kiln_points_free: a skinned one is in the
 * frame of the scene, any other in that of the node. */
kiln_points kiln_dae_pose(const dae *d, const dae_shown *shown, const dae_joints *joints);

#endif
