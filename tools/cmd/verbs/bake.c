/* kiln bake: models to kiln files.
 *
 * The verb makes a plan, which names the input, the options and the output of each asset, from
 * arguments, lists or a manifest (batch/plan.h), checks it as a whole before any file is
 * written, and has batch_run() carry it out. The options themselves stand in
 * batch/bake_settings.c, because a manifest has the same ones; here are the checks of what no
 * row of that table can say.
 *
 * A bake of one file and a batch of thousands take the same path: a single asset is a plan of
 * one, so that there is no second set of rules for what is replaced, reported or left. */
#include "../batch/batch.h"
#include "../batch/depfile.h"
#include "../batch/dry_run.h"
#include "../batch/junit.h"
#include "../batch/manifest.h"
#include "../batch/prune.h"
#include "../batch/report_page.h"
#include "../kit/options.h"
#include "../kit/report.h"
#include "verbs.h"
#include "../kit/version.h"

#include "../../../formats/assert.h"
#include "../../common/folders.h"
#include "../../common/write_file.h"
#include "../../import/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is it the name for standard input or output? */
static bool is_standard(const char *path)
{
    return path != NULL && strcmp(path, "-") == 0;
}

/* Checks options that depend on one another. */
static int check_settings(const bake_settings *settings, const char *manifest, int count)
{
    if (manifest != NULL && count > 0) {
        return report_usage("a manifest lists the inputs; none is given besides it");
    }
    if (manifest == NULL && count == 0) {
        return report_usage("no file is given");
    }
    if (manifest == NULL && settings->output == NULL) {
        return report_usage("-o OUT is missing");
    }
    if (is_standard(settings->output)) {
        if (manifest != NULL) {
            return report_usage("standard output can't be the folder of a manifest");
        }
        if (settings->depfile != NULL) {
            return report_usage("--depfile needs an OUT that has a name");
        }
    }
    if (is_standard(settings->junit)) {
        return report_usage("--junit needs the name of a file");
    }
    if (is_standard(settings->report)) {
        return report_usage("--report needs the name of a file");
    }
    if (settings->no_seconds && settings->report == NULL) {
        return report_usage("--no-seconds needs --report");
    }
    if (settings->depfile_programs && settings->depfile == NULL) {
        return report_usage("--depfile-programs needs --depfile");
    }
    if (settings->quiet && settings->verbose) {
        return report_usage("--quiet and --verbose exclude each other");
    }
    if (settings->dry_run && settings->dump_config) {
        return report_usage("--dry-run and --dump-config exclude each other");
    }
    if (settings->keep_going && settings->fail_fast) {
        return report_usage("--keep-going and --fail-fast exclude each other");
    }
    return EXIT_DONE;
}

/* Can the folder that a file lies in be made? */
static bool is_folder_possible(const char *path)
{
    char *part = NULL, *folder = kiln_folder_of(path);
    const bool possible = folder != NULL && kiln_folder_possible(folder, &part);
    free(part);
    free(folder);
    return possible;
}

/* Reports before the bake what is wrong with a file that the run writes besides its outputs. Its
 * folder may still be made. */
static int check_file(const plan *of, const char *path, const output_kind *kind, const char *what)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    KILN_ASSERT(!is_standard(path));
    if (plan_has_file(of, path)) {
        return report_usage("the %s '%s' is an input or an output", what, path);
    }
    const int status = output_check(path, kind, &of->read);
    if (status != EXIT_DONE) {
        return status;
    }
    if (!kiln_write_file_possible(path, message) &&
        !(errno == ENOENT && is_folder_possible(path))) {
        return report_error(EXIT_IO, path, "%s", message);
    }
    return EXIT_DONE;
}

/* A name that make or ninja would take for another is refused before anything is written. */
static int check_depfile(const plan *of, const char *path)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        const kiln_bake_report nothing = {.side_file_count = 0};
        char unnamed[DEPFILE_MESSAGE_SIZE];
        if (!depfile_can_name(asset->output, asset->input, &nothing, &asset->settings, unnamed)) {
            worst = report_error(EXIT_UNSUPPORTED, asset->input, "%s", unnamed);
        }
    }
    return worst != EXIT_DONE || is_standard(path)
               ? worst
               : check_file(of, path, &output_kind_depfile, "depfile");
}

