/* Parsing of a verb's arguments by its table of options, and suggestions for words that are in no
 * table.
 *
 * options_parse_given() goes through the arguments once: it finds the row that an argument names,
 * takes the value that belongs to it and stores it by option_set(), which manifests use as well, so
 * that a value means the same in both. The table says where a value goes, by its offset in the
 * settings of the verb, and which values are allowed; what depends on several options is left to
 * the verb. Suggestions compare by the optimal string alignment distance, which is the distance of
 * Damerau ("A technique for computer detection and correction of spelling errors", 1964) and
 * Levenshtein ("Binary codes capable of correcting deletions, insertions, and reversals", 1966)
 * where no pair of letters is edited twice. */
#define _XOPEN_SOURCE 700

#include "options.h"

#include "report.h"
#include "terminal.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------- suggestions -- */

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The optimal string alignment distance, row by row. Row i holds the distances of the first i
 * letters of `a` from every beginning of `b`; a swap of neighbours refers to the row before the
 * last, so three rows are enough. */
static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][SUGGEST_LENGTH_MAX + 1];
    KILN_ASSERT(a_length <= SUGGEST_LENGTH_MAX);
    KILN_ASSERT(b_length <= SUGGEST_LENGTH_MAX);
    unsigned *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t k = 0; k <= b_length; k++) {
        last[k] = (unsigned)k;
    }
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = (unsigned)i;
        for (size_t k = 1; k <= b_length; k++) {
            const unsigned replaced = last[k - 1] + (a[i - 1] != b[k - 1]);
            now[k] = least(replaced, 1 + least(last[k], now[k - 1]));
            if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1]) {
                now[k] = least(now[k], 1 + before[k - 2]);
            }
        }
        unsigned *oldest = before;
        before = last;
        last = now;
        now = oldest;
    }
    return last[b_length];
}

/* No name is near before the first is tried. */
suggestion suggestion_for(const char *word, size_t length)
{
    KILN_ASSERT(word != NULL);
    return (suggestion){word, length, NULL, UINT_MAX};
}

/* The limit keeps suggestions plausible: a third of the letters, and one in a short word, where
 * a second change would make almost any word of any other. */
void suggestion_try(suggestion *of, const char *name)
{
    const size_t length = strlen(name);
    const unsigned most = of->length < 6 ? 1 : (unsigned)of->length / 3;
    if (of->length > SUGGEST_LENGTH_MAX || length > SUGGEST_LENGTH_MAX) {
        return;
    }
    const unsigned distance = distance_of(of->word, of->length, name, length);
    if (distance <= most && distance < of->distance) {
        of->best = name;
        of->distance = distance;
    }
}

/* ------------------------------------------------------------------------------------ values -- */

/* Always false, for `return refuse(...)`. */
static bool refuse(char message[OPTION_MESSAGE_SIZE], const char *format, ...) PRINTF_LIKE(2, 3);
static bool refuse(char message[OPTION_MESSAGE_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, OPTION_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* strtoull sees a sign or blanks as part of a number, and wraps a negative one round; so the
 * first character has to be a digit. */
bool option_size(const char *text, const char *units, uint64_t *bytes)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
    KILN_ASSERT(shift < 64);
    /* strtoull takes a sign and blanks, so the first character has to be a digit. */
    if (text[0] < '0' || text[0] > '9' || errno != 0 || (*end != '\0' && unit == NULL) ||
        (unit != NULL && end[1] != '\0') || number > UINT64_MAX >> shift) {
        return false;
    }
    *bytes = (uint64_t)number << shift;
    return true;
}

/* Position of `text` in "packed|raw", or -1. */
static int choice_index(const char *choices, const char *text)
{
    const size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices;; index++) {
        const size_t span = strcspn(at, "|");
        if (span == length && memcmp(at, text, length) == 0) {
            return index;
        }
        if (at[span] == '\0') {
            return -1;
        }
        at += span + 1;
    }
}

/* Numbers end where the text ends: "4x" is no number. Limits come from the row, so that a
 * message can name them. The command never sets a locale, so a decimal point is a point. */
