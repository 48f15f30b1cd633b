/* A filled-bins table that was opened: formats/bins.md. */
#ifndef KILN_BINS_TABLE_H
#define KILN_BINS_TABLE_H

#include "../../formats/bins_check.h"
#include "bins.h"

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
