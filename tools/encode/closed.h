/* Is a set of triangles closed? What questions of inside and outside need, whatever the order of the
 * triangles and whether vertices are shared: corners are compared by their coordinates. */
#ifndef KILN_CLOSED_H
#define KILN_CLOSED_H

#include "../../formats/format.h"

/* KILN_CLOSED_... of the triangles list[0 .. count - 1] of `indices` (list NULL: 0 .. count - 1). */
uint32_t kiln_closed(const float *positions, const uint32_t *indices, const uint32_t *list,
                     uint32_t count);

#endif
