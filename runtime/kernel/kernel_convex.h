/* Kernels of convex hulls, compiled once for each instruction set (simd.h): which vertex comes
 * first along a way, and which blocks of vertices may have it.
 *
 * Each product is ((w0 x + w1 y) + w2 z), every operation rounded, so all sets compare the same
 * numbers. Every lane keeps the first of its least ones, and of the lanes' the first is taken. */

#define convex_first KILN_SIMD_NAME(convex_first)
#define convex_best KILN_SIMD_NAME(convex_best)
#define convex_take KILN_SIMD_NAME(convex_take)
#define convex_first_of KILN_SIMD_NAME(convex_first_of)
#define convex_bounds KILN_SIMD_NAME(convex_bounds)
#define convex_first_block KILN_SIMD_NAME(convex_first_block)
#define convex_coordinate KILN_SIMD_NAME(convex_coordinate)
#define convex_search_block KILN_SIMD_NAME(convex_search_block)
#define convex_first_in_blocks KILN_SIMD_NAME(convex_first_in_blocks)
#define KILN_CONVEX_LANES ((1u << KILN_SIMD_LANES) - 1)

/* The least places so far, lane by lane, and whose they are; of equal ones the least number. */
typedef struct {
    vec_double least, first;
} convex_best;

static inline void convex_take(convex_best *best, vec_double place, vec_double index)
{
    const vec_double_mask nearer =
        vec_double_less(place, best->least) |
        (vec_double_equal(place, best->least) & vec_double_less(index, best->first));
    best->least = vec_double_min(place, best->least);
    best->first = vec_double_select(nearer, index, best->first);
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
            const vec_double_mask nearer = vec_double_less(place, best[j].least);
            best[j].least = vec_double_min(place, best[j].least);
            best[j].first = vec_double_select(nearer, index, best[j].first);
            index = index + lanes;
        }
    }
    convex_take(&best[0], best[1].least, best[1].first);
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

/* Goes on with the vertices of a block; some of a neighbour may be among them. */
static inline void convex_search_block(const kiln_convex_core *core, const double w[3],
                                       uint32_t block, convex_best *best)
{
    const double from[4] = {0, 1, 2, 3};
    const uint32_t last = core->count - KILN_SIMD_DOUBLES, first = block * core->block;
    for (uint32_t i = 0; i < core->block; i += KILN_SIMD_DOUBLES) {
        const uint32_t at = first + i < last ? first + i : last;
        double room[3 * KILN_SIMD_DOUBLES];
        const double *v = core->vertices + 3 * (size_t)at;
        if (core->carry != NULL) {
            kiln_convex_carried(core, at, KILN_SIMD_DOUBLES, room);
            v = room;
        }
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
    convex_best best = {vec_double_of(HUGE_VAL), vec_double_of(0x1p32)};
    const uint32_t first = convex_first_block(core, way);
    convex_search_block(core, w, first, &best);
    (void)convex_first_of(&best, &least);
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
    return convex_first_of(&best, &least);
}

#undef KILN_CONVEX_LANES
