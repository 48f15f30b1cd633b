/* Making folders, and sets of folders. Paths of a set are compared as resolved, so that neither
 * links nor ".." lead out of a folder unnoticed; what is not there yet is resolved as far as it is.
 */
#define _POSIX_C_SOURCE 200809L
#include "folders.h"

#include "../../formats/assert.h"
#include "memory.h"
#include "paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Makes one folder, or finds it there, whoever made it. */
static bool make_one(const char *path)
{
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    const int error = errno; /* "a/.." and mounted folders fail with other errors than EEXIST */
    struct stat facts;
    const bool there = stat(path, &facts) == 0;
    errno = there ? EEXIST : error;
    return there && S_ISDIR(facts.st_mode);
}

bool kiln_folder_make(const char *path, char **part)
{
    KILN_ASSERT(path[0] != '\0');
    char *copy = strdup(path);
    bool made = copy != NULL;
    for (char *end = copy; made && end != NULL;) {
        end = strchr(end + 1, '/');
        if (end != NULL) {
            *end = '\0';
        }
        made = make_one(copy);
        if (made && end != NULL) {
            *end = '/';
        }
    }
    const int error = errno;
    if (made) {
        free(copy);
    }
    *part = made ? NULL : copy;
    errno = error;
    return made;
}

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
