/* The forward direction of the transforms that the reader undoes (formats/codec.h): byte planes,
 * and first or second differences of words before them, which deflate packs better than the words.
 *
 * What was made is decoded again and compared with the input, so that a transform which cannot
 * carry a block, or a mistake in one, costs size and never correctness. The two transforms that
 * know what they pack are in pack_nodes.c and pack_triangles.c. */
#include "transform.h"

#include "../../formats/assert.h"
#include "../../formats/codec.h"
#include "../../formats/format.h"

#include <string.h>

/* Difference to the same word of the element before, zigzag-coded, its bytes straight to planes. */
static void delta_planes(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    KILN_ASSERT(element_size % 4 == 0);
    for (uint32_t word = 0; word < element_size / 4; word++) {
        uint32_t before = 0;
        for (size_t i = 0; i < count; i++) {
            uint32_t value; /* elements need not be aligned to words */
            memcpy(&value, in + i * element_size + 4 * (size_t)word, sizeof value);
            const uint32_t step = value - before;
            /* Zigzag: small steps of either sign become small numbers, whose upper bytes are
             * zeros. The difference is modulo 2^32, so that no value overflows. */
            const uint32_t code = step << 1 ^ (0u - (step >> 31));
            before = value;
            for (uint32_t byte = 0; byte < 4; byte++) {
                out[(4 * (size_t)word + byte) * count + i] = (uint8_t)(code >> (8 * byte));
            }
        }
    }
}

/* Second differences of words of `width` bytes, likewise. */
static void curve_planes(uint32_t width, uint32_t element_size, const uint8_t *in, uint8_t *out,
                         size_t count)
{
    KILN_ASSERT((width == 2 || width == 4) && element_size % width == 0);
    const uint32_t unused = 32 - 8 * width;
    for (uint32_t word = 0; word < element_size / width; word++) {
        uint32_t before = 0, step_before = 0;
        for (size_t i = 0; i < count; i++) {
            const uint8_t *place = in + i * element_size + width * (size_t)word;
            uint32_t value = 0;
            for (uint32_t byte = 0; byte < width; byte++) {
                value |= (uint32_t)place[byte] << (8 * byte);
            }
            const uint32_t step = value - before;
            const uint32_t bend = (step - step_before) << unused; /* its sign to the top */
            const uint32_t code = bend >> unused << 1 ^ (0u - (bend >> 31));
            before = value;
            step_before = step;
            for (uint32_t byte = 0; byte < width; byte++) {
                out[(width * (size_t)word + byte) * count + i] = (uint8_t)(code >> (8 * byte));
            }
        }
    }
}

/* `out` and `work` have room for a block each. False: the block is not carried by this transform,
 * and what is in `out` means nothing; the caller then tries another. */
bool kiln_transform_apply(uint16_t transform, uint32_t element_size, const uint8_t *in, size_t size,
                          uint8_t *out, size_t *out_size, kiln_segments *segments, uint8_t *work)
{
    if (!kiln_transform_fits(transform, element_size) || size > KILN_BLOCK_SIZE) {
        return false;
    }
    KILN_ASSERT(element_size > 0 && size % element_size == 0);
    const size_t count = size / element_size;
    bool carried = true, in_planes = false;
    segments->count = 0;
    *out_size = size; /* only the first two change it */
    switch (transform) {
    case KILN_TRANSFORM_LANES:
        carried = kiln_lanes_apply(element_size, in, size, out, out_size, segments);
        break;
    case KILN_TRANSFORM_EDGES:
        carried = kiln_triangles_apply(in, size, out, out_size, segments, work);
        break;
    case KILN_TRANSFORM_PLANES:
        for (size_t i = 0; i < count; i++) {
            for (uint32_t plane = 0; plane < element_size; plane++) {
                out[plane * count + i] = in[i * element_size + plane];
            }
        }
        in_planes = true;
        break;
    case KILN_TRANSFORM_DELTA_PLANES:
        delta_planes(element_size, in, out, count);
        in_planes = true;
        break;
    case KILN_TRANSFORM_CURVE16_PLANES:
        curve_planes(2, element_size, in, out, count);
        in_planes = true;
        break;
    case KILN_TRANSFORM_CURVE32_PLANES:
        curve_planes(4, element_size, in, out, count);
        in_planes = true;
        break;
    default:
        memcpy(out, in, size);
        break;
    }

    /* Each plane is a segment, where planes are few enough to be long. */
    if (in_planes && element_size <= KILN_SEGMENTS_MAX) {
        for (uint32_t plane = 1; plane <= element_size; plane++) {
            kiln_segments_end(segments, count * plane);
        }
    }

    /* What does not come back the same is not carried. */
    return carried && kiln_transform_undo(transform, element_size, out, *out_size, work, size) &&
           memcmp(work, in, size) == 0;
}
