/* A step: events in the order of time, and what the caller answers to them (V-C, V-D). */
#include "continuous.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------ one event -- */

bool kiln_dynamic_bounce(void *user, kiln_dynamic_event *event)
{
    (void)user;
    double closing = 0;
    for (int k = 0; k < 3; k++) {
        closing += (event->velocity_a[k] - event->velocity_b[k]) * event->normal[k];
    }
    /* Of equal masses each gets what the other had along the normal; a wall takes and gives twice
     * as much. */
    const double given = closing > 0 ? (event->b == 0 ? 2 * closing : closing) : 0;
    for (int k = 0; k < 3; k++) {
        event->velocity_a[k] -= given * event->normal[k];
        if (event->b != 0) {
            event->velocity_b[k] += given * event->normal[k];
        }
    }
    return true;
}

static kiln_dynamic_id id_of_place(const kiln_dynamic *world, uint32_t place)
{
    return (uint64_t)place << 32 | world->facts[place].generation;
}

static kiln_dynamic_event describe(const kiln_dynamic *world, const kiln_dynamic_waiting *waiting)
{
    const uint32_t a = waiting->a, b = waiting->b;
    kiln_dynamic_event event;
    memset(&event, 0, sizeof event);
    event.time = waiting->time;
    event.wall = -1;
    event.a = id_of_place(world, a);
    event.user_a = world->facts[a].user;
    kiln_dynamic_at(&world->bodies[a], event.time, event.position_a);
    memcpy(event.velocity_a, world->bodies[a].velocity, sizeof event.velocity_a);
    if (b >= KILN_DYNAMIC_WALL) {
        event.wall = (int)(b - KILN_DYNAMIC_WALL);
        event.normal[event.wall / 2] = event.wall % 2 == 1 ? 1 : -1;
        return event;
    }
    event.b = id_of_place(world, b);
    event.user_b = world->facts[b].user;
    kiln_dynamic_at(&world->bodies[b], event.time, event.position_b);
    memcpy(event.velocity_b, world->bodies[b].velocity, sizeof event.velocity_b);
    const kiln_dynamic_limb *limbs = world->limbs;
    kiln_dynamic_normal(&world->bodies[a], limbs != NULL ? &limbs[a] : NULL, &world->bodies[b],
                        limbs != NULL ? &limbs[b] : NULL, event.time, event.normal);
    return event;
}

static bool is_velocity(const double velocity[3])
{
    return fabs(velocity[0]) <= KILN_DYNAMIC_RANGE && fabs(velocity[1]) <= KILN_DYNAMIC_RANGE &&
           fabs(velocity[2]) <= KILN_DYNAMIC_RANGE;
}

/* The object goes on from where it is; true: otherwise than before. */
static bool redirect(kiln_dynamic *world, uint32_t place, const double position[3],
                     const double velocity[3])
{
    kiln_dynamic_body *body = &world->bodies[place];
    if (memcmp(body->velocity, velocity, sizeof body->velocity) == 0) {
        return false;
    }
    memcpy(body->position, position, sizeof body->position);
    memcpy(body->velocity, velocity, sizeof body->velocity);
    body->since = world->now;
    kiln_dynamic_renew(world, place);
    return true;
}

/* One more event of the object in this step; false: it has had as many as it may. */
static bool count_event(kiln_dynamic *world, uint32_t place)
{
    kiln_dynamic_fact *fact = &world->facts[place];
    if (fact->step != world->step) {
        fact->step = world->step;
        fact->events = 0;
    }
    return fact->events < world->options.events_most;
}

/* The wall that an object passes on to, as it was not turned back by this one. */
static void pass_wall(kiln_dynamic *world, const kiln_dynamic_waiting *waiting)
{
    kiln_dynamic_fact *fact = &world->facts[waiting->a];
    fact->wall = kiln_dynamic_next_wall(world, waiting->a, waiting->time,
                                        waiting->b - KILN_DYNAMIC_WALL, &fact->wall_time);
    if (fact->wall_time < world->end) {
        const kiln_dynamic_waiting next = {fact->wall_time, waiting->a,
                                           KILN_DYNAMIC_WALL + fact->wall, waiting->key_a, 0};
        kiln_dynamic_wait(world, &next);
    }
}

/* What a step is made with. */
typedef struct {
    kiln_dynamic_callback callback;
    void *user;
    size_t count;
    bool is_stopped;
} step_call;

