/* A point in a tree's frames, as the descent to what is near it sees it. */
#ifndef KILN_NEAR_POINT_H
#define KILN_NEAR_POINT_H

#include "../base/tree.h"

/* Squares are those of node space. Changed only by point_walk.h. */
typedef struct kiln_near_point {
    double own[3]; /* in the tree's own frame, exactly */
    double at[3];  /* in node space, off by less than `slack` in each coordinate */
    float high[4]; /* those rounded to float; then 0 */
    float low[4];  /* what is left of them, rounded */
    double unit;   /* node units in one of the tree */
    double tiny;   /* squares of triangles are off by this besides; infinite: they say nothing */
    float slack;
    float cut;                  /* boxes that are farther for sure, by squares, are not entered */
    double limit;               /* triangles that are farther for sure are not visited */
    double own_limit, own_tiny; /* the same in squares of the tree's own units */
    bool blind;                 /* too far away for floats: all boxes are entered */
} kiln_near_point;

/* What is done with a triangle, the square of whose distance is from `lower` to `upper` for sure.
 * It may cut the walk. False stops it. */
typedef bool (*kiln_point_visit)(void *user, kiln_near_point *near, uint32_t slot, uint32_t stored,
                                 double lower, double upper);

/* Called before each leaf. False stops the walk. NULL: nothing is. */
typedef bool (*kiln_point_leaf)(void *user);

#endif
