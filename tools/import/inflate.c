/* Unpacking by zlib what is deflated (P. Deutsch, "DEFLATE Compressed Data Format Specification",
 * RFC 1951, 1996), bare as in archives of ZIP, or wrapped as in FBX (RFC 1950).
 *
 * The number of bytes is known before. What comes out is written to where it belongs; one byte more
 * goes to a place of its own, so that data that are too long are noticed and written nowhere. */
#include "inflate.h"

#include <zlib.h>

#include "../../formats/assert.h"

enum {
    PIECE_SIZE = 1 << 16,
    RATIO_MOST = 1032 /* of deflating: 258 bytes of two bits */
};

bool kiln_inflate_fits(uint64_t packed, uint64_t size)
{
    return size / RATIO_MOST <= packed;
}

kiln_inflated kiln_inflate(kiln_reading *reading, kiln_packed from, uint8_t *to, uint64_t size)
{
    static uint8_t in[PIECE_SIZE]; /* too large for the stack; this process has one thread */
    z_stream stream = {.next_in = in};
    uint64_t taken = 0, given = 0;
    uint8_t more; /* where a byte too many goes */
    bool is_over = false;
    int code = Z_OK;

    KILN_ASSERT(to != NULL && from.size <= from.model->size);
    if (inflateInit2(&stream, from.wrapped ? MAX_WBITS : -MAX_WBITS) != Z_OK)
        kiln_read_no_memory(reading);
    while (code == Z_OK && !is_over) {
        const uint64_t left = from.size - taken, room = size - given;
        const uInt most = (uInt)(room < PIECE_SIZE ? room : PIECE_SIZE);

        if (stream.avail_in == 0 && left > 0) {
            const size_t want = (size_t)(left < PIECE_SIZE ? left : PIECE_SIZE);

            /* A file that has become shorter has no more: that ends without a mark, too. */
            stream.avail_in = (uInt)kiln_model_read(from.model, from.at + taken, in, want);
            stream.next_in = in;
            taken += want;
        }
        stream.next_out = room > 0 ? to + given : &more;
        stream.avail_out = room > 0 ? most : 1;
        code = inflate(&stream, Z_NO_FLUSH);
        is_over = room == 0 && stream.avail_out == 0;
        given += room > 0 ? most - stream.avail_out : 0;
        KILN_ASSERT(given <= size);
    }
    (void)inflateEnd(&stream);
    if (code == Z_MEM_ERROR)
        kiln_read_no_memory(reading);
    if (is_over)
        return KILN_INFLATED_TOO_MANY;
    /* Without progress, the data end before their own mark of the end. */
    if (code != Z_STREAM_END)
        return KILN_INFLATED_BROKEN;
    if (given != size)
        return KILN_INFLATED_TOO_FEW;
    return taken - stream.avail_in == from.size ? KILN_INFLATED : KILN_INFLATED_BEFORE;
}
