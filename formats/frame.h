/* Node space: the frame in which a tree's nodes are stored. */
#ifndef KILN_FRAME_H
#define KILN_FRAME_H

#include <stdint.h>

/* p_node = (p - origin) * 2^-exponent, computed in double in this order. */
typedef struct {
    double origin[3];
    double scale; /* 2^-exponent */
    int32_t exponent;
} kiln_frame;

/* Where most of a mesh is: the middle half of its coordinates on each axis. */
typedef struct {
    float quarter[3], median[3], three_quarters[3];
} kiln_crowd;

/* The frame in which all of the box is within [-1, 1]. Its origin is the centre of the box, unless
 * the crowd is a speck in it (a far stray triangle stretches the box): then the median, since the
 * floats of nodes are finest about the origin. `crowd` NULL: too few triangles to speak of one. */
void kiln_frame_choose(const float lower[3], const float upper[3], const kiln_crowd *crowd,
                       kiln_frame *frame);

static inline double kiln_frame_apply(const kiln_frame *frame, unsigned axis, float coordinate)
{
    return ((double)coordinate - frame->origin[axis]) * frame->scale;
}

#endif
