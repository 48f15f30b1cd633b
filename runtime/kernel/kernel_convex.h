/* Kernels of convex hulls, compiled once for each instruction set (simd.h): which vertex comes
 * first along a way, and which blocks of vertices may have it.
 *
 * Each product is ((w0 x + w1 y) + w2 z), every operation rounded, so all sets compare the same
 * numbers. Every lane keeps the first of its least ones, and of the lanes' the first is taken. */

#define convex_first KILN_SIMD_NAME(convex_first)
#define convex_best KILN_SIMD_NAME(convex_best)
#define convex_take KILN_SIMD_NAME(convex_take)
#define convex_merge KILN_SIMD_NAME(convex_merge)
#define convex_first_of KILN_SIMD_NAME(convex_first_of)
#define convex_bounds KILN_SIMD_NAME(convex_bounds)
#define convex_first_block KILN_SIMD_NAME(convex_first_block)
#define convex_coordinate KILN_SIMD_NAME(convex_coordinate)
#define convex_form_bounds KILN_SIMD_NAME(convex_form_bounds)
#define convex_reduce KILN_SIMD_NAME(convex_reduce)
#define convex_form_block KILN_SIMD_NAME(convex_form_block)
#define convex_search_block KILN_SIMD_NAME(convex_search_block)
#define convex_first_in_blocks KILN_SIMD_NAME(convex_first_in_blocks)
#define KILN_CONVEX_LANES ((1u << KILN_SIMD_LANES) - 1)

/* The least places so far, lane by lane, and whose they are; of equal ones the least number. */
typedef struct {
    vec_double least, first;
} convex_best;

/* Takes what comes before all so far. */
static inline void convex_take(convex_best *best, vec_double place, vec_double index)
{
    const vec_double_mask nearer = vec_double_less(place, best->least);
    best->least = vec_double_min(place, best->least);
    best->first = vec_double_select(nearer, index, best->first);
}

/* Takes others, whose numbers may be less. */
static inline void convex_merge(convex_best *best, const convex_best *other)
{
    const vec_double_mask nearer =
        vec_double_less(other->least, best->least) |
        (vec_double_equal(other->least, best->least) & vec_double_less(other->first, best->first));
    best->least = vec_double_min(other->least, best->least);
    best->first = vec_double_select(nearer, other->first, best->first);
}

/* Of all lanes. */
static inline uint32_t convex_first_of(const convex_best *best, double *least)
{
    double least_of[KILN_SIMD_DOUBLES], first_of[KILN_SIMD_DOUBLES];
    vec_double_store(least_of, best->least);
    vec_double_store(first_of, best->first);
    for (unsigned i = 1; i < KILN_SIMD_DOUBLES; i++) {
        if (least_of[i] < least_of[0] ||
            (least_of[i] == least_of[0] && first_of[i] < first_of[0])) {
            least_of[0] = least_of[i];
            first_of[0] = first_of[i];
        }
    }
    *least = least_of[0];
    return (uint32_t)first_of[0];
}

/* Two vectors in turn, of which the one need not wait for the other. */
static uint32_t convex_first(const double *x, const double *y, const double *z, uint32_t count,
                             const double w[3])
{
    const double from[4] = {0, 1, 2, 3}, lanes = KILN_SIMD_DOUBLES;
    double least;
    vec_double index = vec_double_load(from);
    convex_best best[2] = {{vec_double_of(HUGE_VAL), index},
                           {vec_double_of(HUGE_VAL), index + lanes}};
    for (uint32_t i = 0; i < count; i += 2 * KILN_SIMD_DOUBLES) {
        for (unsigned j = 0; j < 2; j++) {
            const unsigned at = i + j * KILN_SIMD_DOUBLES;
            const vec_double place =
                (w[0] * vec_double_load(x + at) + w[1] * vec_double_load(y + at)) +
                w[2] * vec_double_load(z + at);
            convex_take(&best[j], place, index);
            index = index + lanes;
        }
    }
    convex_merge(&best[0], &best[1]);
    return convex_first_of(&best[0], &least);
}

