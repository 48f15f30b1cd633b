/* Sorted lists of ends along axes, without counters of pairs, changed in batches.
 *
 * As in the paper (IV-A, V-A) ends are advanced at the begin of an interval and sorted by
 * insertion; where a lower end passes below an upper one, two objects begin to overlap along the
 * axis. They are then looked at along all other axes that both use, rather than by a counter of
 * pairs, so that no matrix is needed. Every pair that overlaps along all of its axes comes up when
 * the last of them begins to; the look must allow for more than the lists do, or a pair is passed
 * over for good.
 *
 * An object whose velocity changes leaves its ends behind, known by its key, and is put down as
 * changed. Until the next interval it is looked for among the sorted ends of others, on the lowest
 * axis that both use, and among those that changed. Then its new ends are sorted, at the values of
 * the interval that is over, and merged into the lists, and only then all are advanced: merged at
 * the new values they would hide what passes them. */
#include "axis_masks.h"

#include <math.h>
#include <string.h>

/* Mean ways between neighbours that objects move in an interval. */
#define SPACINGS_AN_INTERVAL 0.2
/* More changes of one object than this end an interval, long before bits of its key repeat. */
enum { CHANGES_OF_ONE = 1 << (KILN_AXIS_KEY_BITS - 1) };
/* Alone is what the lists had no room for, and was tested against all others. */
enum { NOT_CHANGED, CHANGED, ALONE };

typedef struct {
    kiln_axis_pool pool;
    kiln_axis_mask *masks; /* of objects */
    uint32_t *born;        /* keys at the begin of the interval */
    uint32_t *changed;     /* places, each once: see `is_changed` */
    uint8_t *is_changed;   /* CHANGED: its present ends are not in the lists; or ALONE */
    kiln_axis_end *ends;   /* of all lists, one after the other; new ones at the end */
    uint32_t room, capacity;
    uint32_t changed_count;
    uint32_t first[KILN_AXIS_MOST + 1]; /* of lists */
    float longest[KILN_AXIS_MOST];      /* an interval of the list, at most */
    double base_time;
    float from, to; /* the interval, since the time of the bases */
    float most_reach;
} axis_index;

/* ---------------------------------------------------------------------------------- memory -- */

static uint32_t ends_room(const kiln_dynamic_options *options, const kiln_axis_pool *pool)
{
    const uint64_t room = (uint64_t)options->capacity * 2 * kiln_axis_pool_mean(pool) * 5 / 4 +
                          4 * (uint64_t)pool->count;
    return room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
}

static size_t rounded_up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

static size_t lists_size(const kiln_dynamic_options *options)
{
    kiln_axis_pool pool;
    (void)kiln_axis_pool_of(options, &pool);
    const size_t capacity = options->capacity;
    return rounded_up(sizeof(axis_index)) + rounded_up(capacity * sizeof(kiln_axis_mask)) +
           2 * rounded_up(capacity * sizeof(uint32_t)) + rounded_up(capacity * sizeof(uint8_t)) +
           rounded_up(ends_room(options, &pool) * sizeof(kiln_axis_end));
}

static void *cut_memory(uint8_t **memory, size_t bytes)
{
    void *cut = *memory;
    *memory += rounded_up(bytes);
    return cut;
}

static void place_lists(kiln_dynamic *world, uint8_t *memory)
{
    const size_t capacity = world->options.capacity;
    axis_index *lists = (axis_index *)cut_memory(&memory, sizeof *lists);
    memset(lists, 0, sizeof *lists);
    (void)kiln_axis_pool_of(&world->options, &lists->pool);
    lists->room = ends_room(&world->options, &lists->pool);
    lists->masks = (kiln_axis_mask *)cut_memory(&memory, capacity * sizeof *lists->masks);
    lists->born = (uint32_t *)cut_memory(&memory, capacity * sizeof *lists->born);
    lists->changed = (uint32_t *)cut_memory(&memory, capacity * sizeof *lists->changed);
    lists->is_changed = (uint8_t *)cut_memory(&memory, capacity * sizeof *lists->is_changed);
    lists->ends = (kiln_axis_end *)cut_memory(&memory, lists->room * sizeof *lists->ends);
    memset(lists->is_changed, 0, capacity * sizeof *lists->is_changed);
    world->index = lists;
}

