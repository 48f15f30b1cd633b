/* Object median: the split that needs no luck. It is a builder of its own, and the fallback where
 * centroids coincide or another builder would make the tree too deep.
 *
 * The middle is found by a radix search over the bits of the centres, which orders nothing: what
 * is left of it is moved to the front in one pass. Ties go to the earlier triangle, so the result
 * depends on the input alone. */
#include "split.h"

#include "../../formats/assert.h"

#include <string.h>

/* Place of a record along an axis; no two records have the same. */
typedef struct {
    uint64_t centre;
    uint32_t triangle;
} rank;

/* A rank in bytes, most significant first. */
enum { RANK_BYTES = 12 };

/* The place of a record in the order, as an integer that compares like the centre does. */
static rank rank_of(const kiln_record *record, unsigned axis)
{
    KILN_ASSERT(axis < 3);
    const double centre = kiln_record_centre(record, axis) + 0.0; /* -0 counts as 0 */
    rank r = {0, record->triangle};
    memcpy(&r.centre, &centre, sizeof centre);
    /* IEEE numbers order like integers once the bits of negative ones are inverted. */
    r.centre ^= (r.centre >> 63) != 0 ? UINT64_MAX : (uint64_t)1 << 63;
    return r;
}

static unsigned byte_of(const rank *r, unsigned byte)
{
    KILN_ASSERT(byte < RANK_BYTES);
    return byte < 8 ? (unsigned)(r->centre >> (56 - 8 * byte)) & 255u
                    : (unsigned)(r->triangle >> (88 - 8 * byte)) & 255u;
}

/* The bytes before `byte` agree. */
static int same_prefix(const rank *a, const rank *b, unsigned byte)
{
    KILN_ASSERT(byte < RANK_BYTES);
    if (byte < 8) {
        return byte == 0 || (a->centre ^ b->centre) >> (64 - 8 * byte) == 0;
    }
    return a->centre == b->centre &&
           (byte == 8 || (a->triangle ^ b->triangle) >> (96 - 8 * byte) == 0);
}

/* The rank that exactly `below` records are smaller than. A radix search, one byte a pass: linear
 * in the number of records whatever they hold, where a quickselect could be led astray. */
static rank find_rank(const kiln_record *records, uint32_t count, unsigned axis, uint32_t below)
{
    KILN_ASSERT(below < count);
    rank found = {0, 0};
    for (unsigned byte = 0; byte < RANK_BYTES; byte++) {
        uint32_t histogram[256] = {0};
        for (uint32_t i = 0; i < count; i++) {
            const rank r = rank_of(&records[i], axis);
            if (same_prefix(&r, &found, byte)) {
                histogram[byte_of(&r, byte)]++;
            }
        }
        unsigned value = 0;
        while (below >= histogram[value]) {
            below -= histogram[value++];
        }

        if (byte < 8) {
            found.centre |= (uint64_t)value << (56 - 8 * byte);
        } else {
            found.triangle |= (uint32_t)value << (88 - 8 * byte);
        }
    }
    return found;
}

/* By centre, then by the number of the triangle: no two are equal. */
static int less(const rank *a, const rank *b)
{
    return a->centre != b->centre ? a->centre < b->centre : a->triangle < b->triangle;
}

uint32_t kiln_split_median(kiln_record *records, uint32_t *marks, uint32_t count, uint32_t leaf)
{
    KILN_ASSERT(count > leaf && leaf > 0);
    (void)marks;
    const uint32_t units = kiln_leaf_units(count, leaf);
    const uint32_t left = (units - units / 2) * leaf;
    kiln_centres centres;
    kiln_centres_measure(records, count, &centres);
    unsigned axis = 0;
    for (unsigned k = 1; k < 3; k++) {
        if (centres.upper[k] - centres.lower[k] > centres.upper[axis] - centres.lower[axis]) {
            axis = k;
        }
    }
    const rank limit = find_rank(records, count, axis, left);

    uint32_t first_larger = 0;
    for (uint32_t i = 0; i < count; i++) {
        const rank r = rank_of(&records[i], axis);
        if (less(&r, &limit)) {
            const kiln_record moved = records[i];
            records[i] = records[first_larger];
            records[first_larger++] = moved;
        }
    }
    return left;
}
