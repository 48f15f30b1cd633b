/* What a run says of many times: median, mean and the 99th percentile. The median and the
 * percentile are reported beside the mean, as a single time slice of another process moves a mean
 * of microseconds by any factor. */
#include "timing.h"

#include "../../../formats/assert.h"

#include <stdlib.h>

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
