/* What kiln-bench writes, by which an earlier output is recognised. */
#ifndef KILN_BENCH_OUTPUTS_H
#define KILN_BENCH_OUTPUTS_H

#include "../../../tools/cmd/kit/output.h"

/* The file of --csv, and pictures, of every verb. */
extern const output_kind output_kind_rows, output_kind_picture;

/* Before minutes are spent: may the file be replaced, and can it be written? `input_count` files
 * are read. NULL and "-" are no files. Reports what is wrong. */
int bench_output_check(const char *path, const output_kind *kind, char *const *inputs,
                       int input_count);

#endif