static double lists_horizon(kiln_dynamic *world)
{
    const double way = SPACINGS_AN_INTERVAL * world->spacing;
    return world->speed * KILN_DYNAMIC_LONGEST > way ? way / world->speed : KILN_DYNAMIC_LONGEST;
}

/* ----------------------------------------------------------------------------------- pairs -- */

static float list_horizon(const axis_index *lists)
{
    return (lists->to - lists->from) * (1 + 0x1p-20f);
}

/* Can they not touch as long as they move as they do, as far as floats can tell? A rejection holds
 * for the whole of their velocities, as that of a list's does not, so that a pair that is passed
 * over here need not come up again. The way at closest approach is off by the time until then by
 * 2^-24 of both velocities, and what the reaches' pad is for. */
static bool never_touch(const kiln_dynamic *world, uint32_t i, uint32_t j)
{
    const kiln_dynamic_image *image = &world->image;
    float dd = 0, dw = 0, ww = 0, speeds = 0, d[3], w[3];
    for (int k = 0; k < 3; k++) {
        const float v = image->velocity[k][i], u = image->velocity[k][j];
        d[k] = image->position[k][j] - image->position[k][i];
        w[k] = u - v;
        dd += d[k] * d[k];
        dw += d[k] * w[k];
        ww += w[k] * w[k];
        speeds += (v < 0 ? -v : v) + (u < 0 ? -u : u);
    }
    const float reach = image->reach[i] + image->reach[j];
    if (!(dd > reach * reach * 1.001f) || !(ww > 0x1p-80f)) {
        return false;
    }
    const float time = dw < 0 ? -dw / ww : 0;
    float squares = 0;
    for (int k = 0; k < 3; k++) {
        const float e = d[k] + w[k] * time;
        squares += e * e;
    }
    const float wide = reach + time * speeds * 0x1p-21f;
    return squares > wide * wide * 1.001f;
}

/* Two objects that overlap along an axis. */
static void look_at(kiln_dynamic *world, const axis_index *lists, const kiln_axis_mask *shared,
                    uint32_t i, uint32_t j)
{
    world->counts.looked_at++;
    if (!never_touch(world, i, j) &&
        kiln_axis_overlap(world, &lists->pool, shared, i, j, list_horizon(lists))) {
        kiln_dynamic_candidate(world, i, j);
    }
}

/* ----------------------------------------------------------------------------------- sorting -- */

/* The list goes from order at old values to that at new ones; crossings are passed on. */
static void sort_list(kiln_dynamic *world, const axis_index *lists, kiln_axis_end *list,
                      uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const kiln_axis_end end = list[i];
        uint32_t at = i;
        for (; at > 0 && kiln_axis_is_before(&end, &list[at - 1]); at--) {
            if ((end.tag & 1) == 0 && (list[at - 1].tag & 1) != 0) {
                const uint32_t x = kiln_axis_place(end.tag), y = kiln_axis_place(list[at - 1].tag);
                const kiln_axis_mask shared = kiln_axis_shared(&lists->masks[x], &lists->masks[y]);
                look_at(world, lists, &shared, x, y);
            }
            list[at] = list[at - 1];
        }
        list[at] = end;
        world->counts.swaps += i - at;
    }
}

/* ----------------------------------------------------------------------------------- merging -- */

