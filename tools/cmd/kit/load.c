#define _XOPEN_SOURCE 700

#include "load.h"

#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DATA_ALIGNMENT = 64, STDIN_STEP = 1 << 20 };

static void *allocate(size_t size)
{
    const size_t rounded = (size / DATA_ALIGNMENT + 1) * DATA_ALIGNMENT;
    return rounded > size ? aligned_alloc(DATA_ALIGNMENT, rounded) : NULL;
}

/* Reads up to `size` bytes; fewer only at the end. -1: errno tells. */
static ssize_t read_up_to(int descriptor, char *bytes, size_t size)
{
    size_t used = 0;
    while (used < size) {
        const ssize_t got = read(descriptor, bytes + used, size - used);
        if (got == 0) {
            break;
        }
        if (got < 0 && errno != EINTR) {
            return -1;
        }
        used += got > 0 ? (size_t)got : 0;
    }
    return (ssize_t)used;
}

static int read_regular(int descriptor, const char *path, void **data, size_t *size)
{
    struct stat entry;
    if (fstat(descriptor, &entry) != 0) {
        return report_error(EXIT_IO, path, "can't be read; %s; check the path and its permissions",
                            strerror(errno));
    }
    if (!S_ISREG(entry.st_mode)) {
        return report_error(EXIT_IO, path, "not a regular file%s; give the path of a file",
                            S_ISDIR(entry.st_mode) ? ", a folder" : "");
    }
    char *bytes = (uint64_t)entry.st_size < SIZE_MAX ? allocate((size_t)entry.st_size) : NULL;
    if (bytes == NULL) {
        return report_error(EXIT_RUN, path, "out of memory; the file has %lld bytes; free some",
                            (long long)entry.st_size);
    }
    const ssize_t got = read_up_to(descriptor, bytes, (size_t)entry.st_size);
    if (got < 0) {
        const int error = errno;
        free(bytes);
        return report_error(EXIT_IO, path, "can't be read; %s; check the device", strerror(error));
    }
    *data = bytes;
    *size = (size_t)got;
    return EXIT_DONE;
}

int load_file(const char *path, void **data, size_t *size)
{
    /* Without blocking, so that a fifo is told from a file rather than waited for. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        return report_error(EXIT_IO, path,
                            "can't be opened; %s; check the path and its permissions",
                            strerror(errno));
    }
    const int status = read_regular(descriptor, path, data, size);
    close(descriptor);
    return status;
}

int load_stdin(void **data, size_t *size)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        capacity = capacity == 0 ? STDIN_STEP : 2 * capacity;
        char *more = realloc(bytes, capacity);
        if (more == NULL) {
            free(bytes);
            return report_error(EXIT_RUN, "-", "out of memory; standard input is too long");
        }
        bytes = more;
        const ssize_t got = read_up_to(STDIN_FILENO, bytes + used, capacity - used);
        if (got < 0) {
            const int error = errno;
            free(bytes);
            return report_error(EXIT_IO, "-",
                                "standard input can't be read; %s; check where it "
                                "comes from",
                                strerror(error));
        }
        used += (size_t)got;
        if (used < capacity) {
            *data = bytes;
            *size = used;
            return EXIT_DONE;
        }
    }
}
