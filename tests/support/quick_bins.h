/* Filled-bins table files in memory, by the library's own generator and encoder. */
#ifndef KILN_TEST_QUICK_BINS_H
#define KILN_TEST_QUICK_BINS_H

#include "../../lut/bins.h"
#include "../../runtime/kiln_adb.h"
#include "../../tools/kiln_bake.h"

#include <stddef.h>

/* A generated table; stops the test on failure. Released by kiln_lut_bins_free. */
kiln_lut_bins quick_bins_table(uint32_t profile, uint32_t rounding, uint32_t max_u, uint32_t max_x,
                               unsigned threads);

/* Its decoded sections as a view, as the reader would give them. */
kiln_bins_view quick_bins_view(const kiln_lut_bins *table);

/* The bytes of a file, 64-byte aligned, released by free(). */
void *quick_bins(uint32_t profile, uint32_t rounding, uint32_t max_u, uint32_t max_x,
                 unsigned threads, kiln_layout layout, size_t *size);

/* Runs turns here, one after another: for audits. */
extern const kiln_lut_parallel quick_bins_serial;

#endif
