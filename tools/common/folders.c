/* Making folders, and sets of folders. Paths of a set are compared as resolved, so that neither
 * links nor ".." lead out of a folder unnoticed; what is not there yet is resolved as far as it is.
 */
#define _POSIX_C_SOURCE 200809L
#include "folders.h"

#include "../../formats/assert.h"
#include "memory.h"
#include "paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Is the folder there, or could it be made? `above` is the part before it, which is there; *ends is
 * set where nothing below can be there. */
static bool could_make_one(const char *path, const char *above, bool *ends)
{
    struct stat facts;
    if (stat(path, &facts) == 0) {
        errno = EEXIST;
        return S_ISDIR(facts.st_mode);
    }
    *ends = true;
    return errno == ENOENT && access(above, W_OK | X_OK) == 0;
}

/* Goes along the path from its first part on, and makes each that is missing, or only looks. *part
 * is NULL after success. After a failure it is the part of the path that could not be made, which
 * the caller frees, or NULL without memory, and errno is that of this part. */
static bool go_along(const char *path, bool look_only, char **part)
{
    KILN_ASSERT(path[0] != '\0');
    char *copy = strdup(path), *above = strdup(path[0] == '/' ? "/" : ".");
    bool good = copy != NULL && above != NULL, ends = false;
    for (char *end = copy; good && !ends && end != NULL;) {
        /* The path is cut at each slash in its own copy, so that every call sees the path up to
         * there. The slash at the start of an absolute path is passed over: the root is always
         * there. */
        end = strchr(end + 1, '/');
        if (end != NULL) {
            *end = '\0';
        }
        good = look_only ? could_make_one(copy, above, &ends) : make_one(copy);
        if (good && look_only) {
            free(above);
            above = strdup(copy);
            good = above != NULL;
        }
        if (good && end != NULL) {
            *end = '/';
        }
    }
    const int error = errno;
    free(above);
    if (good) {
        free(copy);
    }
    *part = good ? NULL : copy;
    errno = error;
    return good;
}

bool kiln_folder_make(const char *path, char **part)
{
    return go_along(path, false, part);
}

bool kiln_folder_possible(const char *path, char **part)
{
    return go_along(path, true, part);
}

bool kiln_folder_explain(int error, char message[KILN_WRITE_MESSAGE_SIZE])
{
    /* This error has a cure of its own: make_one and could_make_one set it where something other
     * than a folder has the name. */
    if (error == EEXIST) {
        (void)snprintf(message, KILN_WRITE_MESSAGE_SIZE,
                       "is a file, where a folder is to be; move it, or name another folder");
        return false;
    }
    return kiln_write_explain("the folder can't be made", error, message);
}

/* The part before the last slash, in new memory: "." for a name without one, "/" for a name right
 * below the root. NULL without memory. */
char *kiln_folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    return length == 0 ? strdup(".") : strndup(path, length);
}

/* The folder is resolved when it is added, since the run may change what a relative path means.
 * False: there was no memory, or the path can't be resolved. */
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

/* An empty element, as of "a::b", adds nothing; it doesn't stand for the working folder as it does
 * in PATH. After an error nothing more is added, and the whole counts as failed. */
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
