#define _XOPEN_SOURCE 700

#include "seconds.h"

#include <stdlib.h>
#include <time.h>

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

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
    qsort(times, count, sizeof *times, compare_doubles);
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += times[i];
    }
    result.median = 0.5 * (times[(count - 1) / 2] + times[count / 2]);
    result.mean = sum / (double)count;
    result.p99 = times[(count - 1) - (count - 1) / 100];
    return result;
}
