/* The smallest ball around the corners of triangles. */
#ifndef KILN_TREE_BALL_H
#define KILN_TREE_BALL_H

#include "cloud.h"

typedef struct {
    double centre[3], radius; /* node space */
} kiln_ball;

/* Whatever the corners are: equal, on a line, in a plane. The radius is that of the corners about
 * the centre, as kiln_ball_reach has it, and least but for rounding. */
void kiln_ball_of(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_ball *ball);

/* How far the farthest corner of triangles [first, last) is from a point, and not less: more by at
 * most 2^-49 of the sizes. `farthest` may be NULL. */
double kiln_ball_reach(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                       const double centre[3], double farthest[3]);

#endif
