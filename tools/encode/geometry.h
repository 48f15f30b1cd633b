/* What a tree's entry says of the geometry below it: its hash, and whether its surface is closed.
 */
#ifndef KILN_ENCODE_GEOMETRY_H
#define KILN_ENCODE_GEOMETRY_H

#include "../../formats/format.h"

#include <stdint.h>

/* The hash of a set of triangles, whatever their order: which of two trees a query carries exactly
 * is decided by it, so trees of other kinds over the same triangles must have the same one. */

/* Over triangles list[0 .. count - 1] of `indices` (list NULL: 0 .. count - 1): the first 16 bytes
 * of the SHA-256 of each triangle's nine floats, as two 64-bit numbers, each summed modulo 2^64. */
void kiln_geometry_hash(const float *positions, const uint32_t *indices, const uint32_t *list,
                        uint32_t count, uint8_t hash[16]);

/* The two sums over list[first .. last - 1] alone: those of parts of a list add up, in any order.
 */
void kiln_geometry_hash_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                             uint32_t first, uint32_t last, uint64_t sum[2]);

/* Is a set of triangles closed? What questions of inside and outside need, whatever the order of
 * the triangles and whether vertices are shared: corners are compared by their coordinates. */

/* KILN_CLOSED_... of the triangles list[0 .. count - 1] of `indices` (list NULL: 0 .. count - 1).
 */
uint32_t kiln_closed(const float *positions, const uint32_t *indices, const uint32_t *list,
                     uint32_t count);

/* The same in parts, whose order is free: start with zeros, add what kiln_closed_part gives for
 * list[first .. last - 1], then evaluate the sums. */
typedef struct {
    uint64_t sum[2], parity[2];
} kiln_closed_sums;

void kiln_closed_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                      uint32_t first, uint32_t last, kiln_closed_sums *sums);
void kiln_closed_add(kiln_closed_sums *sums, const kiln_closed_sums *part);
uint32_t kiln_closed_of(const kiln_closed_sums *sums);

#endif
