/* All methods on the same poses of one object: rivals are built from the object's triangles, listed
 * as rows of one table, and measured alternately.
 *
 * A method is a function that answers whether the surfaces meet, and what it is called with; it
 * knows nothing of clocks or of the truth. A further one is a function `query_NAME` and a row in
 * list_methods(). The truth is kiln_collide on the subject's own tree, whatever is compared. */
#include "contest.h"

#include "dop24.h"
#include "numbers.h"
#include "paper_query.h"
#include "truncated.h"
#include "../../support/tally.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 400, PUBLISHED_PAIRS = 600 };

/* Triangles below a box of a truncated tree, from nearly exact to nearly as coarse as a query of
 * few pairs. */
static const uint32_t cut_sizes[BENCH_TRUNCATED_SIZES] = {1, 4, 16, 48};

/* ------------------------------------------------------------------------------------ object -- */

/* Both copies are one tree, so that no second mesh has to be built. */
bool bench_exact(const kiln_tree *tree, const kiln_pose *pose)
{
    kiln_hit hit = {.found = false};
    (void)kiln_collide(tree, NULL, tree, pose, NULL, &hit);
    return hit.found;
}

/* The truth is computed once, before any method is measured: it is what errors are counted against.
 */
bool bench_subject_make(const char *name, const kiln_tree *tree, unsigned draws,
                        bench_subject *subject)
{
    KILN_ASSERT(tree != NULL && draws > 0);
    const kiln_tree_info info = kiln_tree_get_info(tree);
    const size_t most = (size_t)ZACHMANN_DISTANCES * draws;
    memset(subject, 0, sizeof *subject);
    subject->name = name;
    subject->tree = tree;
    subject->box = zachmann_box_of(info.bounds_lower, info.bounds_upper);
    subject->poses = malloc(most * sizeof *subject->poses);
    subject->truth = malloc(most * sizeof *subject->truth);
    if (subject->poses == NULL || subject->truth == NULL) {
        bench_subject_free(subject);
        return false;
    }
    subject->count = zachmann_poses(&subject->box, ZACHMANN_SEED_TEST, draws, subject->poses);
    for (size_t i = 0; i < subject->count; i++) {
        subject->truth[i] = bench_exact(tree, &subject->poses[i].pose);
        subject->hits += subject->truth[i];
    }
    return true;
}

void bench_subject_free(bench_subject *subject)
{
    free(subject->poses);
    free(subject->truth);
    memset(subject, 0, sizeof *subject);
}

void bench_points(bench_point points[BENCH_POINTS])
{
    const bench_point all[BENCH_POINTS] = {
        {"adb default", kiln_adb_options_of(KILN_ADB_DEFAULT), UINT64_MAX},
        {"adb fast", kiln_adb_options_of(KILN_ADB_FAST), UINT64_MAX},
        {"adb careful", kiln_adb_options_of(KILN_ADB_CAREFUL), UINT64_MAX},
        {"adb, 64 pairs", kiln_adb_options_of(KILN_ADB_DEFAULT), BENCH_POINT_PAIRS},
    };
    memcpy(points, all, sizeof all);
}

/* A query that ends undecided is taken for what is likelier. */
bool bench_point_ask(const bench_point *point, const kiln_tree *tree, const kiln_pose *pose,
                     kiln_adb_answer *answer)
{
    (void)kiln_adb_collide(tree, NULL, tree, pose, &point->options, point->pairs, UINT64_MAX,
                           answer);
    return answer->probability > 0.5;
}

/* ----------------------------------------------------------------------------------- methods -- */

typedef struct {
    const kiln_tree *tree;
    bench_point point;
} timed;

/* The published query, and the paper's nodes. */
typedef struct {
    void *data;
    kiln_paper_tree *tree;
    kiln_paper_query *query;
    kiln_paper_options options;
} published;

typedef struct {
    bench_file binary, wide, cut[2 * BENCH_TRUNCATED_SIZES];
    dop24 *dop;
    timed timed[BENCH_POINTS];
    published published;
    bench_method methods[BENCH_ADDED_MAX + BENCH_METHODS];
    unsigned count;
} rivals;

/* Volumes that were compared stand for pairs. */
static bench_answer query_dop24(const void *with, const kiln_pose *pose)
{
    unsigned volumes = 0;
    const bool found = dop24_collide(with, pose, &volumes);
    return (bench_answer){found, volumes};
}

