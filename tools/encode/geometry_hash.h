/* The hash of a set of triangles, whatever their order: which of two trees a query carries exactly is
 * decided by it, so trees of other kinds over the same triangles must have the same one. */
#ifndef KILN_GEOMETRY_HASH_H
#define KILN_GEOMETRY_HASH_H

#include <stdint.h>

/* Over triangles list[0 .. count - 1] of `indices` (list NULL: 0 .. count - 1): the first 16 bytes of
 * the SHA-256 of each triangle's nine floats, as two 64-bit numbers, each summed modulo 2^64. */
void kiln_geometry_hash(const float *positions, const uint32_t *indices, const uint32_t *list,
                        uint32_t count, uint8_t hash[16]);

/* The two sums over list[first .. last - 1] alone: those of parts of a list add up, in any order. */
void kiln_geometry_hash_part(const float *positions, const uint32_t *indices, const uint32_t *list,
                             uint32_t first, uint32_t last, uint64_t sum[2]);

#endif
