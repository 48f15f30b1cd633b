/* Logarithms and exponentials in the vocabulary of simd.h, out of operations that have the same
 * bits in every set, which libm does not promise. Their errors are some 1e-6 of 1. */

#define vec_log2 KILN_SIMD_NAME(vec_log2)
#define vec_exp2 KILN_SIMD_NAME(vec_exp2)
#define vec_loss_of_odds KILN_SIMD_NAME(vec_loss_of_odds)

#ifndef KILN_LN2
#define KILN_LN2 0.69314718f
#define KILN_LOG2_E 1.44269504f
#endif

/* log2(x), x > 0 and normal: exponent, and the series of atanh on [1/sqrt(2), sqrt(2)]. */
static inline vec vec_log2(vec x)
{
    const vec_int over = vec_bits(x) - 0x3F3504F3; /* sqrt(1/2) */
    const vec m = vec_of_bits(vec_bits(x) - (over & ~0x7FFFFF));
    const vec t = (m - 1.0f) / (m + 1.0f), s = t * t;
    const vec series = 1.0f + s * (0.33333333f + s * (0.2f + s * 0.14285714f));
    return vec_from_int(over >> 23) + 2.0f * KILN_LOG2_E * t * series;
}

/* 2^x for -120 <= x <= 120: the series of exp about the nearest whole number. */
static inline vec vec_exp2(vec x)
{
    const vec_int biased = vec_to_int(x + 127.5f); /* positive: cut is floor */
    const vec f = (x - vec_from_int(biased - 127)) * KILN_LN2;
    const vec high = 0.041666667f + f * (0.0083333333f + f * 0.0013888889f);
    const vec series = 1.0f + f * (1.0f + f * (0.5f + f * (0.16666667f + f * high)));
    return series * vec_of_bits(biased << 23);
}

/* l = -ln(1 - p) of log-odds z: ln(1 + e^z), never 0. */
static inline vec vec_loss_of_odds(vec z)
{
    const vec kept = vec_min(vec_max(z, vec_of(-60.0f)), vec_of(16.0f));
    const vec e = vec_exp2(kept * KILN_LOG2_E);
    const vec small = e * (1.0f - e * (0.5f - e * (0.33333333f - e * 0.25f)));
    const vec middle = KILN_LN2 * vec_log2(1.0f + e);
    const vec low = vec_select(vec_less(e, vec_of(0.0625f)), small, middle);
    return vec_select(vec_greater(z, vec_of(16.0f)), z, low);
}
