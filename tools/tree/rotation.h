/* Orientations of boxes: as nodes store them, and better ones. */
#ifndef KILN_TREE_ROTATION_H
#define KILN_TREE_ROTATION_H

#include "cloud.h"

#include <stdint.h>

/* Orientations of boxes as nodes store them: three bytes, see KILN_RODRIGUES_STEP in nodes.h. */

/* The stored orientation nearest to a box with these axes, right-handed and orthonormal. Which axis
 * is which, and which way it points, is not kept: a box has no such thing. */
void kiln_rotation_quantise(double axis[3][3], int8_t rotation[3]);

/* The same as multiples of `finest`, a power of two of at most 1, in steps of the lattice. */
void kiln_rotation_steps(double axis[3][3], float finest, float rotation[3]);

/* Turns of an oriented box that make it smaller. */

/* Improves the orientation of triangles [first, last), a Rodrigues vector in steps of the stored
 * lattice, by whole multiples of `finest`, a power of two of at most 8. *extents are in the
 * orientation returned, never of more surface than in the one given. */
void kiln_refine_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float finest,
                     float rotation[3], kiln_extents *extents);

/* The nearest orientation from which no step of at least `finest` makes the points' box smaller. */
void kiln_descend_obb(const kiln_points *points, float finest, float rotation[3]);

/* Replaces the orientation by one from anywhere whose box has less surface, if one is found. */
void kiln_search_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float rotation[3]);

#endif
