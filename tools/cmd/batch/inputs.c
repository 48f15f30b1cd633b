/* Names of inputs: a list that grows, the files that list names, and patterns that are expanded
 * against the disk.
 *
 * A pattern is walked component by component, with the path so far in one buffer that each level of
 * the recursion extends and cuts back: expand() looks at the next component and either appends it,
 * or reads the folder and goes on with each name that matches, or, for "**", descends into all
 * folders. Only "**" follows no symbolic links, because it would never end in a circle of them.
 * fnmatch compares a component. glob() of POSIX has no "**" and can't tell a folder that may not be
 * read from one without matches, which would make a bake silently incomplete. */
#define _XOPEN_SOURCE 700

#include "inputs.h"

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "../kit/files.h"
#include "../kit/report.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* -- lists -- */

int inputs_add(input_list *list, const char *name, size_t length)
{
    void *names = list->names;
    const bool room = kiln_grow(&names, &list->capacity, list->count + 1, sizeof(char *));
    list->names = names;
    char *copy = room ? malloc(length + 1) : NULL;
    if (copy == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    memcpy(copy, name, length);
    copy[length] = '\0';
    KILN_ASSERT(list->count < list->capacity);
    list->names[list->count++] = copy;
    return EXIT_DONE;
}

int inputs_add_list(input_list *list, const char *path)
{
    void *text = NULL;
    size_t size = 0;
    list->from_list = true;
    int status = path[0] == '\0' ? report_usage("'@' is followed by a file that lists inputs")
                 : strcmp(path, "-") == 0 ? load_stdin(&text, &size)
                                          : load_file(path, &text, &size);

    /* A zero byte anywhere makes it a list as find -print0 writes it; else it has lines that end in
     * LF, or in CR and LF, maybe behind the mark that editors put before text in UTF-8. */
    static const char mark[] = "\xEF\xBB\xBF";
    const char *at = text, *const end = at != NULL ? at + size : NULL;
    const bool lines = status == EXIT_DONE && memchr(text, '\0', size) == NULL;
    if (lines && size >= sizeof mark - 1 && memcmp(at, mark, sizeof mark - 1) == 0) {
        at += sizeof mark - 1;
    }
    while (status == EXIT_DONE && at < end) {
        const char *stop = memchr(at, lines ? '\n' : '\0', (size_t)(end - at));
        const size_t span = (size_t)((stop != NULL ? stop : end) - at);
        const size_t length = span - (lines && span > 0 && at[span - 1] == '\r');
        if (length > 0 && !(lines && at[0] == '#')) {
            status = inputs_add(list, at, length);
        }
        at += span + (stop != NULL);
    }
    free(text);
    return status;
}

void inputs_free(input_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->names[i]);
    }
    free(list->names);
}

/* -- patterns -- */

enum { PATH_SIZE = 4096 };

/* The walk of one pattern. The rest of the pattern is an argument of the functions. */
typedef struct {
    char path[PATH_SIZE]; /* so far, with a zero behind */
    size_t length;        /* of it */
    input_list *found;
    int status;
} walk;

static void expand(walk *w, const char *pattern);

/* Has the text a character that makes it a pattern? */
static bool is_wild(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("*?[", text[i]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Reports the failure of a look at the disk, unless the path is just not there: what may not be
 * looked at could match. */
static void fail_unless_absent(walk *w, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && w->status == EXIT_DONE) {
        w->status = report_error(EXIT_IO, path, "can't be searched; %s; check its permissions",
                                 strerror(errno));
    }
}

/* Appends `name` to the path and expands the rest of the pattern there. A path that is too long for
 * the system can't be opened either, and is passed over. */
static void descend(walk *w, const char *name, size_t length, const char *rest)
{
    const size_t before = w->length;
    KILN_ASSERT(before < PATH_SIZE && w->path[before] == '\0');
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

/* Opens the folder that the path leads to; "" is the working folder. */
static DIR *open_here(walk *w)
{
    const char *path = w->length > 0 ? w->path : ".";
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fail_unless_absent(w, path);
    }
    return folder;
}

/* Expands "**" and what follows it: here, and in every folder below. */
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
        struct stat facts;
        if (lstat(w->path, &facts) != 0) {
            fail_unless_absent(w, w->path);
        } else if (S_ISDIR(facts.st_mode)) {
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
        struct stat facts;
        if (stat(w->path, &facts) != 0) {
            fail_unless_absent(w, w->path);
        } else if (S_ISREG(facts.st_mode)) {
            w->status = inputs_add(w->found, w->path, w->length);
        }
    } else if (length == 2 && memcmp(pattern, "**", 2) == 0) {
        expand_folders(w, pattern);
    } else if (is_wild(pattern, length)) {
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
    } else {
        descend(w, pattern, length, pattern + length);
    }
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file whose name has brackets in it is more likely meant than a pattern, so a name that is there
 * wins. */
int inputs_add_pattern(input_list *list, const char *path, size_t folder_length)
{
    const char *pattern = path + folder_length;
    struct stat facts;
    KILN_ASSERT(folder_length <= strlen(path));
    if (!is_wild(pattern, strlen(pattern)) || (stat(path, &facts) == 0 && S_ISREG(facts.st_mode))) {
        return inputs_add(list, path, strlen(path));
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

    /* Sorts the new names, and keeps each once. */
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
    KILN_ASSERT(kept <= list->count);
    list->count = kept;
    return status;
}

/* Does a component match one of a pattern? Neither ends in a zero. */
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

/* The recursion is over "**" alone, which may stand for no folder, or for one more. */
bool inputs_match(const char *pattern, const char *name)
{
    for (;;) {
        const size_t length = strcspn(pattern, "/"), name_length = strcspn(name, "/");
        if (length == 2 && memcmp(pattern, "**", 2) == 0) {
            return pattern[2] == '\0' || inputs_match(pattern + 3, name) ||
                   (name[name_length] == '/' && inputs_match(pattern, name + name_length + 1));
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
