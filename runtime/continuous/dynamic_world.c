/* Dynamic worlds: their memory, and what changes them between steps. */
#include "axis_masks.h"

#include "../base/caller_memory.h"
#include "../base/options.h"

#include <math.h>
#include <string.h>

enum { DYNAMIC_ALIGNMENT = 64, EVENTS_AN_OBJECT = 8, EVENTS_LEAST = 1024 };

/* ---------------------------------------------------------------------------------- memory -- */

static const struct {
    kiln_dynamic_engine engine;
    const kiln_dynamic_method *method;
} methods[] = {
    {KILN_DYNAMIC_AUTO, &kiln_dynamic_auto},
    {KILN_DYNAMIC_ALL_PAIRS, &kiln_dynamic_all_pairs},
    {KILN_DYNAMIC_ALL_PAIRS_SIMD, &kiln_dynamic_all_pairs_simd},
    {KILN_DYNAMIC_GRID, &kiln_dynamic_grid},
    {KILN_DYNAMIC_SWEEP, &kiln_dynamic_lists},
    {KILN_DYNAMIC_SWEEP_14DOP, &kiln_dynamic_lists},
    {KILN_DYNAMIC_VADOP, &kiln_dynamic_lists},
    {KILN_DYNAMIC_VADOP_PUBLISHED, &kiln_dynamic_published},
};

const kiln_dynamic_method *kiln_dynamic_method_of(kiln_dynamic_engine engine)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (methods[i].engine == engine) {
            return methods[i].method;
        }
    }
    return NULL;
}

kiln_dynamic_options kiln_dynamic_options_default(void)
{
    kiln_dynamic_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.filters = KILN_DYNAMIC_FILTER_ALL;
    options.events_most = 4096;
    for (int k = 0; k < 3; k++) {
        options.lower[k] = -HUGE_VAL;
        options.upper[k] = HUGE_VAL;
    }
    return options;
}

/* The caller's options, as far as its version of the struct goes. False: out of range. */
static bool take_options(const kiln_dynamic_options *given, kiln_dynamic_options *full)
{
    *full = kiln_dynamic_options_default();
    if (given == NULL) {
        return false;
    }
    kiln_options_take(full, sizeof *full, given);
    bool is_sound = full->capacity <= KILN_DYNAMIC_CAPACITY_MOST &&
                    full->event_capacity <= (uint32_t)KILN_DYNAMIC_CAPACITY_MOST * 64 &&
                    full->pair_capacity <= (uint32_t)KILN_DYNAMIC_CAPACITY_MOST * 16 &&
                    full->events_most >= 1 && full->interval >= 0 && full->interval <= 0x1p20 &&
                    (full->filters & ~(uint32_t)KILN_DYNAMIC_FILTER_ALL) == 0 &&
                    kiln_dynamic_method_of(full->engine) != NULL;
    for (int k = 0; k < 3; k++) {
        is_sound = is_sound && full->lower[k] <= full->upper[k];
    }
    kiln_axis_pool pool;
    is_sound = is_sound && full->axes_sine >= 0 && kiln_axis_pool_of(full, &pool);
    if (full->event_capacity == 0) {
        full->event_capacity = full->capacity * EVENTS_AN_OBJECT + EVENTS_LEAST;
    }
    return is_sound;
}

static uint32_t kept_room(const kiln_dynamic_options *options)
{
    uint32_t room = options->pair_capacity > 0;
    while (room < options->pair_capacity) {
        room *= 2;
    }
    return room;
}

/* Where the arrays are, in bytes from the world on. */
typedef struct {
    size_t bodies, limbs, keys, facts, heap, kept, image, index, end;
} dynamic_layout;

static size_t aligned_up(size_t at)
{
    return (at + DYNAMIC_ALIGNMENT - 1) / DYNAMIC_ALIGNMENT * DYNAMIC_ALIGNMENT;
}

static size_t image_stride(const kiln_dynamic_options *options)
{
    return aligned_up(options->capacity * sizeof(float)) + DYNAMIC_ALIGNMENT;
}

static dynamic_layout lay_out_world(const kiln_dynamic_options *options)
{
    const kiln_dynamic_method *method = kiln_dynamic_method_of(options->engine);
    const size_t room = options->capacity;
    dynamic_layout at;
    at.bodies = aligned_up(sizeof(kiln_dynamic));
    at.limbs = at.bodies + room * sizeof(kiln_dynamic_body);
    at.facts = at.limbs + (options->capsules ? room * sizeof(kiln_dynamic_limb) : 0);
    at.heap = at.facts + room * sizeof(kiln_dynamic_fact);
    at.kept = at.heap + options->event_capacity * sizeof(kiln_dynamic_waiting);
    at.keys = at.kept + kept_room(options) * sizeof(kiln_dynamic_kept);
    at.image = aligned_up(at.keys + room * sizeof(uint32_t));
    at.index = at.image + (method->has_image ? 7 * image_stride(options) : 0);
    at.end = at.index + method->size(options);
    return at;
}

