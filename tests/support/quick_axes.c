#define _POSIX_C_SOURCE 200809L
#include "quick_axes.h"

#include "../../tools/encode/axes_file.h"
#include "quick_bins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kiln_lut_axes quick_axes_set(uint32_t points, bool antipodal, bool zones)
{
    const kiln_lut_axes_options options = {.points = points,
                                           .antipodal = antipodal,
                                           .seed = 1,
                                           .zone_most = zones ? UINT64_C(1) << 30 : 0};
    kiln_lut_axes set;
    if (kiln_lut_axes_generate(&options, &quick_bins_serial, &set) != KILN_LUT_AXES_DONE) {
        (void)fprintf(stderr, "quick_axes: not generated\n");
        abort();
    }
    return set;
}

void *quick_axes(uint32_t points, bool antipodal, bool zones, kiln_layout layout, size_t *size)
{
    kiln_lut_axes set = quick_axes_set(points, antipodal, zones);
    const kiln_watch watch = {.threads = 1};
    void *file = NULL, *bytes = NULL;
    if (kiln_axes_encode(&set, layout, &watch, &file, size) != KILN_BAKE_OK ||
        posix_memalign(&bytes, 64, *size) != 0) {
        (void)fprintf(stderr, "quick_axes: not encoded\n");
        abort();
    }
    memcpy(bytes, file, *size);
    free(file);
    kiln_lut_axes_free(&set);
    return bytes;
}
