/* Whole files in memory. */
#ifndef KILN_CMD_LOAD_H
#define KILN_CMD_LOAD_H

#include <stddef.h>

/* Reads a regular file. *data, 64-byte aligned, is released by free(). Reports what is wrong and
 * returns its exit status. */
int load_file(const char *path, void **data, size_t *size);

/* Reads standard input to its end, likewise. */
int load_stdin(void **data, size_t *size);

#endif
