/* kiln query --self: where a mesh meets itself. */
#ifndef KILN_CMD_QUERY_SELF_H
#define KILN_CMD_QUERY_SELF_H

#include "../../../runtime/kiln_self.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    const char *path;
    const kiln_tree *tree;
    kiln_neighbours neighbours;
    bool any;     /* is there one? else all */
    bool witness; /* faces of the source */
} self_question;

/* Prints the answer, or appends it to `answers`; *found is the number of pairs, 1 for any, *us the
 * time of the call of the library. Reports what is wrong and returns an exit status. */
int query_self(const self_question *question, json_t *answers, size_t *found, double *us);

#endif
