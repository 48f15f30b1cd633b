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

/* The path of a file as another refers to it: seen from the other's folder, unless it starts at
 * the root. In new memory; NULL without. */
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

/* Is the component ".."? */
static bool is_above(const char *component, size_t length)
{
    return length == 2 && memcmp(component, "..", 2) == 0;
}

/* What is kept is moved to the beginning; ".." steps back over the component kept last, unless that
 * is ".." itself. The root is above itself. */
void kiln_path_collapse(char *path)
{
    char *const start = path + (*path == '/'), *const end = path + strlen(path), *to = start;
    for (const char *from = start; from < end;) {
        const size_t length = strcspn(from, "/");
        const char *const next = from + length + 1;
        char *before = to > start ? to - 1 : start; /* where the folder before it begins */
        while (before > start && before[-1] != '/') {
            before--;
        }
        const bool above = is_above(from, length);
        if (above && to > start && !is_above(before, (size_t)(to - before) - 1)) {
            to = before;
        } else if (length > 0 && !(length == 1 && *from == '.') && !(above && start > path)) {
            memmove(to, from, length);
            to += length;
            *to++ = '/'; /* behind the last, over the end */
        }
        from = next;
    }
    to[to > start ? -1 : 0] = '\0';
}

/* The working folder and the path, without "." and "..", in new memory. Links are not followed, so
 * the result compares spellings; NULL without memory or where the working folder is gone. */
char *kiln_path_from_root(const char *path)
{
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0);
    const size_t size = strlen(path) + (here != NULL ? strlen(here) : 0) + 2;
    char *whole = path[0] == '/' || here != NULL ? malloc(size) : NULL;
    if (whole != NULL) {
        snprintf(whole, size, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", path);
        kiln_path_collapse(whole);
    }
    free(here);
    return whole;
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
        if (is_above(component, length)) {
            char *slash = strrchr(place, '/');
            slash[slash == place] = '\0'; /* the root is above itself */
            continue;
        }
        char *next = joined(place, component, length);
        /* What is not there is taken over as it is: nothing below it can be a link. */
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

/* A folder is within itself. The byte after the common part has to end a component, so that "/ab"
 * is not within "/a"; of the root no byte is compared but its slash. */
bool kiln_path_is_within(const char *path, const char *folder)
{
    KILN_ASSERT(path[0] == '/' && folder[0] == '/');
    const size_t length = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

/* Only regular files have an id here: two writers of one device, such as /dev/null, do not disturb
 * each other. */
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
