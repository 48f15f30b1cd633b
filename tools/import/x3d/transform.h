/* Rotations and transforms of X3D. */
#ifndef KILN_IMPORT_X3D_TRANSFORM_H
#define KILN_IMPORT_X3D_TRANSFORM_H

#include "../affine.h"
#include "document.h"

/* By an angle in radians about a unit axis: x, y, z, angle. */
kiln_affine kiln_x3d_rotation(const double rotation[4]);
/* The same about an axis of any length, of the field `name`. */
kiln_affine kiln_x3d_rotation_of(const x3d_document *document, const x3d_node *node,
                                 const char *name, const double rotation[4]);
/* That of a <Transform>. */
kiln_affine kiln_x3d_transform(const x3d_document *document, const x3d_node *node);

#endif
