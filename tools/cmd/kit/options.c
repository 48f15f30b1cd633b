#define _XOPEN_SOURCE 700

#include "options.h"

#include "report.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance (Damerau-Levenshtein without editing a pair twice), row by row. */
static unsigned distance_of(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned rows[3][SUGGEST_LENGTH_MAX + 1];
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

suggestion suggestion_for(const char *word, size_t length)
{
    return (suggestion){word, length, NULL, UINT_MAX};
}

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

/* "--leaf" or "-j": how an option is written in messages. */
static const char *spelled(const option *entry, char buffer[64])
{
    snprintf(buffer, 64, "--%s", entry->name);
    return buffer;
}

static const option *find_name(const verb *of, const char *name, size_t length)
{
    for (size_t i = 0; i < of->option_count; i++) {
        if (strlen(of->options[i].name) == length &&
            memcmp(of->options[i].name, name, length) == 0) {
            return &of->options[i];
        }
    }
    return NULL;
}

static const option *find_letter(const verb *of, char letter)
{
    for (size_t i = 0; i < of->option_count; i++) {
        if (of->options[i].letter == letter) {
            return &of->options[i];
        }
    }
    return NULL;
}

static bool refuse(char message[OPTION_MESSAGE_SIZE], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, OPTION_MESSAGE_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

static bool parse_integer(const option *entry, const char *text, int *out,
                          char message[OPTION_MESSAGE_SIZE])
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0') {
        return refuse(message, "takes a whole number, not '%s'", text);
    }
    if (errno != 0 || value < (long)entry->lower || value > (long)entry->upper) {
        return refuse(message, "takes a number from %.0f to %.0f, not %s", entry->lower,
                      entry->upper, text);
    }
    *out = (int)value;
    return true;
}

static bool parse_real(const option *entry, const char *text, double *out,
                       char message[OPTION_MESSAGE_SIZE])
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0') {
        return refuse(message, "takes a number, not '%s'", text);
    }
    if (!(value >= entry->lower && value <= entry->upper)) {
        return refuse(message, "takes a number from %g to %g, not %s", entry->lower, entry->upper,
                      text);
    }
    *out = value;
    return true;
}

bool option_size(const char *text, const char *units, uint64_t *bytes)
{
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' ? strchr(units, *end) : NULL;
    const unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 0;
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

bool option_set(const option *entry, const char *text, void *settings,
                char message[OPTION_MESSAGE_SIZE])
{
    void *field = (char *)settings + entry->field;
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
    case OPTION_INTEGER:
        return parse_integer(entry, text, field, message);
    case OPTION_REAL:
        return parse_real(entry, text, field, message);
    case OPTION_CHOICE:
    case OPTION_DEFAULTED:
        *(int *)field = choice_index(entry->choices, text);
        return *(int *)field >= 0 ||
               refuse(message, "takes one of %s, not '%s'", entry->choices, text);
    }
    return false;
}

typedef struct {
    const verb *of;
    char **argv;
    int argc, at;
    void *settings;
    uint64_t given; /* bit i: option i was seen */
} parser;

/* The value of `entry`, which is `attached` where that is not NULL, else the next argument. */
static int take(parser *state, const option *entry, const char *attached)
{
    char name[64];
    const uint64_t bit = UINT64_C(1) << (entry - state->of->options);
    if ((state->given & bit) != 0) {
        return report_usage("%s is given twice", spelled(entry, name));
    }
    state->given |= bit;
    if (entry->kind == OPTION_FLAG && attached != NULL) {
        return report_usage("%s takes no value", spelled(entry, name));
    }
    if (attached == NULL && entry->kind == OPTION_DEFAULTED) {
        *(int *)((char *)state->settings + entry->field) = 0;
        return EXIT_DONE;
    }
    if (attached == NULL && entry->kind != OPTION_FLAG) {
        if (state->at + 1 >= state->argc || strncmp(state->argv[state->at + 1], "--", 2) == 0) {
            return report_usage("%s needs a value", spelled(entry, name));
        }
        attached = state->argv[++state->at];
    }
    char message[OPTION_MESSAGE_SIZE];
    return option_set(entry, attached, state->settings, message)
               ? EXIT_DONE
               : report_usage("%s %s", spelled(entry, name), message);
}

/* A file's name may begin like an option; then it says how it is told from one. */
static int report_dashed_file(const char *argument)
{
    return report_usage("there is no option '%s', it is a file; write ./%s", argument, argument);
}

static int report_no_option(const verb *of, const char *argument, size_t length)
{
    if (access(argument, F_OK) == 0) {
        return report_dashed_file(argument);
    }
    suggestion near = suggestion_for(argument + 2, length);
    for (size_t i = 0; i < of->option_count; i++) {
        suggestion_try(&near, of->options[i].name);
    }
    return report_usage("there is no option '%.*s'%s%s%s", (int)length + 2, argument,
                        near.best != NULL ? "; did you mean --" : "",
                        near.best != NULL ? near.best : "", near.best != NULL ? "?" : "");
}

static int take_long(parser *state, const char *argument)
{
    const size_t length = strcspn(argument + 2, "=");
    const option *entry = find_name(state->of, argument + 2, length);
    if (entry == NULL) {
        return report_no_option(state->of, argument, length);
    }
    return take(state, entry, argument[2 + length] == '=' ? argument + 3 + length : NULL);
}

/* One letter an argument: a flag is the whole of it, a value may follow at once. */
static int take_short(parser *state, const char *argument)
{
    const option *entry = find_letter(state->of, argument[1]);
    if (entry == NULL || (entry->kind == OPTION_FLAG && argument[2] != '\0')) {
        return access(argument, F_OK) == 0 ? report_dashed_file(argument)
                                           : report_usage("there is no option '%s'", argument);
    }
    return take(state, entry, argument[2] != '\0' ? argument + 2 : NULL);
}

static int check_operands(const verb *of, int count)
{
    if (count < of->operands_min) {
        return report_usage(count == 0 ? "no file is given" : "a file is missing");
    }
    if (of->operands_max >= 0 && count > of->operands_max) {
        return report_usage("%d files are given; it takes %d", count, of->operands_max);
    }
    return EXIT_DONE;
}

int options_parse(const verb *of, int argc, char **argv, void *settings, int *operand_count)
{
    uint64_t given;
    return options_parse_given(of, argc, argv, settings, operand_count, &given);
}

int options_parse_given(const verb *of, int argc, char **argv, void *settings, int *operand_count,
                        uint64_t *given)
{
    parser state = {.of = of, .argv = argv, .argc = argc, .settings = settings};
    bool options_ended = false;
    *operand_count = 0;
    for (state.at = 1; state.at < argc; state.at++) {
        char *argument = argv[state.at];
        int status = EXIT_DONE;
        if (options_ended || argument[0] != '-' || argument[1] == '\0') {
            argv[(*operand_count)++] = argument;
        } else if (strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (argument[1] == '-') {
            status = take_long(&state, argument);
        } else {
            status = take_short(&state, argument);
        }
        if (status != EXIT_DONE) {
            return status;
        }
    }
    *given = state.given;
    return check_operands(of, *operand_count);
}
