/* kiln plan: what kiln bake would do, as work for other programs. */
#include "manifest.h"
#include "options.h"
#include "report.h"
#include "script.h"

#include <string.h>

typedef struct {
    const char *output, *manifest, *cache;
    int format, folders;
    bool json;
} plan_settings;

#define FIELD(name) offsetof(plan_settings, name)

static const option plan_options[] = {
    {"format", 0, OPTION_CHOICE, NULL, "ninja|make|parallel|slurm|farm", 0, 0, FIELD(format),
     "rules for ninja or make, with depfiles; a line of shell an asset, for parallel or xargs; a script "
     "of an array of tasks for sbatch; or a script that has hosts without a shared disk bake, by GNU "
     "parallel over ssh (default ninja)"},
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, FIELD(output), "as of kiln bake"},
    {"manifest", 'm', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(manifest),
     "as of kiln bake; options of assets come from there"},
    {"folders", 0, OPTION_CHOICE, NULL, "flat|tree", 0, 0, FIELD(folders), "as of kiln bake"},
    {"cache", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(cache), "as of kiln bake"},
    {"json", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(json),
     "print one JSON document instead, of the assets with their outputs, also on failure"},
};

static void print_document(const plan *of)
{
    json_t *assets = json_array();
    for (size_t i = 0; i < of->count; i++) {
        json_t *asset = json_object();
        json_object_set_new(asset, "input", json_cstring(of->jobs[i].input));
        json_object_set_new(asset, "output", json_cstring(of->jobs[i].output));
        json_object_set_new(asset, "bytes_source", json_count(of->jobs[i].size));
        json_array_append_new(assets, asset);
    }
    json_object_set_new(report_root(), "assets", assets);
}

static int make_plan(plan *of, const plan_settings *settings, char **inputs, int count)
{
    bake_settings bake = bake_settings_default();
    bake.output = settings->output;
    bake.folders = settings->folders;
    if (settings->manifest != NULL) {
        return count > 0 ? report_usage(&verb_plan, "a manifest lists the inputs; none is given besides it")
                         : manifest_add(of, settings->manifest, &bake, 0);
    }
    if (count == 0) {
        return report_usage(&verb_plan, "no file is given");
    }
    if (settings->output == NULL) {
        return report_usage(&verb_plan, "-o OUT is missing");
    }
    return plan_arguments(of, inputs, count, &bake);
}

static int run_plan(int argc, char **argv)
{
    plan_settings settings = {.folders = -1};
    plan of = {.jobs = NULL};
    int count;
    int status = options_parse(&verb_plan, argc, argv, &settings, &count);
    status = status == EXIT_DONE ? make_plan(&of, &settings, argv, count) : status;
    status = status == EXIT_DONE ? plan_check(&of) : status;
    if (status == EXIT_DONE && report_is_json()) {
        print_document(&of);
    } else if (status == EXIT_DONE) {
        status = script_print(&of, (script_format)settings.format, settings.cache);
    }
    plan_free(&of);
    return status;
}

const verb verb_plan = {
    "plan",
    "IN... -o OUT | @LIST... -o OUT | -m FILE",
    "print what kiln bake would do as work for ninja, make, parallel, slurm or a farm",
    "Takes inputs, lists and manifests as kiln bake does, bakes nothing, and prints one kiln bake an asset "
    "on standard output. Names are taken from the folder that the plan is run in. The variable KILN of "
    "the environment, or of make, or kiln of ninja, says which kiln is run.\n\n"
    "Lines for parallel bake on any number of hosts that see the folder under one path, as long as one of "
    "them is left: kiln plan -m kiln.yaml --format parallel | parallel --sshlogin 8/alpha,16/beta "
    "--workdir . --retries 3 --ungroup --joblog log. An asset that was under way on a host that is lost "
    "is baked on another; every file is the old or the new one, whole. A host whose kiln would write other "
    "bytes refuses (--need-version of kiln bake). So that a lost host is noticed, PARALLEL_SSH or the "
    "settings of ssh need ConnectTimeout and ServerAliveInterval. A second run bakes only what is "
    "missing. The script of --format farm, run as sh SCRIPT --sshlogin 8/alpha,16/beta, does all that with "
    "hosts that have disks of their own: each gets the files of an asset by rsync, and its output comes back; "
    "what no host has done is baked here.",
    plan_options,
    COUNT_OF(plan_options),
    0,
    -1,
    run_plan,
};