/* Passes an event, and has the pairs of what it changes found. */
static kiln_status respond(kiln_dynamic *world, const kiln_dynamic_waiting *waiting,
                           step_call *call)
{
    const uint32_t a = waiting->a, b = waiting->b;
    const bool is_wall = b >= KILN_DYNAMIC_WALL;
    world->now = waiting->time;
    const bool has_room = count_event(world, a) && (is_wall || count_event(world, b));
    if (!has_room) {
        world->counts.events_left_out++;
        if (is_wall) {
            pass_wall(world, waiting);
        }
        return KILN_OK;
    }
    world->facts[a].events++;
    if (is_wall) {
        world->counts.wall_events++;
    } else {
        world->facts[b].events++;
        world->counts.events++;
    }
    kiln_dynamic_event event = describe(world, waiting);
    const kiln_dynamic_event before = event;
    if (call->callback != NULL) {
        kiln_fpu_leave(world->caller);
        call->is_stopped = !call->callback(call->user, &event);
        world->caller = kiln_fpu_enter();
    } else {
        (void)kiln_dynamic_bounce(NULL, &event);
    }
    call->count++;
    const bool is_sound =
        is_velocity(event.velocity_a) && (is_wall || is_velocity(event.velocity_b));
    if (!is_sound) {
        event = before;
    }
    const bool a_changed = redirect(world, a, before.position_a, event.velocity_a);
    const bool b_changed = !is_wall && redirect(world, b, before.position_b, event.velocity_b);
    if (a_changed) {
        kiln_dynamic_changed(world, a);
    } else if (is_wall) {
        pass_wall(world, waiting);
    }
    if (b_changed) {
        kiln_dynamic_changed(world, b);
    }
    return is_sound ? KILN_OK : KILN_ERROR_ARGUMENT;
}

/* ------------------------------------------------------------------------------------- steps -- */

/* The earliest event that is not stale stays on top. Returns its time; HUGE_VAL: there is none. */
static double next_time(kiln_dynamic *world)
{
    while (world->heap_count > 0 && kiln_dynamic_is_stale(world, &world->heap[0])) {
        (void)kiln_dynamic_take(world);
    }
    return world->heap_count > 0 ? world->heap[0].time : HUGE_VAL;
}

/* An engine may pass a pair more than once; equal events follow each other. An interval that
 * begins in the middle of an instant finds events of this instant again that were passed before:
 * those up to the last event whose objects have kept their states since. */
static bool was_passed(const kiln_dynamic *world, const kiln_dynamic_waiting *event)
{
    const kiln_dynamic_waiting *last = &world->last;
    if (last->key_a == 0 || last->time != event->time) {
        return false;
    }
    const bool is_old =
        world->bodies[event->a].since < event->time &&
        (event->b >= KILN_DYNAMIC_WALL || world->bodies[event->b].since < event->time);
    return (is_old && !kiln_dynamic_before(last, event)) ||
           (last->key_a == event->key_a && last->key_b == event->key_b && last->a == event->a &&
            last->b == event->b);
}

/* Do all objects stay within range until then, as they move now? */
static bool are_safe_until(kiln_dynamic *world, double time)
{
    if (time <= world->safe_until) {
        return true;
    }
    world->safe_until = HUGE_VAL;
    for (uint32_t place = 0; place < world->used; place++) {
        const kiln_dynamic_body *body = &world->bodies[place];
        for (int k = 0; k < 3 && kiln_dynamic_is_there(world, place); k++) {
            const double left =
                KILN_DYNAMIC_FAR + (body->velocity[k] < 0 ? body->position[k] : -body->position[k]);
            const double until =
                body->velocity[k] != 0 ? body->since + left / fabs(body->velocity[k]) : HUGE_VAL;
            world->safe_until = until < world->safe_until ? until : world->safe_until;
        }
    }
    return time <= world->safe_until;
}

static kiln_status make_step(kiln_dynamic *world, double dt, step_call *call)
{
    const double target = world->now + dt;
    if (!(target <= KILN_DYNAMIC_FAR) || !are_safe_until(world, target)) {
        return KILN_ERROR_ARGUMENT;
    }
    world->step++;
    world->step_length = dt;
    for (;;) {
        if (world->is_full) {
            world->is_full = false;
            world->is_whole = true;
            world->end = world->now;
            return KILN_ERROR_FULL;
        }
        if (call->is_stopped) {
            return KILN_OK;
        }
        const bool is_over = !(world->now < world->end);
        if (is_over && !(world->now < target)) {
            return KILN_OK;
        }
        const double next = is_over ? HUGE_VAL : next_time(world);
        if (is_over || (world->is_beyond && next > world->now)) {
            world->floor = is_over ? world->now : nextafter(world->now, HUGE_VAL);
            /* An engine would not find pairs of objects that it was not told of. */
            world->is_whole = world->is_whole || !is_over || world->is_beyond;
            kiln_dynamic_begin(world);
            continue;
        }
        const double until = world->end < target ? world->end : target;
        if (next < until) {
            const kiln_dynamic_waiting event = kiln_dynamic_take(world);
            if (!was_passed(world, &event)) {
                world->last = event;
                const kiln_status status = respond(world, &event, call);
                if (status != KILN_OK) {
                    return status;
                }
                if (!are_safe_until(world, target)) { /* the same event for every engine */
                    return KILN_ERROR_ARGUMENT;
                }
            }
            continue;
        }
        world->now = until;
        if (!(until < target)) {
            return KILN_OK;
        }
    }
}

kiln_status kiln_dynamic_step(kiln_dynamic *world, double dt, kiln_dynamic_callback callback,
                              void *user, size_t *count)
{
    if (world == NULL || !(dt >= 0) || !(dt < HUGE_VAL)) {
        return KILN_ERROR_ARGUMENT;
    }
    step_call call = {callback, user, 0, false};
    world->caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, make_step);
    const kiln_status status = run(world, dt, &call);
    kiln_fpu_leave(world->caller);
    if (count != NULL) {
        *count = call.count;
    }
    return status;
}
