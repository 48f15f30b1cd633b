/* kiln @VERSION@, the runtime in one file: add kiln.c and its headers (kiln.h,
 * kiln_adb.h, kiln_axes.h, kiln_continuous.h, kiln_front.h, kiln_scene.h and kiln_sweep.h) to a
 * program, link zlib (-lz) and, where it is a library of its own, libm (-lm).
 * Made by `make amalgamation` from the sources of kiln; see there for licence, comments on design,
 * and tests.
 *
 * C11 or C++17, any optimisation but those that loosen arithmetic, as -ffast-math and -Ofast do. */
#define _POSIX_C_SOURCE 200809L
/* A product and a sum are rounded each on its own, also where the processor could do both at once.
 */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#pragma clang fp reassociate(off)
#pragma clang diagnostic ignored "-Wunused-function"
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off")
#endif
#ifdef __cplusplus
#define KILN_C_BEGIN extern "C" {
#define KILN_C_END }
#else
#define KILN_C_BEGIN
#define KILN_C_END
#endif
