/* The progress of a batch on standard error: count, rate, time left, the asset under way; in a log,
 * a line for a tenth of the assets, at most one a second and at least one in ten seconds. Not
 * locked: its owner calls from one thread at a time. */
#ifndef KILN_CMD_BATCH_BAR_H
#define KILN_CMD_BATCH_BAR_H

#include "../kit/progress.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    progress_mode mode;
    bool to_log;        /* nobody watches: now and then a line, for who reads it later */
    double start, last; /* seconds */
    size_t tenths;      /* that are done and logged */
    bool shown;
    size_t count, done;
    uint64_t size, size_done; /* bytes of sources, by which the time left is estimated */
} batch_bar;

void batch_bar_begin(batch_bar *bar, progress_mode mode, size_t count, uint64_t size);

/* An asset is at a stage: [0, 1], or negative where only time goes by. `last` is the asset's own.
 */
void batch_bar_step(batch_bar *bar, progress_last *last, const char *file, const char *stage,
                    double part);

/* An asset of so many bytes has come to its end: "baked", "failed" ... */
void batch_bar_end_asset(batch_bar *bar, const char *file, const char *outcome, int status,
                         uint64_t size);

/* Takes the bar away, until it is drawn again. */
void batch_bar_hide(batch_bar *bar);

#endif
