/* Four numbers at once, in vector registers where the machine has them, element by element the same
 * operations everywhere: + - * /, comparisons and conversions. So logarithms and exponentials here
 * have the same bits on every machine, which libm does not promise. Their errors are some 1e-6 of
 * 1. */
#ifndef KILN_ADB_FOUR_H
#define KILN_ADB_FOUR_H

#include <stdint.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#define KILN_LN2 0.69314718f
#define KILN_LOG2_E 1.44269504f

typedef float kiln_four __attribute__((vector_size(16)));
typedef int32_t kiln_four_bits __attribute__((vector_size(16)));

static inline kiln_four kiln_four_of(float v)
{
    return (kiln_four){v, v, v, v};
}

static inline kiln_four kiln_four_magnitude(kiln_four v)
{
    return (kiln_four)((kiln_four_bits)v & 0x7FFFFFFF);
}

static inline kiln_four kiln_four_choose(kiln_four_bits mask, kiln_four yes, kiln_four no)
{
    return (kiln_four)(((kiln_four_bits)yes & mask) | ((kiln_four_bits)no & ~mask));
}

/* The second one where either is NaN. */
static inline kiln_four kiln_four_least(kiln_four a, kiln_four b)
{
#if defined(__SSE__)
    return (kiln_four)_mm_min_ps((__m128)a, (__m128)b);
#else
    return kiln_four_choose(a < b, a, b);
#endif
}

static inline kiln_four kiln_four_most(kiln_four a, kiln_four b)
{
#if defined(__SSE__)
    return (kiln_four)_mm_max_ps((__m128)a, (__m128)b);
#else
    return kiln_four_choose(a > b, a, b);
#endif
}

/* log2(x), x > 0 and normal: exponent, and the series of atanh on [1/sqrt(2), sqrt(2)]. */
static inline kiln_four kiln_four_log2(kiln_four x)
{
    const kiln_four_bits bits = (kiln_four_bits)x;
    const kiln_four_bits exponent = (bits - 0x3F3504F3) >> 23; /* sqrt(1/2) */
    const kiln_four m = (kiln_four)(bits - (exponent << 23));
    const kiln_four t = (m - 1.0f) / (m + 1.0f), s = t * t;
    const kiln_four series = 1.0f + s * (0.33333333f + s * (0.2f + s * 0.14285714f));
    return __builtin_convertvector(exponent, kiln_four) + 2.0f * KILN_LOG2_E * t * series;
}

/* 2^x for -120 <= x <= 120: the series of exp about the nearest whole number. */
static inline kiln_four kiln_four_exp2(kiln_four x)
{
    const kiln_four_bits whole =
        __builtin_convertvector(x + 127.5f, kiln_four_bits) - 127; /* positive: cut is floor */
    const kiln_four f = (x - __builtin_convertvector(whole, kiln_four)) * KILN_LN2;
    const kiln_four high = 0.041666667f + f * (0.0083333333f + f * 0.0013888889f);
    const kiln_four series = 1.0f + f * (1.0f + f * (0.5f + f * (0.16666667f + f * high)));
    return series * (kiln_four)((whole + 127) << 23);
}

/* l = -ln(1 - p) of log-odds z: ln(1 + e^z), never 0. */
static inline kiln_four kiln_four_loss_of_odds(kiln_four z)
{
    const kiln_four low = kiln_four_most(z, kiln_four_of(-60.0f));
    const kiln_four e = kiln_four_exp2(kiln_four_least(low, kiln_four_of(16.0f)) * KILN_LOG2_E);
    const kiln_four small = e * (1.0f - e * (0.5f - e * (0.33333333f - e * 0.25f)));
    const kiln_four middle = KILN_LN2 * kiln_four_log2(1.0f + e);
    return kiln_four_choose(z > 16.0f, z, kiln_four_choose(e < 0.0625f, small, middle));
}

/* p = 1 - e^-l of l >= 0. */
static inline float kiln_probability_of_loss(float l)
{
    if (l < 0.0625f) {
        return l * (1.0f - l * (0.5f - l * (0.16666667f - l * 0.041666667f)));
    }
    return l < 60.0f ? 1.0f - kiln_four_exp2(kiln_four_of(-l * KILN_LOG2_E))[0] : 1.0f;
}

#endif
