/* --help and the manual page, both from the table of verbs. */
#ifndef KILN_CMD_HELP_H
#define KILN_CMD_HELP_H

#include "verb.h"

#include <stdio.h>

/* Usage, verbs and exit statuses. */
void help_command(FILE *out, const verb *const *verbs, size_t count);

/* Usage, description and options of one verb. */
void help_verb(FILE *out, const verb *of);

/* The manual page kiln(1), in man macros. */
void help_manual(FILE *out, const verb *const *verbs, size_t count);

#endif
