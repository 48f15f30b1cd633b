/* Dynamic worlds: first contacts against a search of their own, events against a simulation that
 * looks at all pairs after each, arguments, ids, room, stops, walls, the narrow phase and its
 * filters. That engines agree is in property/test_continuous.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/continuous/continuous.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/moving.h"
#include "../support/rounding.h"

/* --------------------------------------------------------------------------- first contacts -- */

static double distance_of_segments(const double d[3], const double p[3], const double q[3])
{
    double best = HUGE_VAL; /* of |d - s p - u q|: convex, by halving steps */
    double s = 0, u = 0;
    for (double step = 0.5; step > 1e-9;) {
        bool is_better = false;
        for (int i = 0; i < 9; i++) {
            const double x = fmax(-1, fmin(1, s + step * (i % 3 - 1)));
            const double y = fmax(-1, fmin(1, u + step * (i / 3 - 1)));
            double sum = 0;
            for (int k = 0; k < 3; k++) {
                const double off = d[k] - x * p[k] - y * q[k];
                sum += off * off;
            }
            if (sum < best) {
                best = sum;
                s = x;
                u = y;
                is_better = true;
            }
        }
        step = is_better ? step : step / 2;
    }
    return sqrt(best);
}

static double distance_at(const kiln_dynamic_body *a, const kiln_dynamic_limb *p,
                          const kiln_dynamic_body *b, const kiln_dynamic_limb *q, double time)
{
    double x[3], y[3], d[3];
    kiln_dynamic_at(a, time, x);
    kiln_dynamic_at(b, time, y);
    for (int k = 0; k < 3; k++) {
        d[k] = y[k] - x[k];
    }
    return distance_of_segments(d, p->arm, q->arm) - a->radius - b->radius;
}

static void random_body(uint64_t *random, bool is_capsule, kiln_dynamic_body *body,
                        kiln_dynamic_limb *limb)
{
    double axis[3];
    random_direction(random, axis);
    limb->half_length = is_capsule ? random_between(random, 0, 2) : 0;
    for (int k = 0; k < 3; k++) {
        body->position[k] = random_between(random, -4, 4);
        body->velocity[k] = random_between(random, -3, 3);
        limb->arm[k] = limb->half_length * axis[k];
    }
    body->radius = random_between(random, 0, 1);
    body->since = random_between(random, 0, 1);
}

/* Along the time: apart before it, at a distance of 0 then; or never nearer than 0. */
static void first_contacts_are_those_of_a_search(void **state)
{
    (void)state;
    uint64_t random = 7;
    uint32_t found = 0;
    for (uint32_t i = 0; i < amount(800); i++) {
        kiln_dynamic_body a, b;
        kiln_dynamic_limb p, q;
        random_body(&random, i % 3 > 0, &a, &p);
        random_body(&random, i % 3 > 1, &b, &q);
        for (int k = 0; k < 3; k++) { /* towards each other, more or less */
            b.velocity[k] = a.velocity[k] + (a.position[k] - b.position[k]) / 4 +
                            random_between(&random, -0.4, 0.4);
        }
        const double start = a.since > b.since ? a.since : b.since;
        const double time = kiln_dynamic_first_contact(&a, &p, &b, &q);
        const double first = distance_at(&a, &p, &b, &q, start);
        if (fabs(first) < 1e-6) {
            continue;
        }
        if (first < 0) { /* overlapping: at once, if they approach */
            const double later = distance_at(&a, &p, &b, &q, start + 1e-5);
            if (fabs(later - first) > 1e-8) {
                assert_true(later < first ? time == start : time == HUGE_VAL);
            }
            continue;
        }
        const double end = time < HUGE_VAL ? time : start + 8;
        for (int step = 0; step < 24; step++) {
            const double at = start + (end - start) * step / 24;
            assert_true(distance_at(&a, &p, &b, &q, at) > -1e-7);
        }
        if (time < HUGE_VAL) {
            assert_true(fabs(distance_at(&a, &p, &b, &q, time)) < 1e-6);
            found++;
            double normal[3], along = 0;
            kiln_dynamic_normal(&a, &p, &b, &q, time, normal);
            for (int k = 0; k < 3; k++) {
                along += normal[k] * (b.velocity[k] - a.velocity[k]);
            }
            assert_true(along < 1e-6);
        }
    }
    assert_true(found * 10 > amount(800));
}

static void what_parts_has_no_contact(void **state)
{
    (void)state;
    kiln_dynamic_body a = {{0, 0, 0}, {0, 0, 0}, 0, 1}, b = {{2, 0, 0}, {1, 0, 0}, 0, 1};
    assert_true(kiln_dynamic_first_contact(&a, NULL, &b, NULL) == HUGE_VAL);
    b.velocity[0] = -1; /* touching, and approaching */
    assert_true(kiln_dynamic_first_contact(&a, NULL, &b, NULL) == 0);
    b.velocity[0] = 0;
    assert_true(kiln_dynamic_first_contact(&a, NULL, &b, NULL) == HUGE_VAL);
    b.position[0] = 1e6; /* far away, and past each other by less than the rounding of squares */
    b.position[1] = 2 + 1e-9;
    b.velocity[0] = -1;
    assert_true(kiln_dynamic_first_contact(&a, NULL, &b, NULL) == HUGE_VAL);
    b.position[1] = 2 - 1e-9;
    assert_true(fabs(kiln_dynamic_first_contact(&a, NULL, &b, NULL) - 1e6) < 1e-3);
}

/* ------------------------------------------------------------------------------- simulation -- */

enum { FEW = 14 };

