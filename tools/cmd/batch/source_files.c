/* Finds the files that each asset of a plan is read from, for a plan whose assets are baked
 * elsewhere.
 *
 * Only an importer knows what a model refers to, so each asset is imported, on all threads; that
 * takes hundredths of what its bake takes. An asset that is up to date needs no files and is not
 * imported. Paths are collapsed, so that rsync does not bring a file twice under two names and the
 * check for paths that lead out of the working folder sees where they lead. */
#define _POSIX_C_SOURCE 200809L

#include "source_files.h"

#include "thread_pool.h"

#include "../../../formats/assert.h"
#include "../kit/report.h"

#include "../../common/paths.h"
#include "../../common/soup.h"
#include "../../count/count.h"
#include "../../import/import.h"
#include "../../bake/up_to_date.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

/* Adds `name` as it stands in the file `path`, "" for the working folder. False without memory. */
static bool add(source_files *list, const char *path, const char *name)
{
    char *beside = kiln_path_beside(path, name);
    if (beside != NULL) {
        kiln_path_collapse(beside);
        list->paths[list->count++] = beside;
    }
    return beside != NULL;
}

/* Is the output of an asset what a bake would write? Assets with weights or a choice of their tree
 * are not compared: they count as to be baked. */
static bool is_up_to_date(const job *asset, kiln_bake_input *input, kiln_bake_options options)
{
    const kiln_weights_rows none = {.count = 0};
    if (options.adb_weights != NULL || strcmp(options.bv, "auto") == 0) {
        return false;
    }
    options.adb_factor = kiln_count_factor(&options);
    kiln_request *request = kiln_request_open(input, &options, &none, NULL);
    const bool answered = request != NULL && kiln_request_up_to_date(request, asset->output, NULL);
    kiln_request_close(request);
    return answered;
}

enum { NO_MEMORY = -1 }; /* among statuses; threads do not report it */

typedef struct {
    const plan *of;
    source_files *lists;
    int *statuses;
} search;

/* Finds the files of one asset. On any thread. */
static void find_one(void *user, size_t index)
{
    const search *s = user;
    const job *asset = &s->of->jobs[index];
    source_files *list = &s->lists[index];
    kiln_bake_input input = {.path = asset->input, .format = asset->settings.format};
    kiln_bake_options options;
    kiln_bake_report report;
    kiln_soup soup;
    s->statuses[index] = bake_settings_convert(&asset->settings, asset->input, &options);
    if (s->statuses[index] != EXIT_DONE) {
        return;
    }
    list->up_to_date = is_up_to_date(asset, &input, options);
    if (list->up_to_date) {
        return;
    }
    memset(&report, 0, sizeof report);
    const kiln_bake_status imported = kiln_import(&input, &options, &soup, &report);
    if (imported == KILN_BAKE_FAILED &&
        options.max_memory != 0) { /* its side files are not known */
        s->statuses[index] = report_error(EXIT_RUN, NULL, "%s", report.error);
    } else {
        bake_file files[BAKE_FILES_MAX];
        const size_t count = bake_settings_files(&asset->settings, files);
        list->paths =
            calloc((size_t)soup.side_file_count + 1 + BAKE_FILES_MAX, sizeof *list->paths);
        bool good = list->paths != NULL && add(list, "", asset->input);
        for (size_t i = 0; good && i < count; i++) {
            good = add(list, "", files[i].path);
        }
        for (uint32_t i = 0; good && i < soup.side_file_count; i++) {
            good = add(list, asset->input, soup.strings + soup.side_files[i]);
        }
        KILN_ASSERT(list->count <= (size_t)soup.side_file_count + 1 + BAKE_FILES_MAX);
        s->statuses[index] = good ? s->statuses[index] : NO_MEMORY;
    }
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
#ifdef __GLIBC__
    if (options.max_memory != 0) {
        (void)malloc_trim(0); /* what it keeps would stand beside the next one's */
    }
#endif
}

static bool never(void *user)
{
    (void)user;
    return false;
}

/* Statuses are kept per asset, since threads run in any order and the report holds one error at a
 * time. */
int source_files_find(const plan *of, source_files *lists)
{
    search s = {of, lists, calloc(of->count + 1, sizeof *s.statuses)};
    int worst = EXIT_DONE;
    bool enough = true;
    memset(lists, 0, of->count * sizeof *lists);
    if (s.statuses == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    /* Imports of this process are held to --max-memory each, not together: then one at a time. */
    kiln_bake_options options;
    const bool limited =
        of->count > 0 &&
        bake_settings_convert(&of->jobs[0].settings, NULL, &options) == EXIT_DONE &&
        options.max_memory != 0;
    thread_pool_run(of->count, limited ? 1 : 0, find_one, never, &s);
    for (size_t i = 0; i < of->count; i++) {
        worst = s.statuses[i] > worst ? s.statuses[i] : worst;
        enough = enough && s.statuses[i] != NO_MEMORY;
    }
    free(s.statuses);
    return enough ? worst : report_error(EXIT_RUN, NULL, "out of memory");
}

void source_files_free(source_files *lists, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < lists[i].count; k++) {
            free(lists[i].paths[k]);
        }
        free(lists[i].paths);
    }
}