static bench_answer query_exact(const void *with, const kiln_pose *pose)
{
    return (bench_answer){bench_exact(with, pose), 0};
}

/* Nodes opened, and pairs of leaves whose triangles are compared. */
static bench_answer count_exact(const void *with, const kiln_pose *pose)
{
    tally sum = {0, 0, 0};
    const bool found = tally_collide(with, with, pose, &sum);
    return (bench_answer){found, sum.nodes + sum.leaves};
}

/* The boxes of the cut leaves are the answer; their one triangle stands for many and is not looked
 * at. */
static bench_answer query_truncated(const void *with, const kiln_pose *pose)
{
    bool found = false;
    (void)kiln_collide_boxes(with, NULL, with, pose, &found);
    return (bench_answer){found, 0};
}

static bench_answer query_timed(const void *with, const kiln_pose *pose)
{
    const timed *query = with;
    kiln_adb_answer answer = {.probability = 0};
    const bool found = bench_point_ask(&query->point, query->tree, pose, &answer);
    return (bench_answer){found, answer.pairs};
}

static bench_answer query_published(const void *with, const kiln_pose *pose)
{
    const published *paper = with;
    kiln_paper_answer answer = {.collision = false};
    (void)kiln_paper_collide(paper->query, paper->tree, NULL, paper->tree, pose, &paper->options,
                             &answer);
    return (bench_answer){answer.collision, answer.opened};
}

/* The caller's methods come first, then these, in the order of the enum in contest.h. */
static void add(rivals *all, const char *name, bool exact,
                bench_answer (*run_query)(const void *, const kiln_pose *), const void *with)
{
    KILN_ASSERT(all->count < BENCH_ADDED_MAX + BENCH_METHODS);
    bench_method *method = &all->methods[all->count++];
    (void)snprintf(method->name, sizeof method->name, "%s", name);
    method->exact = exact;
    method->run_query = run_query;
    method->with = with;
    method->count_query = run_query == query_exact ? count_exact : NULL;
}

static const kiln_tree *only_tree(const bench_file *file)
{
    KILN_ASSERT(kiln_file_tree_count(file->file) == 1);
    return kiln_file_tree(file->file, 0);
}

/* Boxes along the object's axes, one triangle a leaf, 8^3 cells, MaxArea as "suitably chosen", and
 * of the settings that the figures of the paper show the quicker ones. Two leaves are tested, which
 * the text leaves open: dropped to the letter, many a collision would be missed. */
static kiln_status build_published(published *paper, const bench_mesh *mesh)
{
    kiln_bake_options options = kiln_bake_options_default();
    size_t size;
    options.bv = "aabb2";
    options.leaf = 1;
    options.layout = KILN_LAYOUT_RAW;
    options.adb = 8;
    options.adb_area = KILN_ADB_AREA_BY_MAX;
    options.adb_factor = 0.5;
    paper->options = kiln_paper_options_default();
    paper->options.p_min = 0.9;
    paper->options.k_min = 5;
    paper->options.leaves = KILN_PAPER_TEST;
    paper->options.pairs_max = PUBLISHED_PAIRS;
    paper->query = kiln_paper_query_make();
    if (paper->query == NULL || bench_bake(mesh, &options, &paper->data, &size) != KILN_BAKE_OK) {
        return KILN_ERROR_MEMORY;
    }
    return kiln_paper_tree_open(paper->data, size, KILN_BV_AABB2, NULL, &paper->tree);
}

static void free_rivals(rivals *all)
{
    kiln_paper_query_free(all->published.query);
    kiln_paper_tree_close(all->published.tree);
    free(all->published.data);
    if (all->dop != NULL) {
        dop24_free(all->dop);
    }
    bench_file_close(&all->binary);
    bench_file_close(&all->wide);
    for (unsigned i = 0; i < 2 * BENCH_TRUNCATED_SIZES; i++) {
        bench_file_close(&all->cut[i]);
    }
}

/* The 24-DOPs are built from the binary tree, so that both exact binary trees have the same cuts.
 */
