/* One vocabulary of vectors, so that a kernel is written once and compiled for each instruction
 * set.
 *
 * An includer names the set and its number of lanes, includes this file, then its kernels, then
 * simd_end.h, and may go on with another set in the same translation unit:
 *
 *     #define KILN_SIMD_SET avx2      scalar, sse42, avx2, neon or simd128
 *     #define KILN_SIMD_LANES 8       of these 1, 4, 8, 4 and 4
 *     #include "simd.h"
 *     #include "kernel_set.h"
 *     #include "simd_end.h"
 *
 * What is between the two is compiled for that set whatever the compiler's flags say, so it
 * must be reached only where the processor has it (kernel.c). WebAssembly has no choice at run
 * time: an engine without SIMD128 refuses a module that uses it, so -msimd128 decides. Of its
 * relaxed instructions, whose results differ between machines, none is used. Names of the
 * vocabulary, and those that kernels pass to KILN_SIMD_NAME, carry the set as a suffix.
 *
 * `vec` holds KILN_SIMD_LANES floats, `vec_int` as many 32-bit integers, `vec_mask` is a
 * vec_int of -1 (yes) and 0. A kernel for eight lanes runs 8 / KILN_SIMD_LANES times. The
 * operators + - * / are for vec, + - & | ^ ~ << >> for vec_int, in C's own notation, and one
 * side may be a plain number. vec_double holds KILN_SIMD_DOUBLES doubles: half as many as
 * floats, or one. Everything is element by element the IEEE operation, never contracted to a
 * fused one, so a kernel gives the same bits in every set; but for vec_fused, which is for what
 * no answer depends on, or where the plain way is taken wherever it could differ. */
#ifndef KILN_SIMD_NAME

#include "compiler.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#else
#include <math.h>
#endif

#define KILN_SIMD_NAME(name) KILN_SIMD_JOIN(name, KILN_SIMD_SET)
#define KILN_SIMD_JOIN(name, set) KILN_SIMD_PASTE(name, set)
#define KILN_SIMD_PASTE(name, set) name##_##set
#define KILN_SIMD_TEXT(set) KILN_SIMD_QUOTE(set)
#define KILN_SIMD_QUOTE(set) #set

#define vec KILN_SIMD_NAME(vec)
#define vec_int KILN_SIMD_NAME(vec_int)
#define vec_mask KILN_SIMD_NAME(vec_mask)
#define vec_of KILN_SIMD_NAME(vec_of)
#define vec_int_of KILN_SIMD_NAME(vec_int_of)
#define vec_load KILN_SIMD_NAME(vec_load)
#define vec_store KILN_SIMD_NAME(vec_store)
#define vec_load_two KILN_SIMD_NAME(vec_load_two)
#define vec_int_load KILN_SIMD_NAME(vec_int_load)
#define vec_int_store KILN_SIMD_NAME(vec_int_store)
#define vec_int_load_u8 KILN_SIMD_NAME(vec_int_load_u8)
#define vec_int_load_i8 KILN_SIMD_NAME(vec_int_load_i8)
#define vec_int_load_u16 KILN_SIMD_NAME(vec_int_load_u16)
#define vec_from_int KILN_SIMD_NAME(vec_from_int)
#define vec_to_int KILN_SIMD_NAME(vec_to_int)
#define vec_bits KILN_SIMD_NAME(vec_bits)
#define vec_of_bits KILN_SIMD_NAME(vec_of_bits)
#define vec_abs KILN_SIMD_NAME(vec_abs)
#define vec_min KILN_SIMD_NAME(vec_min)
#define vec_int_min KILN_SIMD_NAME(vec_int_min)
#define vec_int_max KILN_SIMD_NAME(vec_int_max)
#define vec_int_wrap KILN_SIMD_NAME(vec_int_wrap)
#define vec_int_equal KILN_SIMD_NAME(vec_int_equal)
#define vec_int_first KILN_SIMD_NAME(vec_int_first)
#define vec_int_least KILN_SIMD_NAME(vec_int_least)
#define vec_word KILN_SIMD_NAME(vec_word)
#define vec_max KILN_SIMD_NAME(vec_max)
#define vec_sqrt KILN_SIMD_NAME(vec_sqrt)
#define vec_fused KILN_SIMD_NAME(vec_fused)
#define vec_less KILN_SIMD_NAME(vec_less)
#define vec_greater KILN_SIMD_NAME(vec_greater)
#define vec_select KILN_SIMD_NAME(vec_select)
#define vec_lanes KILN_SIMD_NAME(vec_lanes)

