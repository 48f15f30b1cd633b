/* The first fit of the oriented box of a range of triangles. */
#ifndef KILN_TREE_FIRST_FIT_H
#define KILN_TREE_FIRST_FIT_H

#include "measure.h"

typedef struct {
    int8_t rotation[3];
    double half_area;
} kiln_fit;

/* `bounds` is the object-axis box of the triangles [first, last), `moments` theirs. The result is
 * never worse than that box. */
void kiln_fit_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                  const kiln_extents *bounds, const kiln_moments *moments, kiln_fit *fit);

#endif
