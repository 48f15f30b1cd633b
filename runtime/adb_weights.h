/* Weights that were fitted for kinds of tree: adb_weights.c, which kiln calibrate writes. */
#ifndef KILN_ADB_WEIGHTS_H
#define KILN_ADB_WEIGHTS_H

#include "kiln.h"

typedef struct {
    uint16_t bv;       /* kiln_bv */
    uint16_t leaf_max; /* most triangles in a leaf */
    kiln_adb_weights weights;
} kiln_adb_fitted;

extern const kiln_adb_fitted kiln_adb_fitted_rows[];
extern const unsigned kiln_adb_fitted_count;

#endif
