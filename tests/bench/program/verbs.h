/* The verbs of kiln-bench. */
#ifndef KILN_BENCH_VERBS_H
#define KILN_BENCH_VERBS_H

#include "../../../tools/cmd/kit/verb.h"

extern const verb verb_adb, verb_axes_plot, verb_bins_plot, verb_coherence, verb_continuous,
    verb_families;

#endif
