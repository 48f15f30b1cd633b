/* Completion of command lines by bash, zsh and fish. */
#ifndef KILN_CMD_COMPLETION_H
#define KILN_CMD_COMPLETION_H

#include "verb.h"

#include <stdio.h>

/* Prints the script for a shell, "bash", "zsh" or "fish"; false: it is none of these. */
bool completion_print(FILE *out, const char *shell, const verb *const *verbs, size_t count);

#endif
