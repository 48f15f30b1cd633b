/* Weights of counted queries: logistic regression, and how far its probabilities hold.
 *
 * The fit is Newton's method on the log-likelihood, which is concave (iteratively reweighted least
 * squares; P. McCullagh and J. A. Nelder, "Generalized Linear Models", 1989, 2.5). Each step
 * solves a small symmetric system by elimination in a fixed order, so the same cases give the same
 * bits. Reliability sorts probabilities into bins and compares the mean of each with what
 * happened. */
#include "fit_logistic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PENALTY 1e-6    /* on the squares of the weights, a case of weight 1 being the unit */
#define STEP_LEAST 1e-9 /* a step that changes no weight by more ends the iteration */

enum { STEPS_MOST = 50 };

double kiln_fit_probability(const double w[KILN_FIT_TERMS], const float feature[KILN_FIT_TERMS - 1])
{
    double odds = w[0];
    for (int k = 1; k < KILN_FIT_TERMS; k++) {
        odds += w[k] * (double)feature[k - 1];
    }
    return 1.0 / (1.0 + exp(-odds));
}

/* Adds a case's share of the negative Hessian and, last column, of the gradient. */
static void add_case(const kiln_fit_case *of, const double w[KILN_FIT_TERMS],
                     double a[KILN_FIT_TERMS][KILN_FIT_TERMS + 1])
{
    const double p = kiln_fit_probability(w, of->feature);
    const double curve = (double)of->weight * p * (1.0 - p);
    const double slope = (double)of->weight * ((of->yes ? 1.0 : 0.0) - p);
    double x[KILN_FIT_TERMS] = {1.0};
    for (int k = 1; k < KILN_FIT_TERMS; k++) {
        x[k] = (double)of->feature[k - 1];
    }
    for (int i = 0; i < KILN_FIT_TERMS; i++) {
        for (int k = 0; k < KILN_FIT_TERMS; k++) {
            a[i][k] += curve * x[i] * x[k];
        }
        a[i][KILN_FIT_TERMS] += slope * x[i];
    }
}

void kiln_fit_logistic(const kiln_fit_case *cases, size_t count, double w[KILN_FIT_TERMS])
{
    memset(w, 0, KILN_FIT_TERMS * sizeof w[0]);
    for (int step = 0; step < STEPS_MOST; step++) {
        double a[KILN_FIT_TERMS][KILN_FIT_TERMS + 1], largest = 0.0;
        memset(a, 0, sizeof a);
        for (int i = 0; i < KILN_FIT_TERMS; i++) {
            a[i][i] = PENALTY;
            a[i][KILN_FIT_TERMS] = -PENALTY * w[i];
        }
        for (size_t i = 0; i < count; i++) {
            add_case(&cases[i], w, a);
        }

        /* Solves a symmetric positive definite system in place; the right side is the last column.
         */
        for (int i = 0; i < KILN_FIT_TERMS; i++) {
            for (int row = 0; row < KILN_FIT_TERMS; row++) {
                const double factor = a[row][i] / a[i][i];
                for (int k = i; row != i && k <= KILN_FIT_TERMS; k++) {
                    a[row][k] -= factor * a[i][k];
                }
            }
        }
        for (int i = 0; i < KILN_FIT_TERMS; i++) {
            const double change = a[i][KILN_FIT_TERMS] / a[i][i];
            w[i] += change;
            largest = fmax(largest, fabs(change));
        }
        if (largest < STEP_LEAST) {
            return;
        }
    }
}

/* The same method in one dimension. */
double kiln_fit_offset(const kiln_fit_case *cases, size_t count, const double w[KILN_FIT_TERMS])
{
    double offset = 0.0;
    for (int step = 0; step < STEPS_MOST; step++) {
        double moved[KILN_FIT_TERMS], curve = PENALTY, slope = -PENALTY * offset;
        memcpy(moved, w, sizeof moved);
        moved[0] += offset;
        for (size_t i = 0; i < count; i++) {
            const double p = kiln_fit_probability(moved, cases[i].feature);
            curve += (double)cases[i].weight * p * (1.0 - p);
            slope += (double)cases[i].weight * ((cases[i].yes ? 1.0 : 0.0) - p);
        }
        const double change = fmax(-1.0, fmin(1.0, slope / curve));
        offset += change;
        if (fabs(change) < STEP_LEAST) {
            break;
        }
    }
    return offset;
}

/* ------------------------------------------------------------------------------ reliability -- */

/* Bins of equal mass: as many predictions in each, so none is empty and few are wide. */

static int by_probability(const void *left, const void *right)
{
    const kiln_prediction *p = left, *q = right;
    if (p->said != q->said) {
        return p->said < q->said ? -1 : 1;
    }
    return (int)p->came - (int)q->came;
}

kiln_reliability kiln_reliability_of(kiln_prediction *predictions, size_t count)
{
    kiln_reliability result;
    memset(&result, 0, sizeof result);
    qsort(predictions, count, sizeof *predictions, by_probability);
    for (size_t b = 0; b < KILN_RELIABILITY_BINS && count > 0; b++) {
        const size_t first = count * b / KILN_RELIABILITY_BINS;
        const size_t last = count * (b + 1) / KILN_RELIABILITY_BINS;
        kiln_reliability_bin *bin = &result.bins[b];
        for (size_t i = first; i < last; i++) {
            const double said = (double)predictions[i].said, came = predictions[i].came ? 1.0 : 0.0;
            bin->said += said;
            bin->came += came;
            result.brier += (said - came) * (said - came) / (double)count;
            result.error += (said > 0.5) != predictions[i].came ? 1.0 / (double)count : 0.0;
        }
        result.ece += fabs(bin->said - bin->came) / (double)count;
        bin->count = last - first;
        bin->said /= bin->count > 0 ? (double)bin->count : 1.0;
        bin->came /= bin->count > 0 ? (double)bin->count : 1.0;
    }
    return result;
}
