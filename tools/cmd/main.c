/* The kiln command. A new verb is a file beside this one and a row in the table below. */
#define _XOPEN_SOURCE 700

#include "kit/completion.h"
#include "kit/help.h"
#include "kit/report.h"
#include "kit/signals.h"
#include "kit/options.h"
#include "kit/version.h"
#include "verbs/verbs.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const verb *const verbs[] = {
    &verb_bake,     &verb_info,     &verb_verify,    &verb_diff,
    &verb_collide,  &verb_query,    &verb_unpack,    &verb_upgrade,
    &verb_plan,     &verb_cache_gc, &verb_lut_bins,  &verb_lut_check,
    &verb_lut_show, &verb_lut_plot, &verb_calibrate, &verb_bench_adb,
};

/* What follows the first word of a name of two, or NULL. */
static const char *second_word(const verb *of, const char *first)
{
    const size_t length = strlen(first);
    const bool starts = strncmp(of->name, first, length) == 0 && of->name[length] == ' ';
    return starts ? of->name + length + 1 : NULL;
}

/* *words gets how many arguments name it. */
static const verb *find_verb(int argc, char **argv, int *words)
{
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        const char *second = second_word(verbs[i], argv[1]);
        *words = second != NULL ? 2 : 1;
        if (second != NULL ? argc > 2 && strcmp(second, argv[2]) == 0
                           : strcmp(verbs[i]->name, argv[1]) == 0) {
            return verbs[i];
        }
    }
    return NULL;
}

/* Help of all verbs that start with a word; false: there are none. */
static bool help_group(const char *first)
{
    bool any = false;
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        if (second_word(verbs[i], first) != NULL) {
            fputs(any ? "\n" : "", stdout);
            help_verb(stdout, verbs[i]);
            any = true;
        }
    }
    return any;
}

/* Of the command, or of a verb by the name of its page; false: there is none. */
static bool print_manual(const char *page)
{
    if (page == NULL) {
        manual_command(stdout, verbs, COUNT_OF(verbs));
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        if (manual_is_page_of(verbs[i], page)) {
            manual_verb(stdout, verbs[i]);
            return true;
        }
    }
    return false;
}

/* A name of one word; groups of two are told by what follows their first. A file may be named first by
 * who has not read on. */
static int report_unknown(const char *word)
{
    if (access(word, F_OK) == 0) {
        return report_command_usage(
            "there is no verb '%s', it is a file; kiln bake %s -o OUT.kiln bakes it", word, word);
    }
    suggestion near = suggestion_for(word, strlen(word));
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        suggestion_try(&near, verbs[i]->name);
    }
    if (near.best == NULL) {
        return report_command_usage("there is no verb '%s'", word);
    }
    return report_command_usage("there is no verb '%s'; did you mean %s?", word, near.best);
}

static int report_no_verb(int argc, char **argv)
{
    char names[256] = "";
    for (size_t i = 0; i < COUNT_OF(verbs); i++) {
        const char *second = second_word(verbs[i], argv[1]);
        const size_t used = strlen(names);
        if (second != NULL) {
            (void)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", second);
        }
    }
    if (names[0] == '\0') {
        return report_unknown(argv[1]);
    }
    if (argc == 2) {
        return report_command_usage("%s is followed by one of %s", argv[1], names);
    }
    return report_command_usage("%s is followed by one of %s, not '%s'", argv[1], names, argv[2]);
}

/* Is `word` among the arguments before "--"? Known before parsing, which may already fail. */
static bool has_argument(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static int run_verb(const verb *of, int argc, char **argv)
{
    if (has_argument(argc, argv, "--help")) {
        help_verb(stdout, of);
        return report_end(EXIT_DONE);
    }
    report_begin(of->name, has_argument(argc, argv, "--json"));
    const int status = report_end(of->run(argc, argv));
    signals_end();
    return status;
}

/* Of standard input, output and error, what is closed gets a descriptor that can't be used as such: else
 * the next file that is opened would be taken for it. */
static void keep_standard_descriptors(void)
{
    static const int modes[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", modes[i] | O_NOCTTY) != i) {
            _exit(EXIT_IO); /* there is nowhere to say it */
        }
    }
}

int main(int argc, char **argv)
{
    keep_standard_descriptors();
    signals_set();
    if (argc < 2) {
        help_command(stderr, verbs, COUNT_OF(verbs));
        return EXIT_USAGE;
    }
    int words;
    const verb *of = find_verb(argc, argv, &words);
    if (of != NULL) {
        return run_verb(of, argc - words, argv + words);
    }
    report_begin(argv[1], has_argument(argc, argv, "--json"));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        help_command(stdout, verbs, COUNT_OF(verbs));
    } else if (strcmp(argv[1], "--version") == 0) {
        version_print();
    } else if (strcmp(argv[1], "--man") == 0) {
        if (!print_manual(argc > 2 ? argv[2] : NULL)) {
            return report_end(report_command_usage("--man: there is no verb '%s'", argv[2]));
        }
    } else if (strcmp(argv[1], "--completion") == 0) {
        if (argc != 3 || !completion_print(stdout, argv[2], verbs, COUNT_OF(verbs))) {
            return report_end(report_command_usage("--completion takes one of bash, zsh, fish"));
        }
    } else if (!has_argument(argc - 1, argv + 1, "--help") || !help_group(argv[1])) {
        return report_end(report_no_verb(argc, argv));
    }
    return report_end(EXIT_DONE);
}
