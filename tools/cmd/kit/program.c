/* The main program of a table of verbs: finds the verb that the arguments name, and runs it.
 *
 * Most names have one word; those of two, such as "lut bins", form a group that shares the first.
 * program_main() secures the standard descriptors and sets the signals before anything else, then
 * either a verb runs between report_begin() and report_end(), or an option in place of a verb is
 * answered from the table. */
#define _XOPEN_SOURCE 700

#include "program.h"

#include "completion.h"
#include "help.h"
#include "options.h"
#include "report.h"
#include "signals.h"
#include "version.h"

#include "../../../formats/assert.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The second word of a name that starts with the word `first`, or NULL. */
static const char *second_word(const verb *of, const char *first)
{
    const size_t length = strlen(first);
    const bool starts = strncmp(of->name, first, length) == 0 && of->name[length] == ' ';
    return starts ? of->name + length + 1 : NULL;
}

/* Finds the verb that the arguments begin with; *words gets how many of them name it. */
static const verb *find_verb(int argc, char **argv, int *words)
{
    KILN_ASSERT(argc >= 2);
    for (size_t i = 0; i < this_program.verb_count; i++) {
        const char *second = second_word(this_program.verbs[i], argv[1]);
        *words = second != NULL ? 2 : 1;
        if (second != NULL ? argc > 2 && strcmp(second, argv[2]) == 0
                           : strcmp(this_program.verbs[i]->name, argv[1]) == 0) {
            return this_program.verbs[i];
        }
    }
    return NULL;
}

/* Prints the help of all verbs of a group. False: no verb starts with this word. */
static bool help_group(const char *first)
{
    bool any = false;
    for (size_t i = 0; i < this_program.verb_count; i++) {
        if (second_word(this_program.verbs[i], first) != NULL) {
            fputs(any ? "\n" : "", stdout);
            help_verb(stdout, this_program.verbs[i]);
            any = true;
        }
    }
    return any;
}

/* Prints the manual page of the command (`page` NULL), or of a verb. False: there is no such
 * page. */
static bool print_manual(const char *page)
{
    if (page == NULL) {
        manual_command(stdout, this_program.verbs, this_program.verb_count);
        return true;
    }
    for (size_t i = 0; i < this_program.verb_count; i++) {
        if (manual_is_page_of(this_program.verbs[i], page)) {
            manual_verb(stdout, this_program.verbs[i]);
            return true;
        }
    }
    return false;
}

/* Reports a word that is no verb: as the first word of a group, as a file, which is a usual first
 * attempt, or with the verb that may be meant. */
static int report_no_verb(int argc, char **argv)
{
    const char *word = argv[1];
    char names[256] = ""; /* second words of the group */
    suggestion near = suggestion_for(word, strlen(word));
    for (size_t i = 0; i < this_program.verb_count; i++) {
        const char *second = second_word(this_program.verbs[i], word);
        const size_t used = strlen(names);
        if (second != NULL) {
            (void)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? ", " : "", second);
        }
        suggestion_try(&near, this_program.verbs[i]->name);
    }
    KILN_ASSERT(strlen(names) + 1 < sizeof names);
    if (names[0] != '\0' && argc == 2) {
        return report_command_usage("%s is followed by one of %s", word, names);
    }
    if (names[0] != '\0') {
        return report_command_usage("%s is followed by one of %s, not '%s'", word, names, argv[2]);
    }
    if (access(word, F_OK) == 0) {
        return report_command_usage("there is no verb '%s', it is a file; %s %s %s %s", word,
                                    this_program.name, this_program.file_verb, word,
                                    this_program.file_rest);
    }
    if (near.best == NULL) {
        return report_command_usage("there is no verb '%s'", word);
    }
    return report_command_usage("there is no verb '%s'; did you mean %s?", word, near.best);
}

/* Is `word` among the arguments before "--"? This must be known before options are parsed, which
 * may already fail. */
static bool has_argument(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], word) == 0) {
            return true;
        }
    }
    return false;
}

/* No verb has an option of the letter h. */
static bool wants_help(int argc, char **argv)
{
    return has_argument(argc, argv, "--help") || has_argument(argc, argv, "-h");
}

/* Opens /dev/null in place of each standard descriptor that is closed, in a mode that its user
 * cannot work with; otherwise the next file that is opened would be taken for it, and overwritten
 * by messages. */
static void keep_standard_descriptors(void)
{
    static const int modes[3] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int i = 0; i < 3; i++) {
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", modes[i] | O_NOCTTY) != i) {
            _exit(EXIT_IO); /* there is no descriptor for a message */
        }
    }
}

/* Dispatches on the first argument: nothing, a verb, an option in place of a verb, or an error.
 * --json and --help are looked for before a verb parses its options, because both must work when it
 * fails. */
int program_main(int argc, char **argv)
{
    keep_standard_descriptors();
    signals_set();
    options_find_color(argc, argv);
    if (argc < 2) {
        help_command(stderr, this_program.verbs, this_program.verb_count);
        return EXIT_USAGE;
    }
    int words;
    const verb *of = find_verb(argc, argv, &words);
    if (of != NULL && wants_help(argc - words, argv + words)) {
        help_verb(stdout, of);
        return report_end(EXIT_DONE);
    }
    if (of != NULL) {
        report_begin(of->name, has_argument(argc - words, argv + words, "--json"));
        const int status = report_end(of->run(argc - words, argv + words));
        signals_end(); /* a noted signal ends the process now */
        return status;
    }
    report_begin(argv[1], has_argument(argc, argv, "--json"));
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        /* "help bake" is "bake --help"; an option after it is none of help's. */
        const bool of_verb = argc > 2 && argv[2][0] != '-';
        of = of_verb ? find_verb(argc - 1, argv + 1, &words) : NULL;
        if (of != NULL) {
            help_verb(stdout, of);
        } else if (!of_verb) {
            help_command(stdout, this_program.verbs, this_program.verb_count);
        } else if (!help_group(argv[2])) {
            return report_end(report_no_verb(argc - 1, argv + 1));
        }
    } else if (strcmp(argv[1], "--version") == 0) {
        version_print();
    } else if (strcmp(argv[1], "--man") == 0) {
        if (!print_manual(argc > 2 ? argv[2] : NULL)) {
            return report_end(report_command_usage("--man: there is no verb '%s'", argv[2]));
        }
    } else if (strcmp(argv[1], "--completion") == 0) {
        if (argc != 3 ||
            !completion_print(stdout, argv[2], this_program.verbs, this_program.verb_count)) {
            return report_end(report_command_usage("--completion takes one of bash, zsh, fish"));
        }
    } else if (!wants_help(argc - 1, argv + 1) || !help_group(argv[1])) {
        return report_end(report_no_verb(argc, argv));
    }
    return report_end(EXIT_DONE);
}
