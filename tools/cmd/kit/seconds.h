/* A clock that only runs forward, and the summary of many times. */
#ifndef KILN_CMD_SECONDS_H
#define KILN_CMD_SECONDS_H

#include <stddef.h>

/* Seconds since an arbitrary moment. */
double seconds_now(void);

typedef struct {
    double median, mean, p99;
} timing;

/* The summary of `count` times, which it sorts; all zero where there are none. */
timing timing_of(double *times, size_t count);

#endif
