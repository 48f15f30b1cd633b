/* Times of many queries, summed up. */
#ifndef KILN_CMD_TIMING_H
#define KILN_CMD_TIMING_H

#include <stddef.h>

typedef struct {
    double median, mean, p99;
} timing;

/* Of `count` times; sorts them. All zero for none. */
timing timing_of(double *times, size_t count);

#endif
