/* Do probabilities mean what they say? Samples of what was said and what was true.
 *
 * ECE: samples are sorted by what was said and cut into 15 bins of equal mass; it is the mean
 * distance of what was said and what was true in a bin. Beside it stands the 95 % bound of a
 * bootstrap over samples, which lies above it, as resampling adds noise of its own. */
#ifndef KILN_BENCH_SAMPLES_H
#define KILN_BENCH_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    double said;
    bool truth;
    uint32_t tie; /* equal ones are in random order: objects come one after another */
} bench_sample;

typedef struct {
    const char *name;
    bench_sample *all;
    size_t count, capacity;
    uint64_t random;
    bool failed; /* no memory: samples are missing */
} bench_samples;

void bench_samples_begin(bench_samples *samples, const char *name);
void bench_samples_free(bench_samples *samples);
void bench_samples_add(bench_samples *samples, double said, bool truth);

typedef struct {
    double error; /* part that are wrong, if one says yes above 1/2 */
    double brier; /* mean of (said - true)^2 */
    double auc;   /* of a pair that is one of each, how likely the true one is said to be likelier;
                     ties half; NAN where all are true or none is */
    double ece, ece_bound;
} bench_calibration;

/* Sorts the samples. `resamplings` [1, 10000] make the bound. False: no memory. */
bool bench_calibration_of(bench_samples *samples, unsigned resamplings, bench_calibration *out);

/* A point of a reliability diagram: a bin of samples, of equal width, with 95 % of what chance does
 * to it. */
typedef struct {
    double said, truth, spread;
} bench_reliability;

enum { BENCH_RELIABILITY_BINS = 20 };

/* Bins with at least 30 samples; says how many. */
unsigned bench_reliability_of(const bench_samples *samples,
                              bench_reliability points[BENCH_RELIABILITY_BINS]);

#ifdef __cplusplus
}
#endif

#endif
