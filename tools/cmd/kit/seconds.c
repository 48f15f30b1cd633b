/* The clock of the command, and what a run says of many times: median, mean and the 99th
 * percentile.
 *
 * The clock is CLOCK_MONOTONIC, because a wall clock may be set back while a query runs. The median
 * and the percentile are reported beside the mean, as a single time slice of another process moves
 * a mean of microseconds by any factor. */
#define _XOPEN_SOURCE 700

#include "seconds.h"

#include "../../../formats/assert.h"

#include <stdlib.h>
#include <time.h>

/* clock_gettime can't fail for this clock. */
double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* For qsort; times are never NaN. */
static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

timing timing_of(double *times, size_t count)
{
    timing result = {0.0, 0.0, 0.0};
    if (count == 0) {
        return result;
    }
    KILN_ASSERT(times != NULL);
    qsort(times, count, sizeof *times, compare_doubles);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += times[i];
    }
    /* The middle of an odd count, the mean of both middles of an even one. */
    result.median = 0.5 * (times[(count - 1) / 2] + times[count / 2]);
    result.mean = sum / (double)count;
    result.p99 = times[(count - 1) - (count - 1) / 100];
    KILN_ASSERT(result.median <= result.p99);
    return result;
}
