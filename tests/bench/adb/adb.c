/* The run: objects are added one by one and measured at once, and sums over all of them are formed
 * at the end. The comparison itself is contest.c, what time-critical queries are measured by alone
 * is timed.c; this file owns their results. The results of a run are printed by adb_print.c,
 * adb_json.c and adb_draw.c, which only read it. */
#include "adb.h"

#include "numbers.h"

#include "../../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

/* A progress without a receiver, so that the callers need not test for NULL. */
static void silent(void *user, const char *stage, double part)
{
    (void)user;
    (void)stage;
    (void)part;
}

bench_adb_options bench_adb_options_default(bool quick)
{
    static const uint64_t budgets[] = {250, 500, 1000, 2000, 4000, 8000, 16000};
    bench_adb_options options;
    memset(&options, 0, sizeof options);
    options.draws = quick ? 30 : 300;
    options.rounds = quick ? 2 : 4;
    options.contacts = quick ? 20 : 200;
    options.resamplings = quick ? 100 : 400;
    options.mode = KILN_ADB_DEFAULT;
    options.budget_count = sizeof budgets / sizeof budgets[0];
    memcpy(options.budgets, budgets, sizeof budgets);
    options.watch.step = silent;
    return options;
}

/* From here on bench_adb_free may be called whatever fails. */
void bench_adb_begin(bench_adb *run, const bench_adb_options *options)
{
    KILN_ASSERT(options->budget_count <= BENCH_BUDGETS_MAX);
    memset(run, 0, sizeof *run);
    run->options = *options;
    if (run->options.watch.step == NULL) {
        run->options.watch.step = silent;
    }
    bench_calibration_begin(run->samples);
    for (unsigned b = 0; b < options->budget_count; b++) {
        run->budgets[b].nanoseconds = options->budgets[b];
    }
}

void bench_adb_free(bench_adb *run)
{
    for (size_t i = 0; i < run->compared.count; i++) {
        bench_table_free(&run->compared.tables[i]);
    }
    free(run->compared.tables);
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        bench_samples_free(&run->samples[i]);
    }
    for (unsigned b = 0; b < BENCH_BUDGETS_MAX; b++) {
        bench_budget_free(&run->budgets[b]);
    }
    memset(run, 0, sizeof *run);
}

/* An object is measured when it is added, so that its trees can be released before the next. */
kiln_status bench_adb_add(bench_adb *run, const char *name, const kiln_tree *tree,
                          const bench_mesh *mesh, const bench_method *added, unsigned added_count)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    bench_subject subject;
    if (info.adb_grid == 0 || !info.polygons) {
        return KILN_ERROR_NOT_LOADED;
    }
    if (mesh->triangle_count < 2) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!bench_subject_make(name, tree, run->options.draws, &subject)) {
        return KILN_ERROR_MEMORY;
    }
    kiln_status status = KILN_ERROR_ARGUMENT;
    if (subject.count == 0) {
        goto done;
    }
    status = KILN_ERROR_MEMORY;
    const bench_adb_options *o = &run->options;
    bench_table *more = realloc(run->compared.tables, (run->compared.count + 1) * sizeof *more);
    if (more == NULL) {
        goto done;
    }
    run->compared.tables = more;
    status = bench_contest(&subject, mesh, added, added_count, o->rounds, &o->watch,
                           &more[run->compared.count]);
    if (status != KILN_OK) {
        goto done;
    }
    run->compared.count++;
    bench_gaps_add(&subject, o->contacts, &o->watch, &run->gaps);
    if (!bench_calibration_add(&subject, o->mode, &o->watch, run->samples) ||
        !bench_budgets_add(&subject, o->mode, &o->watch, run->budgets, o->budget_count)) {
        status = KILN_ERROR_MEMORY;
    }
done:
    bench_subject_free(&subject);
    return status;
}

/* Calibration needs the samples of all objects, as bins of equal mass follow all of them. */
bool bench_adb_finish(bench_adb *run)
{
    KILN_ASSERT(run->options.budget_count <= BENCH_BUDGETS_MAX);
    bool good = true;
    for (int i = 0; i < BENCH_SAMPLE_SETS; i++) {
        good = good && bench_calibration_of(&run->samples[i], run->options.resamplings,
                                            &run->calibration[i]);
    }
    for (unsigned b = 0; b < run->options.budget_count; b++) {
        bench_sort(run->budgets[b].overshoot, run->budgets[b].count);
    }
    return good;
}

const char *bench_base_name(const bench_adb *run, unsigned base)
{
    KILN_ASSERT(run->compared.count > 0);
    KILN_ASSERT(base < bench_base_count(&run->compared));
    static const char *const names[BENCH_BASES + 1] = {"24-dop", "obb2", "obb", "same", "fastest"};
    const bench_table *table = &run->compared.tables[0];
    return base < table->added ? table->rows[base].name : names[base - table->added];
}
