/* kiln lut check: is every value of a table what it should be?
 *
 * The audit (lut/) computes each value anew from exact integers, independent of the generator's
 * floating point, and compares: rounding, the certificates of the largest errors, and the ends
 * of rows. This file chooses between all values and a sample, and prints the counts.
 *
 * It is the slow counterpart of what opening does: the verifier of the format checks structure
 * and checksums, and trusts the values, since exact arithmetic for all of them takes too long
 * for a program that loads a table. Axis sets are made anew likewise. */
#include "../kit/options.h"
#include "axis_set.h"
#include "table.h"
#include "verbs.h"

#include "../../common/clock.h"
#include "../../../formats/assert.h"

typedef struct {
    int sample, threads, progress;
    bool quiet, json;
} check_settings;

#define FIELD(name) offsetof(check_settings, name)

static const option check_options[] = {
    {"sample", 0, OPTION_INTEGER, "N", NULL, 1, 2000000000, FIELD(sample),
     "recompute N values, the same ones each time: half drawn from all places, half from the "
     "stored values of rows (default: all stored values, and the first beyond the end of each "
     "row)"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, FIELD(threads),
     "threads (default: one for each processor)"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "how to show progress (default auto: a bar on a terminal)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "print only errors"},
    OPTION_JSON(check_settings),
};

/* Makes the radius and the zones of a set anew. */
static int check_axes(const char *path, const table_file *table, const check_settings *settings)
{
    const double start = kiln_seconds();
    kiln_lut_axes_audit audit;
    if (settings->sample > 0) {
        return report_usage("--sample is for tables of filled bins; of an axis set all is checked");
    }
    const int status = axis_set_check(path, &table->axes, &audit);
    const double seconds = kiln_seconds() - start;
    if (status != EXIT_RUN && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "file", json_cstring(path));
        json_object_set_new(root, "sound", json_boolean(status == EXIT_DONE));
        json_object_set_new(root, "radius", json_number(axis_set_degrees(audit.radius.radius)));
        json_object_set_new(root, "facets", json_count(audit.radius.facets));
        json_object_set_new(root, "masks", json_count(audit.masks));
        json_object_set_new(root, "wrong_masks", json_count(audit.wrong_masks));
        json_object_set_new(root, "seconds", json_number(seconds));
    } else if (status == EXIT_DONE && !settings->quiet) {
        printf("%s: sound; %u axes, covering radius at most %.7f degrees by a hull of %u facets; "
               "%llu masks made anew; %.2f s\n",
               path, table->axes.header->count, axis_set_degrees(audit.radius.radius),
               audit.radius.facets, (unsigned long long)audit.masks, seconds);
    }
    return status;
}

/* Recomputes the values of a table and prints how many were right. */
static int check_table(const char *path, const table_file *table, const check_settings *settings)
{
    KILN_ASSERT(table->view.header != NULL);
    const double start = kiln_seconds();
    progress bar;
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress, path);
    table_work work = table_work_of(settings->threads, &bar, "check", 1);
    const kiln_lut_parallel parallel = table_parallel(&work);
    kiln_lut_bins_audit audit;
    /* A sample is the same one in each run, so that its result can be repeated. */
    const bool done = settings->sample > 0
                          ? kiln_lut_bins_audit_sample(&table->view, (uint64_t)settings->sample,
                                                       &parallel, &audit)
                          : kiln_lut_bins_audit_all(&table->view, &parallel, &audit);
    progress_end(&bar);
    if (!done) {
        return report_error(EXIT_RUN, path, "out of memory; free some and run again");
    }
    const double seconds = kiln_seconds() - start;
    const int status = table_judge(path, &audit);
    if (report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "file", json_cstring(path));
        json_object_set_new(root, "sound", json_boolean(status == EXIT_DONE));
        json_object_set_new(root, "values", json_count(audit.values));
        json_object_set_new(root, "beyond", json_count(audit.beyond));
        json_object_set_new(root, "off", json_count(audit.off));
        json_object_set_new(root, "misrounded", json_count(audit.misrounded));
        json_object_set_new(root, "misplaced", json_count(audit.misplaced));
        json_object_set_new(root, "worst_kept", json_number(audit.worst_kept));
        json_object_set_new(root, "worst_beyond", json_number(audit.worst_beyond));
        json_object_set_new(root, "seconds", json_number(seconds));
    } else if (status == EXIT_DONE && !settings->quiet) {
        printf("%s: sound; %llu values recomputed exactly, all rounded correctly, off by at most "
               "%.3g; %llu beyond the ends of rows, off by at most %.3g; %.2f s\n",
               path, (unsigned long long)audit.values, audit.worst_kept,
               (unsigned long long)audit.beyond, audit.worst_beyond, seconds);
    }
    return status;
}

static int run_lut_check(int argc, char **argv)
{
    check_settings settings = {0};
    table_file table;
    int count;
    int status = options_parse(&verb_lut_check, argc, argv, &settings, &count);
    if (status == EXIT_DONE) {
        status = table_load_any(argv[0], &table);
    }
    if (status == EXIT_DONE) {
        status = (table.is_axes ? check_axes : check_table)(argv[0], &table, &settings);
        table_free(&table);
    }
    return status;
}

const verb verb_lut_check = {
    "lut check",
    "FILE",
    "compute a filled-bins table or an axis set again",
    "Each value is computed again from exact integers and compared with the file: it must be the "
    "true value, rounded as the file states, and no further from it than the certificate in the "
    "file; rows must end where they should. Of an axis set the covering radius, by a convex hull "
    "in "
    "exact arithmetic, and all zones are made anew. Anything else ends in exit status 3.",
    check_options,
    COUNT_OF(check_options),
    1,
    1,
    run_lut_check,
};
