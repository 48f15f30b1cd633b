/* The summary of many times. */
#ifndef KILN_CMD_TIMING_H
#define KILN_CMD_TIMING_H

#include <stddef.h>

typedef struct {
    double median, mean, p99;
} timing;

/* The summary of `count` times, which it sorts; all zero where there are none. */
timing timing_of(double *times, size_t count);

#endif
