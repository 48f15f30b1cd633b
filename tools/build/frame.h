/* Node space: the frame in which a tree's nodes are stored, p_node = (p - origin) * 2^-exponent,
 * computed in double in this order. */
#ifndef KILN_BUILD_FRAME_H
#define KILN_BUILD_FRAME_H

#include <stdint.h>

typedef struct {
    double origin[3];
    double scale; /* 2^-exponent */
    int32_t exponent;
} kiln_frame;

/* The frame whose origin is the centre of the box, and in which all of the box is within [-1,
 * 1]. */
void kiln_frame_choose(const float lower[3], const float upper[3], kiln_frame *frame);

static inline double kiln_frame_apply(const kiln_frame *frame, unsigned axis, float coordinate)
{
    return ((double)coordinate - frame->origin[axis]) * frame->scale;
}

#endif
