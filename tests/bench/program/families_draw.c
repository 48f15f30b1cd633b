/* Kinds of trees as pictures and rows: the terms of F as bars, and volumes by level as curves, as
 * the figures of Klosowski et al. (1998) show k-DOP trees level by level. */
#include "families.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double per_pose(uint64_t count, const tree_costs *of)
{
    return of->poses > 0 ? (double)count / (double)of->poses : 0;
}

/* One bar a tree: what its query costs by terms from below, and a mark for the clock. */
static void draw_costs(const bench_family *of, figure *drawn)
{
    static const char *const terms[] = {"C, a query", "Nu Cu, nodes", "Nv Cv, volumes",
                                        "Np Cp, triangles"};
    const char **names = calloc(of->count + 1, sizeof *names);
    figure_point *points = calloc(of->count + 1, sizeof *points);
    double *sums = calloc(of->count + 1, sizeof *sums);
    double most = 1;
    char title[160];
    if (names == NULL || points == NULL || sums == NULL) {
        drawn->failed = true;
        free(names);
        free(points);
        free(sums);
        return;
    }
    for (size_t i = 0; i < of->count; i++) {
        names[i] = of->costs[i].bv;
        most = fmax(most, fmax(of->costs[i].predicted, of->costs[i].measured));
    }
    (void)snprintf(title, sizeof title, "%.100s: time of a query", of->name);
    figure_add_panel(drawn, &(figure_axes){.title = title,
                                           .x_name = "kind of tree",
                                           .y_name = "time of a query, us",
                                           .x_to = (double)of->count,
                                           .y_to = 1.1e-3 * most,
                                           .y_step = figure_step(1.1e-3 * most),
                                           .names = names,
                                           .name_count = of->count});
    for (unsigned t = 0; t < 4; t++) {
        for (size_t i = 0; i < of->count; i++) {
            const tree_costs *c = &of->costs[i];
            const double part[] = {c->unit.query, per_pose(c->work.nodes, c) * c->unit.update,
                                   per_pose(c->work.volume_pairs, c) * c->unit.test,
                                   per_pose(c->work.triangle_pairs, c) * c->unit.triangle};
            const double from = sums[i];
            sums[i] += 1e-3 * part[t];
            points[i] = (figure_point){(double)i + 0.5, sums[i] - from, from, sums[i]};
        }
        figure_add_curve(drawn, FIGURE_BARS, terms[t], NULL, points, of->count);
        figure_set_width(drawn, 0.7);
    }
    for (size_t i = 0; i < of->count; i++) {
        points[i] = figure_at((double)i + 0.5, 1e-3 * of->costs[i].measured);
    }
    figure_add_curve(drawn, FIGURE_POINTS, "measured: the mean of each query's least time",
                     "measured", points, of->count);
    free(names);
    free(points);
    free(sums);
}

/* Curves over the levels: `sizes`, else cover. */
static void draw_levels(const bench_family *of, bool sizes, figure *drawn)
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
    figure_add_panel(drawn,
                     &(figure_axes){.title = sizes ? "Sizes of volumes, by that of the box"
                                                   : "Volumes that hold a point of the surface",
                                    .x_name = "level of the tree, from the root",
                                    .y_name = sizes ? "sum of sizes, by that of the whole box"
                                                    : "volumes a point of the surface",
                                    .x_from = 1,
                                    .x_to = deepest,
                                    .x_step = deepest > 16  ? 4
                                              : deepest > 8 ? 2
                                                            : 1,
                                    .y_from = sizes ? fmin(0.9 * least, 0.5) : 0,
                                    .y_to = 1.1 * most,
                                    .y_step = figure_step(1.1 * most),
                                    .y_logarithmic = sizes});
    for (size_t i = 0; i < of->count; i++) {
        figure_point points[KILN_TREE_DEPTH_MAX];
        for (uint32_t l = 0; l < of->costs[i].depth; l++) {
            const kiln_level_measure *at = &of->costs[i].levels[l];
            points[l] = figure_at(l + 1.0, sizes ? at->size : at->cover);
        }
        figure_add_curve(drawn, FIGURE_LINE, of->costs[i].bv, NULL, points, of->costs[i].depth);
    }
}

void bench_families_draw(const bench_families *of, figure *drawn)
{
    drawn->name = "families";
    drawn->columns = 3;
    for (size_t i = 0; i < of->count; i++) {
        draw_costs(&of->list[i], drawn);
        draw_levels(&of->list[i], false, drawn);
        draw_levels(&of->list[i], true, drawn);
    }
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