/* Where blocks i.. begin along a way, in units of the hull's size and below. */
static inline vec convex_bounds(const kiln_convex_blocks *blocks, uint32_t i, const float way[3])
{
    vec bound = vec_of(0.0f);
    for (int k = 0; k < 3; k++) {
        bound = bound + (vec_load(blocks->middle[k] + i) * way[k] -
                         vec_load(blocks->half[k] + i) * fabsf(way[k]));
    }
    return bound;
}

/* The block that begins first. */
static uint32_t convex_first_block(const kiln_convex_core *core, const float way[3])
{
    const float from[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    float least_of[KILN_SIMD_LANES], first_of[KILN_SIMD_LANES];
    vec lowest = vec_of(HUGE_VALF), first = vec_load(from), index = first;
    for (uint32_t i = 0; i < core->blocks; i += KILN_SIMD_LANES) {
        const vec bound = convex_bounds(&core->of.blocks, i, way);
        const vec_mask lower = vec_less(bound, lowest);
        lowest = vec_min(bound, lowest);
        first = vec_select(lower, index, first);
        index = index + (float)KILN_SIMD_LANES;
    }
    vec_store(least_of, lowest);
    vec_store(first_of, first);
    for (unsigned i = 1; i < KILN_SIMD_LANES; i++) {
        if (least_of[i] < least_of[0]) {
            least_of[0] = least_of[i];
            first_of[0] = first_of[i];
        }
    }
    return (uint32_t)first_of[0];
}

/* Coordinates of vertices one behind the other. */
static inline vec_double convex_coordinate(const double *from)
{
#if KILN_SIMD_DOUBLES == 4
    return (vec_double){from[0], from[3], from[6], from[9]};
#elif KILN_SIMD_DOUBLES == 2
    return (vec_double){from[0], from[3]};
#else
    return from[0];
#endif
}

/* Goes on with the vertices of a block, whose numbers are above those so far. The last block may
 * begin with some of the one before, but in no lane do numbers decrease. */
static inline void convex_search_block(const kiln_convex_core *core, const double w[3],
                                       uint32_t block, convex_best *best)
{
    const double from[4] = {0, 1, 2, 3};
    const uint32_t last = core->count - KILN_SIMD_DOUBLES, first = block * core->block;
    for (uint32_t i = 0; i < core->block; i += KILN_SIMD_DOUBLES) {
        const uint32_t at = first + i < last ? first + i : last;
        double room[3 * KILN_SIMD_DOUBLES];
        const double *v = kiln_convex_vertices(core, at, KILN_SIMD_DOUBLES, room);
        const vec_double place = (w[0] * (convex_coordinate(v) - core->middle[0]) +
                                  w[1] * (convex_coordinate(v + 1) - core->middle[1])) +
                                 w[2] * (convex_coordinate(v + 2) - core->middle[2]);
        convex_take(best, place, vec_double_load(from) + (double)at);
    }
}

static uint32_t convex_first_in_blocks(const kiln_convex_core *core, const double w[3],
                                       const float way[3], double unit)
{
    double least;
    convex_best best = {vec_double_of(HUGE_VAL), vec_double_of(0x1p32)}, other = best;
    const uint32_t first = convex_first_block(core, way);
    convex_search_block(core, w, first, &other);
    (void)convex_first_of(&other, &least);
    const vec bound = vec_of((float)(least / unit));
    for (uint32_t i = 0; i < core->blocks; i += KILN_SIMD_LANES) {
        const vec_mask behind = vec_greater(convex_bounds(&core->of.blocks, i, way), bound);
        for (uint32_t may = ~vec_lanes(behind) & KILN_CONVEX_LANES; may != 0; may &= may - 1) {
            const uint32_t block = i + (uint32_t)__builtin_ctz(may);
            if (block != first) {
                convex_search_block(core, w, block, &best);
            }
        }
    }
    convex_merge(&best, &other);
    return convex_first_of(&best, &least);
}

/* Coordinates are taken as they come: three vectors hold as many vertices as there are lanes. */
static void convex_form_bounds(const kiln_convex_core *core, double lower[3], double upper[3])
{
    const uint32_t last = core->count - KILN_SIMD_DOUBLES;
    vec_double low[3], high[3];
    double room[3 * KILN_SIMD_DOUBLES];
    for (int j = 0; j < 3; j++) {
        low[j] = vec_double_of(HUGE_VAL);
        high[j] = vec_double_of(-HUGE_VAL);
        lower[j] = HUGE_VAL;
        upper[j] = -HUGE_VAL;
    }
    for (size_t i = 0; i < core->count; i += KILN_SIMD_DOUBLES) {
        const double *v =
            kiln_convex_vertices(core, i < last ? (uint32_t)i : last, KILN_SIMD_DOUBLES, room);
        for (int j = 0; j < 3; j++) {
            const vec_double some = vec_double_load(v + j * KILN_SIMD_DOUBLES);
            low[j] = vec_double_min(some, low[j]);
            high[j] = vec_double_max(some, high[j]);
        }
    }
    for (int j = 0; j < 3; j++) {
        double low_of[KILN_SIMD_DOUBLES], high_of[KILN_SIMD_DOUBLES];
        vec_double_store(low_of, low[j]);
        vec_double_store(high_of, high[j]);
        for (int i = 0; i < KILN_SIMD_DOUBLES; i++) {
            const int k = (j * KILN_SIMD_DOUBLES + i) % 3;
            lower[k] = kiln_smaller(low_of[i], lower[k]);
            upper[k] = kiln_larger(high_of[i], upper[k]);
        }
    }
}

/* The least and the largest of lanes. */
static inline void convex_reduce(const vec_double low[3], const vec_double high[3], double lower[3],
                                 double upper[3])
{
    for (int k = 0; k < 3; k++) {
        double low_of[KILN_SIMD_DOUBLES], high_of[KILN_SIMD_DOUBLES];
        vec_double_store(low_of, low[k]);
        vec_double_store(high_of, high[k]);
        lower[k] = low_of[0];
        upper[k] = high_of[0];
        for (int i = 1; i < KILN_SIMD_DOUBLES; i++) {
            lower[k] = kiln_smaller(low_of[i], lower[k]);
            upper[k] = kiln_larger(high_of[i], upper[k]);
        }
    }
}

static void convex_form_block(const kiln_convex_core *core, uint32_t block, double lower[3],
                              double upper[3], kiln_convex_squares *squares)
{
    const uint32_t last = core->count - KILN_SIMD_DOUBLES, first = block * core->block;
    vec_double low[3], high[3], most = vec_double_of(0.0), sum = vec_double_of(0.0);
    double room[3 * KILN_SIMD_DOUBLES], most_of[KILN_SIMD_DOUBLES], sum_of[KILN_SIMD_DOUBLES];
    for (int k = 0; k < 3; k++) {
        low[k] = vec_double_of(HUGE_VAL);
        high[k] = vec_double_of(-HUGE_VAL);
    }
    for (uint32_t i = 0; i < core->block; i += KILN_SIMD_DOUBLES) {
        const double *v = kiln_convex_vertices(core, first + i < last ? first + i : last,
                                               KILN_SIMD_DOUBLES, room);
        vec_double square = vec_double_of(0.0);
        for (int k = 0; k < 3; k++) {
            const vec_double p = convex_coordinate(v + k) - core->middle[k];
            low[k] = vec_double_min(p, low[k]);
            high[k] = vec_double_max(p, high[k]);
            square = square + p * p;
        }
        most = vec_double_max(square, most);
        sum = sum + square;
    }
    convex_reduce(low, high, lower, upper);
    vec_double_store(most_of, most);
    vec_double_store(sum_of, sum);
    for (int i = 0; i < KILN_SIMD_DOUBLES; i++) {
        squares->most = kiln_larger(most_of[i], squares->most);
        squares->sum += sum_of[i];
    }
}

#undef KILN_CONVEX_LANES
