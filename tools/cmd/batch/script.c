/* Prints a plan as work for other programs: ninja, make, GNU parallel, Slurm, or hosts that share
 * no disk. Whatever runs it, the work on one asset is one call of kiln bake, so that the bytes are
 * those of a batch.
 *
 * The scripts call "kiln", or what KILN in the environment of their run says; make and ninja have
 * variables of their own for it. Names are quoted for up to three readers: for the shell, for make
 * or ninja, which read a command before the shell does, and for rules, whose special characters the
 * manuals of make and ninja list. A name that a format has no way to write is refused before
 * anything is printed.
 *
 * The file has the words of a command first, then a function for each format, the check of names,
 * and script_print. */
#include "script.h"

#include "../../../formats/assert.h"
#include "../kit/report.h"
#include "../kit/version.h"
#include "rule_name.h"
#include "source_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes a text with `escape` before every character of `special`. */
static void put_escaped(const char *text, const char *special, char escape)
{
    for (; *text != '\0'; text++) {
        if (strchr(special, *text) != NULL) {
            putchar(escape);
        }
        putchar(*text);
    }
}

/* A word of a shell command, in quotes where it needs them; `dollar` also doubles '$', for make and
 * ninja, which look at a command first. */
static void put_word(const char *text, bool dollar)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:+=@%";
    const bool quoted = text[0] == '\0' || text[strspn(text, plain)] != '\0';
    putchar(quoted ? '\'' : *text);
    for (text += !quoted; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs("'\\''", stdout);
        } else {
            fputs(*text == '$' && dollar ? "$" : "", stdout);
            putchar(*text);
        }
    }
    fputs(quoted ? "'" : "", stdout);
}

/* Do two settings have the same value of an option? */
static bool is_same(const option *entry, const void *a, const void *b)
{
    switch (entry->kind) {
    case OPTION_FLAG:
        return *(const bool *)a == *(const bool *)b;
    case OPTION_TEXT: {
        const char *one = *(const char *const *)a, *other = *(const char *const *)b;
        return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
    }
    case OPTION_REAL:
        return *(const double *)a <= *(const double *)b && *(const double *)a >= *(const double *)b;
    default:
        return *(const int *)a == *(const int *)b;
    }
}

/* " --leaf=8 --strict --cache=DIR": the options of an asset that differ from the defaults. `cache`
 * may be NULL. */
static void put_options(const job *asset, const char *cache, bool dollar)
{
    const bake_settings plain = bake_settings_default();
    for (size_t i = 0; i < BAKE_OPTION_COUNT; i++) {
        const option *entry = &bake_options[i];
        const void *field = (const char *)&asset->settings + entry->field;
        if (!bake_option_is_of_asset(entry) ||
            is_same(entry, field, (const char *)&plain + entry->field)) {
            continue;
        }
        printf(" --%s", entry->name);
        if (entry->kind == OPTION_FLAG) {
            continue;
        }
        putchar('=');
        if (entry->kind == OPTION_TEXT) {
            put_word(*(const char *const *)field, dollar);
        } else {
            bake_option_print(entry, &asset->settings);
        }
    }
    if (asset->settings.side_files != NULL) {
        fputs(" --side-files=", stdout);
        put_word(asset->settings.side_files, dollar);
    }
    if (asset->settings.importer != NULL) {
        fputs(" --importer=", stdout);
        put_word(asset->settings.importer, dollar);
    }
    if (cache != NULL) {
        fputs(" --cache=", stdout);
        put_word(cache, dollar);
    }
}

/* The versions that the bytes of a plan's outputs depend on: they stand in rules, so that a plan of
 * another kiln or importer has other rules. Assets share one importer, or none is named. */
static void put_versions(const plan *of)
{
    char versions[VERSION_OF_BYTES_SIZE];
    version_of_bytes(of->count > 0 ? of->jobs[0].settings.importer : NULL, versions);
    fputs(versions, stdout);
}

/* The arguments of kiln bake for one asset. "./" keeps an input from being read as a list. */
static void put_arguments(const job *asset, const char *cache, bool dollar)
{
    fputs(" -o ", stdout);
    put_word(asset->output, dollar);
    put_options(asset, cache, dollar);
    fputs(asset->input[0] == '@' ? " -- ./" : " -- ", stdout);
    put_word(asset->input, dollar);
}

/* The folder of an output as a word that mkdir does not take for an option; "." where the output
 * has no folder. */