/* What the run writes besides its outputs. */
static int check_files(const plan *of, const bake_settings *settings)
{
    int status = settings->depfile != NULL ? check_depfile(of, settings->depfile) : EXIT_DONE;
    const struct {
        const char *path, *option;
    } files[] = {{settings->depfile, "--depfile"},
                 {settings->junit, "--junit"},
                 {settings->report, "--report"}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        for (size_t k = i + 1; k < COUNT_OF(files) && status == EXIT_DONE; k++) {
            if (files[i].path != NULL && files[k].path != NULL &&
                plan_is_same(files[i].path, files[k].path)) {
                return report_usage("%s and %s name one file", files[i].option, files[k].option);
            }
        }
    }
    if (status == EXIT_DONE && settings->junit != NULL) {
        status = check_file(of, settings->junit, &output_kind_junit, "JUnit report");
    }
    if (status == EXIT_DONE && settings->report != NULL) {
        status = check_file(of, settings->report, &output_kind_report_page, "report");
    }
    return status;
}

/* Prints the table of formats, or puts it into the report where that is JSON. */
static void print_formats(void)
{
    static const char *const titles[] = {
        [KILN_TRUST_OWN] = "read by kiln:",
        [KILN_TRUST_UNCHECKED] =
            "read by Assimp, unchecked: each bake warns, and --strict refuses them:"};
    json_t *list = report_is_json() ? json_array() : NULL;
    for (size_t i = 0; i < kiln_format_count; i++) {
        const kiln_format *format = &kiln_formats[i];
        if (list != NULL) {
            json_t *object = json_object();
            json_object_set_new(object, "extension", json_string(format->extension));
            json_object_set_new(object, "name", json_string(format->name));
            json_object_set_new(object, "read", json_string(kiln_trust_name(format->trust)));
            json_array_append_new(list, object);
            continue;
        }
        if (i == 0 || format->trust != kiln_formats[i - 1].trust) {
            puts(titles[format->trust]);
        }
        printf("  %-8s %s\n", format->extension, format->name);
    }
    if (list != NULL) {
        json_object_set_new(report_root(), "formats", list);
    }
}

/* Has the check of the plan marked what it refuses? */
static bool has_refused(const plan *of)
{
    bool found = false;
    for (size_t i = 0; i < of->count && !found; i++) {
        found = of->jobs[i].refused;
    }
    return found;
}

/* A run of the verb. */
typedef struct {
    bake_settings settings;
    plan of;
    const char *manifest; /* NULL: none */
    bool reported;        /* the JUnit report was written, or must not be */
} bake;

/* Is the word `name`, or its letter? */
static bool is_option(const char *word, const char *name, char letter)
{
    const char text[3] = {'-', letter, '\0'};
    return strcmp(word, name) == 0 || strcmp(word, text) == 0;
}

/* The file of --junit, as it stands among the words of the command line, also of one that can't be
 * parsed. NULL: there is none, or the run is one that writes nothing. */
static const char *find_junit(char *const *words, int count)
{
    const char *path = NULL;
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (is_option(words[i], "--dry-run", 'n') || strcmp(words[i], "--dump-config") == 0) {
            return NULL;
        }
        if (strncmp(words[i], "--junit=", 8) == 0) {
            path = words[i] + 8;
        } else if (strcmp(words[i], "--junit") == 0 && i + 1 < count) {
            path = words[i + 1];
        }
    }
    return path != NULL && (path[0] == '\0' || path[0] == '-') ? NULL : path;
}

/* Does a word other than those of --junit name the file, as an operand, a list or a value? */
static bool is_named(char *const *words, int count, const char *path)
{
    bool named = false;
    for (int i = 0; i < count && !named; i++) {
        const char *word = words[i], *value = strchr(word, '=');
        const bool own = strncmp(word, "--junit", 7) == 0 && (word[7] == '=' || word[7] == '\0');
        if (own) {
            i += word[7] == '\0';
            continue;
        }
        named = plan_is_same(word + (word[0] == '@'), path) ||
                (value != NULL && plan_is_same(value + 1, path)) ||
                (word[0] == '-' && word[1] != '\0' && plan_is_same(word + 2, path));
    }
    return named;
}

/* What a service of continuous integration reads of a run that ends before its first asset: a
 * report of one case that failed, lest an earlier one still says that all is well. It is written
 * under the conditions of any other, where its folder is there. The plan may not have taken all
 * arguments, and knows no side files: so the arguments are looked at too, and a file without bytes
 * stays. */
