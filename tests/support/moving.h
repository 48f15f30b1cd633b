/* Scenes of moving objects, the same on every machine: spheres and arrows in a box or in the
 * open. */
#ifndef KILN_TEST_MOVING_H
#define KILN_TEST_MOVING_H

#include "../../runtime/kiln_continuous.h"

typedef enum {
    MOVING_ALL_WAYS, /* any direction, speeds from 0 to `speed` */
    MOVING_STREAM,   /* within 5 degrees of (1, 1, 1), 0.9 to 1 of the speed */
    MOVING_FEW_FAST, /* one in a hundred; the others 2 % of the speed */
    MOVING_CLUSTERS, /* in four clusters, any direction */
    MOVING_WAYS
} moving_way;

typedef struct {
    moving_way way;
    uint32_t count;
    double speed, radius;
    bool radii_vary;    /* from a tenth to 1 of `radius`, and one in 64 four times as large */
    double half_length; /* > 0: arrows along their velocities */
    double density;     /* objects in a unit of volume */
    bool has_walls;
    uint64_t seed;
} moving_scene;

/* Edge of the box. */
double moving_edge(const moving_scene *scene);

/* Capacity, walls and capsules of a scene. */
kiln_dynamic_options moving_options(const moving_scene *scene, kiln_dynamic_engine engine);

/* Object i, each independent of the others. */
kiln_dynamic_object moving_object(const moving_scene *scene, uint32_t i);

/* Places a world in memory of its own and fills it; free() releases *memory. Aborts where that
 * fails. */
kiln_dynamic *moving_world(const moving_scene *scene, const kiln_dynamic_options *options,
                           void **memory);

/* What happened, as one number, which no two lists of events are likely to share: every bit of
 * every event. */
typedef struct {
    uint64_t digest, events, walls;
    uint32_t ghosts; /* one pair in so many passes through; 0: none */
} moving_log;

/* Bounces, and logs the event; `user` is a moving_log. */
bool moving_event(void *user, kiln_dynamic_event *event);

#endif
