/* What the compiler has to keep to, and what it is asked for.
 *
 * Answers are exact only where floating-point arithmetic is IEEE 754 and each operation is rounded
 * on its own. Flags that take this away, as far as the compiler reports them, are refused here. */
#ifndef KILN_COMPILER_H
#define KILN_COMPILER_H

#include "../../formats/format.h"

#include <float.h>

/* -ffast-math and -Ofast; parts of them: -ffinite-math-only, and, where the compiler is gcc,
 * -fassociative-math, -freciprocal-math, -fno-signed-zeros. */
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) ||       \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error                                                                                             \
    "kiln's answers are exact because floating-point arithmetic is IEEE 754: leave out -ffast-math"
#endif

KILN_STATIC_ASSERT(FLT_RADIX == 2 && DBL_MANT_DIG == 53, "double is IEEE 754 binary64");
/* 16: types narrower than float are, too, evaluated as they are (ISO/IEC TS 18661-3). */
KILN_STATIC_ASSERT(FLT_EVAL_METHOD == 0 || FLT_EVAL_METHOD == 16,
                   "double arithmetic is rounded to double at every operation");

/* Marks a function that runs seldom: it is compiled to be small rather than fast, and its callers
 * take the branch that avoids it as the likely one. */
#define KILN_RARE __attribute__((cold))

/* Marks a function that has several callers and is larger than what a call of it costs. It begins a
 * cache line: else its loops lie as what stands before it has them, which made any hit of rays 5 %
 * slower after a change elsewhere. */
#define KILN_OUT_OF_LINE __attribute__((noinline, aligned(64)))

/* And one whose arguments are to stay in registers, however large it is. */
#define KILN_IN_LINE static inline __attribute__((always_inline))

/* Before a loop of a few rounds: it stays a loop. Written out, as compilers do where they know how
 * many rounds there are at most, it takes ten times the code and no less time. */
#if defined(__clang__)
#define KILN_SMALL_LOOP _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define KILN_SMALL_LOOP _Pragma("GCC unroll 1")
#endif

/* A number that the compiler knows nothing of, so that no vector is made of it and its neighbours.
 */
#define KILN_BY_ITSELF(number) __asm__ volatile("" : "+r"(number))

/* The same of a double in memory that was written a moment ago: a load that is wider than the write
 * has to wait until it has left the processor's store buffer. */
#if defined(__x86_64__)
#define KILN_LOAD_BY_ITSELF(number) __asm__("" : "+x"(number))
#else
#define KILN_LOAD_BY_ITSELF(number) ((void)0)
#endif

#endif
