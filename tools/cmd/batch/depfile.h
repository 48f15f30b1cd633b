/* Dependencies in the syntax of make, for make and ninja. */
#ifndef KILN_CMD_DEPFILE_H
#define KILN_CMD_DEPFILE_H

#include "../../kiln_bake.h"

#include <stdbool.h>
#include <stddef.h>

/* A text that grows. */
typedef struct {
    char *text;
    size_t size, capacity;
} depfile;

/* Adds the rule "output: input side_file... other". Names of side files are taken from the folder
 * of `input`; `other` may be NULL. Reports a name that the syntax can't hold, or want of memory,
 * and returns its status. */
int depfile_add(depfile *file, const char *output, const char *input,
                const kiln_bake_report *report, const char *other);

/* Is `path`, where the rules are to go, a file that the model refers to? */
bool depfile_is_side_file(const char *path, const char *input, const kiln_bake_report *report);

/* Adds what another has. Reports want of memory. */
int depfile_append(depfile *file, const depfile *more);

/* Writes the file whole; reports what is wrong. */
int depfile_write(const depfile *file, const char *path);

void depfile_free(depfile *file);

#endif
