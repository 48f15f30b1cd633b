/* Figures of measurements: panels with curves, kept in memory, that become a picture by gnuplot and
 * a table of the values that are drawn. How a method looks is said once, in styles.c. */
#ifndef KILN_BENCH_FIGURE_H
#define KILN_BENCH_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------ styles - */

/* Colour as #rrggbb; dash and marker as gnuplot has them. A method differs from those it is shown
 * with by more than its colour. */
typedef struct {
    const char *colour, *dash;
    int marker;
} figure_style;

/* Of the method called `name`, the same in every figure; of what is no method, a style by `number`,
 * which is the place in its panel. */
figure_style figure_style_of(const char *name, unsigned number);

/* ------------------------------------------------------------------------------------- parts - */

/* A value, and how far from it repetitions are: from `low` to `high`. Both equal to `y`: there are
 * none. */
typedef struct {
    double x, y, low, high;
} figure_point;

/* A value without repetitions. */
figure_point figure_at(double x, double y);

/* A step of 1, 2 or 5 times a power of ten, of which about six make `most`. */
double figure_step(double most);

typedef enum {
    FIGURE_LINE,    /* points joined by a line, with markers and error bars */
    FIGURE_POINTS,  /* markers alone, with error bars */
    FIGURE_BARS,    /* a bar from `low` to `high` */
    FIGURE_AREA,    /* a polygon, filled thinly */
    FIGURE_OUTLINE, /* a line without markers */
    FIGURE_GUIDE    /* a dashed grey line, which is no measurement */
} figure_shape;

typedef struct {
    figure_shape shape;
    char *name;   /* NULL: not in the legend */
    char *method; /* by which the style is chosen */
    unsigned number;
    double width; /* of bars; of an outline in pixels; of points: a factor of their size */
    bool faint;
    figure_point *points;
    size_t count;
} figure_curve;

/* Ranges, and what the axes say, with units. */
typedef struct {
    const char *title, *x_name, *y_name;
    double x_from, x_to, x_step; /* a mark every step; 0: none */
    double y_from, y_to, y_step;
    bool x_logarithmic, y_logarithmic; /* marks at 1, 2, 5 times powers of ten; from > 0 */
    bool bare;                /* no frame, no marks; one unit of x is as long as one of y */
    const char *const *names; /* of the unit intervals of x, in place of marks */
    size_t name_count;
} figure_axes;

typedef struct {
    figure_axes axes; /* texts are the panel's own */
    char **names;
    char *note; /* below the legend; NULL: none */
    figure_curve *curves;
    size_t count;
} figure_panel;

/* Starts zeroed; released by figure_free(). */
typedef struct {
    const char *name; /* of the verb: letters and digits; not owned */
    unsigned columns;
    figure_panel *panels;
    size_t count;
    bool failed; /* no memory: nothing is drawn */
} figure;

void figure_free(figure *of);

/* Begins a panel, into which all that follows goes. Texts are copied. */
void figure_add_panel(figure *of, const figure_axes *axes);

/* A curve that is called `name` in the legend (NULL: it is not there) and looks like `method`
 * (NULL: like `name`). Points with a value that is not finite are left out, and so are those that a
 * logarithmic axis has no place for. */
void figure_add_curve(figure *of, figure_shape shape, const char *name, const char *method,
                      const figure_point points[], size_t count);

/* Of the last curve. */
void figure_set_width(figure *of, double width);
void figure_set_faint(figure *of);

/* A dashed grey line between two points. */
void figure_add_guide(figure *of, double x0, double y0, double x1, double y1);

/* What the reader has to know of the last panel, above all what its error bars are. */
void figure_set_note(figure *of, const char *note);

/* Leaves out panels in which nothing was measured; where all are so, the last stays. */
void figure_drop_empty(figure *of);

/* ---------------------------------------------------------------------------------- pictures - */

typedef enum { FIGURE_SVG, FIGURE_PDF, FIGURE_PNG } figure_format;

/* By the suffix of a path; "-" is SVG. False: by none. */
bool figure_format_of(const char *path, figure_format *format);

/* The first bytes of a picture of ours, followed by a zero? */
bool figure_is_own(const char *bytes, size_t size);

/* Is there a gnuplot to draw with? */
bool figure_can_draw(void);

enum { FIGURE_MESSAGE_SIZE = 256 };

/* Draws, with the same bytes at every time. *picture is released by free(). False with a message
 * that says what to do, of at most FIGURE_MESSAGE_SIZE bytes. */
bool figure_draw(const figure *of, figure_format format, void **picture, size_t *size,
                 char *message);

/* The script that gnuplot is given. */
void figure_write_script(const figure *of, figure_format format, FILE *out);

/* Every value that is drawn, a line each; guides, areas and outlines have none. */
#define FIGURE_CSV_HEAD "figure,panel,curve,x_axis,x,y_axis,y,low,high\n"
void figure_write_csv(const figure *of, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
