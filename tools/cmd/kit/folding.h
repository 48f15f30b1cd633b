/* Notes that are equal but for their file, counted instead of repeated. One thread at a time. */
#ifndef KILN_CMD_FOLDING_H
#define KILN_CMD_FOLDING_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *text;
    size_t count;
} folded;

/* Counts a note. True: it is the first of its text, or can't be remembered, and is to be printed.
 */
bool folding_add(const char *text);

/* Those that were counted so far, in the order of their first ones; *count gets how many. */
const folded *folding_list(size_t *count);

/* Forgets all of them. */
void folding_clear(void);

#endif
