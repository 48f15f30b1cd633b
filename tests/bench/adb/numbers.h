/* A clock and sums over what it says. */
#ifndef KILN_BENCH_NUMBERS_H
#define KILN_BENCH_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Nanoseconds since some moment. */
double bench_now(void);

/* Least difference of two calls of bench_now: part of every short measurement. */
double bench_clock_cost(void);

/* `time` less the clock's cost; at least 1. */
double bench_net(double time, double clock_cost);

double bench_mean(const double values[], size_t count);
double bench_geometric_mean(const double values[], size_t count);

void bench_sort(double values[], size_t count);

/* Of sorted values: the middle one or the mean of the two, and the one that `part` are below. */
double bench_median(const double sorted[], size_t count);
double bench_percentile(const double sorted[], size_t count, double part);

/* SplitMix64 (Steele, Lea and Flood 2014); whoever draws owns the state. */
uint64_t bench_random(uint64_t *state);
uint32_t bench_random_below(uint64_t *state, uint32_t limit);

#ifdef __cplusplus
}
#endif

#endif
