/* What the sections of a filled-bins table mean, and its verifier: bins.md.
 *
 * Theorem. When kiln_bins_view_open returned true without `trusted`, then whatever the bytes of the
 * file are, for every 1 <= v <= w <= u <= max_u and 1 <= x <= max_x
 *   - kiln_bins_find reads one row inside the section of rows (rules 5, 24), and the record that it
 *     names, if any, lies inside the section of its segment (25);
 *   - what the record holds for x is a number from 0 to 1, for no x more than for a smaller one
 *     (26).
 * Nothing here is a promise about answers: those rest on checksums, and on `kiln lut check`, which
 * computes every value anew. */
#ifndef KILN_BINS_CHECK_H
#define KILN_BINS_CHECK_H

#include "format_error.h"
#include "format.h"
#include "reader.h"
#include "weights.h"

#include <stdbool.h>
#include <string.h>

typedef struct {
    const kiln_format_bins *header;
    const uint8_t *rows;                        /* row_size each */
    const void *records[KILN_BINS_TABLE_X_MAX]; /* of segment 0 .. max_x - 1 */
    uint64_t record_counts[KILN_BINS_TABLE_X_MAX];
    const char *meta;
    uint64_t meta_size;
    kiln_weights_view weights; /* weights of time-critical queries, which a table may hold */
    const kiln_reader *reader;
} kiln_bins_view;

/* Does an open reader hold a table? */
bool kiln_bins_is_table(const kiln_reader *reader);

/* Names the sections of an open reader and checks them: with `trusted` only that they are there and
 * that their sizes fit together. The view refers to the reader. */
bool kiln_bins_view_open(kiln_bins_view *view, const kiln_reader *reader, bool trusted,
                         kiln_format_error *error);

/* One row taken apart. */
typedef struct {
    uint32_t first[KILN_BINS_TABLE_X_MAX];
    uint16_t length[KILN_BINS_TABLE_X_MAX];
} kiln_bins_row;

static inline kiln_bins_row kiln_bins_view_row(const kiln_bins_view *view, uint64_t index)
{
    const uint32_t max_x = view->header->max_x;
    const uint8_t *bytes = view->rows + index * view->header->row_size;
    kiln_bins_row row;
    memcpy(row.first, bytes, 4 * (size_t)max_x);
    memcpy(row.length, bytes + 4 * (size_t)max_x, 2 * (size_t)max_x);
    return row;
}

/* The record of position i = w - v of a row: the values of x = *segment + 1 .. max_x are those of
 * the record *record in records[*segment]. *segment is max_x where all values are beyond the row's
 * end. */
static inline void kiln_bins_find(const kiln_bins_row *row, uint32_t max_x, uint32_t i,
                                  uint32_t *segment, uint32_t *record)
{
    uint32_t beyond = 0;
    for (uint32_t k = 0; k < max_x; k++) {
        beyond += row->length[k] <= i;
    }
    *segment = beyond;
    *record = beyond < max_x ? row->first[beyond] + i : 0;
}

/* The bytes of a value in the table's profile. */
static inline uint32_t kiln_bins_value_size(uint32_t profile)
{
    return profile == KILN_BINS_EXACT ? 4u : 2u;
}

/* The value of `lane` of a record as the probability that it stands for. */
static inline double kiln_bins_view_value(const kiln_bins_view *view, uint32_t segment,
                                          uint32_t record, uint32_t lane)
{
    const size_t at = (size_t)record * (view->header->max_x - segment) + lane;
    if (view->header->profile == KILN_BINS_EXACT) {
        return (double)((const float *)view->records[segment])[at];
    }
    return view->header->unit * ((const uint16_t *)view->records[segment])[at];
}

#endif
