/* kiln-bench families: every kind of tree on the user's own models, by the cost function.
 *
 * A model is baked in memory with a tree of every kind, in one file, so that all have the same
 * triangles; of a file that is baked already its own trees are measured. Each is queried against
 * its copy at the same poses (tools/cmd/verbs/costs.c). The result is printed as tables or as JSON,
 * and on request as lines of numbers, as a picture, and as the volumes of one level for a viewer.
 */
#define _POSIX_C_SOURCE 200809L

#include "families.h"
#include "outputs.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/columns.h"
#include "../../../tools/cmd/kit/files.h"
#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/progress.h"
#include "../../../tools/cmd/kit/report.h"
#include "../../../tools/common/folders.h"
#include "../../../tools/common/memory.h"

#include "../adb/baked.h"
#include "../../../formats/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *csv, *figure, *obj, *bv, *builder;
    int draws, leaf, level;
    bool quick, levels, unit_costs, json;
} family_settings;

/* The names of all kinds, as --bv lists them. */
#define FIRST_KIND(KIND, kind, name, ...) name
#define NEXT_KIND(KIND, kind, name, ...) "," name
#define ALL_KINDS KILN_NODE_KINDS(FIRST_KIND, NEXT_KIND)

#define FIELD(name) offsetof(family_settings, name)

static const option family_options[] = {
    {"bv", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(bv),
     "kinds of trees that a model gets, separated by commas (default: all)"},
    {"builder", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(builder),
     "builder of a model's trees, as kiln bake has it (default sah)"},
    {"leaf", 0, OPTION_INTEGER, "N", NULL, 1, 15, FIELD(leaf),
     "most triangles in a leaf of them (default 4)"},
    {"draws", 0, OPTION_INTEGER, "N", NULL, 1, 10000, FIELD(draws),
     "random poses at each of 18 distances, before those are left out at which the boxes are "
     "apart (default 60, with --quick 4)"},
    {"quick", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quick), "fewer poses and rounds"},
    {"levels", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(levels),
     "print the volumes of each level, too: their number, sizes and overlap"},
    {"unit-costs", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(unit_costs),
     "print only the means of unit costs over all files, as initialisers of C"},
    {"obj", 0, OPTION_TEXT, "FOLDER", NULL, 0, 0, FIELD(obj),
     "write the volumes of a level of each tree as NAME-KIND-LEVEL.obj into this folder, or as "
     "NAME-TREE-KIND-LEVEL.obj where a file has several trees of a kind"},
    {"level", 0, OPTION_INTEGER, "N", NULL, 1, KILN_TREE_DEPTH_MAX, FIELD(level),
     "which level --obj writes, and leaves that end above it; 1: those in the root (default 2)"},
    {"csv", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(csv), "write a line for each file and tree"},
    OPTION_FIGURE(family_settings, "the costs, and the volumes over the levels"),
    OPTION_JSON(family_settings),
};

static int out_of_memory(const char *path)
{
    return report_error(EXIT_RUN, path, "out of memory; ask for fewer --draws");
}

/* "dir/ship.kiln" -> "ship", as text that can be shown and can be a part of a file's name. */
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

/* ------------------------------------------------------------------------------------- input -- */

static int bake_model(const char *path, const family_settings *settings, void **data, size_t *size)
{
    kiln_bake_options options = kiln_bake_options_default();
    const kiln_bake_input input = {path, NULL, 0, NULL};
    kiln_bake_report report;
    options.layout = KILN_LAYOUT_RAW;
    options.bv = settings->bv != NULL ? settings->bv : ALL_KINDS;
    options.builder = settings->builder != NULL ? settings->builder : options.builder;
    options.leaf = settings->leaf > 0 ? settings->leaf : options.leaf;
    const kiln_bake_status status = kiln_bake_to_memory(&input, &options, data, size, &report);
    for (uint32_t i = 0; i < report.warning_count; i++) {
        report_note("warning", path, report.warnings[i]);
    }
    const int result =
        status == KILN_BAKE_OK ? EXIT_DONE : report_error((int)status, NULL, "%s", report.error);
    kiln_bake_report_free(&report);
    return result;
}

/* The name decides: all files that don't end in .kiln go to the importer. */
static int open_input(const char *path, const family_settings *settings, bench_file *file)
{
    void *data = NULL;
    size_t size = 0;
    kiln_error error = {0};
    const int status = is_kiln_name(path) ? load_file(path, &data, &size)
                                          : bake_model(path, settings, &data, &size);
    if (status != EXIT_DONE) {
        return status;
    }
    const kiln_status opened = bench_file_open(data, size, &error, file);
    return opened == KILN_OK ? EXIT_DONE : report_format_error(path, (int)opened, error.message);
}

/* ----------------------------------------------------------------------------------- measure -- */