/* Leaves out ends whose object has changed, and closes the gaps. */
static void drop_stale(const kiln_dynamic *world, axis_index *lists)
{
    uint32_t kept = 0, begin = lists->first[0];
    for (uint32_t axis = 0; axis < lists->pool.count; axis++) {
        const uint32_t end = lists->first[axis + 1];
        lists->first[axis] = kept;
        for (uint32_t i = begin; i < end; i++) {
            const uint32_t tag = lists->ends[i].tag, place = kiln_axis_place(tag);
            if (lists->is_changed[place] == NOT_CHANGED &&
                kiln_axis_tag(place, world->keys[place], (tag & 1) != 0) == tag) {
                lists->ends[kept++] = lists->ends[i];
            }
        }
        begin = end;
    }
    lists->first[lists->pool.count] = kept;
}

/* Puts the ends of changed objects behind the lists, sorted axis by axis: where they begin is in
 * `begin`. Objects for which there is no room stay among the changed. */
static void make_ends(kiln_dynamic *world, axis_index *lists, uint32_t begin[])
{
    const uint32_t count = lists->pool.count, main_count = lists->first[count];
    uint32_t total = 0, left = 0, sizes[KILN_AXIS_MOST] = {0};
    for (uint32_t i = 0; i < lists->changed_count; i++) {
        const uint32_t place = lists->changed[i];
        const kiln_axis_mask *mask = &lists->masks[place];
        uint32_t own = 0;
        for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
             axis = kiln_axis_next(mask, axis + 1)) {
            own += 2;
        }
        if (!kiln_dynamic_is_there(world, place)) {
            lists->is_changed[place] = NOT_CHANGED;
            continue;
        }
        /* The lists move up by what is new, and must not reach where that is, unless there are
         * none yet. */
        const uint64_t more = (uint64_t)total + own;
        if (main_count + (main_count > 0 ? 2 * more : more) > lists->room) {
            lists->changed[left++] = place;
            continue;
        }
        lists->is_changed[place] = NOT_CHANGED;
        total += own;
        for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
             axis = kiln_axis_next(mask, axis + 1)) {
            sizes[axis] += 2;
        }
        /* Taken ones go to the back of the array, in any order. */
        lists->born[place] = 0;
    }
    uint32_t at[KILN_AXIS_MOST];
    begin[0] = lists->room - total;
    for (uint32_t axis = 0; axis < count; axis++) {
        at[axis] = begin[axis];
        begin[axis + 1] = begin[axis] + sizes[axis];
    }
    for (uint32_t place = 0; place < world->used; place++) {
        const kiln_axis_mask *mask = &lists->masks[place];
        if (lists->born[place] != 0 || !kiln_dynamic_is_there(world, place)) {
            continue;
        }
        for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
             axis = kiln_axis_next(mask, axis + 1)) {
            kiln_axis_end *ends = &lists->ends[at[axis]];
            at[axis] += 2;
            kiln_axis_ends_of(world, lists->pool.axes[axis], place, lists->base_time, ends);
            for (int i = 0; i < 2; i++) {
                ends[i].value = kiln_axis_value(&ends[i], lists->from, lists->to);
            }
        }
    }
    for (uint32_t axis = 0; axis < count; axis++) {
        kiln_axis_sort(lists->ends + begin[axis], sizes[axis]);
    }
    lists->changed_count = left;
}

/* Both sorted parts of each list into one, from the last list to the first, as lists move up. */
static void merge_ends(axis_index *lists, const uint32_t begin[])
{
    const uint32_t count = lists->pool.count;
    if (lists->first[count] == 0) {
        memmove(lists->ends, lists->ends + begin[0],
                (begin[count] - begin[0]) * sizeof *lists->ends);
        for (uint32_t axis = 0; axis <= count; axis++) {
            lists->first[axis] = begin[axis] - begin[0];
        }
        return;
    }
    uint32_t to = lists->first[count] + (begin[count] - begin[0]);
    uint32_t last = lists->first[count];
    lists->first[count] = to;
    for (uint32_t axis = count; axis-- > 0;) {
        const uint32_t low = lists->first[axis];
        uint32_t x = last, y = begin[axis + 1];
        while (y > begin[axis]) {
            if (x > low && kiln_axis_is_before(&lists->ends[y - 1], &lists->ends[x - 1])) {
                lists->ends[--to] = lists->ends[--x];
            } else {
                lists->ends[--to] = lists->ends[--y];
            }
        }
        to -= x - low;
        memmove(&lists->ends[to], &lists->ends[low], (x - low) * sizeof *lists->ends);
        last = low;
        lists->first[axis] = to;
    }
}

