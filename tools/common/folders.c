/* A set of folders. Paths are compared as resolved, so that neither links nor ".." lead out of a
 * folder unnoticed; what is not there yet is resolved as far as it is. */
#define _POSIX_C_SOURCE 200809L
#include "folders.h"

#include "../../formats/assert.h"
#include "memory.h"
#include "paths.h"

#include <stdlib.h>
#include <string.h>

bool kiln_folders_add(kiln_folders *folders, const char *path)
{
    void *paths = folders->paths;
    const bool room = kiln_grow(&paths, &folders->capacity, folders->count + 1, sizeof(char *));
    folders->paths = paths;
    char *resolved = room ? kiln_path_resolved(path[0] != '\0' ? path : ".") : NULL;
    if (resolved != NULL) {
        KILN_ASSERT(folders->count < folders->capacity);
        folders->paths[folders->count++] = resolved;
    }
    return resolved != NULL;
}

bool kiln_folders_add_list(kiln_folders *folders, const char *list)
{
    if (list == NULL || strcmp(list, "any") == 0) {
        folders->any = folders->any || list != NULL;
        return true;
    }
    bool good = true;
    for (;;) {
        const size_t length = strcspn(list, ":");
        char *one = strndup(list, length);
        good = good && one != NULL && (length == 0 || kiln_folders_add(folders, one));
        free(one);
        if (list[length] == '\0') {
            return good;
        }
        list += length + 1;
    }
}

/* A path that can't be resolved, such as a circle of links, lies nowhere. */
bool kiln_folders_have(const kiln_folders *folders, const char *path)
{
    if (folders->any) {
        return true;
    }
    char *resolved = kiln_path_resolved(path);
    bool found = false;
    for (size_t i = 0; i < folders->count && resolved != NULL && !found; i++) {
        found = kiln_path_is_within(resolved, folders->paths[i]);
    }
    free(resolved);
    return found;
}

void kiln_folders_free(kiln_folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        free(folders->paths[i]);
    }
    free(folders->paths);
    memset(folders, 0, sizeof *folders);
}
