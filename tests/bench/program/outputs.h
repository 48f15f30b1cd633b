/* What kiln-bench writes, by which an earlier output is recognised. */
#ifndef KILN_BENCH_OUTPUTS_H
#define KILN_BENCH_OUTPUTS_H

#include "../figure/figure.h"

#include "../../../tools/cmd/kit/output.h"

#include <stdio.h>

/* Files of --csv of the verbs that measure; pictures, and the tables of their values, of every
 * verb; volumes of families. */
extern const output_kind output_kind_rows, output_kind_values, output_kind_picture,
    output_kind_volumes;

/* The option of a verb that measures. */
#define OPTION_FIGURE(settings, what)                                                              \
    {                                                                                              \
        "figure", 0, OPTION_TEXT, "FILE", NULL, 0, 0, offsetof(settings, figure),                  \
            "draw " what ", by gnuplot, as FILE's suffix says: .pdf, .svg or .png ('-': an SVG "   \
            "on standard output); the values that are drawn go to FILE.csv"                        \
    }

/* The options of a verb that only draws. */
#define OPTION_PLOT(settings)                                                                      \
    {"output",                                                                                     \
     'o',                                                                                          \
     OPTION_TEXT,                                                                                  \
     "FIGURE",                                                                                     \
     NULL,                                                                                         \
     0,                                                                                            \
     0,                                                                                            \
     offsetof(settings, output),                                                                   \
     "the figure to draw, as its suffix says: .pdf, .svg or .png; '-': an SVG on standard "        \
     "output"},                                                                                    \
    {                                                                                              \
        "csv", 0, OPTION_TEXT, "FILE", NULL, 0, 0, offsetof(settings, csv),                        \
            "where the values that are drawn go (default FIGURE.csv)"                              \
    }

/* Is it "-"? NULL is not. */
bool output_is_stdout(const char *path);

/* Before minutes are spent: can both files that a verb writes be written, and may they, and the
 * table of values beside the figure? Is there a gnuplot, and a format of the figure's suffix? NULL
 * is no file. Where standard output has one of them, reports go to standard error from then on. */
int output_check_measured(const char *csv, const char *figure_path, char *const *inputs, int count);

/* The same of a verb that only draws: its `csv` is the table of values. NULL: that is
 * FIGURE.csv. */
int output_check_plot(const char *csv, const char *figure_path, char *const *inputs, int count);

/* Draws, and writes the picture and its values: to `csv`, or, of NULL, to FIGURE.csv. */
int output_figure(const figure *drawn, const char *path, const char *csv);

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
