/* Are probabilities what they say? Error, Brier score, area under the curve and calibration error
 * of samples of what was said and what was true.
 *
 * The calibration error (ECE) takes bins of equal mass, whose bounds follow the samples: with bins
 * of equal width most would be empty, as most probabilities are near 0. Samples that are said to be
 * equally likely are ordered at random, by a number drawn when they were added, since objects come
 * one after another and would otherwise share bins. The bootstrap draws samples with repetition, as
 * weights, so nothing is sorted twice. */
#include "samples.h"

#include "numbers.h"
#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BINS = 15, LEAST_IN_BIN = 30, FIRST_CAPACITY = 1024 };

void bench_samples_begin(bench_samples *samples, const char *name)
{
    memset(samples, 0, sizeof *samples);
    samples->name = name;
    samples->random = 1;
}

void bench_samples_free(bench_samples *samples)
{
    free(samples->all);
    memset(samples, 0, sizeof *samples);
}

/* A failure is kept in the samples and reported once, by bench_calibration_of's caller, rather than
 * at each of a million calls. */
void bench_samples_add(bench_samples *samples, double said, bool truth)
{
    KILN_ASSERT(said >= 0 && said <= 1);
    KILN_ASSERT(samples->count <= samples->capacity);
    if (samples->count == samples->capacity) {
        const size_t capacity = samples->capacity > 0 ? 2 * samples->capacity : FIRST_CAPACITY;
        bench_sample *more = realloc(samples->all, capacity * sizeof *more);
        if (more == NULL) {
            samples->failed = true;
            return;
        }
        samples->all = more;
        samples->capacity = capacity;
    }
    const uint32_t tie = bench_random_below(&samples->random, UINT32_MAX);
    samples->all[samples->count++] = (bench_sample){said, truth, tie};
}

static int by_said(const void *left, const void *right)
{
    const bench_sample *a = left, *b = right;
    if (a->said != b->said) {
        return a->said < b->said ? -1 : 1;
    }
    return a->tie < b->tie ? -1 : a->tie > b->tie;
}

/* Sample i counts weights[i] times. */
static double ece_of(const bench_samples *samples, const uint32_t weights[])
{
    KILN_ASSERT(samples->count > 0);
    double sum = 0, said = 0, truth = 0, taken = 0, before = 0;
    int bin = 1;
    for (size_t i = 0; i < samples->count; i++) {
        said += weights[i] * samples->all[i].said;
        truth += weights[i] * (samples->all[i].truth ? 1.0 : 0.0);
        taken += weights[i];
        if (before + taken >= (double)samples->count * bin / BINS) {
            sum += fabs(said - truth);
            before += taken;
            said = truth = taken = 0;
            bin++;
        }
    }
    return (sum + fabs(said - truth)) / (double)samples->count;
}

/* 95 % of resamplings are at most this. */
static double bound_of(const bench_samples *samples, unsigned resamplings, uint32_t weights[],
                       double found[])
{
    KILN_ASSERT(samples->count > 0 && samples->count <= UINT32_MAX);
    KILN_ASSERT(resamplings > 0);
    uint64_t random = samples->random;
    for (unsigned round = 0; round < resamplings; round++) {
        memset(weights, 0, samples->count * sizeof weights[0]);
        for (size_t i = 0; i < samples->count; i++) {
            weights[bench_random_below(&random, (uint32_t)samples->count)]++;
        }
        found[round] = ece_of(samples, weights);
    }
    bench_sort(found, resamplings);
    return bench_percentile(found, resamplings, 0.95);
}

/* The area under the curve is the probability that a true sample was said to be likelier than a
 * false one; equal ones count half (Mann and Whitney 1947). */
static double auc_of(const bench_samples *samples)
{
    double below = 0, sum = 0, trues = 0;
    for (size_t i = 0; i < samples->count;) {
        size_t end = i;
        double t = 0;
        while (end < samples->count && samples->all[end].said == samples->all[i].said) {
            t += samples->all[end++].truth ? 1.0 : 0.0;
        }
        const double f = (double)(end - i) - t;
        sum += t * (below + f / 2);
        below += f;
        trues += t;
        i = end;
    }
    KILN_ASSERT(trues + below == (double)samples->count);
    return trues > 0 && below > 0 ? sum / (trues * below) : NAN;
}

bool bench_calibration_of(bench_samples *samples, unsigned resamplings, bench_calibration *out)
{
    memset(out, 0, sizeof *out);
    out->auc = NAN;
    if (samples->count == 0) {
        return true;
    }
    uint32_t *weights = malloc(samples->count * sizeof *weights);
    double *found = malloc(resamplings * sizeof *found);
    const bool good = weights != NULL && found != NULL;
    if (good) {
        qsort(samples->all, samples->count, sizeof samples->all[0], by_said);
        for (size_t i = 0; i < samples->count; i++) {
            const bench_sample *s = &samples->all[i];
            const double off = s->said - (s->truth ? 1.0 : 0.0);
            out->error += ((s->said > 0.5) != s->truth ? 1.0 : 0.0) / (double)samples->count;
            out->brier += off * off / (double)samples->count;
            weights[i] = 1;
        }
        out->auc = auc_of(samples);
        out->ece = ece_of(samples, weights);
        out->ece_bound = bound_of(samples, resamplings, weights, found);
    }
    free(weights);
    free(found);
    return good;
}

unsigned bench_reliability_of(const bench_samples *samples,
                              bench_reliability points[BENCH_RELIABILITY_BINS])
{
    double said[BENCH_RELIABILITY_BINS] = {0}, truth[BENCH_RELIABILITY_BINS] = {0};
    double count[BENCH_RELIABILITY_BINS] = {0};
    for (size_t i = 0; i < samples->count; i++) {
        const int at = (int)(samples->all[i].said * BENCH_RELIABILITY_BINS);
        const int bin = at < BENCH_RELIABILITY_BINS ? at : BENCH_RELIABILITY_BINS - 1;
        KILN_ASSERT(bin >= 0);
        said[bin] += samples->all[i].said;
        truth[bin] += samples->all[i].truth ? 1.0 : 0.0;
        count[bin]++;
    }
    unsigned found = 0;
    for (int bin = 0; bin < BENCH_RELIABILITY_BINS; bin++) {
        if (count[bin] >= LEAST_IN_BIN) {
            const double p = truth[bin] / count[bin];
            /* Where all samples of a bin agree, the variance is taken as that of one sample that
             * does not. */
            const double variance = fmax(p * (1 - p), 1 / count[bin]) / count[bin];
            points[found++] = (bench_reliability){said[bin] / count[bin], p, 1.96 * sqrt(variance)};
        }
    }
    return found;
}