/* Looks at all pairs after each event, and keeps nothing but states. */
static void events_are_those_of_a_simulation(void **state)
{
    (void)state;
    const moving_scene scene = {.way = MOVING_ALL_WAYS,
                                .count = FEW,
                                .speed = 8,
                                .radius = 0.4,
                                .density = 0.3,
                                .has_walls = true,
                                .seed = 3};
    const kiln_dynamic_options options = moving_options(&scene, KILN_DYNAMIC_ALL_PAIRS);
    void *memory;
    kiln_dynamic *world = moving_world(&scene, &options, &memory);
    moving_log log = {0, 0, 0, 0}, expected = {0, 0, 0, 0};
    size_t count = 0;
    assert_int_equal(kiln_dynamic_step(world, 2, moving_event, &log, &count), KILN_OK);
    assert_int_equal(count, log.events);
    kiln_dynamic_body bodies[FEW];
    for (uint32_t i = 0; i < FEW; i++) {
        const kiln_dynamic_object object = moving_object(&scene, i);
        memcpy(bodies[i].position, object.position, sizeof object.position);
        memcpy(bodies[i].velocity, object.velocity, sizeof object.velocity);
        bodies[i].radius = object.radius;
        bodies[i].since = 0;
    }
    for (;;) {
        kiln_dynamic_event event;
        memset(&event, 0, sizeof event);
        event.time = 2;
        uint32_t first = FEW, second = FEW;
        int wall = -1;
        for (uint32_t i = 0; i < FEW; i++) {
            for (uint32_t j = i + 1; j < FEW; j++) {
                const double time = kiln_dynamic_first_contact(&bodies[i], NULL, &bodies[j], NULL);
                if (time < event.time) {
                    event.time = time;
                    first = i;
                    second = j;
                    wall = -1;
                }
            }
            for (int k = 0; k < 3; k++) {
                const double v = bodies[i].velocity[k], r = bodies[i].radius;
                const double left = v > 0 ? options.upper[k] - r - bodies[i].position[k]
                                          : bodies[i].position[k] - r - options.lower[k];
                const double time = bodies[i].since + (left > 0 ? left / fabs(v) : 0);
                if (v != 0 && time < event.time) {
                    event.time = time;
                    first = i;
                    second = FEW;
                    wall = 2 * k + (v > 0);
                }
            }
        }
        if (first == FEW) {
            break;
        }
        event.wall = wall;
        event.a = (uint64_t)first << 32 | 1;
        kiln_dynamic_at(&bodies[first], event.time, event.position_a);
        memcpy(event.velocity_a, bodies[first].velocity, sizeof event.velocity_a);
        if (wall < 0) {
            event.b = (uint64_t)second << 32 | 1;
            kiln_dynamic_at(&bodies[second], event.time, event.position_b);
            memcpy(event.velocity_b, bodies[second].velocity, sizeof event.velocity_b);
            kiln_dynamic_normal(&bodies[first], NULL, &bodies[second], NULL, event.time,
                                event.normal);
        } else {
            event.normal[wall / 2] = wall % 2 == 1 ? 1 : -1;
        }
        const kiln_dynamic_event before = event;
        moving_event(&expected, &event);
        bodies[first].since = event.time;
        memcpy(bodies[first].position, before.position_a, sizeof before.position_a);
        memcpy(bodies[first].velocity, event.velocity_a, sizeof event.velocity_a);
        if (wall < 0) {
            bodies[second].since = event.time;
            memcpy(bodies[second].position, before.position_b, sizeof before.position_b);
            memcpy(bodies[second].velocity, event.velocity_b, sizeof event.velocity_b);
        }
    }
    assert_true(expected.events > 20);
    assert_true(expected.walls > 5 && expected.events > expected.walls);
    assert_true(log.digest == expected.digest);
    free(memory);
}

/* -------------------------------------------------------------------------------- arguments -- */

static const kiln_dynamic_engine all_engines[] = {
    KILN_DYNAMIC_AUTO,  KILN_DYNAMIC_ALL_PAIRS,       KILN_DYNAMIC_ALL_PAIRS_SIMD,
    KILN_DYNAMIC_GRID,  KILN_DYNAMIC_SWEEP,           KILN_DYNAMIC_SWEEP_14DOP,
    KILN_DYNAMIC_VADOP, KILN_DYNAMIC_VADOP_PUBLISHED,
};
enum { ALL_ENGINES = sizeof all_engines / sizeof all_engines[0] };

