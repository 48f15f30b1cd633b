/* The probabilities of filled bins without a table: a start by four factorials, then the ratio of
 * neighbouring terms of Equation 6.
 *
 * The terms. Klein and Zachmann 2003, section 3.5.1: Pr[C = t] = C(w, t) C(u - w, v - t) / C(u, v).
 * Exchange full and empty in both colours (v becomes u - v, w becomes u - w) and C becomes
 * C + u - v - w. So let n and m be v and w, or where v + w > u their complements; then C = base + J
 * with base = 0 or v + w - u. With d = u - n - m >= 0, J runs from 0 to min(n, m) <= 2048, and
 *
 *     Pr[J = 0]     = (u - n)! (u - m)! / (u! d!)
 *     Pr[J = j + 1] = Pr[J = j] (n - j) (m - j) / ((j + 1) (d + j + 1)), a ratio that falls with j
 *
 * Errors, with e = 2^-53. A factorial up to 512! is within e of itself, a larger one within 3 e
 * (its at most seven other factors make two exact products under 2^48: two roundings), so the start
 * with its three operations is within 15 e. Numerators and denominators of ratios are whole and
 * under 2^24, so exact; a step adds two roundings: term j is within (15 + 2 j) e of itself. A sum
 * of k terms adds (k - 1) e. So the sum of the first k <= KILN_BINS_MAX_X = 32 terms is within
 * 108 e of itself, and its difference from 1 within 109 e. Where that difference is below 2^-10 for
 * the last x, or no term lies beyond, the upper tails are summed instead: the tail beyond has at
 * most 2048 terms, is within (15 + 3 * 2048) e + 2^-50 of itself and below 2^-10, an error under
 * 7 e; the terms from there down to x add (15 + 64 + 33) e. All is below 128 e = 2^-46 with room
 * for the products of errors; and below 2^-36 of P itself, as no P that came by a difference is
 * below 2^-10.
 *
 * Underflow. Within 32 terms of J = 0 a ratio is at most 2^24, the product of 31 of them at most
 * 2^744. If Pr[J = 0] < 2^-900 they sum to less than 2^-149: every P that is wanted is 1. Else
 * every term up to there is a normal number or too small to be seen in the sum that it is part of:
 * a tail P >= x that is not empty is at least its value for n = m = x, 1 / C(4096, 32) > 2^-267. */
#include "bins.h"

#include "../../lut/factorials.h"

#include <string.h>

/* A positive number: mantissa 2^exponent, mantissa of moderate size. */
typedef struct {
    double mantissa;
    int32_t exponent;
} scaled_number;

