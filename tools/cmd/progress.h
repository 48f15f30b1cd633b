/* How far a long run is, on standard error. */
#ifndef KILN_CMD_PROGRESS_H
#define KILN_CMD_PROGRESS_H

#include <stdbool.h>

/* In the order of the choices "auto|bar|json|none". */
typedef enum {
    PROGRESS_AUTO, /* a bar on a terminal, once a second has gone by */
    PROGRESS_BAR,
    PROGRESS_JSON, /* a line {"file", "stage", "part"} for each step */
    PROGRESS_NONE
} progress_mode;

typedef struct {
    progress_mode mode;
    const char *file;
    double start, last; /* seconds */
    bool shown;
} progress;

void progress_begin(progress *state, progress_mode mode, const char *file);

/* As kiln_bake_options.progress; `user` is the progress. */
bool progress_step(void *user, const char *stage, double part);

/* Takes the bar away. */
void progress_end(progress *state);

#endif
