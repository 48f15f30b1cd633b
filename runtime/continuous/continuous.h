/* The inside of a dynamic world: objects, events that wait, and what engines are.
 *
 * Numbers that engines compare are floats in a frame of the interval's, within `limit`; each bound
 * is rounded outward by `pad`, so that no pair is missed for which kiln_dynamic_first_contact gives
 * a time. Why the pad is enough is said at its constant, in world_interval.c. */
#ifndef KILN_CONTINUOUS_INSIDE_H
#define KILN_CONTINUOUS_INSIDE_H

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../kernel/kernel.h"
#include "../kiln_continuous.h"

enum { KILN_DYNAMIC_CAPACITY_MOST = 1 << 22 };

#define KILN_DYNAMIC_NOWHERE UINT32_MAX
#define KILN_DYNAMIC_WALL 0xFFFFFF00u /* the first of six, as `b` of an event */
#define KILN_DYNAMIC_RANGE 0x1p40     /* of an object's numbers */
#define KILN_DYNAMIC_LONGEST 0x1p20   /* interval, seconds */
#define KILN_DYNAMIC_FAR 0x1p50       /* of times, and of coordinates that are reached */

/* The state of an object since its last change: it is at position + velocity (t - since). A free
 * place has a negative radius. */
typedef struct {
    double position[3], velocity[3], since, radius;
} kiln_dynamic_body;
KILN_STATIC_ASSERT(sizeof(kiln_dynamic_body) == 64, "a body is a line of the cache");

/* What makes a capsule of it: half the segment, as a vector. */
typedef struct {
    double arm[3], half_length;
} kiln_dynamic_limb;

/* What is seldom looked at. */
typedef struct {
    uint64_t user;
    double wall_time; /* of the next wall; HUGE_VAL: none */
    uint32_t wall;
    uint32_t generation; /* how often the place was used */
    uint32_t events;     /* in step number `step`; of a free place the next free one */
    uint32_t step;
} kiln_dynamic_fact;

/* An event that waits. It is stale when a key is no longer that of its object. */
typedef struct {
    double time;
    uint32_t a, b; /* b may be a wall */
    uint32_t key_a, key_b;
} kiln_dynamic_waiting;
KILN_STATIC_ASSERT(sizeof(kiln_dynamic_waiting) == 24, "as kiln_dynamic_size says");

/* What is known of a pair while both keys hold: there is no contact before `free_until`, and
 * if `is_contact`, there is one then. key_a of 0: nothing is kept. */
typedef struct {
    uint32_t a, b, key_a, key_b;
    double free_until;
    bool is_contact;
} kiln_dynamic_kept;
KILN_STATIC_ASSERT(sizeof(kiln_dynamic_kept) == 32, "as kiln_dynamic_size says");

/* Frame of an interval: x goes to rotation (x - centre - velocity (t - at)). */
typedef struct {
    double centre[3], velocity[3], rotation[3][3], at;
    bool is_turned; /* else the rotation is the identity, and not looked at */
} kiln_dynamic_frame;

/* Objects in the frame, extrapolated to the interval's begin: structure of arrays. A free place is
 * far away and rests. */
typedef struct {
    float *position[3], *velocity[3], *reach; /* radius and half-length, widened by the pad */
} kiln_dynamic_image;

/* What an engine does. It passes pairs to kiln_dynamic_candidate; a pair may come more than
 * once. */
typedef struct {
    /* Bytes for as many objects as the options say; and gives it that memory, aligned to 64. */
    size_t (*size)(const kiln_dynamic_options *options);
    void (*place)(kiln_dynamic *world, uint8_t *memory);
    /* Seconds for which it should look ahead. */
    double (*horizon)(kiln_dynamic *world);
    /* From world->begin to world->end: all pairs that may touch in that time; where it is
     * `lasting` and not `whole`, only those that no earlier interval has passed. */
    void (*begin)(kiln_dynamic *world, bool whole);
    /* An object has another state since world->now: all pairs of it until world->end. */
    void (*change)(kiln_dynamic *world, uint32_t place);
    /* The object at a place is no more; NULL: keys say so. */
    void (*remove)(kiln_dynamic *world, uint32_t place);
    /* Events later than the interval stay. */
    bool lasting;
    bool has_image;
    bool stays;    /* the frame does not move */
    bool may_turn; /* bounds are along axes, so that a frame along velocities pays */
} kiln_dynamic_method;