static void put_folder(const char *output, bool dollar)
{
    fputs(output[0] == '-' && strchr(output, '/') != NULL ? "./" : "", stdout);
    const char *slash = strrchr(output, '/');
    char folder[4096];
    KILN_ASSERT(output[0] != '\0');
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - output),
             slash == NULL ? "." : output);
    put_word(folder[0] != '\0' ? folder : "/", dollar);
}

/* -- ninja -- */

/* One rule, and a build statement for each asset. An output that is left as it was, because only
 * time stamps have changed, makes nothing else out of date (restat). Depfiles stay where they are:
 * "deps = gcc" would delete them, and so change folders that rules watch. ninja makes the folders
 * of outputs itself.
 *
 * It does compare commands, which end in the versions as a comment of the shell. */
static void print_ninja(const plan *of, const char *cache)
{
    fputs("ninja_required_version = 1.5\n"
          "kiln = kiln\n"
          "versions = ",
          stdout);
    put_versions(of);
    fputs("\nrule bake\n"
          "  command = $kiln bake -q -j1 --if-changed -o $out $options --depfile $out.d "
          "--depfile-programs -- "
          "$folder$in # $versions\n"
          "  restat = 1\n"
          "  depfile = $out.d\n"
          "  description = bake $out\n",
          stdout);
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        /* ninja takes "./" off a name in a rule, though it distinguishes an input "./@a" from the
         * list "@a"; the command of such an input gets it back. */
        const char *bare = asset->input;
        while (bare[0] == '.' && bare[1] == '/') {
            bare += 1 + strspn(bare + 1, "/");
        }
        fputs("build ", stdout);
        put_escaped(asset->output, "$: ", '$');
        fputs(": bake ", stdout);
        put_escaped(asset->input, "$: ", '$');
        fputs(bare[0] == '@' ? "\n  folder = ./" : "", stdout);
        fputs("\n  options =", stdout);
        put_options(asset, cache, true);
        putchar('\n');
    }
}

/* -- make -- */

/* A name as a target or a prerequisite. */
static void put_make_name(const char *name)
{
    char escaped[RULE_NAME_SIZE];
    (void)rule_name_escape(name, escaped);
    fputs(escaped, stdout);
}

/* A rule for each asset, below one for all of them. An output that is left as it was is touched:
 * make would run its recipe again in every build, for a prerequisite that is newer.
 *
 * make does not compare commands, so the file with the rules is a prerequisite of them all: when a
 * new plan is written there, with other options or versions, --if-changed finds the outputs that
 * they change. Rules that make reads from standard input are in a temporary file, which is there as
 * make reads it and gone when they run: Gm and six characters, in the folder that MAKE_TMPDIR or
 * TMPDIR names, or in /tmp. A name with blanks is several words to make, and one with ':', ';' or
 * '|' more than a prerequisite: neither is watched. Brackets would be read as a pattern. */
static void print_make(const plan *of, const char *cache)
{
    fputs("# Of ", stdout);
    put_versions(of);
    fputs("\nKILN ?= kiln\n"
          "kiln_rules := $(lastword $(MAKEFILE_LIST))\n"
          "kiln_gone := $(foreach f,$(MAKE_TMPDIR) $(TMPDIR) /tmp,$f/Gm?????? $fGm?????? )\n"
          "kiln_gone := $(filter $(subst %,\\%,$(kiln_rules)),$(wildcard $(kiln_gone)))\n"
          "kiln_rules := $(if $(kiln_gone),,$(if $(realpath $(kiln_rules)),$(kiln_rules)))\n"
          "kiln_gone := $(foreach c,: ; |,$(findstring $c,$(kiln_rules)))\n"
          "kiln_rules := $(if $(strip $(kiln_gone)),,$(subst [,\\[,$(kiln_rules)))\n"
          ".PHONY: bake\n.DELETE_ON_ERROR:\nbake:",
          stdout);
    for (size_t i = 0; i < of->count; i++) {
        fputs(" \\\n  ", stdout);
        put_make_name(of->jobs[i].output);
    }
    putchar('\n');
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        char depfile[RULE_NAME_LENGTH_MAX + 4];
        snprintf(depfile, sizeof depfile, "%s.d", asset->output);
        put_make_name(asset->output);
        fputs(": ", stdout);
        put_make_name(asset->input);
        fputs(" $(kiln_rules)\n\t@mkdir -p ", stdout);
        put_folder(asset->output, true);
        fputs("\n\t$(KILN) bake -q --if-changed --depfile-programs --depfile ", stdout);
        put_word(depfile, true);
        put_arguments(asset, cache, true);
        fputs("\n\t@touch -c -- ", stdout);
        put_word(asset->output, true);
        fputs("\n-include ", stdout);
        put_make_name(depfile);
        putchar('\n');
    }
}