static int write_volumes(const bench_file *file, uint32_t tree, const char *name,
                         const family_settings *settings)
{
    const uint32_t level = settings->level > 0 ? (uint32_t)settings->level : 2;
    const kiln_node_kind *kind = kiln_node_kind_find(file->view.trees[tree].bv);
    char *path = NULL, *text = NULL, number[32] = "";
    size_t path_size = 0, size = 0;
    int status = EXIT_DONE;
    /* Where a kind has several trees their names have numbers. */
    for (uint32_t i = 0; i < file->view.tree_count; i++) {
        if (i != tree && file->view.trees[i].bv == kind->bv) {
            (void)snprintf(number, sizeof number, "-%u", tree);
        }
    }
    FILE *out = open_memstream(&path, &path_size);
    if (out != NULL) {
        fprintf(out, "%s/%s%s-%s-%u.obj", settings->obj, name, number, kind->name, level);
        (void)fclose(out);
        out = open_memstream(&text, &size);
    }
    if (out == NULL) {
        status = out_of_memory(name);
        goto done;
    }
    bench_families_print_obj(&file->view, tree, level, out);
    status =
        fclose(out) == 0 ? output_check(path, &output_kind_volumes, NULL) : out_of_memory(path);
    if (status == EXIT_DONE) {
        status = output_write(path, &output_kind_volumes, text, size);
    }
done:
    free(text);
    free(path);
    return status;
}

/* All trees of one open file, into a new element of the run. */
static int measure_trees(bench_families *run, const char *path, const bench_file *file,
                         const family_settings *settings, progress *bar)
{
    const unsigned draws = settings->draws > 0 ? (unsigned)settings->draws
                           : settings->quick   ? 4u
                                               : 60u;
    bench_family *of = &run->list[run->count];
    const uint32_t count = file->view.tree_count;
    memset(of, 0, sizeof *of);
    run->count++;
    of->name = short_name(path);
    of->costs = calloc((size_t)count + 1, sizeof *of->costs);
    of->names = calloc((size_t)count + 1, sizeof *of->names);
    if (of->name == NULL || of->costs == NULL || of->names == NULL) {
        return out_of_memory(path);
    }
    for (uint32_t i = 0; i < count; i++) {
        (void)progress_step(bar, of->name, (double)i / count);
        tree_costs *costs = &of->costs[i];
        const kiln_status status = tree_costs_measure(&file->view, i, kiln_file_tree(file->file, i),
                                                      draws, settings->quick ? 2 : 9, costs);
        if (status == KILN_ERROR_NOT_LOADED) {
            return report_error(EXIT_INVALID, path,
                                "nothing to measure; it has no polygons; bake it again without "
                                "--no-geometry");
        }
        of->names[i] = status == KILN_OK ? strdup(costs->name) : NULL;
        if (of->names[i] == NULL) {
            return out_of_memory(path);
        }
        costs->name = of->names[i];
        of->count++;
        const int written =
            settings->obj != NULL ? write_volumes(file, i, of->name, settings) : EXIT_DONE;
        if (written != EXIT_DONE) {
            return written;
        }
    }
    return EXIT_DONE;
}

static int measure_file(bench_families *run, const char *path, const family_settings *settings)
{
    bench_file file;
    progress bar;
    int status = open_input(path, settings, &file);
    if (status != EXIT_DONE) {
        return status;
    }
    if (kiln_grow((void **)&run->list, &run->capacity, run->count + 1, sizeof *run->list)) {
        progress_begin(&bar, PROGRESS_AUTO, path);
        status = measure_trees(run, path, &file, settings, &bar);
        progress_end(&bar);
    } else {
        status = out_of_memory(path);
    }
    bench_file_close(&file);
    return status;
}

/* ------------------------------------------------------------------------------------ output -- */

static void describe(const bench_families *run, json_t *root)
{
    json_t *objects = json_array();
    for (size_t m = 0; m < run->count; m++) {
        const bench_family *of = &run->list[m];
        json_t *object = json_object(), *trees = json_array();
        for (size_t i = 0; i < of->count; i++) {
            json_t *tree = tree_costs_json(&of->costs[i]);
            json_object_set_new(tree, "name", json_cstring(of->names[i]));
            json_object_set_new(tree, "bv", json_string(of->costs[i].bv));
            json_object_set_new(tree, "triangles", json_count(of->costs[i].triangles));
            json_array_append_new(trees, tree);
        }
        json_object_set_new(object, "name", json_cstring(of->name));
        json_object_set_new(object, "trees", trees);
        json_array_append_new(objects, object);
    }
    json_object_set_new(root, "objects", objects);
}

