#define _XOPEN_SOURCE 700

#include "files.h"

#include "report.h"

#include "../../../formats/format.h"
#include "../../common/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
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

int output_write(const char *path, const void *data, size_t size)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    const bool standard = strcmp(path, "-") == 0;
    const bool written = standard ? kiln_write_descriptor(STDOUT_FILENO, data, size, message)
                                  : kiln_write_file(path, data, size, message);
    if (!written) {
        return report_error(EXIT_IO, standard ? "standard output" : path, "%s", message);
    }
    return EXIT_DONE;
}

static bool ends_in_kiln(const char *name)
{
    static const char end[] = ".kiln";
    const size_t length = strlen(name);
    return length >= sizeof end - 1 && strcmp(name + length - (sizeof end - 1), end) == 0;
}

/* Is it something else than an earlier output: a model, a library of materials, a list? */
static bool is_foreign(const char *path)
{
    char start[KILN_FORMAT_MAGIC_SIZE];
    struct stat facts;
    if (ends_in_kiln(path) || strcmp(path, "-") == 0 || stat(path, &facts) != 0 ||
        !S_ISREG(facts.st_mode) || facts.st_size == 0) {
        return false;
    }
    FILE *file = fopen(path, "rb");
    const size_t got = file != NULL ? fread(start, 1, sizeof start, file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL && (got != sizeof start || memcmp(start, KILN_FORMAT_MAGIC, got) != 0);
}

int output_check(const char *path)
{
    return !is_foreign(path)
               ? EXIT_DONE
               : report_error(EXIT_USAGE, path,
                              "would be replaced; it is no kiln file, and not named as one; "
                              "name another output, or remove it first");
}

int exit_status_of(kiln_status status)
{
    switch (status) {
    case KILN_OK:
        return EXIT_DONE;
    case KILN_ERROR_NOT_FOUND:
    case KILN_ERROR_IO:
    case KILN_ERROR_NOT_A_FILE:
        return EXIT_IO;
    case KILN_ERROR_MEMORY:
        return EXIT_RUN;
    case KILN_ERROR_VERSION:
    case KILN_ERROR_FEATURE:
        return EXIT_UNSUPPORTED;
    case KILN_ERROR_ARGUMENT:
        return EXIT_USAGE;
    default:
        return EXIT_INVALID;
    }
}

/* What helps against a status of the runtime. */
static const char *cure_of(kiln_status status)
{
    if (status == KILN_ERROR_NOT_LOADED) {
        return "give the other kind of file";
    }
    if (status == KILN_ERROR_NOT_KILN) {
        return "give a file that kiln bake wrote";
    }
    switch (exit_status_of(status)) {
    case EXIT_IO:
        return "check the path and its permissions";
    case EXIT_RUN:
        return "free some and run again";
    case EXIT_UNSUPPORTED:
        return "bake it again with this version, or use the other one";
    default:
        return "bake it again, or fetch it again where it came from";
    }
}

int report_format_error(const char *path, int code, const char *text)
{
    const kiln_status status = (kiln_status)code;
    const char *what = text[0] != '\0' ? text : kiln_status_text(status);
    return report_error(exit_status_of(status), path, "%s; %s", what, cure_of(status));
}

int open_file(const char *path, kiln_file **file)
{
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    const kiln_status status = kiln_open(path, &options, file);
    return status == KILN_OK ? EXIT_DONE : report_format_error(path, (int)status, error.message);
}

static bool tree_fits(const kiln_tree_info *info, const char *name, const char *bv)
{
    return (name == NULL || strcmp(info->name, name) == 0) &&
           (bv == NULL || strcmp(info->bv_name, bv) == 0);
}

int choose_tree(const char *path, const kiln_file *file, const char *name, const char *bv,
                const kiln_tree **tree)
{
    const char *chosen = NULL;
    *tree = NULL;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree_info info = kiln_tree_get_info(kiln_file_tree(file, i));
        if (!tree_fits(&info, name, bv)) {
            continue;
        }
        if (*tree == NULL) {
            *tree = kiln_file_tree(file, i);
            chosen = info.name;
        } else if (strcmp(info.name, chosen) != 0) {
            return report_error(EXIT_USAGE, path,
                                "has several trees, '%s' and '%s' among them; "
                                "choose one by --tree (kiln info lists them)",
                                chosen, info.name);
        }
    }
    if (*tree == NULL) {
        return report_error(EXIT_USAGE, path, "has no tree%s%s%s%s; kiln info lists what it has",
                            name != NULL ? " named " : "", name != NULL ? name : "",
                            bv != NULL ? " of kind " : "", bv != NULL ? bv : "");
    }
    return EXIT_DONE;
}
