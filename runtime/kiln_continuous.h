/* kiln: dynamic collision detection of many moving objects. A world says when objects first touch,
 * in the order of time, however fast they are; nothing passes through anything between two frames.
 *
 *     kiln_dynamic_options options = kiln_dynamic_options_default();
 *     options.capacity = 1000;
 *     void *memory = malloc(kiln_dynamic_size(&options));
 *     kiln_dynamic *world = NULL;
 *     kiln_dynamic_place(memory, kiln_dynamic_size(&options), &options, &world);
 *     kiln_dynamic_object object = kiln_dynamic_object_default();
 *     object.radius = 0.25;
 *     object.velocity[0] = 5;
 *     kiln_dynamic_id id;
 *     kiln_dynamic_add(world, &object, &id);
 *     ... each frame:
 *         kiln_dynamic_step(world, 1.0 / 30, on_event, NULL, NULL);
 *
 * After Coming and Staadt, "Velocity-aligned discrete oriented polytopes for dynamic collision
 * detection", UC Davis CSE-2005-25, 2004, whose event queue, caching and lists of axes are here;
 * and what was found to be faster since. What kiln.h says of errors and of options holds here too.
 *
 * Motion. Between two events an object moves along a line at a constant velocity. It is a sphere,
 * or a capsule: a sphere swept along a segment that does not turn. A mesh takes part by a sphere or
 * a capsule that holds it, within which it may turn, and by a narrow phase of the caller's
 * (kiln_dynamic_options.narrow), which is asked about pairs whose bounds touch, and when.
 *
 * Events. The time at which two objects first touch is a function of their two states alone: where
 * they were when they got their velocities, the velocities and the shapes. Touching counts only
 * while they approach, so that objects that part, or overlap and part, have no event. Events come
 * in the order of (time, place of a, place of b), walls after objects. This list, and every bit of
 * every time, is the same with every engine, interval, instruction set and machine.
 *
 * Engines find which pairs to ask that function about. They differ in speed and memory alone:
 *
 *   KILN_DYNAMIC_AUTO            one of the next two, from counts of work
 *   KILN_DYNAMIC_ALL_PAIRS_SIMD  all pairs once in an interval, in vectors, and those of an object
 *                                whose velocity changes; the fastest up to some 2,000 objects
 *   KILN_DYNAMIC_GRID            boxes of space and time, sorted into cells; the fastest for more
 *   KILN_DYNAMIC_ALL_PAIRS       all pairs by doubles, one at a time: the paper's "naive" method
 *   KILN_DYNAMIC_SWEEP, KILN_DYNAMIC_SWEEP_14DOP  sorted lists of ends along 3 or 7 axes (IV-A, B)
 *   KILN_DYNAMIC_VADOP           lists along those axes of a set that are nearly perpendicular to
 *                                the velocities (IV-C), without a matrix, changed in batches
 *   KILN_DYNAMIC_VADOP_PUBLISHED  the same as it was published, with a counter for each pair
 *
 * The last four are there to compare with: no scene is known where one of them is the fastest.
 *
 * Time. A world begins at 0. An interval for which an engine looks ahead is no frame: it may be a
 * fraction of one or many, and is chosen from speeds and distances unless the caller sets it.
 *
 * Threads: functions that take a const world may be called by any number of threads at once; those
 * that take one that is not const by one thread, while no other uses the world. Callbacks must not
 * change the world. They run in the floating-point environment that the call was made in. No call
 * allocates memory; each needs at most 32 KiB of stack. */
#ifndef KILN_CONTINUOUS_H
#define KILN_CONTINUOUS_H

#include "kiln_axes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------- dynamic worlds -- */

/* A world. It lives in the caller's memory, which must not be moved. */
typedef struct kiln_dynamic kiln_dynamic;

/* An object of a world; 0 is none. The upper 32 bits are its place, from 0 to the capacity - 1, by
 * which events are ordered; the lower ones count how often the place was used, as in scenes. */
typedef uint64_t kiln_dynamic_id;