/* --------------------------------------------------------------------------------- intervals -- */

/* Bases at the present time, in place. */
static void move_bases(const kiln_dynamic *world, axis_index *lists)
{
    lists->base_time = world->begin;
    for (uint32_t axis = 0; axis < lists->pool.count; axis++) {
        for (uint32_t i = lists->first[axis]; i < lists->first[axis + 1]; i++) {
            const uint32_t tag = lists->ends[i].tag;
            const float value = lists->ends[i].value;
            kiln_axis_end ends[2];
            kiln_axis_ends_of(world, lists->pool.axes[axis], kiln_axis_place(tag), lists->base_time,
                              ends);
            lists->ends[i] = ends[tag & 1];
            lists->ends[i].value = value;
        }
    }
}

static void advance_list(axis_index *lists, uint32_t axis)
{
    float most = 0;
    for (uint32_t i = lists->first[axis]; i < lists->first[axis + 1]; i++) {
        kiln_axis_end *end = &lists->ends[i];
        const float speed = end->velocity < 0 ? -end->velocity : end->velocity;
        end->value = kiln_axis_value(end, lists->from, lists->to);
        most = speed > most ? speed : most;
    }
    lists->longest[axis] = (most * (lists->to - lists->from) + 2 * lists->most_reach) * 1.001f;
}

static void set_times(const kiln_dynamic *world, axis_index *lists)
{
    const double from = world->begin - lists->base_time, to = world->end - lists->base_time;
    lists->from = (float)(from * (1 - 0x1p-22));
    lists->to = (float)(to * (1 + 0x1p-22));
}

