/* Weights of time-critical queries that were fitted for kinds of tree: likely_weights.c, which kiln
 * calibrate --likely writes. */
#ifndef KILN_LIKELY_WEIGHTS_H
#define KILN_LIKELY_WEIGHTS_H

#include "../kiln.h"

typedef struct {
    kiln_bv bv;
    uint32_t leaf_max; /* most triangles in a leaf */
    kiln_likely_weights weights;
} kiln_likely_fitted;

extern const kiln_likely_fitted kiln_likely_fitted_rows[];
extern const unsigned kiln_likely_fitted_count;

#endif