static void arguments_are_checked(void **state)
{
    (void)state;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    uint64_t bytes[4096];
    kiln_dynamic *world = (kiln_dynamic *)&options;
    options.capacity = 2;
    options.event_capacity = 8;
    options.engine = KILN_DYNAMIC_ALL_PAIRS;
    const size_t size = kiln_dynamic_size(&options);
    assert_in_range(size, 1, sizeof bytes);
    assert_int_equal(kiln_dynamic_size(NULL), 0);
    assert_int_equal(kiln_dynamic_place(bytes, size - 64, &options, &world), KILN_ERROR_ARGUMENT);
    assert_null(world);
    assert_int_equal(kiln_dynamic_place(NULL, size, &options, &world), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_place(bytes, size, NULL, &world), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_place(bytes, size, &options, NULL), KILN_ERROR_ARGUMENT);
    kiln_dynamic_options bad[] = {options, options, options, options, options, options, options};
    bad[0].capacity = (1u << 22) + 1;
    bad[1].interval = NAN;
    bad[2].interval = -1;
    bad[3].events_most = 0;
    bad[4].filters = 8;
    bad[5].engine = (kiln_dynamic_engine)99;
    bad[6].lower[1] = 2;
    bad[6].upper[1] = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(kiln_dynamic_size(&bad[i]), 0);
        assert_int_equal(kiln_dynamic_place(bytes, sizeof bytes, &bad[i], &world),
                         KILN_ERROR_ARGUMENT);
    }
    kiln_dynamic_options zones = options; /* phi from the covering radius on */
    zones.engine = KILN_DYNAMIC_VADOP;
    zones.axes_sine = kiln_axes_get_info(NULL).sine;
    assert_true(kiln_dynamic_size(&zones) > 0);
    zones.axes_sine *= 0.999;
    assert_int_equal(kiln_dynamic_size(&zones), 0);
    zones.axes_sine = 1.5;
    assert_int_equal(kiln_dynamic_size(&zones), 0);
    assert_int_equal(kiln_dynamic_place(bytes, size, &options, &world), KILN_OK);
    kiln_dynamic_object object = kiln_dynamic_object_default();
    kiln_dynamic_id id = 77, second;
    object.radius = -1;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_ERROR_ARGUMENT);
    object.radius = NAN;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_ERROR_ARGUMENT);
    object.radius = 1;
    object.velocity[2] = HUGE_VAL;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_ERROR_ARGUMENT);
    object.velocity[2] = 0;
    object.position[0] = 0x1p41;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_ERROR_ARGUMENT);
    object.position[0] = 0;
    object.half_length = 1; /* no room for capsules */
    object.axis[0] = 1;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_ERROR_ARGUMENT);
    object.half_length = 0;
    assert_int_equal(kiln_dynamic_add(NULL, &object, &id), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_add(world, NULL, &id), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_add(world, &object, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(id, 77);
    assert_int_equal(kiln_dynamic_next(world, 0), 0);
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
    assert_int_equal(kiln_dynamic_add(world, &object, &second), KILN_OK);
    assert_int_equal(kiln_dynamic_add(world, &object, &second), KILN_ERROR_FULL);
    assert_int_equal(kiln_dynamic_next(world, 0), id);
    assert_int_equal(kiln_dynamic_next(world, id), second);
    assert_int_equal(kiln_dynamic_next(world, second), 0);
    assert_int_equal(kiln_dynamic_remove(world, id), KILN_OK);
    assert_int_equal(kiln_dynamic_remove(world, id), KILN_ERROR_NO_OBJECT);
    assert_int_equal(kiln_dynamic_set(world, id, &object), KILN_ERROR_NO_OBJECT);
    assert_int_equal(kiln_dynamic_get(world, id, &object), KILN_ERROR_NO_OBJECT);
    assert_int_equal(kiln_dynamic_remove(NULL, id), KILN_ERROR_ARGUMENT);
    kiln_dynamic_id third;
    assert_int_equal(kiln_dynamic_add(world, &object, &third), KILN_OK);
    assert_true(third >> 32 == id >> 32 && third != id);
    size_t count = 77;
    assert_int_equal(kiln_dynamic_step(NULL, 1, NULL, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_step(world, -1, NULL, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_dynamic_step(world, NAN, NULL, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 77);
    object.velocity[0] = 0x1p40; /* after 2^10 seconds it would be too far away */
    assert_int_equal(kiln_dynamic_set(world, third, &object), KILN_OK);
    assert_int_equal(kiln_dynamic_step(world, 0x1p11, NULL, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_true(kiln_dynamic_get_info(world).time == 0);
    assert_int_equal(kiln_dynamic_get_info(NULL).capacity, 0);
}

/* Two spheres on the x-axis that meet at the time 1. */
static kiln_dynamic *two_spheres(kiln_dynamic_options *options, void **memory)
{
    kiln_dynamic *world = NULL;
    kiln_dynamic_object object = kiln_dynamic_object_default();
    kiln_dynamic_id id;
    options->capacity = options->capacity > 2 ? options->capacity : 2;
    *memory = malloc(kiln_dynamic_size(options));
    assert_int_equal(kiln_dynamic_place(*memory, kiln_dynamic_size(options), options, &world),
                     KILN_OK);
    object.velocity[0] = 1;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
    object.position[0] = 4;
    object.velocity[0] = -1;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
    return world;
}

static void remove_all(kiln_dynamic *world)
{
    for (kiln_dynamic_id id = 0; (id = kiln_dynamic_next(world, 0)) != 0;) {
        assert_int_equal(kiln_dynamic_remove(world, id), KILN_OK);
    }
}

static kiln_dynamic_id add_point(kiln_dynamic *world, double x, double y, double speed_x,
                                 double speed_y, double radius)
{
    kiln_dynamic_object object = kiln_dynamic_object_default();
    kiln_dynamic_id id = 0;
    object.position[0] = x;
    object.position[1] = y;
    object.velocity[0] = speed_x;
    object.velocity[1] = speed_y;
    object.radius = radius;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
    return id;
}

typedef struct {
    uint32_t count;
    kiln_dynamic_event last;
    bool stop, pass;
    double velocity; /* NaN or too large: what is given back */
} watch;

static bool watch_event(void *user, kiln_dynamic_event *event)
{
    watch *own = user;
    own->count++;
    own->last = *event;
    if (own->velocity != 0) {
        event->velocity_a[0] = own->velocity;
        return true;
    }
    return (own->pass || kiln_dynamic_bounce(NULL, event)) && !own->stop;
}

static void an_event_says_what_happens(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        kiln_dynamic *world = two_spheres(&options, &memory);
        watch seen = {0};
        size_t count = 0;
        assert_int_equal(kiln_dynamic_step(world, 1, watch_event, &seen, &count), KILN_OK);
        assert_int_equal(count, 0); /* a step ends before its end */
        assert_int_equal(kiln_dynamic_step(world, 0, watch_event, &seen, &count), KILN_OK);
        assert_int_equal(count, 0);
        seen.stop = true;
        assert_int_equal(kiln_dynamic_step(world, 1, watch_event, &seen, &count), KILN_OK);
        assert_int_equal(count, 1);
        assert_true(seen.last.time == 1 && seen.last.wall == -1);
        assert_true(seen.last.position_a[0] == 1 && seen.last.position_b[0] == 3);
        assert_true(seen.last.normal[0] == 1 && seen.last.velocity_a[0] == 1);
        assert_true(kiln_dynamic_get_info(world).time == 1); /* it was stopped */
        kiln_dynamic_object object = kiln_dynamic_object_default();
        assert_int_equal(kiln_dynamic_step(world, 3, watch_event, &seen, &count), KILN_OK);
        assert_int_equal(count, 0);
        assert_int_equal(kiln_dynamic_get(world, kiln_dynamic_next(world, 0), &object), KILN_OK);
        assert_true(object.velocity[0] == -1 && object.position[0] == -2);
        free(memory);
    }
}

/* What passes through has one event, and is not held up by it. */
static void ghosts_pass_once(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.upper[0] = 8;
        options.lower[0] = -8;
        kiln_dynamic *world = two_spheres(&options, &memory);
        watch seen = {.pass = true};
        for (int i = 0; i < 400; i++) {
            assert_int_equal(kiln_dynamic_step(world, 1.0 / 16, watch_event, &seen, NULL), KILN_OK);
        }
        assert_int_equal(seen.count, 3); /* and two walls */
        assert_int_equal(kiln_dynamic_get_info(world).wall_events, 2);
        free(memory);
    }
}

static void velocities_of_a_callback_are_checked(void **state)
{
    (void)state;
    void *memory;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    kiln_dynamic *world = two_spheres(&options, &memory);
    watch seen = {.velocity = NAN};
    size_t count = 0;
    assert_int_equal(kiln_dynamic_step(world, 3, watch_event, &seen, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 1);
    assert_true(kiln_dynamic_get_info(world).time == 1);
    seen.velocity = 0;
    assert_int_equal(kiln_dynamic_step(world, 3, watch_event, &seen, &count), KILN_OK);
    assert_int_equal(count, 0); /* they went through each other */
    free(memory);
}

/* Between two spheres at rest a third one bounces: more and more often, as they do not give way. */
static void events_of_one_object_in_a_step_have_a_most(void **state)
{
    (void)state;
    void *memory;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    options.events_most = 5;
    options.upper[0] = 4;
    options.lower[0] = 0;
    kiln_dynamic *world = NULL;
    kiln_dynamic_object object = kiln_dynamic_object_default();
    kiln_dynamic_id id;
    options.capacity = 1;
    memory = malloc(kiln_dynamic_size(&options));
    assert_int_equal(kiln_dynamic_place(memory, kiln_dynamic_size(&options), &options, &world),
                     KILN_OK);
    object.position[0] = 2;
    object.velocity[0] = 64;
    assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
    size_t count = 0;
    assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, &count), KILN_OK);
    assert_int_equal(count, 5);
    assert_int_equal(kiln_dynamic_get_info(world).events_left_out, 1);
    free(memory);
}

/* ------------------------------------------------------------------------------------- room -- */

/* Twelve spheres that all overlap have 66 events at the time 0. */
static void what_happens_at_once_needs_room(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.capacity = 12;
        options.event_capacity = 40;
        void *memory = malloc(kiln_dynamic_size(&options)), *more;
        kiln_dynamic *world = NULL, *larger = NULL;
        assert_int_equal(kiln_dynamic_place(memory, kiln_dynamic_size(&options), &options, &world),
                         KILN_OK);
        for (int i = 0; i < 12; i++) {
            kiln_dynamic_object object = kiln_dynamic_object_default();
            kiln_dynamic_id id;
            object.position[0] = 0.01 * i;
            object.velocity[0] = -i;
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
        }
        watch seen = {.pass = true};
        size_t count = 77;
        assert_int_equal(kiln_dynamic_step(world, 1, watch_event, &seen, &count), KILN_ERROR_FULL);
        assert_int_equal(count, 0);
        assert_int_equal(kiln_dynamic_get_info(world).count, 12);
        options.event_capacity = 0;
        more = malloc(kiln_dynamic_size(&options));
        assert_int_equal(kiln_dynamic_place(more, kiln_dynamic_size(&options), &options, &larger),
                         KILN_OK);
        assert_int_equal(kiln_dynamic_copy(world, NULL), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_dynamic_copy(world, larger), KILN_OK);
        assert_int_equal(kiln_dynamic_copy(world, larger), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_dynamic_step(larger, 1, watch_event, &seen, &count), KILN_OK);
        assert_int_equal(count, 66);
        free(memory);
        free(more);
    }
}

/* With room for few events intervals are cut short, and the events are the same; also when a copy
 * goes on in the middle. */
static void little_room_loses_nothing(void **state)
{
    (void)state;
    const moving_scene scene = {.way = MOVING_ALL_WAYS,
                                .count = 200,
                                .speed = 20,
                                .radius = 0.3,
                                .density = 0.1,
                                .has_walls = true,
                                .seed = 5};
    uint64_t expected = 0;
    for (int e = 0; e < 2 * ALL_ENGINES; e++) {
        kiln_dynamic_options options = moving_options(&scene, all_engines[e / 2]);
        void *memory, *more;
        kiln_dynamic *larger = NULL;
        options.event_capacity = e % 2 == 0 ? 0 : 60;
        options.interval = 0.2;
        kiln_dynamic *world = moving_world(&scene, &options, &memory);
        moving_log log = {0, 0, 0, 0};
        assert_int_equal(kiln_dynamic_step(world, 0.3, moving_event, &log, NULL), KILN_OK);
        assert_true(e % 2 == 0 || kiln_dynamic_get_info(world).cuts > 0);
        more = malloc(kiln_dynamic_size(&options));
        assert_int_equal(kiln_dynamic_place(more, kiln_dynamic_size(&options), &options, &larger),
                         KILN_OK);
        assert_int_equal(kiln_dynamic_copy(world, larger), KILN_OK);
        assert_int_equal(kiln_dynamic_step(larger, 0.3, moving_event, &log, NULL), KILN_OK);
        assert_true(log.events > 100);
        expected = e == 0 ? log.digest : expected;
        assert_true(log.digest == expected);
        free(memory);
        free(more);
    }
}

/* Room for a single event is enough for events that come one after the other. */
static void room_for_one_event_is_enough(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5 * ALL_ENGINES; i++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[i / 5];
        options.capacity = 16;
        options.event_capacity = i % 5 + 1;
        kiln_dynamic *world = two_spheres(&options, &memory);
        for (int pair = 1; pair < 8; pair++) {
            (void)add_point(world, 0, 10 * pair, 1, 0, 1);
            (void)add_point(world, 4 + pair, 10 * pair, -1, 0, 1);
        }
        size_t count;
        assert_int_equal(kiln_dynamic_step(world, 10, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 8);
        free(memory);
    }
}

/* A copy that is made between events of one time passes those that are left, and no others. */
static void a_copy_goes_on_in_an_instant(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory, *more;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.capacity = 8;
        kiln_dynamic *world = two_spheres(&options, &memory);
        for (int pair = 1; pair < 4; pair++) {
            (void)add_point(world, 0, 10 * pair, 1, 0, 1);
            (void)add_point(world, 4, 10 * pair, -1, 0, 1);
        }
        watch seen = {.pass = true, .stop = true};
        for (int i = 0; i < 2; i++) {
            assert_int_equal(kiln_dynamic_step(world, 5, watch_event, &seen, NULL), KILN_OK);
        }
        kiln_dynamic *copy = NULL;
        more = malloc(kiln_dynamic_size(&options));
        assert_int_equal(kiln_dynamic_place(more, kiln_dynamic_size(&options), &options, &copy),
                         KILN_OK);
        assert_int_equal(kiln_dynamic_copy(world, copy), KILN_OK);
        for (uint32_t i = 2; i < 4; i++) {
            assert_int_equal(kiln_dynamic_step(copy, 5, watch_event, &seen, NULL), KILN_OK);
            assert_int_equal(seen.count, i + 1);
            assert_int_equal(seen.last.a >> 32, 2 * i);
        }
        assert_int_equal(kiln_dynamic_step(copy, 5, watch_event, &seen, NULL), KILN_OK);
        assert_int_equal(seen.count, 4);
        free(memory);
        free(more);
    }
}

/* Bounces, but of one pair in three nothing comes; and stops. */
static bool stop_at_event(void *user, kiln_dynamic_event *event)
{
    moving_log *log = user;
    (void)moving_event(log, event);
    return false;
}

static void place_world(const kiln_dynamic_options *options, kiln_dynamic **world, void **memory)
{
    *memory = malloc(kiln_dynamic_size(options));
    assert_int_equal(kiln_dynamic_place(*memory, kiln_dynamic_size(options), options, world),
                     KILN_OK);
}

/* Spheres on a lattice with velocities along it, of which many meet at one time: the events of a
 * world that is copied after each of them are those of one that is not. */
static void copies_in_instants_change_nothing(void **state)
{
    (void)state;
    for (int e = 0; e < 4 * ALL_ENGINES; e++) {
        moving_log logs[2] = {{0, 0, 0, 3}, {0, 0, 0, 3}};
        for (int copies = 0; copies < 2; copies++) {
            kiln_dynamic_options options = kiln_dynamic_options_default();
            options.engine = all_engines[e % ALL_ENGINES];
            options.capacity = 36;
            for (int k = 0; k < 2; k++) {
                options.lower[k] = -1;
                options.upper[k] = 11;
            }
            void *memory, *more;
            kiln_dynamic *world, *next;
            place_world(&options, &world, &memory);
            uint64_t random = (uint64_t)e / ALL_ENGINES + 7;
            for (int i = 0; i < 36; i++) {
                const int x = (int)random_below(&random, 3) - 1;
                const int y = (int)random_below(&random, 3) - 1;
                (void)add_point(world, 2 * (i % 6), 2 * (i / 6), x, y, 0.75);
            }
            kiln_dynamic_info info = kiln_dynamic_get_info(world);
            for (int i = 0; i < 150 && info.time < 4; i++) {
                assert_int_equal(
                    kiln_dynamic_step(world, 4 - info.time, stop_at_event, &logs[copies], NULL),
                    KILN_OK);
                info = kiln_dynamic_get_info(world);
                if (copies == 1) {
                    options.event_capacity = i % 2 == 0 ? 400 : 0;
                    place_world(&options, &next, &more);
                    assert_int_equal(kiln_dynamic_copy(world, next), KILN_OK);
                    free(memory);
                    memory = more;
                    world = next;
                }
            }
            free(memory);
        }
        assert_true(logs[0].events > 20);
        assert_true(logs[0].digest == logs[1].digest);
    }
}

/* A copy needs room for the events that wait for its time. */
static void a_copy_needs_room_for_its_instant(void **state)
{
    (void)state;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    options.capacity = 20;
    void *memory, *more;
    kiln_dynamic *world, *copy;
    place_world(&options, &world, &memory);
    for (int i = 0; i < 10; i++) {
        (void)add_point(world, 0, 10 * i, 1, 0, 1);
        (void)add_point(world, 4, 10 * i, -1, 0, 1);
    }
    watch seen = {.pass = true, .stop = true};
    assert_int_equal(kiln_dynamic_step(world, 5, watch_event, &seen, NULL), KILN_OK);
    options.event_capacity = 8;
    place_world(&options, &copy, &more);
    assert_int_equal(kiln_dynamic_copy(world, copy), KILN_ERROR_FULL);
    assert_int_equal(kiln_dynamic_get_info(copy).count, 0);
    free(more);
    options.event_capacity = 9;
    place_world(&options, &copy, &more);
    assert_int_equal(kiln_dynamic_copy(world, copy), KILN_OK);
    seen.stop = false;
    size_t count;
    assert_int_equal(kiln_dynamic_step(copy, 5, watch_event, &seen, &count), KILN_OK);
    assert_int_equal(count, 9);
    free(memory);
    free(more);
}

/* Of place 2 a callback turns the velocity about, of all others nothing changes. */
static bool turn_second(void *user, kiln_dynamic_event *event)
{
    watch *own = user;
    own->count++;
    own->last = *event;
    if (event->a >> 32 == 2 && own->velocity != 0) {
        event->velocity_a[0] = own->velocity;
        own->velocity = 0;
    }
    return true;
}

/* A response that needs more room than there is, in the middle of an instant: a copy with more goes
 * on, and what was passed in the instant of objects that did not change is not passed again. */
static void an_instant_without_room_goes_on_in_a_copy(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.capacity = 12;
        options.event_capacity = 4;
        void *memory, *more;
        kiln_dynamic *copy, *world = two_spheres(&options, &memory);
        (void)add_point(world, 0, 50, 1, 0, 1);
        (void)add_point(world, 4, 50, -1, 0, 1);
        for (int i = 0; i < 8; i++) { /* they move with place 2, in front of it */
            (void)add_point(world, 0.5 + i / 64.0, 50, 1, 0, 0.125);
        }
        watch seen = {.velocity = 2};
        size_t count = 0;
        assert_int_equal(kiln_dynamic_step(world, 1.25, turn_second, &seen, &count),
                         KILN_ERROR_FULL);
        assert_int_equal(seen.last.a >> 32, 2);
        assert_true(kiln_dynamic_get_info(world).time == 1);
        options.event_capacity = 100;
        place_world(&options, &copy, &more);
        assert_int_equal(kiln_dynamic_copy(world, copy), KILN_OK);
        const uint32_t passed = seen.count;
        assert_int_equal(kiln_dynamic_step(copy, 0.0625, turn_second, &seen, &count), KILN_OK);
        assert_true(passed >= 2);
        assert_int_equal(seen.count - passed, 9); /* of place 2, with 3 and the eight */
        free(memory);
        free(more);
    }
}