bool option_set(const option *entry, const char *text, void *settings,
                char message[OPTION_MESSAGE_SIZE])
{
    void *field = (char *)settings + entry->field;
    char *end;
    KILN_ASSERT(text != NULL || entry->kind == OPTION_FLAG);
    switch (entry->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return true;
    case OPTION_TEXT:
        if (text[0] == '\0') {
            return refuse(message, "takes a value that is not empty");
        }
        *(const char **)field = text;
        return true;
    case OPTION_INTEGER: {
        errno = 0;
        const long value = strtol(text, &end, 10);
        if (end == text || *end != '\0') {
            return refuse(message, "takes a whole number, not '%s'", text);
        }
        if (errno != 0 || value < (long)entry->lower || value > (long)entry->upper) {
            return refuse(message, "takes a number from %.0f to %.0f, not %s", entry->lower,
                          entry->upper, text);
        }
        *(int *)field = (int)value;
        return true;
    }
    case OPTION_REAL: {
        const double value = strtod(text, &end);
        if (end == text || *end != '\0') {
            return refuse(message, "takes a number, not '%s'", text);
        }
        if (!(value >= entry->lower && value <= entry->upper)) { /* NaN is outside as well */
            return refuse(message, "takes a number from %g to %g, not %s", entry->lower,
                          entry->upper, text);
        }
        *(double *)field = value;
        return true;
    }
    case OPTION_CHOICE:
    case OPTION_DEFAULTED:
        KILN_ASSERT(entry->choices != NULL);
        *(int *)field = choice_index(entry->choices, text);
        return *(int *)field >= 0 ||
               refuse(message, "takes one of %s, not '%s'", entry->choices, text);
    }
    return false;
}

/* ----------------------------------------------------------------------------------- parsing -- */

/* What --color was set to. It holds from the first message on, so options_find_color() has applied
 * it by the time the argument is parsed here, which reports a wrong value. */
typedef struct {
    int color;
} common_settings;

static const option common_options[] = {
    {"color", 0, OPTION_CHOICE, NULL, "auto|always|never", 0, 0, offsetof(common_settings, color),
     "colours in messages and tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb "
     "(default auto)"},
};

size_t verb_option_count(const verb *of)
{
    return of->option_count + COUNT_OF(common_options);
}

const option *verb_option(const verb *of, size_t index)
{
    KILN_ASSERT(index < verb_option_count(of));
    return index < of->option_count ? &of->options[index]
                                    : &common_options[index - of->option_count];
}

/* Of several the last one counts, as for every option. */
void options_find_color(int argc, char **argv)
{
    const option *entry = &common_options[0];
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *value = strncmp(argv[i], "--color=", 8) == 0              ? argv[i] + 8
                            : strcmp(argv[i], "--color") == 0 && i + 1 < argc ? argv[i + 1]
                                                                              : NULL;
        const int mode = value != NULL ? choice_index(entry->choices, value) : -1;
        if (mode >= 0) {
            terminal_set_color((color_mode)mode);
        }
    }
}

/* A position among the arguments, with all that an option found there is stored in. */
typedef struct {
    const verb *of;
    char **argv;
    int argc, at;
    void *settings;
    common_settings common;
    uint64_t given;    /* bit i: option i was seen */
    uint64_t repeated; /* bit i: and once more */
} parser;

