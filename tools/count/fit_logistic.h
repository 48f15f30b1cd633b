/* Logistic regression: weights such that 1 / (1 + exp(-w . x)) is the probability of "yes". */
#ifndef KILN_FIT_LOGISTIC_H
#define KILN_FIT_LOGISTIC_H

#include <stdbool.h>
#include <stddef.h>

enum { KILN_FIT_TERMS = 7 }; /* a constant and six features; those not needed are 0 */

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

#endif
