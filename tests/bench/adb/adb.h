/* The whole comparison of time-critical queries: a run over objects, and what it found as a table,
 * as lines of numbers, as JSON, as a picture. */
#ifndef KILN_BENCH_ADB_H
#define KILN_BENCH_ADB_H

#include "../figure/figure.h"

#include "compare.h"
#include "timed.h"

#include <jansson.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_BUDGETS_MAX = 16 };

typedef struct {
    unsigned draws;    /* poses a distance, before those are left out whose boxes are apart */
    int rounds;        /* of which the least time counts */
    unsigned contacts; /* whose neighbourhood is queried */
    unsigned resamplings;
    kiln_adb_mode mode;                  /* whose calibration and budgets are measured */
    uint64_t budgets[BENCH_BUDGETS_MAX]; /* ns */
    unsigned budget_count;
    bench_watch watch; /* step NULL: nobody */
} bench_adb_options;

/* `quick`: fewer of everything. */
bench_adb_options bench_adb_options_default(bool quick);

typedef struct {
    bench_adb_options options;
    bench_tables compared;
    bench_samples samples[BENCH_SAMPLE_SETS];
    bench_calibration calibration[BENCH_SAMPLE_SETS]; /* after bench_adb_finish */
    bench_gap_errors gaps;
    bench_budget budgets[BENCH_BUDGETS_MAX];
} bench_adb;

void bench_adb_begin(bench_adb *run, const bench_adb_options *options);
void bench_adb_free(bench_adb *run);

/* Measures one object, called `name` (UTF-8), by `tree`, whose triangles are those of `mesh`,
 * beside the others. KILN_OK; KILN_ERROR_NOT_LOADED: no counts or no polygons; KILN_ERROR_ARGUMENT:
 * fewer than two triangles, or so thin that no pose has boxes that meet; KILN_ERROR_MEMORY. `added`
 * as for bench_contest. */
kiln_status bench_adb_add(bench_adb *run, const char *name, const kiln_tree *tree,
                          const bench_mesh *mesh, const bench_method *added, unsigned added_count);

/* Sums up, once all are added. False: no memory. */
bool bench_adb_finish(bench_adb *run);

/* Times as fast as a base in a head: what the base is called. */
const char *bench_base_name(const bench_adb *run, unsigned base);

/* In lines of at most 80 characters where nothing was added. `each`: a table an object, too. */
void bench_adb_print(const bench_adb *run, FILE *out, bool each);

/* Head and a line an object and method. */
#define BENCH_ADB_CSV_HEAD                                                                         \
    "mesh,triangles,poses,hits,method,false_positives,false_negatives,"                            \
    "mean_us,median_us,p99_us,worst_us,visited\n"
void bench_adb_print_csv(const bench_adb *run, FILE *out);

/* Members of a document. */
void bench_adb_describe(const bench_adb *run, json_t *object);

/* Reliability, and times as fast as the exact 8-wide tree over the distance. */
void bench_adb_draw(const bench_adb *run, figure *of);

#ifdef __cplusplus
}
#endif

#endif
