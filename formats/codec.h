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

/* Bytes of the words that a transform works on; elements are whole words. */
static inline uint32_t kiln_transform_word(uint16_t transform)
{
    return transform == KILN_TRANSFORM_DELTA_PLANES || transform == KILN_TRANSFORM_CURVE32_PLANES
               ? 4u
           : transform == KILN_TRANSFORM_CURVE16_PLANES ? 2u
                                                        : 1u;
}

/* Undoes `transform` on one block of whole elements. `in` and `out` [size bytes] don't overlap. */
void kiln_transform_undo(uint16_t transform, uint32_t element_size, const uint8_t *in, uint8_t *out,
                         size_t size);

/* Decodes one deflate block: `stored` to exactly raw_size bytes at `out`. False when the stream is
 * broken or of another length. Uses about 180 KiB of stack and allocates nothing. */
bool kiln_block_decode(uint16_t transform, uint32_t element_size, const uint8_t *stored,
                       uint32_t stored_size, uint8_t *out, uint32_t raw_size);

#endif
