/* Notes that are equal but for their file, counted instead of repeated. One thread at a time. */
#ifndef KILN_CMD_FOLDING_H
#define KILN_CMD_FOLDING_H

#include <stdbool.h>
#include <stddef.h>

enum { FOLDED_FILES_MOST = 20 };

typedef struct {
    char *text;
    size_t count;
    char *files[FOLDED_FILES_MOST]; /* of those after the first, as far as they were given */
    size_t file_count;
} folded;

/* Counts a note. True: it is the first of its text, or can't be remembered, and is to be printed.
 * `file`, which may be NULL, is kept of those that come later. */
bool folding_add(const char *text, const char *file);

/* Those that were counted so far, in the order of their first ones; *count gets how many. */
const folded *folding_list(size_t *count);

/* Forgets all of them. */
void folding_clear(void);

#endif
