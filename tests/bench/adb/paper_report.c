/* What the measurements of paper_figures.c found: as tables, as lines of numbers, and as Figures
 * 14, 16 and 17 of Klein and Zachmann (2003). Times are drawn in logarithms, unlike the paper's,
 * since our exact tree and their query are a factor of ten apart; of the exact tree, as there, only
 * the size at which it is fastest. */
#include "paper_report.h"

#include "svg.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ tables -- */

void bench_paper_print(const bench_paper_figure *figure, FILE *out)
{
    size_t poses = 0;
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        poses += figure->poses[d];
    }
    fprintf(out, "\n%s, %u triangles, %zu poses, %.0f %% meet\n", figure->name, figure->triangles,
            poses, poses > 0 ? 100.0 * (double)figure->hits / (double)poses : 0.0);
    fprintf(out, "%-26s %9s %8s %8s %8s %8s\n", "means over the distances", "us", "wrong %",
            "false +", "false -", "1 to 2 %");
    for (unsigned i = 0; i < figure->count; i++) {
        const bench_paper_series *series = &figure->series[i];
        fprintf(out, "%-26s %9.2f %8.2f %8.2f %8.2f %8.2f\n", series->name,
                bench_paper_mean(series->us, 0.4, 2.1), 100 * bench_paper_error(series, 0.4, 2.1),
                100 * bench_paper_mean(series->positives, 0.4, 2.1),
                100 * bench_paper_mean(series->negatives, 0.4, 2.1),
                100 * bench_paper_error(series, 1, 2));
    }
}

static double error_at(const bench_paper_series *series, int d)
{
    return 100 * (series->positives[d] + series->negatives[d]);
}

static void print_row(const char *name, const bench_paper_series *series, bool errors, FILE *out)
{
    fprintf(out, "%-26s", name);
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        const double value = errors ? error_at(series, d) : series->us[d];
        fprintf(out, isnan(value) ? "       -" : " %7.2f", value);
    }
    fputc('\n', out);
}

void bench_paper_print_distances(const bench_paper_figure *figure, FILE *out)
{
    for (int errors = 0; errors < 2; errors++) {
        fprintf(out, "\n%s, %u triangles: %s\n%-26s", figure->name, figure->triangles,
                errors != 0 ? "wrong %" : "us", "distance");
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            fprintf(out, " %7.1f", zachmann_distance(d));
        }
        fputc('\n', out);
        for (unsigned i = 0; i < figure->count; i++) {
            print_row(figure->series[i].name, &figure->series[i], errors != 0, out);
        }
    }
}

void bench_paper_print_csv_head(FILE *out)
{
    fputs("figure,model,triangles,method,distance,poses,us,false_positives_percent,"
          "false_negatives_percent\n",
          out);
}

void bench_paper_print_csv(const char *title, const bench_paper_figure *figure, FILE *out)
{
    for (unsigned i = 0; i < figure->count; i++) {
        const bench_paper_series *series = &figure->series[i];
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            if (figure->poses[d] > 0) {
                fprintf(out, "%s,%s,%u,\"%s\",%.1f,%zu,%.4g,%.4g,%.4g\n", title, figure->name,
                        figure->triangles, series->name, zachmann_distance(d), figure->poses[d],
                        series->us[d], 100 * series->positives[d], 100 * series->negatives[d]);
            }
        }
    }
}

/* ---------------------------------------------------------------------------------- pictures -- */

enum { PANEL_WIDTH = 400, PANEL_HEIGHT = 320, PANEL_STEP = 500, PANEL_LEFT = 70, PANEL_TOP = 50 };

static svg_panel panel_at(unsigned place, const char *title, bool errors, double most)
{
    const svg_panel panel = {.title = title,
                             .x_name = "distance of the middles",
                             .y_name = errors ? "wrong, %" : "microseconds",
                             .x_from = 0.4,
                             .x_to = 2.2,
                             .x_step = 0.2,
                             .y_from = errors ? 0 : 0.2,
                             .y_to = most,
                             .y_step = most > 25   ? 5
                                       : most > 10 ? 2
                                                   : 1,
                             .logarithmic = !errors,
                             .left = PANEL_LEFT + (double)place * PANEL_STEP,
                             .top = PANEL_TOP,
                             .width = PANEL_WIDTH,
                             .height = PANEL_HEIGHT};
    return panel;
}

static void draw_series(const svg_panel *panel, unsigned number, const char *name,
                        const bench_paper_series *series, bool errors, FILE *out)
{
    svg_point points[ZACHMANN_DISTANCES];
    char text[96];
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        points[d] =
            (svg_point){zachmann_distance(d), errors ? error_at(series, d) : series->us[d], 0};
    }
    if (errors) {
        (void)snprintf(text, sizeof text, "%s: %.2f %%", name,
                       100 * bench_paper_error(series, 0.4, 2.1));
    } else {
        (void)snprintf(text, sizeof text, "%s: %.2f us", name,
                       bench_paper_mean(series->us, 0.4, 2.1));
    }
    svg_curve(out, panel, number, text, points, ZACHMANN_DISTANCES);
}

static void name_size(const char *method, const bench_paper_figure *figure, char *text, size_t size)
{
    (void)snprintf(text, size, "%s, %u triangles", method, figure->triangles);
}

