/* The forward direction of the reader's transforms (formats/codec.h). */
#ifndef KILN_ENCODE_TRANSFORM_H
#define KILN_ENCODE_TRANSFORM_H

#include "../../formats/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where in what a transform made one kind of numbers ends and another begins: deflate may then use
 * other codes. */
enum { KILN_SEGMENTS_MAX = 512 };

typedef struct {
    uint32_t count;
    uint32_t end[KILN_SEGMENTS_MAX];
} kiln_segments;

static inline void kiln_segments_end(kiln_segments *segments, size_t end)
{
    if (segments->count < KILN_SEGMENTS_MAX) {
        segments->end[segments->count++] = (uint32_t)end;
    }
}

/* What a transform works with: the caller's, aligned to 8, since it is more than stacks hold. */
enum { KILN_TRANSFORM_WORK = 2 * KILN_BLOCK_SIZE + 1024 };

/* Applies `transform` to one block of whole elements, `in` [size bytes, aligned to 8] to `out`
 * [KILN_BLOCK_SIZE], which don't overlap. *out_size and *segments describe the result. False where
 * the transform can't carry this block, or would need more room. `work` is [KILN_TRANSFORM_WORK].
 */
bool kiln_transform_apply(uint16_t transform, uint32_t element_size, const uint8_t *in, size_t size,
                          uint8_t *out, size_t *out_size, kiln_segments *segments, uint8_t *work);

/* The two that know what they pack: pack_nodes.c, pack_triangles.c. */
bool kiln_lanes_apply(uint32_t element_size, const uint8_t *in, size_t size, uint8_t *out,
                      size_t *out_size, kiln_segments *segments);
bool kiln_triangles_apply(const uint8_t *in, size_t size, uint8_t *out, size_t *out_size,
                          kiln_segments *segments, uint8_t *work);

/* Deflate streams of segments. */

/* The smallest of a few streams (RFC 1951) that inflate to `data` [size >= 1 bytes], released by
 * free(); NULL without memory. Depends on the data, the segments and zlib only. */
uint8_t *kiln_deflate(const uint8_t *data, size_t size, const kiln_segments *segments,
                      uint32_t *stored_size);

#endif
