/* Names of inputs: a list that grows, the files that list names, and patterns that are expanded
 * against the disk.
 *
 * A pattern is matched as an automaton (Thompson, "Regular Expression Search Algorithm", 1968): the
 * walk carries the set of all components that may match the next name, so each folder is read once
 * however many "**" there are, where trying one component after the other takes exponential time.
 * expand() reads a folder, and goes on in each entry with the components that follow those that
 * match it. Only "**" follows no symbolic links, because it would never end in a circle of them.
 * fnmatch compares a component. glob() of POSIX has no "**" and can't tell a folder that may not be
 * read from one without matches, which would make a bake silently incomplete. */
#define _XOPEN_SOURCE 700

#include "inputs.h"

#include "junit.h"

#include "../../../formats/assert.h"
#include "../../common/memory.h"
#include "../../import/formats.h"
#include "../kit/files.h"
#include "../kit/report.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* -- lists -- */

/* The name need not end in a zero; a copy is kept. A failure leaves the list as it was. */
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

/* A line that begins with '#' is a comment of a list. One that is the name of a file may be meant
 * as such. */
static void note_comment(const char *list, const char *line, size_t length)
{
    char *name = strndup(line, length);
    struct stat facts;
    if (name != NULL && stat(name, &facts) == 0) {
        char text[400];
        snprintf(text, sizeof text,
                 "a line of '%.150s' that begins with '#' is a comment; write './%.150s' for the "
                 "file",
                 list, name);
        report_note("not baked", name, text);
    }
    free(name);
}

/* Adds the names in a file, or from standard input as "-". They are taken as they are, without
 * patterns, so that a name with '*' in it can be given. */
