/* VADOP as it was published: lists of ends along axes, kept sorted, and for each pair of objects on
 * how many of the axes that both use they are apart (IV-A; the paper has a boolean matrix, which
 * says as much only of one axis). A pair is a candidate when that becomes 0. An object whose
 * velocity changes is sorted into the lists that it had not been in from the ends, then out of
 * those that it leaves (V-D), in this order, since else it would be apart from none for a while. */
#include "axis_masks.h"

#include <math.h>
#include <string.h>

#define PUBLISHED_SPACINGS 0.05

typedef struct {
    kiln_axis_pool pool;
    kiln_axis_mask *masks;
    kiln_axis_end *ends; /* of axis a from a * stride on */
    uint8_t *apart;      /* of i > j at i (i - 1) / 2 + j */
    uint32_t *places;    /* scratch */
    size_t stride;
    uint32_t counts[KILN_AXIS_MOST];
    double base_time;
    float from, to;
} published_index;

static size_t padded(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t pairs_of(size_t capacity)
{
    return capacity > 0 ? capacity * (capacity - 1) / 2 : 0;
}

static size_t published_size(const kiln_dynamic_options *options)
{
    kiln_axis_pool pool;
    (void)kiln_axis_pool_of(options, &pool);
    const size_t capacity = options->capacity;
    return padded(sizeof(published_index)) + padded(capacity * sizeof(kiln_axis_mask)) +
           padded(pool.count * 2 * capacity * sizeof(kiln_axis_end)) + padded(pairs_of(capacity)) +
           padded(capacity * sizeof(uint32_t));
}

static void place_published(kiln_dynamic *world, uint8_t *memory)
{
    const size_t capacity = world->options.capacity;
    published_index *lists = (published_index *)(void *)memory;
    memset(lists, 0, sizeof *lists);
    (void)kiln_axis_pool_of(&world->options, &lists->pool);
    memory += padded(sizeof *lists);
    lists->masks = (kiln_axis_mask *)(void *)memory;
    memory += padded(capacity * sizeof *lists->masks);
    lists->stride = 2 * capacity;
    lists->ends = (kiln_axis_end *)(void *)memory;
    memory += padded(lists->pool.count * lists->stride * sizeof *lists->ends);
    lists->apart = memory;
    lists->places = (uint32_t *)(void *)(memory + padded(pairs_of(capacity)));
    world->index = lists;
}

/* The paper's interval is the frame; this is about as long, at its speeds. */
static double published_horizon(kiln_dynamic *world)
{
    const double way = PUBLISHED_SPACINGS * world->spacing;
    return world->speed * KILN_DYNAMIC_LONGEST > way ? way / world->speed : KILN_DYNAMIC_LONGEST;
}

/* ----------------------------------------------------------------------------------- counters
 * -- */

static uint8_t *counter_of(const published_index *lists, uint32_t i, uint32_t j)
{
    const size_t high = i > j ? i : j, low = i > j ? j : i;
    return &lists->apart[high * (high - 1) / 2 + low];
}

/* One end has passed another on its way to the left. Returns the pair's counter where it has become
 * 0; else NULL. */
static bool pass_left(const published_index *lists, const kiln_axis_end *end,
                      const kiln_axis_end *other)
{
    const bool is_upper = (end->tag & 1) != 0;
    if (is_upper == ((other->tag & 1) != 0)) {
        return false;
    }
    uint8_t *apart = counter_of(lists, kiln_axis_place(end->tag), kiln_axis_place(other->tag));
    *apart = (uint8_t)(is_upper ? *apart + 1 : *apart - 1);
    return *apart == 0;
}

/* Sorts one end into its place, and counts what it passes. */
static void settle_end(kiln_dynamic *world, const published_index *lists, kiln_axis_end *list,
                       uint32_t count, uint32_t at)
{
    const kiln_axis_end end = list[at];
    const uint32_t from = at;
    for (; at > 0 && kiln_axis_is_before(&end, &list[at - 1]); at--) {
        (void)pass_left(lists, &end, &list[at - 1]);
        list[at] = list[at - 1];
    }
    for (; at + 1 < count && kiln_axis_is_before(&list[at + 1], &end); at++) {
        (void)pass_left(lists, &list[at + 1], &end);
        list[at] = list[at + 1];
    }
    list[at] = end;
    world->counts.swaps += at > from ? at - from : from - at;
}

static uint32_t find_end(const kiln_axis_end *list, uint32_t place, bool is_upper)
{
    uint32_t at = 0;
    while (kiln_axis_place(list[at].tag) != place || ((list[at].tag & 1) != 0) != is_upper) {
        at++;
    }
    return at;
}

/* ----------------------------------------------------------------------------------- objects -- */

static void published_ends(const kiln_dynamic *world, const published_index *lists, uint32_t axis,
                           uint32_t place, kiln_axis_end ends[2])
{
    kiln_axis_ends_of(world, lists->pool.axes[axis], place, lists->base_time, ends);
    for (int i = 0; i < 2; i++) {
        ends[i].value = kiln_axis_value(&ends[i], lists->from, lists->to);
    }
}

/* Into a list from its ends, where it overlaps with everything. */
static void sort_in(kiln_dynamic *world, published_index *lists, uint32_t axis, uint32_t place)
{
    kiln_axis_end *list = lists->ends + axis * lists->stride, ends[2];
    uint32_t *count = &lists->counts[axis];
    published_ends(world, lists, axis, place, ends);
    memmove(list + 1, list, *count * sizeof *list);
    list[0] = ends[0];
    list[*count + 1] = ends[1];
    *count += 2;
    settle_end(world, lists, list, *count, *count - 1);
    settle_end(world, lists, list, *count, 0);
}

/* Out of it, to the ends. */
static void sort_out(kiln_dynamic *world, published_index *lists, uint32_t axis, uint32_t place)
{
    kiln_axis_end *list = lists->ends + axis * lists->stride;
    uint32_t *count = &lists->counts[axis];
    for (int i = 0; i < 2; i++) {
        const uint32_t at = find_end(list, place, i == 1);
        list[at].value = i == 1 ? HUGE_VALF : -HUGE_VALF;
        settle_end(world, lists, list, *count, at);
    }
    memmove(list, list + 1, (*count - 2) * sizeof *list);
    *count -= 2;
}

/* In a list that it stays in. The end that moves away from the other one goes first, so that they
 * do not pass each other. */
static void sort_again(kiln_dynamic *world, published_index *lists, uint32_t axis, uint32_t place)
{
    kiln_axis_end *list = lists->ends + axis * lists->stride, ends[2];
    published_ends(world, lists, axis, place, ends);
    const uint32_t lower = find_end(list, place, false);
    const int first = ends[0].value > list[lower].value ? 1 : 0;
    for (int i = 0; i < 2; i++) {
        const int which = i == 0 ? first : 1 - first;
        const uint32_t at = find_end(list, place, which == 1);
        list[at] = ends[which];
        settle_end(world, lists, list, lists->counts[axis], at);
    }
}

/* --------------------------------------------------------------------------------- intervals -- */

static void pass_pairs_of(kiln_dynamic *world, const published_index *lists, uint32_t place,
                          uint32_t end)
{
    for (uint32_t other = 0; other < end; other++) {
        if (other != place && kiln_dynamic_is_there(world, other) &&
            *counter_of(lists, place, other) == 0) {
            kiln_dynamic_candidate(world, place, other);
        }
    }
}

static void published_times(const kiln_dynamic *world, published_index *lists)
{
    lists->from = (float)((world->begin - lists->base_time) * (1 - 0x1p-22));
    lists->to = (float)((world->end - lists->base_time) * (1 + 0x1p-22));
}

/* All lists from nothing: each lower end is apart from all upper ones before it. */
static void fill_lists(kiln_dynamic *world, published_index *lists)
{
    memset(lists->masks, 0, world->options.capacity * sizeof *lists->masks);
    memset(lists->apart, 0, pairs_of(world->options.capacity));
    memset(lists->counts, 0, sizeof lists->counts);
    lists->base_time = world->begin;
    published_times(world, lists);
    for (uint32_t place = 0; place < world->used; place++) {
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        kiln_axis_mask *mask = &lists->masks[place];
        *mask = kiln_axis_mask_of(&lists->pool, world->bodies[place].velocity);
        for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
             axis = kiln_axis_next(mask, axis + 1)) {
            published_ends(world, lists, axis, place,
                           lists->ends + axis * lists->stride + lists->counts[axis]);
            lists->counts[axis] += 2;
        }
    }
    for (uint32_t axis = 0; axis < lists->pool.count; axis++) {
        const kiln_axis_end *list = lists->ends + axis * lists->stride;
        uint32_t ended = 0;
        kiln_axis_sort(lists->ends + axis * lists->stride, lists->counts[axis]);
        for (uint32_t i = 0; i < lists->counts[axis]; i++) {
            const uint32_t place = kiln_axis_place(list[i].tag);
            if ((list[i].tag & 1) != 0) {
                lists->places[ended++] = place;
                continue;
            }
            for (uint32_t j = 0; j < ended; j++) {
                ++*counter_of(lists, place, lists->places[j]);
            }
        }
    }
    for (uint32_t place = 0; place < world->used && !world->is_full; place++) {
        if (kiln_dynamic_is_there(world, place)) {
            pass_pairs_of(world, lists, place, place);
        }
    }
}