static void print_tables(const bench_families *run, bool levels)
{
    for (size_t m = 0; m < run->count; m++) {
        const bench_family *of = &run->list[m];
        char digits[32];
        printf("%s%s: %s triangles, %zu poses, %zu hits\n", m > 0 ? "\n" : "", of->name,
               columns_count(of->costs[0].triangles, digits), of->costs[0].poses,
               of->costs[0].hits);
        tree_costs_print(of->costs, of->count, levels);
    }
}

static int write_with(const bench_families *run, const char *path, const output_kind *kind,
                      void (*print)(const bench_families *, FILE *))
{
    output_text text;
    FILE *out = output_text_begin(&text);
    if (out != NULL) {
        print(run, out);
    }
    return output_text_end(&text, path, kind, "ask for fewer --draws");
}

static int report_all(const bench_families *run, const family_settings *settings)
{
    int status = EXIT_DONE;
    if (report_is_json()) {
        describe(run, report_root());
    } else if (settings->unit_costs) {
        bench_families_print_unit_costs(run, stdout);
    } else if (!output_is_stdout(settings->csv) && !output_is_stdout(settings->figure)) {
        print_tables(run, settings->levels);
    }
    if (settings->csv != NULL) {
        status = write_with(run, settings->csv, &output_kind_rows, bench_families_print_csv);
    }
    if (settings->figure != NULL && status == EXIT_DONE) {
        figure drawn = {.name = NULL};
        bench_families_draw(run, &drawn);
        status = output_figure(&drawn, settings->figure, NULL);
        figure_free(&drawn);
    }
    return status;
}

/* Volumes are named after the file that they are of, without its folder: of two files of one name
 * the second would replace what the first has written. */
static int check_names(char *const *inputs, int count)
{
    int status = EXIT_DONE;
    for (int i = 1; i < count && status == EXIT_DONE; i++) {
        char *name = short_name(inputs[i]);
        for (int k = 0; k < i && name != NULL && status == EXIT_DONE; k++) {
            char *other = short_name(inputs[k]);
            if (other == NULL) {
                status = out_of_memory(inputs[k]);
            } else if (strcmp(name, other) == 0) {
                status = report_error(EXIT_USAGE, inputs[i],
                                      "--obj would write its volumes over those of '%s', which has "
                                      "the same name; write them into another folder, in a run of "
                                      "its own",
                                      inputs[k]);
            }
            free(other);
        }
        status = name == NULL ? out_of_memory(inputs[i]) : status;
        free(name);
    }
    return status;
}

/* Before minutes are spent: can the files be written, and may they? */
static int check_outputs(const family_settings *settings, char *const *inputs, int count)
{
    if (settings->level > 0 && settings->obj == NULL) {
        return report_usage("--level is a part of --obj");
    }
    int status = output_check_measured(settings->csv, settings->figure, inputs, count);
    if (status == EXIT_DONE && settings->obj != NULL) {
        status = check_names(inputs, count);
    }
    char *part = NULL, message[KILN_WRITE_MESSAGE_SIZE];
    if (status == EXIT_DONE && settings->obj != NULL && !kiln_folder_make(settings->obj, &part)) {
        (void)kiln_folder_explain(errno, message);
        status = report_error(EXIT_IO, part != NULL ? part : settings->obj, "%s", message);
    }
    free(part);
    return status;
}

static int run_bench_families(int argc, char **argv)
{
    family_settings settings = {.draws = 0};
    bench_families run = {NULL, 0, 0};
    int count;
    int status = options_parse(&verb_families, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        status = check_outputs(&settings, argv, count);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        status = measure_file(&run, argv[i], &settings);
    }
    if (status == EXIT_DONE) {
        status = report_all(&run, &settings);
    }
    for (size_t m = 0; m < run.count; m++) {
        for (size_t i = 0; run.list[m].names != NULL && i < run.list[m].count; i++) {
            free(run.list[m].names[i]);
        }
        free(run.list[m].names);
        free(run.list[m].costs);
        free(run.list[m].name);
    }
    free(run.list);
    return status;
}

const verb verb_families = {
    "families",
    "IN...",
    "compare kinds of trees by what queries of them cost",
    "Lets two copies of each model meet at random poses, by Zachmann's procedure, once for each "
    "kind "
    "of tree, and prints the cost function of boolean queries: F = Nu Cu + Nv Cv + Np Cp + C, with "
    "nodes opened (Nu), pairs of volumes tested (Nv) and pairs of triangles (Np) in the mean of a "
    "query, and nanoseconds of each; and the memory M = Ni Si + Nl Sl. Counts are the same in "
    "every "
    "run and on every machine. Cu is the time of decoding a node, measured alone; Cv, Cp and C are "
    "fitted to the least times of all queries, none negative. 'off' is the mean difference of F "
    "from the clock.\n\n"
    "IN is a model, which is baked in memory with a tree of every kind, or a kiln file, whose own "
    "trees are measured.",
    family_options,
    COUNT_OF(family_options),
    1,
    -1,
    run_bench_families,
};