static kiln_status build_rivals(rivals *all, const bench_mesh *mesh, const bench_watch *watch)
{
    kiln_status status = bench_file_bake(mesh, "obb2", 1, &all->binary);
    if (status == KILN_OK) {
        status = bench_file_bake(mesh, "obb", 4, &all->wide);
    }
    for (unsigned i = 0; i < 2 * BENCH_TRUNCATED_SIZES && status == KILN_OK; i++) {
        watch->step(watch->user, "build", (double)i / (2 * BENCH_TRUNCATED_SIZES));
        status = truncated_bake(mesh, i < BENCH_TRUNCATED_SIZES ? "obb2" : "obb",
                                cut_sizes[i % BENCH_TRUNCATED_SIZES], &all->cut[i]);
    }
    if (status == KILN_OK) {
        status = build_published(&all->published, mesh);
    }
    if (status == KILN_OK) {
        all->dop = dop24_build(&all->binary);
        status = all->dop != NULL ? KILN_OK : KILN_ERROR_ARGUMENT;
    }
    return status;
}

/* Points to `all`, which must stay where it is. */
static void list_methods(rivals *all, const kiln_tree *tree)
{
    bench_point points[BENCH_POINTS];
    add(all, "24-dop", true, query_dop24, all->dop);
    add(all, "obb2, leaf 1", true, query_exact, only_tree(&all->binary));
    add(all, "obb, leaf 4", true, query_exact, only_tree(&all->wide));
    add(all, "exact, same tree", true, query_exact, tree);
    for (unsigned i = 0; i < 2 * BENCH_TRUNCATED_SIZES; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "truncated %s, %u",
                       i < BENCH_TRUNCATED_SIZES ? "obb2" : "obb",
                       cut_sizes[i % BENCH_TRUNCATED_SIZES]);
        add(all, name, false, query_truncated, only_tree(&all->cut[i]));
    }
    bench_points(points);
    for (unsigned i = 0; i < BENCH_POINTS; i++) {
        all->timed[i] = (timed){tree, points[i]};
        add(all, points[i].name, false, query_timed, &all->timed[i]);
    }
    add(all, "adb as published", false, query_published, &all->published);
}

/* ------------------------------------------------------------------------------ measurement -- */

/* One more element than there are poses, since malloc(0) may return NULL. */
static bool make_table(bench_table *table, const bench_subject *subject, const bench_mesh *mesh,
                       const rivals *all, unsigned added)
{
    table->name = malloc(strlen(subject->name) + 1);
    table->distances = malloc(subject->count + 1);
    table->truth = malloc((subject->count + 1) * sizeof *table->truth);
    bool good = table->name != NULL && table->distances != NULL && table->truth != NULL;
    for (unsigned m = 0; m < all->count && good; m++) {
        bench_row *row = &table->rows[table->row_count++];
        memcpy(row->name, all->methods[m].name, sizeof row->name);
        row->exact = all->methods[m].exact;
        row->times = malloc((subject->count + 1) * sizeof *row->times);
        good = row->times != NULL;
        for (size_t i = 0; i < subject->count && good; i++) {
            row->times[i] = HUGE_VAL;
        }
    }
    if (good) {
        strcpy(table->name, subject->name);
        table->triangles = mesh->triangle_count;
        table->poses = subject->count;
        table->hits = subject->hits;
        table->added = added;
        memcpy(table->truth, subject->truth, subject->count * sizeof *table->truth);
        for (size_t i = 0; i < subject->count; i++) {
            table->distances[i] = (uint8_t)subject->poses[i].distance;
        }
    }
    return good;
}

/* What is the same in every round: errors, and what is visited. */
static void count_answers(const rivals *all, const bench_subject *subject, bench_table *table)
{
    for (unsigned m = 0; m < all->count; m++) {
        const bench_method *method = &all->methods[m];
        bench_row *row = &table->rows[m];
        for (size_t i = 0; i < subject->count; i++) {
            const kiln_pose *pose = &subject->poses[i].pose;
            const bench_answer answer = method->run_query(method->with, pose);
            const uint64_t visited = method->count_query != NULL
                                         ? method->count_query(method->with, pose).visited
                                         : answer.visited;
            row->positives += answer.found && !subject->truth[i];
            row->negatives += !answer.found && subject->truth[i];
            row->visited += (double)visited / (double)subject->count;
        }
    }
}

