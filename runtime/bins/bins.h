/* Filled-bins tables from the inside: the seam between what a caller asks (bins.c: arguments,
 * real values, Equation 8) and where the probabilities come from (a table's profile, or the
 * evaluator). */
#ifndef KILN_BINS_H
#define KILN_BINS_H

#include "../../formats/bins_check.h"
#include "../kiln_adb.h"

/* One way to get probabilities: a storage profile, or the evaluator. */
typedef struct {
    const char *name;
    /* p[i] = P(u, v, w, i + 1) for i < count, each within the table's certificate, never rising
     * with i, 0 where i + 1 > min(v, w). In: v, w <= u <= max_u, 1 <= count <= max_x, all held
     * by the caller; u, v, w may be 0 and come in either order of v and w. Runs in the
     * environment of fpu.h. */
    void (*lookup)(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w, uint32_t count,
                   double p[]);
} kiln_bins_profile;

struct kiln_bins {
    const kiln_bins_profile *profile;
    bool rounded_down;
    uint32_t max_u, max_x;
    double certificate;
    uint64_t bytes; /* of the arrays that lookups read */
};

/* What NULL stands for. */
extern const kiln_bins kiln_bins_closed;

/* Of kiln_bins_closed_expected. */
#define KILN_BINS_EXPECTED_ERROR 0x1p-38

/* E[1 - (1 - lb)^C] for whole arguments, within KILN_BINS_EXPECTED_ERROR; in as for lookup,
 * lb in 0 .. 1. */
double kiln_bins_closed_expected(uint32_t u, uint32_t v, uint32_t w, double lb);

/* -------------------------------------------------- tables that were opened: formats/bins.md -- */

typedef struct {
    kiln_bins base; /* first: what callers hold */
    kiln_reader reader;
    kiln_bins_view view;
    void *map; /* NULL: the caller's memory */
    size_t map_size;
    const uint8_t *rows;
    const void *records[KILN_BINS_TABLE_X_MAX];
    uint32_t row_size;
    double unit;
} kiln_bins_table;

/* How a profile of formats/bins.md is looked up; NULL: unknown. */
const kiln_bins_profile *kiln_bins_profile_of(uint32_t profile);

#endif
