/* The temporary file has no name until it is complete, where the system can do that (O_TMPFILE), so that
 * not even a process that is killed leaves one behind; else it is opened with O_EXCL. Its name, by
 * process and count, is beside its target so that the rename stays within one file system. Names of unfinished files stand in a small table of atomic
 * pointers, so that a signal handler can remove them: whoever exchanges a pointer out owns it. */
#define _GNU_SOURCE /* O_TMPFILE */

#include "write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PENDING_MAX = 32, NAME_ATTEMPTS = 1000 };

static _Atomic(char *) pending[PENDING_MAX];
static atomic_uint temporary_count;

bool kiln_write_explain(const char *what, int error, char message[KILN_WRITE_MESSAGE_SIZE])
{
    const char *why = strerror(error);
    const char *cure = "check the path and its permissions";
    if (error == ENOSPC || error == EDQUOT) {
        why = "no space left on the device";
        cure = "free some and run again";
    } else if (error == EFBIG) {
        why = "no space: the limit on file size is reached";
        cure = "raise it (ulimit -f) and run again";
    } else if (error == EIO) {
        cure = "check the device";
    } else if (error == ENOMEM) {
        cure = "run again with more memory";
    }
    snprintf(message, KILN_WRITE_MESSAGE_SIZE, "%s; %s; %s", what, why, cure);
    return false;
}

static bool write_all(int descriptor, const char *bytes, size_t size)
{
    while (size > 0) {
        const size_t piece = size < ((size_t)1 << 30) ? size : (size_t)1 << 30;
        const ssize_t done = write(descriptor, bytes, piece);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        if (done > 0) {
            bytes += done;
            size -= (size_t)done;
        }
    }
    return true;
}

/* Devices and pipes can't be flushed, which is no error. */
static bool flush(int descriptor)
{
    return fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP;
}

bool kiln_write_descriptor(int descriptor, const void *data, size_t size,
                           char message[KILN_WRITE_MESSAGE_SIZE])
{
    if (!write_all(descriptor, data, size) || !flush(descriptor)) {
        return kiln_write_explain("can't be written", errno, message);
    }
    return true;
}

/* Writes, flushes and closes; on error errno tells why. Closes in any case. */
static bool fill_and_close(int descriptor, const void *data, size_t size)
{
    int error = 0;
    if (!write_all(descriptor, data, size) || !flush(descriptor)) {
        error = errno;
    }
    if (close(descriptor) != 0 && error == 0 && errno != EINTR) {
        error = errno;
    }
    errno = error;
    return error == 0;
}

static bool write_directly(const char *path, const void *data, size_t size,
                           char message[KILN_WRITE_MESSAGE_SIZE])
{
    const int descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0) {
        return kiln_write_explain("can't be opened for writing", errno, message);
    }
    return fill_and_close(descriptor, data, size) || kiln_write_explain("can't be written", errno, message);
}

/* Place of `name` in the table, or PENDING_MAX when it is full: then no handler will remove it. */
static unsigned pending_add(char *name)
{
    for (unsigned i = 0; i < PENDING_MAX; i++) {
        char *empty = NULL;
        if (atomic_compare_exchange_strong(&pending[i], &empty, name)) {
            return i;
        }
    }
    return PENDING_MAX;
}

/* Frees `name` unless a handler took it. */
static void pending_remove(unsigned place, char *name)
{
    if (place == PENDING_MAX || atomic_exchange(&pending[place], NULL) == name) {
        free(name);
    }
}

void kiln_write_file_abandon(void)
{
    for (unsigned i = 0; i < PENDING_MAX; i++) {
        const char *name = atomic_exchange(&pending[i], NULL);
        if (name != NULL) {
            unlink(name);
        }
    }
}

/* Length of the folder part of `path`, its last slash included; 0: the working folder. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* A new name beside `path`, or NULL. */
static char *temporary_name(const char *path)
{
    const size_t folder = folder_length(path);
    const size_t size = folder + 64;
    char *name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%.*s.kiln-%ld-%u.tmp", (int)folder, path, (long)getpid(),
                 atomic_fetch_add(&temporary_count, 1u));
    }
    return name;
}

/* Opens a new file beside `path`. Its name, entered in the table, is the caller's. Returns the
 * descriptor, or -1 with errno. */
static int open_named(const char *path, char **name, unsigned *place)
{
    for (unsigned attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        *name = temporary_name(path);
        if (*name == NULL) {
            return -1;
        }
        const int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            *place = pending_add(*name);
            return descriptor;
        }
        const int error = errno;
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST) {
            return -1;
        }
    }
    return -1;
}

