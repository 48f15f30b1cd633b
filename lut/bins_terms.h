/* The terms of Equation 6 (Klein and Zachmann 2003) in floating point, each with a proven bound
 * of its error, along a row of the table: u and v stay, w runs up from v. */
#ifndef KILN_LUT_BINS_TERMS_H
#define KILN_LUT_BINS_TERMS_H

#include "../formats/format.h"

#include <stdbool.h>
#include <stdint.h>

/* Pr[C = t] = C(w, t) C(u - w, v - t) / C(u, v) for t < max_x. */
typedef struct {
    uint32_t u, v, w, max_x;
    bool vanish;      /* each term is below 2^-660 and none is computed */
    double roundings; /* each term is within this many roundings of itself */
    double term[KILN_BINS_TABLE_X_MAX];
} kiln_lut_terms;

/* The first of a row: w = v. 1 <= v <= u <= KILN_BINS_TABLE_U_MAX. */
void kiln_lut_terms_start(kiln_lut_terms *terms, uint32_t u, uint32_t v, uint32_t max_x);

/* From w to w + 1 <= u. Not for terms that vanish. */
void kiln_lut_terms_step(kiln_lut_terms *terms);

/* A probability and its complement, each within its error. An error of 0: exact. */
typedef struct {
    double p, error;
    double complement, complement_error;
} kiln_lut_estimate;

/* estimates[x - 1] of P(C >= x) for x = 1 .. max_x. */
void kiln_lut_terms_estimate(const kiln_lut_terms *terms, kiln_lut_estimate *estimates);

#endif
