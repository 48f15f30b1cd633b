/* zlib decides by itself where one set of codes ends and the next begins, by how many symbols it
 * has seen, not by what they are. Here its blocks are ended where segments end, if that is worth a
 * new set of codes; where it wasn't after all, the plain stream is kept.
 *
 * Costs are estimated from histograms, in whole numbers, so that the choice is the same on every
 * machine. Both streams are made, the plain one and the one with chosen ends, and the smaller is
 * kept. */
#define ZLIB_CONST
#include "transform.h"

#include "../../formats/assert.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct {
    uint32_t of[256];
    uint32_t total;
} histogram;

enum { LEVEL = 7 };   /* 9 takes two and a half times as long for a thousandth less */
enum { HARDLY = 50 }; /* a fiftieth of a segment is too little to gain */

/* Segments that are left, and which of them are stored as they are. */
typedef struct {
    kiln_segments segments;
    bool stored[KILN_SEGMENTS_MAX];
} parts;

enum { BIT = 256 }; /* costs are in 256ths of bits: whole numbers are the same on every machine */

/* 256 log2 n, rounded down, for n from 1: eight binary digits by squaring. */
static uint32_t log2_of(uint32_t n)
{
    KILN_ASSERT(n > 0);
    uint32_t whole = 31;
    while (n >> whole == 0) {
        whole--;
    }
    uint64_t x = (uint64_t)n << (31 - whole);
    uint32_t digits = whole;
    for (int i = 0; i < 8; i++) {
        x = x * x >> 31;
        const uint32_t digit = (uint32_t)(x >> 32);
        digits = 2 * digits + digit;
        x >>= digit;
    }
    return digits;
}

/* Logarithms of small numbers, each computed when it is first needed: segments of small trees are
 * short, and without these most of what baking one takes went into logarithms. */
enum { LOGS = 128 };
typedef struct {
    uint32_t of[LOGS]; /* 0: not yet known, or that of 1 */
} logs;

/* What bytes of this histogram take by themselves, at most eight bits each, and with them their
 * codes' lengths: about two and a half bits for each byte that occurs. */
static uint64_t cost_of(logs *known, const histogram *counts)
{
    uint64_t cost = 60 * BIT;
    const uint32_t all = counts->total > 0 ? log2_of(counts->total) : 0;
    for (unsigned i = 0; i < 256; i++) {
        const uint32_t n = counts->of[i];
        if (n == 0) {
            continue;
        }
        if (n > 1 && n < LOGS && known->of[n] == 0) {
            known->of[n] = log2_of(n);
        }
        cost += (uint64_t)n * (all - (n < LOGS ? known->of[n] : log2_of(n))) + 5 * BIT / 2;
    }
    const uint64_t stored = (8 * (uint64_t)counts->total + 40) * BIT;
    return cost < stored ? cost : stored;
}

/* Drops the ends of segments which are as cheap together. */
static void join_segments(const uint8_t *data, const kiln_segments *segments, kiln_segments *kept)
{
    histogram sum;
    logs known;
    memset(&sum, 0, sizeof sum);
    memset(&known, 0, sizeof known);
    uint64_t sum_cost = 0;
    uint32_t start = 0;
    for (uint32_t i = 0; i < segments->count; i++) {
        histogram next;
        memset(&next, 0, sizeof next);
        KILN_ASSERT(start <= segments->end[i]);
        for (uint32_t k = start; k < segments->end[i]; k++) {
            next.of[data[k]]++;
        }
        next.total = segments->end[i] - start;
        histogram both = sum;
        for (unsigned k = 0; k < 256; k++) {
            both.of[k] += next.of[k];
        }
        both.total += next.total;
        const uint64_t both_cost = cost_of(&known, &both);
        const uint64_t next_cost = sum.total > 0 ? cost_of(&known, &next) : both_cost;
        if (sum.total > 0 && both_cost > sum_cost + next_cost) {
            kiln_segments_end(kept, start);
            sum = next;
            sum_cost = next_cost;
        } else {
            sum = both;
            sum_cost = both_cost;
        }
        start = segments->end[i];
    }
    kiln_segments_end(kept, start);
}

