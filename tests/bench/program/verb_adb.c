/* kiln-bench adb: time-critical queries against exact ones and against the obvious shortcut, on the
 * user's own models.
 *
 * A model that is not baked is baked in memory first. Each file is one object of the run
 * (adb/adb.h): two copies of its tree are queried at the poses of Zachmann's procedure by all
 * methods alternately. The results are printed as tables, or as JSON, and on request as lines of
 * numbers and as a picture. */
#define _POSIX_C_SOURCE 200809L

#include "outputs.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/progress.h"
#include "../../../tools/cmd/kit/report.h"

#include "../adb/adb.h"
#include "../../../formats/assert.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *csv, *figure, *budgets, *bv, *tree;
    int draws, mode;
    bool quick, meshes, json;
} bench_settings;

#define FIELD(name) offsetof(bench_settings, name)

static const option bench_options[] = {
    {"draws", 0, OPTION_INTEGER, "N", NULL, 1, 10000, FIELD(draws),
     "random poses at each of 18 distances, before those are left out at which the boxes are "
     "apart (default 300, with --quick 30)"},
    {"quick", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quick),
     "fewer poses, rounds and contacts: seconds rather than a minute a model"},
    {"mode", 0, OPTION_CHOICE, NULL, "default|fast|careful", 0, 0, FIELD(mode),
     "mode of which calibration and budgets are measured; the comparison has all (default "
     "default)"},
    {"budget-us", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(budgets),
     "budgets of time to keep, in microseconds (default 0.25,0.5,1,2,4,8,16)"},
    {"bv", 0, OPTION_TEXT, "KIND", NULL, 0, 0, FIELD(bv),
     "kind of tree that is asked (default: the first in the file; obb for models)"},
    {"tree", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(tree),
     "name of the tree that is asked, where a file has several"},
    {"meshes", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(meshes),
     "print a table for each file, too, where there are several"},
    {"csv", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(csv),
     "write a line for each file and method"},
    OPTION_FIGURE(bench_settings, "the reliability diagram, and speed over the distance"),
    OPTION_JSON(bench_settings),
};

/* What is on screen while a file is measured. */
typedef struct {
    progress bar;
    const char *name;
    int number, count;
} bench_bar;

static void show_step(void *user, const char *stage, double part)
{
    bench_bar *shown = user;
    char text[96];
    (void)snprintf(text, sizeof text, "%.40s (%d of %d): %s", shown->name, shown->number,
                   shown->count, stage);
    (void)progress_step(&shown->bar, text, part);
}

/* ------------------------------------------------------------------------------------- input -- */

/* "dir/ship.kiln" -> "ship", as text that can be shown: UTF-8 without control characters. Released
 * by free(). */
static char *short_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    json_t *text = json_cstring(slash != NULL && slash[1] != '\0' ? slash + 1 : path);
    char *name = text != NULL ? strdup(json_string_value(text)) : NULL;
    char *dot = name != NULL ? strrchr(name, '.') : NULL;
    json_decref(text);
    if (dot != NULL && dot != name) {
        *dot = '\0';
    }
    for (char *at = name; at != NULL && *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7F) {
            *at = '?';
        }
    }
    return name;
}

/* The name decides: all other files go to the importer. */
static bool is_baked(const char *path)
{
    const size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".kiln") == 0;
}

static int out_of_memory(const char *path)
{
    return report_error(EXIT_RUN, path, "out of memory; ask for fewer --draws");
}

/* A model, baked with counts as `kiln bake --adb` does it. */
static int bake_model(const char *path, const bench_settings *settings, void **data, size_t *size)
{
    kiln_bake_options options = kiln_bake_options_default();
    const kiln_bake_input input = {path, NULL, 0, NULL};
    kiln_bake_report report;
    options.adb = 4;
    options.layout = KILN_LAYOUT_RAW;
    options.bv = settings->bv != NULL ? settings->bv : "obb";
    const kiln_bake_status status = kiln_bake_to_memory(&input, &options, data, size, &report);
    for (uint32_t i = 0; i < report.warning_count; i++) {
        report_note("warning", path, report.warnings[i]);
    }
    const int result =
        status == KILN_BAKE_OK ? EXIT_DONE : report_error((int)status, NULL, "%s", report.error);
    kiln_bake_report_free(&report);
    return result;
}

