/* Extents along three axes by AVX2: four points at once. The same products and sums in the same order
 * as in cloud.c, and minima that prefer the same of equals, so every bit is the same, -0 among
 * them. */
#include "extents_x86.h"

#if KILN_HAVE_EXTENTS_X86

#include <immintrin.h>
#include <math.h>

bool kiln_extents_x86_possible(void)
{
    return __builtin_cpu_supports("avx2");
}

__attribute__((target("avx2"))) static inline double least_of(__m256d four)
{
    const __m256d pairs = _mm256_min_pd(four, _mm256_permute_pd(four, 5));
    return _mm_cvtsd_f64(
        _mm_min_sd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)));
}

__attribute__((target("avx2"))) static inline double greatest_of(__m256d four)
{
    const __m256d pairs = _mm256_max_pd(four, _mm256_permute_pd(four, 5));
    return _mm_cvtsd_f64(
        _mm_max_sd(_mm256_castpd256_pd128(pairs), _mm256_extractf128_pd(pairs, 1)));
}

__attribute__((target("avx2"))) void kiln_extents_x86(const kiln_points *points, float axis[3][3],
                                                      kiln_extents *out)
{
    __m256d low[3], high[3], a[3][3];
    for (unsigned k = 0; k < 3; k++) {
        low[k] = _mm256_set1_pd(INFINITY);
        high[k] = _mm256_set1_pd(-INFINITY);
        for (unsigned j = 0; j < 3; j++) {
            a[k][j] = _mm256_set1_pd((double)axis[k][j]);
        }
    }
    for (unsigned i = 0; i < points->count; i += KILN_POINTS_STRIDE) {
        const __m256d x = _mm256_loadu_pd(points->at[0] + i);
        const __m256d y = _mm256_loadu_pd(points->at[1] + i);
        const __m256d z = _mm256_loadu_pd(points->at[2] + i);
        for (unsigned k = 0; k < 3; k++) {
            const __m256d d =
                _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a[k][0], x), _mm256_mul_pd(a[k][1], y)),
                              _mm256_mul_pd(a[k][2], z));
            low[k] = _mm256_min_pd(d, low[k]);
            high[k] = _mm256_max_pd(d, high[k]);
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        out->lower[k] = least_of(low[k]);
        out->upper[k] = greatest_of(high[k]);
    }
}

#endif