/* -- lines of shell -- */

/* The command that bakes one asset and makes the folder of its output, without a line break. */
static void put_line(const job *asset, const char *cache)
{
    char version[VERSION_OF_BYTES_SIZE];
    version_of_bytes(asset->settings.importer, version);
    fputs("mkdir -p ", stdout);
    put_folder(asset->output, false);
    printf(" && ${KILN:-kiln} bake -q -j1 --if-changed --need-version=%s", version);
    put_arguments(asset, cache, false);
}

/* A script of an array of tasks. Task t bakes the assets t, t + count, t + 2 count and so on. */
static void print_slurm(const plan *of, const char *cache)
{
    const size_t most = 1000; /* more need another MaxArraySize */
    const size_t tasks = of->count < most ? of->count : most;
    char version[VERSION_OF_BYTES_SIZE];
    version_of_bytes(of->count > 0 ? of->jobs[0].settings.importer : NULL, version);
    printf("#!/bin/sh\n#SBATCH --job-name=kiln-bake\n#SBATCH --array=0-%zu\n"
           "#SBATCH --cpus-per-task=1\n"
           "task=${SLURM_ARRAY_TASK_ID:?is not set: run this by sbatch} count=%zu at=0 worst=0\n"
           "bake() {\n"
           "    at=$((at + 1))\n"
           "    [ $(((at - 1) %% count)) -eq \"$task\" ] || return 0\n"
           "    mkdir -p \"$1\" || worst=2\n"
           "    shift\n"
           "    ${KILN:-kiln} bake -q -j \"${SLURM_CPUS_PER_TASK:-1}\" --if-changed "
           "--need-version=%s \"$@\"\n"
           "    status=$?\n"
           "    [ $status -le $worst ] || worst=$status\n"
           "}\n",
           tasks > 0 ? tasks - 1 : 0, tasks > 0 ? tasks : 1, version);
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        fputs("bake ", stdout);
        put_folder(asset->output, false);
        put_arguments(asset, cache, false);
        putchar('\n');
    }
    fputs("exit $worst\n", stdout);
}

/* -- hosts that share no disk -- */

/* The script has a table with a line for each asset: command, output, input and the files that the
 * input refers to, separated by tabs. GNU parallel has rsync bring the files of a line to a host,
 * into a folder made for it, and the output back. It takes a fixed number of files, so lines with
 * fewer repeat the input.
 *
 * To the host that it runs on parallel brings nothing, and yet runs the command in a folder of its
 * own; only there is the variable KILN_HERE set, by which the command goes back.
 *
 * The manual of parallel (20221122) leaves open what its source decides: a host lost between the
 * end of a job and the return of its output counts as done. So the whole table is run here at the
 * end. What came back is found up to date by its bytes, and what did not is baked. */

#define FROM_ABOVE "; plan in a folder that all files of it are below, with paths from there"

/* Says why a host has no place for a path, and what to do; NULL where it has one. */
static const char *misplaced(const char *path)
{
    if (path[0] == '/') {
        return "starts at the root" FROM_ABOVE;
    }
    if (strchr(path, '\t') != NULL || strchr(path, '\n') != NULL) {
        return "has a tab or a line break in it; rename it";
    }
    for (const char *at = path; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) {
            return "leads out of the folder, by '..'" FROM_ABOVE;
        }
    }
    return NULL;
}

static int check_path(const job *asset, const char *path)
{
    const char *what = misplaced(path);
    return what == NULL ? EXIT_DONE
                        : report_error(EXIT_UNSUPPORTED, asset->input,
                                       "can't stand in a plan for farm; '%.500s' %s", path, what);
}

/* Checks the names as they are given and as they are brought. */
static int check_asset(const job *asset, const source_files *list)
{
    int status = check_path(asset, asset->output);
    if (list->up_to_date || status != EXIT_DONE) {
        return status;
    }
    status = check_path(asset, asset->input);
    bake_file files[BAKE_FILES_MAX];
    const size_t count = bake_settings_files(&asset->settings, files);
    for (size_t k = 0; k < count && status == EXIT_DONE; k++) {
        status = check_path(asset, files[k].path);
    }
    for (size_t k = 0; k < list->count && status == EXIT_DONE; k++) {
        status = check_path(asset, list->paths[k]);
    }
    return status;
}

