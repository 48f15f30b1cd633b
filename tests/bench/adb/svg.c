/* Panels and curves as SVG 1.1, printed as they come: there is no document in memory, so that what
 * is drawn later lies above. A panel maps its two ranges to a rectangle, linear or, upwards,
 * logarithmic; points outside are left out rather than clipped. The legend of a curve stands below
 * its panel; curves from the ninth on are dashed. */
#include "svg.h"

#include "../../../formats/assert.h"

#include <math.h>

enum { LEGEND_ABOVE = 64, LEGEND_STEP = 18, COLOURS = 8 };

/* Colours that people with any colour vision can distinguish (Okabe and Ito 2008), grey last. */
static const char *const colours[COLOURS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                             "#e69f00", "#56b4e9", "#000000", "#777777"};

void svg_begin(FILE *out, double width, double height)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" font-family=\"sans-serif\" "
            "font-size=\"13\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
            width, height, width, height);
}

void svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

/* `anchor`: start, middle, end. */
static void print_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (const char *at = text; *at != '\0'; at++) {
        const char *escaped = *at == '&'   ? "&amp;"
                              : *at == '<' ? "&lt;"
                              : *at == '>' ? "&gt;"
                                           : NULL;
        if (escaped != NULL) {
            fputs(escaped, out);
        } else {
            putc(*at, out);
        }
    }
    fputs("</text>\n", out);
}

/* Where a value lies between two, 0 to 1. */
static double part_of(bool logarithmic, double from, double to, double value)
{
    KILN_ASSERT(to > from);
    KILN_ASSERT(!logarithmic || from > 0);
    return logarithmic ? log(value / from) / log(to / from) : (value - from) / (to - from);
}

/* From values of a panel to places in the picture, whose y grows downwards. */
static double place_x(const svg_panel *panel, double x)
{
    return panel->left +
           panel->width * part_of(panel->x_logarithmic, panel->x_from, panel->x_to, x);
}

static double place_y(const svg_panel *panel, double y)
{
    return panel->top +
           panel->height * (1 - part_of(panel->logarithmic, panel->y_from, panel->y_to, y));
}

static void mark_x(FILE *out, const svg_panel *panel, double x)
{
    char label[32];
    const double at = place_x(panel, x), bottom = panel->top + panel->height;
    (void)snprintf(label, sizeof label, "%.3g", x);
    fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#e0e0e0\"/>\n", at, panel->top, bottom);
    print_text(out, at, bottom + 18, "middle", label);
}

static void mark_y(FILE *out, const svg_panel *panel, double y)
{
    char label[32];
    const double at = place_y(panel, y);
    (void)snprintf(label, sizeof label, "%.3g", y);
    fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#e0e0e0\"/>\n", panel->left, at,
            panel->left + panel->width);
    print_text(out, panel->left - 6, at + 4, "end", label);
}

/* Lines at 1, 2 and 5 times each power of ten, with room for a rounding at both ends. */
static void mark_logarithmic(FILE *out, const svg_panel *panel, double from, double to,
                             void (*mark)(FILE *, const svg_panel *, double))
{
    static const double steps[] = {1, 2, 5};
    for (double power = pow(10, floor(log10(from))); power <= to; power *= 10) {
        for (int i = 0; i < 3; i++) {
            const double value = power * steps[i];
            if (value >= 0.999 * from && value <= 1.001 * to) {
                mark(out, panel, value);
            }
        }
    }
}

