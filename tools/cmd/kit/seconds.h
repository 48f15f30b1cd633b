/* A clock that only runs forward, and the summary of many times. */
#ifndef KILN_CMD_SECONDS_H
#define KILN_CMD_SECONDS_H

#include <stddef.h>

double seconds_now(void);

typedef struct {
    double median, mean, p99;
} timing;

/* Of `count` times; sorts them. All zero for none. */
timing timing_of(double *times, size_t count);

#endif
