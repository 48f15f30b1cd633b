/* See globs.h. */
#define _XOPEN_SOURCE 700

#include "globs.h"

#include "../kit/report.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

/* A path under way: what of the pattern is left stands in the arguments. */
typedef struct {
    char path[PATH_SIZE];
    size_t length;
    input_list *found;
    int status;
} walk;

static void expand(walk *w, const char *pattern);

static bool is_wild(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("*?[", text[i]) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_regular(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* What may not be looked at could match: an error, where what is not there is none. */
static void fail_unless_absent(walk *w, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && w->status == EXIT_DONE) {
        w->status = report_error(EXIT_IO, path, "can't be searched; %s; check its permissions",
                                 strerror(errno));
    }
}

/* Is the path a file to bake? */
static bool is_match(walk *w)
{
    struct stat facts;
    if (stat(w->path, &facts) != 0) {
        fail_unless_absent(w, w->path);
        return false;
    }
    return S_ISREG(facts.st_mode);
}

static bool is_own_folder(walk *w)
{
    struct stat facts;
    if (lstat(w->path, &facts) != 0) {
        fail_unless_absent(w, w->path);
        return false;
    }
    return S_ISDIR(facts.st_mode);
}

/* Goes on with `name` behind the path, and `rest` of the pattern. */
static void descend(walk *w, const char *name, size_t length, const char *rest)
{
    const size_t before = w->length;
    if (before + length + 2 > PATH_SIZE) {
        return;
    }
    memcpy(w->path + before, name, length);
    w->length = before + length;
    if (*rest == '/') {
        w->path[w->length++] = '/';
        rest++;
    }
    w->path[w->length] = '\0';
    expand(w, rest);
    w->length = before;
    w->path[before] = '\0';
}

static DIR *open_here(walk *w)
{
    const char *path = w->length > 0 ? w->path : ".";
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fail_unless_absent(w, path);
    }
    return folder;
}

static void expand_names(walk *w, const char *pattern, size_t length)
{
    char part[PATH_SIZE];
    DIR *folder = length < sizeof part ? open_here(w) : NULL;
    const struct dirent *entry;
    if (folder == NULL) {
        return;
    }
    memcpy(part, pattern, length);
    part[length] = '\0';
    while ((entry = readdir(folder)) != NULL && w->status == EXIT_DONE) {
        if (fnmatch(part, entry->d_name, FNM_PERIOD) == 0) {
            descend(w, entry->d_name, strlen(entry->d_name), pattern + length);
        }
    }
    closedir(folder);
}

/* "**" and what follows: here, and in every folder below. */
static void expand_folders(walk *w, const char *pattern)
{
    const size_t before = w->length;
    DIR *folder = open_here(w);
    const struct dirent *entry;
    if (folder == NULL) {
        return;
    }
    expand(w, pattern[2] == '/' ? pattern + 3 : "*");
    while ((entry = readdir(folder)) != NULL && w->status == EXIT_DONE) {
        const size_t length = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || before + length + 2 > PATH_SIZE) {
            continue;
        }
        memcpy(w->path + before, entry->d_name, length + 1);
        if (is_own_folder(w)) {
            w->path[before + length] = '/';
            w->path[before + length + 1] = '\0';
            w->length = before + length + 1;
            expand_folders(w, pattern);
        }
        w->length = before;
        w->path[before] = '\0';
    }
    closedir(folder);
}

static void expand(walk *w, const char *pattern)
{
    const size_t length = strcspn(pattern, "/");
    if (w->status != EXIT_DONE) {
        return;
    }
    if (*pattern == '\0') {
        if (is_match(w)) {
            w->status = list_add(w->found, w->path, w->length);
        }
    } else if (length == 2 && memcmp(pattern, "**", 2) == 0) {
        expand_folders(w, pattern);
    } else if (is_wild(pattern, length)) {
        expand_names(w, pattern, length);
    } else {
        descend(w, pattern, length, pattern + length);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the names from `first` on, and leaves each once. */
static void put_in_order(input_list *list, size_t first)
{
    size_t kept = first;
    if (list->count > first) {
        qsort(list->names + first, list->count - first, sizeof *list->names, compare_names);
    }
    for (size_t i = first; i < list->count; i++) {
        if (kept > first && strcmp(list->names[kept - 1], list->names[i]) == 0) {
            free(list->names[i]);
        } else {
            list->names[kept++] = list->names[i];
        }
    }
    list->count = kept;
}

int globs_add(input_list *list, const char *path, size_t folder_length)
{
    const char *pattern = path + folder_length;
    if (!is_wild(pattern, strlen(pattern)) || is_regular(path)) {
        return list_add(list, path, strlen(path));
    }
    const size_t first = list->count;
    walk *w = calloc(1, sizeof *w);
    if (w == NULL || folder_length >= PATH_SIZE) {
        free(w);
        return report_error(EXIT_RUN, path, "out of memory");
    }
    memcpy(w->path, path, folder_length);
    w->length = folder_length;
    w->found = list;
    expand(w, pattern);
    const int status = w->status;
    free(w);
    put_in_order(list, first);
    return status;
}

static bool match_part(const char *pattern, size_t pattern_length, const char *name,
                       size_t name_length)
{
    char one[PATH_SIZE], other[PATH_SIZE];
    if (pattern_length >= sizeof one || name_length >= sizeof other) {
        return false;
    }
    memcpy(one, pattern, pattern_length);
    one[pattern_length] = '\0';
    memcpy(other, name, name_length);
    other[name_length] = '\0';
    return fnmatch(one, other, FNM_PERIOD) == 0;
}

bool globs_match(const char *pattern, const char *name)
{
    for (;;) {
        const size_t length = strcspn(pattern, "/"), name_length = strcspn(name, "/");
        if (length == 2 && memcmp(pattern, "**", 2) == 0) {
            return pattern[2] == '\0' || globs_match(pattern + 3, name) ||
                   (name[name_length] == '/' && globs_match(pattern, name + name_length + 1));
        }
        if (!match_part(pattern, length, name, name_length) ||
            (pattern[length] == '/') != (name[name_length] == '/')) {
            return false;
        }
        if (pattern[length] == '\0') {
            return true;
        }
        pattern += length + 1;
        name += name_length + 1;
    }
}
