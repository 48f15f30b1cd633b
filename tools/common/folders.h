/* Folders: making one with those above it, and sets that files may lie in or be written to. */
#ifndef KILN_COMMON_FOLDERS_H
#define KILN_COMMON_FOLDERS_H

#include "write_file.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes the folder `path` and, as mkdir -p does, those above it that are missing; other processes
 * may make them at the same time. False with errno, EEXIST where a part of the path is no folder,
 * and with the part at fault in *part, in new memory or NULL, which the caller frees. */
bool kiln_folder_make(const char *path, char **part);

/* Could kiln_folder_make succeed? Makes nothing. */
bool kiln_folder_possible(const char *path, char **part);

/* "what; why; what to do" of the errno of both. False, for `return`. */
bool kiln_folder_explain(int error, char message[KILN_WRITE_MESSAGE_SIZE]);

/* The folder that `path` lies in, as it is spelt, in new memory. */
char *kiln_folder_of(const char *path);

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
