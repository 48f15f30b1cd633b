/* Removal of outputs whose sources are gone.
 *
 * A kiln file holds the name of its source, and not where that is, since its bytes may not depend
 * on a folder. So what is stale can't be told from a folder of outputs alone: another manifest may
 * write there, and the file of a model that was never in this tree may have been copied there. A
 * run with --prune therefore leaves a record in the folder of its outputs: each output, its source
 * and the set, a manifest or the arguments of a working folder, that it belongs to, as paths from
 * that folder, so that a tree may be moved. Only what the record has, for the same set, is ever
 * removed.
 *
 * The record is a file that anybody may have written, in a folder where anything may have been put
 * since. A source is gone only if it is neither where it was as seen from the folder nor where it
 * was on the machine, so that a folder of outputs that was moved or copied alone loses nothing.
 * Before a file is removed it has to be a whole kiln file that was made from a source of that name;
 * it is reached from the folder of the outputs by names without "..", none of which is a link.
 * Between this look and the removal another process may still put another file there: no call of
 * the system removes a file by its descriptor.
 *
 * The record is text: a line that says what it is, then output, source, source from the root, and
 * set of each, each ended by a zero byte. Two runs that write it at once leave that of the later,
 * and what the other made is then not removed until it was recorded again. */
#define _XOPEN_SOURCE 700

#include "prune.h"

#include "../../../formats/assert.h"
#include "../kit/report.h"

#include "../../bake/up_to_date.h"
#include "../../common/memory.h"
#include "../../common/paths.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char record_name[] = ".kiln-outputs";
static const char record_head[] = "kiln outputs 2\n";

enum { FIELDS = 4 };

typedef struct {
    char *output, *source, *place, *set; /* place: of the source, from the root */
    bool made;                           /* by this run */
} entry;

typedef struct {
    char *folder; /* of the outputs, resolved */
    char *path;   /* of the record */
    char *set;    /* of this run */
    entry *list;
    size_t count, capacity;
    json_t *pruned; /* of the document; NULL: none */
} record;

static int no_memory(void)
{
    return report_error(EXIT_RUN, NULL, "out of memory");
}

/* FOLDER/NAME in new memory; a NAME that starts at the root stays. */
static char *joined(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        (void)snprintf(path, size, "%s%s%s", name[0] == '/' ? "" : folder,
                       name[0] == '/' ? "" : "/", name);
    }
    return path;
}

/* Where `path` is, its own name not followed where that is a link; in new memory. */
static char *place_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *above = kiln_folder_of(path);
    char *resolved = above != NULL ? kiln_path_resolved(above) : NULL;
    char *place = resolved != NULL ? joined(resolved, slash != NULL ? slash + 1 : path) : NULL;
    free(above);
    free(resolved);
    return place;
}

/* A resolved path as seen from a resolved folder, "../x", in new memory. */
static char *seen_from(const char *folder, const char *path)
{
    size_t common = 0, ups = 0;
    for (size_t i = 0; path[i] != '\0'; i++) {
        const bool ends = folder[i] == '\0';
        /* A common part ends only at a slash of both, so that "/ab" is not taken to be within
         * "/a". */
        if (path[i] == '/' && (ends || folder[i] == '/')) {
            common = i;
        }
        if (ends || folder[i] != path[i]) {
            break;
        }
    }
    const char *rest = folder + common;
    for (const char *at = rest; *at != '\0'; at++) {
        ups += *at == '/' && at[1] != '\0';
    }
    char *seen = malloc(3 * ups + strlen(path + common) + 1);
    if (seen != NULL) {
        seen[0] = '\0';
        for (size_t i = 0; i < ups; i++) {
            memcpy(seen + 3 * i, "../", 4);
        }
        strcat(seen, path + common + strspn(path + common, "/"));
    }
    return seen;
}

/* Adds an entry, or lays it over that of the same output. */
static bool put(record *r, const char *output, const char *source, const char *place,
                const char *set)
{
    void *list = r->list;
    const bool room = kiln_grow(&list, &r->capacity, r->count + 1, sizeof *r->list);
    r->list = list;
    entry added = {strdup(output), strdup(source), strdup(place), strdup(set), false};
    if (!room || added.output == NULL || added.source == NULL || added.place == NULL ||
        added.set == NULL) {
        free(added.output);
        free(added.source);
        free(added.place);
        free(added.set);
        return false;
    }
    KILN_ASSERT(r->count < r->capacity);
    r->list[r->count++] = added;
    return true;
}