/* Initialise it with kiln_dynamic_object_default, then change members. Coordinates, velocities and
 * sizes are in units and units a second of the caller's, at most 2^40 in magnitude. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_dynamic_object) of the caller */
    double position[3]; /* of the centre */
    double velocity[3];
    double radius; /* >= 0 */
    /* A capsule: the segment from position - half_length * axis to position + half_length * axis,
     * and all within `radius` of it. The axis is a unit vector (its length within 2^-20 of 1; it is
     * not looked at where half_length is 0, a sphere). Needs kiln_dynamic_options.capsules. */
    double half_length;
    double axis[3];
    uint64_t user; /* anything; events have it */
} kiln_dynamic_object;

/* Returns the defaults: a sphere of radius 1 that rests in the origin. */
KILN_API kiln_dynamic_object kiln_dynamic_object_default(void);

typedef enum {
    KILN_DYNAMIC_AUTO = 0,
    KILN_DYNAMIC_ALL_PAIRS = 1,
    KILN_DYNAMIC_ALL_PAIRS_SIMD = 2,
    KILN_DYNAMIC_GRID = 3,
    KILN_DYNAMIC_SWEEP = 4,
    KILN_DYNAMIC_SWEEP_14DOP = 5,
    KILN_DYNAMIC_VADOP = 6,
    KILN_DYNAMIC_VADOP_PUBLISHED = 7
} kiln_dynamic_engine;

/* What the narrow phase is asked: two objects, whose bounds touch in the time from `from` on and
 * before `to`; but not those that touch no deeper than rounding, and part, as after an elastic
 * collision of the bounds. Positions are those at the time `from`. */
typedef struct {
    kiln_dynamic_id a, b; /* place of a < place of b */
    uint64_t user_a, user_b;
    double from, to;
    double position_a[3], position_b[3];
    double velocity_a[3], velocity_b[3];
} kiln_dynamic_question;

/* What it answers. */
typedef struct {
    bool contact;
    /* If there is contact: when, from question.from to question.to; a time before, or NaN, is taken
     * for question.from, and a later one as it is. If not: until when there is none; at least
     * question.to, or (NaN included) the same question is asked again; HUGE_VAL: never, as long as
     * both keep their velocities. */
    double time;
} kiln_dynamic_answer;

/* Must depend on nothing but the two objects and their motion, else events depend on the engine.
 * The answer is kept while both objects keep their velocities, see pair_capacity. */
typedef kiln_dynamic_answer (*kiln_dynamic_narrow)(void *user,
                                                   const kiln_dynamic_question *question);

/* Filters that a candidate of an engine has to pass before the narrow phase is asked. */
enum {
    KILN_DYNAMIC_FILTER_BOX = 1,   /* the box that one sweeps relative to the other */
    KILN_DYNAMIC_FILTER_AXIS = 2,  /* extents along v_a x v_b, which no time changes (IV-C) */
    KILN_DYNAMIC_FILTER_SWEPT = 4, /* the first contact of the two bounds */
    KILN_DYNAMIC_FILTER_ALL = 7
};

/* Initialise them with kiln_dynamic_options_default, then change members. */
typedef struct {
    size_t struct_size; /* sizeof(kiln_dynamic_options) of the caller */
    uint32_t capacity;  /* objects, at most 2^22 */
    /* Events that wait, at most, up to 2^28; 0: 8 an object and 1024. Where more would have to
     * wait, the interval is cut short and those that are late in it are found again: that takes
     * time and loses nothing. */
    uint32_t event_capacity;
    /* Answers of the narrow phase that are kept, up to 2^26, rounded up to a power of two, 32 bytes
     * each; 0: none. An answer that finds its place taken replaces what is there. */
    uint32_t pair_capacity;
    kiln_dynamic_engine engine;
    /* How far an engine looks ahead, in seconds, up to 2^20; 0: chosen. It is cut short where an
     * object would move by more than 2^48 in it, and is 2^-16 of a step at least.
     * KILN_DYNAMIC_ALL_PAIRS looks ahead without end, whatever this is. */
    double interval;
    bool capsules;              /* are there capsules? they take 32 bytes an object */
    kiln_dynamic_narrow narrow; /* NULL: spheres and capsules, exactly as such */
    void *narrow_user;
    /* Of the VADOP engines: the set of axes, at most 256, which must live as long as the world;
     * NULL: the one that is built in. And the sine of the angle phi of zones; 0: that of the set's
     * covering radius, the least that is allowed (kiln_axes.h). */
    const kiln_axes *axes;
    double axes_sine;
    uint32_t filters; /* before `narrow` is asked; without it they are not used */
    /* Walls: six planes; object centres are to be inside by their extents. Wall 2 k is that of
     * lower[k], 2 k + 1 that of upper[k]. An infinite one is none. */
    double lower[3], upper[3];
    /* Events of one object in one step, at most, >= 1: further ones of it in the step are not
     * passed, and the objects pass through each other or the wall. */
    uint32_t events_most;
} kiln_dynamic_options;

