/* Weights that were fitted for kinds of tree: adb_weights.c, which kiln calibrate writes. */
#ifndef KILN_ADB_WEIGHTS_H
#define KILN_ADB_WEIGHTS_H

#include "../../formats/weights.h"
#include "../kiln_adb.h"

extern const kiln_adb_fitted kiln_adb_fitted_rows[];
extern const unsigned kiln_adb_fitted_count;

/* A row of a file, which must be known. */
kiln_adb_fitted kiln_adb_fitted_of(const kiln_format_adb_weights *row);

#endif
