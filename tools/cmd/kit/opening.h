/* Opening of kiln files and choosing of trees, with errors told. */
#ifndef KILN_CMD_OPENING_H
#define KILN_CMD_OPENING_H

#include "../../../runtime/kiln.h"

/* The exit status that a status of the runtime ends in. */
int exit_status_of(kiln_status status);

/* Reports that the file at `path` is not sound, by a status or error code and its text; returns the exit
 * status. */
int report_format_error(const char *path, int code, const char *text);

/* Opens and verifies `path`; reports what is wrong and returns its exit status. */
int open_file(const char *path, kiln_file **file);

/* The tree called `name` (NULL: any) with the kind of volume called `bv` (NULL: any). Where several
 * with different names would do, asks for a name. Reports and returns an exit status. */
int choose_tree(const char *path, const kiln_file *file, const char *name, const char *bv,
                const kiln_tree **tree);

#endif
