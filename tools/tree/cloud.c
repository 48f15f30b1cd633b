/* The corners of a tree's triangles in tree order, and their extents in any frame.
 *
 * Corners are brought to node space a few at a time, as a structure of arrays, and the least and
 * greatest products with an axis are taken of four at once, by what the compiler makes of plain
 * loops or by AVX2. This is the builder's innermost loop. Minima do not depend on the order, and
 * products and sums are the same in both versions, so which of them runs does not show in the
 * bytes. */
#include "cloud.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { BLOCK = KILN_POINTS_MAX / 3, STRIDE = KILN_POINTS_STRIDE };

/* Fills up the last stride. */
static void repeat_last(kiln_points *points, unsigned count)
{
    KILN_ASSERT(count > 0 && count <= KILN_POINTS_MAX);
    points->count = (count + STRIDE - 1) / STRIDE * STRIDE;
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = count; i < points->count; i++) {
            points->at[k][i] = points->at[k][count - 1];
        }
    }
}

/* Fills `points` with the corners of the records first to last - 1, in node space, three for each
 * triangle and in the order of the records. */
void kiln_points_load(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_points *points)
{
    KILN_ASSERT(first < last && last - first <= KILN_POINTS_MAX / 3);
    const unsigned count = last - first;
    for (unsigned t = 0; t < count; t++) {
        const kiln_record *record = &cloud->records[first + t];
        for (unsigned i = 0; i < 3; i++) {
            for (unsigned k = 0; k < 3; k++) {
                points->at[k][3 * t + i] = kiln_frame_apply(&cloud->frame, k, record->corner[i][k]);
            }
        }
    }
    repeat_last(points, 3 * count);
}

/* Unlike fmin and fmax a comparison and no call; there are no NaN here. */
static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static double greater(double a, double b)
{
    return a > b ? a : b;
}

