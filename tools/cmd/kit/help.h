/* --help and the manual pages, both made from the table of verbs. */
#ifndef KILN_CMD_HELP_H
#define KILN_CMD_HELP_H

#include "verb.h"

#include <stdio.h>

/* Usage, verbs and exit statuses. */
void help_command(FILE *out, const verb *const *verbs, size_t count);

/* Usage, description and options of one verb. */
void help_verb(FILE *out, const verb *of);

/* kiln(1): what the command is, its verbs, its exit statuses. */
void manual_command(FILE *out, const verb *const *verbs, size_t count);

/* kiln-VERB(1). */
void manual_verb(FILE *out, const verb *of);

/* Is this the page "lut-bins" of the verb "lut bins"? */
bool manual_is_page_of(const verb *of, const char *page);

#endif
