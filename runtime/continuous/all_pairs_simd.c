/* Every pair in vectors of floats, which keep what may be a contact in the interval, and the test
 * by doubles of what is left. All pairs are gone through once in an interval, and those of an
 * object whose state changes; so the interval is long. */
#include "continuous.h"
#include "../kernel/moving_lanes.h"

#include <math.h>

/* No interval is shorter or longer than it takes to move so many mean distances of neighbours; long
 * ones only as far as the pad, a part of the way, stays small beside the objects. */
#define LEAST_SPACINGS 0.5
#define USUAL_SPACINGS 64.0
#define MOST_SPACINGS 1024.0
#define MOST_EXTENTS 16384.0

static size_t simd_size(const kiln_dynamic_options *options)
{
    (void)options;
    return 0;
}

static void place_simd(kiln_dynamic *world, uint8_t *memory)
{
    (void)world;
    (void)memory;
}

/* All pairs are gone through once in an interval of h seconds: a work of n^2 / 2 h in a second. And
 * an object that changes finds, and tests, what its ball would meet in the rest of the interval: of
 * c changes and e contacts of balls in a second, c (2 e / n) (h / 2) candidates. The sum is least
 * where both are the same. */
double kiln_dynamic_simd_horizon(kiln_dynamic *world)
{
    const double count = world->count;
    const double far = MOST_EXTENTS * world->extent, spacing = world->spacing;
    double most = far < MOST_SPACINGS * spacing ? far : MOST_SPACINGS * spacing;
    most = most > USUAL_SPACINGS * spacing ? most : USUAL_SPACINGS * spacing;
    const double work = kiln_dynamic_candidate_cost(world) * world->rates.ball_rate / count *
                        world->rates.change_rate;
    double horizon = sqrt(KILN_DYNAMIC_COST_PAIR * count * count / 2 / work);
    horizon = horizon * world->speed < most ? horizon : most / world->speed;
    const double least = LEAST_SPACINGS * spacing / world->speed;
    horizon = horizon > least ? horizon : least;
    return horizon < KILN_DYNAMIC_LONGEST ? horizon : KILN_DYNAMIC_LONGEST;
}

static kiln_moving_balls balls_of(const kiln_dynamic *world)
{
    kiln_moving_balls balls;
    for (int k = 0; k < 3; k++) {
        balls.position[k] = world->image.position[k];
        balls.velocity[k] = world->image.velocity[k];
    }
    balls.reach = world->image.reach;
    return balls;
}

/* Passes the pairs of one object and the objects from `first` to `last` - 1 that may touch. */
static void scan_balls(kiln_dynamic *world, const kiln_moving_kernels *kernels,
                       const kiln_moving_balls *balls, uint32_t one, uint32_t first, uint32_t last)
{
    const float horizon = nextafterf((float)(world->end - world->begin), HUGE_VALF);
    uint32_t hits[KILN_MOVING_HITS];
    for (uint32_t from = first; from < last; from += KILN_MOVING_HITS) {
        const uint32_t left = last - from;
        const uint32_t end = from + (left < KILN_MOVING_HITS ? left : KILN_MOVING_HITS);
        const uint32_t count = kernels->near_balls(balls, from, end, one, horizon, hits);
        world->counts.looked_at += end - from;
        for (uint32_t i = 0; i < count; i++) {
            if (hits[i] != one) {
                kiln_dynamic_candidate(world, one, hits[i]);
            }
        }
    }
}

void kiln_dynamic_simd_change(kiln_dynamic *world, uint32_t place)
{
    const kiln_moving_balls balls = balls_of(world);
    scan_balls(world, kiln_kernel_active()->moving, &balls, place, 0, world->used);
}

void kiln_dynamic_simd_pair(kiln_dynamic *world, uint32_t i, uint32_t j)
{
    const kiln_moving_balls balls = balls_of(world);
    if (kiln_dynamic_is_there(world, j)) {
        scan_balls(world, kiln_kernel_active()->moving, &balls, i, j, j + 1);
    }
}

void kiln_dynamic_simd_begin(kiln_dynamic *world, bool whole)
{
    (void)whole;
    const kiln_moving_kernels *kernels = kiln_kernel_active()->moving;
    const kiln_moving_balls balls = balls_of(world);
    for (uint32_t i = 0; i < world->used && !world->is_full; i++) {
        if (kiln_dynamic_is_there(world, i)) {
            scan_balls(world, kernels, &balls, i, i + 1, world->used);
        }
    }
}

const kiln_dynamic_method kiln_dynamic_all_pairs_simd = {
    .size = simd_size,
    .place = place_simd,
    .horizon = kiln_dynamic_simd_horizon,
    .begin = kiln_dynamic_simd_begin,
    .change = kiln_dynamic_simd_change,
    .lasting = false,
    .has_image = true,
    .may_turn = false,
};
