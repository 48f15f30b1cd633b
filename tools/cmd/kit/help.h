/* --help, from the table of verbs; manual.h makes the manual pages from the same. */
#ifndef KILN_CMD_HELP_H
#define KILN_CMD_HELP_H

#include "verb.h"

#include <stdio.h>

/* Usage, verbs and exit statuses. */
void help_command(FILE *out, const verb *const *verbs, size_t count);

/* Usage, description and options of one verb. */
void help_verb(FILE *out, const verb *of);

/* What the command is. */
extern const char help_about[];

/* What it takes in place of a verb. */
extern const option help_plain_options[];
extern const size_t help_plain_option_count;

#endif