/* Least and greatest of a . p. STRIDE minima at once; minima don't depend on the order. */
static void extent(const kiln_points *points, const float a[3], double *lower, double *upper)
{
    const double ax = a[0], ay = a[1], az = a[2];
    double low[STRIDE], high[STRIDE];
    for (unsigned j = 0; j < STRIDE; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (unsigned i = 0; i < points->count; i += STRIDE) {
        for (unsigned j = 0; j < STRIDE; j++) {
            const double d =
                (ax * points->at[0][i + j] + ay * points->at[1][i + j]) + az * points->at[2][i + j];
            low[j] = smaller(d, low[j]);
            high[j] = greater(d, high[j]);
        }
    }
    *lower = smaller(smaller(low[0], low[1]), smaller(low[2], low[3]));
    *upper = greater(greater(high[0], high[1]), greater(high[2], high[3]));
}

/* Extents along three axes by AVX2: four points at once. The same products and sums in the same
 * order as in extent, and minima that prefer the same of equals, so every bit is the same, -0 among
 * them. */
#if defined(__x86_64__)
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

__attribute__((target("avx2"))) static void extents_avx2(const kiln_points *points,
                                                         float axis[3][3], kiln_extents *out)
{
    __m256d low[3], high[3], a[3][3];
    for (unsigned k = 0; k < 3; k++) {
        low[k] = _mm256_set1_pd(INFINITY);
        high[k] = _mm256_set1_pd(-INFINITY);
        for (unsigned j = 0; j < 3; j++) {
            a[k][j] = _mm256_set1_pd((double)axis[k][j]);
        }
    }
    /* No fused multiply-add is used although the processor may have one: it rounds once where the
     * plain version rounds twice, and the bytes of a file would depend on the processor. */
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

/* Keeps the first of equal points, by comparing each with all that were kept: a leaf has so few
 * that a sort would cost more. Points are equal as numbers, so that 0 and -0 are one. */
void kiln_points_deduplicate(kiln_points *points)
{
    KILN_ASSERT(points->count > 0);
    unsigned kept = 0;
    for (unsigned i = 0; i < points->count; i++) {
        unsigned j = 0;
        while (j < kept &&
               (points->at[0][i] != points->at[0][j] || points->at[1][i] != points->at[1][j] ||
                points->at[2][i] != points->at[2][j])) {
            j++;
        }
        if (j == kept) {
            for (unsigned k = 0; k < 3; k++) {
                points->at[k][kept] = points->at[k][i];
            }
            kept++;
        }
    }
    repeat_last(points, kept);
}

/* By AVX2 where the processor has it; both versions give the same bits. */
void kiln_points_extents(const kiln_points *points, float axis[3][3], kiln_extents *out)
{
    KILN_ASSERT(points->count > 0 && points->count % STRIDE == 0);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        extents_avx2(points, axis, out);
        return;
    }
#endif
    kiln_points_extents_plain(points, axis, out);
}

void kiln_points_extents_plain(const kiln_points *points, float axis[3][3], kiln_extents *out)
{
    KILN_ASSERT(points->count > 0 && points->count % STRIDE == 0);
    for (unsigned k = 0; k < 3; k++) {
        extent(points, axis[k], &out->lower[k], &out->upper[k]);
    }
}

/* Blocks are as large as kiln_points holds, so the memory doesn't grow with the set. The join of
 * extents is a minimum and a maximum, so the cut into blocks doesn't show in the result. */
void kiln_cloud_extents(const kiln_cloud *cloud, uint32_t first, uint32_t last, float axis[3][3],
                        kiln_extents *out)
{
    KILN_ASSERT(first < last);
    kiln_points points;
    kiln_extents_clear(out);
    for (uint32_t at = first; at < last;) {
        const uint32_t end = last - at > BLOCK ? at + BLOCK : last;
        kiln_extents part;
        kiln_points_load(cloud, at, end, &points);
        kiln_points_extents(&points, axis, &part);
        kiln_extents_join(out, &part);
        at = end;
    }
}

/* Copies the point of `from` whose product with a is `value`. */
static void take_point(const kiln_points *from, const float a[3], double value, kiln_points *to,
                       unsigned slot)
{
    KILN_ASSERT(slot < KILN_POINTS_MAX);
    KILN_ASSERT(from->count > 0);

    /* The product is computed as in extent, to the bit, so that the point is found again by it. */
    const double ax = a[0], ay = a[1], az = a[2];
    unsigned i = 0;
    while (i + 1 < from->count &&
           (ax * from->at[0][i] + ay * from->at[1][i]) + az * from->at[2][i] != value) {
        i++;
    }
    for (unsigned k = 0; k < 3; k++) {
        to->at[k][slot] = from->at[k][i];
    }
}

/* Takes what `points` reach further than was reached before along up to three of `count`
 * directions, from `first` on. */
static void extend_support(const kiln_points *points, float direction[][3], unsigned first,
                           unsigned count, double *lower, double *upper, kiln_points *support)
{
    KILN_ASSERT(first < count);
    kiln_extents reached;
    float three[3][3];
    /* The extents are always taken along three axes, so fewer directions are filled up with copies
     * of the first, whose results are ignored. */
    const unsigned some = count - first < 3 ? count - first : 3;
    for (unsigned k = 0; k < 3; k++) {
        memcpy(three[k], direction[first + (k < some ? k : 0)], sizeof three[k]);
    }
    kiln_points_extents(points, three, &reached);
    for (unsigned k = 0; k < some; k++) {
        const unsigned i = first + k;
        if (reached.lower[k] < lower[i]) {
            lower[i] = reached.lower[k];
            take_point(points, direction[i], lower[i], support, 2 * i);
        }
        if (reached.upper[k] > upper[i]) {
            upper[i] = reached.upper[k];
            take_point(points, direction[i], upper[i], support, 2 * i + 1);
        }
    }
}

/* The points that reach furthest along each direction and against it: `support` gets them in
 * pairs, the least of direction i at 2 * i and the greatest at 2 * i + 1. They are corners of the
 * set, so a box of them lies within that of the set; it is an estimate of the shape and bounds
 * nothing. */
void kiln_cloud_support(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                        float direction[][3], unsigned count, kiln_points *support)
{
    KILN_ASSERT(first < last && count > 0 && count <= KILN_POINTS_MAX / 2);
    double lower[KILN_POINTS_MAX / 2], upper[KILN_POINTS_MAX / 2];
    kiln_points points;
    for (unsigned i = 0; i < count; i++) {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    for (uint32_t at = first; at < last;) {
        const uint32_t end = last - at > BLOCK ? at + BLOCK : last;
        kiln_points_load(cloud, at, end, &points);
        for (unsigned i = 0; i < count; i += 3) {
            extend_support(&points, direction, i, count, lower, upper, support);
        }
        at = end;
    }
    repeat_last(support, 2 * count);
}

/* Minima of floats first, then the map to node space once for each: it is monotone. */
void kiln_cloud_bounds(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_extents *out)
{
    KILN_ASSERT(first < last);
    float lower[3] = {INFINITY, INFINITY, INFINITY};
    float upper[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t t = first; t < last; t++) {
        for (unsigned k = 0; k < 3; k++) {
            const float low = kiln_record_lower(&cloud->records[t], k);
            const float high = kiln_record_upper(&cloud->records[t], k);
            lower[k] = low < lower[k] ? low : lower[k];
            upper[k] = high > upper[k] ? high : upper[k];
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        /* The map to node space is monotone. */
        out->lower[k] = kiln_frame_apply(&cloud->frame, k, lower[k]);
        out->upper[k] = kiln_frame_apply(&cloud->frame, k, upper[k]);
    }
}

/* Empty extents: joined with others they leave those as they are. */
void kiln_extents_clear(kiln_extents *extents)
{
    for (unsigned k = 0; k < 3; k++) {
        extents->lower[k] = INFINITY;
        extents->upper[k] = -INFINITY;
    }
}

void kiln_extents_join(kiln_extents *extents, const kiln_extents *other)
{
    for (unsigned k = 0; k < 3; k++) {
        extents->lower[k] = smaller(extents->lower[k], other->lower[k]);
        extents->upper[k] = greater(extents->upper[k], other->upper[k]);
    }
}

/* Half the surface of the box whose edges are half the extents, so an eighth of the whole. The
 * small share of the squared length keeps boxes without a surface, such as those of a straight
 * line, in the order of their lengths. */
double kiln_extents_half_area(const kiln_extents *extents)
{
    const double a = 0.5 * (extents->upper[0] - extents->lower[0]);
    const double b = 0.5 * (extents->upper[1] - extents->lower[1]);
    const double c = 0.5 * (extents->upper[2] - extents->lower[2]);
    const double length = (a + b) + c;
    return ((a * b + b * c) + c * a) + 0x1p-20 * (length * length);
}