/* The largest value in a panel, and at least `least`. */
static double most_of(const bench_paper_series *series, unsigned count, bool errors, double least)
{
    double most = least;
    for (unsigned i = 0; i < count; i++) {
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            const double value = errors ? error_at(&series[i], d) : series[i].us[d];
            most = value > most ? value : most; /* NAN is not */
        }
    }
    return most;
}

/* Where a panel ends that holds it. */
static double end_of(double most, bool errors)
{
    return errors ? ceil(most) : 1.2 * most;
}

/* As in the paper, of the exact tree only the size at which it is the fastest. */
static unsigned fastest_dop(const bench_paper_figure figures[BENCH_PAPER_SIZES])
{
    unsigned best = 0;
    for (unsigned i = 1; i < BENCH_PAPER_SIZES; i++) {
        if (bench_paper_mean(figures[i].series[BENCH_PAPER_DOP24].us, 0.4, 2.1) <
            bench_paper_mean(figures[best].series[BENCH_PAPER_DOP24].us, 0.4, 2.1)) {
            best = i;
        }
    }
    return best;
}

static void draw_model(unsigned place, const bench_paper_figure figures[BENCH_PAPER_SIZES],
                       bool errors, double most, FILE *out)
{
    const svg_panel panel = panel_at(place, figures[0].name, errors, most);
    char name[64];
    svg_axes(out, &panel);
    for (unsigned i = 0; i < BENCH_PAPER_SIZES; i++) {
        name_size("paper", &figures[i], name, sizeof name);
        draw_series(&panel, i, name, &figures[i].series[BENCH_PAPER_AS_PRINTED], errors, out);
    }
    for (unsigned i = 0; i < BENCH_PAPER_SIZES; i++) {
        name_size("default", &figures[i], name, sizeof name);
        draw_series(&panel, BENCH_PAPER_SIZES + i, name, &figures[i].series[BENCH_PAPER_OURS],
                    errors, out);
    }
    if (!errors) {
        const bench_paper_figure *figure = &figures[fastest_dop(figures)];
        name_size("24-DOP, exact", figure, name, sizeof name);
        draw_series(&panel, 2 * BENCH_PAPER_SIZES, name, &figure->series[BENCH_PAPER_DOP24], errors,
                    out);
    }
}

static void draw_models(const bench_paper_models *models, bool errors, FILE *out)
{
    double most = 1;
    for (unsigned i = 0; i < BENCH_PAPER_MODELS; i++) {
        for (unsigned j = 0; j < BENCH_PAPER_SIZES; j++) {
            const bench_paper_series *series = models->at[i][j].series;
            most = most_of(&series[BENCH_PAPER_AS_PRINTED], 1, errors, most);
            most = most_of(&series[BENCH_PAPER_OURS], 1, errors, most);
            most = errors ? most : most_of(&series[BENCH_PAPER_DOP24], 1, errors, most);
        }
    }
    svg_begin(out, PANEL_LEFT + BENCH_PAPER_MODELS * PANEL_STEP, 590);
    for (unsigned i = 0; i < BENCH_PAPER_MODELS; i++) {
        draw_model(i, models->at[i], errors, end_of(most, errors), out);
    }
    svg_end(out);
}

void bench_paper_draw_14(const bench_paper_models *models, FILE *out)
{
    draw_models(models, false, out);
}

void bench_paper_draw_16(const bench_paper_models *models, FILE *out)
{
    draw_models(models, true, out);
}

/* Ours and 24-DOPs, then `count` series from `first` on. */
static void draw_settings(unsigned place, const bench_paper_figure *settings, unsigned first,
                          unsigned count, bool errors, FILE *out)
{
    static const unsigned ours = BENCH_PAPER_P_MIN + BENCH_PAPER_K_MIN;
    char title[96];
    (void)snprintf(title, sizeof title, "%s, %u triangles, %s", settings->name, settings->triangles,
                   first == 0 ? "k_min 10" : "p_min 0.99");
    const double most = most_of(settings->series, ours, errors, 1);
    const svg_panel panel = panel_at(place, title, errors, end_of(most, errors));
    svg_axes(out, &panel);
    draw_series(&panel, 0, "default", &settings->series[ours], errors, out);
    draw_series(&panel, 1, "24-DOP, exact", &settings->series[ours + 1], errors, out);
    for (unsigned i = 0; i < count; i++) {
        draw_series(&panel, 2 + i, settings->series[first + i].name, &settings->series[first + i],
                    errors, out);
    }
}

void bench_paper_draw_17(const bench_paper_figure *settings, FILE *out)
{
    svg_begin(out, PANEL_LEFT + 4 * PANEL_STEP, 590);
    draw_settings(0, settings, 0, BENCH_PAPER_P_MIN, false, out);
    draw_settings(1, settings, 0, BENCH_PAPER_P_MIN, true, out);
    draw_settings(2, settings, BENCH_PAPER_P_MIN, BENCH_PAPER_K_MIN, false, out);
    draw_settings(3, settings, BENCH_PAPER_P_MIN, BENCH_PAPER_K_MIN, true, out);
    svg_end(out);
}
