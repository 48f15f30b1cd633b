/* kiln bake: models to kiln files. */
#define _XOPEN_SOURCE 700

#include "bake_report.h"
#include "depfile.h"
#include "jobs.h"
#include "load.h"
#include "options.h"
#include "progress.h"
#include "report.h"
#include "seconds.h"
#include "verb.h"

#include "../common/write_file.h"
#include "../kiln_bake.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    const char *output, *format, *bv, *builder, *drop, *depfile, *adb_weights;
    int leaf, quality, layout, split, up, on_bad, threads, progress, import_memory;
    int lossy_grid;
    int adb, adb_area, adb_polygons, adb_regions;
    double scale, import_seconds, adb_factor;
    const char *cache;
    bool no_geometry, strict, quiet, json, if_changed;
} bake_settings;

#define FIELD(name) offsetof(bake_settings, name)

static const option bake_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, FIELD(output),
     "the file to write, '-' for standard output; a folder, which is made, for several IN"},
    {"format", 0, OPTION_TEXT, "EXT", NULL, 0, 0, FIELD(format),
     "read IN as a file with this extension, such as obj; needed for '-'"},
    {"bv", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(bv),
     "kinds of bounding volume, a tree each, parted by commas: obb, aabb, obb2, aabb2 "
     "(default obb)"},
    {"leaf", 0, OPTION_INTEGER, "N", NULL, 1, 15, FIELD(leaf),
     "most triangles in a leaf, 1 to 15 (default 4)"},
    {"builder", 0, OPTION_TEXT, "NAME", NULL, 0, 0, FIELD(builder),
     "how trees are split: sah, median (default sah)"},
    {"quality", 0, OPTION_CHOICE, NULL, "fast|default|best", 0, 0, FIELD(quality),
     "how much time trees of obb and obb2 are given: fast leaves out the last turn of their boxes, best "
     "also cuts by their surfaces; queries gain by it, answers stay the same (default default)"},
    {"layout", 0, OPTION_CHOICE, NULL, "packed|raw", 0, 0, FIELD(layout),
     "packed is small, for shipping; raw is used in place from the map (default packed)"},
    {"split", 0, OPTION_CHOICE, NULL, "none|mesh|node", 0, 0, FIELD(split),
     "one tree of everything, or a named tree for each mesh or node (default none)"},
    {"scale", 0, OPTION_REAL, "F", NULL, DBL_MIN, DBL_MAX, FIELD(scale),
     "multiply all coordinates, after the source's own unit (default 1)"},
    {"lossy-grid", 0, OPTION_INTEGER, "BITS", NULL, KILN_LOSSY_BITS_MIN, KILN_LOSSY_BITS_MAX,
     FIELD(lossy_grid),
     "move vertices to a grid of up to 2^BITS steps along the longest side, 4 to 24, for a smaller "
     "file; answers are exact for the vertices as moved (default: vertices stay as they are)"},
    {"up", 0, OPTION_CHOICE, NULL, "x|y|z", 0, 0, FIELD(up),
     "turn the model so that its up axis becomes this one (default: as it is)"},
    {"adb", 0, OPTION_DEFAULTED, NULL, "4|8|16", 0, 0, FIELD(adb),
     "count the possible collision cells of each box, for time-critical queries, on a grid of so many "
     "cells along an edge (default: no counts; 4 where no number is given)"},
    {"adb-area", 0, OPTION_CHOICE, NULL, "mean|max", 0, 0, FIELD(adb_area),
     "a cell is possible from the area of its mean plane section on, or of its largest (default mean)"},
    {"adb-area-factor", 0, OPTION_REAL, "F", NULL, DBL_MIN, 1000, FIELD(adb_factor),
     "times this area (default 0.75 for mean, 0.5 for max)"},
    {"adb-polygons", 0, OPTION_CHOICE, NULL, "subtree|box", 0, 0, FIELD(adb_polygons),
     "count the polygons below a box, or all that meet it (default subtree)"},
    {"adb-regions", 0, OPTION_CHOICE, NULL, "octants|sectors|none", 0, 0, FIELD(adb_regions),
     "count by octants of a box, by pyramids over its faces, or as one (default octants)"},
    {"adb-weights", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(adb_weights),
     "store the weights of time-critical queries in FILE, which kiln calibrate wrote, for the trees to "
     "use (default: the library's)"},
    {"no-geometry", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(no_geometry),
     "leave the polygons out: needs --adb; time-critical queries alone can then be asked"},
    {"on-bad", 0, OPTION_CHOICE, NULL, "error|drop", 0, 0, FIELD(on_bad),
     "faces with NaN, infinite or missing corners: write nothing, or drop and list them "
     "(default error)"},
    {"drop", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(drop),
     "drop and list faces that are degenerate, duplicate, or both, parted by a comma"},
    {"strict", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(strict),
     "a warning ends in exit status 3 and nothing is written"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, FIELD(threads),
     "threads; the bytes do not depend on it (default: one a processor)"},
    {"import-memory", 0, OPTION_INTEGER, "MIB", NULL, 0, 1048576, FIELD(import_memory),
     "memory that reading a model may take, in MiB; 0: no limit (default 1792)"},
    {"import-seconds", 0, OPTION_REAL, "S", NULL, 0, 1e6, FIELD(import_seconds),
     "time that reading a model may take; 0: no limit (default 50)"},
    {"if-changed", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(if_changed),
     "leave an OUT alone that was made from the same bytes by the same options and versions"},
    {"cache", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(cache),
     "look for OUT in this folder first, by what it is made from, and keep it there; made if need be; "
     "any number of bakers may share it (see kiln cache gc)"},
    {"depfile", 0, OPTION_TEXT, "F", NULL, 0, 0, FIELD(depfile),
     "write rules for make and ninja: each OUT depends on its IN and all files that IN refers to"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "on standard error; auto is a bar on a terminal after a second (default auto)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "say nothing but errors"},
    OPTION_JSON(bake_settings),
};