static void report_refusal(const bake *b, char *const *words, int count, int status)
{
    const char *path = find_junit(words, count);
    char message[KILN_WRITE_MESSAGE_SIZE];
    struct stat facts;
    KILN_ASSERT(status != EXIT_DONE && !b->reported);
    const bool taken = path == NULL || (stat(path, &facts) == 0 && facts.st_size == 0) ||
                       plan_has_file(&b->of, path) || is_named(words, count, path) ||
                       (b->manifest != NULL && plan_is_same(b->manifest, path));
    if (!taken && output_may_be_replaced(path, &output_kind_junit, &b->of.read) &&
        kiln_write_file_possible(path, message)) {
        const junit_case plan_refused = {.name = "the plan",
                                         .file =
                                             b->manifest != NULL ? b->manifest : "the command line",
                                         .status = status,
                                         .error = "nothing was baked; see the messages of the run"};
        (void)junit_write(path, &plan_refused, 1, 0.0);
    }
}

/* Everything is checked before the first asset is baked: options, version, the whole plan, the
 * depfile. Only then may files be written. */
static int bake_checked(bake *b, int argc, char **argv)
{
    bake_settings *settings = &b->settings;
    uint64_t given = 0;
    int count;
    int status = options_parse_given(&verb_bake, argc, argv, settings, &count, &given);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings->quiet) {
        report_quiet();
    }
    if (settings->verbose) {
        report_verbose();
    }
    if (settings->annotations == ANNOTATIONS_GITHUB) {
        report_annotate();
    }
    if (settings->formats) {
        if (count > 0 || settings->manifest != NULL) {
            return report_usage("--formats takes no input");
        }
        print_formats();
        return EXIT_DONE;
    }
    /* Without any input, the nearest kiln.yaml is meant. */
    status = manifest_find(settings->manifest, count, &b->manifest);
    const char *manifest = b->manifest;
    if (status == EXIT_DONE && settings->dump_config && manifest == NULL && count == 0) {
        return manifest_print_example(stdout) ? EXIT_DONE
                                              : EXIT_IO; /* report_end sees a full disk */
    }
    status = status == EXIT_DONE ? check_settings(settings, manifest, count) : status;
    if (status != EXIT_DONE) {
        return status;
    }
    /* Another kiln may write other bytes, so all hosts of a farm need the same one. */
    char own[VERSION_OF_BYTES_SIZE] = "";
    if (settings->need_version != NULL) {
        version_of_bytes(settings->importer, own);
    }
    if (settings->need_version != NULL && strcmp(settings->need_version, own) != 0) {
        return report_error(
            EXIT_UNSUPPORTED, NULL,
            "this is %s, not %s; its bytes may be others; use one version on all hosts, or plan "
            "again",
            own, settings->need_version);
    }
    KILN_ASSERT((manifest != NULL) == (count == 0));
    /* Where standard output is taken by data, the summary or the document goes elsewhere. */
    if (settings->dump_config || is_standard(settings->output) || is_standard(settings->depfile)) {
        report_to_stderr();
    }
    plan *of = &b->of;
    status = manifest != NULL ? manifest_add(of, manifest, settings, given)
                              : plan_arguments(of, argv, count, settings);
    status = status == EXIT_DONE ? plan_check(of) : status;
    if (status == EXIT_DONE && settings->dump_config) {
        return plan_dump(of);
    }
    for (size_t i = 0; i < of->count && status == EXIT_DONE; i++) {
        status = bake_settings_check_given(&of->jobs[i].settings, given, of->jobs[i].input);
    }
    if (status == EXIT_DONE && settings->prune && of->folder == NULL && of->count > 0) {
        return report_usage("--prune needs a folder of outputs");
    }
    status = status == EXIT_DONE ? check_files(of, settings) : status;
    if (settings->dry_run && (status == EXIT_DONE || has_refused(of))) {
        status = dry_run(of, status);
    } else if (status == EXIT_DONE) {
        status = batch_run(of, settings, &b->reported);
    }
    /* What failed, or was cut short by a signal, has a status. */
    if (settings->prune && status == EXIT_DONE) {
        status = prune_outputs(of, manifest, settings->dry_run);
    } else if (settings->prune) {
        report_note("nothing removed", settings->output != NULL ? settings->output : manifest,
                    "not all was baked, and --prune removes outputs only after a whole run");
    }
    return status;
}

/* The options move the words while they are parsed, so what a report of a refusal needs of them is
 * kept. */
