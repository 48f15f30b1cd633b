/* The measurements of section 4.3 of Klein and Zachmann (2003): trees are baked as the published
 * queries walk them and as ours do, methods alternate over the same poses, and the results are
 * means by distance. The published query runs on trees of its own kind, so that neither side is
 * measured on the other's trees. */
#include "paper_figures.h"

#include "contest.h"
#include "dop24.h"
#include "numbers.h"
#include "../../../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 400, PAIRS_OF_CHOICES = 1000, COUNTED_TREES = 4 };

const double bench_paper_p_min[BENCH_PAPER_P_MIN] = {0.5, 0.7, 0.8, 0.9, 0.99};
const uint32_t bench_paper_k_min[BENCH_PAPER_K_MIN] = {1, 5, 10};

/* ------------------------------------------------------------------------------------- trees -- */

/* How the trees are baked that published queries walk. */
typedef struct {
    const char *bv;
    kiln_adb_regions regions;
    double factor; /* of the largest section */
} counted_as;

enum { AS_PRINTED, OCTANTS, SECTORS, ORIENTED };
static const counted_as counted_ways[COUNTED_TREES] = {
    [AS_PRINTED] = {"aabb2", KILN_ADB_ONE, 0.5},
    [OCTANTS] = {"aabb2", KILN_ADB_OCTANTS, 0.5},
    [SECTORS] = {"aabb2", KILN_ADB_SECTORS, 0.5},
    [ORIENTED] = {"obb2", KILN_ADB_ONE, 0.5},
};

/* The arguments of a published query. */
typedef struct {
    kiln_paper_query *query;
    const kiln_paper_tree *tree;
    kiln_paper_options options;
} published;

typedef struct {
    bench_file ours, binary;
    void *data[COUNTED_TREES];
    kiln_paper_tree *trees[COUNTED_TREES];
    kiln_paper_query *query;
    dop24 *dop;
    bench_point point;
    bench_subject subject;
    published published[BENCH_PAPER_SERIES_MAX];
    bench_method methods[BENCH_PAPER_SERIES_MAX];
    unsigned count;
} bench_paper_bench;

/* One triangle a leaf and 8^3 cells, as the paper has them. */
static kiln_status bake_counted(const bench_mesh *mesh, const counted_as *how, void **data,
                                kiln_paper_tree **tree)
{
    kiln_bake_options options = kiln_bake_options_default();
    size_t size = 0;
    options.bv = how->bv;
    options.leaf = 1;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 8;
    options.adb_regions = how->regions;
    options.adb_area = KILN_ADB_AREA_BY_MAX;
    options.adb_factor = how->factor;
    if (bench_bake(mesh, &options, data, &size) != KILN_BAKE_OK) {
        return KILN_ERROR_MEMORY;
    }
    const kiln_bv bv = strcmp(how->bv, "obb2") == 0 ? KILN_BV_OBB2 : KILN_BV_AABB2;
    return kiln_paper_tree_open(*data, size, bv, NULL, tree);
}

/* The counts of a bake by default, which the fitted weights expect. */
static kiln_status bake_ours(const bench_mesh *mesh, bench_file *file)
{
    kiln_bake_options options = kiln_bake_options_default();
    void *data = NULL;
    size_t size = 0;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 4;
    options.adb_factor = 0.75;
    return bench_bake(mesh, &options, &data, &size) == KILN_BAKE_OK
               ? bench_file_open(data, size, NULL, file)
               : KILN_ERROR_MEMORY;
}

static void clear_bench(bench_paper_bench *bench)
{
    bench_subject_free(&bench->subject);
    kiln_paper_query_free(bench->query);
    if (bench->dop != NULL) {
        dop24_free(bench->dop);
    }
    for (unsigned i = 0; i < COUNTED_TREES; i++) {
        kiln_paper_tree_close(bench->trees[i]);
        free(bench->data[i]);
    }
    bench_file_close(&bench->ours);
    bench_file_close(&bench->binary);
}