/* Returns the defaults: no room, automatic engine and interval, no capsules, all filters, no
 * walls, 4096 events of an object in a step. */
KILN_API kiln_dynamic_options kiln_dynamic_options_default(void);

/* Bytes that a world takes, of any alignment: 100 an object, 32 more with capsules, 24 an event
 * that waits, 32 a kept answer, and what the engine needs: 28 an object for all pairs in vectors,
 * none for all pairs by doubles, about 100 for the grid and what is chosen, 220 and 380 for the
 * sweeps, 100 and 50 for each axis that an object uses in the mean for VADOP, and as published
 * about 70, 32 an axis of the set and half a byte an object more for each object. 0: the options
 * are NULL or out of range. */
KILN_API size_t kiln_dynamic_size(const kiln_dynamic_options *options);

/* Makes an empty world of `memory` [size bytes]. The memory stays the caller's; there is nothing
 * to release. KILN_ERROR_ARGUMENT: NULL, options out of range (NaN included), or too small; *out is
 * then NULL. A world does not grow: kiln_dynamic_copy carries it to a larger one. */
KILN_API kiln_status kiln_dynamic_place(void *memory, size_t size,
                                        const kiln_dynamic_options *options, kiln_dynamic **out);

/* Makes `to`, which must be empty and as it was placed, hold all objects of `from`, with the same
 * ids, states and time, so that its events go on as those of `from` would, also where a callback
 * stopped it between events of one time; but where a step of `from` said KILN_ERROR_FULL, events of
 * this very time of an object whose state changed at it may be passed once more. Its options are
 * its own.
 * KILN_ERROR_ARGUMENT: NULL, capsules without room for them, or `to` has been used.
 * KILN_ERROR_FULL: its capacity is less than the places that `from` has used, or it has less room
 * for events than wait for this very time. On an error `to` is as before. */
KILN_API kiln_status kiln_dynamic_copy(const kiln_dynamic *from, kiln_dynamic *to);

/* Adds a copy of an object, at the world's time. *id is its own until it is removed.
 * KILN_ERROR_ARGUMENT (NULL, a number out of range or NaN), KILN_ERROR_FULL: the world and *id are
 * as before. Cost: as a change of velocity. */
KILN_API kiln_status kiln_dynamic_add(kiln_dynamic *world, const kiln_dynamic_object *object,
                                      kiln_dynamic_id *id);

/* Removes an object. KILN_ERROR_ARGUMENT (null world), KILN_ERROR_NO_OBJECT: the world is as
 * before. */
KILN_API kiln_status kiln_dynamic_remove(kiln_dynamic *world, kiln_dynamic_id id);

/* Gives an object another state, at the world's time. Errors as kiln_dynamic_remove, and
 * KILN_ERROR_ARGUMENT as kiln_dynamic_add: the world is as before. */
KILN_API kiln_status kiln_dynamic_set(kiln_dynamic *world, kiln_dynamic_id id,
                                      const kiln_dynamic_object *object);

