/* A bake in a process of its own: its memory is counted apart from that of others, and all of it
 * goes back to the system when the process ends. */
#ifndef KILN_CMD_WORKER_H
#define KILN_CMD_WORKER_H

#include "bake_report.h"

#include "../../common/parallel.h"
#include "../../kiln_bake.h"

#include <stdbool.h>

/* What came of a bake. */
typedef struct {
    int status;
    kiln_bake_report report;
    first_query first; /* of what was written */
    bool has_first;
} baked;

typedef struct {
    bool (*step)(void *user, const char *stage, double part); /* as kiln_bake_options.progress */
    void *user;
} baking_steps;

typedef struct {
    /* Runs in the new process; *out starts zeroed. It may not write standard output by stdio. */
    void (*bake)(void *user, const baking_steps *steps, baked *out);
    void *user;
    const char *file;            /* for messages */
    baking_steps steps;          /* steps of the process are reported here, in the calling thread */
    const kiln_helpers *helpers; /* parallel loops of the process share their places */
} worker_task;

/* Call this before threads are started. */
void worker_prepare(void);

/* Bakes and waits for the end. A signal that asks to end (signals.h) cancels it. A process that
 * can't be started, or does not come to a good end, is an error in out->report. */
void worker_run(const worker_task *task, baked *out);

#endif