/* `trees` of counted_ways. */
static kiln_status build_bench(bench_paper_bench *bench, const char *name, const bench_mesh *mesh,
                               unsigned trees, unsigned draws)
{
    KILN_ASSERT(trees >= 1 && trees <= COUNTED_TREES);
    bench_point points[BENCH_POINTS];
    memset(bench, 0, sizeof *bench);
    kiln_status status = bake_ours(mesh, &bench->ours);
    if (status == KILN_OK) {
        status = bench_file_bake(mesh, "obb2", 1, &bench->binary);
    }
    for (unsigned i = 0; i < trees && status == KILN_OK; i++) {
        status = bake_counted(mesh, &counted_ways[i], &bench->data[i], &bench->trees[i]);
    }
    if (status != KILN_OK) {
        return status;
    }
    bench_points(points);
    bench->point = points[KILN_ADB_DEFAULT];
    bench->query = kiln_paper_query_make();
    bench->dop = dop24_build(&bench->binary);
    const kiln_tree *tree = kiln_file_tree(bench->ours.file, 0);
    return bench->query != NULL && bench->dop != NULL &&
                   bench_subject_make(name, tree, draws, &bench->subject)
               ? KILN_OK
               : KILN_ERROR_MEMORY;
}

/* ----------------------------------------------------------------------------------- methods -- */

static bench_answer query_published(const void *with, const kiln_pose *pose)
{
    const published *one = with;
    kiln_paper_answer answer = {.collision = false};
    (void)kiln_paper_collide(one->query, one->tree, NULL, one->tree, pose, &one->options, &answer);
    return (bench_answer){answer.collision, answer.opened};
}

static bench_answer query_ours(const void *with, const kiln_pose *pose)
{
    const bench_paper_bench *bench = with;
    kiln_adb_answer answer = {.probability = 0};
    const bool found = bench_point_ask(&bench->point, bench->subject.tree, pose, &answer);
    return (bench_answer){found, answer.pairs};
}

static bench_answer query_dop24(const void *with, const kiln_pose *pose)
{
    return (bench_answer){dop24_collide(with, pose, NULL), 0};
}

static bench_answer query_exact(const void *with, const kiln_pose *pose)
{
    return (bench_answer){bench_exact(with, pose), 0};
}

/* Methods are measured in the order in which they are added. */
static void add(bench_paper_bench *bench, const char *name,
                bench_answer (*run_query)(const void *, const kiln_pose *), const void *with)
{
    KILN_ASSERT(bench->count < BENCH_PAPER_SERIES_MAX);
    bench_method *method = &bench->methods[bench->count++];
    (void)snprintf(method->name, sizeof method->name, "%s", name);
    method->run_query = run_query;
    method->with = with;
}

/* The options of the last method that was added can still be changed. */
static kiln_paper_options *add_published(bench_paper_bench *bench, const char *name, unsigned tree)
{
    KILN_ASSERT(tree < COUNTED_TREES && bench->trees[tree] != NULL);
    published *one = &bench->published[bench->count];
    *one = (published){bench->query, bench->trees[tree], kiln_paper_options_default()};
    add(bench, name, query_published, one);
    return &one->options;
}

static void add_setting(bench_paper_bench *bench, const char *title, double p_min, uint32_t k_min)
{
    kiln_paper_options *options = add_published(bench, title, AS_PRINTED);
    options->p_min = p_min;
    options->k_min = k_min;
}

/* Our query and the exact tree of the paper, which every figure has. */
static void add_rivals(bench_paper_bench *bench)
{
    add(bench, "default", query_ours, bench);
    add(bench, "24-dop", query_dop24, bench->dop);
}

/* ----------------------------------------------------------------------------------- measure -- */

typedef struct {
    double *times;        /* [methods][poses], ns */
    unsigned char *wrong; /* the same: 0, or 1 and what was answered */
    size_t poses;
    double clock_cost;
} measured;

/* A method runs the whole batch unmeasured before it is measured, as those of contest.c do: several
 * published settings share a tree, which would be warm for all but the first of them only. */