/* "degenerate,duplicate" as bits. */
static int parse_drop(const char *list, unsigned *bits)
{
    static const struct {
        const char *name;
        unsigned bit;
    } names[] = {{"degenerate", KILN_DROP_DEGENERATE}, {"duplicate", KILN_DROP_DUPLICATE}};
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");
        unsigned bit = 0;
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            if (strlen(names[i].name) == length && memcmp(names[i].name, list, length) == 0) {
                bit = names[i].bit;
            }
        }
        if (bit == 0) {
            return report_usage(&verb_bake,
                                "--drop takes degenerate, duplicate, or both, not '%.*s'",
                                (int)length, list);
        }
        *bits |= bit;
        list += length + (list[length] == ',');
    }
    return EXIT_DONE;
}

/* What was not given is -1, and 0 for the factor. */
static void to_count_options(const bake_settings *settings, kiln_bake_options *options)
{
    static const int grids[] = {4, 8, 16};
    static const kiln_adb_regions regions[] = {KILN_ADB_OCTANTS, KILN_ADB_SECTORS, KILN_ADB_ONE};
    options->adb = settings->adb < 0 ? 0 : grids[settings->adb];
    options->adb_area = settings->adb_area == 1 ? KILN_ADB_AREA_BY_MAX : KILN_ADB_AREA_BY_MEAN;
    options->adb_factor = settings->adb_factor;
    options->adb_polygons = settings->adb_polygons == 1 ? KILN_ADB_MEETING_BOX : KILN_ADB_SUBTREE;
    options->adb_regions = regions[settings->adb_regions < 0 ? 0 : settings->adb_regions];
    options->no_geometry = settings->no_geometry;
    options->adb_weights = settings->adb_weights;
}

static int to_bake_options(const bake_settings *settings, kiln_bake_options *options)
{
    *options = kiln_bake_options_default();
    options->bv = settings->bv;
    options->builder = settings->builder;
    options->leaf = settings->leaf;
    options->quality = (kiln_quality)(settings->quality + KILN_QUALITY_FAST); /* choices go up */
    options->layout = (kiln_layout)settings->layout;
    options->split = (kiln_split)settings->split;
    options->scale = settings->scale;
    options->lossy_grid = settings->lossy_grid;
    options->up = settings->up;
    options->on_bad = (kiln_on_bad)settings->on_bad;
    options->strict = settings->strict;
    options->threads = settings->threads;
    options->import_memory = (uint64_t)settings->import_memory << 20;
    options->import_seconds = settings->import_seconds;
    options->if_changed = settings->if_changed;
    options->cache = settings->cache;
    options->progress = progress_step;
    to_count_options(settings, options);
    return settings->drop == NULL ? EXIT_DONE : parse_drop(settings->drop, &options->drop);
}

/* Standard output is written by us, a file by the library. */
static int bake_to(const job *of, const kiln_bake_input *input, const kiln_bake_options *options,
                   kiln_bake_report *report)
{
    if (strcmp(of->output, "-") != 0) {
        return (int)kiln_bake(input, of->output, options, report);
    }
    void *data = NULL;
    size_t size = 0;
    char message[KILN_WRITE_MESSAGE_SIZE];
    int status = (int)kiln_bake_to_memory(input, options, &data, &size, report);
    if (status == EXIT_DONE && !kiln_write_descriptor(STDOUT_FILENO, data, size, message)) {
        snprintf(report->error, sizeof report->error, "standard output: %s", message);
        status = EXIT_IO;
    }
    free(data);
    return status;
}

static int bake_input(const job *of, const bake_settings *settings,
                      const kiln_bake_options *options, kiln_bake_report *report)
{
    kiln_bake_input input = {.path = of->input, .format = settings->format};
    void *data = NULL;
    int status = EXIT_DONE;
    if (strcmp(of->input, "-") == 0) {
        status = load_stdin(&data, &input.size);
        input.data = data;
    }
    if (status == EXIT_DONE) {
        status = bake_to(of, &input, options, report);
        if (status == EXIT_USAGE) {
            report_usage(&verb_bake, "%s", report->error);
        } else if (status != EXIT_DONE) {
            report_error(status, NULL, "%s", report->error);
        }
    }
    free(data);
    return status;
}