static void begin_published(kiln_dynamic *world, bool whole)
{
    published_index *lists = (published_index *)world->index;
    double most_speed = 0;
    for (uint32_t place = 0; place < world->used; place++) {
        for (int k = 0; k < 3 && kiln_dynamic_is_there(world, place); k++) {
            const double speed = fabs(world->bodies[place].velocity[k]);
            most_speed = speed > most_speed ? speed : most_speed;
        }
    }
    if (whole) {
        fill_lists(world, lists);
        return;
    }
    const bool rebase = 4 * most_speed * (world->end - lists->base_time) > (double)world->limit;
    lists->base_time = rebase ? world->begin : lists->base_time;
    published_times(world, lists);
    world->counts.list_ends = 0;
    for (uint32_t axis = 0; axis < lists->pool.count; axis++) {
        kiln_axis_end *list = lists->ends + axis * lists->stride;
        const uint32_t count = lists->counts[axis];
        world->counts.list_ends += count;
        for (uint32_t i = 0; i < count; i++) {
            if (rebase) {
                kiln_axis_end ends[2];
                const uint32_t tag = list[i].tag;
                kiln_axis_ends_of(world, lists->pool.axes[axis], kiln_axis_place(tag),
                                  lists->base_time, ends);
                list[i] = ends[tag & 1];
            }
            list[i].value = kiln_axis_value(&list[i], lists->from, lists->to);
        }
        for (uint32_t i = 1; i < count; i++) {
            const kiln_axis_end end = list[i];
            uint32_t at = i;
            for (; at > 0 && kiln_axis_is_before(&end, &list[at - 1]); at--) {
                if (pass_left(lists, &end, &list[at - 1])) {
                    kiln_dynamic_candidate(world, kiln_axis_place(end.tag),
                                           kiln_axis_place(list[at - 1].tag));
                }
                list[at] = list[at - 1];
            }
            list[at] = end;
            world->counts.swaps += i - at;
        }
    }
}