static void take_turn(const bench_paper_bench *bench, unsigned m, size_t first, size_t last,
                      const measured *out)
{
    const bench_method *method = &bench->methods[m];
    const zachmann_pose *poses = bench->subject.poses;
    for (size_t i = first; i < last; i++) {
        (void)method->run_query(method->with, &poses[i].pose);
    }
    for (size_t i = first; i < last; i++) {
        double *time = &out->times[m * out->poses + i];
        const double start = bench_now();
        const bench_answer answer = method->run_query(method->with, &poses[i].pose);
        *time = fmin(*time, bench_net(bench_now() - start, out->clock_cost));
        out->wrong[m * out->poses + i] =
            answer.found == bench->subject.truth[i] ? 0 : (unsigned char)(1 + answer.found);
    }
}

static void alternate(const bench_paper_bench *bench, int rounds, const measured *out)
{
    for (size_t first = 0; first < out->poses; first += BATCH) {
        const size_t last = first + BATCH < out->poses ? first + BATCH : out->poses;
        for (int round = 0; round < rounds; round++) {
            for (unsigned m = 0; m < bench->count; m++) {
                take_turn(bench, m, first, last, out);
            }
        }
    }
}

static void sum_up(const bench_paper_bench *bench, const measured *in, bench_paper_figure *figure)
{
    for (unsigned m = 0; m < bench->count; m++) {
        bench_paper_series *series = &figure->series[m];
        memset(series, 0, sizeof *series);
        memcpy(series->name, bench->methods[m].name, sizeof bench->methods[m].name);
        for (size_t i = 0; i < in->poses; i++) {
            const int d = bench->subject.poses[i].distance;
            series->us[d] += in->times[m * in->poses + i] / 1e3;
            series->negatives[d] += in->wrong[m * in->poses + i] == 1;
            series->positives[d] += in->wrong[m * in->poses + i] == 2;
        }
        for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
            const double count = figure->poses[d] > 0 ? (double)figure->poses[d] : NAN;
            series->us[d] /= count;
            series->negatives[d] /= count;
            series->positives[d] /= count;
        }
    }
}

static kiln_status measure(const bench_paper_bench *bench, const bench_mesh *mesh, int rounds,
                           bench_paper_figure *figure)
{
    const bench_subject *subject = &bench->subject;
    const size_t cells = bench->count * (subject->count + 1);
    measured all = {malloc(cells * sizeof(double)), calloc(cells, 1), subject->count,
                    bench_clock_cost()};
    kiln_status status = KILN_ERROR_MEMORY;
    if (all.times != NULL && all.wrong != NULL) {
        for (size_t i = 0; i < cells; i++) {
            all.times[i] = HUGE_VAL;
        }
        memset(figure, 0, sizeof *figure);
        (void)snprintf(figure->name, sizeof figure->name, "%s", subject->name);
        figure->triangles = mesh->triangle_count;
        figure->hits = subject->hits;
        figure->count = bench->count;
        for (size_t i = 0; i < subject->count; i++) {
            figure->poses[subject->poses[i].distance]++;
        }
        alternate(bench, rounds, &all);
        sum_up(bench, &all, figure);
        status = KILN_OK;
    }
    free(all.times);
    free(all.wrong);
    return status;
}

/* ----------------------------------------------------------------------------------- figures -- */

typedef void list_methods(bench_paper_bench *bench);

static void list_complexity(bench_paper_bench *bench)
{
    add_setting(bench, "paper", 0.99, 10);
    add_setting(bench, "paper, p_min 0.9, k_min 5", 0.9, 5);
    add_rivals(bench);
    add(bench, "exact, same tree", query_exact, bench->trees[AS_PRINTED]->tree);
}

static void list_settings(bench_paper_bench *bench)
{
    char title[32];
    for (unsigned i = 0; i < BENCH_PAPER_P_MIN; i++) {
        (void)snprintf(title, sizeof title, "p_min %.2f", bench_paper_p_min[i]);
        add_setting(bench, title, bench_paper_p_min[i], 10);
    }
    for (unsigned i = 0; i < BENCH_PAPER_K_MIN; i++) {
        (void)snprintf(title, sizeof title, "k_min %u", bench_paper_k_min[i]);
        add_setting(bench, title, 0.99, bench_paper_k_min[i]);
    }
    add_rivals(bench);
}