/* However short the interval that is set and however long the step, their number has a bound. */
static void intervals_of_a_step_have_a_most(void **state)
{
    (void)state;
    static const kiln_dynamic_engine some[] = {KILN_DYNAMIC_AUTO, KILN_DYNAMIC_GRID,
                                               KILN_DYNAMIC_SWEEP};
    for (int e = 0; e < 3; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = some[e];
        options.interval = 1e-200;
        kiln_dynamic *world = two_spheres(&options, &memory);
        size_t count;
        assert_int_equal(kiln_dynamic_step(world, 1000, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 1);
        assert_true(kiln_dynamic_get_info(world).intervals <= 65536 + 4);
        free(memory);
    }
}

/* Points in a plane, on a line and in one place, which have no volume: a step comes to its end. */
static void points_have_no_volume(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        for (int way = 0; way < 4; way++) {
            void *memory;
            kiln_dynamic_options options = kiln_dynamic_options_default();
            options.engine = all_engines[e];
            options.capacity = 5;
            kiln_dynamic *world = two_spheres(&options, &memory);
            remove_all(world);
            const double apart = way == 3 ? 0x1p-1060 : way == 2 ? 0 : 1;
            for (int i = 0; i < 4; i++) {
                (void)add_point(world, i * apart, 0, i == 1 ? 2 : 0, way == 1 ? i : 0, 0);
            }
            assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, NULL), KILN_OK);
            assert_true(kiln_dynamic_get_info(world).time == 1);
            assert_true(kiln_dynamic_get_info(world).intervals < 100000);
            free(memory);
        }
    }
}

