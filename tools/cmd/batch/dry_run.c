/* What a run would do, asset by asset, without a write: kiln bake --dry-run.
 *
 * The checks of the plan have been made as for a bake. Here the library is asked for each asset
 * what is known before a model is imported (kiln_bake_foresee): whether its output is up to date,
 * whether the cache has it, whether the input can be read at all. What only an import shows, such
 * as a face without corners, is not foreseen. Nothing is made: no folder, no depfile, no entry of
 * a cache and no new time of one. */
#include "dry_run.h"

#include "../kit/report.h"

#include "../../../formats/assert.h"
#include "../../bake/bake.h"
#include "../../common/folders.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum { TO_BAKE, UP_TO_DATE, IN_CACHE, REFUSED, OUTCOMES } outcome;

static const char *const outcome_names[OUTCOMES] = {"to_bake", "up_to_date", "cached", "refused"};

/* Can the output be written, once its folders are made? Sets the error of *report otherwise. */
static bool is_writable(const char *output, kiln_bake_report *report)
{
    char message[KILN_WRITE_MESSAGE_SIZE], *part = NULL;
    if (kiln_write_file_possible(output, message)) {
        return true;
    }
    const char *at = output;
    char *folder = errno == ENOENT || errno == ENOTDIR ? kiln_folder_of(output) : NULL;
    /* Folders that are missing would be made by the bake, so only one that can't be made is an
     * error, and it is reported at the part of the path where that fails. */
    bool possible = false;
    if (folder != NULL) {
        possible = kiln_folder_possible(folder, &part);
        at = !possible && part != NULL ? part : output;
        if (!possible) {
            (void)kiln_folder_explain(errno, message);
        }
    }
    if (!possible) {
        (void)snprintf(report->error, sizeof report->error, "%.700s: %s", at, message);
    }
    free(part);
    free(folder);
    return possible;
}

/* What would come of one asset; its status, with the error in *report. */
static int foresee(const job *of, kiln_bake_report *report, outcome *what)
{
    const bool to_standard = strcmp(of->output, "-") == 0;
    /* Standard input is left to the bake that reads it; its format is known. */
    const bool from_standard = strcmp(of->input, "-") == 0;
    const kiln_bake_input input = {.path = of->input,
                                   .data = from_standard ? " " : NULL,
                                   .size = from_standard,
                                   .format = of->settings.format};
    kiln_bake_options options;
    /* The outcome is REFUSED until all checks have passed, so each early return leaves the right
     * one. */
    int status = bake_settings_convert(&of->settings, of->input, &options);
    *what = REFUSED;
    if (status != EXIT_DONE) {
        return status;
    }
    status = (int)kiln_bake_foresee(&input, to_standard ? NULL : of->output, &options, report);
    if (status != EXIT_DONE) {
        return status;
    }
    *what = report->outcome == KILN_OUTCOME_UP_TO_DATE ? UP_TO_DATE
            : report->outcome == KILN_OUTCOME_CACHED   ? IN_CACHE
                                                       : TO_BAKE;
    if (!to_standard && *what != UP_TO_DATE && !is_writable(of->output, report)) {
        *what = REFUSED;
        return EXIT_IO;
    }
    return EXIT_DONE;
}

/* One asset in a line, or as an object of the document. */
static void tell(const plan *of, const job *asset, outcome what, int status,
                 const kiln_bake_report *report)
{
    static const char *const words[OUTCOMES] = {"would be baked from", "is up to date with",
                                                "would come from the cache, made from",
                                                "would be refused, from"};
    if (!report_is_json()) {
        if (!report_is_quiet()) {
            report_write_name(stdout, asset->output);
            printf(": %s ", words[what]);
            report_write_name(stdout, asset->input);
            putchar('\n');
        }
        return;
    }
    json_t *object = json_object();
    json_object_set_new(object, "input", json_cstring(asset->input));
    json_object_set_new(object, "output", json_cstring(asset->output));
    json_object_set_new(object, "status", json_integer(status));
    json_object_set_new(object, "outcome", json_cstring(outcome_names[what]));
    if (report->error[0] != '\0') {
        json_object_set_new(object, "message", json_cstring(report->error));
    }
    report_file(object, of->batch ? 0 : 1);
}

/* The counts, as the last line or in the document. */
static void tell_counts(const plan *of, const size_t counts[OUTCOMES], bool none)
{
    static const char *const words[OUTCOMES] = {"to be baked", "up to date", "from the cache",
                                                "refused"};
    char text[200] = "";
    size_t used = 0;
    if (report_is_json()) {
        json_t *summary = json_object();
        json_object_set_new(summary, "count", json_count(of->count));
        for (int i = 0; i < OUTCOMES; i++) {
            json_object_set_new(summary, outcome_names[i], json_count(counts[i]));
        }
        json_object_set_new(report_root(), "foreseen", summary);
        return;
    }
    for (int i = 0; i < OUTCOMES; i++) {
        if (counts[i] > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s",
                                     used > 0 ? ", " : "", counts[i], words[i]);
        }
    }
    /* The text has room for four counts of 20 digits with their words. */
    KILN_ASSERT(used < sizeof text);
    if (none) {
        report_line("a dry run: %s; as long as outputs are refused nothing would be baked", text);
    } else if (of->count > 1) {
        report_line("a dry run: %s; nothing was written", text);
    }
}

/* Foresees every asset, whatever came of those before it, since a list of all that would fail is
 * the purpose of a dry run. `checked` is the status of the checks of the plan, which the jobs that
 * they refused get; the result is the worst of all. */
int dry_run(const plan *of, int checked)
{
    size_t counts[OUTCOMES] = {0};
    int worst = checked;
    bool said = false;
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        kiln_bake_report report;
        outcome what = REFUSED;
        memset(&report, 0, sizeof report);
        const int status = asset->refused ? checked : foresee(asset, &report, &what);
        if (status == EXIT_USAGE && of->uniform && report.error[0] != '\0') {
            /* It is wrong for all assets alike, and the bake would end at the first. */
            said = said || report_usage("%s", report.error) != EXIT_DONE;
        } else if (status != EXIT_DONE && report.error[0] != '\0') {
            report_error_text(status, asset->input, report.error);
        }
        tell(of, asset, what, status, &report);
        counts[what]++;
        worst = status > worst ? status : worst;
        kiln_bake_report_free(&report);
    }
    tell_counts(of, counts, checked != EXIT_DONE);
    return worst;
}
