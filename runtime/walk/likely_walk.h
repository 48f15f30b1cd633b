/* A descent of two trees that sums up how likely what waits is to meet, may end early for that, and
 * may be interrupted. */
#ifndef KILN_LIKELY_WALK_H
#define KILN_LIKELY_WALK_H

#include "pair_level.h"

typedef struct {
    kiln_level level;
    kiln_weighed_lanes weighed;
    bool is_weighed; /* else its lanes count for nothing in what waits */
} kiln_likely_level;

typedef enum {
    KILN_WALK_GOES_ON = 0,
    KILN_WALK_APART, /* proved */
    KILN_WALK_MEETS, /* proved, by a pair of triangles */
    KILN_WALK_EARLY  /* the score passed the threshold */
} kiln_walk_state;

/* Begun by kiln_likely_walk_begin; must not be moved while it runs. */
typedef struct {
    kiln_pair_frame frame; /* formed by the caller, with its maps */
    kiln_pair_visitor visitor;
    kiln_descent descent;
    const kiln_likely_weights *weights;
    void (*observe)(void *user, const kiln_likely_seen *seen); /* NULL: none */
    void *observe_user;
    float threshold;
    uint32_t to_weigh;    /* nodes that may yet be weighed */
    uint32_t lanes_worth; /* so many must be left of a node, unless */
    bool all;             /* every node is weighed, though few of its lanes are left */
    float log_root[2];    /* log2 of the smaller root's half-area, in Y's and in X's node space */
    float pending;        /* sum of the losses of lanes that wait */
    float score;
    uint64_t steps;
    kiln_walk_state state;
    uint32_t stored_x, stored_y; /* KILN_WALK_MEETS: the pair */
    float org_x[3], org_y[3];
    kiln_likely_level *levels, *at; /* room for both depths and KILN_LEVELS_BELOW */
} kiln_likely_walk;

/* Begins at the roots, the larger of which the first step opens. The frame, weights, observer,
 * threshold, `all` and levels are set, and the roots' boxes may meet. */
void kiln_likely_walk_begin(kiln_likely_walk *walk);

/* Takes one step after another, as long as the state is KILN_WALK_GOES_ON, `steps` are left, and
 * `is_late`, where it is given, does not say that time is up. */
void kiln_likely_walk_run(kiln_likely_walk *walk, uint64_t steps, bool (*is_late)(const void *user),
                          const void *user);

/* What is known of the lanes that wait: the largest loss, the sum of the others, how many. */
typedef struct {
    float most, rest;
    uint32_t count;
} kiln_likely_waiting;

kiln_likely_waiting kiln_likely_walk_waiting(const kiln_likely_walk *walk);

#endif
