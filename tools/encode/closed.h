/* Is a set of triangles closed? What questions of inside and outside need, whatever the order of the
 * triangles and whether vertices are shared: corners are compared by their coordinates. */
#ifndef KILN_CLOSED_H
#define KILN_CLOSED_H

#include "../../formats/format.h"

/* KILN_CLOSED_... of the triangles list[0 .. count - 1] of `indices` (list NULL: 0 .. count - 1). */
uint32_t kiln_closed(const float *positions, const uint32_t *indices, const uint32_t *list,
                     uint32_t count);

/* The same in parts, whose order is free: start with zeros, add what kiln_closed_part gives for
 * list[first .. last - 1], then ask. */
typedef struct {
    uint64_t sum[2], parity[2];
} kiln_closed_sums;

void kiln_closed_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                      uint32_t first, uint32_t last, kiln_closed_sums *sums);
void kiln_closed_add(kiln_closed_sums *sums, const kiln_closed_sums *part);
uint32_t kiln_closed_of(const kiln_closed_sums *sums);

#endif
