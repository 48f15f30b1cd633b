/* Exact probabilities of filled bins: the oracle of tests about their tables and evaluator. */
#ifndef KILN_TESTS_FILLED_BINS_H
#define KILN_TESTS_FILLED_BINS_H

#include <gmp.h>
#include <stdint.h>

enum { FILLED_BINS_X = 32 };

/* Pr[C >= x] = ways[x] / all for x = 0 .. FILLED_BINS_X, in whole numbers. */
typedef struct {
    mpz_t all, ways[FILLED_BINS_X + 1];
    mpz_t term, part;              /* scratch */
    mpf_t left, right, none, keep; /* scratch, wide enough for a double times `all` */
} filled_bins;

/* For u up to max_u. */
void filled_bins_init(filled_bins *f, uint32_t max_u);
void filled_bins_clear(filled_bins *f);

/* Counts the throws of v and w balls into u bins: those of v, for one throw of w. v, w <= u. */
void filled_bins_count(filled_bins *f, uint32_t u, uint32_t v, uint32_t w);

/* p - Pr[C >= x] of the last count: its sign is exact, its size to a double's precision. */
double filled_bins_excess(filled_bins *f, uint32_t x, double p);

/* The same relative to Pr[C >= x], which must not be 0. */
double filled_bins_relative_excess(filled_bins *f, uint32_t x, double p);

/* p - E[1 - (1 - lb)^C], from a sum to u + 128 bits. */
double filled_bins_expected_excess(filled_bins *f, uint32_t u, uint32_t v, uint32_t w, double lb,
                                   double p);

#endif