/* The same without a name yet, or -1 where that can't be had. */
static int open_nameless(const char *path)
{
    int descriptor = -1;
#ifdef O_TMPFILE
    const size_t length = folder_length(path);
    char *folder = malloc(length + 2);
    if (folder != NULL) {
        snprintf(folder, length + 2, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : path);
        descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        free(folder);
    }
#else
    (void)path;
#endif
    return descriptor;
}

/* Gives a nameless file a name, as open_named does. False with errno. */
static bool link_nameless(int descriptor, const char *path, char **name, unsigned *place)
{
    char own[64];
    snprintf(own, sizeof own, "/proc/self/fd/%d", descriptor);
    for (unsigned attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        *name = temporary_name(path);
        if (*name == NULL) {
            return false;
        }
        *place = pending_add(*name);
        if (linkat(AT_FDCWD, own, AT_FDCWD, *name, AT_SYMLINK_FOLLOW) == 0) {
            return true;
        }
        const int error = errno;
        pending_remove(*place, *name);
        *name = NULL;
        errno = error;
        if (error != EEXIST) {
            return false;
        }
    }
    return false;
}

/* Writes and flushes a nameless file and names it. Without /proc there is no way to name it: then, as
 * on any error, *name stays NULL. */
static const char *fill_nameless(int descriptor, const char *path, const void *data, size_t size,
                                 char **name, unsigned *place)
{
    const char *failed = NULL;
    if (!write_all(descriptor, data, size) || !flush(descriptor)) {
        failed = "can't be written";
    } else if (!link_nameless(descriptor, path, name, place)) {
        failed = "can't be named";
    }
    const int error = errno;
    if (close(descriptor) != 0 && failed == NULL && errno != EINTR) {
        return "can't be written";
    }
    errno = error;
    return failed;
}

static const char *fill_named(const char *path, const void *data, size_t size, char **name,
                              unsigned *place)
{
    const int descriptor = open_named(path, name, place);
    if (descriptor < 0) {
        return "can't be created";
    }
    return fill_and_close(descriptor, data, size) ? NULL : "can't be written";
}

static bool write_aside(const char *path, const void *data, size_t size,
                        char message[KILN_WRITE_MESSAGE_SIZE])
{
    char *name = NULL;
    unsigned place = PENDING_MAX;
    const int nameless = open_nameless(path);
    const char *failed =
        nameless >= 0 ? fill_nameless(nameless, path, data, size, &name, &place) : NULL;
    if (nameless < 0 || (failed != NULL && name == NULL && errno == ENOENT)) {
        failed = fill_named(path, data, size, &name, &place);
    }
    if (failed == NULL && rename(name, path) != 0) {
        failed = "can't be replaced";
    }
    if (failed != NULL) {
        kiln_write_explain(failed, errno, message);
    }
    if (name != NULL) {
        if (failed != NULL) {
            unlink(name);
        }
        pending_remove(place, name);
    }
    return failed == NULL;
}

bool kiln_write_file(const char *path, const void *data, size_t size,
                     char message[KILN_WRITE_MESSAGE_SIZE])
{
    struct stat entry;
    if (stat(path, &entry) == 0) {
        if (S_ISDIR(entry.st_mode)) {
            return kiln_write_explain("is a folder", EISDIR, message);
        }
        if (!S_ISREG(entry.st_mode)) {
            return write_directly(path, data, size, message);
        }
    }
    char *target = lstat(path, &entry) == 0 && S_ISLNK(entry.st_mode) ? realpath(path, NULL) : NULL;
    const bool done = write_aside(target != NULL ? target : path, data, size, message);
    free(target);
    return done;
}

bool kiln_write_file_possible(const char *path, char message[KILN_WRITE_MESSAGE_SIZE])
{
    struct stat entry;
    if (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode)) {
        return !S_ISDIR(entry.st_mode) || kiln_write_explain("is a folder", EISDIR, message);
    }
    const size_t length = folder_length(path);
    char *folder = malloc(length + 2);
    if (folder == NULL) {
        return kiln_write_explain("can't be written", ENOMEM, message);
    }
    snprintf(folder, length + 2, "%.*s", length == 0 ? 1 : (int)length, length == 0 ? "." : path);
    const bool possible =
        access(folder, W_OK | X_OK) == 0 || kiln_write_explain("can't be written", errno, message);
    free(folder);
    return possible;
}
