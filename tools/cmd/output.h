/* Where a verb's file goes. */
#ifndef KILN_CMD_OUTPUT_H
#define KILN_CMD_OUTPUT_H

#include <stddef.h>

/* Writes the file `path`, whole or not at all, or standard output for "-". Reports what is wrong
 * and returns an exit status. */
int output_write(const char *path, const void *data, size_t size);

#endif