int inputs_add_list(input_list *list, const char *path)
{
    void *text = NULL;
    size_t size = 0;
    list->from_list = true;
    int status = path[0] == '\0' ? report_usage("'@' is followed by a file that lists inputs")
                 : strcmp(path, "-") == 0 ? load_stdin(0, &text, &size)
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
        if (length > 0 && lines && at[0] == '#') {
            note_comment(path, at, length);
        } else if (length > 0) {
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

enum { PATH_SIZE = 4096, PARTS_MAX = 63 };

/* A pattern as its components, behind one another in `text`, each ended by a zero. Of several "**"
 * in a row one is kept. */
typedef struct {
    char *text;
    const char *parts[PARTS_MAX];
    size_t count;
} pattern;

/* A set of components by their numbers, as bits: those that the next name of a path may match.
 * Number `count`, the end, stands for a path that matches all of the pattern. */
typedef uint64_t part_set;

static bool is_part(part_set set, size_t i)
{
    return (set >> i & 1) != 0;
}

bool inputs_is_wild(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

static bool is_any_folders(const char *part)
{
    return strcmp(part, "**") == 0;
}

/* "." and "..", which no folder lists. */
static bool is_dots(const char *part)
{
    return strcmp(part, ".") == 0 || strcmp(part, "..") == 0;
}

/* Splits a pattern; an empty component at its end stays, as only a folder matches it. Without
 * memory text is NULL; false also where it has too many components, or ".." behind "**", which
 * would lead to the same folders again and again. */
static bool pattern_open(pattern *p, const char *from)
{
    bool descends = false;
    *p = (pattern){.text = strdup(from)};
    for (char *at = p->text; at != NULL;) {
        char *slash = strchr(at, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        const bool again =
            is_any_folders(at) && p->count > 0 && is_any_folders(p->parts[p->count - 1]);
        const bool empty = at[0] == '\0' && slash != NULL; /* "a//b" is "a/b" */
        /* With at most PARTS_MAX components the numbers 0 to PARTS_MAX, the end among them, fit
         * the 64 bits of a part_set. */
        if (p->count == PARTS_MAX || (descends && strcmp(at, "..") == 0)) {
            return false;
        }
        descends = descends || is_any_folders(at);
        if (!again && !empty) {
            p->parts[p->count++] = at;
        }
        at = slash != NULL ? slash + 1 : NULL;
    }
    /* "**" at the end stands for all files below. */
    if (p->text != NULL && is_any_folders(p->parts[p->count - 1])) {
        if (p->count == PARTS_MAX) {
            return false;
        }
        p->parts[p->count++] = "*";
    }
    return p->text != NULL;
}

/* With "**" the component after it, too: it may stand for no folder. */
static part_set with_next(const pattern *p, size_t i)
{
    part_set set = (part_set)1 << i;
    return i < p->count && is_any_folders(p->parts[i]) ? set | (part_set)1 << (i + 1) : set;
}

/* The components that may follow `name`, where those of `set` may match it. `into_folder`: it is a
 * folder that "**" may stand for. */
static part_set after_name(const pattern *p, part_set set, const char *name, bool into_folder)
{
    part_set next = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (!is_part(set, i)) {
            continue;
        }
        if (is_any_folders(p->parts[i])) {
            next |= into_folder && name[0] != '.' ? with_next(p, i) : 0;
        } else if (inputs_is_wild(p->parts[i]) ? fnmatch(p->parts[i], name, FNM_PERIOD) == 0
                                               : strcmp(p->parts[i], name) == 0) {
            next |= with_next(p, i + 1);
        }
    }
    return next;
}

/* The walk of one pattern. */
typedef struct {
    char path[PATH_SIZE]; /* so far, with a zero behind */
    size_t length;        /* of it */
    const pattern *of;
    input_list *found;
    int status;
} walk;

static void expand(walk *w, part_set set);

/* Reports the failure of a look at the disk, unless the path is just not there: what may not be
 * looked at could match. */
static void fail_unless_absent(walk *w, const char *path)
{
    if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP && w->status == EXIT_DONE) {
        w->status = report_error(EXIT_IO, path, "can't be searched; %s; check its permissions",
                                 strerror(errno));
    }
}

/* Takes a path that matches, if it is a regular file; what is passed over is told, but for folders,
 * which "*" matches everywhere. */
static void take(walk *w)
{
    struct stat facts;
    if (stat(w->path, &facts) == 0) {
        if (S_ISREG(facts.st_mode)) {
            w->status = inputs_add(w->found, w->path, w->length);
        } else if (!S_ISDIR(facts.st_mode)) {
            report_note("not baked", w->path, "matches, and is no regular file");
        }
    } else if (lstat(w->path, &facts) == 0) {
        report_note("not baked", w->path, "matches, and is a link to nothing");
    } else {
        fail_unless_absent(w, w->path);
    }
}

/* Appends `name` to the path and goes on there with `set`. */
static void descend(walk *w, const char *name, part_set set)
{
    const size_t before = w->length, length = strlen(name);
    const part_set end = (part_set)1 << w->of->count;
    KILN_ASSERT(before < PATH_SIZE && w->path[before] == '\0');
    if (before + length + 2 > PATH_SIZE) {
        report_note("not baked", w->path, "its path is longer than the system takes one");
        return;
    }
    memcpy(w->path + before, name, length + 1);
    w->length = before + length;
    if ((set & end) != 0) {
        take(w);
    }
    if ((set & ~end) != 0) {
        /* The path is one buffer for the whole walk: each level adds its name and takes it off
         * again. */
        w->path[w->length++] = '/';
        w->path[w->length] = '\0';
        expand(w, set & ~end);
    }
    w->length = before;
    w->path[before] = '\0';
}

/* Is the entry a folder itself, and no link to one? */
static bool is_own_folder(walk *w, const char *name)
{
    const size_t before = w->length, length = strlen(name);
    struct stat facts = {.st_mode = 0};
    if (before + length + 2 <= PATH_SIZE) {
        memcpy(w->path + before, name, length + 1);
        if (lstat(w->path, &facts) != 0) {
            fail_unless_absent(w, w->path);
        }
        w->path[before] = '\0';
    }
    return S_ISDIR(facts.st_mode);
}

/* Goes on in the folder that the path leads to, "" for the working folder. Names that stand in the
 * pattern as they are need no look at the folder, which might not be permitted. */
static void expand(walk *w, part_set set)
{
    const pattern *p = w->of;
    part_set listed = 0, folders = 0;
    for (size_t i = 0; i < p->count && w->status == EXIT_DONE; i++) {
        if (!is_part(set, i)) {
            continue;
        }
        if (p->parts[i][0] == '\0') { /* a slash at the end: only folders match */
            continue;
        }
        folders |= is_any_folders(p->parts[i]) ? (part_set)1 << i : 0;
        if (is_dots(p->parts[i])) {
            descend(w, p->parts[i], with_next(p, i + 1));
        } else {
            listed |= (part_set)1 << i;
        }
    }
    if (listed == 0 || w->status != EXIT_DONE) {
        return;
    }
    /* Exactly one component is left, so if it is a plain name the folder need not be read. */
    if ((listed & (listed - 1)) == 0) {
        size_t i = 0;
        while (!is_part(listed, i)) {
            i++;
        }
        if (!inputs_is_wild(p->parts[i])) {
            descend(w, p->parts[i], with_next(p, i + 1));
            return;
        }
    }
    const char *path = w->length > 0 ? w->path : ".";
    DIR *folder = opendir(path);
    const struct dirent *entry;
    if (folder == NULL) {
        fail_unless_absent(w, path);
        return;
    }
    while ((entry = readdir(folder)) != NULL && w->status == EXIT_DONE) {
        if (is_dots(entry->d_name)) {
            continue;
        }
        const bool into =
            folders != 0 && entry->d_name[0] != '.' && is_own_folder(w, entry->d_name);
        const part_set next = after_name(p, listed, entry->d_name, into);
        if (next != 0) {
            descend(w, entry->d_name, next);
        }
    }
    closedir(folder);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A file whose name has brackets in it is more likely meant than a pattern, so a name that is there
 * wins. */
int inputs_add_pattern(input_list *list, const char *path, size_t folder_length)
{
    const char *text = path + folder_length;
    struct stat facts;
    pattern of;
    KILN_ASSERT(folder_length <= strlen(path));
    if (!inputs_is_wild(text) || (stat(path, &facts) == 0 && S_ISREG(facts.st_mode))) {
        return inputs_add(list, path, strlen(path));
    }
    const size_t first = list->count;
    /* Its path of four kilobytes is kept off the stack, which the recursion of expand needs. */
    walk *w = calloc(1, sizeof *w);
    const bool rooted = text[0] == '/';
    if (w == NULL || folder_length + 1 >= PATH_SIZE) {
        free(w);
        return report_error(EXIT_RUN, path, "out of memory");
    }
    if (!pattern_open(&of, text + rooted)) {
        const bool memory = of.text != NULL;
        free(of.text);
        free(w);
        return memory ? report_error(EXIT_USAGE, path,
                                     "has more than %d components, or '..' behind '**'; split it",
                                     PARTS_MAX - 1)
                      : report_error(EXIT_RUN, path, "out of memory");
    }
    memcpy(w->path, path, folder_length);
    w->length = folder_length;
    if (rooted) {
        w->path[w->length++] = '/';
    }
    w->of = &of;
    w->found = list;
    expand(w, with_next(&of, 0));
    const int status = w->status;
    free(of.text);
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

/* -- folders -- */

/* What a folder has besides models. */
enum { NO_MODEL, HIDDEN, FOLDER_LINK, NO_TARGET, NO_FILE, OTHERS };

/* By the table of formats. */
static bool has_extension_of_model(const char *name)
{
    char lower[KILN_EXTENSION_SIZE];
    kiln_extension_of(name, NULL, lower);
    return kiln_format_of(lower) != NULL && !kiln_format_is_heights(lower);
}

/* Is it a report that a run with --junit has left there? Its extension is also that of a format. */
static bool is_report(const char *path, const struct stat *facts)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcasecmp(dot, ".xml") == 0 && facts->st_size > 0 &&
           output_may_be_replaced(path, &output_kind_junit, NULL);
}

/* Adds an entry to the models or to the folders that are still to be looked at, or counts it. Links
 * to folders are not followed, so that every walk ends and no model is found twice. */
static int take_entry(const char *path, input_list *models, input_list *folders,
                      size_t others[OTHERS])
{
    struct stat own, facts;
    if (lstat(path, &own) != 0 || (stat(path, &facts) != 0 && !S_ISLNK(own.st_mode))) {
        return errno == ENOENT
                   ? EXIT_DONE
                   : report_error(EXIT_IO, path, "can't be searched; %s; check its permissions",
                                  strerror(errno));
    }
    const bool link = S_ISLNK(own.st_mode);
    if (link && stat(path, &facts) != 0) {
        others[NO_TARGET]++;
    } else if (S_ISDIR(facts.st_mode)) {
        if (!link) {
            return inputs_add(folders, path, strlen(path));
        }
        others[FOLDER_LINK]++;
    } else if (!S_ISREG(facts.st_mode)) {
        others[NO_FILE]++;
    } else if (!has_extension_of_model(path) || is_report(path, &facts)) {
        others[NO_MODEL]++;
    } else {
        return inputs_add(models, path, strlen(path));
    }
    return EXIT_DONE;
}

/* Looks at the entries of one folder. */
static int take_folder(const char *path, input_list *models, input_list *folders,
                       size_t others[OTHERS])
{
    DIR *entries = opendir(path);
    if (entries == NULL) {
        return report_error(EXIT_IO, path, "can't be searched; %s; check its permissions",
                            strerror(errno));
    }
    const size_t length = strlen(path);
    const char *between = length > 0 && path[length - 1] == '/' ? "" : "/";
    const struct dirent *entry;
    int status = EXIT_DONE;
    while (status == EXIT_DONE && (entry = readdir(entries)) != NULL) {
        if (is_dots(entry->d_name)) {
            continue;
        }
        if (entry->d_name[0] == '.') {
            others[HIDDEN]++;
            continue;
        }
        const size_t size = length + strlen(entry->d_name) + 2;
        char *name = malloc(size);
        if (name == NULL) {
            status = report_error(EXIT_RUN, NULL, "out of memory");
            break;
        }
        (void)snprintf(name, size, "%s%s%s", path, between, entry->d_name);
        status = take_entry(name, models, folders, others);
        free(name);
    }
    closedir(entries);
    return status;
}

/* Counts what was left out, in one line. */
static void note_others(const char *folder, const size_t others[OTHERS])
{
    static const struct {
        const char *one, *many;
    } words[OTHERS] = {{"file of a format that is not read", "files of formats that are not read"},
                       {"hidden name", "hidden names"},
                       {"link to a folder", "links to folders"},
                       {"link to nothing", "links to nothing"},
                       {"device, pipe or socket", "devices, pipes or sockets"}};
    char text[256] = "";
    size_t used = 0;
    for (int i = 0; i < OTHERS; i++) {
        if (others[i] > 0) {
            used +=
                (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", used > 0 ? ", " : "",
                                 others[i], others[i] == 1 ? words[i].one : words[i].many);
        }
    }
    KILN_ASSERT(used < sizeof text);
    if (used > 0) {
        report_note("not baked", folder, text);
    }
}

/* The folders wait in a list, not on the stack, whose depth the disk would decide. */
int inputs_add_folder(input_list *list, const char *folder)
{
    input_list folders = {NULL, 0, 0, false};
    size_t others[OTHERS] = {0};
    const size_t first = list->count;
    int status = inputs_add(&folders, folder, strlen(folder));
    for (size_t i = 0; i < folders.count && status == EXIT_DONE; i++) {
        status = take_folder(folders.names[i], list, &folders, others);
    }
    inputs_free(&folders);
    KILN_ASSERT(list->count >= first);
    if (list->count > first) {
        qsort(list->names + first, list->count - first, sizeof *list->names, compare_names);
    }
    if (status == EXIT_DONE) {
        note_others(folder, others);
    }
    return status;
}

/* The walk of a pattern without a disk: the set of components goes through the name. Repeated
 * slashes are no components, neither of the name nor of the pattern. */
int inputs_match(const char *text, const char *name)
{
    char part[PATH_SIZE];
    pattern of;
    KILN_ASSERT(text[0] != '/' && name[0] != '/');
    int matches = pattern_open(&of, text) ? 0 : -1;
    part_set set = matches == 0 ? with_next(&of, 0) : 0;
    for (const char *at = name; at != NULL && set != 0;) {
        const size_t length = strcspn(at, "/");
        const bool more = at[length] == '/';
        if (length >= sizeof part) {
            break;
        }
        memcpy(part, at, length);
        part[length] = '\0';
        set = after_name(&of, set, part, more);
        matches = !more && is_part(set, of.count);
        at = more ? at + length + strspn(at + length, "/") : NULL;
    }
    free(of.text);
    return matches;
}
