/* Making a cache smaller: what has not been used for longest goes first. Times of use are the
 * entries' times of change, which a hit renews; they decide only what is thrown away. Only names
 * that cache.h gives are touched, so that nothing else in the folder is at risk. */
#define _XOPEN_SOURCE 700
#include "../kiln_bake.h"

#include "../../formats/assert.h"
#include "../common/memory.h"
#include "../common/write_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEX = 32, DAY = 86400 };

typedef struct {
    char name[96]; /* "ab/..." */
    uint64_t bytes;
    struct timespec used;
} entry;

typedef struct {
    const char *folder;
    entry *entries;
    size_t count, capacity;
    kiln_cache_report *report;
    bool look_only, failed;
} sweep;

/* Does the text begin with so many lower-case hexadecimal digits? */
static bool is_hex(const char *text, size_t count)
{
    KILN_ASSERT(count > 0);
    return strspn(text, "0123456789abcdef") >= count;
}

/* Does the name end in this text? */
static bool ends(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* As cache.c names what it keeps; anything else in the folder is not touched. */
static bool is_entry(const char *name)
{
    return strlen(name) < 64 && is_hex(name, HEX) &&
           (strcmp(name + HEX, "-p.kiln") == 0 || strcmp(name + HEX, "-r.kiln") == 0 ||
            (name[HEX] == '-' && is_hex(name + HEX + 1, 16) && ends(name, ".names")));
}

/* As kiln_write_file names what it has not finished. */
static bool is_unfinished(const char *name)
{
    return strlen(name) < 64 && strncmp(name, ".kiln-", 6) == 0 && ends(name, ".tmp");
}

/* Removes an entry, or only counts it. One that another process has removed meanwhile counts as
 * removed. */
static void remove_file(sweep *s, const char *name, uint64_t bytes)
{
    KILN_ASSERT(name[0] != '\0');
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", s->folder, name);
    if (length < 0 || (size_t)length >= sizeof path ||
        (!s->look_only && unlink(path) != 0 && errno != ENOENT)) {
        kiln_cache_report *r = s->report;
        snprintf(r->error, sizeof r->error,
                 "%.400s/%s: can't be removed; %s; check the permissions", s->folder, name,
                 strerror(errno));
        s->failed = true;
        return;
    }
    s->report->files_removed++;
    s->report->bytes_removed += bytes;
}

/* Lists an entry, or removes what a killed baker has left. */
static void look_at(sweep *s, const char *shard, int directory, const char *name)
{
    KILN_ASSERT(s->count <= s->capacity);
    struct stat facts;
    entry found;
    void *entries = s->entries;
    /* Links are not followed, so that nothing outside of the folder is listed or removed. */
    if ((!is_entry(name) && !is_unfinished(name)) ||
        fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode)) {
        return;
    }
    snprintf(found.name, sizeof found.name, "%.2s/%.80s", shard, name);
    found.bytes = (uint64_t)facts.st_size;
    found.used = facts.st_mtim;
    if (is_unfinished(name)) {
        /* Was it left by a killed baker of this machine? Those of others show by their age. */
        char path[4096];
        const int length = snprintf(path, sizeof path, "%s/%s", s->folder, found.name);
        if (length > 0 && (size_t)length < sizeof path &&
            (s->look_only ? kiln_write_file_is_orphan(path) : kiln_write_file_sweep(path))) {
            s->report->files_removed++;
            s->report->bytes_removed += found.bytes;
        } else if (time(NULL) - facts.st_mtim.tv_sec > DAY) {
            remove_file(s, found.name, found.bytes);
        }
        return;
    }
    if (!kiln_grow(&entries, &s->capacity, s->count + 1, sizeof found)) {
        s->failed = true;
        return;
    }
    s->entries = entries;
    s->entries[s->count++] = found;
    s->report->files++;
    s->report->bytes += found.bytes;
}

