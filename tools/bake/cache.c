/* A cache of baked files, shared by any number of bakers; cache.h describes its folder.
 *
 * Every entry is written aside and renamed, so that readers see whole files only, and every file
 * that is found is verified by its checksums and its build key before it is used. Nothing is
 * locked: two bakers that make the same entry write the same bytes. What fails here is reported
 * and never fails a bake. */
#define _XOPEN_SOURCE 700
#include "cache.h"

#include "../../formats/assert.h"
#include "../../formats/format.h"
#include "../common/folders.h"
#include "../common/sha256.h"
#include "../import/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HEX = 32, NAMES_MAX = 1 << 20 };

static const char tag_name[] = "CACHEDIR.TAG";
static const char tag_text[] = "Signature: 8a477f597d28d172789f06886806bc55\n"
                               "# Baked files that kiln bake --cache keeps. Made smaller by "
                               "kiln cache gc.\n";

/* Sets the message of a failed call of the system; false, for return statements. */
static bool fail(char message[KILN_WRITE_MESSAGE_SIZE], const char *what, int error)
{
    KILN_ASSERT(error != 0);
    snprintf(message, KILN_WRITE_MESSAGE_SIZE, "%s; %s; check the path and its permissions", what,
             strerror(error));
    return false;
}

/* FOLDER/NAME in new memory. */
static char *join(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path != NULL) {
        snprintf(path, size, "%s/%s", folder, name);
    }
    return path;
}

