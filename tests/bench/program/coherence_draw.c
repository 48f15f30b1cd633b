/* Rows and pictures of kiln-bench coherence. As in the paper, times are those of a front by those
 * of the plain query of the same tree, so that what lies below 1 is gained; thresholds that are
 * infinite are in the rows alone. */
#include "coherence.h"

#include <math.h>
#include <string.h>

void coherence_print_csv(const coherence_rows *rows, FILE *out)
{
    (void)fputs(BENCH_COHERENCE_CSV_HEAD, out);
    for (size_t i = 0; i < rows->count; i++) {
        const coherence_row *r = &rows->list[i];
        (void)fprintf(out,
                      "%s,%s,%s,%s,%s,%s,%.4g,%u,%u,%.5g,%.4g,%.4g,%.4g,%.4g,%.4g,%.4g,%g,%.6g,"
                      "%.6g,%.6g,%.6g\n",
                      r->part, r->scenario, r->path, r->query, r->bv, r->method, r->x, r->frames,
                      r->hits, r->ns, r->speed, r->value, r->skipped, r->last_pair, r->coherent,
                      r->fresh, r->entries, r->volume_tests, r->margin_tests, r->axis_tests,
                      r->leaf_tests);
    }
}

enum { POINTS_MOST = 64 };

/* What rows a curve has; NULL: any. */
typedef struct {
    const char *part, *scenario, *path, *query, *bv, *method;
    bool by_speed; /* what is drawn: `speed`, else `value` */
} curve;

static bool is_same(const char *wanted, const char *have)
{
    return wanted == NULL || strcmp(wanted, have) == 0;
}

/* Half of the rounds lie between. A row without rounds has no bar. */
static figure_point point_of(const coherence_row *row, bool by_speed)
{
    figure_point point = figure_at(row->x, by_speed ? row->speed : row->value);
    if (row->time_high > 0) {
        point.low = by_speed ? 1 / row->time_high : row->time_low;
        point.high = by_speed ? 1 / row->time_low : row->time_high;
    }
    return point;
}

static void draw_rows(figure *drawn, const coherence_rows *rows, const curve *of, const char *name)
{
    figure_point points[POINTS_MOST];
    unsigned count = 0;
    for (size_t i = 0; i < rows->count && count < POINTS_MOST; i++) {
        const coherence_row *row = &rows->list[i];
        if (is_same(of->part, row->part) && is_same(of->scenario, row->scenario) &&
            is_same(of->path, row->path) && is_same(of->query, row->query) &&
            is_same(of->bv, row->bv) && is_same(of->method, row->method)) {
            points[count++] = point_of(row, of->by_speed);
        }
    }
    figure_add_curve(drawn, FIGURE_LINE, name, NULL, points, count);
}

static const char *const bars = "bars: quartiles of the rounds; points: least times";

/* The four scenarios of the paper, as one kind of tree has them. */
static void draw_paper(figure *drawn, const figure_axes *axes, const coherence_rows *rows,
                       const char *part, const char *path, const char *bv)
{
    figure_add_panel(drawn, axes);
    figure_add_guide(drawn, axes->x_from, 1, axes->x_to, 1);
    for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
        const char *name = coherence_scenarios[s].name;
        const curve of = {part, name, path, NULL, bv, "published", false};
        draw_rows(drawn, rows, &of, name);
    }
    figure_set_note(drawn, bars);
}

/* Our fronts in a scene: free and colliding paths. */
static void draw_own(figure *drawn, const figure_axes *axes, const coherence_rows *rows,
                     const char *part, unsigned from, unsigned to)
{
    static const char *const paths[] = {"free", "colliding"};
    figure_add_panel(drawn, axes);
    figure_add_guide(drawn, axes->x_from, 1, axes->x_to, 1);
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned s = from; s < to; s++) {
            char name[64];
            const curve of = {
                part, coherence_scenarios[s].name, paths[p], "first hit", "obb", "auto", true};
            (void)snprintf(name, sizeof name, "%s, %s", of.scenario, paths[p]);
            draw_rows(drawn, rows, &of, name);
        }
    }
    figure_set_note(drawn, bars);
}

void coherence_draw(const coherence_rows *rows, figure *drawn)
{
    static const char *const motion = "motion between poses, in longest edges of the box";
    const struct {
        const char *title, *x_name, *part, *path, *bv;
        double x_to, x_step, y_to;
        bool by_motion;
    } panels[] = {
        {"Figure 4, OBB: when to use coherence", "threshold P_coherence", "figure4", NULL, "obb2",
         0.5, 0.1, 2.5, false},
        {"Figure 4, AABB", "threshold P_coherence", "figure4", NULL, "aabb2", 0.5, 0.1, 2.5, false},
        {"Figure 5, OBB: how far down", "threshold P_sprout", "figure5", NULL, "obb2", 2, 0.5, 2.5,
         false},
        {"Figure 5, AABB", "threshold P_sprout", "figure5", NULL, "aabb2", 2, 0.5, 2.5, false},
        {"Figure 6, OBB: how often pruned", "threshold P_prune", "figure6", NULL, "obb2", 0.5, 0.1,
         2.5, false},
        {"Figure 6, AABB", "threshold P_prune", "figure6", NULL, "aabb2", 0.5, 0.1, 2.5, false},
        {"Figure 8: OBB by motion, free paths", motion, "figure8", "free", "obb2", 0.5, 0, 2, true},
        {"Figure 9: AABB by motion, free paths", motion, "figure8", "free", "aabb2", 0.5, 0, 2,
         true},
        {"Figure 8, colliding paths", motion, "figure8", "colliding", "obb2", 0.5, 0, 2, true},
        {"Figure 9, colliding paths", motion, "figure8", "colliding", "aabb2", 0.5, 0, 2, true},
    };
    enum { PANELS = sizeof panels / sizeof panels[0] };
    drawn->name = "coherence";
    drawn->columns = 4;
    for (unsigned i = 0; i < PANELS; i++) {
        const figure_axes axes = {.title = panels[i].title,
                                  .x_name = panels[i].x_name,
                                  .y_name = "time, by that without coherence",
                                  .x_from = panels[i].by_motion ? 0.002 : 0,
                                  .x_to = panels[i].x_to,
                                  .x_step = panels[i].x_step,
                                  .x_logarithmic = panels[i].by_motion,
                                  .y_to = panels[i].y_to,
                                  .y_step = 0.25};
        draw_paper(drawn, &axes, rows, panels[i].part, panels[i].path, panels[i].bv);
    }
    figure_axes axes = {.title = "Our fronts: a small body in a scene, first hit",
                        .x_name = motion,
                        .y_name = "times as fast as queries from the roots",
                        .x_from = 0.002,
                        .x_to = 0.1,
                        .x_logarithmic = true,
                        .y_from = 0.5,
                        .y_to = 50,
                        .y_logarithmic = true};
    draw_own(drawn, &axes, rows, "small", COHERENCE_PAPER, COHERENCE_PAPER + COHERENCE_SMALL);
    axes.title = "Our fronts: two equal bodies, first hit";
    draw_own(drawn, &axes, rows, "equal", COHERENCE_PAPER + COHERENCE_SMALL, COHERENCE_SCENARIOS);
    figure_drop_empty(drawn);
}
