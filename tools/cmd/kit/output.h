/* Where a verb's file goes. */
#ifndef KILN_CMD_OUTPUT_H
#define KILN_CMD_OUTPUT_H

#include <stddef.h>

/* Writes the file `path`, whole or not at all, or standard output for "-". Reports what is wrong
 * and returns an exit status. */
int output_write(const char *path, const void *data, size_t size);

/* Reports a `path` that a kiln file would replace though it is none and is not named as one: a slip, as of
 * "-o *.obj". EXIT_DONE: there is nothing to lose. */
int output_check(const char *path);

#endif