static int bake_run(int argc, char **argv)
{
    bake b = {.settings = bake_settings_default()};
    const size_t count = argc > 1 ? (size_t)argc - 1 : 0;
    char **words = malloc((count + 1) * sizeof *words);
    if (words == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    memcpy(words, argv + 1, count * sizeof *words);
    const int status = bake_checked(&b, argc, argv);
    if (status != EXIT_DONE && !b.reported) {
        report_refusal(&b, words, (int)count, status);
    }
    plan_free(&b.of);
    free(words);
    return status;
}

const verb verb_bake = {
    "bake",
    "IN... -o OUT | DIR -o OUT | @LIST... -o OUT | -m FILE",
    "bake models into kiln files",
    "Reads each model IN and writes its hierarchy to OUT, or to OUT/NAME.kiln if there are "
    "several. All nodes are placed by their full matrices; faces with more than three corners "
    "are cut into triangles; points and lines beside faces are left out and counted, and points "
    "alone are a set of points. Formats that kiln reads itself, 3MF, AMF, Collada, FBX, OBJ, OFF, "
    "PLY, STL, X3D, glTF 2.0, heights (PGM, PNG, R16) and points (XYZ, PTS, ASC), have each record "
    "of the file accounted for; of "
    "others Assimp's reading is used as it is, which each bake warns "
    "of and --strict refuses: --formats prints which.\n\n@LIST stands for the "
    "inputs that the file LIST names, one on each line, or, as find -print0 writes them, each "
    "ended by a zero byte; @- reads standard input. A folder stands for the models in it and below "
    "it, by the extensions of --formats without heights; their outputs keep their folders. Links "
    "to folders and "
    "hidden names are left out, and all that is left out is counted. Folders for OUT are made, "
    "with those above them. A manifest has more: patterns and folders, options and "
    "output of each asset; see --dump-config. Options on the command line override a manifest. "
    "An editor completes and checks a manifest that begins with '# yaml-language-server: "
    "$schema=' and the path of kiln.manifest.schema.json, in PREFIX/share/kiln.\n\nSeveral "
    "assets are baked at once. When one fails, the others are still baked, each failure is named "
    "at the end, and the exit status is the worst one. On a terminal, each has a line with its "
    "triangles, the bytes of the file for each, seconds and what was left out; a single IN, and "
    "each under -v, has a full report. Warnings that are equal but for the model are printed once, "
    "with the first model, and counted at the end. The last line counts what was baked, and its "
    "seconds and bytes. After a signal to terminate no further "
    "bake is started, and those that remain are named; every file is completely the old or "
    "completely the new one.\n\nNo input and no file that an input refers to is replaced, by "
    "whatever name or link OUT leads to it. An existing OUT that is no kiln file, whatever "
    "its name, and an existing file in the place of --depfile, --junit or --report that is no "
    "depfile, "
    "JUnit report or report page of kiln have to be removed first. Of a hard link only the name "
    "OUT gets the new "
    "bytes; the permissions of the "
    "file "
    "that was there are kept. "
    "If a cache can't be used, that is reported and no bake fails. A list, a folder or a manifest "
    "without "
    "assets is an error, unless --allow-empty is given.\n\nWith --max-memory each of several IN "
    "is baked in a process of its own, with a share of the memory that is estimated from its "
    "size. One that needs more is started again with four times as much, and at last alone with "
    "all of it. Resident memory counts, except that of mapped files, so neither code nor memory "
    "that is reserved and not used. In addition, the command uses about 6 MiB, and 1 MiB for "
    "each thread.\n\n--bv auto bakes every kind of tree with leaves of 2, 4 and 8 triangles by "
    "--builder, and the best kind by reinsert as well, replays the poses of --trace against the "
    "file of --against, and keeps the tree whose boolean queries cost least, within --max-bytes. "
    "What queries do is counted, and counts are multiplied by nanoseconds that are constants of "
    "this version, so that no clock and no machine decides; kiln info --costs measures what came "
    "of it. It takes as long as that many bakes, --leaf does not count, and --split and --adb are "
    "refused. A report (on a terminal, under -v, or as JSON) has the table.\n\n--report writes "
    "a page that opens in a browser from a folder and loads nothing. A row sorts by each "
    "column; what an earlier page at the same path said of the same OUT is compared with it. Of an "
    "OUT "
    "that was not baked again, warnings and seconds are those of the page before. The page itself "
    "has times in it, and what has changed since the one before, so that it is no reproducible "
    "file.\n\nThe same source "
    "bytes and options give the same file, whatever the threads, "
    "the order, the folder, the locale and the clock.",
    bake_options,
    BAKE_OPTION_COUNT,
    0,
    -1,
    bake_run,
};