/* The same for doubles, half as many. */
#define vec_double KILN_SIMD_NAME(vec_double)
#define vec_double_mask KILN_SIMD_NAME(vec_double_mask)
#define vec_double_of KILN_SIMD_NAME(vec_double_of)
#define vec_double_load KILN_SIMD_NAME(vec_double_load)
#define vec_double_store KILN_SIMD_NAME(vec_double_store)
#define vec_double_abs KILN_SIMD_NAME(vec_double_abs)
#define vec_double_min KILN_SIMD_NAME(vec_double_min)
#define vec_double_max KILN_SIMD_NAME(vec_double_max)
#define vec_double_equal KILN_SIMD_NAME(vec_double_equal)
#define vec_double_less KILN_SIMD_NAME(vec_double_less)
#define vec_double_greater KILN_SIMD_NAME(vec_double_greater)
#define vec_double_select KILN_SIMD_NAME(vec_double_select)
#define vec_double_gather KILN_SIMD_NAME(vec_double_gather)
#define vec_double_gather_three KILN_SIMD_NAME(vec_double_gather_three)
#define vec_double_load_floats KILN_SIMD_NAME(vec_double_load_floats)
#define vec_double_lanes KILN_SIMD_NAME(vec_double_lanes)
#define vec_double_sqrt KILN_SIMD_NAME(vec_double_sqrt)
#define vec_double_fused KILN_SIMD_NAME(vec_double_fused)
#define vec_double_fused_less KILN_SIMD_NAME(vec_double_fused_less)

/* Four floats, as often as a vec holds them: a value for each axis, and one more. */
#define vec_four KILN_SIMD_NAME(vec_four)
#define vec_four_load KILN_SIMD_NAME(vec_four_load)
#define vec_four_int KILN_SIMD_NAME(vec_four_int)
#define vec_four_three KILN_SIMD_NAME(vec_four_three)
#define vec_four_any KILN_SIMD_NAME(vec_four_any)
#define vec_four_fused KILN_SIMD_NAME(vec_four_fused)
#define vec_four_powers KILN_SIMD_NAME(vec_four_powers)
#define vec_four_spread KILN_SIMD_NAME(vec_four_spread)

#endif

/* ----------------------------------------------------------------------------- the target -- */

#if KILN_SIMD_LANES == 8
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#elif KILN_SIMD_LANES == 4 && defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("sse4.2,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("sse4.2,popcnt")
#endif
#endif

/* ------------------------------------------------------------------ types and what is common -- */

#if KILN_SIMD_LANES == 1
typedef float vec;
typedef int32_t vec_int;
typedef uint32_t vec_word;
#else
typedef float vec __attribute__((vector_size(4 * KILN_SIMD_LANES)));
typedef int32_t vec_int __attribute__((vector_size(4 * KILN_SIMD_LANES)));
typedef uint32_t vec_word __attribute__((vector_size(4 * KILN_SIMD_LANES)));
#endif
typedef vec_int vec_mask;

#if KILN_SIMD_LANES == 1
#define KILN_SIMD_DOUBLES 1
typedef double vec_double;
typedef int64_t vec_double_mask;
#else
#define KILN_SIMD_DOUBLES (KILN_SIMD_LANES / 2)
typedef double vec_double __attribute__((vector_size(4 * KILN_SIMD_LANES)));
typedef int64_t vec_double_mask __attribute__((vector_size(4 * KILN_SIMD_LANES)));
#endif