/* Frees one entry and leaves a hole in the list, so that the numbers of the others stay. */
static void drop(record *r, size_t i)
{
    free(r->list[i].output);
    free(r->list[i].source);
    free(r->list[i].place);
    free(r->list[i].set);
    r->list[i] = (entry){NULL, NULL, NULL, NULL, false}; /* write_record passes over it */
}

/* By the output, of which the list has each once, so that the order of a record doesn't depend on
 * the sort. */
static int compare_entries(const void *p, const void *q)
{
    const entry *a = p, *b = q;
    return strcmp(a->output, b->output);
}

/* Reads the record; where there is none the list stays empty, and *first says so. */
static int read_record(record *r, bool *first)
{
    struct stat facts;
    const bool there = lstat(r->path, &facts) == 0;
    *first = !there && errno == ENOENT;
    if (*first) {
        return EXIT_DONE;
    }
    if (!there) {
        return report_error(EXIT_IO, r->path, "can't be looked at; %s; nothing was removed",
                            strerror(errno));
    }
    size_t size = 0;
    char *text = S_ISREG(facts.st_mode) ? kiln_load_regular(r->path, &size) : NULL;
    /* The record is whole only if it ends in a zero byte: a text that was cut off is refused
     * rather than read as far as it goes, as a shortened path could name another file. */
    const size_t head = sizeof record_head - 1;
    bool good = text != NULL && size >= head && memcmp(text, record_head, head) == 0 &&
                (size == head || text[size - 1] == '\0');
    const char *at = good ? text + head : NULL, *end = good ? text + size : NULL;
    bool memory = true;
    while (good && memory && at < end) {
        const char *fields[FIELDS];
        for (int i = 0; i < FIELDS && good; i++) {
            good = at < end;
            fields[i] = at;
            at += good ? strlen(at) + 1 : 0;
        }
        memory = !good || put(r, fields[0], fields[1], fields[2], fields[3]);
    }
    if (r->count > 0) {
        qsort(r->list, r->count, sizeof *r->list, compare_entries);
    }
    for (size_t i = 1; i < r->count; i++) { /* of two of one output only one could be of this run */
        good = good && strcmp(r->list[i - 1].output, r->list[i].output) != 0;
    }
    free(text);
    if (!memory) {
        return no_memory();
    }
    return good ? EXIT_DONE
                : report_error(EXIT_USAGE, r->path,
                               "is no record of outputs; nothing was removed; remove it, or bake "
                               "without --prune");
}

/* Opens the folder of an output, name by name, without a link; -1: there is none. *name is its
 * own name. */
