/* Turns of an oriented box that make it smaller. */
#ifndef KILN_BUILD_REFINE_OBB_H
#define KILN_BUILD_REFINE_OBB_H

#include "cloud.h"

/* Improves the orientation of triangles [first, last), a Rodrigues vector in steps of the stored
 * lattice, by whole multiples of `finest`, a power of two of at most 8. *extents are in the
 * orientation returned, never of more surface than in the one given. */
void kiln_refine_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float finest,
                     float rotation[3], kiln_extents *extents);

/* Replaces the orientation by one from anywhere whose box has less surface, if one is found. */
void kiln_search_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, float rotation[3]);

#endif
