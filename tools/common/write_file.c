/* The temporary file has no name until it is complete, where the system can do that (O_TMPFILE);
 * else it is opened with O_EXCL. Its name is beside its target so that the rename stays within one
 * file system.
 *
 * A process that is killed while the file has a name leaves it there, and the next that writes the
 * same target on the same machine removes it: names are made of the target's, of the boot, and of a
 * count from 0 on, and a writer holds a lock on its file (flock) from before it can be found until
 * it is renamed. Who meets a file under its own name and gets its lock knows that the maker is
 * gone; who does not takes the next count. The boot keeps machines that share a disk, whose locks
 * may not see each other, from each other's files. Only the holder of a file's lock removes or
 * renames it.
 *
 * Names of unfinished files stand in a small table of atomic pointers, so that a signal handler can
 * remove them: the thread that exchanges a pointer out owns it. */
#define _GNU_SOURCE /* O_TMPFILE */

#include "write_file.h"

#include "../../formats/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PENDING_MAX = 32, NAME_ATTEMPTS = 1000, LINKS_MAX = 40 };

static _Atomic(char *) pending[PENDING_MAX];

/* The errors that a user can do something about have advice of their own. */
bool kiln_write_explain(const char *what, int error, char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(error != 0);
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
    } else if (error == EMFILE || error == ENFILE) {
        cure = "raise the limit on open files (ulimit -n)";
    } else if (error == ENAMETOOLONG) {
        cure = "give a shorter one";
    } else if (error == ELOOP) {
        cure = "mend the link";
    }
    snprintf(message, KILN_WRITE_MESSAGE_SIZE, "%s; %s; %s", what, why, cure);
    errno = error;
    return false;
}

/* Writes all bytes, however many calls that takes; false with errno set. */
static bool write_all(int descriptor, const char *bytes, size_t size)
{
    KILN_ASSERT(descriptor >= 0);
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

/* Writes, flushes and closes; on error errno holds the reason. The file is closed in any case. */
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

/* One step of FNV-1a over a text. */
static uint64_t mixed(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) { /* FNV-1a */
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    }
    return hash;
}

typedef struct {
    uint32_t number;
    bool known;
} boot_id;

/* Identifies this boot of this machine. Where the system does not say, the result is a number of
 * this process, with which no file ever counts as abandoned: another machine may have the same
 * number. */
static boot_id this_boot(void)
{
    char text[64];
    const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file >= 0 ? read(file, text, sizeof text) : -1;
    if (file >= 0) {
        close(file);
    }
    if (length < 32) {
        return (boot_id){(uint32_t)getpid(), false};
    }
    const uint64_t hash = mixed(UINT64_C(0xCBF29CE484222325), text, (size_t)length);
    return (boot_id){(uint32_t)(hash ^ hash >> 32), true};
}

/* The name beside `path` of its unfinished file number `count`, or NULL. */
static char *temporary_name(const char *path, unsigned count)
{
    const size_t folder = folder_length(path);
    const size_t size = folder + 64;
    const char *target = path + folder;
    char *name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%.*s.kiln-%016llx-%08x-%u.tmp", (int)folder, path,
                 (unsigned long long)mixed(UINT64_C(0xCBF29CE484222325), target, strlen(target)),
                 (unsigned)this_boot().number, count);
    }
    return name;
}

/* Does `name` lead to the open file? */
static bool is_named(int descriptor, const char *name)
{
    struct stat own, there;
    return fstat(descriptor, &own) == 0 && lstat(name, &there) == 0 && own.st_dev == there.st_dev &&
           own.st_ino == there.st_ino;
}

/* Is it an unfinished file whose maker is gone? Then it is removed, unless this is but a look. What
 * is not ours to lock stays. */
static bool take_orphan(const char *name, bool look_only)
{
    bool taken = false;
    if (!this_boot().known) {
        return false;
    }
    const int file = open(name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file >= 0) {
        taken = flock(file, LOCK_EX | LOCK_NB) == 0 && is_named(file, name) &&
                (look_only || unlink(name) == 0);
        close(file);
    }
    return taken;
}

static bool sweep(const char *path, bool look_only)
{
    char boot[16];
    snprintf(boot, sizeof boot, "-%08x-", (unsigned)this_boot().number);
    const char *name = path + folder_length(path);
    return strncmp(name, ".kiln-", 6) == 0 && strstr(name, boot) != NULL &&
           take_orphan(path, look_only);
}

bool kiln_write_file_sweep(const char *path)
{
    return sweep(path, false);
}

bool kiln_write_file_is_orphan(const char *path)
{
    return sweep(path, true);
}

/* Gives a new file the permissions of the one that it replaces, before it has contents: what only
 * its owner may read stays so. Without an old one, or where that is not permitted, the umask's
 * hold.
 */
