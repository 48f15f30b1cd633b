/* --help and the manual pages, both made from the table of verbs. */
#ifndef KILN_CMD_HELP_H
#define KILN_CMD_HELP_H

#include "verb.h"

#include <stdio.h>

/* Prints usage, verbs and exit statuses. */
void help_command(FILE *out, const verb *const *verbs, size_t count);

/* Prints usage, description and options of one verb. */
void help_verb(FILE *out, const verb *of);

/* Prints kiln(1) in man macros: the command, its verbs, its exit statuses. */
void manual_command(FILE *out, const verb *const *verbs, size_t count);

/* Prints kiln-VERB(1), likewise. */
void manual_verb(FILE *out, const verb *of);

/* Is this the page "lut-bins" of the verb "lut bins"? */
bool manual_is_page_of(const verb *of, const char *page);

#endif