/* The place of an option among all of a verb; -1: there is none. `name` NULL: by its letter. */
static int find_option(const verb *of, const char *name, size_t length, char letter)
{
    for (size_t i = 0; i < verb_option_count(of); i++) {
        const option *entry = verb_option(of, i);
        if (name == NULL
                ? entry->letter == letter
                : strlen(entry->name) == length && memcmp(entry->name, name, length) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* Stores the value of an option, which is `attached` where that is not NULL, else the next
 * argument. */
static int take(parser *state, int index, const char *attached)
{
    KILN_ASSERT(index >= 0 && index < 64); /* bits of `given` */
    const option *entry = verb_option(state->of, (size_t)index);
    const bool is_common = (size_t)index >= state->of->option_count;
    void *settings = is_common ? (void *)&state->common : state->settings;
    const uint64_t bit = UINT64_C(1) << index;
    state->repeated |= state->given & bit;
    state->given |= bit;
    if (entry->kind == OPTION_FLAG && attached != NULL) {
        return report_usage("--%s takes no value", entry->name);
    }
    if (attached == NULL && entry->kind == OPTION_DEFAULTED) {
        *(int *)((char *)settings + entry->field) = 0;
        return EXIT_DONE;
    }
    if (attached == NULL && entry->kind != OPTION_FLAG) {
        if (state->at + 1 >= state->argc || strncmp(state->argv[state->at + 1], "--", 2) == 0) {
            return report_usage("--%s needs a value", entry->name);
        }
        attached = state->argv[++state->at];
    }
    char message[OPTION_MESSAGE_SIZE];
    return option_set(entry, attached, settings, message)
               ? EXIT_DONE
               : report_usage("--%s %s", entry->name, message);
}

/* Reports an argument that names no option. `length`: of a long name, 0 for a letter. The name of a
 * file may begin like an option; then the message says how to write it. */
static int report_no_option(const verb *of, const char *argument, size_t length)
{
    if (access(argument, F_OK) == 0) {
        return report_usage("there is no option '%s', it is a file; write ./%s", argument,
                            argument);
    }
    if (argument[1] != '-') {
        return report_usage("there is no option '%s'", argument);
    }
    suggestion near = suggestion_for(argument + 2, length);
    for (size_t i = 0; i < verb_option_count(of); i++) {
        suggestion_try(&near, verb_option(of, i)->name);
    }
    return report_usage("there is no option '%.*s'%s%s%s", (int)length + 2, argument,
                        near.best != NULL ? "; did you mean --" : "",
                        near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
}

/* Of an option that is given more than once the last value counts, so that a script can append to
 * the options of another. Verbs with --verbose say so. */
static void note_repeated(const parser *state)
{
    const int verbose = find_option(state->of, "verbose", strlen("verbose"), 0);
    if (verbose < 0 || (state->given >> verbose & 1) == 0) {
        return;
    }
    for (size_t i = 0; i < verb_option_count(state->of); i++) {
        if ((state->repeated >> i & 1) != 0) {
            report_line("%s: --%s is given more than once; the last one counts", state->of->name,
                        verb_option(state->of, i)->name);
        }
    }
}

/* Most verbs do not care which options were given, only what they hold. */
int options_parse(const verb *of, int argc, char **argv, void *settings, int *operand_count)
{
    uint64_t given;
    return options_parse_given(of, argc, argv, settings, operand_count, &given);
}

/* Operands are gathered at the front of argv while it is read; they never overtake the place
 * that is read, since each argument gives at most one. */
int options_parse_given(const verb *of, int argc, char **argv, void *settings, int *operand_count,
                        uint64_t *given)
{
    parser state = {.of = of, .argv = argv, .argc = argc, .settings = settings};
    bool options_ended = false;
    int count = 0;
    for (state.at = 1; state.at < argc; state.at++) {
        char *argument = argv[state.at];
        int status = EXIT_DONE;
        if (options_ended || argument[0] != '-' || argument[1] == '\0') {
            KILN_ASSERT(count < state.at); /* operands never overtake what is read */
            argv[count++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (argument[1] == '-') {
            const size_t length = strcspn(argument + 2, "=");
            const int entry = find_option(of, argument + 2, length, 0);
            const char *attached = argument[2 + length] == '=' ? argument + 3 + length : NULL;
            status =
                entry >= 0 ? take(&state, entry, attached) : report_no_option(of, argument, length);
        } else {
            /* One letter an argument: a flag is the whole of it, a value may follow at once. */
            const int entry = find_option(of, NULL, 0, argument[1]);
            const char *attached = argument[2] != '\0' ? argument + 2 : NULL;
            if (entry >= 0 && argument[2] == '=') {
                return report_usage("-%c takes its value without '='; write -%c %s", argument[1],
                                    argument[1], argument + 3);
            }
            const bool fits = entry >= 0 && (verb_option(of, (size_t)entry)->kind != OPTION_FLAG ||
                                             attached == NULL);
            status = fits ? take(&state, entry, attached) : report_no_option(of, argument, 0);
        }
        if (status != EXIT_DONE) {
            return status;
        }
    }
    note_repeated(&state);
    *given = state.given;
    *operand_count = count;
    if (count < of->operands_min) {
        return report_usage(count == 0 ? "no file is given" : "a file is missing");
    }
    if (of->operands_max >= 0 && count > of->operands_max) {
        return report_usage("%d files are given; it takes %d", count, of->operands_max);
    }
    return EXIT_DONE;
}
