/* Progress of a long run, on standard error. */
#ifndef KILN_CMD_PROGRESS_H
#define KILN_CMD_PROGRESS_H

#include <stdbool.h>

/* In the order of the choices "auto|bar|json|none". */
typedef enum {
    PROGRESS_AUTO, /* a bar on a terminal, once a second has gone by */
    PROGRESS_BAR,
    PROGRESS_JSON, /* lines {"file", "stage", "part"} at both ends of a stage, and ten a second */
    PROGRESS_NONE
} progress_mode;

/* The last line of JSON that was printed about one file. */
typedef struct {
    char stage[32];
    double part, time;
} progress_last;

typedef struct {
    progress_mode mode;
    const char *file;
    double start, last; /* seconds */
    bool shown;
    progress_last last_line;
} progress;

void progress_begin(progress *state, progress_mode mode, const char *file);

/* As kiln_bake_options.progress; `user` is the progress. */
bool progress_step(void *user, const char *stage, double part);

/* Prints a line of JSON about `file`, unless the last one is too recent for another. */
void progress_line(progress_last *last, const char *file, const char *stage, double part);

/* Takes the bar away. */
void progress_end(progress *state);

#endif
