#define _POSIX_C_SOURCE 200809L
#include "quick_bins.h"

#include "../../tools/common/parallel.h"
#include "../../tools/encode/bins_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void give_up(const char *why)
{
    (void)fprintf(stderr, "quick_bins: %s\n", why);
    abort();
}

static bool run_on_threads(void *user, uint32_t count, void (*turn)(void *context, uint32_t index),
                           void *context)
{
    const kiln_watch watch = {.threads = *(const unsigned *)user};
    return kiln_parallel_for(&watch, count, turn, context);
}

static bool run_here(void *user, uint32_t count, void (*turn)(void *context, uint32_t index),
                     void *context)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++) {
        turn(context, i);
    }
    return true;
}

const kiln_lut_parallel quick_bins_serial = {run_here, NULL};

kiln_lut_bins quick_bins_table(uint32_t profile, uint32_t rounding, uint32_t max_u, uint32_t max_x,
                               unsigned threads)
{
    const kiln_lut_bins_options options = {profile, rounding, max_u, max_x};
    const kiln_lut_parallel parallel = {run_on_threads, &threads};
    kiln_lut_bins table;
    if (!kiln_lut_bins_generate(&options, &parallel, &table)) {
        give_up("not generated");
    }
    return table;
}

kiln_bins_view quick_bins_view(const kiln_lut_bins *table)
{
    kiln_bins_view view;
    memset(&view, 0, sizeof view);
    view.header = &table->header;
    view.rows = table->rows;
    for (uint32_t k = 0; k < table->header.max_x; k++) {
        view.records[k] = table->records[k];
        view.record_counts[k] = table->record_counts[k];
    }
    return view;
}

void *quick_bins(uint32_t profile, uint32_t rounding, uint32_t max_u, uint32_t max_x,
                 unsigned threads, kiln_layout layout, size_t *size)
{
    kiln_lut_bins table = quick_bins_table(profile, rounding, max_u, max_x, threads);
    const kiln_watch watch = {.threads = threads};
    void *file = NULL, *bytes = NULL;
    if (kiln_bins_encode(&table, NULL, layout, &watch, &file, size) != KILN_BAKE_OK ||
        posix_memalign(&bytes, 64, *size) != 0) {
        give_up("not encoded");
    }
    memcpy(bytes, file, *size);
    free(file);
    kiln_lut_bins_free(&table);
    return bytes;
}
