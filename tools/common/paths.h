/* Paths: the file that another refers to, and whether two paths lead to one file. */
#ifndef KILN_COMMON_PATHS_H
#define KILN_COMMON_PATHS_H

#include <stdbool.h>
#include <sys/types.h>

/* Where a file is that another refers to. */

/* `name` as it stands in the file `path`: from the folder of that file, unless it starts at the
 * root. In new memory; NULL without. */
char *kiln_path_beside(const char *path, const char *name);

/* Takes "." and repeated slashes out of a path, and ".." with the folder before it, in place and by
 * names alone: where that folder is a link, the path then leads elsewhere. "" stays of what leads
 * to its own beginning; a slash at the end goes. */
void kiln_path_collapse(char *path);

/* `path` from the root, collapsed: what a person calls the file, whatever links lead to it. In new
 * memory; NULL with errno. */
char *kiln_path_from_root(const char *path);

/* The one name of the place that `path` leads to, from the root, without links, "." and "..", also
 * where nothing is there yet: as much as there is is resolved by the system, links that lead to
 * nothing yet included, and the rest is appended. In new memory; NULL with errno. */
char *kiln_path_resolved(const char *path);

/* Is a resolved path the resolved folder, or below it? */
bool kiln_path_is_within(const char *path, const char *folder);

/* Which file a path leads to, however it is spelt: hard and symbolic links, bind mounts, disks that
 * take several spellings for one name. */

typedef struct {
    dev_t device;
    ino_t number;
} kiln_file_id;

/* The identity of the file that `path` leads to, links followed. False: there is none, or it is no
 * regular file. */
bool kiln_file_id_of(const char *path, kiln_file_id *id);

/* -1, 0, 1: a total order. */
int kiln_file_id_compare(const kiln_file_id *a, const kiln_file_id *b);

/* Do both paths lead to one regular file that is there? */
bool kiln_same_file(const char *path, const char *other);

#endif