size_t kiln_dynamic_size(const kiln_dynamic_options *options)
{
    kiln_dynamic_options full;
    return take_options(options, &full) ? lay_out_world(&full).end + DYNAMIC_ALIGNMENT - 1 : 0;
}

kiln_status kiln_dynamic_place(void *memory, size_t size, const kiln_dynamic_options *options,
                               kiln_dynamic **out)
{
    kiln_dynamic_options full;
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    if (memory == NULL || !take_options(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    const size_t skip = kiln_memory_skip(memory, DYNAMIC_ALIGNMENT);
    const dynamic_layout at = lay_out_world(&full);
    if (size < skip + at.end) {
        return KILN_ERROR_ARGUMENT;
    }
    uint8_t *start = (uint8_t *)memory + skip;
    kiln_dynamic *world = (kiln_dynamic *)(void *)start;
    memset(world, 0, sizeof *world);
    world->options = full;
    world->bodies = (kiln_dynamic_body *)(void *)(start + at.bodies);
    world->limbs = full.capsules ? (kiln_dynamic_limb *)(void *)(start + at.limbs) : NULL;
    world->keys = (uint32_t *)(void *)(start + at.keys);
    world->facts = (kiln_dynamic_fact *)(void *)(start + at.facts);
    world->heap = (kiln_dynamic_waiting *)(void *)(start + at.heap);
    world->heap_room = full.event_capacity;
    if (full.pair_capacity > 0) {
        world->kept = (kiln_dynamic_kept *)(void *)(start + at.kept);
        world->kept_mask = kept_room(&full) - 1;
        memset(world->kept, 0, kept_room(&full) * sizeof *world->kept);
    }
    world->method = kiln_dynamic_method_of(full.engine);
    world->method_engine = full.engine;
    if (world->method->has_image) {
        const size_t stride = image_stride(&full);
        for (size_t i = 0; i < 7; i++) {
            float *row = (float *)(void *)(start + at.image + i * stride);
            memset(row, 0, stride);
            *(i < 3   ? &world->image.position[i]
              : i < 6 ? &world->image.velocity[i - 3]
                      : &world->image.reach) = row;
        }
    }
    world->first_free = KILN_DYNAMIC_NOWHERE;
    world->is_whole = true;
    world->method->place(world, start + at.index);
    *out = world;
    return KILN_OK;
}

/* Events of this very time that wait, while an interval is in hand. Another would find what was
 * passed of them again. */
static bool waits_now(const kiln_dynamic *from, uint32_t i, bool has_walls)
{
    const kiln_dynamic_waiting *event = &from->heap[i];
    return event->time == from->now && (has_walls || event->b < KILN_DYNAMIC_WALL) &&
           !kiln_dynamic_is_stale(from, event);
}

/* The copy's interval is this instant; what it finds in it is tested against all, and then it goes
 * on from the next interval as one that has none. */
static void copy_instant(const kiln_dynamic *from, kiln_dynamic *to, bool has_walls)
{
    for (uint32_t i = 0; i < from->heap_count; i++) {
        if (waits_now(from, i, has_walls)) {
            kiln_dynamic_wait(to, &from->heap[i]);
        }
    }
    to->begin = to->now;
    to->end = nextafter(to->now, HUGE_VAL);
    to->is_beyond = true;
}

kiln_status kiln_dynamic_copy(const kiln_dynamic *from, kiln_dynamic *to)
{
    if (from == NULL || to == NULL || to->used > 0 || to->now > 0 ||
        (from->limbs != NULL && to->limbs == NULL)) {
        return KILN_ERROR_ARGUMENT;
    }
    const bool has_walls =
        memcmp(from->options.lower, to->options.lower, sizeof to->options.lower) == 0 &&
        memcmp(from->options.upper, to->options.upper, sizeof to->options.upper) == 0;
    const bool has_instant = from->now < from->end && !from->is_empty;
    uint32_t waiting = 0;
    for (uint32_t i = 0; i < from->heap_count && has_instant; i++) {
        waiting += waits_now(from, i, has_walls);
    }
    if (to->options.capacity < from->used || to->heap_room < waiting) {
        return KILN_ERROR_FULL;
    }
    memcpy(to->bodies, from->bodies, from->used * sizeof *to->bodies);
    memcpy(to->keys, from->keys, from->used * sizeof *to->keys);
    memcpy(to->facts, from->facts, from->used * sizeof *to->facts);
    if (to->limbs != NULL) {
        memset(to->limbs, 0, from->used * sizeof *to->limbs);
    }
    if (from->limbs != NULL) {
        memcpy(to->limbs, from->limbs, from->used * sizeof *to->limbs);
    }
    to->used = from->used;
    to->first_free = from->first_free;
    to->count = from->count;
    to->now = to->end = to->floor = from->now;
    to->last = from->last;
    to->step = from->step;
    if (has_instant) {
        copy_instant(from, to, has_walls);
    }
    for (uint32_t place = 0; place < to->used && !has_walls; place++) { /* its walls are its own */
        kiln_dynamic_fact *fact = &to->facts[place];
        if (kiln_dynamic_is_there(to, place)) {
            fact->wall = kiln_dynamic_next_wall(to, place, -HUGE_VAL, 0, &fact->wall_time);
            if (fact->wall_time < to->now) {
                fact->wall = kiln_dynamic_next_wall(to, place, to->now, 0, &fact->wall_time);
            }
            if (fact->wall_time < to->end) {
                const kiln_dynamic_waiting event = {
                    fact->wall_time, place, KILN_DYNAMIC_WALL + fact->wall, to->keys[place], 0};
                kiln_dynamic_wait(to, &event);
            }
        }
    }
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- objects -- */

static uint32_t place_of_id(const kiln_dynamic *world, kiln_dynamic_id id)
{
    const uint32_t place = (uint32_t)(id >> 32), generation = (uint32_t)id;
    const bool is_there = place < world->used && kiln_dynamic_is_there(world, place) &&
                          world->facts[place].generation == generation;
    return is_there ? place : KILN_DYNAMIC_NOWHERE;
}

kiln_dynamic_object kiln_dynamic_object_default(void)
{
    kiln_dynamic_object object;
    memset(&object, 0, sizeof object);
    object.struct_size = sizeof object;
    object.radius = 1;
    return object;
}

static bool is_sound_object(const kiln_dynamic *world, const kiln_dynamic_object *object)
{
    bool is_sound = object->radius >= 0 && object->radius <= KILN_DYNAMIC_RANGE &&
                    object->half_length >= 0 && object->half_length <= KILN_DYNAMIC_RANGE;
    for (int k = 0; k < 3; k++) {
        is_sound = is_sound && fabs(object->position[k]) <= KILN_DYNAMIC_RANGE &&
                   fabs(object->velocity[k]) <= KILN_DYNAMIC_RANGE;
    }
    if (is_sound && object->half_length > 0) {
        const double *axis = object->axis;
        const double square = axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2];
        is_sound = world->limbs != NULL && fabs(square - 1) <= 0x1p-19;
    }
    return is_sound;
}

/* In the environment of fpu.h, as what follows. */
static void set_object(kiln_dynamic *world, uint32_t place, const kiln_dynamic_object *object)
{
    kiln_dynamic_body *body = &world->bodies[place];
    kiln_dynamic_fact *fact = &world->facts[place];
    memcpy(body->position, object->position, sizeof body->position);
    memcpy(body->velocity, object->velocity, sizeof body->velocity);
    body->radius = object->radius;
    body->since = world->now;
    if (world->limbs != NULL) {
        kiln_dynamic_limb *limb = &world->limbs[place];
        /* The axis may be longer than a unit by 2^-20. */
        limb->half_length = object->half_length * (1 + 0x1p-19);
        for (int k = 0; k < 3; k++) {
            limb->arm[k] = object->half_length > 0 ? object->half_length * object->axis[k] : 0;
        }
    }
    fact->user = object->user;
    kiln_dynamic_renew(world, place);
    kiln_dynamic_changed(world, place);
}

void kiln_dynamic_renew(kiln_dynamic *world, uint32_t place)
{
    kiln_dynamic_fact *fact = &world->facts[place];
    const kiln_dynamic_body *body = &world->bodies[place];
    world->keys[place] += world->keys[place] == UINT32_MAX ? 2 : 1; /* 0 is none */
    fact->wall = kiln_dynamic_next_wall(world, place, -HUGE_VAL, 0, &fact->wall_time);
    for (int k = 0; k < 3; k++) {
        const double left = KILN_DYNAMIC_FAR - fabs(body->position[k]);
        const double speed = fabs(body->velocity[k]);
        const double until = speed > 0 ? body->since + left / speed : HUGE_VAL;
        world->safe_until = until < world->safe_until ? until : world->safe_until;
    }
}

static kiln_status add_moving(kiln_dynamic *world, const kiln_dynamic_object *object,
                              kiln_dynamic_id *id)
{
    if (!is_sound_object(world, object)) {
        return KILN_ERROR_ARGUMENT;
    }
    uint32_t place = world->first_free;
    if (place == KILN_DYNAMIC_NOWHERE) {
        if (world->used == world->options.capacity) {
            return KILN_ERROR_FULL;
        }
        place = world->used++;
        memset(&world->facts[place], 0, sizeof world->facts[place]);
        world->keys[place] = 0;
    } else {
        world->first_free = world->facts[place].events;
    }
    kiln_dynamic_fact *fact = &world->facts[place];
    fact->generation++;
    fact->events = 0;
    fact->step = world->step;
    world->count++;
    set_object(world, place, object);
    *id = (uint64_t)place << 32 | fact->generation;
    return KILN_OK;
}

kiln_status kiln_dynamic_add(kiln_dynamic *world, const kiln_dynamic_object *object,
                             kiln_dynamic_id *id)
{
    kiln_dynamic_object full = kiln_dynamic_object_default();
    kiln_options_take(&full, sizeof full, object);
    if (world == NULL || object == NULL || id == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    world->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, add_moving);
    const kiln_status status = run(world, &full, id);
    kiln_fpu_leave(world->caller);
    return status;
}

static void remove_moving(kiln_dynamic *world, uint32_t place)
{
    kiln_dynamic_fact *fact = &world->facts[place];
    world->bodies[place].radius = -1;
    world->keys[place] += world->keys[place] == UINT32_MAX ? 2 : 1;
    world->count--;
    kiln_dynamic_changed(world, place);
    if (fact->generation < UINT32_MAX) {
        fact->events = world->first_free;
        world->first_free = place;
    }
}

kiln_status kiln_dynamic_remove(kiln_dynamic *world, kiln_dynamic_id id)
{
    if (world == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_of_id(world, id);
    if (place == KILN_DYNAMIC_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    world->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, remove_moving);
    run(world, place);
    kiln_fpu_leave(world->caller);
    return KILN_OK;
}

static kiln_status set_moving(kiln_dynamic *world, uint32_t place,
                              const kiln_dynamic_object *object)
{
    if (!is_sound_object(world, object)) {
        return KILN_ERROR_ARGUMENT;
    }
    set_object(world, place, object);
    return KILN_OK;
}

kiln_status kiln_dynamic_set(kiln_dynamic *world, kiln_dynamic_id id,
                             const kiln_dynamic_object *object)
{
    kiln_dynamic_object full = kiln_dynamic_object_default();
    kiln_options_take(&full, sizeof full, object);
    if (world == NULL || object == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_of_id(world, id);
    if (place == KILN_DYNAMIC_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    world->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, set_moving);
    const kiln_status status = run(world, place, &full);
    kiln_fpu_leave(world->caller);
    return status;
}

/* ------------------------------------------------------------------------------------- facts -- */

static void read_object(const kiln_dynamic *world, uint32_t place, kiln_dynamic_object *full)
{
    const kiln_dynamic_body *body = &world->bodies[place];
    kiln_dynamic_at(body, world->now, full->position);
    memcpy(full->velocity, body->velocity, sizeof full->velocity);
    full->radius = body->radius;
    full->user = world->facts[place].user;
    if (world->limbs != NULL && world->limbs[place].half_length > 0) {
        const double *arm = world->limbs[place].arm;
        full->half_length = sqrt(arm[0] * arm[0] + arm[1] * arm[1] + arm[2] * arm[2]);
        for (int k = 0; k < 3 && full->half_length > 0; k++) {
            full->axis[k] = arm[k] / full->half_length;
        }
    }
}

kiln_status kiln_dynamic_get(const kiln_dynamic *world, kiln_dynamic_id id,
                             kiln_dynamic_object *object)
{
    if (world == NULL || object == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const uint32_t place = place_of_id(world, id);
    if (place == KILN_DYNAMIC_NOWHERE) {
        return KILN_ERROR_NO_OBJECT;
    }
    kiln_dynamic_object full = kiln_dynamic_object_default();
    full.struct_size = object->struct_size;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, read_object);
    run(world, place, &full);
    kiln_fpu_leave(caller);
    memcpy(object, &full, full.struct_size < sizeof full ? full.struct_size : sizeof full);
    return KILN_OK;
}

kiln_dynamic_id kiln_dynamic_next(const kiln_dynamic *world, kiln_dynamic_id id)
{
    if (world == NULL) {
        return 0;
    }
    for (uint32_t place = (uint32_t)(id >> 32); place < world->used; place++) {
        const kiln_dynamic_id own = (uint64_t)place << 32 | world->facts[place].generation;
        if (kiln_dynamic_is_there(world, place) && own > id) {
            return own;
        }
    }
    return 0;
}

kiln_dynamic_info kiln_dynamic_get_info(const kiln_dynamic *world)
{
    kiln_dynamic_info info;
    memset(&info, 0, sizeof info);
    if (world == NULL) {
        return info;
    }
    info = world->counts;
    info.time = world->now;
    info.capacity = world->options.capacity;
    info.count = world->count;
    info.engine = world->method_engine;
    info.waiting = world->heap_count;
    return info;
}
