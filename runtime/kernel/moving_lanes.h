/* What kernels do to moving objects (kernel_moving.h), for dynamic worlds. Every set gives the same
 * bits. */
#ifndef KILN_MOVING_LANES_H
#define KILN_MOVING_LANES_H

#include <stdint.h>

/* Balls that move along lines: structure of arrays, each with room for a further KILN_MOVING_TAIL
 * numbers that may be read. */
typedef struct {
    const float *position[3], *velocity[3], *reach;
} kiln_moving_balls;
enum { KILN_MOVING_TAIL = 16 };

/* A box of space and time: lower bounds, then the upper ones with their signs changed. What meets
 * it is within `reverse`: the same of its mirror image. */
typedef struct {
    float bound[8];
} kiln_moving_box;

enum { KILN_MOVING_HITS = 512 };

typedef struct kiln_moving_kernels {
    /* Of the balls from `first` on and before `end`, at most KILN_MOVING_HITS, those that come near
     * ball number `one` in the time from 0 to `horizon`: their numbers, in ascending order; returns
     * how many. */
    uint32_t (*near_balls)(const kiln_moving_balls *balls, uint32_t first, uint32_t end,
                           uint32_t one, float horizon, uint32_t hits[KILN_MOVING_HITS]);
    /* Of the boxes in ranges[i][0] to ranges[i][1] - 1, in all at most KILN_MOVING_HITS, those none
     * of whose bounds is beyond that of `reverse`. */
    uint32_t (*meeting_boxes)(const kiln_moving_box *boxes, const uint32_t ranges[][2],
                              unsigned range_count, const kiln_moving_box *reverse,
                              uint32_t hits[KILN_MOVING_HITS]);
} kiln_moving_kernels;

#endif
