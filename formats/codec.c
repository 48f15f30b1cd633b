/* Inflate by zlib (RFC 1950, 1951) into a buffer of known size, then the inverse transform.
 *
 * zlib's own state is served from an array on the stack: opening a file makes one allocation, the
 * caller's, and a decoding task makes none, so tasks may run on any thread without sharing. */
#define ZLIB_CONST
#include "codec.h"

#include <string.h>
#include <zlib.h>

uint32_t kiln_crc32(const void *data, size_t size)
{
    return (uint32_t)crc32_z(0, data, size);
}

uint32_t kiln_crc32_continue(uint32_t crc, const void *data, size_t size)
{
    return (uint32_t)crc32_z(crc, data, size);
}

static void planes_undo(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    for (uint32_t plane = 0; plane < element_size; plane++) {
        const uint8_t *source = in + (size_t)plane * count;
        for (size_t i = 0; i < count; i++) {
            out[i * element_size + plane] = source[i];
        }
    }
}

/* Differences are zigzag-coded, so that small steps down are small numbers too. */
static void delta_undo(uint32_t element_size, uint8_t *bytes, size_t count)
{
    const uint32_t words = element_size / 4;
    for (uint32_t word = 0; word < words; word++) {
        uint32_t value = 0;
        for (size_t i = 0; i < count; i++) {
            uint8_t *place = bytes + i * element_size + 4 * (size_t)word;
            uint32_t code;
            memcpy(&code, place, sizeof code);
            value += (code >> 1) ^ (0u - (code & 1u));
            memcpy(place, &value, sizeof value);
        }
    }
}

/* Second differences: a word is expected to go on as the two before it in its place did. */
static void curve32_undo(uint32_t element_size, uint8_t *bytes, size_t count)
{
    for (uint32_t word = 0; word < element_size / 4; word++) {
        uint32_t value = 0, step = 0;
        for (size_t i = 0; i < count; i++) {
            uint8_t *place = bytes + i * element_size + 4 * (size_t)word;
            uint32_t code;
            memcpy(&code, place, sizeof code);
            step += (code >> 1) ^ (0u - (code & 1u));
            value += step;
            memcpy(place, &value, sizeof value);
        }
    }
}

static void curve16_undo(uint32_t element_size, uint8_t *bytes, size_t count)
{
    for (uint32_t word = 0; word < element_size / 2; word++) {
        uint32_t value = 0, step = 0; /* modulo 2^16 */
        for (size_t i = 0; i < count; i++) {
            uint8_t *place = bytes + i * element_size + 2 * (size_t)word;
            const uint32_t code = (uint32_t)place[0] | (uint32_t)place[1] << 8;
            step += (code >> 1) ^ (0u - (code & 1u));
            value += step;
            place[0] = (uint8_t)value;
            place[1] = (uint8_t)(value >> 8);
        }
    }
}

void kiln_transform_undo(uint16_t transform, uint32_t element_size, const uint8_t *in, uint8_t *out,
                         size_t size)
{
    const size_t count = size / element_size;
    switch (transform) {
    case KILN_TRANSFORM_PLANES:
        planes_undo(element_size, in, out, count);
        break;
    case KILN_TRANSFORM_DELTA_PLANES:
        planes_undo(element_size, in, out, count);
        delta_undo(element_size, out, count);
        break;
    case KILN_TRANSFORM_CURVE16_PLANES:
        planes_undo(element_size, in, out, count);
        curve16_undo(element_size, out, count);
        break;
    case KILN_TRANSFORM_CURVE32_PLANES:
        planes_undo(element_size, in, out, count);
        curve32_undo(element_size, out, count);
        break;
    default:
        memcpy(out, in, size);
        break;
    }
}

/* 7 KiB of state and 32 KiB of window today; room for half as much again. */
typedef struct {
    size_t used;
    _Alignas(16) uint8_t bytes[60 * 1024];
} zlib_pool;

static voidpf pool_allocate(voidpf opaque, uInt items, uInt size)
{
    zlib_pool *pool = opaque;
    const size_t wanted = ((size_t)items * size + 15u) & ~(size_t)15u;
    if (wanted > sizeof pool->bytes - pool->used) {
        return Z_NULL;
    }
    voidpf memory = pool->bytes + pool->used;
    pool->used += wanted;
    return memory;
}

static void pool_release(voidpf opaque, voidpf memory)
{
    (void)opaque;
    (void)memory;
}

static bool inflate_exactly(const uint8_t *stored, uint32_t stored_size, uint8_t *out,
                            uint32_t raw_size)
{
    zlib_pool pool;
    pool.used = 0;
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    stream.zalloc = pool_allocate;
    stream.zfree = pool_release;
    stream.opaque = &pool;
    stream.next_in = stored;
    stream.avail_in = stored_size;
    if (inflateInit(&stream) != Z_OK) {
        return false;
    }
    stream.next_out = out;
    stream.avail_out = raw_size;
    const int result = inflate(&stream, Z_FINISH);
    const bool whole = result == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
    (void)inflateEnd(&stream);
    return whole;
}

bool kiln_block_decode(uint16_t transform, uint32_t element_size, const uint8_t *stored,
                       uint32_t stored_size, uint8_t *out, uint32_t raw_size)
{
    if (transform == KILN_TRANSFORM_NONE) {
        return inflate_exactly(stored, stored_size, out, raw_size);
    }
    uint8_t scratch[KILN_BLOCK_SIZE];
    if (raw_size > sizeof scratch || !inflate_exactly(stored, stored_size, scratch, raw_size)) {
        return false;
    }
    kiln_transform_undo(transform, element_size, scratch, out, raw_size);
    return true;
}
