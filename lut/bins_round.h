/* Rounding of probabilities to what a table stores: by floating point where its error can't
 * matter, else by exact arithmetic (Ziv 1991). */
#ifndef KILN_LUT_BINS_ROUND_H
#define KILN_LUT_BINS_ROUND_H

#include "bins_exact.h"
#include "bins_terms.h"

/* A thread's means of deciding. */
typedef struct {
    kiln_lut_exact exact;
    unsigned long cut_millionths;
    bool down;
    uint64_t exact_values, exact_cuts; /* how often exact arithmetic was needed */
} kiln_lut_rounder;

/* Each decides for `terms` and x, whose estimate is given. */
float kiln_lut_round_float(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                           const kiln_lut_estimate *estimate);
uint16_t kiln_lut_round_count(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                              const kiln_lut_estimate *estimate);

/* Does a row end with this value? */
bool kiln_lut_round_is_cut(kiln_lut_rounder *rounder, const kiln_lut_terms *terms, uint32_t x,
                           const kiln_lut_estimate *estimate);

#endif
