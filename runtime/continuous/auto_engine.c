/* Which engine looks ahead: all pairs in vectors, or the grid. What both would cost in a second is
 * computed from counts of what has happened, with unit costs that were measured once, so that a run
 * takes the same way on every machine and no clock is read. What an interval did cost, by its
 * counts, corrects what is expected of its engine, as objects may be of uneven sizes or in
 * clusters. */
#include "continuous.h"

/* Candidates of a box in a grid of objects of one size. */
#define CANDIDATES_OF_A_BOX 0.6
/* What is in use stays unless the other one costs less than this part. */
#define COST_TO_STAY 0.85
/* The measured ratio of the engine that is not in use moves towards 1 by this part in each
 * interval, so that this engine is tried again: the grid after a few intervals of all pairs, which
 * are long; all pairs later, as a trial of them costs more. */
#define FORGET_GRID 0.1
#define FORGET_PAIRS 0.005
/* The ratio that one interval measures is limited to this factor, up and down. */
#define MOST_OFF 8.0

/* So many intervals of an engine are in the mean of what they cost. */
#define RATIOS_IN_MEAN 8u

/* Expected cost of an interval's begin, and of a change in it. */
typedef struct {
    double begin, change;
} expected_cost;

static expected_cost cost_of_simd(const kiln_dynamic *world, double horizon)
{
    const double count = world->count, contacts = world->rates.ball_rate;
    const double found = kiln_dynamic_candidate_cost(world) * contacts * horizon;
    return (expected_cost){.begin = KILN_DYNAMIC_COST_PAIR * count * count / 2 + found,
                           .change = KILN_DYNAMIC_COST_PAIR * count + found / count +
                                     KILN_DYNAMIC_COST_CHANGE};
}

static expected_cost cost_of_grid(const kiln_dynamic *world, double horizon)
{
    const double box = kiln_dynamic_grid_box_cost(world, horizon) +
                       kiln_dynamic_candidate_cost(world) * CANDIDATES_OF_A_BOX;
    return (expected_cost){.begin = box * world->count, .change = box + KILN_DYNAMIC_COST_CHANGE};
}

/* The mean of what was measured, and in the long run of the last few intervals. */
static void learn_ratio(kiln_dynamic_ratio *ratio, double measured)
{
    measured = measured < MOST_OFF ? measured : MOST_OFF;
    ratio->seen += ratio->seen < RATIOS_IN_MEAN;
    ratio->mean += (measured - ratio->mean) / ratio->seen;
}

/* Updates the ratios of measured to expected costs with those of the interval that has ended. */
static void learn_ratios(kiln_dynamic *world, expected_cost simd, expected_cost grid)
{
    kiln_dynamic_rates *rates = &world->rates;
    const bool was_grid = world->method_engine == KILN_DYNAMIC_GRID;
    if (!rates->has_begun) {
        rates->simd = rates->grid = (kiln_dynamic_ratio){1, 0};
        return;
    }
    const kiln_dynamic_info *now = &world->counts, *then = &rates->begun;
    const double changes = (double)(now->changes - then->changes);
    const double work =
        (was_grid ? KILN_DYNAMIC_COST_COMPARE : KILN_DYNAMIC_COST_PAIR) *
            (double)(now->looked_at - then->looked_at) +
        kiln_dynamic_candidate_cost(world) * (double)(now->candidates - then->candidates) +
        KILN_DYNAMIC_COST_CHANGE * changes +
        KILN_DYNAMIC_COST_BOX * (double)(now->boxes - then->boxes);
    const expected_cost cost = was_grid ? grid : simd;
    kiln_dynamic_ratio *other = was_grid ? &rates->simd : &rates->grid;
    if (world->now > then->time) { /* an instant in which much happens says little */
        learn_ratio(was_grid ? &rates->grid : &rates->simd,
                    work / (cost.begin + cost.change * changes));
    }
    other->mean += (1 - other->mean) * (was_grid ? FORGET_PAIRS : FORGET_GRID);
    other->seen = other->seen > 0;
}

static double auto_horizon(kiln_dynamic *world)
{
    const double set = world->options.interval;
    const double simd = set > 0 ? set : kiln_dynamic_simd_horizon(world);
    const double grid = set > 0 ? set : kiln_dynamic_grid_horizon(world);
    const expected_cost by_simd = cost_of_simd(world, simd), by_grid = cost_of_grid(world, grid);
    const kiln_dynamic_rates *rates = &world->rates;
    learn_ratios(world, by_simd, by_grid);
    double cost_simd =
        rates->simd.mean * (by_simd.begin / simd + by_simd.change * rates->change_rate);
    double cost_grid =
        rates->grid.mean * (by_grid.begin / grid + by_grid.change * rates->change_rate);
    if (rates->has_begun) {
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
