/* Rows and pictures of kiln-bench coherence. As in the paper, times are those of a front by those
 * of the plain query of the same tree, so that what lies below 1 is gained; thresholds that are
 * infinite are in the rows alone. */
#include "coherence.h"

#include "../adb/adb.h"
#include "../adb/svg.h"

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

static void draw_rows(FILE *out, const svg_panel *panel, const coherence_rows *rows,
                      const curve *of, unsigned number, const char *name)
{
    svg_point points[POINTS_MOST];
    unsigned count = 0;
    for (size_t i = 0; i < rows->count && count < POINTS_MOST; i++) {
        const coherence_row *row = &rows->list[i];
        if (is_same(of->part, row->part) && is_same(of->scenario, row->scenario) &&
            is_same(of->path, row->path) && is_same(of->query, row->query) &&
            is_same(of->bv, row->bv) && is_same(of->method, row->method)) {
            points[count++] = (svg_point){row->x, of->by_speed ? row->speed : row->value, 0};
        }
    }
    svg_curve(out, panel, number, name, points, count);
}

/* The four scenarios of the paper, as one kind of tree has them. */
static void draw_paper(FILE *out, const svg_panel *panel, const coherence_rows *rows,
                       const char *part, const char *path, const char *bv, const char *method)
{
    svg_axes(out, panel);
    svg_guide(out, panel, panel->x_from, 1, panel->x_to, 1);
    for (unsigned s = 0; s < COHERENCE_PAPER; s++) {
        const char *name = coherence_scenarios[s].name;
        const curve of = {part, name, path, NULL, bv, method, false};
        draw_rows(out, panel, rows, &of, s, name);
    }
}

/* Our fronts in a scene: free and colliding paths. */
static void draw_own(FILE *out, const svg_panel *panel, const coherence_rows *rows,
                     const char *part, unsigned from, unsigned to)
{
    static const char *const paths[] = {"free", "colliding"};
    svg_axes(out, panel);
    svg_guide(out, panel, panel->x_from, 1, panel->x_to, 1);
    for (unsigned p = 0; p < 2; p++) {
        for (unsigned s = from; s < to; s++) {
            char name[64];
            const curve of = {
                part, coherence_scenarios[s].name, paths[p], "first hit", "obb", "auto", true};
            (void)snprintf(name, sizeof name, "%s, %s", of.scenario, paths[p]);
            draw_rows(out, panel, rows, &of, 3 * p + (s - from), name);
        }
    }
}

void coherence_draw(const coherence_rows *rows, FILE *out)
{
    enum { ACROSS = 4, LEFT = 80, TOP = 60, STEP_X = 490, STEP_Y = 560 };
    static const struct {
        const char *title, *x_name, *part, *path, *bv;
        double x_to, x_step, y_to;
        bool by_motion;
    } panels[] = {
        {"Figure 4, OBB: when to use coherence", "P_coherence", "figure4", NULL, "obb2", 0.5, 0.1,
         2.5, false},
        {"Figure 4, AABB", "P_coherence", "figure4", NULL, "aabb2", 0.5, 0.1, 2.5, false},
        {"Figure 5, OBB: how far down", "P_sprout", "figure5", NULL, "obb2", 2, 0.5, 2.5, false},
        {"Figure 5, AABB", "P_sprout", "figure5", NULL, "aabb2", 2, 0.5, 2.5, false},
        {"Figure 6, OBB: how often pruned", "P_prune", "figure6", NULL, "obb2", 0.5, 0.1, 2.5,
         false},
        {"Figure 6, AABB", "P_prune", "figure6", NULL, "aabb2", 0.5, 0.1, 2.5, false},
        {"Figure 8: OBB by motion, free paths", "motion / e_o", "figure8", "free", "obb2", 0.5, 0,
         2, true},
        {"Figure 9: AABB by motion, free paths", "motion / e_o", "figure8", "free", "aabb2", 0.5, 0,
         2, true},
        {"Figure 8, colliding paths", "motion / e_o", "figure8", "colliding", "obb2", 0.5, 0, 2,
         true},
        {"Figure 9, colliding paths", "motion / e_o", "figure8", "colliding", "aabb2", 0.5, 0, 2,
         true},
    };
    enum { PANELS = sizeof panels / sizeof panels[0] };
    svg_panel panel = {.width = 360, .height = 320};
    svg_begin(out, LEFT + ACROSS * STEP_X - 40, TOP + 3 * STEP_Y);
    (void)fputs("<title>" BENCH_PICTURE_TITLE "coherence</title>\n", out);
    for (unsigned i = 0; i < PANELS + 2; i++) {
        panel.left = LEFT + (i % ACROSS) * STEP_X;
        panel.top = TOP + (i / ACROSS) * STEP_Y;
        if (i < PANELS) {
            panel.title = panels[i].title;
            panel.x_name = panels[i].x_name;
            panel.y_name = "time by that without coherence";
            panel.x_from = panels[i].by_motion ? 0.002 : 0;
            panel.x_to = panels[i].x_to;
            panel.x_step = panels[i].x_step;
            panel.x_logarithmic = panels[i].by_motion;
            panel.y_to = panels[i].y_to;
            panel.y_step = 0.25;
            draw_paper(out, &panel, rows, panels[i].part, panels[i].path, panels[i].bv,
                       "published");
        } else {
            const bool is_small = i == PANELS;
            panel.title = is_small ? "our fronts: a small body in a scene, first hit"
                                   : "our fronts: two equal bodies, first hit";
            panel.x_name = "motion / e_o";
            panel.y_name = "times as fast as plain";
            panel.x_from = 0.002;
            panel.x_to = 0.1;
            panel.x_logarithmic = panel.logarithmic = true;
            panel.y_from = 0.5;
            panel.y_to = 50;
            draw_own(out, &panel, rows, is_small ? "small" : "equal",
                     COHERENCE_PAPER + (is_small ? 0 : COHERENCE_SMALL),
                     COHERENCE_PAPER + COHERENCE_SMALL + (is_small ? 0 : COHERENCE_EQUAL));
        }
    }
    svg_end(out);
}
