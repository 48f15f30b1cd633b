/* Kinds of trees as pictures and rows: the terms of F as bars, and volumes by level as curves, as
 * the figures of Klosowski et al. (1998) show k-DOP trees level by level. */
#include "families.h"

#include "../adb/adb.h"
#include "../adb/svg.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 1560,
    PANEL = 380,
    TOP = 60,
    LEFT = 90,
    STEP = 510,
    LEGEND = 84,
    ROW = 18,
    CLOCK = 6
};

static double per_pose(uint64_t count, const tree_costs *of)
{
    return of->poses > 0 ? (double)count / (double)of->poses : 0;
}

/* A step of 1, 2 or 5 times a power of ten, of which about six make `most`. */
static double step_for(double most)
{
    const double power = pow(10, floor(log10(most / 6)));
    const double part = most / 6 / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

/* One bar a tree: what its query costs by terms from below, and a line for the clock. */
static void draw_costs(const bench_family *of, double top, FILE *out)
{
    static const char *const terms[] = {"C, a query", "Nu Cu, nodes", "Nv Cv, volumes",
                                        "Np Cp, triangles", "measured"};
    double most = 1;
    char title[160];
    for (size_t i = 0; i < of->count; i++) {
        most = fmax(most, fmax(of->costs[i].predicted, of->costs[i].measured));
    }
    (void)snprintf(title, sizeof title, "%.100s: microseconds a query", of->name);
    const svg_panel panel = {.title = title,
                             .x_name = "kind of tree",
                             .y_name = "microseconds",
                             .x_to = (double)of->count,

                             .y_to = 1.1e-3 * most,
                             .y_step = step_for(1.1e-3 * most),
                             .left = LEFT,
                             .top = top,
                             .width = PANEL,
                             .height = PANEL};
    svg_axes(out, &panel);
    for (size_t i = 0; i < of->count; i++) {
        const tree_costs *c = &of->costs[i];
        const double part[] = {c->unit.query, per_pose(c->work.nodes, c) * c->unit.update,
                               per_pose(c->work.volume_pairs, c) * c->unit.test,
                               per_pose(c->work.triangle_pairs, c) * c->unit.triangle};
        const double at = (double)i;
        double from = 0;
        for (unsigned t = 0; t < 4; t++) {
            const double to = from + 1e-3 * part[t];
            svg_bar(out, &panel, t, at + 0.15, at + 0.85, from, to);
            from = to;
        }
        const double clock = 1e-3 * c->measured, thick = 4e-6 * most;
        svg_bar(out, &panel, CLOCK, at + 0.05, at + 0.95, clock - thick, clock + thick);
        svg_name(out, &panel, at + 0.5, c->bv);
    }
    for (unsigned t = 0; t < sizeof terms / sizeof terms[0]; t++) {
        svg_curve(out, &panel, t == 4 ? CLOCK : t, terms[t], NULL, 0);
    }
}

/* Curves over the levels: `sizes`, else cover. */
static void draw_levels(const bench_family *of, bool sizes, double top, FILE *out)
{
    double deepest = 2, least = HUGE_VAL, most = 1;
    for (size_t i = 0; i < of->count; i++) {
        deepest = fmax(deepest, of->costs[i].depth);
        for (uint32_t l = 0; l < of->costs[i].depth; l++) {
            const kiln_level_measure *at = &of->costs[i].levels[l];
            const double value = sizes ? at->size : at->cover;
            least = value > 0 ? fmin(least, value) : least;
            most = value > 0 ? fmax(most, value) : most;
        }
    }
    const svg_panel panel = {.title = sizes ? "Sizes of volumes, by that of the box"
                                            : "Volumes that hold a point of the surface",
                             .x_name = "level",
                             .y_name = sizes ? "sum of sizes" : "cover",
                             .x_from = 1,
                             .x_to = deepest,
                             .x_step = deepest > 16  ? 4
                                       : deepest > 8 ? 2
                                                     : 1,
                             .y_from = sizes ? fmin(0.9 * least, 0.5) : 0,
                             .y_to = 1.1 * most,
                             .y_step = step_for(1.1 * most),
                             .logarithmic = sizes,
                             .left = LEFT + (sizes ? 2 : 1) * STEP,
                             .top = top,
                             .width = PANEL,
                             .height = PANEL};
    svg_axes(out, &panel);
    for (size_t i = 0; i < of->count; i++) {
        svg_point points[KILN_TREE_DEPTH_MAX];
        for (uint32_t l = 0; l < of->costs[i].depth; l++) {
            const kiln_level_measure *at = &of->costs[i].levels[l];
            points[l] = (svg_point){l + 1.0, sizes ? at->size : at->cover, 0};
        }
        svg_curve(out, &panel, (unsigned)i, of->costs[i].bv, points, of->costs[i].depth);
    }
}

void bench_families_draw(const bench_families *of, FILE *out)
{
    double height = 0, top = TOP;
    for (size_t i = 0; i < of->count; i++) {
        const double lines = fmax((double)of->list[i].count, 5);
        height += TOP + PANEL + LEGEND + ROW * lines;
    }
    svg_begin(out, WIDTH, height);
    fputs("<title>" BENCH_PICTURE_TITLE "families</title>\n", out);
    for (size_t i = 0; i < of->count; i++) {
        draw_costs(&of->list[i], top, out);
        draw_levels(&of->list[i], false, top, out);
        draw_levels(&of->list[i], true, top, out);
        top += TOP + PANEL + LEGEND + ROW * fmax((double)of->list[i].count, 5);
    }
    svg_end(out);
}

/* Names have no line ends (bench_family), and are quoted. */
static void print_field(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[2]){*text, '\0'}, out);
    }
    putc('"', out);
}

