/* Weights of counted queries: logistic regression, and how far its probabilities hold. */
#ifndef KILN_COUNT_FIT_LOGISTIC_H
#define KILN_COUNT_FIT_LOGISTIC_H

#include <stdbool.h>
#include <stddef.h>

/* Logistic regression: weights such that 1 / (1 + exp(-w . x)) is the probability of "yes". */

enum { KILN_FIT_TERMS = 9 }; /* a constant and eight features; those not needed are 0 */

typedef struct {
    float feature[KILN_FIT_TERMS - 1];
    float weight; /* how much it counts */
    bool yes;
} kiln_fit_case;

/* The weights of greatest likelihood, constant first, with a penalty so light that it only keeps
 * them finite. The same bits for the same cases in the same order. */
void kiln_fit_logistic(const kiln_fit_case *cases, size_t count, double w[KILN_FIT_TERMS]);

/* What to add to w[0] for these cases alone, everything else kept. */
double kiln_fit_offset(const kiln_fit_case *cases, size_t count, const double w[KILN_FIT_TERMS]);

/* 1 / (1 + exp(-w . x)). */
double kiln_fit_probability(const double w[KILN_FIT_TERMS],
                            const float feature[KILN_FIT_TERMS - 1]);

/* How far probabilities are what they say: predictions against what came true. */

typedef struct {
    float said; /* probability */
    bool came;  /* true */
} kiln_prediction;

enum { KILN_RELIABILITY_BINS = 15 };

typedef struct {
    double said, came; /* means over the bin */
    size_t count;
} kiln_reliability_bin;

typedef struct {
    kiln_reliability_bin bins[KILN_RELIABILITY_BINS]; /* of equally many predictions, ascending */
    double ece;   /* expected calibration error: mean of |said - came| over bins, by count */
    double brier; /* mean of (said - came)^2 */
    double error; /* part of predictions that are on the wrong side of 1/2 */
} kiln_reliability;

/* Sorts `predictions`. All 0 for none. */
kiln_reliability kiln_reliability_of(kiln_prediction *predictions, size_t count);

#endif
