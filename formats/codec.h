/* Codecs and transforms of sections: how stored bytes become arrays. The forward direction is in
 * tools/encode. */
#ifndef KILN_CODEC_H
#define KILN_CODEC_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>

uint32_t kiln_crc32(const void *data, size_t size);

/* CRC-32 of what `crc` covers followed by `data`. */
uint32_t kiln_crc32_continue(uint32_t crc, const void *data, size_t size);

/* Raw bytes in each block but the last: whole elements, at most KILN_BLOCK_SIZE. */
static inline uint32_t kiln_block_raw_size(uint32_t element_size)
{
    return KILN_BLOCK_SIZE - KILN_BLOCK_SIZE % element_size;
}

/* Can elements of this size go through `transform`? */
bool kiln_transform_fits(uint16_t transform, uint32_t element_size);

/* How many raw bytes one byte may stand for that was inflated, at most. */
static inline uint32_t kiln_transform_expansion(uint16_t transform)
{
    return transform == KILN_TRANSFORM_LANES || transform == KILN_TRANSFORM_EDGES ? 16u : 1u;
}

/* Undoes `transform` on one block of whole elements. `in` and `out` don't overlap; `out` is aligned
 * to 8 bytes. False where `in` is nothing that the transform makes. */
bool kiln_transform_undo(uint16_t transform, uint32_t element_size, const uint8_t *in,
                         size_t in_size, uint8_t *out, size_t size);

/* Decodes one deflate block: `stored` to exactly raw_size bytes at `out`. False when the stream is
 * broken or of another length. Uses about 200 KiB of stack and allocates nothing. */
bool kiln_block_decode(uint16_t transform, uint32_t element_size, const uint8_t *stored,
                       uint32_t stored_size, uint8_t *out, uint32_t raw_size);

#endif
