/* Every pair once, by doubles, and every pair of an object whose state changes: what the paper
 * compares with (VI-B), and what all other engines are held against. */
#include "continuous.h"

#include <math.h>

static size_t no_size(const kiln_dynamic_options *options)
{
    (void)options;
    return 0;
}

static void place_nothing(kiln_dynamic *world, uint8_t *memory)
{
    (void)world;
    (void)memory;
}

static double without_end(kiln_dynamic *world)
{
    (void)world;
    return HUGE_VAL;
}

static void change_all_pairs(kiln_dynamic *world, uint32_t place)
{
    world->counts.looked_at += world->used;
    for (uint32_t other = 0; other < world->used; other++) {
        if (other != place && kiln_dynamic_is_there(world, other)) {
            kiln_dynamic_candidate(world, place, other);
        }
    }
}

static void begin_all_pairs(kiln_dynamic *world, bool whole)
{
    KILN_ASSERT(whole);
    (void)whole;
    for (uint32_t i = 0; i < world->used && !world->is_full; i++) {
        world->counts.looked_at += world->used - 1 - i;
        for (uint32_t j = i + 1; j < world->used && kiln_dynamic_is_there(world, i); j++) {
            if (kiln_dynamic_is_there(world, j)) {
                kiln_dynamic_candidate(world, i, j);
            }
        }
    }
}

const kiln_dynamic_method kiln_dynamic_all_pairs = {
    .size = no_size,
    .place = place_nothing,
    .horizon = without_end,
    .begin = begin_all_pairs,
    .change = change_all_pairs,
    .lasting = true,
    .has_image = false,
    .may_turn = false,
};
