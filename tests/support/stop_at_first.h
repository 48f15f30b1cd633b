/* The visitor of boolean walks, for the copies of the walk that are measured. */
#ifndef KILN_BENCH_STOP_AT_FIRST_H
#define KILN_BENCH_STOP_AT_FIRST_H

#include "../../runtime/walk/pair_walk.h"

/* *user, a bool, becomes true. */
static inline bool stop_at_first(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    (void)frame;
    (void)x;
    (void)y;
    *(bool *)user = true;
    return false;
}

#endif
