/* What contests on several objects come to: means, the equal-error comparison with the truncated
 * baseline, and where which method is the faster. */
#ifndef KILN_BENCH_COMPARE_H
#define KILN_BENCH_COMPARE_H

#include "contest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_BASES_MAX = BENCH_ADDED_MAX + BENCH_BASES + 1 };

/* The tables of a run, which all have the same rows. */
typedef struct {
    bench_table *tables;
    size_t count;
} bench_tables;

/* Row number `method` of the enum in contest.h. */
unsigned bench_row_of(const bench_tables *all, unsigned method);

/* What others are compared with: the rows added, four more, and last, which is no row, the fastest
 * exact method of each object. */
unsigned bench_base_count(const bench_tables *all);

/* How many times as fast as a base a row is on one object. */
double bench_times_base(const bench_tables *all, const bench_table *table, unsigned base,
                        unsigned row);

/* Over the objects, errors and times plain, ratios geometric. */
typedef struct {
    double error, positives, negatives; /* parts of the poses */
    double worst_error;
    const char *worst; /* object */
    double us, visited;
    double times[BENCH_BASES_MAX], least_times[BENCH_BASES_MAX]; /* as fast as each base */
} bench_mean_row;

bench_mean_row bench_mean_of(const bench_tables *all, unsigned row);

/* How many times as fast as truncation a row is where truncation has its error: on the line between
 * neighbours of one kind, times by their logarithm, and the faster kind; beyond the most erroneous
 * one, that one. NAN: none is as good. */
double bench_times_truncated(const bench_tables *all, const bench_mean_row *row);

/* Poses of a kind; -1: any. */
typedef struct {
    int distance; /* which */
    int truth;    /* 0, 1 */
} bench_where;

/* How many times as fast row `row` is as row `base` there: geometric mean over the objects that
 * have such poses, 0 where none has. */
double bench_times_where(const bench_tables *all, unsigned base, unsigned row, bench_where where);

/* The quartiles of the same over the objects, linear between neighbours; both the mean where fewer
 * than two objects have such poses. */
void bench_quartiles_where(const bench_tables *all, unsigned base, unsigned row, bench_where where,
                           double *lower, double *upper);

#ifdef __cplusplus
}
#endif

#endif