/* Work of an engine by its counts, as a part of what was expected: mean of what was seen. */
typedef struct {
    double mean;
    uint32_t seen;
} kiln_dynamic_ratio;

/* How often objects meet and change, for horizons and the choice of an engine. The
 * rates are computed from counts alone, so that a run makes the same choices on every machine. */
typedef struct {
    kiln_dynamic_info begun;          /* counts at the begin of the interval in hand */
    bool has_begun;                   /* there was one */
    double time, contacts, changes;   /* what is remembered of intervals that are over */
    double contact_rate, change_rate; /* in a second, expected */
    double ball_rate;                 /* contacts of balls about the objects */
    kiln_dynamic_ratio simd, grid;    /* of auto_engine.c */
} kiln_dynamic_rates;

struct kiln_dynamic {
    kiln_dynamic_options options;
    kiln_dynamic_body *bodies;
    kiln_dynamic_limb *limbs; /* NULL: no capsules */
    uint32_t *keys;           /* how often the state of a place has changed */
    kiln_dynamic_fact *facts;
    kiln_dynamic_waiting *heap;
    kiln_dynamic_kept *kept;
    kiln_dynamic_image image;
    uint32_t used, first_free, count;
    uint32_t kept_mask; /* their number less 1 */
    uint32_t heap_count, heap_room;
    double now;
    /* The interval in hand. Of a world that has none `end` is not after `now`. */
    double begin, end;
    double floor;      /* events before it have been passed */
    bool is_whole;     /* the next interval must be begun from nothing */
    bool is_beyond;    /* an object has left `limit`: a new one is to begin after this instant */
    bool is_full;      /* an event was lost for want of room */
    bool is_empty;     /* the interval has no objects */
    float limit, pad;  /* of coordinates in the frame; see world_interval.c */
    double magnitude;  /* of coordinates in the world that the pad allows for */
    double safe_until; /* no object gets beyond KILN_DYNAMIC_FAR before */
    kiln_dynamic_frame frame;
    double speed;   /* root of the mean square, in the frame; of the last interval */
    double pace;    /* mean speed in the frame */
    double girth;   /* mean of half the sides of objects' boxes */
    double extent;  /* mean radius and half-length */
    double spacing; /* (volume of the bounds / objects)^(1/3), not less than mean extents */
    kiln_dynamic_rates rates;
    const kiln_dynamic_method *method;
    kiln_dynamic_engine method_engine;
    void *index;               /* the engine's */
    kiln_dynamic_waiting last; /* the event that was passed last; key_a 0: none */
    uint32_t step;             /* number of the step in hand */
    double step_length;        /* in seconds */
    kiln_fpu_state caller;     /* while a call is inside fpu.h */
    kiln_dynamic_info counts;
};

/* Where an object is. */
static inline void kiln_dynamic_at(const kiln_dynamic_body *body, double time, double at[3])
{
    for (int k = 0; k < 3; k++) {
        at[k] = body->position[k] + body->velocity[k] * (time - body->since);
    }
}

static inline bool kiln_dynamic_is_there(const kiln_dynamic *world, uint32_t place)
{
    return world->bodies[place].radius >= 0;
}

/* ------------------------------------------------------------- contacts: first_contact.c -- */

/* The time at which two bodies, or the capsules of both limbs, first touch while they approach, not
 * before both were in their states; HUGE_VAL: never. Limbs NULL: spheres. */
double kiln_dynamic_first_contact(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                                  const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b);

/* The time in which they may overlap, parting or not: from *from, which is HUGE_VAL if they never
 * do, to *to at the latest. For a narrow phase, so it is never too short; but what parts and is no
 * deeper than `room`, of distances' rounding, does not count. */
void kiln_dynamic_overlap(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                          const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b, double room,
                          double *from, double *to);

/* From a to b where they touch at `time`. */
void kiln_dynamic_normal(const kiln_dynamic_body *a, const kiln_dynamic_limb *limb_a,
                         const kiln_dynamic_body *b, const kiln_dynamic_limb *limb_b, double time,
                         double normal[3]);

/* The first wall that an object reaches after (time, wall): its number, and the time in *when;
 * HUGE_VAL: none. */
uint32_t kiln_dynamic_next_wall(const kiln_dynamic *world, uint32_t place, double time,
                                uint32_t wall, double *when);

