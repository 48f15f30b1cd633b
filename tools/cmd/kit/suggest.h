/* What was meant by a word that is none. */
#ifndef KILN_CMD_SUGGEST_H
#define KILN_CMD_SUGGEST_H

#include <stddef.h>

enum { SUGGEST_LENGTH_MAX = 32 };

typedef struct {
    const char *word;
    size_t length;
    const char *best; /* NULL: none is near */
    unsigned distance;
} suggestion;

/* The first `length` bytes of `word` are what was typed. */
suggestion suggestion_for(const char *word, size_t length);

/* Takes `name` if it is nearer than those before: by letters to be added, left out, replaced or swapped
 * with their neighbour; at most a third of the word's, and one in any case. */
void suggestion_try(suggestion *of, const char *name);

#endif
