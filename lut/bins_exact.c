/* Equation 6 of Klein and Zachmann 2003 in whole numbers (GMP): the numerators of P over C(u,
 * v), and what is decided by them, such as how a value is rounded and whether a row ends. It is
 * slow, and serves where floating point leaves a doubt (bins_round.c) and for audits
 * (bins_audit.c). */
#include "bins_exact.h"

#include "../formats/assert.h"

#include <math.h>

void kiln_lut_exact_init(kiln_lut_exact *exact, uint32_t max_x)
{
    KILN_ASSERT(max_x >= 1 && max_x <= KILN_BINS_TABLE_X_MAX);
    exact->max_x = max_x;
    mpz_inits(exact->all, exact->rest, exact->scratch, NULL);
    for (uint32_t t = 0; t < max_x; t++) {
        mpz_inits(exact->term[t], exact->above[t], NULL);
    }
}

void kiln_lut_exact_clear(kiln_lut_exact *exact)
{
    mpz_clears(exact->all, exact->rest, exact->scratch, NULL);
    for (uint32_t t = 0; t < exact->max_x; t++) {
        mpz_clears(exact->term[t], exact->above[t], NULL);
    }
}

/* Numerators of P from the terms: what is left of all when those below x are taken away. */
static void sum_terms(kiln_lut_exact *exact)
{
    mpz_sub(exact->above[0], exact->all, exact->term[0]);
    for (uint32_t x = 2; x <= exact->max_x; x++) {
        mpz_sub(exact->above[x - 1], exact->above[x - 2], exact->term[x - 1]);
    }
}

void kiln_lut_exact_set(kiln_lut_exact *exact, uint32_t u, uint32_t v, uint32_t w)
{
    KILN_ASSERT(v <= u && w <= u);
    exact->u = u;
    exact->v = v;
    exact->w = w;
    mpz_bin_uiui(exact->all, u, v);
    for (uint32_t t = 0; t < exact->max_x; t++) {
        /* A term counts the throws with exactly t common bins. There are none where t exceeds the
         * balls of a colour, or where the bins without a red ball are too few for the other blue
         * ones. */
        if (t > v || t > w || v - t > u - w) {
            mpz_set_ui(exact->term[t], 0);
            continue;
        }
        /* The ratio of neighbouring terms is a fraction of small numbers, and the division is
         * exact: far cheaper than two binomials. */
        if (t > 0 && mpz_sgn(exact->term[t - 1]) != 0) {
            mpz_mul_ui(exact->term[t], exact->term[t - 1],
                       (unsigned long)(w - t + 1) * (v - t + 1));
            mpz_divexact_ui(exact->term[t], exact->term[t], (unsigned long)t * (u + t - v - w));
            continue;
        }
        mpz_bin_uiui(exact->term[t], w, t);
        mpz_bin_uiui(exact->scratch, u - w, v - t);
        mpz_mul(exact->term[t], exact->term[t], exact->scratch);
    }
    sum_terms(exact);
}

void kiln_lut_exact_step(kiln_lut_exact *exact)
{
    KILN_ASSERT(exact->w < exact->u); /* the step divides by u - w */
    const unsigned long u = exact->u, v = exact->v, w = exact->w;
    for (unsigned long t = 0; t < exact->max_x; t++) {
        if (mpz_sgn(exact->term[t]) != 0) {
            mpz_mul_ui(exact->term[t], exact->term[t], (w + 1) * (u + t - w - v));
            mpz_divexact_ui(exact->term[t], exact->term[t], (w + 1 - t) * (u - w));
        }
    }
    exact->w++;
    sum_terms(exact);
}

bool kiln_lut_exact_is_cut(kiln_lut_exact *exact, uint32_t x, unsigned long millionths)
{
    KILN_ASSERT(x >= 1 && x <= exact->max_x);
    mpz_sub(exact->rest, exact->all, exact->above[x - 1]);
    mpz_mul_ui(exact->rest, exact->rest, 1000000);
    mpz_mul_ui(exact->scratch, exact->all, millionths);
    return mpz_cmp(exact->rest, exact->scratch) <= 0;
}

/* The whole number below a float's mantissa with bits to spare, the last of them set where a
 * part is left: rounding that once is rounding P. */
float kiln_lut_exact_float(kiln_lut_exact *exact, uint32_t x, bool down)
{
    KILN_ASSERT(x >= 1 && x <= exact->max_x);
    mpz_srcptr above = exact->above[x - 1];
    if (mpz_sgn(above) == 0) {
        return 0.0f;
    }
    const long spare = 27;
    const long shift = spare + (long)mpz_sizeinbase(exact->all, 2) - (long)mpz_sizeinbase(above, 2);
    mpz_mul_2exp(exact->scratch, above, (mp_bitcnt_t)shift);
    mpz_tdiv_qr(exact->scratch, exact->rest, exact->scratch, exact->all);
    const double whole = mpz_get_d(exact->scratch); /* 27 or 28 bits */
    const double odd = mpz_sgn(exact->rest) != 0 ? 0.5 : 0.0;
    /* The half stands for the part that was cut off. The sum is exact, since a double holds 28 bits
     * and a half, so that there is one rounding. */
    float rounded = (float)(whole + odd);
    if (down && (double)rounded > whole + odd) {
        rounded = nextafterf(rounded, 0.0f);
    }
    return ldexpf(rounded, (int)-shift);
}