/* -------------------------------------------------------- filters: candidate_filter.c -- */

/* A pair that an engine has found: is tested, and its event waits if it is in time. */
void kiln_dynamic_candidate(kiln_dynamic *world, uint32_t i, uint32_t j);

/* --------------------------------------------------------------- events: event_heap.c -- */

bool kiln_dynamic_before(const kiln_dynamic_waiting *x, const kiln_dynamic_waiting *y);
void kiln_dynamic_wait(kiln_dynamic *world, const kiln_dynamic_waiting *event);
kiln_dynamic_waiting kiln_dynamic_take(kiln_dynamic *world);

static inline bool kiln_dynamic_is_stale(const kiln_dynamic *world,
                                         const kiln_dynamic_waiting *event)
{
    return world->keys[event->a] != event->key_a ||
           (event->b < KILN_DYNAMIC_WALL && world->keys[event->b] != event->key_b);
}

/* ----------------------------------------------------- intervals: world_interval.c -- */

/* Begins one at world->now. */
void kiln_dynamic_begin(kiln_dynamic *world);

/* A body has another state: a new key, and its next wall. dynamic_world.c. */
void kiln_dynamic_renew(kiln_dynamic *world, uint32_t place);

/* An object has a new state since world->now: its wall, and its pairs in the interval. */
void kiln_dynamic_changed(kiln_dynamic *world, uint32_t place);

/* Where an object would be at the begin of the interval, and its velocity, both in the frame. */
void kiln_dynamic_to_frame(const kiln_dynamic *world, uint32_t place, double position[3],
                           double velocity[3]);

/* ------------------------------------------------------------------------------ engines -- */

extern const kiln_dynamic_method kiln_dynamic_all_pairs;      /* all_pairs.c */
extern const kiln_dynamic_method kiln_dynamic_all_pairs_simd; /* all_pairs_simd.c */
extern const kiln_dynamic_method kiln_dynamic_grid;           /* grid.c */

extern const kiln_dynamic_method kiln_dynamic_lists;     /* axis_lists.c */
extern const kiln_dynamic_method kiln_dynamic_published; /* published_lists.c */
extern const kiln_dynamic_method kiln_dynamic_auto;      /* auto_engine.c */

/* Costs of single operations, in nanoseconds of one machine; only their ratios matter. They were
 * fitted to 28 runs of the scenes of kiln-bench, whose times they give to within a seventh:
 * a pair of all pairs in vectors; a candidate with its test and its event; the event and the answer
 * to a change; a box of a grid, made and sorted, and a comparison of two. */
#define KILN_DYNAMIC_COST_PAIR 1.0
#define KILN_DYNAMIC_COST_CANDIDATE 150.0
#define KILN_DYNAMIC_COST_CAPSULES 400.0 /* a candidate where there are capsules */
#define KILN_DYNAMIC_COST_CHANGE 100.0
#define KILN_DYNAMIC_COST_BOX 250.0
#define KILN_DYNAMIC_COST_COMPARE 4.0

static inline double kiln_dynamic_candidate_cost(const kiln_dynamic *world)
{
    return world->limbs != NULL ? KILN_DYNAMIC_COST_CAPSULES : KILN_DYNAMIC_COST_CANDIDATE;
}

/* Functions of all pairs in vectors that the grid calls, too, and of both that kiln_dynamic_auto
 * calls. */
void kiln_dynamic_simd_pair(kiln_dynamic *world, uint32_t i, uint32_t j);
double kiln_dynamic_simd_horizon(kiln_dynamic *world);
void kiln_dynamic_simd_begin(kiln_dynamic *world, bool whole);
void kiln_dynamic_simd_change(kiln_dynamic *world, uint32_t place);
size_t kiln_dynamic_grid_size(const kiln_dynamic_options *options);
void kiln_dynamic_grid_place(kiln_dynamic *world, uint8_t *memory);
double kiln_dynamic_grid_horizon(kiln_dynamic *world);
double kiln_dynamic_grid_box_cost(const kiln_dynamic *world, double horizon);
void kiln_dynamic_grid_begin(kiln_dynamic *world, bool whole);
void kiln_dynamic_grid_change(kiln_dynamic *world, uint32_t place);

/* The methods of an engine; NULL: there is no such engine. */
const kiln_dynamic_method *kiln_dynamic_method_of(kiln_dynamic_engine engine);

#endif