static void keep_mode(int descriptor, const char *path)
{
    struct stat old;
    if (lstat(path, &old) == 0 && S_ISREG(old.st_mode)) {
        (void)fchmod(descriptor, old.st_mode & 0777);
    }
}

/* Opens a new file beside `path`, locked as far as the disk has locks. Its name, entered in the
 * table, is the caller's. Returns the descriptor, or -1 with errno. */
static int open_named(const char *path, char **name, unsigned *place)
{
    for (unsigned attempt = 0; attempt < 2 * NAME_ATTEMPTS; attempt++) {
        *name = temporary_name(path, attempt / 2);
        if (*name == NULL) {
            return -1;
        }
        const int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        const int error = errno;
        if (descriptor >= 0) {
            const bool unlocked = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
            if (!unlocked && is_named(descriptor, *name)) {
                keep_mode(descriptor, path);
                *place = pending_add(*name);
                return descriptor;
            }
            /* It was taken for an orphan in between, and is removed by the process that took it;
             * one that only looked leaves it to the next attempt, or to the next writer. */
            close(descriptor);
        } else if (error == EEXIST) {
            take_orphan(*name, false);
        }
        free(*name);
        *name = NULL;
        errno = error;
        if (descriptor < 0 && error != EEXIST) {
            return -1;
        }
    }
    errno = EEXIST;
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
        snprintf(folder, length + 2, "%.*s", length == 0 ? 1 : (int)length,
                 length == 0 ? "." : path);
        descriptor = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
        free(folder);
    }
    if (descriptor >= 0) {
        (void)flock(descriptor, LOCK_EX | LOCK_NB);
        keep_mode(descriptor, path);
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
    for (unsigned attempt = 0; attempt < 2 * NAME_ATTEMPTS; attempt++) {
        *name = temporary_name(path, attempt / 2);
        if (*name == NULL) {
            return false;
        }
        if (linkat(AT_FDCWD, own, AT_FDCWD, *name, AT_SYMLINK_FOLLOW) == 0) {
            *place = pending_add(*name);
            return true;
        }
        const int error = errno;
        if (error == EEXIST) {
            take_orphan(*name, false);
        }
        free(*name);
        *name = NULL;
        errno = error;
        if (error != EEXIST) {
            return false;
        }
    }
    return false;
}

/* A finished file beside its target. */
typedef struct {
    char *name;     /* NULL: none */
    unsigned place; /* in the table */
    int lock;       /* keeps the file locked; -1: nothing does */
} aside;

/* Writes and flushes a nameless file and names it. Without /proc there is no way to name it: then,
 * as on any error, the name stays NULL. */
static const char *fill_nameless(int descriptor, const char *path, const void *data, size_t size,
                                 aside *of)
{
    of->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    const char *failed = NULL;
    if (!write_all(descriptor, data, size) || !flush(descriptor)) {
        failed = "can't be written";
    } else if (!link_nameless(descriptor, path, &of->name, &of->place)) {
        failed = "can't be written";
    }
    const int error = errno;
    if (close(descriptor) != 0 && failed == NULL && errno != EINTR) {
        return "can't be written";
    }
    errno = error;
    return failed;
}

/* Fills a new file that has a name from the start, where the system has no nameless ones. */
static const char *fill_named(const char *path, const void *data, size_t size, aside *of)
{
    const int descriptor = open_named(path, &of->name, &of->place);
    if (descriptor < 0) {
        return "can't be written";
    }
    of->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 0); /* the close below is looked at */
    return fill_and_close(descriptor, data, size) ? NULL : "can't be written";
}

static void close_lock(aside *of)
{
    if (of->lock >= 0) {
        close(of->lock);
    }
    of->lock = -1;
}

/* Writes the new file beside the old one, and puts it in its place. */
static bool write_aside(const kiln_write_mover *mover, const char *path, const void *data,
                        size_t size, char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(data != NULL || size == 0);
    aside of = {NULL, PENDING_MAX, -1};
    const int nameless = open_nameless(path);
    const char *failed = nameless >= 0 ? fill_nameless(nameless, path, data, size, &of) : NULL;
    if (nameless < 0 || (failed != NULL && of.name == NULL && errno == ENOENT)) {
        close_lock(&of);
        failed = fill_named(path, data, size, &of);
    }
    message[0] = '\0';
    if (failed == NULL) {
        /* The last word is the mover's, if there is one. */
        const bool moved = mover != NULL ? mover->move(mover->user, of.name, path, message)
                                         : rename(of.name, path) == 0;
        failed = moved ? NULL : "can't be written";
    }
    if (failed != NULL && message[0] == '\0') {
        kiln_write_explain(failed, errno, message);
    }
    if (of.name != NULL) {
        if (failed != NULL) {
            unlink(of.name);
        }

        /* A handler of signals may have taken the name, and then unlinks and keeps it. */
        if (of.place == PENDING_MAX || atomic_exchange(&pending[of.place], NULL) == of.name) {
            free(of.name);
        }
    }
    close_lock(&of);
    return failed == NULL;
}

