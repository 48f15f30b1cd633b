/* Names of files by pattern: '*', '?' and '[...]' within a name, '**' for any number of folders. As in a
 * shell, what starts with a dot has to be named; '**' does not go through symbolic links. */
#ifndef KILN_CMD_GLOBS_H
#define KILN_CMD_GLOBS_H

#include "list_file.h"

/* Adds the regular files that match, sorted by their bytes, each once. `path` is FOLDER and PATTERN, of
 * which the first `folder_length` bytes are a name and no pattern. A name without any of "*?[", or of a
 * file that is there, stands for itself and is added as it is. Reports want of memory, and a
 * folder that may not be searched. */
int globs_add(input_list *list, const char *path, size_t folder_length);

/* Does the whole name match? */
bool globs_match(const char *pattern, const char *name);

#endif
