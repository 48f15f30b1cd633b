/* kiln plan: the work of kiln bake, printed for other programs.
 *
 * The plan is made as kiln bake makes it (batch/plan.h), and batch/script.h prints it. So that
 * options of an asset are taken here as well, the verb parses by a table that is put together
 * when it runs: its own rows first, then the rows of kiln bake that are about one asset.
 * --format is the exception, which means the form of the plan here and the format of a model
 * there.
 *
 * What is printed are commands and not a state: a plan can be kept, read, edited and run later,
 * by any number of hosts. So the plan checks as much as it can now, the options of each asset
 * included, and adds --need-version, by which a host with another kiln refuses. */
#include "../batch/manifest.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "../batch/script.h"
#include "verbs.h"

#include "../../../formats/assert.h"

#include <string.h>

/* The settings of kiln bake come first, so that its rows find their fields in these as well. */
typedef struct {
    bake_settings bake; /* first: the options of an asset have their fields here */
    int format;
    bool json;
} plan_settings;

#define FIELD(name) offsetof(plan_settings, name)

static const option plan_options[] = {
    {"format", 0, OPTION_CHOICE, NULL, "ninja|make|parallel|slurm|farm", 0, 0, FIELD(format),
     "rules for ninja or make, with depfiles; one line of shell for each asset, for parallel or "
     "xargs; a script of an array of tasks for sbatch; or a script that lets hosts without a "
     "shared disk bake, by GNU parallel over ssh (default ninja)"},
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, FIELD(bake.output), "as for kiln bake"},
    {"manifest", 'm', OPTION_TEXT, "FILE", NULL, 0, 0, FIELD(bake.manifest), "as for kiln bake"},
    {"folders", 0, OPTION_CHOICE, NULL, "flat|tree", 0, 0, FIELD(bake.folders), "as for kiln bake"},
    {"side-files", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(bake.side_files), "as for kiln bake"},
    {"importer", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(bake.importer), "as for kiln bake"},
    {"outputs", 0, OPTION_TEXT, "LIST", NULL, 0, 0, FIELD(bake.outputs), "as for kiln bake"},
    {"cache", 0, OPTION_TEXT, "DIR", NULL, 0, 0, FIELD(bake.cache), "as for kiln bake"},
    {"max-memory", 0, OPTION_TEXT, "SIZE", NULL, 0, 0, FIELD(bake.max_memory),
     "memory that reading models may use, as for kiln bake; they are then read one after another "
     "(farm, which needs the names of the files that they refer to)"},
    {"allow-empty", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(bake.allow_empty), "as for kiln bake"},
    {"json", 0, OPTION_FLAG, NULL, NULL, 0, 0, FIELD(json),
     "print one JSON document instead, of the assets with their outputs, also on failure"},
};

/* Bits of the set of options that were given. */
enum { OPTIONS_MOST = 96 };

/* Returns the verb with the options of an asset after its own, all of them in `table`. Where both
 * have an option of a name, the plan's is kept. */
static verb with_options_of_assets(option table[OPTIONS_MOST])
{
    verb wide = verb_plan;
    memcpy(table, plan_options, sizeof plan_options);
    for (size_t i = 0; i < BAKE_OPTION_COUNT && wide.option_count < OPTIONS_MOST; i++) {
        bool own = false;
        for (size_t k = 0; k < COUNT_OF(plan_options) && !own; k++) {
            own = strcmp(plan_options[k].name, bake_options[i].name) == 0;
        }
        if (!own && bake_option_is_of_asset(&bake_options[i])) {
            table[wide.option_count++] = bake_options[i];
        }
    }
    KILN_ASSERT(wide.option_count < OPTIONS_MOST); /* no row was dropped */
    wide.options = table;
    return wide;
}

/* Bits of the options of kiln bake that were given, by their places in its own table. */
static uint64_t given_to_bake(const verb *wide, uint64_t given)
{
    uint64_t bits = 0;
    for (size_t i = COUNT_OF(plan_options); i < wide->option_count; i++) {
        const char *name = wide->options[i].name;
        if ((given >> i & 1) != 0) {
            const option *entry = bake_option_find(name, strlen(name));
            KILN_ASSERT(entry != NULL && entry - bake_options < BAKE_OPTION_COUNT);
            bits |= UINT64_C(1) << (entry - bake_options);
        }
    }
    return bits;
}

