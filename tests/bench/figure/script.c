/* A figure as a script of gnuplot (5 or later): data first, then panels in rows, each with its
 * frame at a place of its own, so that frames of a row are level whatever their legends hold. Texts
 * are between single quotes, within which gnuplot knows no other special character. */
#include "figure.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <string.h>

/* In pixels, of which gnuplot's PDF has 96 in an inch. */
enum {
    LEFT = 84,
    RIGHT = 36,
    TOP = 44,
    SIDE = 360,
    MARKS = 62,    /* below the frame: marks and the name of x */
    SLANTED = 100, /* the same with names in place of marks */
    LINE = 19,     /* of the legend */
    BOTTOM = 16,
    PIXELS_IN_AN_INCH = 96,
    PNG_SCALE = 2
};

static void write_text(const char *text, FILE *out)
{
    putc('\'', out);
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '\'') {
            putc('\'', out);
        }
        putc(*text, out);
    }
    putc('\'', out);
}

/* ------------------------------------------------------------------------------------ places - */

static unsigned legend_lines(const figure_panel *panel)
{
    unsigned lines = panel->note != NULL;
    for (size_t i = 0; i < panel->count; i++) {
        lines += panel->curves[i].name != NULL;
    }
    return lines;
}

static double below_frame(const figure_panel *panel)
{
    return (panel->axes.bare             ? 12
            : panel->axes.name_count > 0 ? SLANTED
                                         : MARKS) +
           (double)LINE * legend_lines(panel) + BOTTOM;
}

/* The highest panel of the row that begins with panel `first`. */
static double row_height(const figure *of, size_t first)
{
    double most = 0;
    for (size_t i = first; i < first + of->columns && i < of->count; i++) {
        most = fmax(most, TOP + SIDE + below_frame(&of->panels[i]));
    }
    return most;
}

static double figure_height(const figure *of)
{
    double height = 0;
    for (size_t i = 0; i < of->count; i += of->columns) {
        height += row_height(of, i);
    }
    return height;
}

static double figure_width(const figure *of)
{
    const size_t across = of->count < of->columns ? of->count : of->columns;
    return (double)(LEFT + SIDE + RIGHT) * (double)across;
}

/* -------------------------------------------------------------------------------------- data - */

static void write_data(const figure *of, FILE *out)
{
    for (size_t p = 0; p < of->count; p++) {
        for (size_t c = 0; c < of->panels[p].count; c++) {
            const figure_curve *curve = &of->panels[p].curves[c];
            fprintf(out, "$p%zuc%zu << END\n", p, c);
            for (size_t i = 0; i < curve->count; i++) {
                const figure_point *at = &curve->points[i];
                const double half = 0.5 * curve->width;
                if (curve->shape == FIGURE_BARS) {
                    fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", at->x, at->y, at->x - half,
                            at->x + half, at->low, at->high);
                } else {
                    fprintf(out, "%.9g %.9g %.9g %.9g\n", at->x, at->y, at->low, at->high);
                }
            }
            fputs("END\n", out);
        }
    }
}

/* -------------------------------------------------------------------------------------- axes - */

/* Marks at 1, 2 and 5 times each power of ten, with room for a rounding at both ends. */
static void write_log_marks(double from, double to, FILE *out)
{
    static const double steps[] = {1, 2, 5};
    bool any = false;
    for (double power = pow(10, floor(log10(from))); power <= to; power *= 10) {
        for (int i = 0; i < 3; i++) {
            const double value = power * steps[i];
            if (value >= 0.999 * from && value <= 1.001 * to) {
                fprintf(out, "%s'%.3g' %.9g", any ? ", " : "", value, value);
                any = true;
            }
        }
    }
}