/* Methods alternate over each batch of poses. Each runs the whole batch unmeasured before it is
 * measured, since what a method has to fetch that another one has just used, or driven out, is
 * chance: a tree that two methods share would be warm for the second one only. A query's time is
 * the least of all rounds. */
static void alternate(const rivals *all, const bench_subject *subject, int rounds,
                      const bench_watch *watch, bench_table *table)
{
    const double clock_cost = bench_clock_cost();
    size_t last;
    for (size_t first = 0; first < subject->count; first = last) {
        last = first + BATCH < subject->count ? first + BATCH : subject->count;
        for (int step = 0; step < rounds * (int)all->count; step++) {
            const unsigned m = (unsigned)step % all->count;
            const bench_method *method = &all->methods[m];
            bench_row *row = &table->rows[m];
            for (size_t i = first; i < last; i++) {
                (void)method->run_query(method->with, &subject->poses[i].pose);
            }
            for (size_t i = first; i < last; i++) {
                const double start = bench_now();
                (void)method->run_query(method->with, &subject->poses[i].pose);
                row->times[i] = fmin(row->times[i], bench_net(bench_now() - start, clock_cost));
            }
        }
        watch->step(watch->user, "compare", (double)last / (double)subject->count);
    }
}

/* Times stay in the order of poses in the row, for sums by distance; a copy is sorted. */
static bool summarise(bench_row *row, size_t count)
{
    KILN_ASSERT(row->times != NULL);
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    memcpy(sorted, row->times, count * sizeof *sorted);
    bench_sort(sorted, count);
    row->mean = bench_mean(sorted, count);
    row->median = bench_median(sorted, count);
    row->p99 = bench_percentile(sorted, count, 0.99);
    row->worst = bench_percentile(sorted, count, 1.0);
    free(sorted);
    return true;
}

static void silent(void *user, const char *stage, double part)
{
    (void)user;
    (void)stage;
    (void)part;
}

kiln_status bench_contest(const bench_subject *subject, const bench_mesh *mesh,
                          const bench_method *added, unsigned added_count, int rounds,
                          const bench_watch *watch, bench_table *table)
{
    KILN_ASSERT(rounds > 0 && added_count <= BENCH_ADDED_MAX);
    static const bench_watch nobody = {silent, NULL};
    const bench_watch *observer = watch != NULL ? watch : &nobody;
    rivals all;
    memset(&all, 0, sizeof all);
    memset(table, 0, sizeof *table);
    kiln_status status = build_rivals(&all, mesh, observer);
    if (status == KILN_OK) {
        for (unsigned i = 0; i < added_count; i++) {
            all.methods[all.count++] = added[i];
        }
        list_methods(&all, subject->tree);
        if (make_table(table, subject, mesh, &all, added_count)) {
            count_answers(&all, subject, table);
            alternate(&all, subject, rounds, observer, table);
        } else {
            status = KILN_ERROR_MEMORY;
        }
    }
    for (unsigned m = 0; m < table->row_count && status == KILN_OK; m++) {
        status = summarise(&table->rows[m], table->poses) ? KILN_OK : KILN_ERROR_MEMORY;
    }
    free_rivals(&all);
    if (status != KILN_OK) {
        bench_table_free(table);
    }
    return status;
}

void bench_table_free(bench_table *table)
{
    for (unsigned i = 0; i < table->row_count; i++) {
        free(table->rows[i].times);
    }
    free(table->name);
    free(table->distances);
    free(table->truth);
    memset(table, 0, sizeof *table);
}

double bench_row_error(const bench_table *table, const bench_row *row)
{
    KILN_ASSERT(row->positives + row->negatives <= table->poses);
    return table->poses > 0 ? (double)(row->positives + row->negatives) / (double)table->poses : 0;
}

unsigned bench_fastest_exact(const bench_table *table)
{
    unsigned best = table->added + BENCH_SAME;
    for (unsigned i = 0; i < table->row_count; i++) {
        if (table->rows[i].exact && table->rows[i].mean < table->rows[best].mean) {
            best = i;
        }
    }
    return best;
}

unsigned bench_table_differ(const bench_table *table)
{
    unsigned count = 0;
    for (unsigned i = 0; i < table->row_count; i++) {
        const bench_row *row = &table->rows[i];
        count += row->exact && row->positives + row->negatives > 0;
    }
    return count;
}
