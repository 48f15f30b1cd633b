/* See quick_weights.h. */
#include "quick_weights.h"

#include "../../tools/encode/weights_file.h"

#include <stdlib.h>
#include <string.h>

kiln_adb_fitted quick_weights_row(unsigned index)
{
    static const kiln_bv kinds[QUICK_WEIGHTS] = {KILN_BV_OBB, KILN_BV_OBB, KILN_BV_AABB2};
    static const uint32_t leaves[QUICK_WEIGHTS] = {4, 8, 4};
    kiln_adb_fitted row = {kinds[index], leaves[index], {.others = 0.25f * (float)index}};
    const float first = 0.0625f * (float)(1 + 16 * (int)index);
    row.weights.bias = -first;
    row.weights.lambda = 1.0f + first;
    row.weights.margin = 2.0f + first;
    row.weights.level = 3.0f + first;
    row.weights.ratio = -4.0f - first;
    row.weights.root = 5.0f + first;
    row.weights.flat = 6.0f + first;
    row.weights.lambda_level = -7.0f - first;
    row.weights.yes = 8.0f + first;
    row.weights.no = 9.0f + first;
    row.weights.sure = -0.5f + 0.125f * (float)index;
    row.weights.thin = -10.0f - first;
    return row;
}

void *quick_weights(bool packed, size_t *size)
{
    kiln_format_adb_weights rows[QUICK_WEIGHTS];
    void *raw = NULL, *file = NULL;
    char message[192];
    const kiln_watch watch = {1, NULL, NULL, "write", 0, 1};
    for (unsigned i = 0; i < QUICK_WEIGHTS; i++) { /* backwards: writing sorts */
        const kiln_adb_fitted fitted = quick_weights_row(QUICK_WEIGHTS - 1 - i);
        rows[i] = kiln_weights_row(&fitted);
    }
    if (kiln_weights_encode(rows, QUICK_WEIGHTS, &raw, size) != KILN_BAKE_OK) {
        abort();
    }
    if (!packed) {
        return raw;
    }
    if (kiln_container_relayout(raw, *size, KILN_LAYOUT_PACKED, &watch, &file, size, message) !=
        KILN_BAKE_OK) {
        abort();
    }
    free(raw);
    return file;
}
