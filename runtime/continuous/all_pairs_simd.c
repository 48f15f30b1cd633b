/* Every pair in vectors of floats, which keep what may be a contact in the interval, and the test
 * by doubles of what is left. All pairs are gone through once in an interval, and those of an
 * object whose state changes; so the interval is long. */
#include "continuous.h"
#include "../kernel/moving_lanes.h"

#include <math.h>

/* Intervals last until about this many changes of each object: then going through all pairs once
 * more is a tenth of the work. */
#define CHANGES_AN_INTERVAL 5.0
/* And no longer than it takes to move this many mean distances of neighbours. */
#define MOST_SPACINGS 64.0
#define FIRST_SPACINGS 4.0

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

double kiln_dynamic_simd_horizon(kiln_dynamic *world)
{
    const double least = FIRST_SPACINGS * world->spacing;
    const double most = MOST_SPACINGS * world->spacing;
    double way = least;
    const double events = 2 * (double)world->counts.events + (double)world->counts.wall_events;
    if (world->counts.intervals > 1 && world->now > 0) {
        way = CHANGES_AN_INTERVAL * world->speed * world->now * world->count / (events + 1);
        way = way < least ? least : way > most ? most : way;
    }
    return world->speed * KILN_DYNAMIC_LONGEST > way ? way / world->speed : KILN_DYNAMIC_LONGEST;
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

/* Of one object with those from `first` on. */
static void scan_balls(kiln_dynamic *world, const kiln_moving_kernels *kernels,
                       const kiln_moving_balls *balls, uint32_t one, uint32_t first)
{
    const float horizon = nextafterf((float)(world->end - world->begin), HUGE_VALF);
    uint32_t hits[KILN_MOVING_HITS];
    for (uint32_t from = first; from < world->used; from += KILN_MOVING_HITS) {
        const uint32_t left = world->used - from;
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
    scan_balls(world, kiln_kernel_active()->moving, &balls, place, 0);
}

void kiln_dynamic_simd_begin(kiln_dynamic *world, bool whole)
{
    (void)whole;
    const kiln_moving_kernels *kernels = kiln_kernel_active()->moving;
    const kiln_moving_balls balls = balls_of(world);
    for (uint32_t i = 0; i < world->used && !world->is_full; i++) {
        if (kiln_dynamic_is_there(world, i)) {
            scan_balls(world, kernels, &balls, i, i + 1);
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