static int open_folder(const record *r, const char *output, const char **name)
{
    int folder = open(r->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const char *at = output;
    for (const char *slash; folder >= 0 && (slash = strchr(at, '/')) != NULL; at = slash + 1) {
        char *part = strndup(at, (size_t)(slash - at));
        const bool plain =
            part != NULL && part[0] != '\0' && strcmp(part, ".") != 0 && strcmp(part, "..") != 0;
        /* Each folder is opened from the one before it and never through a link, so a link that is
         * put in the way meanwhile can't lead the removal out of the folder of outputs. */
        const int next =
            plain ? openat(folder, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        const int error = plain ? errno : EINVAL;
        free(part);
        close(folder);
        folder = next;
        errno = error;
    }
    *name = at;
    if (folder >= 0 && (at[0] == '\0' || strcmp(at, "..") == 0 || strcmp(at, ".") == 0)) {
        close(folder);
        folder = -1;
        errno = EINVAL;
    }
    return folder;
}

/* Why a file may not be removed; NULL: it is what the record says, or *gone is set. */
static const char *reason_to_keep(const entry *e, int folder, const char *name, bool *gone)
{
    struct stat facts;
    const char *slash = strrchr(e->source, '/');
    const bool there = fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0;
    *gone = !there && errno == ENOENT;
    if (!there) {
        return *gone ? NULL : "it can't be looked at; check the permissions of its folder";
    }
    if (!S_ISREG(facts.st_mode)) {
        return S_ISLNK(facts.st_mode)   ? "it is a link by now"
               : S_ISDIR(facts.st_mode) ? "it is a folder by now"
                                        : "it is no regular file by now";
    }
    /* The file is opened without blocking, in case a pipe has taken its place since it was looked
     * at. */
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    const bool made =
        file >= 0 && kiln_file_is_made_from(file, slash != NULL ? slash + 1 : e->source);
    if (file >= 0) {
        close(file);
    }
    return made ? NULL : "it is no whole kiln file that was made from a source of that name";
}

/* Reports what became of an output. */
static void tell(record *r, const entry *e, const char *outcome, const char *kept)
{
    char *output = joined(r->folder, e->output), text[600];
    (void)snprintf(text, sizeof text, "its source '%.300s' is gone%s%s", e->source,
                   kept != NULL ? ", and it stays: " : "", kept != NULL ? kept : "");
    if (output != NULL) {
        report_note(outcome, output, text);
    }
    if (r->pruned != NULL) {
        json_t *object = json_object();
        json_object_set_new(object, "output", json_cstring(output != NULL ? output : e->output));
        json_object_set_new(object, "source", json_cstring(e->source));
        json_object_set_new(object, "outcome", json_cstring(outcome));
        json_array_append_new(r->pruned, object);
    }
    free(output);
}

/* Is nothing there? What can't be looked at may be. */
static bool is_absent(const char *path)
{
    struct stat facts;
    return lstat(path, &facts) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/* Is the source neither where it was as seen from the outputs nor where it was on the machine? */
static bool is_gone(const record *r, const entry *e)
{
    char *path = joined(r->folder, e->source);
    const bool gone = path != NULL && is_absent(path) && is_absent(e->place);
    free(path);
    return gone;
}

/* Removes the output of one entry, if it may be. */
static int prune_one(record *r, size_t i, bool look_only)
{
    const entry *e = &r->list[i];
    const char *name, *kept = NULL;
    bool gone = false;
    int status = EXIT_DONE;
    const int folder = open_folder(r, e->output, &name);
    if (folder < 0) {
        gone = errno == ENOENT;
        kept = "its folder is not reached without a link";
    } else {
        kept = reason_to_keep(e, folder, name, &gone);
    }
    /* What is gone already needs no removal and no report; it only leaves the record. A file that
     * stays keeps its entry, so that a later run looks at it again. */
    if (gone) {
        drop(r, i);
    } else if (kept != NULL) {
        tell(r, e, "not removed", kept);
    } else if (look_only) {
        tell(r, e, "to be removed", NULL);
    } else if (unlinkat(folder, name, 0) == 0) {
        tell(r, e, "removed", NULL);
        drop(r, i);
    } else {
        status = report_error(EXIT_IO, e->output, "can't be removed; %s; check the permissions",
                              strerror(errno));
    }
    if (folder >= 0) {
        close(folder);
    }
    return status;
}

/* Writes the record, sorted, unless it is what is there. */
static int write_record(record *r)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    size_t size = sizeof record_head - 1, kept = 0, had = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->list[i].output != NULL) {
            r->list[kept++] = r->list[i];
        }
    }
    r->count = kept;
    if (kept > 0) {
        qsort(r->list, kept, sizeof *r->list, compare_entries);
    }
    for (size_t i = 0; i < kept; i++) {
        const entry *e = &r->list[i];
        size += strlen(e->output) + strlen(e->source) + strlen(e->place) + strlen(e->set) + FIELDS;
    }
    char *text = malloc(size);
    if (text == NULL) {
        return no_memory();
    }
    char *at = text + sizeof record_head - 1;
    memcpy(text, record_head, sizeof record_head - 1);
    for (size_t i = 0; i < kept; i++) {
        const char *const fields[FIELDS] = {r->list[i].output, r->list[i].source, r->list[i].place,
                                            r->list[i].set};
        for (int k = 0; k < FIELDS; k++) {
            const size_t length = strlen(fields[k]) + 1;
            memcpy(at, fields[k], length);
            at += length;
        }
    }
    KILN_ASSERT(at == text + size);
    /* A record that would not change is not written, so that its time says when it last did. */
    void *old = kiln_load_regular(r->path, &had);
    const bool same = old != NULL && had == size && memcmp(old, text, size) == 0;
    const bool done = same || kiln_write_file(r->path, text, size, message);
    free(old);
    free(text);
    return done ? EXIT_DONE : report_error(EXIT_IO, r->path, "%s", message);
}

