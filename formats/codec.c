/* Inflate by zlib (RFC 1951) into a buffer of known size, then the inverse transform.
 *
 * zlib's own state is served from an array on the stack: opening a file makes one allocation, the
 * caller's, and a decoding task makes none, so tasks may run on any thread without sharing. Built
 * with KILN_LIBDEFLATE, each task takes some 11 KiB from malloc for a while. Built with
 * KILN_NO_ZLIB, nothing is inflated: reader.c refuses packed sections; checksums are computed here.
 */
#define ZLIB_CONST
#include "codec.h"

#include "assert.h"
#include "pack.h"

#include <string.h>
#ifndef KILN_NO_ZLIB
#ifdef KILN_LIBDEFLATE
#include <libdeflate.h>
#endif
#include <zlib.h>
#endif

#ifdef KILN_NO_ZLIB
/* CRC-32 (ISO 3309; PNG specification, annex D), eight bytes at a time by tables of what a byte
 * does that is followed by 0 to 7 zero bytes (Kounavis and Berry, "slicing-by-8"). The tables take
 * about 2 us, on the stack, so that there is no state to share; short data does without. */
enum { CRC_SLICES = 8, CRC_SHORT = 1024 };

static uint32_t crc_of_byte(uint32_t crc)
{
    for (int bit = 0; bit < 8; bit++) {
        crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
    }
    return crc;
}

uint32_t kiln_crc32_continue(uint32_t crc, const void *data, size_t size)
{
    const uint8_t *bytes = (const uint8_t *)data;
    crc = ~crc;
    if (size >= CRC_SHORT) {
        uint32_t table[CRC_SLICES][256];
        for (uint32_t i = 0; i < 256; i++) {
            table[0][i] = crc_of_byte(i);
        }
        for (unsigned k = 1; k < CRC_SLICES; k++) {
            for (uint32_t i = 0; i < 256; i++) {
                const uint32_t before = table[k - 1][i];
                table[k][i] = (before >> 8) ^ table[0][before & 0xFFu];
            }
        }
        for (; size >= CRC_SLICES; size -= CRC_SLICES, bytes += CRC_SLICES) {
            uint32_t low, high;
            memcpy(&low, bytes, sizeof low);
            memcpy(&high, bytes + sizeof low, sizeof high);
            low ^= crc;
            crc = table[7][low & 0xFFu] ^ table[6][low >> 8 & 0xFFu] ^ table[5][low >> 16 & 0xFFu] ^
                  table[4][low >> 24] ^ table[3][high & 0xFFu] ^ table[2][high >> 8 & 0xFFu] ^
                  table[1][high >> 16 & 0xFFu] ^ table[0][high >> 24];
        }
    }
    for (; size > 0; size--, bytes++) {
        crc = (crc >> 8) ^ crc_of_byte((crc ^ *bytes) & 0xFFu);
    }
    return ~crc;
}

uint32_t kiln_crc32(const void *data, size_t size)
{
    return kiln_crc32_continue(0, data, size);
}
#else
uint32_t kiln_crc32(const void *data, size_t size)
{
    return (uint32_t)crc32_z(0, (const Bytef *)data, size);
}

uint32_t kiln_crc32_continue(uint32_t crc, const void *data, size_t size)
{
    return (uint32_t)crc32_z(crc, (const Bytef *)data, size);
}
#endif

/* Transforms by words need elements that are whole words, and those that know what they pack need
 * just that. A table entry for which this is false is refused before any of its bytes are read. */
bool kiln_transform_fits(uint16_t transform, uint32_t element_size)
{
    switch (transform) {
    case KILN_TRANSFORM_NONE:
    case KILN_TRANSFORM_PLANES:
        return true;
    case KILN_TRANSFORM_CURVE16_PLANES:
        return element_size % 2 == 0;
    case KILN_TRANSFORM_DELTA_PLANES:
    case KILN_TRANSFORM_CURVE32_PLANES:
        return element_size % 4 == 0;
    case KILN_TRANSFORM_LANES:
        return kiln_lanes_size_is_known(element_size);
    case KILN_TRANSFORM_EDGES:
        return element_size == 3 * sizeof(uint32_t);
    default:
        return false;
    }
}

/* Planes hold byte 0 of all elements, then byte 1 of all, and so on. Bytes of one place resemble
 * each other more than the bytes of one number do, which is what deflate gains by. */
static void planes_undo(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    for (uint32_t plane = 0; plane < element_size; plane++) {
        const uint8_t *source = in + (size_t)plane * count;
        for (size_t i = 0; i < count; i++) {
            out[i * element_size + plane] = source[i];
        }
    }
}

/* Differences of 32-bit words, straight from their four planes. With `curve` second ones: a word is
 * expected to go on as the two before it in its place did. */
static inline void words_undo(bool curve, uint32_t element_size, const uint8_t *in, uint8_t *out,
                              size_t count)
{
    KILN_ASSERT(element_size % 4 == 0);
    for (uint32_t word = 0; word < element_size / 4; word++) {
        const uint8_t *plane = in + 4 * (size_t)word * count;
        uint8_t *place = out + 4 * (size_t)word;
        uint32_t value = 0, step = 0;
        for (size_t i = 0; i < count; i++) {
            const uint32_t code = (uint32_t)plane[i] | (uint32_t)plane[count + i] << 8 |
                                  (uint32_t)plane[2 * count + i] << 16 |
                                  (uint32_t)plane[3 * count + i] << 24;
            step = kiln_unzigzag(code) + (curve ? step : 0);
            value += step;
            memcpy(place + i * element_size, &value, sizeof value);
        }
    }
}

