/* Simultaneous descent of two trees towards what is near: the traversal that distances use. */
#ifndef KILN_NEAR_WALK_H
#define KILN_NEAR_WALK_H

#include "tree_box.h"

typedef struct kiln_near_walk kiln_near_walk;

/* Two leaves that may be within the limit. May lower the limit. False ends the walk. */
typedef bool (*kiln_near_visit)(kiln_near_walk *walk, const kiln_tree_box *leaf_x,
                                const kiln_tree_box *leaf_y);

struct kiln_near_walk {
    const kiln_pair_frame *frame;
    const kiln_kernel *kernel;
    kiln_near_visit visit;
    void *user;
    /* Units are those of X's node space; of an affine frame, of the frame of comparison. */
    double limit_squared; /* in square units; set by kiln_near_walk_limit */
    double unit_x;        /* in the frame of comparison */
    double unit_y;        /* of Y's node space, in units */
    double rounding;      /* of distances, in units */
    /* What boxes may be off by, as doubles have them: directions, and positions in units. */
    double direction_off, position_off;
    float line_x[3],
        line_y[3];     /* a direction that parts the trees well, in both node spaces; or 0 */
    double line[3];    /* that in the frame of comparison */
    bool out_of_sight; /* so far apart that doubles hardly separate triangles */
};

void kiln_near_walk_begin(kiln_near_walk *walk, const kiln_pair_frame *frame, kiln_near_visit visit,
                          void *user);

/* Pairs that are further apart than `limit` need not be visited; below 0: none need. A pair at the
 * limit is visited, and so is every one whose computed distance is no greater, except out of sight:
 * there only those that are nearer by more than 2^-38 of it. HUGE_VAL: no limit. */
void kiln_near_walk_limit(kiln_near_walk *walk, double limit);

/* A unit vector in X's frame, along which trees seem to be apart: to be tried with every pair of
 * boxes. */
void kiln_near_walk_line(kiln_near_walk *walk, const double line[3]);

/* Visits leaf pairs, nearest first as far as a descent goes. In the environment of fpu.h. */
void kiln_near_walk_run(kiln_near_walk *walk);

#endif
