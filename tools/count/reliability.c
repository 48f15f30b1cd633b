/* Bins of equal mass: as many predictions in each, so none is empty and few are wide. */
#include "reliability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_probability(const void *left, const void *right)
{
    const kiln_prediction *p = left, *q = right;
    if (p->said != q->said) {
        return p->said < q->said ? -1 : 1;
    }
    return (int)p->came - (int)q->came;
}

kiln_reliability kiln_reliability_of(kiln_prediction *predictions, size_t count)
{
    kiln_reliability result;
    memset(&result, 0, sizeof result);
    qsort(predictions, count, sizeof *predictions, by_probability);
    for (size_t b = 0; b < KILN_RELIABILITY_BINS && count > 0; b++) {
        const size_t first = count * b / KILN_RELIABILITY_BINS;
        const size_t last = count * (b + 1) / KILN_RELIABILITY_BINS;
        kiln_reliability_bin *bin = &result.bins[b];
        for (size_t i = first; i < last; i++) {
            const double said = (double)predictions[i].said, came = predictions[i].came ? 1.0 : 0.0;
            bin->said += said;
            bin->came += came;
            result.brier += (said - came) * (said - came) / (double)count;
            result.error += (said > 0.5) != predictions[i].came ? 1.0 / (double)count : 0.0;
        }
        result.ece += fabs(bin->said - bin->came) / (double)count;
        bin->count = last - first;
        bin->said /= bin->count > 0 ? (double)bin->count : 1.0;
        bin->came /= bin->count > 0 ? (double)bin->count : 1.0;
    }
    return result;
}