/* What is fast and alone is at rest in the frame, and is looked ahead for as long as for what
 * rests; it must not be taken for something that gets too far in the step. */
static void what_is_fast_and_alone_moves(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        kiln_dynamic *world = two_spheres(&options, &memory);
        remove_all(world);
        const kiln_dynamic_id id = add_point(world, 0, 0, 0x1p40, 0, 1);
        assert_int_equal(kiln_dynamic_step(world, 0.5, NULL, NULL, NULL), KILN_OK);
        kiln_dynamic_object object = {.struct_size = sizeof object};
        assert_int_equal(kiln_dynamic_get(world, id, &object), KILN_OK);
        assert_true(object.position[0] == 0x1p39);
        free(memory);
    }
}

/* At the very end of an interval an object gets a state that is beyond the limit of the old one,
 * and within that of the next: later changes of others find it. */
static void what_is_set_between_intervals_is_found(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.capacity = 8;
        options.interval = 1;
        kiln_dynamic *world = two_spheres(&options, &memory);
        remove_all(world);
        (void)add_point(world, -8, 0, 0, 0, 1);
        (void)add_point(world, 8, 5, 0, 0, 1);
        const kiln_dynamic_id far = add_point(world, 8, 0, 0, 0, 1);
        const kiln_dynamic_id other = add_point(world, -8, 40, 0, 0, 0.5);
        (void)add_point(world, 0, -40, 0, 0, 0.5);
        assert_int_equal(kiln_dynamic_step(world, 64, NULL, NULL, NULL), KILN_OK);
        (void)add_point(world, 20, 20, 3, 0, 0.5);
        assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, NULL), KILN_OK);
        kiln_dynamic_object object = kiln_dynamic_object_default();
        object.position[0] = 126;
        object.position[1] = -30;
        object.velocity[0] = -7.5;
        assert_int_equal(kiln_dynamic_set(world, far, &object), KILN_OK);
        assert_int_equal(kiln_dynamic_step(world, 0.25, NULL, NULL, NULL), KILN_OK);
        object.position[0] = 119;
        object.velocity[0] = 1;
        assert_int_equal(kiln_dynamic_set(world, other, &object), KILN_OK);
        size_t count;
        assert_int_equal(kiln_dynamic_step(world, 0.5, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 1);
        free(memory);
    }
}

