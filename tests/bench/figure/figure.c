/* Figures in memory, and the table of what they show. Want of memory is noted once and makes all
 * that follows do nothing, so that code that draws need not ask after each step. */
#include "figure.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A text as it may be shown: control characters would end a line of a script or of a table. */
static char *copy_text(figure *of, const char *text)
{
    if (text == NULL) {
        return NULL;
    }
    char *copy = malloc(strlen(text) + 1);
    if (copy == NULL) {
        of->failed = true;
        return NULL;
    }
    size_t length = 0;
    for (; text[length] != '\0'; length++) {
        const unsigned char at = (unsigned char)text[length];
        copy[length] = at < 0x20 || at == 0x7F ? '?' : text[length];
    }
    copy[length] = '\0';
    return copy;
}

static void free_panel(figure_panel *panel)
{
    for (size_t i = 0; i < panel->count; i++) {
        free(panel->curves[i].name);
        free(panel->curves[i].method);
        free(panel->curves[i].points);
    }
    for (size_t i = 0; panel->names != NULL && i < panel->axes.name_count; i++) {
        free(panel->names[i]);
    }
    free(panel->names);
    free(panel->curves);
    free(panel->note);
    free((char *)panel->axes.title);
    free((char *)panel->axes.x_name);
    free((char *)panel->axes.y_name);
}

void figure_free(figure *of)
{
    for (size_t i = 0; i < of->count; i++) {
        free_panel(&of->panels[i]);
    }
    free(of->panels);
    of->panels = NULL;
    of->count = 0;
}

void figure_add_panel(figure *of, const figure_axes *axes)
{
    figure_panel *panels =
        of->failed ? NULL : realloc(of->panels, (of->count + 1) * sizeof *panels);
    if (panels == NULL) {
        of->failed = true;
        return;
    }
    of->panels = panels;
    figure_panel *panel = &panels[of->count++];
    *panel = (figure_panel){.axes = *axes};
    panel->axes.title = copy_text(of, axes->title);
    panel->axes.x_name = copy_text(of, axes->x_name);
    panel->axes.y_name = copy_text(of, axes->y_name);
    if (axes->name_count > 0) {
        panel->names = calloc(axes->name_count, sizeof *panel->names);
        of->failed = of->failed || panel->names == NULL;
        for (size_t i = 0; panel->names != NULL && i < axes->name_count; i++) {
            panel->names[i] = copy_text(of, axes->names[i]);
        }
    }
    panel->axes.names = NULL;
}

double figure_step(double most)
{
    KILN_ASSERT(most > 0);
    const double power = pow(10, floor(log10(most / 6)));
    const double part = most / 6 / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

figure_point figure_at(double x, double y)
{
    return (figure_point){x, y, y, y};
}

/* Has the panel a place for the point? */
static bool is_drawable(const figure_axes *axes, const figure_point *point)
{
    return isfinite(point->x) && isfinite(point->y) && isfinite(point->low) &&
           isfinite(point->high) && (!axes->x_logarithmic || point->x > 0) &&
           (!axes->y_logarithmic || point->y > 0);
}

void figure_add_curve(figure *of, figure_shape shape, const char *name, const char *method,
                      const figure_point points[], size_t count)
{
    if (of->failed) {
        return;
    }
    KILN_ASSERT(of->count > 0);
    figure_panel *panel = &of->panels[of->count - 1];
    figure_curve *curves = realloc(panel->curves, (panel->count + 1) * sizeof *curves);
    if (curves == NULL) {
        of->failed = true;
        return;
    }
    panel->curves = curves;
    unsigned number = 0;
    for (size_t i = 0; i < panel->count; i++) {
        number += curves[i].name != NULL && curves[i].shape != FIGURE_GUIDE;
    }
    figure_curve *curve = &curves[panel->count++];
    *curve = (figure_curve){.shape = shape, .number = number, .width = 1};
    curve->name = copy_text(of, name);
    curve->method = copy_text(of, method != NULL ? method : name != NULL ? name : "");
    curve->points = malloc((count + 1) * sizeof *curve->points);
    of->failed = of->failed || curve->points == NULL;
    for (size_t i = 0; i < count && !of->failed; i++) {
        if (is_drawable(&panel->axes, &points[i])) {
            curve->points[curve->count++] = points[i];
        }
    }
}

static figure_curve *last_curve(const figure *of)
{
    KILN_ASSERT(of->count > 0 && of->panels[of->count - 1].count > 0);
    const figure_panel *panel = &of->panels[of->count - 1];
    return &panel->curves[panel->count - 1];
}

void figure_set_width(figure *of, double width)
{
    if (!of->failed) {
        last_curve(of)->width = width;
    }
}

void figure_set_faint(figure *of)
{
    if (!of->failed) {
        last_curve(of)->faint = true;
    }
}

void figure_add_guide(figure *of, double x0, double y0, double x1, double y1)
{
    const figure_point ends[2] = {figure_at(x0, y0), figure_at(x1, y1)};
    figure_add_curve(of, FIGURE_GUIDE, NULL, NULL, ends, 2);
}

void figure_set_note(figure *of, const char *note)
{
    if (!of->failed) {
        figure_panel *panel = &of->panels[of->count - 1];
        free(panel->note);
        panel->note = copy_text(of, note);
    }
}

static bool is_empty(const figure_panel *panel)
{
    for (size_t i = 0; i < panel->count; i++) {
        if (panel->curves[i].shape != FIGURE_GUIDE && panel->curves[i].count > 0) {
            return false;
        }
    }
    return true;
}

void figure_drop_empty(figure *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++) {
        if (is_empty(&of->panels[i]) && (kept > 0 || i + 1 < of->count)) {
            free_panel(&of->panels[i]);
        } else {
            of->panels[kept++] = of->panels[i];
        }
    }
    of->count = kept;
}

/* ------------------------------------------------------------------------------------- table - */

static void write_field(const char *text, FILE *out)
{
    putc('"', out);
    for (; text != NULL && *text != '\0'; text++) {
        if (*text == '"') {
            putc('"', out);
        }
        putc(*text, out);
    }
    putc('"', out);
}

static void write_values(const figure *of, const figure_panel *panel, const figure_curve *curve,
                         FILE *out)
{
    for (size_t i = 0; i < curve->count; i++) {
        const figure_point *point = &curve->points[i];
        fprintf(out, "%s,", of->name);
        write_field(panel->axes.title, out);
        putc(',', out);
        write_field(curve->name != NULL ? curve->name : curve->method, out);
        putc(',', out);
        write_field(panel->axes.x_name, out);
        /* The middle of a bar stands for its name. */
        if (panel->axes.name_count > 0) {
            const size_t place = (size_t)fmax(point->x, 0);
            putc(',', out);
            write_field(place < panel->axes.name_count ? panel->names[place] : "", out);
            putc(',', out);
        } else {
            fprintf(out, ",%.9g,", point->x);
        }
        write_field(panel->axes.y_name, out);
        fprintf(out, ",%.9g,%.9g,%.9g\n", point->y, point->low, point->high);
    }
}

void figure_write_csv(const figure *of, FILE *out)
{
    fputs(FIGURE_CSV_HEAD, out);
    for (size_t p = 0; p < of->count; p++) {
        for (size_t c = 0; c < of->panels[p].count; c++) {
            const figure_curve *curve = &of->panels[p].curves[c];
            if (curve->shape <= FIGURE_BARS) {
                write_values(of, &of->panels[p], curve, out);
            }
        }
    }
}
