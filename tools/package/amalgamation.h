/* kiln @VERSION@, the runtime in one file: add kiln.c and the headers that are beside it to a
 * program, link zlib (-lz) and, where it is a library of its own, libm (-lm). With -DKILN_NO_ZLIB
 * zlib is not needed: raw files are opened, packed ones refused (kiln unpack makes them raw). Made
 * by `make amalgamation` from the sources of kiln; see there for licence, comments on design, and
 * tests.
 *
 * C11, C++17 or C++20, any optimisation but those that loosen arithmetic, as -ffast-math and -Ofast
 * do. */
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
/* What is C's own way and a C++ compiler warns of: members that are left out of braces, and numbers
 * that are enumerated. */
#ifdef __cplusplus
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wmissing-field-initializers"
#if __cplusplus > 201703L
#pragma clang diagnostic ignored "-Wdeprecated-enum-float-conversion"
#pragma clang diagnostic ignored "-Wdeprecated-anon-enum-enum-conversion"
#endif
#elif defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wextra"
#if __cplusplus > 201703L
#pragma GCC diagnostic ignored "-Wdeprecated-enum-float-conversion"
#pragma GCC diagnostic ignored "-Wdeprecated-enum-enum-conversion"
#endif
#endif
#endif
#ifdef __cplusplus
#define KILN_C_BEGIN extern "C" {
#define KILN_C_END }
#else
#define KILN_C_BEGIN
#define KILN_C_END
#endif