/* A baked file is opened as it is, with whatever options it was baked; a model is baked with
 * counts. */
static int open_input(const char *path, const bench_settings *settings, bench_file *file)
{
    void *data = NULL;
    size_t size = 0;
    kiln_error error = {0};
    const int status =
        is_baked(path) ? load_file(path, &data, &size) : bake_model(path, settings, &data, &size);
    if (status != EXIT_DONE) {
        return status;
    }
    const kiln_status opened = bench_file_open(data, size, &error, file);
    return opened == KILN_OK ? EXIT_DONE : report_format_error(path, (int)opened, error.message);
}

/* The tree is one of the file, so that the search ends. */
static uint32_t index_of(const bench_file *file, const kiln_tree *tree)
{
    uint32_t index = 0;
    while (kiln_file_tree(file->file, index) != tree) {
        KILN_ASSERT(index < kiln_file_tree_count(file->file));
        index++;
    }
    return index;
}

/* ----------------------------------------------------------------------------------- measure -- */

/* Turns a status of the measurement into the cause that the user can remedy. */
static int explain(const char *path, kiln_status status, const kiln_tree_info *info)
{
    switch (status) {
    case KILN_OK:
        return EXIT_DONE;
    case KILN_ERROR_NOT_LOADED:
        return report_error(EXIT_INVALID, path,
                            "nothing to measure; it has no %s; bake it again %s",
                            info->adb_grid == 0 ? "counts" : "polygons",
                            info->adb_grid == 0 ? "with --adb" : "without --no-geometry");
    case KILN_ERROR_ARGUMENT:
        return report_error(EXIT_INVALID, path,
                            "nothing to measure; it takes two triangles, and poses at which the "
                            "boxes of two copies meet; give a larger model, or more --draws");
    default:
        return out_of_memory(path);
    }
}

/* The exact rivals are built from the tree's triangles, in the order in which the file stores them.
 */
static int measure_tree(bench_adb *run, const char *path, const bench_file *file,
                        const kiln_tree *tree, const char *name)
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    bench_mesh mesh = {NULL, NULL, 0, 0, NULL};
    if (info.polygons && !bench_mesh_of(&file->view, index_of(file, tree), &mesh)) {
        return out_of_memory(path);
    }
    const kiln_status status = bench_adb_add(run, name, tree, &mesh, NULL, 0);
    bench_mesh_free(&mesh);
    return explain(path, status, &info);
}

/* Opens one file, measures the tree that was chosen, and closes it, so that a run holds one file at
 * a time. */
static int measure_file(bench_adb *run, const char *path, const bench_settings *settings,
                        bench_bar *bar)
{
    bench_file file;
    const kiln_tree *tree = NULL;
    int status = open_input(path, settings, &file);
    if (status != EXIT_DONE) {
        return status;
    }
    char *name = short_name(path);
    status = name != NULL ? choose_tree(path, file.file, settings->tree, settings->bv, &tree)
                          : out_of_memory(path);
    if (status == EXIT_DONE) {
        bar->name = name;
        progress_begin(&bar->bar, PROGRESS_AUTO, path);
        status = measure_tree(run, path, &file, tree, name);
        progress_end(&bar->bar);
    }
    free(name);
    bench_file_close(&file);
    return status;
}

/* ------------------------------------------------------------------------------------ output -- */

static int write_with(const bench_adb *run, const char *path, const output_kind *kind,
                      void (*print)(const bench_adb *, FILE *))
{
    output_text text;
    FILE *out = output_text_begin(&text);
    if (out != NULL) {
        print(run, out);
    }
    return output_text_end(&text, path, kind, "ask for fewer --draws");
}

/* That exact methods don't agree is reported last: their figures are printed nonetheless. */
static int judge(const bench_adb *run)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < run->compared.count; i++) {
        const bench_table *table = &run->compared.tables[i];
        if (bench_table_differ(table) > 0) {
            status = report_error(EXIT_DIFFERS, table->name,
                                  "exact methods differ; the table names them; report this");
        }
    }
    return status;
}

