/* Fits the weights of time-critical queries (kiln_collide_likely) to meshes. */
#ifndef KILN_CMD_LIKELY_FIT_H
#define KILN_CMD_LIKELY_FIT_H

#include "training.h"

/* What was found of trees of one kind and one size of leaves. */
typedef struct {
    kiln_likely_weights weights;
    size_t lanes;                          /* observed */
    kiln_reliability of_lanes, of_answers; /* of those of the default mode, at the training poses */
} likely_fit;

typedef enum {
    LIKELY_FIT_DONE,
    LIKELY_FIT_NO_MEMORY,
    LIKELY_FIT_TOO_LITTLE /* no lane, no early answer or no undecided one was seen */
} likely_fit_end;

/* Learns from all pairs of `trees` [count], which have polygons, copies of one among them, with the
 * second one at several sizes: `draws` poses of each at every distance. The result depends on
 * nothing else. */
likely_fit_end likely_fit_weights(const kiln_tree *const trees[], unsigned count, unsigned draws,
                                  likely_fit *out);

#endif