static int print_farm(const plan *of, const char *cache)
{
    size_t columns = 1, count = 0;
    int status = EXIT_DONE;
    if (cache != NULL && cache[0] != '/') {
        return report_usage("--cache of a farm is a folder of each host and starts with '/'");
    }
    source_files *lists = calloc(of->count + 1, sizeof *lists);
    if (lists == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    status = source_files_find(of, lists);
    for (size_t i = 0; i < of->count && status == EXIT_DONE; i++) {
        status = check_asset(&of->jobs[i], &lists[i]);
    }
    if (status != EXIT_DONE) {
        goto done;
    }
    for (size_t i = 0; i < of->count; i++) {
        columns = lists[i].count > columns ? lists[i].count : columns;
        count += !lists[i].up_to_date;
    }
    printf("#!/bin/sh\n"
           "# Has hosts that share no disk bake %zu asset%s, by GNU parallel, ssh and rsync, and "
           "bakes here what they\n"
           "# have not. Run it in the folder that it was planned in, with the hosts, how many jobs "
           "each takes at\n"
           "# once, and what else parallel is to know:\n"
           "#     sh SCRIPT --sshlogin 8/alpha,16/beta --joblog log\n"
           "# This host, ':', may be among them. PARALLEL_SSH says how ssh is called; a host that "
           "does not answer\n"
           "# it any more is given up.\n"
           "table() {\n    cat <<'END'\n",
           count, count == 1 ? "" : "s");
    /* "./" keeps rsync from taking a name for an option or for a host. */
    for (size_t i = 0; i < of->count; i++) {
        if (lists[i].up_to_date) {
            continue;
        }
        KILN_ASSERT(lists[i].count > 0 && lists[i].count <= columns);
        put_line(&of->jobs[i], cache);
        printf("\t./%s", of->jobs[i].output);
        for (size_t k = 0; k < columns; k++) {
            printf("\t./%s", lists[i].paths[k < lists[i].count ? k : 0]);
        }
        putchar('\n');
    }
    fputs("END\n}\n"
          ": \"${PARALLEL_SSH:=ssh -o ConnectTimeout=5 -o ServerAliveInterval=15 -o "
          "ServerAliveCountMax=3"
          " -o ControlMaster=auto -o ControlPath=~/.ssh/kiln-%C -o ControlPersist=60}\"\n"
          "export PARALLEL_SSH RSYNC_OLD_ARGS=1 KILN_HERE=\"$PWD\"\n"
          "table | parallel --colsep '\\t' --trim n --return {2}",
          stdout);
    for (size_t k = 0; k < columns; k++) {
        printf(" --transferfile {%zu}", k + 3);
    }
    fputs(" \\\n    --cleanup --workdir ... --rsync-opts -rLDzR --retries 3 --ungroup \"$@\" \\\n"
          "    'cd \"${KILN_HERE:-.}\" && {=1 uq() =}'\n"
          "table | parallel --colsep '\\t' '{=1 uq() =}'\n",
          stdout);
done:
    source_files_free(lists, of->count);
    free(lists);
    return status;
}

/* -- names -- */

/* Says what the format has no way to write in a name; NULL where it can write all of it. */
static const char *unwritable(const char *name, script_format format)
{
    if (strchr(name, '\n') != NULL) {
        return "has a line break";
    }
    if (strcmp(name, "-") != 0 && (format == SCRIPT_NINJA || format == SCRIPT_MAKE)) {
        return rule_name_fault(name); /* the commands write depfiles */
    }
    return strcmp(name, "-") == 0 ? "is '-', standard input or output" : NULL;
}

int script_print(const plan *of, script_format format, const char *cache)
{
    static const char *const names[] = {"ninja", "make", "parallel", "slurm", "farm"};
    KILN_ASSERT((size_t)format < COUNT_OF(names));
    for (size_t i = 0; i < of->count; i++) {
        const char *of_input = unwritable(of->jobs[i].input, format);
        const char *what = of_input != NULL ? of_input : unwritable(of->jobs[i].output, format);
        if (what != NULL) {
            return report_error(
                EXIT_UNSUPPORTED, of->jobs[i].input,
                "can't stand in a plan for %s; its name or its output %s; rename it", names[format],
                what);
        }
    }
    switch (format) {
    case SCRIPT_NINJA:
        print_ninja(of, cache);
        break;
    case SCRIPT_MAKE:
        print_make(of, cache);
        break;
    case SCRIPT_PARALLEL:
        for (size_t i = 0; i < of->count; i++) {
            put_line(&of->jobs[i], cache);
            putchar('\n');
        }
        break;
    case SCRIPT_FARM:
        return print_farm(of, cache);
    default:
        print_slurm(of, cache);
    }
    return EXIT_DONE;
}
