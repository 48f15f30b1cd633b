/* kiln lut bins: generates a table of filled bins.
 *
 * The table is that of Klein and Zachmann ("ADB-Trees", 2003, Equation 6); lut/ generates it and
 * tools/encode/bins_file.c writes the file. This file checks what the table of options can't
 * say, shows progress, and prints how many values were kept and what the run took.
 *
 * The bytes of a table do not depend on threads or clock, like those of a bake; the time a run
 * took is printed and not written. */
#include "../kit/options.h"
#include "../kit/output.h"
#include "table.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../common/clock.h"
#include "../../common/write_file.h"
#include "../../encode/bins_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output, *weights;
    int profile, rounding, max_u, max_x, layout, threads, progress;
    bool quiet, json;
} bins_settings;

#define FIELD(name) offsetof(bins_settings, name)

static const option bins_options[] = {
    {"output", 'o', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(output),
     "the file to write, '-' for standard output"},
    {"profile", 0, OPTION_CHOICE, NULL, "exact|compact", 0, 0, FIELD(profile),
     "exact: float32; compact: 16 bits, within 2^-16 (default exact)"},
    {"rounding", 0, OPTION_CHOICE, NULL, "nearest|down", 0, 0, FIELD(rounding),
     "down: no value is above the true one (default nearest)"},
    {"max-u", 0, OPTION_INTEGER, "N", NULL, 1, KILN_BINS_TABLE_U_MAX, FIELD(max_u),
     "greatest number of bins, and of balls of a colour, 1 to 4096 (default 512); 4096 with one "
     "x takes 2.3 GB"},
    {"max-x", 0, OPTION_INTEGER, "N", NULL, 1, KILN_BINS_TABLE_X_MAX, FIELD(max_x),
     "greatest number of filled bins, 1 to 10 (default 10)"},
    {"layout", 0, OPTION_CHOICE, NULL, "packed|raw", 0, 0, FIELD(layout),
     "raw is used in place from the map (default packed)"},
    {"adb-weights", 0, OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(weights),
     "store the weights of counted queries in FILE, which kiln calibrate wrote, in the "
     "table, for kiln_adb_read_weights"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, FIELD(threads),
     "threads; the bytes do not depend on it (default: one for each processor)"},
    {"progress", 0, OPTION_CHOICE, NULL, "auto|bar|json|none", 0, 0, FIELD(progress),
     "how to show progress (default auto: a bar on a terminal)"},
    {"quiet", 'q', OPTION_FLAG, NULL, NULL, 0, 0, FIELD(quiet), "print only errors"},
    OPTION_JSON(bins_settings),
};

/* Costs of a run. */
typedef struct {
    double generate, write; /* seconds */
    size_t bytes;
} bins_costs;

/* A line for each x: values that are kept, and how many times fewer than a full table has. */
static void print_summary(const kiln_lut_bins *table, const bins_costs *costs)
{
    const kiln_format_bins *header = &table->header;
    const double full = table_full(header);
    printf("%s table, rounded %s, u to %u, x to %u\n", table_profile_name(header),
           header->rounding == KILN_BINS_DOWN ? "down" : "to nearest", header->max_u,
           header->max_x);
    printf("  %4s %12s %22s\n", "x", "values kept", "times fewer than full");
    for (uint32_t x = 1; x <= header->max_x; x++) {
        printf("  %4u %12llu %22.1f\n", x, (unsigned long long)header->kept[x - 1],
               full / (double)header->kept[x - 1]);
    }
    printf("  %4s %12llu %22.1f\n", "all", (unsigned long long)table_kept(header),
           full * header->max_x / (double)table_kept(header));
    printf("  errors at most %.3g kept, %.3g beyond the ends of rows\n", header->certificate_kept,
           header->certificate_beyond);
    printf("  exact arithmetic decided %llu values and %llu ends of rows\n",
           (unsigned long long)table->exact_values, (unsigned long long)table->exact_cuts);
    printf("  %zu bytes; %.2f s to generate, %.2f s to write\n", costs->bytes, costs->generate,
           costs->write);
}

