/* What kiln-bench writes, by which an earlier output is recognised. */
#ifndef KILN_BENCH_OUTPUTS_H
#define KILN_BENCH_OUTPUTS_H

#include "../../../tools/cmd/kit/output.h"

#include <stdio.h>

/* The file of --csv, and pictures, of every verb; volumes of families. */
extern const output_kind output_kind_rows, output_kind_picture, output_kind_volumes;

/* output_check_inputs for both files that a verb writes; NULL: it does not. */
int output_check_both(const char *csv, const char *svg, char *const *inputs, int count);

/* A text that becomes a file: it is complete in memory before a file is opened, so that none is
 * left half written. */
typedef struct {
    char *text;
    size_t size;
    FILE *out; /* NULL: no memory */
} output_text;

/* Begins a text. Returns `out` of it. */
FILE *output_text_begin(output_text *of);

/* Writes it to `path` and releases it. Reports what is wrong, and want of memory with `remedy`. */
int output_text_end(output_text *of, const char *path, const output_kind *kind, const char *remedy);

#endif