/* A callback gives a velocity that is in range, and too much for the length of the step. */
static void a_step_ends_where_an_object_would_get_too_far(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        kiln_dynamic *world = two_spheres(&options, &memory);
        watch seen = {.velocity = -0x1p40};
        size_t count;
        assert_int_equal(kiln_dynamic_step(world, 0x1p20, watch_event, &seen, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(count, 1);
        assert_true(kiln_dynamic_get_info(world).time == 1);
        kiln_dynamic_object object = {.struct_size = sizeof object};
        const kiln_dynamic_id id = kiln_dynamic_next(world, 0);
        assert_int_equal(kiln_dynamic_get(world, id, &object), KILN_OK);
        assert_true(object.position[0] == 1 && object.velocity[0] == -0x1p40);
        assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 0);
        free(memory);
    }
}

static void infinite_walls_are_none(void **state)
{
    (void)state;
    void *memory;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    options.lower[0] = options.upper[0] = HUGE_VAL;
    options.lower[1] = options.upper[1] = -HUGE_VAL;
    kiln_dynamic *world = two_spheres(&options, &memory);
    size_t count;
    assert_int_equal(kiln_dynamic_step(world, 0.5, NULL, NULL, &count), KILN_OK);
    assert_int_equal(count, 0);
    free(memory);
}

static void a_world_may_be_empty(void **state)
{
    (void)state;
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        void *memory = malloc(kiln_dynamic_size(&options));
        kiln_dynamic *world = NULL;
        size_t count = 77;
        assert_int_equal(kiln_dynamic_place(memory, kiln_dynamic_size(&options), &options, &world),
                         KILN_OK);
        assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 0);
        free(memory);
        options.capacity = 3;
        world = two_spheres(&options, &memory);
        for (int round = 0; round < 3; round++) {
            remove_all(world);
            assert_int_equal(kiln_dynamic_step(world, 1, NULL, NULL, &count), KILN_OK);
            kiln_dynamic_object object = kiln_dynamic_object_default();
            kiln_dynamic_id id;
            object.velocity[0] = 1;
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
            object.position[0] = 3;
            object.velocity[0] = 0;
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
            assert_int_equal(kiln_dynamic_step(world, 2, NULL, NULL, &count), KILN_OK);
            assert_int_equal(count, 1);
        }
        free(memory);
    }
}

/* Bits do not depend on the caller's rounding, nor does a world that is far away lose events. */
static void rounding_and_distance_change_nothing(void **state)
{
    (void)state;
    const moving_scene scene = {.way = MOVING_ALL_WAYS,
                                .count = 150,
                                .speed = 20,
                                .radius = 0.3,
                                .density = 0.1,
                                .seed = 6};
    for (int e = 0; e < ALL_ENGINES; e++) {
        uint64_t expected = 0;
        for (int mode = 0; mode <= ROUNDING_MODES; mode++) {
            kiln_dynamic_options options = moving_options(&scene, all_engines[e]);
            void *memory;
            kiln_dynamic *world = moving_world(&scene, &options, &memory);
            moving_log log = {0, 0, 0, 2}; /* ghosts only: bounces are rounded as the caller's */
            log.ghosts = 1;
            rounding_enter(mode);
            const kiln_status status = kiln_dynamic_step(world, 0.3, moving_event, &log, NULL);
            rounding_leave();
            assert_int_equal(status, KILN_OK);
            expected = mode == 0 ? log.digest : expected;
            assert_true(log.digest == expected && log.events > 5);
            free(memory);
        }
    }
}

/* `far` from the origin, where doubles are coarse; one object may be where all others are not. */
static void far_world(double far, bool has_one_away, double scale)
{
    const moving_scene scene = {.way = MOVING_ALL_WAYS,
                                .count = 300,
                                .speed = 20 * scale,
                                .radius = 0.3 * scale,
                                .density = 0.2 / (scale * scale * scale),
                                .seed = 8};
    uint64_t expected = 0;
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = moving_options(&scene, all_engines[e]);
        const size_t size = kiln_dynamic_size(&options);
        void *memory = malloc(size);
        kiln_dynamic *world = NULL;
        assert_int_equal(kiln_dynamic_place(memory, size, &options, &world), KILN_OK);
        for (uint32_t i = 0; i < scene.count; i++) {
            kiln_dynamic_object object = moving_object(&scene, i);
            kiln_dynamic_id id;
            for (int k = 0; k < 3; k++) {
                object.position[k] += has_one_away && i == 3 ? -far : far;
                object.velocity[k] += 1000;
            }
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
        }
        moving_log log = {0, 0, 0, 0};
        assert_int_equal(kiln_dynamic_step(world, 0.3, moving_event, &log, NULL), KILN_OK);
        expected = e == 0 ? log.digest : expected;
        assert_true(log.digest == expected && log.events > 5);
        free(memory);
    }
}

static void a_far_world_loses_nothing(void **state)
{
    (void)state;
    far_world(0x1p38, true, 1);
    far_world(0x1p38, false, 1);
    far_world(0x1p39, false, 0.1);
    far_world(0x1.8p39, false, 0.03);
}

/* Extrapolated to the begin of its interval what becomes this fast is so far away that floats would
 * miss what it touches on its way, by half a thousandth. */
static bool shoot(void *user, kiln_dynamic_event *event)
{
    watch *own = user;
    own->count++;
    if (own->count == 1) {
        event->velocity_a[0] = 0.6e7;
        event->velocity_a[1] = 0.8e7;
        event->velocity_b[0] = 1;
    }
    return true;
}

/* When so much time has passed that it has few bits left, fast objects still have the same events
 * with all engines. */
static void a_late_world_loses_nothing(void **state)
{
    (void)state;
    const moving_scene scene = {.way = MOVING_ALL_WAYS,
                                .count = 80,
                                .speed = 0x1p20,
                                .radius = 0x1p14,
                                .density = 0x1p-48,
                                .seed = 3};
    uint64_t expected = 0;
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = moving_options(&scene, all_engines[e]);
        void *memory;
        kiln_dynamic *world;
        moving_log log = {0, 0, 0, 0};
        place_world(&options, &world, &memory);
        assert_int_equal(kiln_dynamic_step(world, 0x1p44, NULL, NULL, NULL), KILN_OK);
        for (uint32_t i = 0; i < scene.count; i++) {
            const kiln_dynamic_object object = moving_object(&scene, i);
            kiln_dynamic_id id;
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
        }
        for (int i = 0; i < 40; i++) {
            assert_int_equal(kiln_dynamic_step(world, 0x1p-5, moving_event, &log, NULL), KILN_OK);
        }
        assert_true(log.events > 20);
        expected = e == 0 ? log.digest : expected;
        assert_true(log.digest == expected);
        free(memory);
    }
}