/* Generates the table, writes it with `weights` (NULL: none), and reports it. */
static int make_table(const bins_settings *settings, const kiln_weights_rows *weights)
{
    const kiln_lut_bins_options options = {
        .profile = settings->profile == 0 ? KILN_BINS_EXACT : KILN_BINS_COMPACT,
        .rounding = settings->rounding == 0 ? KILN_BINS_NEAREST : KILN_BINS_DOWN,
        .max_u = (uint32_t)settings->max_u,
        .max_x = (uint32_t)settings->max_x,
    };
    kiln_lut_bins table;
    bins_costs costs = {0};
    progress bar;
    int status = EXIT_DONE;
    KILN_ASSERT(settings->max_u > 0 && (uint32_t)settings->max_u <= KILN_BINS_TABLE_U_MAX);
    KILN_ASSERT(settings->max_x > 0 && (uint32_t)settings->max_x <= KILN_BINS_TABLE_X_MAX);
    progress_begin(&bar, settings->quiet ? PROGRESS_NONE : (progress_mode)settings->progress,
                   settings->output);

    /* Generate. */
    double start = kiln_seconds();
    /* The generation has two passes over all u, of which each counts as half of the progress. */
    table_work generating = table_work_of(settings->threads, &bar, "generate", 2);
    const kiln_lut_parallel parallel = table_parallel(&generating);
    if (!kiln_lut_bins_generate(&options, &parallel, &table)) {
        status = report_error(EXIT_RUN, settings->output,
                              "out of memory; the table is too large; ask for less by --max-u or "
                              "--max-x");
    }
    costs.generate = kiln_seconds() - start;

    /* Write. */
    if (status == EXIT_DONE) {
        table_work writing = table_work_of(settings->threads, &bar, "write", 1);
        void *file = NULL;
        start = kiln_seconds();
        writing.watch.to = 1.0;
        status = (int)kiln_bins_encode(&table, weights, (kiln_layout)settings->layout,
                                       &writing.watch, &file, &costs.bytes);
        status =
            status == EXIT_DONE
                ? output_write(settings->output, &output_kind_kiln, file, costs.bytes)
                : report_error(status, settings->output, "out of memory; free some and run again");
        free(file);
        costs.write = kiln_seconds() - start;
    }
    progress_end(&bar);

    /* Report. */
    if (status == EXIT_DONE && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "output", json_cstring(settings->output));
        table_describe(&table.header, root);
        json_object_set_new(root, "exact_values", json_count(table.exact_values));
        json_object_set_new(root, "exact_cuts", json_count(table.exact_cuts));
        json_object_set_new(root, "bytes", json_count(costs.bytes));
        json_object_set_new(root, "seconds_generate", json_number(costs.generate));
        json_object_set_new(root, "seconds_write", json_number(costs.write));
    } else if (status == EXIT_DONE && !settings->quiet && strcmp(settings->output, "-") != 0) {
        print_summary(&table, &costs);
    }
    kiln_lut_bins_free(&table);
    return status;
}

/* Values grow with the cube of max_u: ten x take 40 million at 512, some 300 million at 1024. */
enum { U_MAX_OF_MANY_X = 1024 };

/* The output is tried before the table is generated, which takes seconds to minutes. */
static int run_lut_bins(int argc, char **argv)
{
    bins_settings settings = {.max_u = 512, .max_x = 10};
    char message[KILN_WRITE_MESSAGE_SIZE];
    int count;
    const int status = options_parse(&verb_lut_bins, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage("-o FILE is missing");
    }
    if (settings.max_u > U_MAX_OF_MANY_X && settings.max_x > 1) {
        return report_usage("a table of more than 1024 bins is for one x, --max-x 1: for more it "
                            "would take tens of gigabytes");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    } else if (!kiln_write_file_possible(settings.output, message)) {
        return report_error(EXIT_IO, settings.output, "%s", message);
    }
    /* The output must not be the file of weights, by whatever name it is given. */
    read_files read = {.list = NULL};
    int checked = settings.weights != NULL ? read_files_add(&read, settings.weights, "the weights")
                                           : EXIT_DONE;
    checked =
        checked == EXIT_DONE ? output_check(settings.output, &output_kind_kiln, &read) : checked;
    read_files_free(&read);
    if (checked != EXIT_DONE) {
        return checked;
    }
    /* Weights are read first as well: a wrong file of them would waste the whole run. */
    kiln_weights_rows weights;
    if (settings.weights != NULL) {
        char why[KILN_WEIGHTS_MESSAGE_SIZE];
        const kiln_bake_status loaded = kiln_weights_load(settings.weights, &weights, why);
        if (loaded != KILN_BAKE_OK) {
            return report_error((int)loaded, settings.weights, "%s", why);
        }
    }
    return make_table(&settings, settings.weights != NULL ? &weights : NULL);
}

const verb verb_lut_bins = {
    "lut bins",
    "-o FILE",
    "generate a table of filled-bins probabilities",
    "P(u, v, w, x): throw v blue and w red balls into u bins, at most one of each colour into a "
    "bin; the probability that at least x bins get a ball of each colour (Klein and Zachmann "
    "2003, Equation 6). Each value is the true one, rounded once: floating point with a proven "
    "bound decides most values, and exact arithmetic the others. Rows end where 1 - P is at most "
    "0.9e-5. The largest error, found by comparing every value, is stored in the file. An "
    "existing FILE that is no kiln file has to be removed first.",
    bins_options,
    COUNT_OF(bins_options),
    0,
    0,
    run_lut_bins,
};
