/* Generates a table in two passes over all u: the first finds where rows end, which says where
 * everything lies; the second computes the values, each into its place. A task is one u, on any
 * thread; tasks share nothing, and what each finds is added up in the order of u, so that the
 * bytes do not depend on threads. Values come from floating point with a proven error
 * (bins_terms.c), and from exact arithmetic where that error leaves a rounding in doubt
 * (bins_round.c). */
#include "bins.h"

#include "../formats/assert.h"
#include "bins_round.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The results of a task, by u. */
typedef struct {
    uint64_t records[KILN_BINS_TABLE_X_MAX]; /* of each segment; then where the u's own start */
    uint64_t exact_values, exact_cuts;
    double kept, beyond; /* largest errors */
} by_u;

typedef struct {
    kiln_lut_bins *table;
    by_u *found; /* [max_u + 1] */
} generation;

/* Larger u take longer: they come first. */
static uint32_t u_of_task(const generation *g, uint32_t task)
{
    return g->table->header.max_u - task;
}

/* Each task has a rounder of its own, since the exact arithmetic in it holds memory that is not
 * shared; who makes one clears it. */
static kiln_lut_rounder rounder_of(const kiln_lut_bins *table)
{
    kiln_lut_rounder rounder;
    memset(&rounder, 0, sizeof rounder);
    kiln_lut_exact_init(&rounder.exact, table->header.max_x);
    rounder.cut_millionths = KILN_LUT_CUT_MILLIONTHS;
    rounder.down = table->header.rounding == KILN_BINS_DOWN;
    return rounder;
}

static uint8_t *row_at(const kiln_lut_bins *table, uint32_t u, uint32_t v)
{
    return table->rows + kiln_bins_row_index(u, v) * table->header.row_size;
}

/* A row begins with the place of its first record for each x, four bytes each; the lengths, two
 * bytes each, come after these. */
static uint16_t *lengths_of(const kiln_lut_bins *table, uint8_t *row)
{
    return (uint16_t *)(void *)(row + 4 * (size_t)table->header.max_x);
}

/* ------------------------------------------------------------------------------ ends of rows -- */

/* Finds for every row of one u where it ends for each x, and counts the records by segment. Segment
 * k holds the values of all x above k at the positions that lie beyond the end of the row of x = k
 * and within the row of x = k + 1. */
static void measure_task(void *context, uint32_t task)
{
    const generation *g = context;
    const uint32_t u = u_of_task(g, task), max_x = g->table->header.max_x;
    kiln_lut_rounder rounder = rounder_of(g->table);
    kiln_lut_terms terms;
    for (uint32_t v = 1; v <= u; v++) {
        uint16_t *length = lengths_of(g->table, row_at(g->table, u, v));
        kiln_lut_terms_start(&terms, u, v, max_x);
        /* P falls in x: what is cut for an x is cut for all smaller ones. */
        kiln_lut_estimate estimates[KILN_BINS_TABLE_X_MAX];
        uint32_t open = 0; /* x - 1 of the first row that goes on */
        for (;;) {
            kiln_lut_terms_estimate(&terms, estimates);
            /* At w = u every row ends, whatever its last value is. */
            const bool last = terms.w == terms.u;
            while (open < max_x &&
                   (last || kiln_lut_round_is_cut(&rounder, &terms, open + 1, &estimates[open]))) {
                length[open++] = (uint16_t)(terms.w - terms.v + 1);
            }
            if (open == max_x) {
                break;
            }
            KILN_ASSERT(terms.w < terms.u);
            kiln_lut_terms_step(&terms);
        }
        for (uint32_t k = 0; k < max_x; k++) {
            g->found[u].records[k] += length[k] - (k > 0 ? length[k - 1] : 0u);
        }
    }
    g->found[u].exact_values += rounder.exact_values;
    g->found[u].exact_cuts += rounder.exact_cuts;
    kiln_lut_exact_clear(&rounder.exact);
}

