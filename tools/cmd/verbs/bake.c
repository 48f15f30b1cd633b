/* kiln bake: models to kiln files. */
#include "../batch/batch.h"
#include "../batch/manifest.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "../kit/verb.h"
#include "../kit/version.h"

#include "../../common/write_file.h"

#include <errno.h>
#include <string.h>

static bool is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* What the table of options can't say. */
static int check_settings(const bake_settings *settings, const char *manifest, int count)
{
    if (manifest != NULL && count > 0) {
        return report_usage(&verb_bake, "a manifest lists the inputs; none is given besides it");
    }
    if (manifest == NULL && count == 0) {
        return report_usage(&verb_bake, "no file is given");
    }
    if (manifest == NULL && settings->output == NULL) {
        return report_usage(&verb_bake, "-o OUT is missing");
    }
    if (is_standard(settings->output)) {
        if (manifest != NULL) {
            return report_usage(&verb_bake, "standard output can't be the folder of a manifest");
        }
        if (settings->depfile != NULL) {
            return report_usage(&verb_bake, "--depfile needs an OUT that has a name");
        }
    }
    if (settings->quiet && settings->verbose) {
        return report_usage(&verb_bake, "--quiet and --verbose exclude each other");
    }
    if (settings->keep_going && settings->fail_fast) {
        return report_usage(&verb_bake, "--keep-going and --fail-fast exclude each other");
    }
    return EXIT_DONE;
}

/* Another kiln may make other bytes, so that a farm of hosts has to be of one. */
static int check_version(const bake_settings *settings)
{
    char own[VERSION_OF_BYTES_SIZE];
    version_of_bytes(own);
    if (settings->need_version == NULL || strcmp(settings->need_version, own) == 0) {
        return EXIT_DONE;
    }
    return report_error(
        EXIT_UNSUPPORTED, NULL,
        "this is %s, not %s; its bytes may be others; use one version on all hosts, or "
        "plan again",
        own, settings->need_version);
}

/* What is wrong with the depfile is told before the bake. Folders of outputs are not made yet, and it may
 * go there. */
static int check_depfile(const plan *of, const char *path)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    if (is_standard(path)) {
        return EXIT_DONE;
    }
    if (plan_has_file(of, path)) {
        return report_usage(&verb_bake, "the depfile '%s' is an input or an output", path);
    }
    const bool to_be_made = of->folder != NULL || of->make_folders;
    if (!kiln_write_file_possible(path, message) && !(to_be_made && errno == ENOENT)) {
        return report_error(EXIT_IO, path, "%s", message);
    }
    return EXIT_DONE;
}

static int bake_plan(const plan *of, const bake_settings *settings)
{
    if (settings->dump_config) {
        return plan_dump(of);
    }
    const int status = settings->depfile != NULL ? check_depfile(of, settings->depfile) : EXIT_DONE;
    return status == EXIT_DONE ? batch_run(of, settings) : status;
}

int bake_run(int argc, char **argv)
{
    bake_settings settings = bake_settings_default();
    uint64_t given = 0;
    int count;
    int status = options_parse_given(&verb_bake, argc, argv, &settings, &count, &given);
    if (status != EXIT_DONE) {
        return status;
    }
    const char *manifest = manifest_meant(settings.manifest, count);
    status = check_settings(&settings, manifest, count);
    status = status == EXIT_DONE ? check_version(&settings) : status;
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.quiet) {
        report_quiet();
    }
    if (settings.dump_config || is_standard(settings.output) || is_standard(settings.depfile)) {
        report_to_stderr();
    }
    plan of = {.jobs = NULL};
    status = manifest != NULL ? manifest_add(&of, manifest, &settings, given)
                              : plan_arguments(&of, argv, count, &settings);
    status = status == EXIT_DONE ? plan_check(&of) : status;
    status = status == EXIT_DONE ? bake_plan(&of, &settings) : status;
    plan_free(&of);
    return status;
}
