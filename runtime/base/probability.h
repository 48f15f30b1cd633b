/* Probabilities p and losses l = -ln(1 - p) of single pairs and answers, with the same bits on
 * every machine (vec_log.h). */
#ifndef KILN_PROBABILITY_H
#define KILN_PROBABILITY_H

/* A name of its own: the kernels of the set "scalar" may be in the same translation unit. */
#define KILN_SIMD_SET single
#define KILN_SIMD_LANES 1
#include "simd.h"
#include "vec_log.h"

/* log2(x), x > 0 and normal. */
static inline float kiln_log2(float x)
{
    return vec_log2(x);
}

/* 2^x for -120 <= x <= 120. */
static inline float kiln_exp2(float x)
{
    return vec_exp2(x);
}

/* l of log-odds. */
static inline float kiln_loss_of_odds(float z)
{
    return vec_loss_of_odds(z);
}

#include "simd_end.h"

/* p = 1 - e^-l of l >= 0. */
static inline float kiln_probability_of_loss(float l)
{
    if (l < 0.0625f) {
        return l * (1.0f - l * (0.5f - l * (0.16666667f - l * 0.041666667f)));
    }
    return l < 60.0f ? 1.0f - kiln_exp2(-l * KILN_LOG2_E) : 1.0f;
}

#endif