/* Counts become places. False: more records than `first` can name. */
static bool place_records(generation *g)
{
    kiln_format_bins *header = &g->table->header;
    uint64_t kept = 0;
    for (uint32_t k = 0; k < header->max_x; k++) {
        uint64_t total = 0;
        for (uint32_t u = 1; u <= header->max_u; u++) {
            const uint64_t count = g->found[u].records[k];
            g->found[u].records[k] = total;
            total += count;
        }
        g->table->record_counts[k] = total;
        kept += total;
        header->kept[k] = kept;
        if (total > UINT32_MAX) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------ values -- */

/* The value that a reader gets from what is stored, which the certificates are about. */
static double decoded(const kiln_lut_bins *table, const void *place)
{
    if (table->header.profile == KILN_BINS_EXACT) {
        float value;
        memcpy(&value, place, sizeof value);
        return (double)value;
    }
    uint16_t count;
    memcpy(&count, place, sizeof count);
    return table->header.unit * count;
}

/* The values of x > segment at the row's position of `terms`. */
static void store_record(const kiln_lut_bins *table, kiln_lut_rounder *rounder,
                         const kiln_lut_terms *terms, const kiln_lut_estimate *estimates,
                         uint32_t segment, uint64_t record, by_u *found)
{
    const uint32_t profile = table->header.profile, size = kiln_bins_value_size(profile);
    KILN_ASSERT(segment < terms->max_x);
    KILN_ASSERT(record < table->record_counts[segment]);
    uint8_t *place = (uint8_t *)table->records[segment] +
                     record * kiln_lut_bins_record_size(&table->header, segment);
    for (uint32_t k = segment; k < terms->max_x; k++, place += size) {
        if (profile == KILN_BINS_EXACT) {
            const float value = kiln_lut_round_float(rounder, terms, k + 1, &estimates[k]);
            memcpy(place, &value, sizeof value);
        } else {
            const uint16_t count = kiln_lut_round_count(rounder, terms, k + 1, &estimates[k]);
            memcpy(place, &count, sizeof count);
        }
        /* How far the value can be from P, which lies between `lower` and `upper`. */
        const kiln_lut_estimate *estimate = &estimates[k];
        const double value = decoded(table, place);
        const double lower = fmax(estimate->p - 2.0 * estimate->error, 0.0);
        const double upper = fmin(estimate->p + 2.0 * estimate->error, 1.0);
        found->kept = fmax(found->kept, fmax(value - lower, upper - value));
        if (rounder->down && terms->w < terms->u) {
            /* The row's last value also stands for those beyond, which go up to 1. */
            const uint16_t *length = lengths_of(table, row_at(table, terms->u, terms->v));
            const bool ends = terms->w - terms->v + 1u == length[k];
            found->beyond = fmax(found->beyond, ends ? 1.0 - value : 0.0);
        }
    }
}

/* The values of one row, along which the segment rises as rows of larger x end. */
static void fill_row(const kiln_lut_bins *table, kiln_lut_rounder *rounder, kiln_lut_terms *terms,
                     uint64_t *next, by_u *found)
{
    const uint32_t max_x = table->header.max_x;
    uint8_t *row = row_at(table, terms->u, terms->v);
    const uint16_t *length = lengths_of(table, row);
    kiln_lut_estimate estimates[KILN_BINS_TABLE_X_MAX];
    uint32_t first[KILN_BINS_TABLE_X_MAX], segment = 0;
    for (uint32_t k = 0; k < max_x; k++) {
        const uint32_t before = k > 0 ? length[k - 1] : 0u;
        /* A reader adds the position in the row to `first`, so what the segments before it took is
         * subtracted. The difference may be below 0; both sides are modulo 2^32. */
        first[k] = (uint32_t)next[k] - before;
    }
    memcpy(row, first, 4 * (size_t)max_x);
    for (;;) {
        while (segment < max_x && length[segment] <= terms->w - terms->v) {
            segment++;
        }
        kiln_lut_terms_estimate(terms, estimates);
        if (!rounder->down) {
            /* What 1 is off by after the ends of rows: most for the first value there. */
            for (uint32_t k = 0; k < segment; k++) {
                found->beyond = fmax(found->beyond,
                                     estimates[k].complement + 2.0 * estimates[k].complement_error);
            }
        }
        if (segment == max_x) {
            return;
        }
        store_record(table, rounder, terms, estimates, segment, next[segment]++, found);
        if (terms->w == terms->u || terms->vanish) {
            return;
        }
        kiln_lut_terms_step(terms);
    }
}

/* The values of all rows of one u. They lie in parts of the sections that no other task writes to.
 */
static void fill_task(void *context, uint32_t task)
{
    const generation *g = context;
    const uint32_t u = u_of_task(g, task), max_x = g->table->header.max_x;
    by_u *found = &g->found[u];
    uint64_t next[KILN_BINS_TABLE_X_MAX];
    memcpy(next, found->records, sizeof next);
    kiln_lut_rounder rounder = rounder_of(g->table);
    kiln_lut_terms terms;
    for (uint32_t v = 1; v <= u; v++) {
        kiln_lut_terms_start(&terms, u, v, max_x);
        fill_row(g->table, &rounder, &terms, next, found);
    }
    found->exact_values += rounder.exact_values;
    found->exact_cuts += rounder.exact_cuts;
    kiln_lut_exact_clear(&rounder.exact);
}

/* ------------------------------------------------------------------------------------- whole -- */

/* Bytes of a record: one value for each x that is greater than the segment. */
uint32_t kiln_lut_bins_record_size(const kiln_format_bins *header, uint32_t segment)
{
    return kiln_bins_value_size(header->profile) * (header->max_x - segment);
}

/* Up to the next multiple of 2^-44: more than enough for the arithmetic that led here. */
static double rounded_up(double error)
{
    return ceil(error * 0x1p44) * 0x1p-44;
}

/* Fills a table, whose memory is the caller's to free by kiln_lut_bins_free, after a failure too.
 * False: there was no memory, there were too many records, or the caller's `parallel` ended early.
 */
bool kiln_lut_bins_generate(const kiln_lut_bins_options *options, const kiln_lut_parallel *parallel,
                            kiln_lut_bins *table)
{
    bool done = false;
    kiln_format_bins *header = &table->header;
    KILN_ASSERT(options->max_u >= 1 && options->max_u <= KILN_BINS_TABLE_U_MAX);
    KILN_ASSERT(options->max_x >= 1 && options->max_x <= KILN_BINS_TABLE_X_MAX);
    memset(table, 0, sizeof *table);
    header->profile = options->profile;
    header->rounding = options->rounding;
    header->max_u = options->max_u;
    header->max_x = options->max_x;
    header->row_size = kiln_bins_row_size(options->max_x);
    header->cut = (double)KILN_LUT_CUT_MILLIONTHS / 1e6;
    header->unit = options->profile == KILN_BINS_EXACT   ? 1.0
                   : options->rounding == KILN_BINS_DOWN ? 1.0 / 65536.0
                                                         : 1.0 / 65535.0;

    /* Where rows end, and with that where everything lies. */
    table->rows_size = kiln_bins_row_index(header->max_u + 1, 1) * header->row_size;
    table->rows = calloc(1, (size_t)table->rows_size);
    generation g = {table, calloc(header->max_u + 1, sizeof *g.found)};
    if (table->rows == NULL || g.found == NULL ||
        !parallel->run(parallel->user, header->max_u, measure_task, &g) || !place_records(&g)) {
        goto end;
    }

    /* The values. */
    for (uint32_t k = 0; k < header->max_x; k++) {
        const uint64_t size = table->record_counts[k] * kiln_lut_bins_record_size(header, k);
        table->records[k] = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
        if (table->records[k] == NULL) {
            goto end;
        }
    }
    if (!parallel->run(parallel->user, header->max_u, fill_task, &g)) {
        goto end;
    }
    /* The maxima are the same in any order; the counts are integers. So nothing here depends on
     * how the tasks were spread over threads. */
    double kept = 0.0, beyond = 0.0;
    for (uint32_t u = 1; u <= header->max_u; u++) {
        kept = fmax(kept, g.found[u].kept);
        beyond = fmax(beyond, g.found[u].beyond);
        table->exact_values += g.found[u].exact_values;
        table->exact_cuts += g.found[u].exact_cuts;
    }
    header->certificate_kept = rounded_up(kept);
    header->certificate_beyond = rounded_up(beyond);
    done = true;
end:
    free(g.found);
    return done;
}

void kiln_lut_bins_free(kiln_lut_bins *table)
{
    free(table->rows);
    for (uint32_t k = 0; k < KILN_BINS_TABLE_X_MAX; k++) {
        free(table->records[k]);
    }
    memset(table, 0, sizeof *table);
}