static void what_becomes_fast_is_not_lost(void **state)
{
    (void)state;
    enum { TARGETS = 6 };
    for (int e = 0; e < ALL_ENGINES; e++) {
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e];
        options.capacity = 2 + TARGETS;
        options.interval = 2;
        void *memory;
        kiln_dynamic *world = two_spheres(&options, &memory);
        for (int i = 0; i < TARGETS; i++) {
            kiln_dynamic_object object = kiln_dynamic_object_default();
            kiln_dynamic_id id;
            const double along = 20 + i, across = i % 2 == 0 ? 1.0005 : -1.0005;
            object.position[0] = 1 + 0.6 * along - 0.8 * across;
            object.position[1] = 0.8 * along + 0.6 * across;
            object.radius = 0.001;
            assert_int_equal(kiln_dynamic_add(world, &object, &id), KILN_OK);
        }
        watch seen = {0};
        assert_int_equal(kiln_dynamic_step(world, 1.5, shoot, &seen, NULL), KILN_OK);
        assert_int_equal(seen.count, 2 + TARGETS); /* two with the one that it bounced off */
        free(memory);
    }
}

/* ---------------------------------------------------------------------------- narrow phases -- */

/* Spheres again, as a narrow phase of the caller's: the same times, since it answers with the
 * library's own function; never outside of the time that it is asked about. */
typedef struct {
    kiln_dynamic *world;
    double part; /* of the radius of the bounds */
    uint64_t asked;
} own_narrow;

static kiln_dynamic_answer narrow_spheres(void *user, const kiln_dynamic_question *question)
{
    own_narrow *own = user;
    const kiln_dynamic *world = own->world;
    const uint32_t a = (uint32_t)(question->a >> 32), b = (uint32_t)(question->b >> 32);
    const kiln_dynamic_limb *limbs = world->limbs;
    kiln_dynamic_answer answer;
    kiln_dynamic_body body_a = world->bodies[a], body_b = world->bodies[b];
    body_a.radius *= own->part;
    body_b.radius *= own->part;
    own->asked++;
    answer.time = kiln_dynamic_first_contact(&body_a, limbs != NULL ? &limbs[a] : NULL, &body_b,
                                             limbs != NULL ? &limbs[b] : NULL);
    answer.contact = answer.time < question->to;
    assert_true(question->from <= question->to);
    assert_true(!answer.contact || answer.time >= question->from);
    return answer;
}

static void filters_take_nothing_away(void **state)
{
    (void)state;
    static const uint32_t filters[] = {0, 1, 2, 4, 7};
    uint64_t random = 11;
    for (uint32_t i = 0; i < amount(12); i++) {
        const moving_scene scene = {.way = (moving_way)(i % MOVING_WAYS),
                                    .count = 120,
                                    .speed = i % 3 == 0 ? 200 : 20,
                                    .radius = 0.1,
                                    .half_length = i % 2 == 0 ? 1 : 0,
                                    .density = 0.2,
                                    .has_walls = i % 3 == 1,
                                    .seed = random_next(&random)};
        uint64_t expected = 0, asked[5] = {0};
        for (int f = -1; f < 5; f++) {
            kiln_dynamic_options options = moving_options(&scene, all_engines[i / 2 % ALL_ENGINES]);
            void *memory;
            own_narrow own = {NULL, 1, 0};
            if (f >= 0) {
                options.narrow = narrow_spheres;
                options.narrow_user = &own;
                options.filters = filters[f];
                options.pair_capacity = f % 2 == 0 ? 1000 : 0;
            }
            kiln_dynamic *world = moving_world(&scene, &options, &memory);
            own.world = world;
            moving_log log = {0, 0, 0, 0};
            for (int frame = 0; frame < 3; frame++) {
                assert_int_equal(kiln_dynamic_step(world, 1.0 / 60, moving_event, &log, NULL),
                                 KILN_OK);
            }
            expected = f < 0 ? log.digest : expected;
            assert_true(log.digest == expected);
            if (f >= 0) {
                asked[f] = own.asked;
                assert_int_equal(kiln_dynamic_get_info(world).narrow_calls, own.asked);
            }
            free(memory);
        }
        assert_true(asked[4] <= asked[0]);
    }
}

/* Spheres and arrows within bounds that are wider: they meet where the bounds overlap already, also
 * while those part. Events are those of a world of what is inside. */
static void what_bounds_hold_is_found(void **state)
{
    (void)state;
    uint64_t random = 12;
    for (uint32_t i = 0; i < amount(8); i++) {
        moving_scene scene = {.way = MOVING_ALL_WAYS,
                              .count = 120,
                              .speed = 40,
                              .radius = 0.4,
                              .half_length = i % 2 == 0 ? 1 : 0,
                              .density = 0.3,
                              .seed = random_next(&random)};
        moving_log logs[2] = {{0, 0, 0, 0}, {0, 0, 0, 0}};
        for (int w = 0; w < 2; w++) {
            kiln_dynamic_options options = moving_options(&scene, all_engines[i % ALL_ENGINES]);
            void *memory;
            own_narrow own = {NULL, 0.5, 0};
            kiln_dynamic_object object;
            if (w == 0) {
                options.narrow = narrow_spheres;
                options.narrow_user = &own;
            }
            kiln_dynamic *world = moving_world(&scene, &options, &memory);
            own.world = world;
            for (kiln_dynamic_id id = 0; w == 1 && (id = kiln_dynamic_next(world, id)) != 0;) {
                object = moving_object(&scene, (uint32_t)(id >> 32));
                object.radius /= 2;
                assert_int_equal(kiln_dynamic_set(world, id, &object), KILN_OK);
            }
            for (int frame = 0; frame < 6; frame++) {
                assert_int_equal(kiln_dynamic_step(world, 1.0 / 30, moving_event, &logs[w], NULL),
                                 KILN_OK);
            }
            free(memory);
        }
        assert_true(logs[0].events > 5);
        assert_true(logs[0].digest == logs[1].digest);
    }
}

/* Contact a quarter of a second after the begin of what is asked about. */
static kiln_dynamic_answer narrow_later(void *user, const kiln_dynamic_question *question)
{
    const double *time = user;
    kiln_dynamic_answer answer = {question->from + *time < question->to, question->from + *time};
    return answer;
}

static kiln_dynamic_answer narrow_always(void *user, const kiln_dynamic_question *question)
{
    const double *time = user;
    const kiln_dynamic_answer answer = {true, question->from + *time};
    return answer;
}