/* Rows: what is changed, and how. */
static void list_choices(bench_paper_bench *bench)
{
    (void)add_published(bench, "as printed", AS_PRINTED);
    add_published(bench, "no gate", AS_PRINTED)->gate = KILN_PAPER_NO_GATE;
    add_published(bench, "gate of 6 axes", AS_PRINTED)->gate = KILN_PAPER_SAT6;
    for (int i = KILN_PAPER_LENS; i < KILN_PAPER_VOLUMES; i++) {
        char title[32];
        (void)snprintf(title, sizeof title, "volume %s",
                       kiln_paper_volume_name((kiln_paper_volume)i));
        add_published(bench, title, AS_PRINTED)->volume = (kiln_paper_volume)i;
    }
    add_published(bench, "no descent for s_B", AS_PRINTED)->share = KILN_PAPER_EQUATION_5;
    add_published(bench, "Equation 1", AS_PRINTED)->x_max = 1;
    add_published(bench, "LB by triangles", AS_PRINTED)->level = KILN_PAPER_BY_TRIANGLES;
    add_published(bench, "s, sA, sB as bounds", AS_PRINTED)->rounding = KILN_PAPER_LOWER;
    add_published(bench, "s, sA, sB interpolated", AS_PRINTED)->rounding = KILN_PAPER_INTERPOLATED;
    add_published(bench, "counted pairs left", AS_PRINTED)->reinsert = false;
    add_published(bench, "leaves accepted", AS_PRINTED)->leaves = KILN_PAPER_ACCEPT;
    add_published(bench, "leaves tested", AS_PRINTED)->leaves = KILN_PAPER_TEST;
    (void)add_published(bench, "octants", OCTANTS);
    (void)add_published(bench, "pyramids", SECTORS);
    (void)add_published(bench, "oriented boxes", ORIENTED);
    for (unsigned i = 0; i < bench->count; i++) {
        bench->published[i].options.pairs_max = PAIRS_OF_CHOICES;
    }
    add_rivals(bench);
}

static kiln_status measure_methods(const char *name, const bench_mesh *mesh, unsigned trees,
                                   list_methods *list, const bench_paper_effort *effort,
                                   bench_paper_figure *figure)
{
    if (mesh->triangle_count < 2) {
        return KILN_ERROR_ARGUMENT;
    }
    bench_paper_bench *bench = malloc(sizeof *bench);
    if (bench == NULL) {
        return KILN_ERROR_MEMORY;
    }
    kiln_status status = build_bench(bench, name, mesh, trees, effort->draws);
    if (status == KILN_OK) {
        list(bench);
        status = measure(bench, mesh, effort->rounds, figure);
    }
    clear_bench(bench);
    free(bench);
    return status;
}

kiln_status bench_paper_complexity(const char *name, const bench_mesh *mesh,
                                   const bench_paper_effort *effort, bench_paper_figure *figure)
{
    return measure_methods(name, mesh, 1, list_complexity, effort, figure);
}

kiln_status bench_paper_settings(const char *name, const bench_mesh *mesh,
                                 const bench_paper_effort *effort, bench_paper_figure *figure)
{
    return measure_methods(name, mesh, 1, list_settings, effort, figure);
}

kiln_status bench_paper_choices(const char *name, const bench_mesh *mesh,
                                const bench_paper_effort *effort, bench_paper_figure *figure)
{
    return measure_methods(name, mesh, COUNTED_TREES, list_choices, effort, figure);
}

/* ------------------------------------------------------------------------------------- means -- */

double bench_paper_mean(const double values[ZACHMANN_DISTANCES], double from, double to)
{
    double sum = 0, count = 0;
    for (int d = 0; d < ZACHMANN_DISTANCES; d++) {
        const double at = zachmann_distance(d);
        if (at > from - 0.01 && at < to + 0.01 && !isnan(values[d])) {
            sum += values[d];
            count++;
        }
    }
    return count > 0 ? sum / count : NAN;
}

double bench_paper_error(const bench_paper_series *series, double from, double to)
{
    return bench_paper_mean(series->positives, from, to) +
           bench_paper_mean(series->negatives, from, to);
}