/* Fills the plan from a manifest, or from the arguments. */
static int make_plan(plan *of, const bake_settings *bake, uint64_t given, char **inputs, int count)
{
    const char *manifest;
    const int status = manifest_find(bake->manifest, count, &manifest);
    if (status != EXIT_DONE) {
        return status;
    }
    if (manifest != NULL) {
        return count > 0 ? report_usage("a manifest lists the inputs; none is given besides it")
                         : manifest_add(of, manifest, bake, given);
    }
    if (count == 0) {
        return report_usage("no file is given");
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(inputs[i], "-") == 0) { /* it would need the --format of kiln bake */
            return report_usage("standard input can't stand in a plan; name a file");
        }
    }
    if (bake->output == NULL) {
        return report_usage("-o OUT is missing");
    }
    return plan_arguments(of, inputs, count, bake);
}

/* A plan is checked as kiln bake would check it: a script that fails on its first line helps
 * nobody. */
static int run_plan(int argc, char **argv)
{
    plan_settings settings = {.bake = bake_settings_default()};
    option table[OPTIONS_MOST];
    const verb wide = with_options_of_assets(table);
    plan of = {.jobs = NULL};
    uint64_t given = 0;
    int count;
    int status = options_parse_given(&wide, argc, argv, &settings, &count, &given);
    if (status == EXIT_DONE) {
        status = make_plan(&of, &settings.bake, given_to_bake(&wide, given), argv, count);
    }
    status = status == EXIT_DONE ? plan_check(&of) : status;
    status = status == EXIT_DONE ? plan_check_options(&of) : status;
    if (status == EXIT_DONE && report_is_json()) {
        json_t *assets = json_array();
        for (size_t i = 0; i < of.count; i++) {
            json_t *asset = json_object();
            json_object_set_new(asset, "input", json_cstring(of.jobs[i].input));
            json_object_set_new(asset, "output", json_cstring(of.jobs[i].output));
            json_object_set_new(asset, "bytes_source", json_count(of.jobs[i].size));
            json_array_append_new(assets, asset);
        }
        json_object_set_new(report_root(), "assets", assets);
    } else if (status == EXIT_DONE) {
        status = script_print(&of, (script_format)settings.format, settings.bake.cache);
    }
    plan_free(&of);
    return status;
}

const verb verb_plan = {
    "plan",
    "IN... -o OUT | @LIST... -o OUT | -m FILE",
    "print the work of kiln bake for ninja, make, slurm, a farm",
    "Takes inputs, lists and manifests as kiln bake does, bakes nothing, and prints one kiln "
    "bake for each asset on standard output. The options of kiln bake that say how an asset is "
    "made, such as --bv and --leaf, are accepted too, except --format, and are written into the "
    "commands. Names are relative to the folder in which the plan is run. The environment "
    "variable KILN, or the variable KILN of make, or kiln of ninja, names the kiln to "
    "run. Print the plan again after other options or another version of kiln: rules for make "
    "and ninja then bake what these change.\n\nThe lines of --format parallel bake on any number "
    "of hosts that see the folder "
    "under one path, as long as one of them remains: kiln plan -m kiln.yaml --format parallel | "
    "parallel --sshlogin 8/alpha,16/beta --workdir . --retries 3 --ungroup --joblog log. An "
    "asset that was being baked on a host that fails is baked on another; every file is "
    "completely the old or completely the new one. A host whose kiln would write other bytes "
    "refuses (--need-version of kiln bake). To notice a host that fails, PARALLEL_SSH or the "
    "settings of ssh need ConnectTimeout and ServerAliveInterval. A second run bakes only what "
    "is missing. The script of --format farm, run as sh SCRIPT --sshlogin 8/alpha,16/beta, does "
    "the same with hosts that have disks of their own: each gets the files of an asset by rsync, "
    "and its output is copied back; assets that no host has baked are baked here.\n\nA task of "
    "Slurm's array fails if one of its assets does, and only that task; a task may be cancelled, "
    "killed or put back in the queue. Bazel and other engines of remote execution take actions "
    "rather than scripts: tests/examples in the sources of kiln has a rule for Bazel and "
    "describes an action.",
    plan_options,
    COUNT_OF(plan_options),
    0,
    -1,
    run_plan,
};