/* A stream as after deflateInit2, all of it from the start. Its level is the one that was last set,
 * so only the last use of a stream may store parts. */
static bool deflate_parts(z_stream *stream, const uint8_t *data, size_t size, const parts *p,
                          uint8_t *out, size_t room, uint32_t *stored_size)
{
    bool sound = deflateReset(stream) == Z_OK;
    stream->next_in = data;
    stream->next_out = out;
    stream->avail_out = (uInt)room;
    for (uint32_t i = 0; i < p->segments.count && sound; i++) {
        /* Without input, a change of the level ends the block of the part before. */
        stream->avail_in = 0;
        sound = deflateParams(stream, p->stored[i] ? Z_NO_COMPRESSION : LEVEL,
                              Z_DEFAULT_STRATEGY) == Z_OK;
        stream->avail_in = (uInt)(p->segments.end[i] - stream->total_in);
        sound = sound && (stream->avail_in == 0 || deflate(stream, Z_BLOCK) == Z_OK);
    }
    stream->avail_in = (uInt)(size - stream->total_in);
    sound = sound && deflate(stream, Z_FINISH) == Z_STREAM_END;
    *stored_size = (uint32_t)stream->total_out;
    return sound;
}

/* Segments that would hardly get smaller are stored: they then need no decoding, which is most of
 * the time that opening a packed file takes. `trial` holds the stream of each; that of all data has
 * this size. */
static bool choose_stored(z_stream *stream, const uint8_t *data, size_t size, uint32_t all_packed,
                          uint8_t *trial, size_t room, parts *p)
{
    static const parts whole;
    bool sound = true;
    for (uint32_t i = 0, start = 0; i < p->segments.count && sound; i++) {
        const uint32_t length = p->segments.end[i] - start;
        uint32_t packed = all_packed;
        sound = length == 0 || length == size ||
                deflate_parts(stream, data + start, length, &whole, trial, room, &packed);
        p->stored[i] = length > 0 && packed >= length - length / HARDLY;
        start = p->segments.end[i];
    }
    return sound;
}

/* Would the stream with chosen ends be the plain one, and a block without data behind it? */
static bool is_plain(const parts *p, size_t size)
{
    return p->segments.count == 1 && !p->stored[0] &&
           (p->segments.end[0] == 0 || p->segments.end[0] == size);
}

uint8_t *kiln_deflate(const uint8_t *data, size_t size, const kiln_segments *segments,
                      uint32_t *stored_size)
{
    KILN_ASSERT(size > 0);
    KILN_ASSERT(segments->count <= KILN_SEGMENTS_MAX);
    static const parts whole;
    parts p;
    z_stream stream; /* one for all trials: to make one takes longer than to pack what is small */
    memset(&p, 0, sizeof p);
    memset(&stream, 0, sizeof stream);
    if (deflateInit2(&stream, LEVEL, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK) {
        return NULL;
    }
    join_segments(data, segments, &p.segments);
    /* compressBound holds for one run of blocks. An end that is forced adds a header and padding,
     * which take less than 16 bytes. */
    const size_t room = compressBound((uLong)size) + 16 * (size_t)(p.segments.count + 1);
    uint8_t *plain = malloc(room), *parted = malloc(room);
    uint32_t plain_size = 0, parted_size = UINT32_MAX;
    bool sound = plain != NULL && parted != NULL &&
                 deflate_parts(&stream, data, size, &whole, plain, room, &plain_size) &&
                 choose_stored(&stream, data, size, plain_size, parted, room, &p);
    if (sound && !is_plain(&p, size)) {
        sound = deflate_parts(&stream, data, size, &p, parted, room, &parted_size);
    }
    (void)deflateEnd(&stream);
    if (!sound) {
        free(plain);
        free(parted);
        return NULL;
    }

    /* Ends of blocks cost bits of their own, and the estimate may be wrong: the smaller stream
     * is kept. */
    const bool better = parted_size < plain_size;
    free(better ? plain : parted);
    *stored_size = better ? parted_size : plain_size;
    uint8_t *kept = better ? parted : plain;
    uint8_t *fitting = realloc(kept, *stored_size); /* all blocks of a file are kept at once */
    return fitting != NULL ? fitting : kept;
}
