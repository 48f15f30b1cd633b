/* Rows and pictures of kiln-bench continuous: Figure 4, collisions found by speed and by radius;
 * Figure 6, what is missed, and the time of a frame by the number of objects. */
#include "continuous.h"

#include <math.h>
#include <string.h>

void continuous_print_csv(const continuous_rows *rows, FILE *out)
{
    (void)fputs(BENCH_CONTINUOUS_CSV_HEAD, out);
    for (size_t i = 0; i < rows->count; i++) {
        const continuous_row *r = &rows->list[i];
        (void)fprintf(out,
                      "%s,\"%s\",%u,%g,%g,%.6g,%.6g,%.5g,%.5g,%.5g,%.5g,%.5g,%.5g,%.6g,%.6g,%.6g,"
                      "%.6g,%.6g,%.5g,%.5g,%.5g\n",
                      r->part, r->engine, r->objects, r->speed, r->radius, r->interval, r->sine,
                      r->ms, r->begin_ms, r->change_ms, r->narrow_ms, r->events, r->walls,
                      r->candidates, r->tests, r->narrow_calls, r->looked_at, r->swaps,
                      r->list_ends, r->bytes, r->value);
    }
}

enum { POINTS_MOST = 64 };

/* Points of a curve: rows of a part, taken by `take`. */
typedef bool (*take_row)(const continuous_row *row, double with, figure_point *point);

static void draw_rows(figure *of, const continuous_rows *rows, const char *part, const char *engine,
                      const char *name, take_row take, double with)
{
    figure_point points[POINTS_MOST];
    unsigned count = 0;
    for (size_t i = 0; i < rows->count && count < POINTS_MOST; i++) {
        const continuous_row *row = &rows->list[i];
        if (strcmp(row->part, part) == 0 && (engine == NULL || strcmp(row->engine, engine) == 0) &&
            take(row, with, &points[count])) {
            count++;
        }
    }
    figure_add_curve(of, FIGURE_LINE, name, NULL, points, count);
}

static bool found_by_speed(const continuous_row *row, double ends, figure_point *point)
{
    *point = figure_at(row->speed, ends > 0 ? row->tests : row->events);
    return row->radius == 0.25;
}

static bool found_by_radius(const continuous_row *row, double ends, figure_point *point)
{
    *point = figure_at(row->radius, ends > 0 ? row->tests : row->events);
    return row->speed == 2.5;
}

static bool missed_by_way(const continuous_row *row, double radius, figure_point *point)
{
    *point = figure_at(row->speed, 100 * row->value);
    return row->radius == radius;
}

static bool time_by_objects(const continuous_row *row, double speed, figure_point *point)
{
    *point = (figure_point){row->objects, row->ms, row->ms, fmax(row->ms, row->slowest_ms)};
    return row->speed == speed && row->objects <= 5000;
}

void continuous_draw(const continuous_rows *rows, figure *of)
{
    static const char *const engines[] = {"all pairs", "all pairs, SIMD", "grid",
                                          "auto",      "sweep, 3 axes",   "sweep, 14-DOP",
                                          "VADOP",     "VADOP, published"};
    static const figure_axes axes[] = {
        {.title = "Figure 4(a): pairs that touch in a frame, radius 0.25",
         .x_name = "greatest speed, units of length a second",
         .y_name = "pairs a frame",
         .x_to = 40,
         .x_step = 10,
         .y_to = 100,
         .y_step = 20},
        {.title = "Figure 4(b): pairs that touch in a frame, speed 2.5",
         .x_name = "radius, units of length",
         .y_name = "pairs a frame",
         .x_to = 0.25,
         .x_step = 0.05,
         .y_to = 40,
         .y_step = 10},
        {.title = "Figure 6(a): contacts that end within their frame",
         .x_name = "greatest speed, units of length a second",
         .y_name = "contacts that are missed at its end, %",
         .x_to = 40,
         .x_step = 10,
         .y_to = 50,
         .y_step = 10},
        {.title = "Figure 6(b): time of a frame, speed 5",
         .x_name = "objects",
         .y_name = "time of a frame, ms",
         .x_to = 5000,
         .x_step = 1000,
         .y_from = 0.001,
         .y_to = 100,
         .y_logarithmic = true},
    };
    of->name = "continuous";
    of->columns = 4;
    figure_add_panel(of, &axes[0]);
    draw_rows(of, rows, "misses", NULL, "in the frame", found_by_speed, 0);
    draw_rows(of, rows, "misses", NULL, "at its end", found_by_speed, 1);
    figure_add_panel(of, &axes[1]);
    draw_rows(of, rows, "misses", NULL, "in the frame", found_by_radius, 0);
    draw_rows(of, rows, "misses", NULL, "at its end", found_by_radius, 1);
    figure_add_panel(of, &axes[2]);
    draw_rows(of, rows, "misses", NULL, "radius 0.25", missed_by_way, 0.25);
    draw_rows(of, rows, "misses", NULL, "radius 0.125", missed_by_way, 0.125);
    draw_rows(of, rows, "misses", NULL, "radius 0.0625", missed_by_way, 0.0625);
    figure_add_panel(of, &axes[3]);
    for (unsigned e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        draw_rows(of, rows, "engines", engines[e], engines[e], time_by_objects, 5);
    }
    figure_set_note(of, "bars: from the fastest to the slowest round");
    figure_drop_empty(of);
}
