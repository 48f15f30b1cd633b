/* The manual pages, in man macros, from the tables that --help is made from. */
#ifndef KILN_CMD_MANUAL_H
#define KILN_CMD_MANUAL_H

#include "verb.h"

#include <stdio.h>

/* kiln(1): what the command is, its verbs, its exit statuses. */
void manual_command(FILE *out, const verb *const *verbs, size_t count);

/* kiln-VERB(1). */
void manual_verb(FILE *out, const verb *of);

/* Is this the page "lut-bins" of the verb "lut bins"? */
bool manual_is_page_of(const verb *of, const char *page);

#endif