static void write_axis(char axis, double from, double to, double step, bool logarithmic, FILE *out)
{
    KILN_ASSERT(to > from && (!logarithmic || from > 0));
    fprintf(out, "set %crange [%.9g:%.9g]\n", axis, from, to);
    if (logarithmic) {
        fprintf(out, "set logscale %c\nset %ctics (", axis, axis);
        write_log_marks(from, to, out);
        fputs(") nomirror\n", out);
    } else if (step > 0) {
        fprintf(out, "set %ctics %.9g nomirror\n", axis, step);
    } else {
        fprintf(out, "unset %ctics\n", axis);
    }
}

static void write_axes(const figure_panel *panel, FILE *out)
{
    const figure_axes *axes = &panel->axes;
    fputs("unset logscale\nset title ", out);
    write_text(axes->title, out);
    fputs(" offset 0, -0.4\nset xlabel ", out);
    write_text(axes->x_name, out);
    fputs("\nset ylabel ", out);
    write_text(axes->y_name, out);
    fputs("\n", out);
    write_axis('y', axes->y_from, axes->y_to, axes->y_step, axes->y_logarithmic, out);
    write_axis('x', axes->x_from, axes->x_to, axes->x_step, axes->x_logarithmic, out);
    if (axes->name_count > 0) {
        fputs("set xtics nomirror rotate by -40 (", out);
        for (size_t i = 0; panel->names != NULL && i < axes->name_count; i++) {
            fputs(i > 0 ? ", " : "", out);
            write_text(panel->names[i], out);
            fprintf(out, " %zu.5", i);
        }
        fputs(")\n", out);
    } else {
        fputs("set xtics norotate\n", out);
    }
    fputs(axes->bare ? "unset border\nunset grid\nunset xtics\nunset ytics\nunset xlabel\nunset "
                       "ylabel\n"
                     : "set border 3 lc rgb '#444444'\nset grid xtics ytics lt 1 lc rgb '#e4e4e4' "
                       "lw 0.6\n",
          out);
    if (!axes->bare && axes->x_step <= 0 && axes->name_count == 0 && !axes->x_logarithmic) {
        fputs("unset xtics\n", out);
    }
}

/* ------------------------------------------------------------------------------------ curves - */

/* An rgb value with an alpha byte in front, as gnuplot has it: 0 is opaque. */
static void write_colour(const figure_style *style, bool faint, FILE *out)
{
    fprintf(out, "lc rgb '#%s%s'", faint ? "bb" : "", style->colour + 1);
}

static bool has_bars(const figure_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++) {
        if (curve->points[i].high > curve->points[i].low) {
            return true;
        }
    }
    return false;
}

static void write_title(const figure_curve *curve, FILE *out)
{
    fputs(curve->name != NULL ? " title " : " notitle", out);
    if (curve->name != NULL) {
        write_text(curve->name, out);
    }
}

static void write_curve(size_t p, size_t c, const figure_curve *curve, FILE *out)
{
    const figure_style style = figure_style_of(curve->method, curve->number);
    /* Below the markers, which they would leave a hole in. */
    if (curve->shape <= FIGURE_POINTS && has_bars(curve)) {
        fprintf(out, "$p%zuc%zu using 1:2:3:4 with yerrorbars ", p, c);
        write_colour(&style, curve->faint, out);
        fputs(" dt 1 lw 0.8 pt 7 ps 0.1 notitle, ", out);
    }
    fprintf(out, "$p%zuc%zu using ", p, c);
    switch (curve->shape) {
    case FIGURE_LINE:
        fputs("1:2 with linespoints ", out);
        write_colour(&style, curve->faint, out);
        fprintf(out, " dt %s lw 1.6 pt %d ps 0.7", style.dash, style.marker);
        break;
    case FIGURE_POINTS:
        fputs("1:2 with points ", out);
        write_colour(&style, curve->faint, out);
        fprintf(out, " pt %d ps %.3g", style.marker, 0.8 * curve->width);
        break;
    case FIGURE_BARS:
        fputs("1:2:3:4:5:6 with boxxyerror fs solid 0.75 noborder ", out);
        write_colour(&style, curve->faint, out);
        break;
    case FIGURE_AREA:
        fputs("1:2 with filledcurves closed fs transparent solid 0.22 noborder ", out);
        write_colour(&style, curve->faint, out);
        break;
    case FIGURE_OUTLINE:
        fputs("1:2 with lines ", out);
        write_colour(&style, curve->faint, out);
        fprintf(out, " dt 1 lw %.3g", curve->width);
        break;
    case FIGURE_GUIDE:
        fputs("1:2 with lines lc rgb '#808080' dt (6,5) lw 1", out);
        break;
    }
    write_title(curve, out);
}