/* The first end of a list that is not below a value. */
static uint32_t lower_bound(const axis_index *lists, uint32_t axis, float value)
{
    uint32_t low = lists->first[axis], high = lists->first[axis + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (lists->ends[middle].value < value) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* All pairs of an object with those whose ends are in the lists, from place `least` on. */
static void look_around(kiln_dynamic *world, const axis_index *lists, uint32_t place,
                        uint32_t least)
{
    const kiln_axis_mask *mask = &lists->masks[place];
    for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(mask, axis + 1)) {
        kiln_axis_end ends[2];
        kiln_axis_ends_of(world, lists->pool.axes[axis], place, lists->base_time, ends);
        const float low = kiln_axis_value(&ends[0], lists->from, lists->to);
        const float high = kiln_axis_value(&ends[1], lists->from, lists->to);
        for (uint32_t i = lower_bound(lists, axis, low - lists->longest[axis]);
             i < lists->first[axis + 1] && lists->ends[i].value <= high; i++) {
            const uint32_t tag = lists->ends[i].tag, other = kiln_axis_place(tag);
            if ((tag & 1) != 0 || other < least || other == place ||
                lists->is_changed[other] != NOT_CHANGED) {
                continue;
            }
            const kiln_axis_mask shared = kiln_axis_shared(mask, &lists->masks[other]);
            if (kiln_axis_next(&shared, 0) == axis) {
                look_at(world, lists, &shared, place, other);
            }
        }
    }
}

static void put_down(axis_index *lists, uint32_t place)
{
    if (lists->is_changed[place] == NOT_CHANGED) {
        lists->changed[lists->changed_count++] = place;
    }
    lists->is_changed[place] = CHANGED;
}

static void test_against_all(kiln_dynamic *world, uint32_t place)
{
    for (uint32_t other = 0; other < world->used; other++) {
        if (other != place && kiln_dynamic_is_there(world, other)) {
            kiln_dynamic_candidate(world, place, other);
        }
    }
}

static void begin_lists(kiln_dynamic *world, bool whole)
{
    axis_index *lists = (axis_index *)world->index;
    uint32_t begin[KILN_AXIS_MOST + 1];
    lists->most_reach = 0;
    double most_speed = 0;
    for (uint32_t place = 0; place < world->used; place++) {
        if (!kiln_dynamic_is_there(world, place)) {
            continue;
        }
        const float reach = world->image.reach[place];
        lists->most_reach = reach > lists->most_reach ? reach : lists->most_reach;
        for (int k = 0; k < 3; k++) {
            const double speed = fabs(world->bodies[place].velocity[k]);
            most_speed = speed > most_speed ? speed : most_speed;
        }
    }
    if (whole) {
        memset(lists->first, 0, sizeof lists->first);
        memset(lists->is_changed, 0, world->used * sizeof *lists->is_changed);
        lists->changed_count = 0;
        lists->base_time = world->begin;
        set_times(world, lists);
        for (uint32_t place = 0; place < world->used; place++) {
            if (kiln_dynamic_is_there(world, place)) {
                lists->masks[place] =
                    kiln_axis_mask_of(&lists->pool, world->bodies[place].velocity);
                put_down(lists, place);
            }
        }
    }
    drop_stale(world, lists);
    memcpy(lists->born, world->keys, world->used * sizeof *lists->born);
    make_ends(world, lists, begin);
    merge_ends(lists, begin);
    if (4 * most_speed * (world->end - lists->base_time) > (double)world->limit) {
        move_bases(world, lists);
    }
    set_times(world, lists);
    memcpy(lists->born, world->keys, world->used * sizeof *lists->born);
    world->counts.list_ends = lists->first[lists->pool.count];
    for (uint32_t axis = 0; axis < lists->pool.count; axis++) {
        advance_list(lists, axis);
        sort_list(world, lists, &lists->ends[lists->first[axis]],
                  lists->first[axis + 1] - lists->first[axis]);
    }
    for (uint32_t place = 0; place < world->used && whole && !world->is_full; place++) {
        if (kiln_dynamic_is_there(world, place)) {
            look_around(world, lists, place, place + 1);
        }
    }
    for (uint32_t i = 0; i < lists->changed_count; i++) {
        const uint32_t place = lists->changed[i];
        if (lists->is_changed[place] == CHANGED) {
            lists->is_changed[place] = ALONE;
            test_against_all(world, place);
        }
    }
}

static void change_lists(kiln_dynamic *world, uint32_t place)
{
    axis_index *lists = (axis_index *)world->index;
    const kiln_dynamic_body *body = &world->bodies[place];
    double speed = 0;
    for (int k = 0; k < 3; k++) {
        speed = fabs(body->velocity[k]) > speed ? fabs(body->velocity[k]) : speed;
    }
    put_down(lists, place);
    lists->masks[place] = kiln_axis_mask_of(&lists->pool, body->velocity);
    if (2 * speed * (world->end - lists->base_time) > (double)world->limit ||
        world->keys[place] - lists->born[place] >= CHANGES_OF_ONE) {
        world->is_beyond = true; /* the next interval has other bases */
        test_against_all(world, place);
        return;
    }
    look_around(world, lists, place, 0);
    for (uint32_t i = 0; i < lists->changed_count; i++) {
        const uint32_t other = lists->changed[i];
        if (other != place && kiln_dynamic_is_there(world, other)) {
            const kiln_axis_mask shared =
                kiln_axis_shared(&lists->masks[place], &lists->masks[other]);
            if (lists->is_changed[other] == ALONE) {
                kiln_dynamic_candidate(world, place, other);
            } else {
                look_at(world, lists, &shared, place, other);
            }
        }
    }
}

const kiln_dynamic_method kiln_dynamic_lists = {
    .size = lists_size,
    .place = place_lists,
    .horizon = lists_horizon,
    .begin = begin_lists,
    .change = change_lists,
    .lasting = true,
    .has_image = true,
    .stays = true,
    .may_turn = false,
};