/* Lower case, with a zero at the end: 2 count + 1 bytes. */
static void to_hex(const uint8_t *bytes, size_t count, char *text)
{
    KILN_ASSERT(count > 0);
    for (size_t i = 0; i < count; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

/* ------------------------------------------------------------------------------- the folder -- */

/* Makes the folder and those above it, unless it is there already. */
static bool make_folder(const char *path, char message[KILN_WRITE_MESSAGE_SIZE])
{
    char *part;
    const bool made = kiln_folder_make(path, &part);
    if (!made) {
        (void)kiln_folder_explain(errno, message);
    }
    free(part);
    return made;
}

/* May others write there? The group of a user's own files is taken for a group of that user alone,
 * as many systems make one; a folder of root's is root's business. */
static bool is_for_others(const char *folder)
{
    struct stat facts;
    if (stat(folder, &facts) != 0 || !S_ISDIR(facts.st_mode)) {
        return false;
    }
    return (facts.st_mode & S_IWOTH) != 0 ||
           ((facts.st_mode & S_IWGRP) != 0 && facts.st_gid != getegid()) ||
           (facts.st_uid != geteuid() && facts.st_uid != 0);
}

/* What a shared cache lets its users do is said by the permissions of its folder, and not by the
 * umask of who happens to make an entry: with 077 the others could not even read it. So entries,
 * and the folders between, take them over, as git does in a shared repository; what belongs to
 * another group gives nothing to that. */
static void take_permissions(const char *path, const struct stat *cache, mode_t most)
{
    struct stat own;
    /* By a descriptor: others may put a link in its place between the look and the change. */
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    if (fstat(file, &own) == 0 && own.st_uid == geteuid() &&
        (S_ISREG(own.st_mode) || S_ISDIR(own.st_mode))) {
        const bool same_group =
            own.st_gid == cache->st_gid || fchown(file, (uid_t)-1, cache->st_gid) == 0;
        const mode_t mode =
            (cache->st_mode & most & (same_group ? 07777 : 07707)) | S_IRUSR | S_IWUSR;
        if ((own.st_mode & 07777) != mode) {
            (void)fchmod(file, mode);
        }
    }
    close(file);
}

bool kiln_cache_trusted(const char *folder, bool shared, char message[KILN_WRITE_MESSAGE_SIZE])
{
    const bool trusted = shared || !is_for_others(folder);
    if (!trusted) {
        snprintf(message, KILN_WRITE_MESSAGE_SIZE,
                 "other users may write to it, and so deliver any file for a model; take their "
                 "permission (chmod go-w), or, if they are trusted, give --cache-shared");
    }
    return trusted;
}

/* The tag comes first, so that gc never meets entries in a folder that is not marked as a cache. */
bool kiln_cache_prepare(const char *folder, bool shared, char message[KILN_WRITE_MESSAGE_SIZE])
{
    if (!kiln_cache_trusted(folder, shared, message)) {
        return false;
    }
    char *tag = join(folder, tag_name);
    bool done = tag != NULL && access(tag, F_OK) == 0;
    if (!done && make_folder(folder, message)) {
        done = tag != NULL ? kiln_write_file(tag, tag_text, sizeof tag_text - 1, message)
                           : fail(message, "can't be used", ENOMEM);
        struct stat cache;
        if (done && shared && stat(folder, &cache) == 0) {
            take_permissions(tag, &cache, 0666);
        }
    }
    free(tag);
    return done;
}

/* FOLDER/ab/HEX, then `rest`, in new memory. */
static char *entry_path(const char *folder, const uint8_t key[16], const char *rest)
{
    char hex[HEX + 1], name[128];
    to_hex(key, 16, hex);
    snprintf(name, sizeof name, "%.2s/%s%s", hex, hex, rest);
    return join(folder, name);
}

/* ---------------------------------------------------------------------------------- finding -- */

/* Notes the use of an entry for gc, which removes the longest unused. */
static void note_use(const char *path, bool look_only)
{
    if (!look_only) {
        (void)utimensat(AT_FDCWD, path, NULL, 0);
    }
}

/* The entry of this key in the layout of the request, verified. */
static void *find_file(const char *folder, const uint8_t key[16], kiln_request *request,
                       bool look_only, size_t *size, kiln_bake_report *report)
{
    const bool packed = kiln_request_layout(request) == KILN_LAYOUT_PACKED;
    /* The layout is no part of the key, so that it is part of the name. */
    char *path = entry_path(folder, key, packed ? "-p.kiln" : "-r.kiln");
    char *slash = path != NULL ? strrchr(path, '/') : NULL;
    void *file = NULL;
    if (slash != NULL) { /* a folder within the cache may be open to others, too */
        *slash = '\0';
        const bool trusted = kiln_request_shares_cache(request) || !is_for_others(path);
        *slash = '/';
        file = trusted ? kiln_load_regular(path, size) : NULL;
    }
    if (file != NULL && !kiln_request_answered(request, file, *size, true, report)) {
        free(file);
        file = NULL;
    }
    if (file != NULL) {
        note_use(path, look_only);
    }
    free(path);
    return file;
}

/* Names of side files as an entry has them: '+' or '-' for there or absent, the name, a zero byte.
 */
static kiln_side_file *parse_names(const char *text, size_t size, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        *count += text[i] == '\0';
    }
    kiln_side_file *sides =
        size > 0 && text[size - 1] == '\0' ? calloc(*count, sizeof *sides) : NULL;
    for (size_t i = 0; sides != NULL && i < *count; i++) {
        if (text[0] == '\0') {
            free(sides);
            return NULL;
        }
        sides[i].absent = text[0] == '-';
        sides[i].name = text + 1;
        text += strlen(text) + 1;
    }
    return sides;
}

/* The file whose side files are those that the list at `path` names, as they are now. */
static void *find_by_names(const char *folder, const char *path, kiln_request *request,
                           bool look_only, size_t *size, kiln_bake_report *report)
{
    uint8_t key[16];
    size_t text_size = 0, count = 0;
    void *file = NULL;
    char *text = kiln_load_regular(path, &text_size);
    kiln_side_file *sides =
        text != NULL && text_size <= NAMES_MAX ? parse_names(text, text_size, &count) : NULL;
    if (sides != NULL && kiln_request_key(request, sides, count, key)) {
        file = find_file(folder, key, request, look_only, size, report);
    }
    if (file != NULL) {
        note_use(path, look_only);
    }
    free(sides);
    free(text);
    return file;
}

/* Most models have no side files, so their file is found at the first look. */
void *kiln_cache_find(const char *folder, kiln_request *request, bool look_only, size_t *size,
                      kiln_bake_report *report)
{
    uint8_t key[16];
    if (!kiln_request_key(request, NULL, 0, key)) {
        return NULL;
    }
    void *file = find_file(folder, key, request, look_only, size, report);
    if (file != NULL) {
        return file;
    }

    /* Else by the lists of side files, in whatever order they come: at most one of them holds with
     * the files as they are, or several lead to the same bytes. */
    char hex[HEX + 1], shard_name[3];
    to_hex(key, 16, hex);
    snprintf(shard_name, sizeof shard_name, "%.2s", hex);
    char *shard = join(folder, shard_name);
    DIR *entries = shard != NULL ? opendir(shard) : NULL;
    const struct dirent *entry;
    /* An entry that appears or goes while the folder is read may be missed. That is a miss like any
     * other: the model is baked. */
    while (entries != NULL && file == NULL && (entry = readdir(entries)) != NULL) {
        /* A list of side files of this key is called "HEX-....names". */
        const size_t length = strlen(entry->d_name);
        if (length > HEX + 6 && strncmp(entry->d_name, hex, HEX) == 0 &&
            entry->d_name[HEX] == '-' && strcmp(entry->d_name + length - 6, ".names") == 0) {
            char *path = join(shard, entry->d_name);
            file =
                path != NULL ? find_by_names(folder, path, request, look_only, size, report) : NULL;
            free(path);
        }
    }
    if (entries != NULL) {
        closedir(entries);
    }
    free(shard);
    return file;
}

/* ---------------------------------------------------------------------------------- storing -- */

/* A kiln_write_mover's function: the entry has its permissions before others can find it. */
static bool move_shared(void *user, const char *from, const char *to,
                        char message[KILN_WRITE_MESSAGE_SIZE])
{
    (void)message; /* errno says it */
    take_permissions(from, user, 0666);
    return rename(from, to) == 0;
}

/* Writes one entry, in a folder by the first two digits of its key that is made if need be. */
static bool store_entry(const char *folder, bool shared, const uint8_t key[16], const char *rest,
                        const void *data, size_t size, char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(size > 0);
    struct stat cache;
    const kiln_write_mover mover = {move_shared, &cache};
    shared = shared && stat(folder, &cache) == 0;
    char *path = entry_path(folder, key, rest);
    if (path == NULL) {
        return fail(message, "can't be kept", ENOMEM);
    }
    char *slash = strrchr(path, '/');
    *slash = '\0';
    bool done = make_folder(path, message);
    if (done && shared) {
        take_permissions(path, &cache, 07777);
    }
    *slash = '/';

    /* An entry is a file. A link or a pipe in its place, which kiln_write_file would write
     * through, was not made by a bake. */
    struct stat facts;
    if (done && lstat(path, &facts) == 0 && !S_ISREG(facts.st_mode)) {
        const size_t length = strlen(path);
        snprintf(message, KILN_WRITE_MESSAGE_SIZE, "%s is no regular file; remove it",
                 path + (length > 100 ? length - 100 : 0));
        done = false;
    }
    done = done && kiln_write_file_by(shared ? &mover : NULL, path, data, size, message);
    free(path);
    return done;
}

/* By name; the first byte of each line says whether the file is there. */
static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a + 1, *(const char *const *)b + 1);
}

