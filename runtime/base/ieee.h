/* What floating-point arithmetic has to be for answers to be exact: IEEE 754, each operation rounded on
 * its own. What flags of the compiler take away and tell of is refused here. */
#ifndef KILN_IEEE_H
#define KILN_IEEE_H

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

#endif
