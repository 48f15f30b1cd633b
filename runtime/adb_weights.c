/* Fitted by `kiln calibrate`: do not edit. */
#include "adb_weights.h"

const kiln_adb_fitted kiln_adb_fitted_rows[] = {
    {KILN_BV_OBB, 4, {-1.686f, 0.736f, 2.148f, 4.22f, -0.698f, 0.1f, 0.0f}},
};
const unsigned kiln_adb_fitted_count = sizeof kiln_adb_fitted_rows / sizeof kiln_adb_fitted_rows[0];
