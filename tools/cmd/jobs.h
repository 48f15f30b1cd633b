/* What goes where when several files are baked. */
#ifndef KILN_CMD_JOBS_H
#define KILN_CMD_JOBS_H

#include <stdbool.h>

typedef struct {
    const char *input; /* "-": standard input */
    char *output;      /* "-": standard output */
} job;

/* Names the output of each of `count` inputs: `output` itself for one input, else NAME.kiln in the
 * folder `output`, which is made. One input goes to a folder too when `output` is one or ends in a
 * slash. Reports two inputs of one name, an output that is an input, a folder that can't be written,
 * before anything is done; then *jobs is NULL. */
int jobs_plan(char **inputs, int count, const char *output, job **jobs);

void jobs_free(job *jobs, int count);

#endif
