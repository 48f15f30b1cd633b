/* kiln-bench continuous: engines of dynamic worlds on the scenes of Coming and Staadt 2004. */
#include "continuous.h"
#include "outputs.h"
#include "parts.h"
#include "verbs.h"

#include "../../../tools/cmd/kit/options.h"
#include "../../../tools/cmd/kit/report.h"

#include <stdlib.h>

typedef struct {
    const char *parts, *csv, *figure;
    int objects, frames;
    bool quick, json;
} continuous_settings;

#define FIELD(name) offsetof(continuous_settings, name)

static const option continuous_options[] = {
    {"parts", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(parts),
     "which tables, separated by commas: engines, costs, phi, swaps, caching, narrow, filters, "
     "misses, auto (default: all)"},
    {"objects", 0, OPTION_INTEGER, "N", NULL, 100, 4000000, FIELD(objects),
     "most objects of a scene (default 50000, with --quick 500)"},
    {"frames", 0, OPTION_INTEGER, "N", NULL, 1, 100000, FIELD(frames),
     "frames of a run (default 30, with --quick 3)"},
    {"quick", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quick), "fewer objects, frames and rounds"},
    {"csv", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(csv), "write a line for each run"},
    OPTION_FIGURE(continuous_settings, "Figures 4 and 6"),
    OPTION_JSON(continuous_settings),
};

static const char *const remedy = "ask for fewer --objects";

static int write_rows(const continuous_rows *rows, const char *path, const output_kind *kind,
                      void (*print)(const continuous_rows *, FILE *))
{
    output_text text;
    FILE *out = output_text_begin(&text);
    if (out != NULL) {
        print(rows, out);
    }
    return output_text_end(&text, path, kind, remedy);
}

static void describe_rows(const continuous_rows *rows, json_t *root)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < rows->count; i++) {
        const continuous_row *row = &rows->list[i];
        json_t *run = json_object();
        json_object_set_new(run, "part", json_string(row->part));
        json_object_set_new(run, "engine", json_string(row->engine));
        json_object_set_new(run, "objects", json_integer(row->objects));
        json_object_set_new(run, "speed", json_number(row->speed));
        json_object_set_new(run, "radius", json_number(row->radius));
        json_object_set_new(run, "ms", json_number(row->ms));
        json_object_set_new(run, "events", json_number(row->events + row->walls));
        json_object_set_new(run, "candidates", json_number(row->candidates));
        json_object_set_new(run, "tests", json_number(row->tests));
        json_object_set_new(run, "narrow_calls", json_number(row->narrow_calls));
        json_object_set_new(run, "swaps", json_number(row->swaps));
        json_object_set_new(run, "bytes", json_number(row->bytes));
        json_object_set_new(run, "value", json_number(row->value));
        json_array_append_new(runs, run);
    }
    json_object_set_new(root, "runs", runs);
}

static int run_bench_continuous(int argc, char **argv)
{
    continuous_settings settings = {.parts = NULL};
    continuous_rows rows = {NULL, 0, 0, false};
    int count;
    int status = options_parse(&verb_continuous, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        size_t found = 0;
        for (size_t i = 0; i < continuous_part_count; i++) {
            found += part_is_listed(settings.parts, continuous_parts[i].name);
        }
        status = parts_check(settings.parts, found);
    }
    if (status == EXIT_DONE) {
        status = output_check_measured(settings.csv, settings.figure, argv, count);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    const bool is_silent =
        report_is_json() || output_is_stdout(settings.csv) || output_is_stdout(settings.figure);
    const continuous_amount amount = {
        .most_objects = (uint32_t)(settings.objects > 0 ? settings.objects
                                   : settings.quick     ? 500
                                                        : 50000),
        .frames = (uint32_t)(settings.frames > 0 ? settings.frames
                             : settings.quick    ? 3
                                                 : 30),
        .rounds = settings.quick ? 1 : 3,
    };
    for (size_t i = 0; i < continuous_part_count; i++) {
        const continuous_part *part = &continuous_parts[i];
        if (part_is_listed(settings.parts, part->name)) {
            FILE *out = is_silent ? NULL : stdout;
            if (out != NULL) {
                printf("%s%s: %s\n", rows.count > 0 ? "\n" : "", part->name, part->what);
            }
            part->run(&amount, &rows, out);
        }
    }
    status = rows.failed ? report_error(EXIT_RUN, NULL, "out of memory; %s", remedy) : EXIT_DONE;
    if (report_is_json()) {
        describe_rows(&rows, report_root());
    }
    if (settings.csv != NULL && status == EXIT_DONE) {
        status = write_rows(&rows, settings.csv, &output_kind_rows, continuous_print_csv);
    }
    if (settings.figure != NULL && status == EXIT_DONE) {
        figure drawn = {.name = NULL};
        continuous_draw(&rows, &drawn);
        status = output_figure(&drawn, settings.figure, NULL);
        figure_free(&drawn);
    }
    free(rows.list);
    return status;
}

const verb verb_continuous = {
    "continuous",
    "",
    "compare engines that find when moving objects first touch",
    "Runs spheres in a box, as Coming and Staadt did for velocity-aligned discrete oriented "
    "polytopes: at a constant density, 30 frames a second, speeds evenly from 0 to v. Counts are "
    "the same in every run and on every machine; times are those of one processor, without the "
    "first frame.",
    continuous_options,
    COUNT_OF(continuous_options),
    0,
    0,
    run_bench_continuous,
};