uint16_t kiln_lut_exact_count(kiln_lut_exact *exact, uint32_t x, bool down)
{
    KILN_ASSERT(x >= 1 && x <= exact->max_x);
    mpz_mul_ui(exact->scratch, exact->above[x - 1], down ? 65536 : 65535);
    mpz_tdiv_qr(exact->scratch, exact->rest, exact->scratch, exact->all);
    unsigned long count = mpz_get_ui(exact->scratch);
    if (down) {
        return (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
    }
    mpz_mul_2exp(exact->rest, exact->rest, 1);
    /* Twice the rest against the divisor: more than a half goes up, exactly a half to the even
     * number. */
    const int half = mpz_cmp(exact->rest, exact->all);
    count += half > 0 || (half == 0 && (count & 1) != 0);
    return (uint16_t)count;
}

/* a / b, b positive, for integers beyond the range of double. */
static double quotient(const mpz_t a, const mpz_t b)
{
    long exponent_a, exponent_b;
    const double mantissa_a = mpz_get_d_2exp(&exponent_a, a);
    const double mantissa_b = mpz_get_d_2exp(&exponent_b, b);
    const long exponent = exponent_a - exponent_b;
    /* A quotient below 2^-1000 only enters an error, where 0 is as good. */
    return exponent < -1000 ? 0.0 : ldexp(mantissa_a / mantissa_b, (int)exponent);
}

/* rest = P all scale - value scale all, with value * scale the whole number `stored`. */
static void set_rest(kiln_lut_exact *exact, uint32_t x, unsigned long factor, long shift,
                     unsigned long stored)
{
    mpz_mul_ui(exact->rest, exact->above[x - 1], factor);
    mpz_mul_2exp(exact->rest, exact->rest, (mp_bitcnt_t)shift);
    mpz_submul_ui(exact->rest, exact->all, stored);
}

/* Is `rest`, in units of `all` a step, what rounding leaves? Ties are left to the caller. */
static int rounding_of(kiln_lut_exact *exact, bool down)
{
    if (down) {
        return mpz_sgn(exact->rest) >= 0 && mpz_cmp(exact->rest, exact->all) < 0 ? 1 : -1;
    }
    mpz_mul_2exp(exact->scratch, exact->rest, 1);
    const int half = mpz_cmpabs(exact->scratch, exact->all);
    return half < 0 ? 1 : half == 0 ? 0 : -1;
}

/* Is a stored float what rounding gives? *error becomes its distance from P. */
static bool is_rounded_float(kiln_lut_exact *exact, uint32_t x, bool down, double value,
                             double *error)
{
    int exponent;
    const double mantissa = frexp(value, &exponent) * 0x1p24;
    const long shift = 24 - exponent; /* value = mantissa 2^-shift, mantissa in 2^23 .. 2^24 */
    if (value == 0.0 || value != (double)(float)value || shift < 0) {
        *error = fabs(quotient(exact->above[x - 1], exact->all) - value);
        return value == 0.0 && mpz_sgn(exact->above[x - 1]) == 0;
    }
    set_rest(exact, x, 1, shift, (unsigned long)mantissa);
    *error = ldexp(fabs(quotient(exact->rest, exact->all)), (int)-shift);
    const int verdict = rounding_of(exact, down);
    /* Below a power of two steps are half as long; of two numbers the even one is nearest. */
    const bool special = verdict == 0 || (!down && mantissa == 0x1p23);
    return special ? (double)kiln_lut_exact_float(exact, x, down) == value : verdict > 0;
}

/* The same for the 16-bit numbers of a compact table. */
static bool is_rounded_count(kiln_lut_exact *exact, uint32_t x, bool down, double unit,
                             double value, double *error)
{
    const unsigned long stored = (unsigned long)(value / unit + 0.5);
    set_rest(exact, x, down ? 65536 : 65535, 0, stored);
    *error = fabs(quotient(exact->rest, exact->all)) * unit;
    const int verdict = rounding_of(exact, down);
    const bool special = verdict == 0 || (down && stored == UINT16_MAX);
    return special ? kiln_lut_exact_count(exact, x, down) == stored : verdict > 0;
}

double kiln_lut_exact_distance(kiln_lut_exact *exact, uint32_t x, double value)
{
    /* Of the complements, which are the smaller ones where this is called. */
    mpz_sub(exact->rest, exact->all, exact->above[x - 1]);
    return fabs((1.0 - value) - quotient(exact->rest, exact->all));
}

bool kiln_lut_exact_is_near(kiln_lut_exact *exact, uint32_t x, double value, double bound)
{
    mpq_t p, stored, limit;
    mpq_inits(p, stored, limit, NULL);
    mpq_set_num(p, exact->above[x - 1]);
    mpq_set_den(p, exact->all);
    mpq_canonicalize(p);
    mpq_set_d(stored, value);
    mpq_set_d(limit, bound);
    mpq_sub(p, p, stored);
    mpq_abs(p, p);
    const bool near = mpq_cmp(p, limit) <= 0;
    mpq_clears(p, stored, limit, NULL);
    return near;
}

kiln_lut_verdict kiln_lut_exact_judge(kiln_lut_exact *exact, uint32_t x,
                                      const kiln_format_bins *header, double value, double *error)
{
    const bool down = header->rounding == KILN_BINS_DOWN;
    const bool rounded = header->profile == KILN_BINS_EXACT
                             ? is_rounded_float(exact, x, down, value, error)
                             : is_rounded_count(exact, x, down, header->unit, value, error);
    const bool far = *error > header->certificate_kept * (1.0 - 0x1p-40);
    if (far && !kiln_lut_exact_is_near(exact, x, value, header->certificate_kept)) {
        return KILN_LUT_OFF;
    }
    return rounded ? KILN_LUT_ROUNDED : KILN_LUT_WITHIN;
}
