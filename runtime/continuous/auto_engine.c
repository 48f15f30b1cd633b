/* Which engine looks ahead: all pairs in vectors, or the grid. What both would cost in a second is
 * computed from counts of what has happened, with unit costs that were measured once, so that a run
 * takes the same way on every machine and no clock is read. */
#include "continuous.h"

#include <math.h>

/* Nanoseconds: one of all pairs; a box of a grid with all that is done for it in an interval; the
 * boxes of an object whose state changes. By kiln-bench continuous. */
#define COST_OF_PAIR 0.6
#define COST_OF_BOX 180.0
#define COST_OF_CHANGE 1200.0
/* What is in use stays unless the other one costs less than this part. */
#define COST_TO_STAY 0.8

/* Changes a second. At first, by the free path of spheres in a gas. */
static double rate_of_changes(const kiln_dynamic *world)
{
    const double events = 2 * (double)world->counts.events + (double)world->counts.wall_events;
    if (world->counts.intervals > 1 && world->now > 0) {
        return (events + 1) / world->now;
    }
    const double volume = world->spacing * world->spacing * world->spacing;
    return world->count * world->speed * 4 * 3.14159265358979 * world->extent * world->extent /
           volume;
}

static double auto_horizon(kiln_dynamic *world)
{
    const double count = world->count, rate = rate_of_changes(world);
    const double simd = kiln_dynamic_simd_horizon(world), grid = kiln_dynamic_grid_horizon(world);
    double cost_simd = COST_OF_PAIR * count * (count / (2 * simd) + rate);
    double cost_grid = COST_OF_BOX * count / grid + COST_OF_CHANGE * rate;
    if (world->counts.intervals > 1) {
        *(world->method_engine == KILN_DYNAMIC_GRID ? &cost_grid : &cost_simd) *= COST_TO_STAY;
    }
    world->method_engine = cost_simd <= cost_grid ? KILN_DYNAMIC_ALL_PAIRS_SIMD : KILN_DYNAMIC_GRID;
    return world->method_engine == KILN_DYNAMIC_GRID ? grid : simd;
}

static void begin_auto(kiln_dynamic *world, bool whole)
{
    if (world->method_engine == KILN_DYNAMIC_GRID) {
        kiln_dynamic_grid_begin(world, whole);
    } else {
        kiln_dynamic_simd_begin(world, whole);
    }
}

static void change_auto(kiln_dynamic *world, uint32_t place)
{
    if (world->method_engine == KILN_DYNAMIC_GRID) {
        kiln_dynamic_grid_change(world, place);
    } else {
        kiln_dynamic_simd_change(world, place);
    }
}

const kiln_dynamic_method kiln_dynamic_auto = {
    .size = kiln_dynamic_grid_size,
    .place = kiln_dynamic_grid_place,
    .horizon = auto_horizon,
    .begin = begin_auto,
    .change = change_auto,
    .lasting = false,
    .has_image = true,
    .may_turn = true,
};