/* The text that parse_names reads, sorted by name as the key wants it; NULL without memory. */
static char *names_text(const kiln_soup *soup, size_t *size)
{
    const size_t count = (size_t)soup->side_file_count + soup->absent_file_count;
    char **lines = calloc(count, sizeof *lines);
    char *text = NULL;
    bool good = lines != NULL;
    *size = 0;
    for (size_t i = 0; i < count && good; i++) {
        const char *name = soup->strings + soup->side_files[i];
        lines[i] = malloc(strlen(name) + 2);
        good = lines[i] != NULL;
        if (good) {
            sprintf(lines[i], "%c%s", i < soup->side_file_count ? '+' : '-', name);
            *size += strlen(name) + 2;
        }
    }
    text = good ? malloc(*size) : NULL;
    if (text != NULL) {
        qsort(lines, count, sizeof *lines, compare_names);
        char *at = text;
        for (size_t i = 0; i < count; i++) {
            strcpy(at, lines[i]);
            at += strlen(at) + 1;
        }
    }
    for (size_t i = 0; i < count && lines != NULL; i++) {
        free(lines[i]);
    }
    free(lines);
    return text;
}

/* Keeps the list of side files under the key that the model would have without any. */
static bool store_names(const char *folder, kiln_request *request, const kiln_soup *soup,
                        char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(soup->side_file_count + soup->absent_file_count > 0);
    uint8_t key[16], digest[KILN_SHA256_SIZE];
    char rest[64] = "-";
    size_t size = 0;
    kiln_sha256 sha;
    char *text = names_text(soup, &size);
    /* A list that find_by_names would refuse is not stored. */
    if (text == NULL || size > NAMES_MAX || !kiln_request_key(request, NULL, 0, key)) {
        free(text);
        return fail(message, "can't be kept", ENOMEM);
    }
    kiln_sha256_init(&sha);
    kiln_sha256_update(&sha, text, size);
    kiln_sha256_final(&sha, digest);
    to_hex(digest, 8, rest + 1);
    strcat(rest, ".names");
    const bool done =
        store_entry(folder, kiln_request_shares_cache(request), key, rest, text, size, message);
    free(text);
    return done;
}

/* The list of names before the file: a list without its file is a miss, and a file without its
 * list would never be found. */
bool kiln_cache_store(const char *folder, kiln_request *request, const kiln_soup *soup,
                      const void *file, size_t size, char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(size > sizeof(kiln_format_header));
    const bool packed = kiln_request_layout(request) == KILN_LAYOUT_PACKED;
    kiln_format_header header;
    memcpy(&header, file, sizeof header);
    if (soup->side_file_count + soup->absent_file_count > 0 &&
        !store_names(folder, request, soup, message)) {
        return false;
    }
    return store_entry(folder, kiln_request_shares_cache(request), header.build_key,
                       packed ? "-p.kiln" : "-r.kiln", file, size, message);
}