static void leave_lists(kiln_dynamic *world, uint32_t place)
{
    published_index *lists = (published_index *)world->index;
    kiln_axis_mask *mask = &lists->masks[place];
    for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(mask, axis + 1)) {
        sort_out(world, lists, axis, place);
    }
    memset(mask, 0, sizeof *mask);
}

static void change_published(kiln_dynamic *world, uint32_t place)
{
    published_index *lists = (published_index *)world->index;
    const kiln_dynamic_body *body = &world->bodies[place];
    const kiln_axis_mask old = lists->masks[place];
    const kiln_axis_mask mask = kiln_axis_mask_of(&lists->pool, body->velocity);
    for (int k = 0; k < 3; k++) {
        if (2 * fabs(body->velocity[k]) * (world->end - lists->base_time) > (double)world->limit) {
            world->is_beyond = true; /* the next interval has other bases */
        }
    }
    if (world->is_beyond) {
        for (uint32_t other = 0; other < world->used; other++) {
            if (other != place && kiln_dynamic_is_there(world, other)) {
                kiln_dynamic_candidate(world, place, other);
            }
        }
        return;
    }
    lists->masks[place] = mask;
    for (uint32_t axis = kiln_axis_next(&mask, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(&mask, axis + 1)) {
        if ((old.words[axis / 64] >> axis % 64 & 1) == 0) {
            sort_in(world, lists, axis, place);
        } else {
            sort_again(world, lists, axis, place);
        }
    }
    for (uint32_t axis = kiln_axis_next(&old, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(&old, axis + 1)) {
        if ((mask.words[axis / 64] >> axis % 64 & 1) == 0) {
            sort_out(world, lists, axis, place);
        }
    }
    pass_pairs_of(world, lists, place, world->used);
}

const kiln_dynamic_method kiln_dynamic_published = {
    .size = published_size,
    .place = place_published,
    .horizon = published_horizon,
    .begin = begin_published,
    .change = change_published,
    .remove = leave_lists,
    .lasting = true,
    .has_image = true,
    .stays = true,
    .may_turn = false,
};
