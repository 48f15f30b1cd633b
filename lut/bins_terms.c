/* The terms of Equation 6 in floating point, along a row (bins_terms.h), and what bounds their
 * errors.
 *
 * Errors. A term comes from a product of quotients of exact integers: two roundings a factor. With
 * n of them it is within (1 + 2^-53)^n - 1 < 1.01 n 2^-53 of itself, n < 2^20. All terms are
 * positive, so a sum of k of them adds k - 1 roundings. 1 - sum adds one, absolute, of at most
 * 2^-53.
 *
 * Underflow. Terms rise up to one t and fall after it, and the at most 4097 of a distribution add
 * up to 1. If the first one, at t0 = max(0, v + w - u), is at least 2^-900, then those before the
 * highest are too, and after it a term falls at most by 1 / (10 * 4096) a step for fewer than 10
 * steps from at least 1 / 4097: all are normal numbers. If it is less, the terms for t < 10 are
 * below 2^-900 2^(24 * 10) = 2^-660, for a step rises by at most 2^24: they vanish. Along a row
 * that goes on, the first ten add up to more than the cut, so the largest of them is over 2^-21,
 * and neighbours differ by at most 2^24: all are over 2^-240. */
#include "bins_terms.h"

#include "../formats/assert.h"

static const double vanishing = 0x1p-900;
static const double vanished = 0x1p-640; /* more than ten terms that vanish */

/* Least t that is possible: v + w balls don't fit into u bins without sharing. */
static uint32_t lowest(uint32_t u, uint32_t v, uint32_t w)
{
    return v + w > u ? v + w - u : 0;
}

/* Pr[C = t + 1] / Pr[C = t] */
static double ratio(const kiln_lut_terms *terms, uint32_t t)
{
    const uint32_t rest = terms->u + t + 1 - terms->v - terms->w;
    return (double)((terms->w - t) * (terms->v - t)) / (double)((t + 1) * rest);
}

void kiln_lut_terms_start(kiln_lut_terms *terms, uint32_t u, uint32_t v, uint32_t max_x)
{
    const uint32_t low = lowest(u, v, v);
    KILN_ASSERT(v >= 1 && v <= u);
    KILN_ASSERT(max_x >= 1 && max_x <= KILN_BINS_TABLE_X_MAX);
    *terms = (kiln_lut_terms){.u = u, .v = v, .w = v, .max_x = max_x};
    if (low >= max_x) {
        return; /* x filled bins are certain */
    }
    /* The term at t0 for w = v: by C(u - v, v) / C(u, v) where t0 = 0, else by C(v, u - v) /
     * C(u, v). */
    const uint32_t factors = low == 0 ? v : u - v;
    double term = 1.0;
    for (uint32_t i = 1; i <= factors && term >= vanishing; i++) {
        term *= low == 0 ? (double)(u - 2 * v + i) / (double)(u - v + i)
                         : (double)(low + i) / (double)(v + i);
    }
    terms->vanish = term < vanishing;
    terms->roundings = u + 2.0 * max_x;
    for (uint32_t t = low; t < max_x && t <= v && !terms->vanish; t++) {
        terms->term[t] = term;
        term *= ratio(terms, t);
    }
}

void kiln_lut_terms_step(kiln_lut_terms *terms)
{
    const uint32_t u = terms->u, v = terms->v, w = terms->w;
    KILN_ASSERT(w < u);
    KILN_ASSERT(!terms->vanish);
    for (uint32_t t = 0; t < terms->max_x && t <= v; t++) {
        if (terms->term[t] > 0.0) {
            terms->term[t] *= (double)((w + 1) * (u + t - w - v)) / (double)((w + 1 - t) * (u - w));
        }
    }
    terms->w++;
    terms->roundings += 2.0;
}

static double bound_of(double value, double roundings)
{
    return value * (1.01 * roundings * 0x1p-53);
}

void kiln_lut_terms_estimate(const kiln_lut_terms *terms, kiln_lut_estimate *estimates)
{
    const uint32_t max_x = terms->max_x;
    if (!terms->vanish) {
        /* From sums of the terms below each x. */
        double below = 0.0;
        for (uint32_t x = 1; x <= max_x; x++) {
            kiln_lut_estimate *e = &estimates[x - 1];
            below += terms->term[x - 1];
            e->complement = below;
            e->complement_error = bound_of(below, terms->roundings + max_x);
            e->p = 1.0 - below;
            e->error = below == 0.0 ? 0.0 : e->complement_error + 0x1p-53;
        }
        if (!(estimates[max_x - 1].complement > 0.5)) {
            return;
        }

        /* Where more than half is below, the sum from above is the more exact one. It begins with
         * Pr[C >= max_x], whose last steps at least halve the terms, so that what is left out is at
         * most the last term, which is less than a rounding of the sum. */
        uint32_t t = max_x - 1;
        double term = terms->term[t], above = 0.0, factor = 1.0;
        double roundings = terms->roundings + 2.0;
        while (t < terms->v && term > 0.0 && (factor > 0.5 || term >= above * 0x1p-60)) {
            factor = ratio(terms, t);
            term *= factor;
            above += term;
            t++;
            roundings += 3.0;
        }
        for (uint32_t x = max_x; x >= 1; x--) {
            kiln_lut_estimate *e = &estimates[x - 1];
            if (e->complement > 0.5) {
                e->p = above;
                e->error = bound_of(above, roundings + max_x);
            }
            above += terms->term[x - 1];
        }
        return;
    }
    const uint32_t low = lowest(terms->u, terms->v, terms->w);
    for (uint32_t x = 1; x <= terms->max_x; x++) {
        const double error = x <= low ? 0.0 : vanished;
        estimates[x - 1] = (kiln_lut_estimate){1.0, error, 0.0, error};
    }
}
