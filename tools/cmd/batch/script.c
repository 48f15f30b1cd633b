/* See script.h. What is printed calls "kiln", or what KILN in the environment of the run says (make and
 * ninja have variables of their own for it). Names are quoted three times over: for the shell, then for
 * make or ninja, whose manuals say which characters mean something in a rule. */
#include "script.h"

#include "farm.h"
#include "../kit/report.h"
#include "../kit/version.h"

#include <stdio.h>
#include <string.h>

/* Writes text with every character of `special` behind `escape`. */
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

/* A name that kiln bake takes for an input whatever it starts with. */
static void put_input(const char *input, bool dollar)
{
    fputs(input[0] == '@' ? "./" : "", stdout);
    put_word(input, dollar);
}

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

static void put_value(const option *entry, const void *field, bool dollar)
{
    if (entry->kind == OPTION_TEXT) {
        put_word(*(const char *const *)field, dollar);
    } else if (entry->kind == OPTION_INTEGER) {
        printf("%d", *(const int *)field);
    } else if (entry->kind == OPTION_REAL) {
        printf("%.17g", *(const double *)field);
    } else {
        const char *choices = entry->choices;
        for (int i = *(const int *)field; i > 0; i--) {
            choices += strcspn(choices, "|") + 1;
        }
        printf("%.*s", (int)strcspn(choices, "|"), choices);
    }
}

/* " --leaf=8 --strict": the options of an asset that are not what they are without being given. */
static void put_options(const job *asset, bool dollar)
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
        if (entry->kind != OPTION_FLAG) {
            putchar('=');
            put_value(entry, field, dollar);
        }
    }
}

static void put_cache(const char *cache, bool dollar)
{
    if (cache != NULL) {
        fputs(" --cache=", stdout);
        put_word(cache, dollar);
    }
}

/* The arguments of kiln bake for one asset. */
static void put_arguments(const job *asset, const char *cache, bool dollar)
{
    fputs(" -o ", stdout);
    put_word(asset->output, dollar);
    put_options(asset, dollar);
    put_cache(cache, dollar);
    fputs(" -- ", stdout);
    put_input(asset->input, dollar);
}

/* The folder of an output as a word, which mkdir takes for no option; "." for none. */
static void put_folder(const char *output, bool dollar)
{
    fputs(output[0] == '-' && strchr(output, '/') != NULL ? "./" : "", stdout);
    const char *slash = strrchr(output, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - output),
             slash == NULL ? "." : output);
    put_word(folder[0] != '\0' ? folder : "/", dollar);
}

/* ---------------------------------------------------------------------------------------- ninja -- */

/* Of names in rules ninja takes off "./", which tells an input from a list: then the command has it. */
static bool looks_like_list(const char *input)
{
    while (input[0] == '.' && input[1] == '/') {
        input += 1 + strspn(input + 1, "/");
    }
    return input[0] == '@';
}

static void print_ninja(const plan *of, const char *cache)
{
    fputs("ninja_required_version = 1.5\n"
          "kiln = kiln\n"
          "rule bake\n"
          "  command = $kiln bake -q -j1 -o $out $options --depfile $out.d -- $folder$in\n"
          "  depfile = $out.d\n"
          "  deps = gcc\n"
          "  description = bake $out\n",
          stdout);
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        fputs("build ", stdout);
        put_escaped(asset->output, "$: ", '$');
        fputs(": bake ", stdout);
        put_escaped(asset->input, "$: ", '$');
        fputs(looks_like_list(asset->input) ? "\n  folder = ./" : "", stdout);
        fputs("\n  options =", stdout);
        put_options(asset, true);
        put_cache(cache, true);
        putchar('\n');
    }
}

/* ----------------------------------------------------------------------------------------- make -- */

/* In targets and prerequisites. */
static void put_make_name(const char *name)
{
    for (; *name != '\0'; name++) {
        if (strchr(" #:%\\", *name) != NULL) {
            putchar('\\');
        } else if (*name == '$') {
            putchar('$');
        }
        putchar(*name);
    }
}

static void print_make(const plan *of, const char *cache)
{
    fputs("KILN ?= kiln\n.PHONY: bake\n.DELETE_ON_ERROR:\nbake:", stdout);
    for (size_t i = 0; i < of->count; i++) {
        fputs(" \\\n  ", stdout);
        put_make_name(of->jobs[i].output);
    }
    putchar('\n');
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        char depfile[4200];
        snprintf(depfile, sizeof depfile, "%s.d", asset->output);
        put_make_name(asset->output);
        fputs(": ", stdout);
        put_make_name(asset->input);
        fputs("\n\t@mkdir -p ", stdout);
        put_folder(asset->output, true);
        fputs("\n\t$(KILN) bake -q --depfile ", stdout);
        put_word(depfile, true);
        put_arguments(asset, cache, true);
        fputs("\n-include ", stdout);
        put_make_name(depfile);
        putchar('\n');
    }
}

/* ------------------------------------------------------------------------------------- commands -- */

void script_put_line(const job *asset, const char *cache)
{
    char version[VERSION_OF_BYTES_SIZE];
    version_of_bytes(version);
    fputs("mkdir -p ", stdout);
    put_folder(asset->output, false);
    printf(" && ${KILN:-kiln} bake -q -j1 --if-changed --need-version=%s", version);
    put_arguments(asset, cache, false);
}

/* A line of shell an asset, for parallel, xargs or sh. */
static void print_parallel(const plan *of, const char *cache)
{
    for (size_t i = 0; i < of->count; i++) {
        script_put_line(&of->jobs[i], cache);
        putchar('\n');
    }
}

/* A script of an array of tasks, each of which takes every so many-th asset, beginning with its own. */
static void print_slurm(const plan *of, const char *cache)
{
    const size_t most = 1000; /* arrays of more need another MaxArraySize */
    const size_t tasks = of->count < most ? of->count : most;
    char version[VERSION_OF_BYTES_SIZE];
    version_of_bytes(version);
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

/* --------------------------------------------------------------------------------------- checks -- */

static bool has_control_character(const char *name)
{
    while ((unsigned char)*name >= 0x20 && *name != 0x7F) {
        name++;
    }
    return *name != '\0';
}

/* What the format has no way to write of the name, or NULL. */
static const char *unwritable(const char *name, script_format format)
{
    if (strchr(name, '\n') != NULL) {
        return "has a line break";
    }
    if ((format == SCRIPT_NINJA || format == SCRIPT_MAKE) && has_control_character(name)) {
        return "has a control character";
    }
    if (format == SCRIPT_NINJA &&
        (strpbrk(name, ":'\"&;<>|*?`^") != NULL || strstr(name, "\\#") != NULL)) {
        return "has what ninja does not read in a depfile (:'\"&;<>|*?`^ or \\#)";
    }
    if (format == SCRIPT_MAKE && strpbrk(name, ":%\\*?[;|=~") != NULL) {
        return "has a character that means something in a rule (:%\\*?[;|=~)";
    }
    if (format == SCRIPT_MAKE && name[0] != '\0' && name[strlen(name) - 1] == ' ') {
        return "has a blank at its end";
    }
    return strcmp(name, "-") == 0 ? "is '-', standard input or output" : NULL;
}

int script_print(const plan *of, script_format format, const char *cache)
{
    static const char *const names[] = {"ninja", "make", "parallel", "slurm", "farm"};
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
        print_parallel(of, cache);
        break;
    case SCRIPT_FARM:
        return farm_print(of, cache);
    default:
        print_slurm(of, cache);
    }
    return EXIT_DONE;
}
