/* Descent of one tree towards what is near a convex shape: the traversal of its distances. */
#ifndef KILN_SHAPE_NEAR_WALK_H
#define KILN_SHAPE_NEAR_WALK_H

#include "../exact/convex_triangle.h"
#include "../kernel/kernel.h"
#include "../pose/pose.h"

typedef struct kiln_shape_near_walk kiln_shape_near_walk;

/* A leaf that may be within the limit. May lower the limit. False ends the walk. */
typedef bool (*kiln_shape_near_visit)(kiln_shape_near_walk *walk, uint32_t first, uint32_t count);

struct kiln_shape_near_walk {
    const kiln_tree *tree;
    const kiln_placement *placement;
    const kiln_kernel *kernel;
    kiln_shape_near_visit visit;
    void *user;
    double limit_squared; /* in square units of node space; set by kiln_shape_near_walk_limit */
    double stretch;       /* vectors get no longer by the map into the shape's frame */
    double unit;          /* of node space, in the shape's frame */
    double rounding;      /* of distances, in the shape's frame */
    /* What surrounds the hull, in the shape's frame: a box, or a ball, which then is 0 in the one
     * or the other. */
    double middle[3], half[3], around;
    double centre[3];  /* that in node space */
    kiln_probe probe;  /* the bounds there, but for what depends on the node */
    double slack;      /* of positions, in node space */
    float line[3];     /* a direction along which the two seem to be apart, or 0 */
    bool in_range;     /* floats serve */
    bool out_of_sight; /* so far apart that doubles hardly separate triangles */
};

/* The hull without its radius, in whose frame `placement` puts the tree. */
void kiln_shape_near_walk_begin(kiln_shape_near_walk *walk, const kiln_tree *tree,
                                const kiln_placement *placement, const kiln_convex_core *core,
                                kiln_shape_near_visit visit, void *user);

/* Triangles that are farther from the hull than `limit` need not be visited; below 0: none need.
 * One at the limit is, and so is every one whose computed distance is no greater, except out of
 * sight: there only those that are nearer by more than 2^-38 of it. HUGE_VAL: no limit. Returns the
 * limit with its rounding. */
double kiln_shape_near_walk_limit(kiln_shape_near_walk *walk, double limit);

/* A unit vector in the shape's frame, to be tried with every box. */
void kiln_shape_near_walk_line(kiln_shape_near_walk *walk, const double line[3]);

/* Visits leaves, nearest first as far as a descent goes. In the environment of fpu.h. */
void kiln_shape_near_walk_run(kiln_shape_near_walk *walk);

#endif
