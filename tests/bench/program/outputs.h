/* What kiln-bench writes, by which an earlier output is recognised. */
#ifndef KILN_BENCH_OUTPUTS_H
#define KILN_BENCH_OUTPUTS_H

#include "../../../tools/cmd/kit/output.h"

/* The file of --csv, and pictures, of every verb; volumes of families. */
extern const output_kind output_kind_rows, output_kind_picture, output_kind_volumes;

#endif