/* Bakes one of `count` files and tells of it; `rules` may be NULL. */
static int bake_job(const job *of, int count, const bake_settings *settings,
                    const kiln_bake_options *options, depfile *rules)
{
    kiln_bake_report report;
    memset(&report, 0, sizeof report);
    progress bar;
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress,
                   of->input);
    kiln_bake_options own = *options;
    own.progress_user = &bar;
    const double start = seconds_now();
    int status = bake_input(of, settings, &own, &report);
    const double seconds = seconds_now() - start;
    progress_end(&bar);
    if (!settings->quiet) {
        bake_report_notes(of, &report);
    }
    if (status == EXIT_DONE && rules != NULL) {
        status = depfile_add(rules, of->output, of->input, &report, settings->adb_weights);
    }
    if (report_is_json()) {
        report_file(bake_report_json(of, status, &report), count);
    } else if (status == EXIT_DONE && !settings->quiet && strcmp(of->output, "-") != 0 &&
               isatty(STDOUT_FILENO)) {
        bake_report_summary(of, &report, seconds);
    }
    kiln_bake_report_free(&report);
    return status;
}

/* All jobs; one that fails does not stop the others, unless it is the options that are wrong. The
 * status of the worst. */
static int bake_jobs(const job *jobs, int count, const bake_settings *settings,
                     const kiln_bake_options *options)
{
    depfile rules = {NULL, 0, 0};
    int worst = EXIT_DONE;
    for (int i = 0; i < count && worst != EXIT_USAGE; i++) {
        const int status =
            bake_job(&jobs[i], count, settings, options, settings->depfile != NULL ? &rules : NULL);
        worst = status > worst ? status : worst;
    }
    if (settings->depfile != NULL && rules.size > 0) {
        const int status = depfile_write(&rules, settings->depfile);
        worst = status > worst ? status : worst;
    }
    depfile_free(&rules);
    return worst;
}

/* What the table of options can't say. */
static int check_settings(const bake_settings *settings, char **inputs, int count)
{
    if (settings->output == NULL) {
        return report_usage(&verb_bake, "-o OUT is missing");
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(inputs[i], "-") == 0 && count > 1) {
            return report_usage(&verb_bake, "standard input can't be one of several inputs");
        }
        if (strcmp(inputs[i], "-") == 0 && settings->format == NULL) {
            return report_usage(&verb_bake, "standard input needs --format EXT");
        }
    }
    const bool counting = settings->adb_area >= 0 || settings->adb_factor > 0 ||
                          settings->adb_polygons >= 0 || settings->adb_regions >= 0 ||
                          settings->adb_weights != NULL;
    if (settings->adb < 0 && (counting || settings->no_geometry)) {
        return report_usage(&verb_bake, "%s needs --adb",
                            settings->no_geometry ? "--no-geometry" : "an --adb- option");
    }
    if (settings->depfile != NULL && strcmp(settings->output, "-") == 0) {
        return report_usage(&verb_bake, "--depfile needs an OUT that has a name");
    }
    return EXIT_DONE;
}

static int run_bake(int argc, char **argv)
{
    bake_settings settings = {.bv = "obb",
                              .builder = "sah",
                              .leaf = 4,
                              .quality = KILN_QUALITY_DEFAULT - KILN_QUALITY_FAST,
                              .up = -1,
                              .scale = 1.0,
                              .import_memory = 1792,
                              .import_seconds = 50.0,
                              .adb = -1,
                              .adb_area = -1,
                              .adb_polygons = -1,
                              .adb_regions = -1};
    int count;
    int status = options_parse(&verb_bake, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        status = check_settings(&settings, argv, count);
    }
    kiln_bake_options options;
    if (status == EXIT_DONE) {
        status = to_bake_options(&settings, &options);
    }
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.quiet) {
        report_quiet();
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    job *jobs = NULL;
    status = jobs_plan(argv, count, settings.output, &jobs);
    if (status == EXIT_DONE) {
        status = bake_jobs(jobs, count, &settings, &options);
    }
    jobs_free(jobs, count);
    return status;
}

const verb verb_bake = {
    "bake",
    "IN... -o OUT",
    "bake models into kiln files",
    "Reads each model IN and writes its hierarchy to OUT, or to OUT/NAME.kiln when there are "
    "several. "
    "All nodes are placed by their full matrices; faces with more than three corners are cut; "
    "points "
    "and lines are left out and counted. When one of several fails, the others are baked and the "
    "exit "
    "status is that of the worst.\n\nThe same source bytes and options give the same file, "
    "whatever "
    "the threads, the folder, the locale and the clock.",
    bake_options,
    COUNT_OF(bake_options),
    1,
    -1,
    run_bake,
};