/* The same for second differences of 16-bit words. */
static void curve16_undo(uint32_t element_size, const uint8_t *in, uint8_t *out, size_t count)
{
    KILN_ASSERT(element_size % 2 == 0);
    for (uint32_t word = 0; word < element_size / 2; word++) {
        const uint8_t *plane = in + 2 * (size_t)word * count;
        uint8_t *place = out + 2 * (size_t)word;
        uint32_t value = 0, step = 0; /* modulo 2^16 */
        for (size_t i = 0; i < count; i++) {
            step += kiln_unzigzag((uint32_t)plane[i] | (uint32_t)plane[count + i] << 8);
            value += step;
            place[i * element_size] = (uint8_t)value;
            place[i * element_size + 1] = (uint8_t)(value >> 8);
        }
    }
}

/* The inverse of a transform, for one block. Only the two transforms that know what they pack
 * change the size of a block, so for all others the sizes must be equal. */
bool kiln_transform_undo(uint16_t transform, uint32_t element_size, const uint8_t *in,
                         size_t in_size, uint8_t *out, size_t size)
{
    const size_t count = size / element_size;
    KILN_ASSERT(size % element_size == 0);
    if (transform == KILN_TRANSFORM_LANES) {
        return kiln_lanes_undo(element_size, in, in_size, out, size);
    }
    if (transform == KILN_TRANSFORM_EDGES) {
        return kiln_triangles_undo(in, in_size, out, size);
    }
    if (in_size != size) {
        return false;
    }
    switch (transform) {
    case KILN_TRANSFORM_PLANES:
        planes_undo(element_size, in, out, count);
        break;
    case KILN_TRANSFORM_DELTA_PLANES:
        words_undo(false, element_size, in, out, count);
        break;
    case KILN_TRANSFORM_CURVE16_PLANES:
        curve16_undo(element_size, in, out, count);
        break;
    case KILN_TRANSFORM_CURVE32_PLANES:
        words_undo(true, element_size, in, out, count);
        break;
    default:
        memcpy(out, in, size);
        break;
    }
    return true;
}

#ifdef KILN_NO_ZLIB
/* Not reached: reader.c refuses the section before. */
static bool inflate_stream(const uint8_t *stored, uint32_t stored_size, uint8_t *out, size_t *size)
{
    (void)stored;
    (void)stored_size;
    (void)out;
    *size = 0;
    return false;
}
#else
/* 7 KiB of state and 32 KiB of window today; room for half as much again. */
typedef struct {
    size_t used;
    KILN_ALIGNAS(16) uint8_t bytes[60 * 1024];
} zlib_pool;

/* Memory for zlib, taken from the array in order. A zlib that wants more than the array holds gets
 * an error of its own, which is reported as a block that can't be decoded. */
static voidpf pool_allocate(voidpf opaque, uInt items, uInt size)
{
    zlib_pool *pool = (zlib_pool *)opaque;
    KILN_ASSERT(pool->used <= sizeof pool->bytes);
    const size_t wanted = ((size_t)items * size + 15u) & ~(size_t)15u;
    if (wanted > sizeof pool->bytes - pool->used) {
        return Z_NULL;
    }
    voidpf memory = pool->bytes + pool->used;
    pool->used += wanted;
    return memory;
}

/* The array lives as long as the decoding of one block, so that nothing has to be given back. */
static void pool_release(voidpf opaque, voidpf memory)
{
    (void)opaque;
    (void)memory;
}

/* Inflates one whole stream into at most *size bytes; *size becomes how many they are. */
static bool inflate_by_zlib(const uint8_t *stored, uint32_t stored_size, uint8_t *out, size_t *size)
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
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
        return false;
    }
    stream.next_out = out;
    stream.avail_out = (uInt)*size;
    /* The stream has to end within the output and to use up its input: bytes after its end would
     * be bytes of the file that no rule covers. */
    const bool whole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
    KILN_ASSERT(stream.avail_out <= *size);
    *size -= stream.avail_out;
    (void)inflateEnd(&stream);
    return whole;
}

#ifdef KILN_LIBDEFLATE
static bool inflate_stream(const uint8_t *stored, uint32_t stored_size, uint8_t *out, size_t *size)
{
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (decompressor == NULL) {
        return inflate_by_zlib(stored, stored_size, out, size);
    }
    size_t used = 0;
    const enum libdeflate_result result = libdeflate_deflate_decompress_ex(
        decompressor, stored, stored_size, out, *size, &used, size);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && used == stored_size;
}
#else
static bool inflate_stream(const uint8_t *stored, uint32_t stored_size, uint8_t *out, size_t *size)
{
    return inflate_by_zlib(stored, stored_size, out, size);
}
#endif
#endif

/* One block, from its stored bytes to its elements. What is inflated must be of just the size that
 * the transform takes, so that no byte of the result is left as it was. */
bool kiln_block_decode(uint16_t transform, uint32_t element_size, const uint8_t *stored,
                       uint32_t stored_size, uint8_t *out, uint32_t raw_size)
{
    size_t size = raw_size;
    KILN_ASSERT(kiln_transform_fits(transform, element_size));
    KILN_ASSERT(raw_size % element_size == 0);
    if (transform == KILN_TRANSFORM_NONE) {
        return inflate_stream(stored, stored_size, out, &size) && size == raw_size;
    }
    /* A block is small enough for the stack, so decoding allocates nothing here. */
    uint8_t scratch[KILN_BLOCK_SIZE];
    size = sizeof scratch;
    return raw_size <= sizeof scratch && inflate_stream(stored, stored_size, scratch, &size) &&
           kiln_transform_undo(transform, element_size, scratch, size, out, raw_size);
}