/* 2^exponent, for exponents of normal numbers. */
static double power_of_two(int32_t exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* n! for n above KILN_FACTORIAL_DENSE: the next lower entry times the factors from there. */
static scaled_number large_factorial(uint32_t n)
{
    const uint32_t steps = (n - KILN_FACTORIAL_DENSE) / KILN_FACTORIAL_STEP;
    const uint32_t entry = KILN_FACTORIAL_DENSE + steps;
    const uint32_t from = KILN_FACTORIAL_DENSE + KILN_FACTORIAL_STEP * steps;
    double lower = 1, upper = 1; /* of at most four factors each: exact */
    for (uint32_t i = from + 1; i <= n; i++) {
        if (i <= from + KILN_FACTORIAL_STEP / 2) {
            lower *= i;
        } else {
            upper *= i;
        }
    }
    const scaled_number value = {kiln_factorial_mantissa[entry] * lower * upper,
                                 kiln_factorial_exponent[entry]};
    return value;
}

static inline scaled_number factorial(uint32_t n)
{
    if (n > KILN_FACTORIAL_DENSE) {
        return large_factorial(n);
    }
    const scaled_number value = {kiln_factorial_mantissa[n], kiln_factorial_exponent[n]};
    return value;
}

static inline scaled_number times(scaled_number a, scaled_number b)
{
    const scaled_number product = {a.mantissa * b.mantissa, a.exponent + b.exponent};
    return product;
}

static inline scaled_number over(scaled_number a, scaled_number b)
{
    const scaled_number quotient = {a.mantissa / b.mantissa, a.exponent - b.exponent};
    return quotient;
}

/* The distribution of J: see above. */
typedef struct {
    uint32_t base, n, m, d, last; /* last: largest J */
} reduced;

static inline reduced reduce(uint32_t u, uint32_t v, uint32_t w)
{
    const bool full = v + w > u;
    reduced r;
    r.base = full ? v + w - u : 0;
    r.n = full ? u - v : v;
    r.m = full ? u - w : w;
    r.d = u - r.n - r.m;
    r.last = r.n < r.m ? r.n : r.m;
    return r;
}

/* Pr[J = j + 1] / Pr[J = j] */
static inline double term_ratio(const reduced *r, uint32_t j)
{
    const double above = (double)(int32_t)((r->n - j) * (r->m - j));
    const double below = (double)(int32_t)((j + 1) * (r->d + j + 1));
    return above / below;
}

/* True when the terms after `term`, which fall by q < 1 and faster, sum to at most 2^-50 whole. */
static inline bool rest_is_negligible(double term, double q, double whole)
{
    return term * q <= whole * 0x1p-50 * (1 - q);
}

/* Pr[J > first], from Pr[J = first]. */
static double tail_after(const reduced *r, uint32_t first, double term)
{
    double sum = 0;
    for (uint32_t j = first; j < r->last; j++) {
        const double q = term_ratio(r, j);
        term *= q;
        sum += term;
        if (rest_is_negligible(term, q, sum)) {
            break;
        }
    }
    return sum;
}

/* P(>= 1 .. count) of J, 1 <= count <= KILN_BINS_MAX_X. */
static void tails(const reduced *r, uint32_t u, uint32_t count, double p[])
{
    const scaled_number start =
        over(times(factorial(u - r->n), factorial(u - r->m)), times(factorial(u), factorial(r->d)));
    if (start.exponent < -900) {
        for (uint32_t i = 0; i < count; i++) {
            p[i] = 1;
        }
        return;
    }
    double terms[KILN_BINS_MAX_X + 1];
    double term = start.mantissa * power_of_two(start.exponent);
    double sum = term;
    terms[0] = term;
    for (uint32_t j = 0; j < count; j++) {
        p[j] = 1 - sum;
        term *= term_ratio(r, j);
        sum += term;
        terms[j + 1] = term;
    }
    if (count == r->last || p[count - 1] < 0x1p-10) {
        double tail = terms[count] + tail_after(r, count, terms[count]);
        for (uint32_t j = count; j-- > 0;) {
            p[j] = tail < 1 ? tail : 1;
            tail += terms[j];
        }
    }
}

/* As bins.h promises it: certain values, then those that are computed, then zeros. */
static void lookup(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w, uint32_t count,
                   double p[])
{
    (void)table;
    const reduced r = reduce(u, v, w);
    uint32_t i = 0;
    for (; i < count && i < r.base; i++) {
        p[i] = 1;
    }
    const uint32_t end = count < r.base + r.last ? count : r.base + r.last;
    if (i < end) {
        tails(&r, u, end - i, p + i);
        i = end;
    }
    for (; i < count; i++) {
        p[i] = 0;
    }
}

/* ------------------------------------------------------------------------------ expectation -- */

/* 1 - (1 - lb)^t without cancellation, by the bits of t. */
static double any_of(double lb, uint32_t t)
{
    double f = 0;
    for (uint32_t bit = KILN_BINS_MAX_U; bit != 0; bit >>= 1) {
        f = f * (2 - f);
        if ((t & bit) != 0) {
            f += (1 - f) * lb;
        }
    }
    return f;
}

/* The most likely J: the first whose ratio is below 1, (n + 1) (m + 1) / (u + 2) rounded down. */
static uint32_t most_likely(const reduced *r)
{
    const uint32_t u = r->n + r->m + r->d;
    return (r->n + 1) * (r->m + 1) / (u + 2);
}

/* The least J that counts, and its term relative to that of the most likely. */
static uint32_t least_likely_j(const reduced *r, double *term)
{
    uint32_t j = most_likely(r);
    *term = 1;
    while (j > 0) {
        const double q = 1 / term_ratio(r, j - 1);
        if (rest_is_negligible(*term, q, 1)) {
            break;
        }
        *term *= q;
        j--;
    }
    return j;
}

/* The weighted mean of f(t) = 1 - (1 - lb)^t over the likely t, by weights relative to the largest.
 * The sum of the weights divides out, so no factorial is needed and nothing underflows.
 *
 * Errors, e = 2^-53: a weight is within 2 * 2048 * 2 e of its value relative to the first, which
 * moves a mean of values in 0 .. 1 by at most 8192 e. f is within 65 e of itself at first (any_of:
 * 5 e a bit) and 3 e more each step: 6209 e. Two sums of at most 2049 terms: 4096 e. The parts cut
 * off at both ends, each at most 2^-50 of the largest weight and so of the sum: 16 e. In all below
 * 2^15 e = 2^-38. */
double kiln_bins_closed_expected(uint32_t u, uint32_t v, uint32_t w, double lb)
{
    const reduced r = reduce(u, v, w);
    double weight;
    uint32_t j = least_likely_j(&r, &weight);
    double f = any_of(lb, r.base + j);
    double whole = weight, sum = weight * f;
    for (; j < r.last; j++) {
        const double q = term_ratio(&r, j);
        weight *= q;
        f += (1 - f) * lb;
        whole += weight;
        sum += weight * f;
        if (rest_is_negligible(weight, q, 1)) {
            break;
        }
    }
    return sum / whole;
}

static const kiln_bins_profile profile = {"closed", lookup};

const kiln_bins kiln_bins_closed = {&profile, false, KILN_BINS_MAX_U, KILN_BINS_MAX_X, 0x1p-46, 0};
