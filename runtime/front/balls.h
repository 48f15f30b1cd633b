/* Balls around what is below the volumes of a binary tree. The tree's boxes and its leaves stay;
 * the balls stand beside them, in memory of their owner's. */
#ifndef KILN_BALLS_H
#define KILN_BALLS_H

#include "../pose/pose.h"

#include <math.h>

/* Volumes have numbers: 0 is the whole tree, 1 + 2 n + l lane l of node n. What is below is what
 * has the numbers `first` and `first` + 1 or, of a leaf, the triangles from slot `first` on. */
typedef struct {
    float centre[3]; /* node space */
    float radius;    /* every triangle below is in the ball, in exact arithmetic */
    uint32_t first;
    uint32_t
        below; /* of a leaf: its triangles; else KILN_BALL_INNER with a bit for each lane in use */
} kiln_ball;

enum { KILN_BALL_INNER = 16, KILN_BALL_LANES = 3 };

static inline bool kiln_ball_is_leaf(const kiln_ball *ball)
{
    return (ball->below & KILN_BALL_INNER) == 0;
}

/* Most nodes of a tree whose volumes can be numbered. */
enum { KILN_BALLS_NODES_MOST = 0x3fffffff };

/* How many balls a tree has. */
static inline uint32_t kiln_balls_count(const kiln_tree *tree)
{
    KILN_ASSERT(tree->view.kind->lanes == 2);
    KILN_ASSERT(tree->view.entry->node_count <= KILN_BALLS_NODES_MOST);
    return 1 + 2 * tree->view.entry->node_count;
}

/* Computes all of them; the tree has polygons and two lanes a node. Needs the environment of fpu.h.
 * Cost: some passes over all triangles for each level of the tree. */
void kiln_balls_make(const kiln_tree *tree, kiln_ball *balls);

/* How balls of Y are seen from X's node space. */
typedef struct {
    kiln_transform to_x;
    double scale;  /* of Y's radii */
    double growth; /* of the sum of both radii */
    double margin; /* and what is added to it */
} kiln_balls_frame;

/* The frame has its maps. */
void kiln_balls_relate(const kiln_pair_frame *frame, kiln_balls_frame *out);

/* Are they apart? True is a proof, which holds for the triangles below as they are compared.
 *
 * Suppose that two triangles below meet, at a point p of X's node space. It is within x->radius of
 * X's centre. The corners of Y's triangle are where pose.c carries them, within the map's slack of
 * where the map takes their exact places, and these are within y->radius of the exact centre; the
 * matrix is no rotation but departs from one, so that it makes lengths longer by a factor of up to
 * 1 + 4 off, in second order (the matrices of both poses have squares that depart from the identity
 * by `off` in each entry, so their singular values are within 1 +- 3/2 off). So the distance of the
 * centres is at most rx + (1 + 4 off) scale ry + slack. The map is evaluated in double, and its
 * error, a few times 2^-53 of the numbers that take part, is within the slack likewise
 * (kiln_pair_frame_form_maps leaves more than half of it); the sum of squares is off by a few times
 * 2^-53 of itself. Epsilon is 2^-17 + 8 off, and the margin twice the slack. What is beyond is
 * infinite or NaN: squares overflow only of centres that are more than 2^500 apart, where the reach
 * overflows as well or is smaller for certain; a NaN compares as false. The margin is above 2^-43
 * units of X, whose square does not underflow. */
static inline bool kiln_balls_are_apart(const kiln_balls_frame *by, const kiln_ball *x,
                                        const kiln_ball *y)
{
    const double *m = by->to_x.rotation, *t = by->to_x.translation;
    const double p = (double)y->centre[0], q = (double)y->centre[1], r = (double)y->centre[2];
    const double dx = ((m[0] * p + m[1] * q) + (m[2] * r + t[0])) - (double)x->centre[0];
    const double dy = ((m[3] * p + m[4] * q) + (m[5] * r + t[1])) - (double)x->centre[1];
    const double dz = ((m[6] * p + m[7] * q) + (m[8] * r + t[2])) - (double)x->centre[2];
    const double reach =
        ((double)x->radius + (double)y->radius * by->scale) * by->growth + by->margin;
    return dx * dx + dy * dy + dz * dz > reach * reach;
}

/* Is Y's the larger? */
static inline bool kiln_balls_second_is_larger(const kiln_balls_frame *by, const kiln_ball *x,
                                               const kiln_ball *y)
{
    return (double)y->radius * by->scale > (double)x->radius;
}

#endif