/* Copies an object as it is at the world's time: the members that lie within object->struct_size,
 * which the caller sets. KILN_ERROR_ARGUMENT (NULL), KILN_ERROR_NO_OBJECT: *object is untouched. */
KILN_API kiln_status kiln_dynamic_get(const kiln_dynamic *world, kiln_dynamic_id id,
                                      kiln_dynamic_object *object);

/* Returns the object with the next higher id, where 0 gives the first one; 0: there is none, or the
 * world is NULL. */
KILN_API kiln_dynamic_id kiln_dynamic_next(const kiln_dynamic *world, kiln_dynamic_id id);

/* What a world holds, and what was done since it was placed. Counts are the same on every machine.
 */
typedef struct {
    double time;
    uint32_t capacity, count;   /* objects */
    kiln_dynamic_engine engine; /* the one in use, where it was chosen */
    double interval;            /* as it was last chosen or set; HUGE_VAL: without end */
    uint64_t events, wall_events;
    uint64_t events_left_out; /* by events_most */
    uint64_t intervals;       /* that were begun */
    uint64_t restarts;        /* of them, those for which nothing of the last one was kept */
    uint64_t changes;         /* of states, each of which an engine was told */
    uint64_t candidates;      /* pairs that engines found */
    uint64_t tests;           /* first contacts of bounds that were computed */
    uint64_t narrow_calls;
    uint64_t by_kept, by_box, by_axis, by_swept; /* candidates that kept answers and filters end */
    uint64_t boxes;                              /* that were made; of the grid */
    uint64_t looked_at; /* pairs of boxes or of objects that an engine compared */
    uint64_t swaps;     /* of neighbours in sorted lists */
    uint64_t list_ends; /* in them when the last interval began: two an object and axis */
    uint64_t cuts;      /* of intervals, since no more events had room */
    uint32_t waiting, waiting_most; /* events */
} kiln_dynamic_info;

/* Returns them. All zero for NULL. */
KILN_API kiln_dynamic_info kiln_dynamic_get_info(const kiln_dynamic *world);

/* --------------------------------------------------------------- events of dynamic worlds -- */

typedef struct {
    double time;
    kiln_dynamic_id a, b; /* b 0: a wall */
    int wall;             /* its number; -1: none */
    uint64_t user_a, user_b;
    double position_a[3], position_b[3]; /* at the time; of a wall's b all is 0 */
    double normal[3]; /* unit vector from a towards b where the bounds touch; 0 where they have one
                       * centre */
    /* As they were before. The callback writes those after: an object whose velocity it changes
     * goes on from here with the new one. */
    double velocity_a[3], velocity_b[3];
} kiln_dynamic_event;

/* Called for an event; return false to stop the step after it. */
typedef bool (*kiln_dynamic_callback)(void *user, kiln_dynamic_event *event);

/* Gives objects of equal masses, or one and a wall, the velocities after an elastic collision
 * without friction, along event->normal. As a callback it always goes on. */
KILN_API bool kiln_dynamic_bounce(void *user, kiln_dynamic_event *event);

/* Moves all objects on by dt seconds, >= 0, and passes every event from the world's time on and
 * before the new one to the callback, in order; NULL: kiln_dynamic_bounce. *count (may be NULL) is
 * the number of events, also of a step that ends with an error; it is untouched where the world is
 * NULL, or dt negative, infinite or NaN. Where the callback stops it, the world's time is that of
 * the event, and kiln_dynamic_info has it. KILN_ERROR_ARGUMENT (null world; dt negative, infinite
 * or NaN; the time or an object would get beyond 2^50): the world is as before, unless the callback
 * gave a velocity that is out of range or NaN; then it stands at that event, whose objects keep
 * their velocities; or one by which an object would get beyond 2^50 in the step; then it stands at
 * that event, and the object has it.
 * KILN_ERROR_FULL: more events than there is room for happen at one time; the world stands at the
 * last event that was passed, and kiln_dynamic_copy to one with more room goes on. */
KILN_API kiln_status kiln_dynamic_step(kiln_dynamic *world, double dt,
                                       kiln_dynamic_callback callback, void *user, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