/* The numbers from `from` on, which need no alignment. */
static inline vec vec_load(const float *from)
{
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vec_store(float *to, vec v)
{
    memcpy(to, &v, sizeof v);
}

static inline vec_int vec_int_load(const int32_t *from)
{
    vec_int v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vec_int_store(int32_t *to, vec_int v)
{
    memcpy(to, &v, sizeof v);
}

/* a + b, modulo 2^32. */
static inline vec_int vec_int_wrap(vec_int a, vec_int b)
{
    return (vec_int)((vec_word)a + (vec_word)b);
}

/* The same bits as another type. */
static inline vec_int vec_bits(vec v)
{
    vec_int bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline vec vec_of_bits(vec_int bits)
{
    vec v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline vec vec_abs(vec v)
{
    return vec_of_bits(vec_bits(v) & 0x7FFFFFFF);
}

/* a b + c, rounded once where the set has that: not the same bits in every set. */
static inline vec vec_fused(vec a, vec b, vec c)
{
#if KILN_SIMD_LANES == 8
    return (vec)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* The same of doubles. */
static inline vec_double vec_double_fused(vec_double a, vec_double b, vec_double c)
{
#if KILN_SIMD_LANES == 8
    return (vec_double)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return a * b + c;
#endif
}

/* c - a b */
static inline vec_double vec_double_fused_less(vec_double a, vec_double b, vec_double c)
{
#if KILN_SIMD_LANES == 8
    return (vec_double)_mm256_fnmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return c - a * b;
#endif
}

/* The number in lane 0. */
static inline int32_t vec_int_first(vec_int v)
{
    int32_t first;
    memcpy(&first, &v, sizeof first);
    return first;
}

static inline vec_double vec_double_load(const double *from)
{
    vec_double v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void vec_double_store(double *to, vec_double v)
{
    memcpy(to, &v, sizeof v);
}

static inline vec_double vec_double_abs(vec_double v)
{
    vec_double_mask bits;
    memcpy(&bits, &v, sizeof bits);
    bits &= INT64_MAX;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ------------------------------------------------------------------------------- the sets -- */

#if KILN_SIMD_LANES == 1

/* One number in all lanes. */
static inline vec vec_of(float v)
{
    return v;
}

static inline vec_int vec_int_of(int32_t v)
{
    return v;
}

/* Two numbers (one, where a vec is one), then zeros. */
static inline vec vec_load_two(const float *from)
{
    return *from;
}

/* Integers of 8 or 16 bits, widened. */
static inline vec_int vec_int_load_u8(const uint8_t *from)
{
    return *from;
}

static inline vec_int vec_int_load_i8(const int8_t *from)
{
    return *from;
}

static inline vec_int vec_int_load_u16(const uint16_t *from)
{
    return *from;
}

/* Rounded to nearest, even on ties, under the rounding that fpu.h sets. */
static inline vec vec_from_int(vec_int v)
{
    return (float)v;
}

/* Towards zero. Only for numbers that an int32_t holds. */
static inline vec_int vec_to_int(vec v)
{
    return (int32_t)v;
}

static inline vec_mask vec_less(vec a, vec b)
{
    return -(int32_t)(a < b);
}

static inline vec_mask vec_greater(vec a, vec b)
{
    return -(int32_t)(a > b);
}

/* `b` where either is NaN and where both are zeros of any sign. */
static inline vec vec_min(vec a, vec b)
{
    return a < b ? a : b;
}

static inline vec vec_max(vec a, vec b)
{
    return a > b ? a : b;
}

static inline vec_int vec_int_min(vec_int a, vec_int b)
{
    return a < b ? a : b;
}

static inline vec_int vec_int_max(vec_int a, vec_int b)
{
    return a > b ? a : b;
}

/* -1 where the two are the same number, else 0. */
static inline vec_mask vec_int_equal(vec_int a, vec_int b)
{
    return -(int32_t)(a == b);
}

/* The least of the numbers of a vector, in all lanes. */
static inline vec_int vec_int_least(vec_int v)
{
    return v;
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return mask != 0 ? yes : no;
}

/* Bit i: lane i of the mask is -1. */
static inline uint32_t vec_lanes(vec_mask mask)
{
    return (uint32_t)mask & 1u;
}

static inline vec vec_sqrt(vec v)
{
#if defined(__x86_64__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(v)));
#else
    return __builtin_sqrtf(v);
#endif
}

static inline vec_double vec_double_of(double v)
{
    return v;
}

static inline vec_double vec_double_min(vec_double a, vec_double b)
{
    return a < b ? a : b;
}

static inline vec_double vec_double_max(vec_double a, vec_double b)
{
    return a > b ? a : b;
}

static inline vec_double_mask vec_double_equal(vec_double a, vec_double b)
{
    return -(int64_t)(a == b);
}

static inline vec_double_mask vec_double_less(vec_double a, vec_double b)
{
    return -(int64_t)(a < b);
}

static inline vec_double_mask vec_double_greater(vec_double a, vec_double b)
{
    return -(int64_t)(a > b);
}

static inline vec_double vec_double_select(vec_double_mask mask, vec_double yes, vec_double no)
{
    return mask != 0 ? yes : no;
}

/* Number k of each row. */
static inline vec_double vec_double_gather(const float *const *from, unsigned k)
{
    return (double)from[0][k];
}

static inline uint32_t vec_double_lanes(vec_double_mask mask)
{
    return (uint32_t)mask & 1u;
}

static inline vec_double vec_double_sqrt(vec_double v)
{
#if defined(__x86_64__)
    return _mm_cvtsd_f64(_mm_sqrt_pd(_mm_set_sd(v)));
#else
    return __builtin_sqrt(v);
#endif
}

#elif KILN_SIMD_LANES == 8

static inline vec vec_of(float v)
{
    return (vec)_mm256_set1_ps(v);
}

static inline vec_int vec_int_of(int32_t v)
{
    return (vec_int)_mm256_set1_epi32(v);
}

static inline vec vec_load_two(const float *from)
{
    const __m128i two = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return (vec)_mm256_zextsi128_si256(two);
}

static inline vec_int vec_int_load_u8(const uint8_t *from)
{
    return (vec_int)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static inline vec_int vec_int_load_i8(const int8_t *from)
{
    return (vec_int)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static inline vec_int vec_int_load_u16(const uint16_t *from)
{
    return (vec_int)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from));
}

static inline vec vec_from_int(vec_int v)
{
    return (vec)_mm256_cvtepi32_ps((__m256i)v);
}

static inline vec_int vec_to_int(vec v)
{
    return (vec_int)_mm256_cvttps_epi32((__m256)v);
}

static inline vec_mask vec_less(vec a, vec b)
{
    return (vec_mask)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_LT_OQ);
}

static inline vec_mask vec_greater(vec a, vec b)
{
    return (vec_mask)_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_GT_OQ);
}

static inline vec vec_min(vec a, vec b)
{
    return (vec)_mm256_min_ps((__m256)a, (__m256)b);
}

static inline vec vec_max(vec a, vec b)
{
    return (vec)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline vec_int vec_int_min(vec_int a, vec_int b)
{
    return (vec_int)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

static inline vec_int vec_int_max(vec_int a, vec_int b)
{
    return (vec_int)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

static inline vec_mask vec_int_equal(vec_int a, vec_int b)
{
    return (vec_mask)_mm256_cmpeq_epi32((__m256i)a, (__m256i)b);
}

static inline vec_int vec_int_least(vec_int v)
{
    const __m256i half =
        _mm256_min_epi32((__m256i)v, _mm256_permute2x128_si256((__m256i)v, (__m256i)v, 1));
    const __m256i two = _mm256_min_epi32(half, _mm256_shuffle_epi32(half, 0x4E));
    return (vec_int)_mm256_min_epi32(two, _mm256_shuffle_epi32(two, 0xB1));
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return (vec)_mm256_blendv_ps((__m256)no, (__m256)yes, (__m256)mask);
}

static inline uint32_t vec_lanes(vec_mask mask)
{
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
}

static inline vec vec_sqrt(vec v)
{
    return (vec)_mm256_sqrt_ps((__m256)v);
}

static inline vec_double vec_double_of(double v)
{
    return (vec_double)_mm256_set1_pd(v);
}

static inline vec_double vec_double_min(vec_double a, vec_double b)
{
    return (vec_double)_mm256_min_pd((__m256d)a, (__m256d)b);
}

static inline vec_double vec_double_max(vec_double a, vec_double b)
{
    return (vec_double)_mm256_max_pd((__m256d)a, (__m256d)b);
}

static inline vec_double_mask vec_double_equal(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_EQ_OQ);
}

static inline vec_double_mask vec_double_less(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_LT_OQ);
}

static inline vec_double_mask vec_double_greater(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_GT_OQ);
}

static inline vec_double vec_double_select(vec_double_mask mask, vec_double yes, vec_double no)
{
    return (vec_double)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
}

static inline vec_double vec_double_gather(const float *const *from, unsigned k)
{
    return (vec_double)_mm256_cvtps_pd(_mm_setr_ps(from[0][k], from[1][k], from[2][k], from[3][k]));
}

static inline uint32_t vec_double_lanes(vec_double_mask mask)
{
    return (uint32_t)_mm256_movemask_pd((__m256d)mask);
}

static inline vec_double vec_double_sqrt(vec_double v)
{
    return (vec_double)_mm256_sqrt_pd((__m256d)v);
}

#elif defined(__x86_64__)

static inline vec vec_of(float v)
{
    return (vec)_mm_set1_ps(v);
}

static inline vec_int vec_int_of(int32_t v)
{
    return (vec_int)_mm_set1_epi32(v);
}

static inline vec vec_load_two(const float *from)
{
    return (vec)_mm_loadl_epi64((const __m128i *)(const void *)from);
}

static inline vec_int vec_int_load_u8(const uint8_t *from)
{
    int32_t four;
    memcpy(&four, from, sizeof four);
    return (vec_int)_mm_cvtepu8_epi32(_mm_cvtsi32_si128(four));
}

static inline vec_int vec_int_load_i8(const int8_t *from)
{
    int32_t four;
    memcpy(&four, from, sizeof four);
    return (vec_int)_mm_cvtepi8_epi32(_mm_cvtsi32_si128(four));
}

static inline vec_int vec_int_load_u16(const uint16_t *from)
{
    return (vec_int)_mm_cvtepu16_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

static inline vec vec_from_int(vec_int v)
{
    return (vec)_mm_cvtepi32_ps((__m128i)v);
}

static inline vec_int vec_to_int(vec v)
{
    return (vec_int)_mm_cvttps_epi32((__m128)v);
}

static inline vec_mask vec_less(vec a, vec b)
{
    return (vec_mask)_mm_cmplt_ps((__m128)a, (__m128)b);
}

static inline vec_mask vec_greater(vec a, vec b)
{
    return (vec_mask)_mm_cmpgt_ps((__m128)a, (__m128)b);
}

static inline vec vec_min(vec a, vec b)
{
    return (vec)_mm_min_ps((__m128)a, (__m128)b);
}

static inline vec vec_max(vec a, vec b)
{
    return (vec)_mm_max_ps((__m128)a, (__m128)b);
}

static inline vec_int vec_int_min(vec_int a, vec_int b)
{
    return (vec_int)_mm_min_epi32((__m128i)a, (__m128i)b);
}

static inline vec_int vec_int_max(vec_int a, vec_int b)
{
    return (vec_int)_mm_max_epi32((__m128i)a, (__m128i)b);
}

static inline vec_mask vec_int_equal(vec_int a, vec_int b)
{
    return (vec_mask)_mm_cmpeq_epi32((__m128i)a, (__m128i)b);
}

static inline vec_int vec_int_least(vec_int v)
{
    const __m128i two = _mm_min_epi32((__m128i)v, _mm_shuffle_epi32((__m128i)v, 0x4E));
    return (vec_int)_mm_min_epi32(two, _mm_shuffle_epi32(two, 0xB1));
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return (vec)_mm_blendv_ps((__m128)no, (__m128)yes, (__m128)mask);
}

static inline uint32_t vec_lanes(vec_mask mask)
{
    return (uint32_t)_mm_movemask_ps((__m128)mask);
}

static inline vec vec_sqrt(vec v)
{
    return (vec)_mm_sqrt_ps((__m128)v);
}

static inline vec_double vec_double_of(double v)
{
    return (vec_double)_mm_set1_pd(v);
}

static inline vec_double vec_double_min(vec_double a, vec_double b)
{
    return (vec_double)_mm_min_pd((__m128d)a, (__m128d)b);
}

static inline vec_double vec_double_max(vec_double a, vec_double b)
{
    return (vec_double)_mm_max_pd((__m128d)a, (__m128d)b);
}

static inline vec_double_mask vec_double_equal(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm_cmpeq_pd((__m128d)a, (__m128d)b);
}

static inline vec_double_mask vec_double_less(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm_cmplt_pd((__m128d)a, (__m128d)b);
}

static inline vec_double_mask vec_double_greater(vec_double a, vec_double b)
{
    return (vec_double_mask)_mm_cmpgt_pd((__m128d)a, (__m128d)b);
}

static inline vec_double vec_double_select(vec_double_mask mask, vec_double yes, vec_double no)
{
    return (vec_double)_mm_blendv_pd((__m128d)no, (__m128d)yes, (__m128d)mask);
}

static inline vec_double vec_double_gather(const float *const *from, unsigned k)
{
    return (vec_double)_mm_cvtps_pd(_mm_setr_ps(from[0][k], from[1][k], 0.0f, 0.0f));
}

static inline uint32_t vec_double_lanes(vec_double_mask mask)
{
    return (uint32_t)_mm_movemask_pd((__m128d)mask);
}

static inline vec_double vec_double_sqrt(vec_double v)
{
    return (vec_double)_mm_sqrt_pd((__m128d)v);
}

#elif defined(__wasm_simd128__)

static inline vec vec_of(float v)
{
    return (vec)wasm_f32x4_splat(v);
}

static inline vec_int vec_int_of(int32_t v)
{
    return (vec_int)wasm_i32x4_splat(v);
}

static inline vec vec_load_two(const float *from)
{
    return (vec)wasm_v128_load64_zero(from);
}

static inline vec_int vec_int_load_u8(const uint8_t *from)
{
    const v128_t wide = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from));
    return (vec_int)wasm_u32x4_extend_low_u16x8(wide);
}

static inline vec_int vec_int_load_i8(const int8_t *from)
{
    const v128_t wide = wasm_i16x8_extend_low_i8x16(wasm_v128_load32_zero(from));
    return (vec_int)wasm_i32x4_extend_low_i16x8(wide);
}

static inline vec_int vec_int_load_u16(const uint16_t *from)
{
    return (vec_int)wasm_u32x4_load16x4(from);
}

static inline vec vec_from_int(vec_int v)
{
    return (vec)wasm_f32x4_convert_i32x4((v128_t)v);
}

static inline vec_int vec_to_int(vec v)
{
    return (vec_int)wasm_i32x4_trunc_sat_f32x4((v128_t)v);
}

static inline vec_mask vec_less(vec a, vec b)
{
    return (vec_mask)wasm_f32x4_lt((v128_t)a, (v128_t)b);
}

static inline vec_mask vec_greater(vec a, vec b)
{
    return (vec_mask)wasm_f32x4_gt((v128_t)a, (v128_t)b);
}

/* pmin(x, y) is y < x ? y : x, and pmax x < y ? y : x: the operands change places. f32x4.min gives
 * NaN where either is, and -0 before 0. */
static inline vec vec_min(vec a, vec b)
{
    return (vec)wasm_f32x4_pmin((v128_t)b, (v128_t)a);
}

static inline vec vec_max(vec a, vec b)
{
    return (vec)wasm_f32x4_pmax((v128_t)b, (v128_t)a);
}

static inline vec_int vec_int_min(vec_int a, vec_int b)
{
    return (vec_int)wasm_i32x4_min((v128_t)a, (v128_t)b);
}

static inline vec_int vec_int_max(vec_int a, vec_int b)
{
    return (vec_int)wasm_i32x4_max((v128_t)a, (v128_t)b);
}

static inline vec_mask vec_int_equal(vec_int a, vec_int b)
{
    return (vec_mask)wasm_i32x4_eq((v128_t)a, (v128_t)b);
}

static inline vec_int vec_int_least(vec_int v)
{
    const v128_t at = (v128_t)v, two = wasm_i32x4_min(at, wasm_i32x4_shuffle(at, at, 2, 3, 0, 1));
    return (vec_int)wasm_i32x4_min(two, wasm_i32x4_shuffle(two, two, 1, 0, 3, 2));
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return (vec)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
}

static inline uint32_t vec_lanes(vec_mask mask)
{
    return (uint32_t)wasm_i32x4_bitmask((v128_t)mask);
}

static inline vec vec_sqrt(vec v)
{
    return (vec)wasm_f32x4_sqrt((v128_t)v);
}

static inline vec_double vec_double_of(double v)
{
    return (vec_double)wasm_f64x2_splat(v);
}

static inline vec_double vec_double_min(vec_double a, vec_double b)
{
    return (vec_double)wasm_f64x2_pmin((v128_t)b, (v128_t)a);
}

static inline vec_double vec_double_max(vec_double a, vec_double b)
{
    return (vec_double)wasm_f64x2_pmax((v128_t)b, (v128_t)a);
}

static inline vec_double_mask vec_double_equal(vec_double a, vec_double b)
{
    return (vec_double_mask)wasm_f64x2_eq((v128_t)a, (v128_t)b);
}

static inline vec_double_mask vec_double_less(vec_double a, vec_double b)
{
    return (vec_double_mask)wasm_f64x2_lt((v128_t)a, (v128_t)b);
}

static inline vec_double_mask vec_double_greater(vec_double a, vec_double b)
{
    return (vec_double_mask)wasm_f64x2_gt((v128_t)a, (v128_t)b);
}

static inline vec_double vec_double_select(vec_double_mask mask, vec_double yes, vec_double no)
{
    return (vec_double)wasm_v128_bitselect((v128_t)yes, (v128_t)no, (v128_t)mask);
}

static inline vec_double vec_double_gather(const float *const *from, unsigned k)
{
    return (vec_double){(double)from[0][k], (double)from[1][k]};
}

static inline uint32_t vec_double_lanes(vec_double_mask mask)
{
    return (uint32_t)wasm_i64x2_bitmask((v128_t)mask);
}

static inline vec_double vec_double_sqrt(vec_double v)
{
    return (vec_double)wasm_f64x2_sqrt((v128_t)v);
}

#else /* aarch64 */

static inline vec vec_of(float v)
{
    return (vec)vdupq_n_f32(v);
}

static inline vec_int vec_int_of(int32_t v)
{
    return (vec_int)vdupq_n_s32(v);
}

static inline vec vec_load_two(const float *from)
{
    return (vec)vcombine_f32(vld1_f32(from), vdup_n_f32(0.0f));
}

static inline vec_int vec_int_load_u8(const uint8_t *from)
{
    uint32_t four;
    memcpy(&four, from, sizeof four);
    const uint16x8_t wide = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)));
    return (vec_int)vmovl_u16(vget_low_u16(wide));
}

static inline vec_int vec_int_load_i8(const int8_t *from)
{
    uint32_t four;
    memcpy(&four, from, sizeof four);
    const int16x8_t wide = vmovl_s8(vreinterpret_s8_u32(vdup_n_u32(four)));
    return (vec_int)vmovl_s16(vget_low_s16(wide));
}

static inline vec_int vec_int_load_u16(const uint16_t *from)
{
    return (vec_int)vmovl_u16(vld1_u16(from));
}

static inline vec vec_from_int(vec_int v)
{
    return (vec)vcvtq_f32_s32((int32x4_t)v);
}

static inline vec_int vec_to_int(vec v)
{
    return (vec_int)vcvtq_s32_f32((float32x4_t)v);
}

static inline vec_mask vec_less(vec a, vec b)
{
    return (vec_mask)vcltq_f32((float32x4_t)a, (float32x4_t)b);
}

static inline vec_mask vec_greater(vec a, vec b)
{
    return (vec_mask)vcgtq_f32((float32x4_t)a, (float32x4_t)b);
}

static inline vec_mask vec_int_equal(vec_int a, vec_int b)
{
    return (vec_mask)vceqq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline vec_int vec_int_least(vec_int v)
{
    return (vec_int)vdupq_n_s32(vminvq_s32((int32x4_t)v));
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return (vec)vbslq_f32((uint32x4_t)mask, (float32x4_t)yes, (float32x4_t)no);
}

/* Not vminq: that gives NaN where either is, and -0 before 0. */
static inline vec vec_min(vec a, vec b)
{
    return vec_select(vec_less(a, b), a, b);
}

static inline vec vec_max(vec a, vec b)
{
    return vec_select(vec_greater(a, b), a, b);
}

static inline vec_int vec_int_min(vec_int a, vec_int b)
{
    return (vec_int)vminq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline vec_int vec_int_max(vec_int a, vec_int b)
{
    return (vec_int)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline uint32_t vec_lanes(vec_mask mask)
{
    const vec_int bit = {1, 2, 4, 8};
    return (uint32_t)vaddvq_s32((int32x4_t)(mask & bit));
}

static inline vec vec_sqrt(vec v)
{
    return (vec)vsqrtq_f32((float32x4_t)v);
}

static inline vec_double vec_double_of(double v)
{
    return (vec_double)vdupq_n_f64(v);
}

static inline vec_double vec_double_min(vec_double a, vec_double b)
{
    return (vec_double)vbslq_f64(vcltq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)a,
                                 (float64x2_t)b);
}

static inline vec_double vec_double_max(vec_double a, vec_double b)
{
    return (vec_double)vbslq_f64(vcgtq_f64((float64x2_t)a, (float64x2_t)b), (float64x2_t)a,
                                 (float64x2_t)b);
}

static inline vec_double_mask vec_double_equal(vec_double a, vec_double b)
{
    return (vec_double_mask)vceqq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline vec_double_mask vec_double_less(vec_double a, vec_double b)
{
    return (vec_double_mask)vcltq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline vec_double_mask vec_double_greater(vec_double a, vec_double b)
{
    return (vec_double_mask)vcgtq_f64((float64x2_t)a, (float64x2_t)b);
}

static inline vec_double vec_double_select(vec_double_mask mask, vec_double yes, vec_double no)
{
    return (vec_double)vbslq_f64((uint64x2_t)mask, (float64x2_t)yes, (float64x2_t)no);
}

static inline vec_double vec_double_gather(const float *const *from, unsigned k)
{
    return (vec_double){(double)from[0][k], (double)from[1][k]};
}

static inline uint32_t vec_double_lanes(vec_double_mask mask)
{
    const vec_double_mask bit = {1, 2};
    return (uint32_t)vaddvq_s64((int64x2_t)(mask & bit));
}

static inline vec_double vec_double_sqrt(vec_double v)
{
    return (vec_double)vsqrtq_f64((float64x2_t)v);
}

#endif

/* The first three numbers of each row, by number. Nothing behind them is read. */
static inline void vec_double_gather_three(const float *const *from, vec_double out[3])
{
#if KILN_SIMD_LANES == 8
    const __m128i three = _mm_setr_epi32(-1, -1, -1, 0);
    const __m128 a = _mm_maskload_ps(from[0], three), b = _mm_maskload_ps(from[1], three);
    const __m128 c = _mm_maskload_ps(from[2], three), d = _mm_maskload_ps(from[3], three);
    const __m128 ab = _mm_unpacklo_ps(a, b), cd = _mm_unpacklo_ps(c, d);
    const __m128 z = _mm_movelh_ps(_mm_unpackhi_ps(a, b), _mm_unpackhi_ps(c, d));
    out[0] = (vec_double)_mm256_cvtps_pd(_mm_movelh_ps(ab, cd));
    out[1] = (vec_double)_mm256_cvtps_pd(_mm_movehl_ps(cd, ab));
    out[2] = (vec_double)_mm256_cvtps_pd(z);
#else
    for (unsigned k = 0; k < 3; k++) {
        out[k] = vec_double_gather(from, k);
    }
#endif
}

/* As many floats in a row, which need no alignment, as doubles. */
static inline vec_double vec_double_load_floats(const float *from)
{
#if KILN_SIMD_LANES == 8
    return (vec_double)_mm256_cvtps_pd(_mm_loadu_ps(from));
#elif KILN_SIMD_LANES == 1
    return (double)*from;
#else
    return (vec_double){(double)from[0], (double)from[1]};
#endif
}

#if KILN_SIMD_LANES > 1
typedef vec vec_four;
typedef vec_int vec_four_int;
#else
typedef float vec_four __attribute__((vector_size(16)));
typedef int32_t vec_four_int __attribute__((vector_size(16)));
#endif

static inline vec_four vec_four_load(const void *from)
{
#if KILN_SIMD_LANES == 8
    return (vec)_mm256_broadcast_ps((const __m128 *)from);
#else
    vec_four v;
    memcpy(&v, from, sizeof v);
    return v;
#endif
}

/* The bits of the first three, and zeros. */
static inline vec_four_int vec_four_three(vec_four v)
{
#if KILN_SIMD_LANES == 8
    const vec_four_int three = {-1, -1, -1, 0, -1, -1, -1, 0};
#else
    const vec_four_int three = {-1, -1, -1, 0};
#endif
    return (vec_four_int)v & three;
}

/* Is any bit of `of` set in any of them? */
static inline bool vec_four_any(vec_four_int v, int32_t of)
{
#if KILN_SIMD_LANES == 8
    return _mm256_testz_si256((__m256i)v, _mm256_set1_epi32(of)) == 0;
#elif KILN_SIMD_LANES == 4 && defined(__x86_64__)
    return _mm_testz_si128((__m128i)v, _mm_set1_epi32(of)) == 0;
#else
    return ((v[0] | v[1] | v[2] | v[3]) & of) != 0;
#endif
}

/* a b + c, as vec_fused. */
static inline vec_four vec_four_fused(vec_four a, vec_four b, vec_four c)
{
#if KILN_SIMD_LANES == 8
    return vec_fused(a, b, c);
#else
    return a * b + c;
#endif
}

/* 2^(e - 127) of the first three of four bytes, each 1 .. 254; then 0. */
static inline vec_four vec_four_powers(const void *exponents)
{
#if KILN_SIMD_LANES == 8
    const __m256i to_top =
        _mm256_setr_epi8(-1, -1, -1, 0, -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, -1, -1, -1, -1, 0,
                         -1, -1, -1, 1, -1, -1, -1, 2, -1, -1, -1, -1);
    int32_t bytes;
    memcpy(&bytes, exponents, sizeof bytes);
    return (vec)_mm256_srli_epi32(_mm256_shuffle_epi8(_mm256_set1_epi32(bytes), to_top), 1);
#elif KILN_SIMD_LANES == 4
    int32_t bytes;
    memcpy(&bytes, exponents, sizeof bytes);
    bytes &= 0xFFFFFF;
    return vec_of_bits(vec_int_load_u8((const uint8_t *)&bytes) << 23);
#else
    const uint8_t *e = (const uint8_t *)exponents;
    return (vec_four)((vec_four_int){e[0], e[1], e[2], 0} << 23);
#endif
}

/* Number k of the four, which is known when this is compiled, in all lanes. */
static inline vec vec_four_spread(vec_four v, unsigned k)
{
#if KILN_SIMD_LANES == 8
    return k == 0   ? (vec)_mm256_permute_ps((__m256)v, 0x00)
           : k == 1 ? (vec)_mm256_permute_ps((__m256)v, 0x55)
                    : (vec)_mm256_permute_ps((__m256)v, 0xAA);
#else
    return vec_of(v[k]);
#endif
}
