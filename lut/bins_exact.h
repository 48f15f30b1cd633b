/* P(u, v, w, x) in exact arithmetic, by GMP: the numerators of Equation 6 (Klein and Zachmann
 * 2003) over their common denominator C(u, v). */
#ifndef KILN_LUT_BINS_EXACT_H
#define KILN_LUT_BINS_EXACT_H

#include "../formats/format.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t u, v, w, max_x;
    mpz_t all;                          /* C(u, v) */
    mpz_t term[KILN_BINS_TABLE_X_MAX];  /* C(w, t) C(u - w, v - t) */
    mpz_t above[KILN_BINS_TABLE_X_MAX]; /* numerator of P(C >= x) at x - 1 */
    mpz_t rest, scratch;
} kiln_lut_exact;

void kiln_lut_exact_init(kiln_lut_exact *exact, uint32_t max_x);
void kiln_lut_exact_clear(kiln_lut_exact *exact);

/* Computes all x for any u >= v, w. */
void kiln_lut_exact_set(kiln_lut_exact *exact, uint32_t u, uint32_t v, uint32_t w);

/* From w >= v to w + 1 <= u. */
void kiln_lut_exact_step(kiln_lut_exact *exact);

/* Does the complement of P for x amount to at most `millionths` / 1000000? */
bool kiln_lut_exact_is_cut(kiln_lut_exact *exact, uint32_t x, unsigned long millionths);

/* P for x rounded to the nearest number (the even one of two) or down. */
float kiln_lut_exact_float(kiln_lut_exact *exact, uint32_t x, bool down);

/* P for x in units of 1 / 65535 rounded to the nearest (even) number; or, down, of 1 / 65536, with
 * 65535 for 1. */
uint16_t kiln_lut_exact_count(kiln_lut_exact *exact, uint32_t x, bool down);

/* How a stored value fares. */
typedef enum { KILN_LUT_ROUNDED = 0, KILN_LUT_WITHIN = 1, KILN_LUT_OFF = 2 } kiln_lut_verdict;

/* Compares `value`, the probability that a table gives for x, with P: ROUNDED as the table's
 * profile and rounding require, else WITHIN the certificate, else OFF. *error gets the distance,
 * rounded to nearest. */
kiln_lut_verdict kiln_lut_exact_judge(kiln_lut_exact *exact, uint32_t x,
                                      const kiln_format_bins *header, double value, double *error);

/* |value - P| in double, for a value near 1. */
double kiln_lut_exact_distance(kiln_lut_exact *exact, uint32_t x, double value);

/* Is |value - P| at most `bound`? Exactly. */
bool kiln_lut_exact_is_near(kiln_lut_exact *exact, uint32_t x, double value, double bound);

#endif
