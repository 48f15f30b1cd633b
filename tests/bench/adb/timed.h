/* Time-critical queries by themselves: how far their probabilities hold, how wrong they are at
 * which gap to a contact, and how budgets of time are kept. Each adds one object to what is
 * found. */
#ifndef KILN_BENCH_TIMED_H
#define KILN_BENCH_TIMED_H

#include "contest.h"
#include "samples.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------- calibration -- */

enum {
    BENCH_PAIRS,            /* pairs of boxes that queries of the mode weigh */
    BENCH_PAIRS_FITTED,     /* that weights are fitted to */
    BENCH_PAIRS_TO_THE_END, /* the first 64 of queries that open everything */
    BENCH_ANSWERS_16,       /* answers of these after so many pairs */
    BENCH_ANSWERS_32,
    BENCH_ANSWERS_64,
    BENCH_ANSWERS, /* of queries of the mode */
    BENCH_SAMPLE_SETS
};

void bench_calibration_begin(bench_samples sets[BENCH_SAMPLE_SETS]);

/* False: no memory. */
bool bench_calibration_add(const bench_subject *subject, kiln_adb_mode mode,
                           const bench_watch *watch, bench_samples sets[BENCH_SAMPLE_SETS]);

/* ---------------------------------------------------------------------------- errors by gap -- */

enum { BENCH_GAPS = 10 };
extern const double bench_gaps[BENCH_GAPS]; /* in sizes of the object, - inside */

/* By point of bench_points and gap. */
typedef struct {
    size_t wrong[BENCH_POINTS][BENCH_GAPS], queried;
} bench_gap_errors;

/* Moves copies out from `contacts` outermost contacts along random directions. */
void bench_gaps_add(const bench_subject *subject, unsigned contacts, const bench_watch *watch,
                    bench_gap_errors *errors);

/* ----------------------------------------------------------------------------------- budgets -- */

/* A budget of time, and what queries with it came to. Each is timed once, as a deadline is met or
 * missed once; what another process does to the machine meanwhile is in the last percentile. */
typedef struct {
    uint64_t nanoseconds;
    double error, undecided, late; /* sums over objects of parts of the poses; `late`: exact queries
                                      that take longer */
    size_t objects;
    double *overshoot; /* ns, of each query */
    size_t count;
} bench_budget;

void bench_budget_free(bench_budget *budget);

/* False: no memory. */
bool bench_budgets_add(const bench_subject *subject, kiln_adb_mode mode, const bench_watch *watch,
                       bench_budget budgets[], unsigned count);

#ifdef __cplusplus
}
#endif

#endif
