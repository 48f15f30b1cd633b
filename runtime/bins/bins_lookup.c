/* Looks up in the tables of formats/bins.md: a row by u and v, then a record by w, which holds
 * the values of the x that go on there. The two profiles share one function, inlined twice with
 * the profile as a constant. */
#include "bins.h"

#include "../../formats/assert.h"

/* A row of a table in memory. */
typedef struct {
    const uint32_t *first;
    const uint16_t *length;
} row;

static inline row row_of(const kiln_bins_table *table, uint32_t u, uint32_t v)
{
    KILN_ASSERT(v >= 1 && v <= u);
    const uint8_t *bytes = table->rows + kiln_bins_row_index(u, v) * table->row_size;
    const row of = {(const uint32_t *)(const void *)bytes,
                    (const uint16_t *)(const void *)(bytes + 4 * (size_t)table->base.max_x)};
    return of;
}

/* How many x have ended at position i. */
static inline uint32_t segment_at(const row *of, uint32_t max_x, uint32_t i)
{
    const uint16_t at = (uint16_t)i;
    uint16_t ended = 0;
    for (uint32_t k = 0; k < max_x; k++) {
        ended = (uint16_t)(ended + (of->length[k] <= at));
    }
    return ended;
}

/* Number `at` among the values of a segment. `exact` is a constant where this is inlined. */
static inline double value_at(const kiln_bins_table *table, bool exact, uint32_t segment, size_t at)
{
    return exact ? (double)((const float *)table->records[segment])[at]
                 : table->unit * ((const uint16_t *)table->records[segment])[at];
}

/* What a table that is rounded down keeps last for x. */
static double last_kept(const kiln_bins_table *table, bool exact, const row *of, uint32_t x)
{
    const uint32_t max_x = table->base.max_x, i = of->length[x - 1] - 1u;
    KILN_ASSERT(x >= 1 && x <= max_x);
    const uint32_t segment = segment_at(of, max_x, i);
    const uint32_t record = of->first[segment] + i; /* modulo 2^32 */
    return value_at(table, exact, segment, (size_t)record * (max_x - segment) + (x - 1 - segment));
}

/* p[0 .. count - 1] beyond the ends of their rows. Larger x may have more: see bins.md. */
static void fill_beyond_down(const kiln_bins_table *table, bool exact, const row *of,
                             uint32_t count, double least, double p[])
{
    for (uint32_t x = count; x >= 1; x--) {
        const double kept = last_kept(table, exact, of, x);
        least = kept > least ? kept : least;
        p[x - 1] = least;
    }
}

/* See bins.h for what a lookup gives. Of v and w, which may be exchanged, the lesser one picks
 * the row. */
static inline void look_up(const kiln_bins *bins, bool exact, uint32_t u, uint32_t v, uint32_t w,
                           uint32_t count, double p[])
{
    const kiln_bins_table *table = (const kiln_bins_table *)bins;
    const uint32_t less = v < w ? v : w, more = v < w ? w : v, max_x = bins->max_x;
    KILN_ASSERT(count >= 1 && count <= max_x);
    KILN_ASSERT(more <= u && u <= bins->max_u);
    /* Without a ball of one colour no bin gets one of each, so P is 0 for every x of 1 or more. */
    if (less == 0) {
        memset(p, 0, count * sizeof *p);
        return;
    }
    const row of = row_of(table, u, less);
    const uint32_t i = more - less;
    /* The usual table has all x; with the count as a constant its loop can be unrolled. */
    const uint32_t segment = max_x == KILN_BINS_TABLE_X_MAX
                                 ? segment_at(&of, KILN_BINS_TABLE_X_MAX, i)
                                 : segment_at(&of, max_x, i);
    const uint32_t beyond = segment < count ? segment : count;
    for (uint32_t x = 0; x < beyond; x++) {
        p[x] = 1.0;
    }
    if (segment < count) {
        const uint32_t record = of.first[segment] + i; /* modulo 2^32 */
        const size_t start = (size_t)record * (max_x - segment);
        for (uint32_t x = segment; x < count; x++) {
            p[x] = value_at(table, exact, segment, start + (x - segment));
        }
    }
    if (bins->rounded_down && beyond > 0) {
        fill_beyond_down(table, exact, &of, beyond, beyond < count ? p[beyond] : 0.0, p);
    }
}

static void look_up_exact(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                          uint32_t count, double p[])
{
    look_up(table, true, u, v, w, count, p);
}

static void look_up_compact(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w,
                            uint32_t count, double p[])
{
    look_up(table, false, u, v, w, count, p);
}

/* NULL for a profile that this version does not know, which the verifier refuses. */
const kiln_bins_profile *kiln_bins_profile_of(uint32_t profile)
{
    static const kiln_bins_profile exact = {"exact", look_up_exact};
    static const kiln_bins_profile compact = {"compact", look_up_compact};
    return profile == KILN_BINS_EXACT ? &exact : profile == KILN_BINS_COMPACT ? &compact : NULL;
}
