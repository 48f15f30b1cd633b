/* Parsing of a verb's arguments by its table. */
#ifndef KILN_CMD_OPTIONS_H
#define KILN_CMD_OPTIONS_H

#include "verb.h"

#include <stdint.h>

/* Fills the fields of `settings`, which holds the defaults, from argv[1] on; argv[0] is the verb.
 * The operands are gathered at argv[0 .. *operand_count - 1]. "--name value", "--name=value",
 * "-xvalue" and "-x value" are taken, "--" ends options, "-" is an operand. Returns EXIT_DONE, or
 * reports what is wrong and returns EXIT_USAGE. */
int options_parse(const verb *of, int argc, char **argv, void *settings, int *operand_count);

/* The same; bit i of *given is set where option i was there. */
int options_parse_given(const verb *of, int argc, char **argv, void *settings, int *operand_count,
                        uint64_t *given);

/* Applies --color wherever it stands, before anything is parsed: errors of the command line have
 * colours too. A wrong value is left to options_parse. */
void options_find_color(int argc, char **argv);

/* Reads "500M": a whole number, or one that is followed by a letter of `units`, such as "KMG",
 * which stands for 1024 to the power of its place there. False: the text is no size, or it is more
 * than 2^64 - 1. */
bool option_size(const char *text, const char *units, uint64_t *bytes);

enum { OPTION_MESSAGE_SIZE = 1024 };

/* Sets an option's field from a value; `text` NULL only for a flag, and must stay where the field
 * is a text. False: `message` says what it takes, to follow its name. */
bool option_set(const option *entry, const char *text, void *settings,
                char message[OPTION_MESSAGE_SIZE]);

enum { SUGGEST_LENGTH_MAX = 32 };

typedef struct {
    const char *word;
    size_t length;
    const char *best; /* NULL: none is near */
    unsigned distance;
} suggestion;

/* The first `length` bytes of `word` are what was typed. */
suggestion suggestion_for(const char *word, size_t length);

/* Takes `name` if it is nearer than those before: by letters to be added, left out, replaced or
 * swapped with their neighbour; at most a third of the word's, and one in any case. */
void suggestion_try(suggestion *of, const char *name);

#endif