/* gnuplot leaves the legend out where it draws nothing: of a curve without points a place outside
 * stands for it, as is said of a method that has no value. */
static void write_panel(const figure *of, size_t p, double left, double top, FILE *out)
{
    const figure_panel *panel = &of->panels[p];
    const double width = figure_width(of), height = figure_height(of);
    const double frame_top = top + TOP, frame_bottom = frame_top + SIDE;
    const double legend =
        frame_bottom + below_frame(panel) - BOTTOM - (double)LINE * legend_lines(panel) - 4;
    write_axes(panel, out);
    fprintf(out,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
            "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
            (left + LEFT) / width, (left + LEFT + SIDE) / width, 1 - frame_top / height,
            1 - frame_bottom / height);
    fprintf(out,
            "set key at screen %.6f, %.6f left top vertical maxcols 1 Left reverse samplen 3\n",
            (left + LEFT - 14) / width, 1 - legend / height);
    fputs("plot ", out);
    bool any = false;
    for (size_t c = 0; c < panel->count; c++) {
        const figure_curve *curve = &panel->curves[c];
        if (curve->count > 0) {
            fputs(any ? ", " : "", out);
            write_curve(p, c, curve, out);
            any = true;
        } else if (curve->name != NULL) {
            fprintf(out, "%sNaN with points lc rgb '#ffffff' title ", any ? ", " : "");
            write_text(curve->name, out);
            any = true;
        }
    }
    if (panel->note != NULL) {
        fprintf(out, "%sNaN with points lc rgb '#ffffff' title ", any ? ", " : "");
        write_text(panel->note, out);
        any = true;
    }
    fputs(any ? "\n" : "NaN notitle\n", out);
}

/* ------------------------------------------------------------------------------------ script - */

static void write_terminal(const figure *of, figure_format format, FILE *out)
{
    const double width = figure_width(of), height = figure_height(of);
    switch (format) {
    case FIGURE_SVG:
        fprintf(out,
                "set terminal svg size %.0f, %.0f dynamic name 'kiln_bench_%s' font "
                "'sans-serif,12' background '#ffffff'\n",
                width, height, of->name);
        break;
    case FIGURE_PDF:
        fprintf(out,
                "set terminal pdfcairo size %.4fin, %.4fin font 'sans-serif,9' background "
                "'#ffffff'\n",
                width / PIXELS_IN_AN_INCH, height / PIXELS_IN_AN_INCH);
        break;
    case FIGURE_PNG:
        fprintf(out,
                "set terminal pngcairo size %.0f, %.0f font 'sans-serif,9' fontscale %d linewidth "
                "%d pointscale %d background '#ffffff'\n",
                PNG_SCALE * width, PNG_SCALE * height, PNG_SCALE, PNG_SCALE, PNG_SCALE);
        break;
    }
}

void figure_write_script(const figure *of, figure_format format, FILE *out)
{
    write_terminal(of, format, out);
    fputs("set encoding utf8\nset termoption noenhanced\n", out);
    write_data(of, out);
    fputs("set multiplot\n", out);
    double top = 0;
    for (size_t p = 0; p < of->count; p++) {
        const size_t column = p % of->columns;
        if (p > 0 && column == 0) {
            top += row_height(of, p - of->columns);
        }
        write_panel(of, p, (double)(LEFT + SIDE + RIGHT) * (double)column, top, out);
    }
    fputs("unset multiplot\n", out);
}
