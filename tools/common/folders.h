/* A set of folders that files may lie in or be written to. */
#ifndef KILN_COMMON_FOLDERS_H
#define KILN_COMMON_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Starts zeroed, empty. */
typedef struct {
    char **paths; /* resolved (kiln_path_resolved) */
    size_t count, capacity;
    bool any; /* every folder belongs to it */
} kiln_folders;

/* Adds a folder, "" for the working folder. False without memory, or with errno. */
bool kiln_folders_add(kiln_folders *folders, const char *path);

/* Adds the folders of a list that is separated by colons, or, for "any", all. NULL adds none. False
 * as above. */
bool kiln_folders_add_list(kiln_folders *folders, const char *list);

/* Lies the place that `path` leads to, links followed, in one of the folders or below it? */
bool kiln_folders_have(const kiln_folders *folders, const char *path);

void kiln_folders_free(kiln_folders *folders);

#endif
