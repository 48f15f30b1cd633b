/* Rows and pictures of kiln-bench continuous: Figure 4, collisions found by speed and by radius;
 * Figure 6, what is missed, and the time of a frame by the number of objects. */
#include "continuous.h"

#include "../adb/adb.h"
#include "../adb/svg.h"

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
typedef bool (*take_row)(const continuous_row *row, double with, svg_point *point);

static void draw_rows(FILE *out, const svg_panel *panel, const continuous_rows *rows,
                      const char *part, const char *engine, unsigned number, const char *name,
                      take_row take, double with)
{
    svg_point points[POINTS_MOST];
    unsigned count = 0;
    for (size_t i = 0; i < rows->count && count < POINTS_MOST; i++) {
        const continuous_row *row = &rows->list[i];
        if (strcmp(row->part, part) == 0 && (engine == NULL || strcmp(row->engine, engine) == 0) &&
            take(row, with, &points[count])) {
            count++;
        }
    }
    svg_curve(out, panel, number, name, points, count);
}

static bool found_by_speed(const continuous_row *row, double ends, svg_point *point)
{
    *point = (svg_point){row->speed, ends > 0 ? row->tests : row->events, 0};
    return row->radius == 0.25;
}

static bool found_by_radius(const continuous_row *row, double ends, svg_point *point)
{
    *point = (svg_point){row->radius, ends > 0 ? row->tests : row->events, 0};
    return row->speed == 2.5;
}

static bool missed_by_way(const continuous_row *row, double radius, svg_point *point)
{
    *point = (svg_point){row->speed, 100 * row->value, 0};
    return row->radius == radius;
}

static bool time_by_objects(const continuous_row *row, double speed, svg_point *point)
{
    *point = (svg_point){row->objects, row->ms, 0};
    return row->speed == speed && row->objects <= 5000;
}

void continuous_draw(const continuous_rows *rows, FILE *out)
{
    static const char *const engines[] = {"all pairs", "all pairs, SIMD", "grid",
                                          "auto",      "sweep, 3 axes",   "sweep, 14-DOP",
                                          "VADOP",     "VADOP, published"};
    svg_panel panel = {.title = "Figure 4(a): pairs that touch in a frame, radius 0.25",
                       .x_name = "greatest speed",
                       .y_name = "pairs",
                       .x_to = 40,
                       .x_step = 10,
                       .y_to = 100,
                       .y_step = 20,
                       .left = 80,
                       .top = 60,
                       .width = 360,
                       .height = 320};
    svg_begin(out, 2000, 640);
    (void)fputs("<title>" BENCH_PICTURE_TITLE "continuous</title>\n", out);
    svg_axes(out, &panel);
    draw_rows(out, &panel, rows, "misses", NULL, 0, "in the frame", found_by_speed, 0);
    draw_rows(out, &panel, rows, "misses", NULL, 1, "at its end", found_by_speed, 1);
    panel.title = "Figure 4(b): speed 2.5";
    panel.x_name = "radius";
    panel.x_to = 0.25;
    panel.x_step = 0.05;
    panel.y_to = 40;
    panel.y_step = 10;
    panel.left += 490;
    svg_axes(out, &panel);
    draw_rows(out, &panel, rows, "misses", NULL, 0, "in the frame", found_by_radius, 0);
    draw_rows(out, &panel, rows, "misses", NULL, 1, "at its end", found_by_radius, 1);
    panel.title = "Figure 6(a): contacts that are over at the end of their frame";
    panel.x_name = "greatest speed";
    panel.y_name = "%";
    panel.x_to = 40;
    panel.x_step = 10;
    panel.y_to = 50;
    panel.y_step = 10;
    panel.left += 490;
    svg_axes(out, &panel);
    draw_rows(out, &panel, rows, "misses", NULL, 0, "radius 0.25", missed_by_way, 0.25);
    draw_rows(out, &panel, rows, "misses", NULL, 1, "radius 0.125", missed_by_way, 0.125);
    draw_rows(out, &panel, rows, "misses", NULL, 2, "radius 0.0625", missed_by_way, 0.0625);
    panel.title = "Figure 6(b): milliseconds a frame, speed 5";
    panel.x_name = "objects";
    panel.y_name = "ms";
    panel.x_to = 5000;
    panel.x_step = 1000;
    panel.y_from = 0.001;
    panel.y_to = 100;
    panel.logarithmic = true;
    panel.left += 490;
    svg_axes(out, &panel);
    for (unsigned e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        draw_rows(out, &panel, rows, "engines", engines[e], e, engines[e], time_by_objects, 5);
    }
    svg_end(out);
}
