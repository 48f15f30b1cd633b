/* How far probabilities are what they say: predictions against what came true. */
#ifndef KILN_RELIABILITY_H
#define KILN_RELIABILITY_H

#include <stdbool.h>
#include <stddef.h>

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