/* Lays the outputs of the plan, as far as they are below the folder, over the record. */
static bool put_plan(record *r, const plan *of)
{
    const size_t before = r->count, length = strlen(r->folder);
    bool memory = true;
    for (size_t i = 0; i < of->count && memory; i++) {
        char *output = place_of(of->jobs[i].output), *source = place_of(of->jobs[i].input);
        if (output != NULL && source != NULL && strcmp(of->jobs[i].input, "-") != 0 &&
            kiln_path_is_within(output, r->folder)) {
            char *seen = seen_from(r->folder, source);
            const entry key = {output + length + strspn(output + length, "/"), NULL, NULL, NULL,
                               false};
            entry *earlier =
                before > 0 ? bsearch(&key, r->list, before, sizeof key, compare_entries) : NULL;
            memory = seen != NULL && put(r, key.output, seen, source, r->set);
            /* Only the first `before` entries are sorted, and those are searched; what is put in
             * meanwhile comes after them. The new entry's texts move into the earlier one, whose
             * place in the order stays. */
            if (earlier != NULL && memory) { /* put may have moved the list */
                earlier = bsearch(&key, r->list, before, sizeof key, compare_entries);
                free(earlier->source);
                free(earlier->place);
                free(earlier->set);
                r->count--;
                earlier->made = true;
                earlier->source = r->list[r->count].source;
                earlier->place = r->list[r->count].place;
                earlier->set = r->list[r->count].set;
                free(r->list[r->count].output);
            }
            free(seen);
        }
        memory = memory && output != NULL && source != NULL;
        free(output);
        free(source);
    }
    return memory;
}

/* Opens the record of the plan's folder. The set of arguments ends in a slash or is empty, which
 * that of no manifest does: the folder that they were given in. */
static int open_record(record *r, const plan *of, const char *manifest, bool *first)
{
    char *here = manifest == NULL ? kiln_path_resolved(".") : NULL;
    char *place = manifest != NULL ? place_of(manifest) : here != NULL ? joined(here, "") : NULL;
    r->folder = kiln_path_resolved(of->folder);
    r->path = r->folder != NULL ? joined(r->folder, record_name) : NULL;
    r->set = place != NULL && r->folder != NULL ? seen_from(r->folder, place) : NULL;
    r->pruned = report_is_json() ? json_array() : NULL;
    free(here);
    free(place);
    return r->path != NULL && r->set != NULL ? read_record(r, first) : no_memory();
}

/* The plan's own entries are renewed first: what remains of this set is not of the plan. */
int prune_outputs(const plan *of, const char *manifest, bool look_only)
{
    record r = {.folder = NULL};
    bool first = false;
    if (of->folder == NULL) { /* nothing is baked, so that no folder is known */
        KILN_ASSERT(of->count == 0);
        return EXIT_DONE;
    }
    int status = open_record(&r, of, manifest, &first);
    if (status != EXIT_DONE) {
        goto done;
    }
    if (first &&
        of->count == 0) { /* nothing is there to be recorded, perhaps not even the folder */
        goto done;
    }
    const size_t recorded = r.count;
    if (!put_plan(&r, of)) {
        status = no_memory();
        goto done;
    }
    if (first && !look_only) {
        report_note("nothing removed", r.folder,
                    "no earlier run with --prune has recorded its outputs; this one has");
    }
    for (size_t i = 0; i < recorded; i++) {
        if (!r.list[i].made && strcmp(r.list[i].set, r.set) == 0 && is_gone(&r, &r.list[i])) {
            const int one = prune_one(&r, i, look_only);
            status = one > status ? one : status;
        }
    }
    if (!look_only) {
        const int written = write_record(&r);
        status = written > status ? written : status;
    }
    if (r.pruned != NULL) {
        json_object_set(report_root(), "pruned", r.pruned);
    }
done:
    for (size_t i = 0; i < r.count; i++) {
        drop(&r, i);
    }
    json_decref(r.pruned);
    free(r.list);
    free(r.folder);
    free(r.path);
    free(r.set);
    return status;
}
