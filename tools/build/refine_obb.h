/* Small turns of an oriented box that make it smaller. */
#ifndef KILN_BUILD_REFINE_OBB_H
#define KILN_BUILD_REFINE_OBB_H

#include "cloud.h"

/* Improves the stored orientation of triangles [first, last); *extents are in the orientation
 * returned, never of more surface than in the one given. */
void kiln_refine_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last, int8_t rotation[3],
                     kiln_extents *extents);

#endif