void bench_families_print_csv(const bench_families *of, FILE *out)
{
    fputs(BENCH_FAMILIES_CSV_HEAD, out);
    for (size_t m = 0; m < of->count; m++) {
        for (size_t i = 0; i < of->list[m].count; i++) {
            const tree_costs *c = &of->list[m].costs[i];
            print_field(out, of->list[m].name);
            putc(',', out);
            print_field(out, c->name);
            fprintf(out, ",%u,%s,%zu,%zu,%llu,%llu,%llu,%.4g,%.4g,%.4g,%.4g,%.5g,%.5g,%.4g",
                    c->triangles, c->bv, c->poses, c->hits, (unsigned long long)c->work.nodes,
                    (unsigned long long)c->work.volume_pairs,
                    (unsigned long long)c->work.triangle_pairs, c->unit.update, c->unit.test,
                    c->unit.triangle, c->unit.query, c->predicted, c->measured, c->residual);
            fprintf(out, ",%llu,%llu,%llu,%.4g,%llu\n", (unsigned long long)c->memory.inner,
                    (unsigned long long)c->memory.inner_size, (unsigned long long)c->memory.leaves,
                    c->memory.leaf_size, (unsigned long long)c->memory.bytes);
        }
    }
}

void bench_families_print_unit_costs(const bench_families *of, FILE *out)
{
    for (unsigned kind = 0; kind < KILN_NODE_KIND_COUNT; kind++) {
        kiln_unit_costs sum = {0, 0, 0, 0};
        unsigned trees = 0, leaf = 0;
        for (size_t m = 0; m < of->count; m++) {
            for (size_t i = 0; i < of->list[m].count; i++) {
                const tree_costs *c = &of->list[m].costs[i];
                if (strcmp(c->bv, kiln_node_kinds[kind].name) == 0 && c->poses > 0) {
                    sum.update += c->unit.update;
                    sum.test += c->unit.test;
                    sum.triangle += c->unit.triangle;
                    sum.query += c->unit.query;
                    leaf = c->leaf;
                    trees++;
                }
            }
        }
        if (trees > 0) {
            fprintf(out, "    {\"%s\", %u, {%.1f, %.2f, %.1f, %.0f}},\n",
                    kiln_node_kinds[kind].name, leaf, sum.update / trees, sum.test / trees,
                    sum.triangle / trees, sum.query / trees);
        }
    }
}
