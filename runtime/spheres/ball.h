/* Spheres of a frame as balls of a tree's frame, for the kernels of balls. */
#ifndef KILN_BALL_H
#define KILN_BALL_H

#include "../kernel/ball_lanes.h"
#include "../pose/pose.h"

/* What all spheres of one frame have in common. */
typedef struct {
    const kiln_placement *placement; /* the tree in that frame */
    double unit;                     /* node units in a unit of the tree's frame */
    double wide;                     /* 1 + what the poses may lengthen */
    double size;          /* of the tree in the frame, from its origin: the largest number */
    double per_scale;     /* 1 / scale */
    const double *origin; /* of node space */
} kiln_placed_ball_frame;

void kiln_placed_ball_frame_form(kiln_placed_ball_frame *frame, const kiln_tree *tree,
                                 const kiln_placement *placement);

/* Numbers as kiln_shape_take leaves them. */
void kiln_placed_ball_form(kiln_placed_ball *ball, const kiln_placed_ball_frame *frame,
                           const double centre[3], double radius);

#endif
