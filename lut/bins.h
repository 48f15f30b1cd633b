/* Generating and auditing of filled-bins tables: formats/bins.md says what a table is. */
#ifndef KILN_LUT_BINS_H
#define KILN_LUT_BINS_H

#include "../formats/bins_check.h"
#include "../formats/format.h"
#include "parallel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows end where the complement is at most this many millionths: 0.9e-5, as in section 4.2.3. */
#define KILN_LUT_CUT_MILLIONTHS 9ul

typedef struct {
    uint32_t profile;  /* KILN_BINS_EXACT, KILN_BINS_COMPACT */
    uint32_t rounding; /* KILN_BINS_NEAREST, KILN_BINS_DOWN */
    uint32_t max_u;    /* 1 .. KILN_BINS_TABLE_U_MAX */
    uint32_t max_x;    /* 1 .. KILN_BINS_TABLE_X_MAX */
} kiln_lut_bins_options;

/* A table's sections, decoded. */
typedef struct {
    kiln_format_bins header;
    uint8_t *rows;
    uint64_t rows_size;
    void *records[KILN_BINS_TABLE_X_MAX];
    uint64_t record_counts[KILN_BINS_TABLE_X_MAX];
    uint64_t exact_values; /* values that took exact arithmetic to round */
    uint64_t exact_cuts;   /* row ends that took it to find */
} kiln_lut_bins;

/* Fills *table, released by kiln_lut_bins_free also after failure. False: no memory, more records
 * than 32 bits count, or cancelled. */
bool kiln_lut_bins_generate(const kiln_lut_bins_options *options, const kiln_lut_parallel *parallel,
                            kiln_lut_bins *table);
void kiln_lut_bins_free(kiln_lut_bins *table);

/* Bytes of a record of segment k. */
uint32_t kiln_lut_bins_record_size(const kiln_format_bins *header, uint32_t segment);

/* What an audit saw. */
typedef struct {
    uint64_t values;                 /* that were computed anew, exactly, and compared */
    uint64_t beyond;                 /* beyond the ends of rows, likewise */
    uint64_t off;                    /* further from the true value than the certificate says */
    uint64_t misrounded;             /* within it, but not the value that its rounding requires */
    uint64_t misplaced;              /* rows that don't end where the cut says */
    double worst_kept, worst_beyond; /* distances from the true value */
    uint32_t at[4];                  /* u, v, w, x of the first that is wrong; u = 0: none */
} kiln_lut_bins_audit;

/* Recomputes every kept value and every end of a row of a table that was verified. False: no
 * memory or cancelled. */
bool kiln_lut_bins_audit_all(const kiln_bins_view *view, const kiln_lut_parallel *parallel,
                             kiln_lut_bins_audit *audit);

/* Recomputes `count` values at places drawn evenly from all u, v <= w <= u, x: the same ones
 * each time. */
bool kiln_lut_bins_audit_sample(const kiln_bins_view *view, uint64_t count,
                                const kiln_lut_parallel *parallel, kiln_lut_bins_audit *audit);

#endif
