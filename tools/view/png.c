/* A PNG file (ISO/IEC 15948) of eight bits a channel with opacity: one IDAT, and
 * each row as differences from the pixel on the left. */
#include "png.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put_u32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

/* Length, name, contents that are in place already, and the sum over both. Returns the end. */
static uint8_t *put_chunk(uint8_t *to, const char name[5], uint32_t size)
{
    put_u32(to, size);
    memcpy(to + 4, name, 4);
    put_u32(to + 8 + size, (uint32_t)crc32(0, to + 4, size + 4));
    return to + 12 + size;
}

uint8_t *png_make(const uint8_t *pixels, uint32_t width, uint32_t height, size_t *size)
{
    static const uint8_t signature[8] = {137, 'P', 'N', 'G', '\r', '\n', 26, '\n'};
    const size_t row = 4 * (size_t)width, rows = (row + 1) * height;
    uLongf packed = compressBound((uLong)rows);
    KILN_ASSERT(width > 0 && width < 4096 && height > 0 && height < 4096);
    uint8_t *filtered = malloc(rows), *file = malloc(sizeof signature + 3 * 12 + 13 + packed);
    if (filtered == NULL || file == NULL) {
        free(filtered);
        free(file);
        return NULL;
    }
    for (uint32_t y = 0; y < height; y++) {
        uint8_t *to = filtered + y * (row + 1);
        const uint8_t *from = pixels + y * row;
        to[0] = 1; /* differences from the pixel on the left */
        for (size_t x = 0; x < row; x++) {
            to[1 + x] = (uint8_t)(from[x] - (x >= 4 ? from[x - 4] : 0));
        }
    }
    uint8_t *at = file;
    memcpy(at, signature, sizeof signature);
    at += sizeof signature;
    put_u32(at + 8, width);
    put_u32(at + 12, height);
    memcpy(at + 16, "\x08\x06\0\0",
           5); /* depth, colours with opacity, deflate, filters, no order */
    at = put_chunk(at, "IHDR", 13);
    const int status = compress2(at + 8, &packed, filtered, (uLong)rows, 9);
    free(filtered);
    if (status != Z_OK) {
        free(file);
        return NULL;
    }
    at = put_chunk(at, "IDAT", (uint32_t)packed);
    at = put_chunk(at, "IEND", 0);
    *size = (size_t)(at - file);
    return file;
}
