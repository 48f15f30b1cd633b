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
#define SPACINGS_AN_INTERVAL 0.27
/* More changes of one object than this end an interval, long before bits of its key repeat. */
enum { CHANGES_OF_ONE = 1 << (KILN_AXIS_KEY_BITS - 1) };
/* Alone is what the lists had no room for, and was tested against all others. */
enum { NOT_CHANGED, CHANGED, ALONE };
enum { LOOKS_AT_ONCE = 256 };

/* The data by which most candidates are rejected, in one line of the cache for each object. */
typedef struct {
    kiln_axis_mask mask;
    float position[3], velocity[3], reach; /* of the image */
    uint32_t state; /* CHANGED: its present ends are not in the lists; or ALONE */
} list_object;
KILN_STATIC_ASSERT(sizeof(list_object) == 64, "an object is a line of the cache");

typedef struct {
    kiln_axis_pool pool;
    list_object *objects;
    uint32_t *born;      /* keys at the begin of the interval */
    uint32_t *changed;   /* places, each once: see `state` */
    kiln_axis_end *ends; /* of all lists, one after the other; new ones at the end */
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
    return rounded_up(sizeof(axis_index)) + rounded_up(capacity * sizeof(list_object)) +
           2 * rounded_up(capacity * sizeof(uint32_t)) +
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
    lists->objects = (list_object *)cut_memory(&memory, capacity * sizeof *lists->objects);
    lists->born = (uint32_t *)cut_memory(&memory, capacity * sizeof *lists->born);
    lists->changed = (uint32_t *)cut_memory(&memory, capacity * sizeof *lists->changed);
    lists->ends = (kiln_axis_end *)cut_memory(&memory, lists->room * sizeof *lists->ends);
    memset(lists->objects, 0, capacity * sizeof *lists->objects);
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
static bool never_touch(const list_object *one, const list_object *other)
{
    float dd = 0, dw = 0, ww = 0, speeds = 0, d[3], w[3];
    for (int k = 0; k < 3; k++) {
        const float v = one->velocity[k], u = other->velocity[k];
        d[k] = other->position[k] - one->position[k];
        w[k] = u - v;
        dd += d[k] * d[k];
        dw += d[k] * w[k];
        ww += w[k] * w[k];
        speeds += (v < 0 ? -v : v) + (u < 0 ? -u : u);
    }
    const float reach = one->reach + other->reach;
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
static void look_at(kiln_dynamic *world, const axis_index *lists, uint32_t i, uint32_t j)
{
    const list_object *one = &lists->objects[i], *other = &lists->objects[j];
    world->counts.looked_at++;
    if (!never_touch(one, other)) {
        const kiln_axis_mask shared = kiln_axis_shared(&one->mask, &other->mask);
        if (kiln_axis_overlap(world, &lists->pool, &shared, i, j, list_horizon(lists))) {
            kiln_dynamic_candidate(world, i, j);
        }
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
                look_at(world, lists, kiln_axis_place(end.tag), kiln_axis_place(list[at - 1].tag));
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
            if (lists->objects[place].state == NOT_CHANGED &&
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
        const kiln_axis_mask *mask = &lists->objects[place].mask;
        uint32_t own = 0;
        for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
             axis = kiln_axis_next(mask, axis + 1)) {
            own += 2;
        }
        if (!kiln_dynamic_is_there(world, place)) {
            lists->objects[place].state = NOT_CHANGED;
            continue;
        }
        /* The lists move up by what is new, and must not reach where that is, unless there are
         * none yet. */
        const uint64_t more = (uint64_t)total + own;
        if (main_count + (main_count > 0 ? 2 * more : more) > lists->room) {
            lists->changed[left++] = place;
            continue;
        }
        lists->objects[place].state = NOT_CHANGED;
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
        const kiln_axis_mask *mask = &lists->objects[place].mask;
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

/* Collects the objects whose lower ends are in a list and not above `high`. It reads at most
 * LOOKS_AT_ONCE entries from *at on, and moves *at behind them. Every second end is an upper one,
 * so that a branch for each would cost more than the rest. */
static uint32_t take_lower(const axis_index *lists, uint32_t *at, uint32_t end, float high,
                           uint32_t others[LOOKS_AT_ONCE])
{
    const kiln_axis_end *ends = lists->ends;
    uint32_t count = 0, i = *at;
    const uint32_t last = end - i < LOOKS_AT_ONCE ? end : i + LOOKS_AT_ONCE;
    for (; i < last && ends[i].value <= high; i++) {
        others[count] = kiln_axis_place(ends[i].tag);
        count += ~ends[i].tag & 1;
    }
    *at = i < last ? end : i;
    return count;
}

/* Keeps, of `count` objects, those from place `least` on whose ends are in the lists and that have
 * none of the axes `below` in common with the object at `place`. */
static uint32_t take_new(const axis_index *lists, const kiln_axis_mask *below, uint32_t place,
                         uint32_t least, uint32_t others[LOOKS_AT_ONCE], uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const list_object *other = &lists->objects[others[i]];
        uint64_t shared = other->state; /* NOT_CHANGED is 0 */
        for (int word = 0; word < KILN_AXIS_WORDS; word++) {
            shared |= other->mask.words[word] & below->words[word];
        }
        others[kept] = others[i];
        kept += (shared == 0) & (others[i] >= least) & (others[i] != place);
    }
    return kept;
}

/* All pairs of an object with those whose ends are in the lists, from place `least` on, each on the
 * lowest axis that both use. */
static void look_around(kiln_dynamic *world, const axis_index *lists, uint32_t place,
                        uint32_t least)
{
    const kiln_axis_mask *mask = &lists->objects[place].mask;
    kiln_axis_mask below = {{0, 0, 0, 0}};
    for (uint32_t axis = kiln_axis_next(mask, 0); axis < KILN_AXIS_MOST;
         axis = kiln_axis_next(mask, axis + 1)) {
        const uint32_t end = lists->first[axis + 1];
        kiln_axis_end ends[2];
        kiln_axis_ends_of(world, lists->pool.axes[axis], place, lists->base_time, ends);
        const float low = kiln_axis_value(&ends[0], lists->from, lists->to);
        const float high = kiln_axis_value(&ends[1], lists->from, lists->to);
        for (uint32_t at = lower_bound(lists, axis, low - lists->longest[axis]); at < end;) {
            uint32_t others[LOOKS_AT_ONCE];
            uint32_t count = take_lower(lists, &at, end, high, others);
            count = take_new(lists, &below, place, least, others, count);
            for (uint32_t i = 0; i < count; i++) {
                look_at(world, lists, place, others[i]);
            }
        }
        below.words[axis / 64] |= UINT64_C(1) << axis % 64;
    }
}

static void put_down(axis_index *lists, uint32_t place)
{
    if (lists->objects[place].state == NOT_CHANGED) {
        lists->changed[lists->changed_count++] = place;
    }
    lists->objects[place].state = CHANGED;
}

static void test_against_all(kiln_dynamic *world, uint32_t place)
{
    for (uint32_t other = 0; other < world->used; other++) {
        if (other != place && kiln_dynamic_is_there(world, other)) {
            kiln_dynamic_candidate(world, place, other);
        }
    }
}

static void copy_image(const kiln_dynamic *world, axis_index *lists, uint32_t place)
{
    list_object *object = &lists->objects[place];
    for (int k = 0; k < 3; k++) {
        object->position[k] = world->image.position[k][place];
        object->velocity[k] = world->image.velocity[k][place];
    }
    object->reach = world->image.reach[place];
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
        copy_image(world, lists, place);
        const float reach = lists->objects[place].reach;
        lists->most_reach = reach > lists->most_reach ? reach : lists->most_reach;
        for (int k = 0; k < 3; k++) {
            const double speed = fabs(world->bodies[place].velocity[k]);
            most_speed = speed > most_speed ? speed : most_speed;
        }
    }
    if (whole) {
        memset(lists->first, 0, sizeof lists->first);
        lists->changed_count = 0;
        lists->base_time = world->begin;
        set_times(world, lists);
        for (uint32_t place = 0; place < world->used; place++) {
            lists->objects[place].state = NOT_CHANGED;
            if (kiln_dynamic_is_there(world, place)) {
                lists->objects[place].mask =
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
        if (lists->objects[place].state == CHANGED) {
            lists->objects[place].state = ALONE;
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
    copy_image(world, lists, place);
    lists->objects[place].mask = kiln_axis_mask_of(&lists->pool, body->velocity);
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
            if (lists->objects[other].state == ALONE) {
                kiln_dynamic_candidate(world, place, other);
            } else {
                look_at(world, lists, place, other);
            }
        }
    }
}

/* Its ends stay until the next interval, as those of an object that changed. */
static void remove_from_lists(kiln_dynamic *world, uint32_t place)
{
    put_down((axis_index *)world->index, place);
}

const kiln_dynamic_method kiln_dynamic_lists = {
    .size = lists_size,
    .place = place_lists,
    .horizon = lists_horizon,
    .begin = begin_lists,
    .change = change_lists,
    .remove = remove_from_lists,
    .lasting = true,
    .has_image = true,
    .stays = true,
    .may_turn = false,
};
