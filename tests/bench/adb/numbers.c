/* A clock, means and percentiles of its readings, and random numbers. The clock's own cost is the
 * least difference of many pairs of calls; a time less that cost is at least a nanosecond, since
 * ratios are formed of it. Random numbers are SplitMix64 (Steele, Lea and Flood 2014), so that a
 * run is the same on every machine. */
#define _POSIX_C_SOURCE 200809L

#include "numbers.h"
#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_clock_cost(void)
{
    double least = HUGE_VAL;
    for (int i = 0; i < 10000; i++) {
        const double start = bench_now();
        least = fmin(least, bench_now() - start);
    }
    return least;
}

double bench_net(double time, double clock_cost)
{
    return fmax(time - clock_cost, 1.0);
}

double bench_mean(const double values[], size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
    }
    return count > 0 ? sum / (double)count : 0;
}

double bench_geometric_mean(const double values[], size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += log(values[i]);
    }
    return count > 0 ? exp(sum / (double)count) : 0;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void bench_sort(double values[], size_t count)
{
    if (count > 0) {
        qsort(values, count, sizeof values[0], by_size);
    }
}

/* The mean of the two middle values where their number is even. */
double bench_median(const double sorted[], size_t count)
{
    return count > 0 ? (sorted[count / 2] + sorted[(count - 1) / 2]) / 2 : 0;
}

double bench_percentile(const double sorted[], size_t count, double part)
{
    KILN_ASSERT(part >= 0 && part <= 1);
    if (count == 0) {
        return 0;
    }
    const size_t at = (size_t)(part * (double)count);
    return sorted[at < count ? at : count - 1];
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The remainder favours small numbers by at most limit / 2^64, far below what a sample shows. */
uint32_t bench_random_below(uint64_t *state, uint32_t limit)
{
    KILN_ASSERT(limit > 0);
    return (uint32_t)(bench_random(state) % limit);
}
