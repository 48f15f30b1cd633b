/* Parsing of a verb's arguments by its table. */
#ifndef KILN_CMD_OPTIONS_H
#define KILN_CMD_OPTIONS_H

#include "verb.h"

/* Fills the fields of `settings`, which holds the defaults, from argv[1] on; argv[0] is the verb. The
 * operands are gathered at argv[0 .. *operand_count - 1]. "--name value", "--name=value", "-xvalue"
 * and "-x value" are taken, "--" ends options, "-" is an operand.
 * Returns EXIT_DONE, or reports what is wrong and returns EXIT_USAGE. */
int options_parse(const verb *of, int argc, char **argv, void *settings, int *operand_count);

#endif
