/* kiln @VERSION@, the runtime in one file: add kiln.c and kiln.h to a program, link zlib (-lz) and, where
 * it is a library of its own, libm (-lm). Made by `make amalgamation` from the sources of kiln; see there
 * for licence, comments on design, and tests.
 *
 * C11 or C++17, any optimisation but -ffast-math. */
#define _POSIX_C_SOURCE 200809L
#if defined(__FAST_MATH__)
#error "kiln's answers are exact because floating-point arithmetic is IEEE 754: leave out -ffast-math"
#endif
/* A product and a sum are rounded each on its own, also where the processor could do both at once. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