static int report_all(bench_adb *run, const bench_settings *settings)
{
    if (!bench_adb_finish(run)) {
        return out_of_memory(NULL);
    }
    if (report_is_json()) {
        bench_adb_describe(run, report_root());
    } else if (!output_is_stdout(settings->csv) && !output_is_stdout(settings->figure)) {
        bench_adb_print(run, stdout, settings->meshes);
    }
    int status = EXIT_DONE;
    if (settings->csv != NULL) {
        status = write_with(run, settings->csv, &output_kind_rows, bench_adb_print_csv);
    }
    if (settings->figure != NULL && status == EXIT_DONE) {
        figure drawn = {.name = NULL};
        bench_adb_draw(run, &drawn);
        status = output_figure(&drawn, settings->figure, NULL);
        figure_free(&drawn);
    }
    return status == EXIT_DONE ? judge(run) : status;
}

static int run_files(const bench_adb_options *options, const bench_settings *settings, char **paths,
                     int count)
{
    bench_bar bar = {.count = count};
    bench_adb_options watched = *options;
    bench_adb run;
    int status = EXIT_DONE;
    watched.watch = (bench_watch){show_step, &bar};
    bench_adb_begin(&run, &watched);
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        bar.number = i + 1;
        status = measure_file(&run, paths[i], settings, &bar);
    }
    if (status == EXIT_DONE) {
        status = report_all(&run, settings);
    }
    bench_adb_free(&run);
    return status;
}

/* ----------------------------------------------------------------------------------- options -- */

/* "0.5,2" in microseconds. */
static int parse_budgets(const char *list, bench_adb_options *options)
{
    const char *at = list;
    options->budget_count = 0;
    for (;;) {
        char *end;
        const double us = strtod(at, &end);
        if (end == at || (*end != ',' && *end != '\0') || !(us >= 0.001 && us <= 1e6)) {
            return report_usage("--budget-us takes numbers from 0.001 to 1000000, parted by "
                                "commas, not '%s'",
                                list);
        }
        if (options->budget_count == BENCH_BUDGETS_MAX) {
            return report_usage("--budget-us takes at most %d numbers", BENCH_BUDGETS_MAX);
        }
        options->budgets[options->budget_count++] = (uint64_t)(1000.0 * us + 0.5);
        if (*end == '\0') {
            return EXIT_DONE;
        }
        at = end + 1;
    }
}

static int run_bench_adb(int argc, char **argv)
{
    bench_settings settings = {.draws = 0};
    int count;
    int status = options_parse(&verb_adb, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    bench_adb_options options = bench_adb_options_default(settings.quick);
    options.mode = (kiln_adb_mode)settings.mode;
    options.draws = settings.draws > 0 ? (unsigned)settings.draws : options.draws;
    status = settings.budgets != NULL ? parse_budgets(settings.budgets, &options) : EXIT_DONE;
    if (status == EXIT_DONE) {
        status = output_check_measured(settings.csv, settings.figure, argv, count);
    }
    return status == EXIT_DONE ? run_files(&options, &settings, argv, count) : status;
}

const verb verb_adb = {
    "adb",
    "IN...",
    "measure time-critical queries beside exact ones",
    "Lets two copies of each model meet at random poses, by the procedure of Klein and Zachmann "
    "(2003), and tells how often time-critical queries are wrong, false positives and negatives "
    "apart, how long they take beside exact trees (24-DOPs, binary and 8-wide oriented boxes), "
    "beside the obvious shortcut, a walk that takes two leaf boxes that overlap for a collision, "
    "and "
    "beside the query as it was published; "
    "where they are the faster; whether their probabilities are what they say (calibration error "
    "with the 95 % bound of a bootstrap); how wrong they are near contacts; how well budgets of "
    "time are kept.\n\n"
    "IN is a file baked with --adb, or a model, which is baked so in memory. Times mean little "
    "on a busy machine; ratios are taken in turns and mean more.",
    bench_options,
    COUNT_OF(bench_options),
    1,
    -1,
    run_bench_adb,
};