void svg_axes(FILE *out, const svg_panel *panel)
{
    const double middle = panel->top + panel->height / 2;
    const int across =
        panel->x_step > 0 ? (int)floor((panel->x_to - panel->x_from) / panel->x_step + 1e-9) : -1;
    if (panel->x_logarithmic) {
        mark_logarithmic(out, panel, panel->x_from, panel->x_to, mark_x);
    }
    for (int i = 0; i <= across && !panel->x_logarithmic; i++) {
        mark_x(out, panel, panel->x_from + i * panel->x_step);
    }
    if (panel->logarithmic) {
        mark_logarithmic(out, panel, panel->y_from, panel->y_to, mark_y);
    } else {
        const int up = (int)floor((panel->y_to - panel->y_from) / panel->y_step + 1e-9);
        for (int i = 0; i <= up; i++) {
            mark_y(out, panel, panel->y_from + i * panel->y_step);
        }
    }
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "stroke=\"#444444\"/>\n",
            panel->left, panel->top, panel->width, panel->height);
    print_text(out, panel->left + panel->width / 2, panel->top - 12, "middle", panel->title);
    print_text(out, panel->left + panel->width / 2, panel->top + panel->height + 38, "middle",
               panel->x_name);
    fprintf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\">", panel->left - 42, middle);
    print_text(out, 0, 0, "middle", panel->y_name);
    fputs("</g>\n", out);
}

void svg_guide(FILE *out, const svg_panel *panel, double x0, double y0, double x1, double y1)
{
    fprintf(out,
            "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"#808080\" stroke-dasharray=\"6 4\" "
            "fill=\"none\"/>\n",
            place_x(panel, x0), place_y(panel, y0), place_x(panel, x1), place_y(panel, y1));
}

/* A NaN is outside as well, so that a mean of nothing is not drawn. */
static bool is_inside(const svg_panel *panel, const svg_point *point)
{
    return point->x >= panel->x_from && point->x <= panel->x_to && point->y >= panel->y_from &&
           point->y <= panel->y_to;
}

void svg_bar(FILE *out, const svg_panel *panel, unsigned number, double x0, double x1, double y0,
             double y1)
{
    const double bottom = place_y(panel, y0), top = place_y(panel, y1);
    fprintf(out,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" "
            "fill-opacity=\"0.7\"/>\n",
            place_x(panel, x0), top, place_x(panel, x1) - place_x(panel, x0), bottom - top,
            colours[number % COLOURS]);
}

void svg_name(FILE *out, const svg_panel *panel, double x, const char *text)
{
    const double bottom = panel->top + panel->height;
    fprintf(out, "<g transform=\"translate(%.1f %.1f) rotate(-90)\" font-size=\"11\">",
            place_x(panel, x) + 4, bottom - 4);
    print_text(out, 0, 0, "start", text);
    fputs("</g>\n", out);
}

void svg_curve(FILE *out, const svg_panel *panel, unsigned number, const char *name,
               const svg_point points[], unsigned count)
{
    const char *colour = colours[number % COLOURS];
    const char *dashes = number < COLOURS ? "" : " stroke-dasharray=\"5 3\"";
    const double legend = panel->top + panel->height + LEGEND_ABOVE + LEGEND_STEP * number;
    bool any = false;
    for (unsigned i = 0; i < count; i++) {
        if (is_inside(panel, &points[i])) {
            fprintf(out, any ? "L%.1f %.1f" : "<path d=\"M%.1f %.1f", place_x(panel, points[i].x),
                    place_y(panel, points[i].y));
            any = true;
        }
    }
    if (any) {
        fprintf(out, "\" stroke=\"%s\" stroke-width=\"1.5\" fill=\"none\"%s/>\n", colour, dashes);
    }
    for (unsigned i = 0; i < count; i++) {
        if (is_inside(panel, &points[i])) {
            const double from = fmax(points[i].y - points[i].spread, panel->y_from);
            const double to = fmin(points[i].y + points[i].spread, panel->y_to);
            fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\"/>\n",
                    place_x(panel, points[i].x), place_y(panel, from), place_y(panel, to), colour);
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                    place_x(panel, points[i].x), place_y(panel, points[i].y), colour);
        }
    }
    fprintf(out, "<path d=\"M%.1f %.1fh24\" stroke=\"%s\" stroke-width=\"3\"%s/>\n", panel->left,
            legend - 4, colour, dashes);
    print_text(out, panel->left + 32, legend, "start", name);
}
