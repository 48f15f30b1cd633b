/* kiln-bench coherence: fronts on the scenarios of Tropp et al. 2006 and on scenes of our own. */
#include "coherence.h"
#include "outputs.h"
#include "parts.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/report.h"

#include <stdlib.h>

typedef struct {
    const char *parts, *csv, *figure;
    int frames, rounds;
    bool quick, json;
} coherence_settings;

#define FIELD(name) offsetof(coherence_settings, name)

static const option coherence_options[] = {
    {"parts", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(parts),
     "which tables, separated by commas: table1, figure4, figure5, figure6, figure8 (with 9), "
     "table2, small, equal, scene, length (default: all)"},
    {"frames", 0, OPTION_INTEGER, "N", NULL, 20, 100000, FIELD(frames),
     "poses of a path whose motions are of one size (default 400, with --quick 40)"},
    {"rounds", 0, OPTION_INTEGER, "N", NULL, 1, 1000, FIELD(rounds),
     "rounds of all methods on a path, of which the least times count (default 5, with --quick 2)"},
    {"quick", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quick),
     "fewer triangles, poses, rounds and objects: for a look at the tables, not at times"},
    {"csv", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(csv), "write a line for each run"},
    OPTION_FIGURE(coherence_settings, "Figures 4, 5, 6, 8 and 9, and what our fronts gain"),
    OPTION_JSON(coherence_settings),
};

static int write_rows(const coherence_rows *rows, const char *path, const output_kind *kind,
                      void (*print)(const coherence_rows *, FILE *))
{
    output_text text;
    FILE *out = output_text_begin(&text);
    if (out != NULL) {
        print(rows, out);
    }
    return output_text_end(&text, path, kind, "ask for fewer --parts");
}

static void describe_rows(const coherence_rows *rows, json_t *root)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const coherence_row *row = &rows->list[i];
        json_t *run = json_object();
        json_object_set_new(run, "part", json_string(row->part));
        json_object_set_new(run, "scenario", json_string(row->scenario));
        json_object_set_new(run, "path", json_string(row->path));
        json_object_set_new(run, "query", json_string(row->query));
        json_object_set_new(run, "bv", json_string(row->bv));
        json_object_set_new(run, "method", json_string(row->method));
        json_object_set_new(run, "x", json_number(row->x));
        json_object_set_new(run, "frames", json_integer(row->frames));
        json_object_set_new(run, "hits", json_integer(row->hits));
        json_object_set_new(run, "ns", json_number(row->ns));
        json_object_set_new(run, "speed", json_number(row->speed));
        json_object_set_new(run, "value", json_number(row->value));
        json_object_set_new(run, "skipped", json_number(row->skipped));
        json_object_set_new(run, "last_pair", json_number(row->last_pair));
        json_object_set_new(run, "coherent", json_number(row->coherent));
        json_object_set_new(run, "fresh", json_number(row->fresh));
        json_object_set_new(run, "entries", json_number(row->entries));
        json_array_append_new(runs, run);
    }
    json_object_set_new(root, "runs", runs);
}

static int run_bench_coherence(int argc, char **argv)
{
    coherence_settings settings = {.parts = NULL};
    int count;
    int status = options_parse(&verb_coherence, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        size_t found = 0;
        for (size_t i = 0; i < coherence_part_count; i++) {
            found += part_is_listed(settings.parts, coherence_parts[i].name);
        }
        status = parts_check(settings.parts, found);
    }
    if (status == EXIT_DONE) {
        status = output_check_measured(settings.csv, settings.figure, argv, count);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    const bool quick = settings.quick;
    const bool is_silent =
        report_is_json() || output_is_stdout(settings.csv) || output_is_stdout(settings.figure);
    coherence_bench bench = {
        .less = quick ? 64 : 1,
        .frames = settings.frames > 0 ? (uint32_t)settings.frames
                  : quick             ? 40
                                      : 400,
        .rounds = settings.rounds > 0 ? (uint32_t)settings.rounds
                  : quick             ? 2
                                      : 5,
        .irregular = quick ? 40 : 4000,
        .long_path = quick ? 200 : 10000,
        .steps = quick ? 500 : 20000,
        .objects = quick ? 50 : 1000,
        .out = is_silent ? NULL : stdout,
    };
    for (size_t i = 0; i < coherence_part_count; i++) {
        const coherence_part *part = &coherence_parts[i];
        if (part_is_listed(settings.parts, part->name)) {
            COHERENCE_SAY(&bench, "%s%s: %s\n", bench.rows.count > 0 ? "\n" : "", part->name,
                          part->what);
            part->run(&bench);
            (void)fflush(bench.out);
        }
    }
    status = bench.rows.failed
                 ? report_error(EXIT_RUN, NULL, "out of memory; ask for fewer --parts")
             : bench.rows.differed != NULL
                 ? report_error(EXIT_RUN, NULL,
                                "%s: a front gives another answer than a query from "
                                "the roots; please report this",
                                bench.rows.differed)
                 : EXIT_DONE;
    if (report_is_json()) {
        describe_rows(&bench.rows, report_root());
    }
    if (settings.csv != NULL && status == EXIT_DONE) {
        status = write_rows(&bench.rows, settings.csv, &output_kind_rows, coherence_print_csv);
    }
    if (settings.figure != NULL && status == EXIT_DONE) {
        figure drawn = {.name = NULL};
        coherence_draw(&bench.rows, &drawn);
        status = output_figure(&drawn, settings.figure, NULL);
        figure_free(&drawn);
    }
    coherence_bench_free(&bench);
    return status;
}

const verb verb_coherence = {
    "coherence",
    "",
    "compare queries that remember what the last one found with queries from the roots",
    "Moves bodies through scenes, on paths near surfaces that are free or collide, and asks at "
    "every "
    "pose: by fronts (kiln_front.h), published and our own, and by plain queries of the same "
    "trees. "
    "Prints the figures and tables of Tropp, Tal, Shimshoni and Dobkin (2006) on stand-ins for "
    "their "
    "models, and what our own fronts gain. Methods alternate, and all answers are compared: one "
    "that "
    "differs fails the run. Paths and counts are the same in every run and on every machine.",
    coherence_options,
    COUNT_OF(coherence_options),
    0,
    0,
    run_bench_coherence,
};
