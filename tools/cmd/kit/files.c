/* Files that a verb reads: whole files in memory, and kiln files that the runtime opens.
 *
 * Every function reports its own failure, as "FILE: what; why; what to do", and returns the exit
 * status that it ends in, so that a verb only passes a status on. Two functions map the status of
 * the runtime to an exit status and to the advice at the end of the message; nothing else in the
 * command does. */
#define _XOPEN_SOURCE 700

#include "files.h"

#include "report.h"

#include "../../../formats/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Sections of a file are aligned to 64 bytes, and so is the memory that it is read into. */
enum { DATA_ALIGNMENT = 64, STDIN_STEP = 1 << 20 };

/* ------------------------------------------------------------------------------- into memory -- */

/* Reads up to `size` bytes; fewer only at the end of the file. Returns -1 with errno on failure. */
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
    KILN_ASSERT(used <= size);
    return (ssize_t)used;
}

int load_file(const char *path, void **data, size_t *size)
{
    KILN_ASSERT(path != NULL);
    /* O_NONBLOCK, so that a fifo is refused at once: opening it would wait for a writer. */
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0) {
        return report_error(EXIT_IO, path,
                            "can't be opened; %s; check the path and its permissions",
                            strerror(errno));
    }
    char *bytes = NULL;
    int status = EXIT_DONE;
    struct stat entry;
    if (fstat(descriptor, &entry) != 0) {
        status =
            report_error(EXIT_IO, path, "can't be read; %s; check the path and its permissions",
                         strerror(errno));
        goto done;
    }
    if (!S_ISREG(entry.st_mode)) {
        status = report_error(EXIT_IO, path, "not a regular file%s; give the path of a file",
                              S_ISDIR(entry.st_mode) ? ", a folder" : "");
        goto done;
    }
    /* aligned_alloc wants a multiple of the alignment; an empty file still gets a block of its
     * own. */
    const uint64_t whole = (uint64_t)entry.st_size;
    const uint64_t rounded = (whole / DATA_ALIGNMENT + 1) * DATA_ALIGNMENT;
    if (whole < SIZE_MAX - DATA_ALIGNMENT) {
        bytes = aligned_alloc(DATA_ALIGNMENT, (size_t)rounded);
    }
    if (bytes == NULL) {
        status = report_error(EXIT_RUN, path, "out of memory; the file has %lld bytes; free some",
                              (long long)entry.st_size);
        goto done;
    }
    /* A file that shrinks meanwhile ends early, and the verifier finds it truncated. */
    const ssize_t got = read_up_to(descriptor, bytes, (size_t)whole);
    if (got < 0) {
        status =
            report_error(EXIT_IO, path, "can't be read; %s; check the device", strerror(errno));
        free(bytes);
        goto done;
    }
    *data = bytes;
    *size = (size_t)got;
done:
    close(descriptor);
    return status;
}

/* The size of standard input is not known, so the buffer doubles; what was read stays valid in
 * it. */
int load_stdin(uint64_t most, void **data, size_t *size)
{
    char *bytes = NULL;
    size_t used = 0, capacity = 0;
    for (;;) {
        /* Growing may hold the old buffer and the new one at a time. */
        if (most != 0 && used > 0 && 3 * (uint64_t)used + STDIN_STEP > most) {
            free(bytes);
            return report_error(EXIT_RUN, "-",
                                "standard input is too long for the memory that --max-memory "
                                "allows; nothing was written; raise it, or name a file");
        }
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
                                "standard input can't be read; %s; check where it comes from",
                                strerror(error));
        }
        used += (size_t)got;
        KILN_ASSERT(used <= capacity);
        if (used < capacity) { /* a short read: this was the end */
            *data = bytes;
            *size = used;
            return EXIT_DONE;
        }
    }
}

/* -------------------------------------------------------------------------------- kiln files -- */

/* A status that is not named here says that the bytes are wrong, which is the common case. */
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
    case KILN_ERROR_LIMIT:
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

/* The advice at the end of a message, by the status of the runtime. */
static const char *cure_of(kiln_status status)
{
    /* Two statuses have advice of their own; all others share it with their exit status. */
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

/* Codes of formats/ and statuses of the runtime have the same values. */
int report_format_error(const char *path, int code, const char *text)
{
    const kiln_status status = (kiln_status)code;
    const char *what = text[0] != '\0' ? text : kiln_status_text(status);
    return report_error(exit_status_of(status), path, "%s; %s", what, cure_of(status));
}

/* The runtime's own message is better than the text of its status: it names the rule and the
 * byte. */
int open_file(const char *path, kiln_file **file)
{
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    const kiln_status status = kiln_open(path, &options, file);
    return status == KILN_OK ? EXIT_DONE : report_format_error(path, (int)status, error.message);
}

/* A single name is enough even where several kinds of tree have it; two names need a choice. */
int choose_tree(const char *path, const kiln_file *file, const char *name, const char *bv,
                const kiln_tree **tree)
{
    const char *chosen = NULL;
    KILN_ASSERT(file != NULL);
    *tree = NULL;
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree_info info = kiln_tree_get_info(kiln_file_tree(file, i));
        if ((name != NULL && strcmp(info.name, name) != 0) ||
            (bv != NULL && strcmp(info.bv_name, bv) != 0)) {
            continue;
        }
        /* Trees of one name differ in kind only, and answer alike: the first of them will do. */
        if (*tree == NULL) {
            *tree = kiln_file_tree(file, i);
            chosen = info.name;
        } else if (strcmp(info.name, chosen) != 0) {
            return report_error(EXIT_USAGE, path,
                                "has several trees, '%s' and '%s' among them; choose one by --tree "
                                "(kiln info lists them)",
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

/* The number by which people find a triangle: its position in the import, or, as a witness, the
 * face of the source. A file that was baked or opened without its source falls back to the
 * position. */
unsigned triangle_number(const kiln_tree *tree, uint32_t triangle, bool witness)
{
    kiln_source source;
    KILN_ASSERT(tree != NULL);
    if (witness && kiln_tree_source(tree, triangle, &source) == KILN_OK) {
        return source.face;
    }
    return triangle;
}

void triangle_add_source(json_t *object, const kiln_tree *tree, uint32_t triangle)
{
    kiln_source source;
    KILN_ASSERT(object != NULL);
    if (kiln_tree_source(tree, triangle, &source) == KILN_OK) {
        json_object_set_new(object, "face", json_count(source.face));
        json_object_set_new(object, "node", json_cstring(source.node_path));
        json_object_set_new(object, "mesh", json_cstring(source.mesh_name));
        json_object_set_new(object, "material", json_cstring(source.material));
    }
}

json_t *pair_json(const kiln_tree *tree_a, const kiln_tree *tree_b, kiln_pair pair, bool witness)
{
    const kiln_tree *const trees[2] = {tree_a, tree_b};
    const uint32_t triangles[2] = {pair.a, pair.b};
    json_t *array = json_array();
    for (int i = 0; i < 2; i++) {
        json_t *id = json_count(triangles[i]);
        if (witness) {
            json_t *object = json_object();
            json_object_set_new(object, "triangle", id);
            triangle_add_source(object, trees[i], triangles[i]);
            id = object;
        }
        json_array_append_new(array, id);
    }
    return array;
}
