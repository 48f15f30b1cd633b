/* Curves as SVG 1.1, written by hand: panels with two axes, side by side in one picture. */
#ifndef KILN_BENCH_SVG_H
#define KILN_BENCH_SVG_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where values are, and what the axes say. */
typedef struct {
    const char *title, *x_name, *y_name;
    double x_from, x_to, x_step; /* a mark every step; 0: none */
    double y_from, y_to, y_step;
    bool logarithmic;                /* y; marks at 1, 2, 5 times powers of ten; y_from > 0 */
    bool x_logarithmic;              /* x, likewise; x_step is not looked at */
    double left, top, width, height; /* of the inner frame, in pixels */
} svg_panel;

typedef struct {
    double x, y, spread; /* spread: half the error bar; 0: none */
} svg_point;

void svg_begin(FILE *out, double width, double height);
void svg_end(FILE *out);

/* Frame, marks, names. Texts are escaped. */
void svg_axes(FILE *out, const svg_panel *panel);

/* A dashed line between two points. */
void svg_guide(FILE *out, const svg_panel *panel, double x0, double y0, double x1, double y1);

/* Points joined by a line, colour and name (below the panel, one line a curve) by `number`. Points
 * that are not finite, or outside, are left out. */
void svg_curve(FILE *out, const svg_panel *panel, unsigned number, const char *name,
               const svg_point points[], unsigned count);

/* A filled rectangle, in the colour of curve `number`. */
void svg_bar(FILE *out, const svg_panel *panel, unsigned number, double x0, double x1, double y0,
             double y1);

/* A text in the panel, upwards from its bottom. */
void svg_name(FILE *out, const svg_panel *panel, double x, const char *text);

#ifdef __cplusplus
}
#endif

#endif
