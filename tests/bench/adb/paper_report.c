/* What the measurements of paper_figures.c found: as tables, as lines of numbers, and as Figures
 * 14, 16 and 17 of Klein and Zachmann (2003). Times are drawn in logarithms, unlike the paper's,
 * since our exact tree and their query are a factor of ten apart; of the exact tree, as there, only
 * the size at which it is fastest. */
#include "paper_report.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------ tables -- */

void bench_paper_print(const bench_paper_figure *measured, FILE *out)
{
    size_t poses = 0;
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        poses += measured->poses[d];
    }
    fprintf(out, "\n%s, %u triangles, %zu poses, %.0f %% meet\n", measured->name,
            measured->triangles, poses,
            poses > 0 ? 100.0 * (double)measured->hits / (double)poses : 0.0);
    fprintf(out, "%-26s %9s %8s %8s %8s %8s\n", "means over the distances", "us", "wrong %",
            "false +", "false -", "1 to 2 %");
    for (unsigned i = 0; i < measured->count; i++) {
        const bench_paper_series *series = &measured->series[i];
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

void bench_paper_print_distances(const bench_paper_figure *measured, FILE *out)
{
    for (int errors = 0; errors < 2; errors++) {
        fprintf(out, "\n%s, %u triangles: %s\n%-26s", measured->name, measured->triangles,
                errors != 0 ? "wrong %" : "us", "distance");
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            fprintf(out, " %7.1f", zachmann_distance(d));
        }
        fputc('\n', out);
        for (unsigned i = 0; i < measured->count; i++) {
            print_row(measured->series[i].name, &measured->series[i], errors != 0, out);
        }
    }
}

void bench_paper_print_csv_head(FILE *out)
{
    fputs("figure,model,triangles,method,distance,poses,us,false_positives_percent,"
          "false_negatives_percent\n",
          out);
}

void bench_paper_print_csv(const char *title, const bench_paper_figure *measured, FILE *out)
{
    for (unsigned i = 0; i < measured->count; i++) {
        const bench_paper_series *series = &measured->series[i];
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            if (measured->poses[d] > 0) {
                fprintf(out, "%s,%s,%u,\"%s\",%.1f,%zu,%.4g,%.4g,%.4g\n", title, measured->name,
                        measured->triangles, series->name, zachmann_distance(d), measured->poses[d],
                        series->us[d], 100 * series->positives[d], 100 * series->negatives[d]);
            }
        }
    }
}

/* ----------------------------------------------------------------------------------- figures -- */

static void add_panel(const char *title, bool errors, double most, figure *of)
{
    figure_add_panel(
        of, &(figure_axes){.title = title,
                           .x_name = "distance between centres, in halves of the longest side",
                           .y_name = errors ? "wrong answers, %" : "time of a query, us",
                           .x_from = 0.3,
                           .x_to = 2.2,
                           .x_step = 0.3,
                           .y_from = errors ? 0 : 0.2,
                           .y_to = most,
                           .y_step = most > 25   ? 5
                                     : most > 10 ? 2
                                                 : 1,
                           .y_logarithmic = !errors});
}

/* A series looks like `method`; of NULL, by its place. */
static void draw_series(const char *name, const char *method, const bench_paper_series *series,
                        bool errors, figure *of)
{
    figure_point points[ZACHMANN_DISTANCES];
    char text[96];
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        points[d] = figure_at(zachmann_distance(d), errors ? error_at(series, d) : series->us[d]);
    }
    if (errors) {
        (void)snprintf(text, sizeof text, "%s: %.2f %%", name,
                       100 * bench_paper_error(series, 0.4, 2.1));
    } else {
        (void)snprintf(text, sizeof text, "%s: %.2f us", name,
                       bench_paper_mean(series->us, 0.4, 2.1));
    }
    figure_add_curve(of, FIGURE_LINE, text, method, points, ZACHMANN_DISTANCES);
}

static void name_size(const char *method, const bench_paper_figure *measured, char *text,
                      size_t size)
{
    (void)snprintf(text, size, "%s, %u triangles", method, measured->triangles);
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

static void draw_model(const bench_paper_figure figures[BENCH_PAPER_SIZES], bool errors,
                       double most, figure *of)
{
    char name[64];
    add_panel(figures[0].name, errors, most, of);
    for (unsigned i = 0; i < BENCH_PAPER_SIZES; i++) {
        name_size("paper", &figures[i], name, sizeof name);
        draw_series(name, NULL, &figures[i].series[BENCH_PAPER_AS_PRINTED], errors, of);
    }
    for (unsigned i = 0; i < BENCH_PAPER_SIZES; i++) {
        name_size("default", &figures[i], name, sizeof name);
        draw_series(name, NULL, &figures[i].series[BENCH_PAPER_OURS], errors, of);
    }
    if (!errors) {
        const bench_paper_figure *fastest = &figures[fastest_dop(figures)];
        name_size("24-DOP, exact", fastest, name, sizeof name);
        draw_series(name, NULL, &fastest->series[BENCH_PAPER_DOP24], errors, of);
    }
}

static void draw_models(const bench_paper_models *models, bool errors, figure *of)
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
    of->columns = BENCH_PAPER_MODELS;
    for (unsigned i = 0; i < BENCH_PAPER_MODELS; i++) {
        draw_model(models->at[i], errors, end_of(most, errors), of);
    }
}

void bench_paper_draw_14(const bench_paper_models *models, figure *of)
{
    of->name = "figure14";
    draw_models(models, false, of);
}

void bench_paper_draw_16(const bench_paper_models *models, figure *of)
{
    of->name = "figure16";
    draw_models(models, true, of);
}

/* Ours and 24-DOPs, then `count` series from `first` on. */
static void draw_settings(const bench_paper_figure *settings, unsigned first, unsigned count,
                          bool errors, figure *of)
{
    static const unsigned ours = BENCH_PAPER_P_MIN + BENCH_PAPER_K_MIN;
    char title[96];
    (void)snprintf(title, sizeof title, "%s, %u triangles, %s", settings->name, settings->triangles,
                   first == 0 ? "k_min 10" : "p_min 0.99");
    const double most = most_of(settings->series, ours, errors, 1);
    add_panel(title, errors, end_of(most, errors), of);
    draw_series("default", "adb default", &settings->series[ours], errors, of);
    draw_series("24-DOP, exact", NULL, &settings->series[ours + 1], errors, of);
    for (unsigned i = 0; i < count; i++) {
        draw_series(settings->series[first + i].name, NULL, &settings->series[first + i], errors,
                    of);
    }
}

void bench_paper_draw_17(const bench_paper_figure *settings, figure *of)
{
    of->name = "figure17";
    of->columns = 4;
    draw_settings(settings, 0, BENCH_PAPER_P_MIN, false, of);
    draw_settings(settings, 0, BENCH_PAPER_P_MIN, true, of);
    draw_settings(settings, BENCH_PAPER_P_MIN, BENCH_PAPER_K_MIN, false, of);
    draw_settings(settings, BENCH_PAPER_P_MIN, BENCH_PAPER_K_MIN, true, of);
}
