/* Ends what simd.h began. */
#if KILN_SIMD_LANES == 8 || (KILN_SIMD_LANES == 4 && defined(__x86_64__))
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
#undef KILN_SIMD_SET
#undef KILN_SIMD_LANES
#undef KILN_SIMD_DOUBLES
