/* Non-negative least squares (C. Lawson and R. Hanson, "Solving Least Squares Problems", 1974) by
 * trying every set of unknowns that are not 0: with at most four there are sixteen, and no set
 * that was given up too early needs to be taken up again. Each is solved by its normal equations
 * (Cholesky), of which one with a pivot near 0 is skipped: its unknowns are not determined, and a
 * smaller set says as much. */
#include "least_squares.h"

#include "../../formats/assert.h"

#include <math.h>

/* Of a pivot beside its column's own square: below it the column is a sum of the others. */
#define DEPENDENT 1e-9

typedef struct {
    double square[KILN_UNKNOWNS_MAX][KILN_UNKNOWNS_MAX], right[KILN_UNKNOWNS_MAX], own;
} normal_equations;

/* Solves for the unknowns of `set`, others being 0. False: they are not determined, or one would
 * be negative. *rest is the sum of squares that is left. */
static bool solve_set(const normal_equations *of, unsigned unknowns, unsigned set,
                      double out[KILN_UNKNOWNS_MAX], double *rest)
{
    double factor[KILN_UNKNOWNS_MAX][KILN_UNKNOWNS_MAX], y[KILN_UNKNOWNS_MAX];
    unsigned index[KILN_UNKNOWNS_MAX], n = 0;
    for (unsigned i = 0; i < unknowns; i++) {
        out[i] = 0;
        if ((set >> i & 1u) != 0) {
            index[n++] = i;
        }
    }
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j <= i; j++) {
            double sum = of->square[index[i]][index[j]];
            for (unsigned k = 0; k < j; k++) {
                sum -= factor[i][k] * factor[j][k];
            }
            if (i == j && !(sum > DEPENDENT * of->square[index[i]][index[i]])) {
                return false;
            }
            factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        y[i] = of->right[index[i]];
        for (unsigned k = 0; k < i; k++) {
            y[i] -= factor[i][k] * y[k];
        }
        y[i] /= factor[i][i];
    }
    for (unsigned i = n; i-- > 0;) {
        for (unsigned k = i + 1; k < n; k++) {
            y[i] -= factor[k][i] * y[k];
        }
        y[i] /= factor[i][i];
        if (!(y[i] >= 0)) {
            return false;
        }
        out[index[i]] = y[i];
    }
    /* |A x - b|^2 = b.b - x.(A^T b) at the solution of the normal equations. */
    *rest = of->own;
    for (unsigned i = 0; i < unknowns; i++) {
        *rest -= out[i] * of->right[i];
    }
    return true;
}

bool kiln_least_squares(const kiln_equation equations[], size_t count, unsigned unknowns,
                        double out[KILN_UNKNOWNS_MAX])
{
    normal_equations of = {.own = 0};
    double least = HUGE_VAL;
    KILN_ASSERT(unknowns >= 1 && unknowns <= KILN_UNKNOWNS_MAX);
    for (size_t e = 0; e < count; e++) {
        const kiln_equation *row = &equations[e];
        for (unsigned i = 0; i < unknowns; i++) {
            of.right[i] += row->weight * row->factor[i] * row->value;
            for (unsigned j = 0; j < unknowns; j++) {
                of.square[i][j] += row->weight * row->factor[i] * row->factor[j];
            }
        }
        of.own += row->weight * row->value * row->value;
    }
    if (count == 0 || !isfinite(of.own)) {
        return false;
    }
    for (unsigned set = 0; set < 1u << unknowns; set++) {
        double tried[KILN_UNKNOWNS_MAX], rest;
        /* A set that leaves the same must be better by more than rounding: the first stays. */
        if (solve_set(&of, unknowns, set, tried, &rest) && rest < least - 1e-12 * of.own) {
            least = rest;
            for (unsigned i = 0; i < unknowns; i++) {
                out[i] = tried[i];
            }
        }
    }
    return isfinite(least);
}
