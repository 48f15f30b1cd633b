/* Paths: the file that another refers to, the one name of a place, and whether two paths lead to
 * one file.
 *
 * A place is resolved component by component, since realpath() gives nothing for what is not there
 * yet: an output, or a folder that is to be made. Files are compared by device and number, which
 * stat gives for whatever a path leads to. Comparing names, even resolved ones, would miss hard
 * links, bind mounts and disks that take several spellings for a name. */
#define _XOPEN_SOURCE 700
#include "paths.h"

#include "../../formats/assert.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40, LINK_SIZE = 4096 };

char *kiln_path_beside(const char *path, const char *name)
{
    KILN_ASSERT(path != NULL && name != NULL);
    const char *slash = name[0] == '/' ? NULL : strrchr(path, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *beside = malloc(folder + strlen(name) + 1);
    if (beside != NULL) {
        memcpy(beside, path, folder);
        strcpy(beside + folder, name);
    }
    return beside;
}

/* FOLDER/NAME in new memory, of which `length` bytes are the name. */
static char *joined(const char *folder, const char *name, size_t length)
{
    const size_t size = strlen(folder) + length + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s%s%.*s", folder, strcmp(folder, "/") == 0 ? "" : "/", (int)length,
                 name);
    }
    return path;
}

/* What the link `path` says, followed by the rest of a longer path; NULL with errno. */
static char *link_and_rest(const char *path, const char *rest)
{
    char target[LINK_SIZE];
    const ssize_t length = readlink(path, target, sizeof target - 1);
    if (length < 0) {
        return NULL;
    }
    target[length] = '\0';
    return joined(target, rest, strlen(rest));
}

/* `place` is resolved and exists, as far as anything there exists; a component of `rest` at a time
 * is taken over to it. A link leads to a new `rest`, from the root or from where the link is. */
char *kiln_path_resolved(const char *path)
{
    char *place = realpath(path[0] == '/' ? "/" : ".", NULL), *owned = NULL;
    const char *rest = path;
    int links = 0;
    while (place != NULL && *rest != '\0') {
        const size_t length = strcspn(rest, "/");
        const char *component = rest;
        struct stat facts;
        rest += length + (rest[length] == '/');
        if (length == 0 || (length == 1 && component[0] == '.')) {
            continue;
        }
        if (length == 2 && memcmp(component, "..", 2) == 0) {
            char *slash = strrchr(place, '/');
            slash[slash == place] = '\0'; /* the root is above itself */
            continue;
        }
        char *next = joined(place, component, length);
        if (next != NULL && lstat(next, &facts) == 0 && S_ISLNK(facts.st_mode)) {
            char *longer = links++ < LINKS_MAX ? link_and_rest(next, rest) : NULL;
            const int error = links <= LINKS_MAX ? errno : ELOOP;
            free(next);
            free(owned);
            owned = longer;
            rest = longer;
            next = longer == NULL ? NULL : longer[0] == '/' ? strdup("/") : strdup(place);
            errno = error;
        }
        free(place);
        place = next;
    }
    const int error = errno;
    free(owned);
    errno = error;
    return place;
}

bool kiln_path_is_within(const char *path, const char *folder)
{
    KILN_ASSERT(path[0] == '/' && folder[0] == '/');
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

bool kiln_file_id_of(const char *path, kiln_file_id *id)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return false;
    }
    *id = (kiln_file_id){facts.st_dev, facts.st_ino};
    return true;
}

int kiln_file_id_compare(const kiln_file_id *a, const kiln_file_id *b)
{
    if (a->device != b->device) {
        return a->device < b->device ? -1 : 1;
    }
    return a->number < b->number ? -1 : a->number > b->number;
}

bool kiln_same_file(const char *path, const char *other)
{
    kiln_file_id a, b;
    return kiln_file_id_of(path, &a) && kiln_file_id_of(other, &b) &&
           kiln_file_id_compare(&a, &b) == 0;
}
