/* The measurements of paper_figures.h are printed as tables, as lines of numbers and as pictures.
 */
#ifndef KILN_BENCH_PAPER_REPORT_H
#define KILN_BENCH_PAPER_REPORT_H

#include "../figure/figure.h"

#include "paper_figures.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A line a series: time and error over all distances, and error from 1 to 2 as the paper gives
 * it. */
void bench_paper_print(const bench_paper_figure *measured, FILE *out);

/* A row a distance and a column a series, times then errors. */
void bench_paper_print_distances(const bench_paper_figure *measured, FILE *out);

/* Head, then a line a distance and series. */
void bench_paper_print_csv_head(FILE *out);
void bench_paper_print_csv(const char *title, const bench_paper_figure *measured, FILE *out);

/* What bench_paper_complexity found: models, and their sizes from the fewest triangles to the
 * most. */
enum { BENCH_PAPER_MODELS = 3, BENCH_PAPER_SIZES = 3 };
typedef struct {
    bench_paper_figure at[BENCH_PAPER_MODELS][BENCH_PAPER_SIZES];
} bench_paper_models;

/* Figures 14 (times) and 16 (errors): a panel a model, a curve a method and size. */
void bench_paper_draw_14(const bench_paper_models *models, figure *of);
void bench_paper_draw_16(const bench_paper_models *models, figure *of);

/* Figure 17, and a fourth panel with the errors by k_min, which the paper leaves out. */
void bench_paper_draw_17(const bench_paper_figure *settings, figure *of);

#ifdef __cplusplus
}
#endif

#endif
