/* Fitted by `kiln calibrate`: do not edit. */
#include "adb_weights.h"

const kiln_adb_fitted kiln_adb_fitted_rows[] = {
    {KILN_BV_OBB,
     4,
     {-1.341535f, 0.702130f, 2.039711f, 3.054666f, -0.540529f, 0.100000f, 0.632918f}},
    {KILN_BV_AABB,
     4,
     {-0.960645f, 0.910881f, 1.721421f, 1.490758f, -0.184907f, 0.100000f, 0.230659f}},
    {KILN_BV_OBB2,
     4,
     {-1.289187f, 0.834765f, 2.100751f, 3.491397f, -0.994993f, 0.300000f, 0.448084f}},
    {KILN_BV_AABB2,
     4,
     {-0.765319f, 0.926535f, 1.697687f, 1.282151f, -0.567761f, 0.250000f, 0.033914f}},
    {KILN_BV_OBB,
     1,
     {-1.981611f, 0.625169f, 2.165726f, 4.194075f, -0.431075f, 0.200000f, 1.278437f}},
    {KILN_BV_OBB2,
     1,
     {-1.685663f, 0.646573f, 2.656838f, 3.590873f, -0.842688f, 0.350000f, 0.744563f}},
    {KILN_BV_OBB,
     8,
     {-1.208535f, 0.832445f, 1.746729f, 3.133103f, -0.617009f, 0.100000f, 0.528444f}},
    {KILN_BV_OBB,
     15,
     {-1.253949f, 0.764640f, 2.113312f, 2.793766f, -0.571759f, 0.100000f, 0.462226f}},
};
const unsigned kiln_adb_fitted_count = sizeof kiln_adb_fitted_rows / sizeof kiln_adb_fitted_rows[0];
