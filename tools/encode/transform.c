/* Byte planes, and differences of words before them: what deflate then finds easier. */
#include "transform.h"

#include "../../formats/format.h"

#include <string.h>

static void planes(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (uint32_t plane = 0; plane < element_size; plane++) {
            out[plane * count + i] = in[i * element_size + plane];
        }
    }
}

static uint32_t word_at(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* Difference to the same word of the element before, zigzag-coded, its bytes straight to planes. */
static void delta_planes(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    for (uint32_t word = 0; word < element_size / 4; word++) {
        uint32_t before = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t value = word_at(in + i * element_size + 4 * (size_t)word);
            const uint32_t step = value - before;
            const uint32_t code = step << 1 ^ (0u - (step >> 31));
            before = value;
            for (uint32_t byte = 0; byte < 4; byte++) {
                out[(4 * (size_t)word + byte) * count + i] = (uint8_t)(code >> (8 * byte));
            }
        }
    }
}

void kiln_transform_apply(uint16_t transform, uint32_t element_size, const uint8_t *in,
                          uint8_t *out, size_t size)
{
    const size_t count = size / element_size;
    switch (transform) {
    case KILN_TRANSFORM_PLANES:
        planes(element_size, in, out, count);
        break;
    case KILN_TRANSFORM_DELTA_PLANES:
        delta_planes(element_size, in, out, count);
        break;
    default:
        memcpy(out, in, size);
        break;
    }
}