/* Two spheres of radius 1 at a distance and a velocity: calls of the narrow phase, and events. */
static void ask_about_two(double distance, double closing, double across, kiln_dynamic_info *info)
{
    double later = 0.25;
    void *memory;
    kiln_dynamic_options options = kiln_dynamic_options_default();
    options.capacity = 2;
    options.narrow = narrow_later;
    options.narrow_user = &later;
    kiln_dynamic *world = two_spheres(&options, &memory);
    const kiln_dynamic_id a = kiln_dynamic_next(world, 0), b = kiln_dynamic_next(world, a);
    kiln_dynamic_object object = kiln_dynamic_object_default();
    assert_int_equal(kiln_dynamic_set(world, a, &object), KILN_OK);
    object.position[0] = distance;
    object.velocity[0] = -closing;
    object.velocity[1] = across;
    assert_int_equal(kiln_dynamic_set(world, b, &object), KILN_OK);
    watch seen = {.pass = true};
    assert_int_equal(kiln_dynamic_step(world, 4, watch_event, &seen, NULL), KILN_OK);
    *info = kiln_dynamic_get_info(world);
    free(memory);
}

static void bounds_that_only_touch_and_part_are_not_asked_about(void **state)
{
    (void)state;
    kiln_dynamic_info info;
    ask_about_two(1.5, -1, 0, &info); /* deep in each other */
    assert_true(info.narrow_calls >= 1 && info.events == 1);
    ask_about_two(1.9, -0.1, 0, &info); /* less deep */
    assert_true(info.narrow_calls >= 1 && info.events == 1);
    ask_about_two(2 - 0x1p-50, -1, 0, &info); /* by rounding */
    assert_true(info.narrow_calls == 0 && info.events == 0);
    ask_about_two(2, -1, 0, &info);
    assert_true(info.narrow_calls == 0 && info.events == 0);
    ask_about_two(2 - 0x1p-50, 0, 1, &info); /* they slide */
    assert_true(info.narrow_calls >= 1);
    ask_about_two(2, 0, 0, &info); /* they stay */
    assert_true(info.narrow_calls >= 1 && info.events == 1);
    ask_about_two(3, 1, 0, &info);
    assert_true(info.narrow_calls >= 1 && info.events == 1);
}

/* Contact at a time that is before what was asked about, or NaN: as at its begin. */
static void answers_out_of_range_are_taken_for_the_begin(void **state)
{
    (void)state;
    static const double early[] = {-100, -HUGE_VAL, NAN};
    for (int e = 0; e < 3 * ALL_ENGINES; e++) {
        double later = early[e % 3];
        void *memory;
        kiln_dynamic_options options = kiln_dynamic_options_default();
        options.engine = all_engines[e / 3];
        options.narrow = narrow_always;
        options.narrow_user = &later;
        options.pair_capacity = e % 2 == 0;
        kiln_dynamic *world = two_spheres(&options, &memory);
        watch seen = {.pass = true};
        assert_int_equal(kiln_dynamic_step(world, 4, watch_event, &seen, NULL), KILN_OK);
        assert_int_equal(seen.count, 1);
        assert_true(fabs(seen.last.time - 1) < 1e-9);
        free(memory);
    }
}

/* Few objects, and those whose velocities seldom change, are gone through in vectors; many are put
 * into a grid, also where the interval is the caller's. */
static void an_engine_is_chosen_by_what_happens(void **state)
{
    (void)state;
    static const struct {
        moving_way way;
        uint32_t count;
        double radius, interval;
        kiln_dynamic_engine expected;
    } cases[] = {
        {MOVING_ALL_WAYS, 200, 0.25, 0, KILN_DYNAMIC_ALL_PAIRS_SIMD},
        {MOVING_STREAM, 3000, 0.02, 0, KILN_DYNAMIC_ALL_PAIRS_SIMD},
        {MOVING_ALL_WAYS, 5000, 0.25, 0, KILN_DYNAMIC_GRID},
        {MOVING_ALL_WAYS, 5000, 0.25, 0.05, KILN_DYNAMIC_GRID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const moving_scene scene = {.way = cases[i].way,
                                    .count = cases[i].count,
                                    .speed = 20,
                                    .radius = cases[i].radius,
                                    .density = 0.125,
                                    .has_walls = cases[i].way != MOVING_STREAM,
                                    .seed = 4};
        kiln_dynamic_options options = moving_options(&scene, KILN_DYNAMIC_AUTO);
        void *memory;
        options.interval = cases[i].interval;
        kiln_dynamic *world = moving_world(&scene, &options, &memory);
        for (int frame = 0; frame < 3; frame++) {
            assert_int_equal(kiln_dynamic_step(world, 1.0 / 30, NULL, NULL, NULL), KILN_OK);
        }
        assert_int_equal(kiln_dynamic_get_info(world).engine, cases[i].expected);
        free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_contacts_are_those_of_a_search),
        cmocka_unit_test(what_parts_has_no_contact),
        cmocka_unit_test(events_are_those_of_a_simulation),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(an_event_says_what_happens),
        cmocka_unit_test(ghosts_pass_once),
        cmocka_unit_test(velocities_of_a_callback_are_checked),
        cmocka_unit_test(events_of_one_object_in_a_step_have_a_most),
        cmocka_unit_test(what_happens_at_once_needs_room),
        cmocka_unit_test(little_room_loses_nothing),
        cmocka_unit_test(room_for_one_event_is_enough),
        cmocka_unit_test(a_copy_goes_on_in_an_instant),
        cmocka_unit_test(copies_in_instants_change_nothing),
        cmocka_unit_test(a_copy_needs_room_for_its_instant),
        cmocka_unit_test(an_instant_without_room_goes_on_in_a_copy),
        cmocka_unit_test(intervals_of_a_step_have_a_most),
        cmocka_unit_test(points_have_no_volume),
        cmocka_unit_test(what_is_fast_and_alone_moves),
        cmocka_unit_test(what_is_set_between_intervals_is_found),
        cmocka_unit_test(a_step_ends_where_an_object_would_get_too_far),
        cmocka_unit_test(infinite_walls_are_none),
        cmocka_unit_test(a_world_may_be_empty),
        cmocka_unit_test(rounding_and_distance_change_nothing),
        cmocka_unit_test(a_far_world_loses_nothing),
        cmocka_unit_test(a_late_world_loses_nothing),
        cmocka_unit_test(what_becomes_fast_is_not_lost),
        cmocka_unit_test(filters_take_nothing_away),
        cmocka_unit_test(what_bounds_hold_is_found),
        cmocka_unit_test(bounds_that_only_touch_and_part_are_not_asked_about),
        cmocka_unit_test(answers_out_of_range_are_taken_for_the_begin),
        cmocka_unit_test(an_engine_is_chosen_by_what_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
