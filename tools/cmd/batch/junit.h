/* The report of a batch as JUnit XML, which services of continuous integration read. */
#ifndef KILN_CMD_JUNIT_H
#define KILN_CMD_JUNIT_H

#include "../kit/output.h"

#include <stdbool.h>
#include <stddef.h>

/* What junit_write writes, by which an earlier one is recognised. */
extern const output_kind output_kind_junit;

/* An asset as a test case. */
typedef struct {
    const char *name; /* its output, which no other asset of a batch has */
    const char *file; /* its input */
    int status;       /* not 0: it failed */
    const char *error;
    const char *skipped; /* why it was not baked; NULL: it was, or it failed */
    const char *notes;   /* a line each; NULL: none */
    double seconds;
} junit_case;

/* Writes the file whole; reports what is wrong. `seconds` are those of the batch, in which several
 * assets may have been baked at once. */
int junit_write(const char *path, const junit_case *cases, size_t count, double seconds);

#endif
