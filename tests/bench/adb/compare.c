/* Sums over the tables of several objects. Ratios are averaged as geometric means, so that twice
 * and half as fast cancel, and each object counts the same whatever its size. Errors are averaged
 * arithmetically, since they may be 0. A truncated tree is compared at the error of the query: its
 * time there is interpolated between the sizes that were measured, in logarithms, as times grow by
 * factors. */
#include "compare.h"

#include "numbers.h"
#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>

/* Rows that the caller added come first, then those of the methods. */
unsigned bench_row_of(const bench_tables *all, unsigned method)
{
    KILN_ASSERT(all->count > 0 && method < BENCH_METHODS);
    return all->tables[0].added + method;
}

unsigned bench_base_count(const bench_tables *all)
{
    return all->tables[0].added + BENCH_BASES + 1;
}

/* The last base is another row on each object. */
static unsigned row_of_base(const bench_tables *all, const bench_table *table, unsigned base)
{
    KILN_ASSERT(base < bench_base_count(all));
    return base + 1 < bench_base_count(all) ? base : bench_fastest_exact(table);
}

double bench_times_base(const bench_tables *all, const bench_table *table, unsigned base,
                        unsigned row)
{
    KILN_ASSERT(row < table->row_count);
    return table->rows[row_of_base(all, table, base)].mean / table->rows[row].mean;
}

bench_mean_row bench_mean_of(const bench_tables *all, unsigned row)
{
    KILN_ASSERT(all->count > 0);
    bench_mean_row mean = {.worst = all->tables[0].name};
    double logarithm[BENCH_BASES_MAX] = {0};
    const double share = 1 / (double)all->count;
    const unsigned bases = bench_base_count(all);
    KILN_ASSERT(bases <= BENCH_BASES_MAX);
    for (unsigned base = 0; base < bases; base++) {
        mean.least_times[base] = HUGE_VAL;
    }
    for (size_t t = 0; t < all->count; t++) {
        const bench_table *table = &all->tables[t];
        const bench_row *r = &table->rows[row];
        const double poses = fmax((double)table->poses, 1), error = bench_row_error(table, r);
        mean.error += share * error;
        mean.positives += share * (double)r->positives / poses;
        mean.negatives += share * (double)r->negatives / poses;
        mean.us += share * r->mean / 1e3;
        mean.visited += share * r->visited;
        if (error >= mean.worst_error) {
            mean.worst_error = error;
            mean.worst = table->name;
        }
        for (unsigned base = 0; base < bases; base++) {
            const double times = bench_times_base(all, table, base, row);
            logarithm[base] += share * log(times);
            mean.least_times[base] = fmin(mean.least_times[base], times);
        }
    }
    for (unsigned base = 0; base < bases; base++) {
        mean.times[base] = exp(logarithm[base]);
    }
    return mean;
}

/* The time of one kind of truncation at `error`, in times of a 24-DOP tree; HUGE_VAL: none. */
static double time_at(const bench_tables *all, unsigned first, double error)
{
    const unsigned dop = bench_row_of(all, BENCH_DOP24);
    double best = HUGE_VAL;
    bench_mean_row before = {.error = HUGE_VAL};
    for (unsigned i = 0; i < BENCH_TRUNCATED_SIZES; i++) {
        const bench_mean_row here = bench_mean_of(all, first + i);
        const double time = 1 / here.times[dop];
        if (here.error <= error) {
            best = fmin(best, time);
        } else if (before.error <= error) {
            const double part = (error - before.error) / (here.error - before.error);
            const double from = -log(before.times[dop]);
            best = fmin(best, exp(from + part * (log(time) - from)));
        }
        before = here;
    }
    return best;
}

double bench_times_truncated(const bench_tables *all, const bench_mean_row *row)
{
    const unsigned binary = bench_row_of(all, BENCH_TRUNCATED);
    const double time = fmin(time_at(all, binary, row->error),
                             time_at(all, binary + BENCH_TRUNCATED_SIZES, row->error));
    return isinf(time) ? NAN : time * row->times[bench_row_of(all, BENCH_DOP24)];
}

/* A negative distance or truth selects all poses. */
static double mean_where(const bench_table *table, unsigned row, bench_where where)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->poses; i++) {
        if ((where.distance < 0 || table->distances[i] == where.distance) &&
            (where.truth < 0 || table->truth[i] == (where.truth != 0))) {
            sum += table->rows[row].times[i];
            count++;
        }
    }
    return count > 0 ? sum / (double)count : 0;
}

double bench_times_where(const bench_tables *all, unsigned base, unsigned row, bench_where where)
{
    double sum = 0;
    size_t count = 0;
    for (size_t t = 0; t < all->count; t++) {
        const double slow =
            mean_where(&all->tables[t], row_of_base(all, &all->tables[t], base), where);
        if (slow > 0) {
            sum += log(slow / mean_where(&all->tables[t], row, where));
            count++;
        }
    }
    return count > 0 ? exp(sum / (double)count) : 0;
}

static int order_ratios(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile_of(const double sorted[], size_t count, double part)
{
    const double at = part * (double)(count - 1);
    const size_t below = (size_t)at;
    return below + 1 < count
               ? sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below])
               : sorted[below];
}

void bench_quartiles_where(const bench_tables *all, unsigned base, unsigned row, bench_where where,
                           double *lower, double *upper)
{
    double *ratios = malloc((all->count + 1) * sizeof *ratios);
    size_t count = 0;
    for (size_t t = 0; t < all->count && ratios != NULL; t++) {
        const double slow =
            mean_where(&all->tables[t], row_of_base(all, &all->tables[t], base), where);
        if (slow > 0) {
            ratios[count++] = slow / mean_where(&all->tables[t], row, where);
        }
    }
    if (count < 2) {
        *lower = *upper = bench_times_where(all, base, row, where);
    } else {
        qsort(ratios, count, sizeof *ratios, order_ratios);
        *lower = quantile_of(ratios, count, 0.25);
        *upper = quantile_of(ratios, count, 0.75);
    }
    free(ratios);
}