bool kiln_write_file(const char *path, const void *data, size_t size,
                     char message[KILN_WRITE_MESSAGE_SIZE])
{
    return kiln_write_file_by(NULL, path, data, size, message);
}

/* What the symbolic link `path` says, seen from where `path` is; NULL with errno. */
static char *step_along(const char *path, size_t size)
{
    const size_t folder = folder_length(path);
    char *next = malloc(folder + size + 2);
    if (next == NULL) {
        return NULL;
    }
    ssize_t length = readlink(path, next + folder, size + 1);
    if (length < 0 || (size_t)length > size) {
        errno = length < 0 ? errno : ELOOP; /* it is being changed */
        free(next);
        return NULL;
    }
    next[folder + (size_t)length] = '\0';
    if (next[folder] == '/') {
        memmove(next, next + folder, (size_t)length + 1);
    } else {
        memcpy(next, path, folder);
    }
    return next;
}

/* Where symbolic links lead, also to what is not there yet, in new memory; NULL with errno. */
static char *end_of_links(const char *path)
{
    struct stat entry;
    char *at = strdup(path);
    for (int links = 0; at != NULL && lstat(at, &entry) == 0 && S_ISLNK(entry.st_mode); links++) {
        char *next = links < LINKS_MAX ? step_along(at, 4096) : NULL;
        const int error = links < LINKS_MAX ? errno : ELOOP;
        free(at);
        at = next;
        errno = error;
    }
    return at;
}

/* Can what is there be written directly? Devices such as /dev/null, and descriptors of the process
 * by their names below /dev and /proc, as a shell passes a pipe. A named pipe may have no reader,
 * and opening it would wait for one; a disk would lose what is on it. */
static bool is_writable_directly(const struct stat *entry, const char *path,
                                 char message[KILN_WRITE_MESSAGE_SIZE])
{
    const char *what = NULL;
    if (S_ISDIR(entry->st_mode)) {
        return kiln_write_explain("is a folder", EISDIR, message);
    }
    if (S_ISFIFO(entry->st_mode) && strncmp(path, "/dev/", 5) != 0 &&
        strncmp(path, "/proc/", 6) != 0) {
        what = "is a pipe";
    } else if (S_ISBLK(entry->st_mode)) {
        what = "is a disk";
    } else if (S_ISSOCK(entry->st_mode)) {
        what = "is a socket";
    }
    if (what != NULL) {
        snprintf(message, KILN_WRITE_MESSAGE_SIZE,
                 "%s; only regular files are written by name; give '-' and redirect standard "
                 "output, or name a file",
                 what);
        errno = ENOTSUP;
    }
    return what == NULL;
}

bool kiln_write_file_by(const kiln_write_mover *mover, const char *path, const void *data,
                        size_t size, char message[KILN_WRITE_MESSAGE_SIZE])
{
    KILN_ASSERT(path != NULL);
    struct stat entry;
    if (stat(path, &entry) == 0) {
        if (!S_ISREG(entry.st_mode)) {
            if (!is_writable_directly(&entry, path, message)) {
                return false;
            }
            const int descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
            if (descriptor < 0) {
                return kiln_write_explain("can't be written", errno, message);
            }
            return fill_and_close(descriptor, data, size) ||
                   kiln_write_explain("can't be written", errno, message);
        }
    }
    char *target = end_of_links(path);
    const bool done = target != NULL ? write_aside(mover, target, data, size, message)
                                     : kiln_write_explain("can't be written", errno, message);
    free(target);
    return done;
}

/* May a file be made in the folder of `path`, or replaced there? */
static bool folder_is_writable(const char *path, char message[KILN_WRITE_MESSAGE_SIZE])
{
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

bool kiln_write_file_possible(const char *path, char message[KILN_WRITE_MESSAGE_SIZE])
{
    struct stat entry;
    if (stat(path, &entry) == 0 && !S_ISREG(entry.st_mode)) {
        return is_writable_directly(&entry, path, message);
    }
    char *target = end_of_links(path);
    if (target == NULL || (lstat(target, &entry) != 0 && errno == ENAMETOOLONG)) {
        kiln_write_explain("can't be written", errno, message);
        free(target);
        return false;
    }
    const bool possible = folder_is_writable(target, message);
    free(target);
    return possible;
}