/* The longest unused first; of equals by name, so that the order is the same on every machine. */
static int compare_use(const void *p, const void *q)
{
    const entry *a = p, *b = q;
    if (a->used.tv_sec != b->used.tv_sec) {
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    }
    if (a->used.tv_nsec != b->used.tv_nsec) {
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

/* Sets the error and returns the status. */
static kiln_bake_status fail(kiln_cache_report *report, const char *folder, kiln_bake_status status,
                             const char *text)
{
    KILN_ASSERT(status != KILN_BAKE_OK);
    snprintf(report->error, sizeof report->error, "%.400s: %s", folder, text);
    return status;
}

/* Lists the whole cache, then removes files from the longest unused on until the rest fits. */
static kiln_bake_status collect(const char *folder, uint64_t max_bytes, bool look_only,
                                kiln_cache_report *report)
{
    KILN_ASSERT(folder != NULL);
    kiln_cache_report unseen;
    report = report != NULL ? report : &unseen;
    memset(report, 0, sizeof *report);
    sweep s = {.folder = folder, .report = report, .look_only = look_only};
    kiln_bake_status status;
    char tag[4096];
    /* The tag is what a cache is known by. Without it the folder could be any that was named by
     * mistake, and nothing in it may be touched. */
    const int length = snprintf(tag, sizeof tag, "%s/CACHEDIR.TAG", folder);
    DIR *open = opendir(folder);
    const struct dirent *item;
    if (open == NULL) {
        char message[KILN_WRITE_MESSAGE_SIZE];
        (void)kiln_write_explain("can't be opened", errno, message);
        status = fail(report, folder, KILN_BAKE_IO, message);
        goto done;
    }
    if (length < 0 || (size_t)length >= sizeof tag || access(tag, F_OK) != 0) {
        closedir(open);
        status =
            fail(report, folder, KILN_BAKE_USAGE,
                 "is no cache of kiln bake; it has no CACHEDIR.TAG; name the folder of --cache");
        goto done;
    }

    /* Look at all that each of the 256 folders of a cache holds. */
    while ((item = readdir(open)) != NULL) {
        /* A baker that was killed while it made the cache leaves its tag unfinished. */
        if (is_unfinished(item->d_name)) {
            look_at(&s, ".", dirfd(open), item->d_name);
        }
        /* Entries lie in folders that are named by the first two digits of their keys. */
        if (strlen(item->d_name) != 2 || !is_hex(item->d_name, 2)) {
            continue;
        }
        char path[4096];
        const int used = snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        DIR *shard = used > 0 && (size_t)used < sizeof path ? opendir(path) : NULL;
        const struct dirent *found;
        while (shard != NULL && (found = readdir(shard)) != NULL) {
            look_at(&s, item->d_name, dirfd(shard), found->d_name);
        }
        if (shard != NULL) {
            closedir(shard);
        }
    }
    closedir(open);

    /* Remove the longest unused until the rest fits, or one can not be removed. */
    if (s.count > 0) {
        qsort(s.entries, s.count, sizeof *s.entries, compare_use);
    }
    /* Sizes are those of the listing; entries that others add meanwhile wait for the next
     * collection. */
    for (size_t i = 0; i < s.count && report->bytes > max_bytes && !s.failed; i++) {
        remove_file(&s, s.entries[i].name, s.entries[i].bytes);
        if (!s.failed) {
            report->files--;
            report->bytes -= s.entries[i].bytes;
        }
    }
    if (s.failed && report->error[0] == '\0') {
        status = fail(report, folder, KILN_BAKE_FAILED, "out of memory");
    } else {
        status = s.failed ? KILN_BAKE_IO : KILN_BAKE_OK;
    }
done:
    free(s.entries);
    return status;
}

kiln_bake_status kiln_cache_gc(const char *folder, uint64_t max_bytes, kiln_cache_report *report)
{
    return collect(folder, max_bytes, false, report);
}

/* As kiln_cache_gc, but nothing is removed: the report says what would be. */
kiln_bake_status kiln_cache_gc_look(const char *folder, uint64_t max_bytes,
                                    kiln_cache_report *report)
{
    return collect(folder, max_bytes, true, report);
}
