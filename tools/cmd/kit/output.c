/* Outputs of a verb. One check guards all of them: it compares files and not names, so that links
 * and other spellings are seen through, and it looks at the contents of what would be replaced,
 * because only they tell whether it is an earlier output. A name that ends in ".kiln" proves
 * nothing: a manifest or a link to a text may have it.
 *
 * The check is made before the work, and the write minutes later. So each write looks once more
 * just before it renames (output_may_be_moved); what another program puts there between that
 * look and the rename, some microseconds, is still replaced, as no call of the system renames over
 * a file on a condition. Of outputs that one run makes, batch/output_registry.c is the guard at the
 * moment of the write. */
#define _XOPEN_SOURCE 700

#include "output.h"

#include "report.h"

#include "../../../formats/assert.h"
#include "../../../formats/format.h"
#include "../../common/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_SIZE = 1 << 16 }; /* bytes of a file by which it is recognised */

/* A broken kiln file may be replaced too, as long as it begins like one. */
static bool is_kiln_file(const char *bytes, size_t size, bool whole)
{
    (void)whole;
    return size >= KILN_FORMAT_MAGIC_SIZE &&
           memcmp(bytes, KILN_FORMAT_MAGIC, KILN_FORMAT_MAGIC_SIZE) == 0;
}

const output_kind output_kind_kiln = {"kiln file", is_kiln_file};

/* ---------------------------------------------------------------------------- what is read -- */

/* The file that was added last is often named again, by the next asset. */
int read_files_add(read_files *files, const char *path, const char *what)
{
    kiln_file_id id;
    if (!kiln_file_id_of(path, &id) ||
        (files->count > 0 && kiln_file_id_compare(&id, &files->list[files->count - 1].id) == 0)) {
        return EXIT_DONE;
    }
    void *list = files->list;
    const bool room = kiln_grow(&list, &files->capacity, files->count + 1, sizeof *files->list);
    files->list = list;
    char *copy = room ? strdup(path) : NULL;
    if (copy == NULL) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    KILN_ASSERT(files->count < files->capacity);
    files->list[files->count++] = (struct read_file){copy, what, id};
    return EXIT_DONE;
}

/* Which of the files that are read the path leads to, by whatever name; NULL: none. It is a search
 * in order, since a run reads few files besides its inputs. */
const struct read_file *read_files_find(const read_files *files, const char *path)
{
    kiln_file_id id;
    if (files == NULL || files->count == 0 || !kiln_file_id_of(path, &id)) {
        return NULL;
    }
    for (size_t i = 0; i < files->count; i++) {
        if (kiln_file_id_compare(&id, &files->list[i].id) == 0) {
            return &files->list[i];
        }
    }
    return NULL;
}

void read_files_free(read_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->list[i].path);
    }
    free(files->list);
    memset(files, 0, sizeof *files);
}

/* ------------------------------------------------------------------------- what is replaced -- */

/* Reads the beginning of a regular file, with a zero after it, into new memory; NULL with errno,
 * which is 0 for what is there and is no such file. */
static char *load_start(const char *path, size_t *size, bool *whole)
{
    struct stat facts;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0) {
        return NULL;
    }
    char *bytes = NULL;
    ssize_t got = 0;
    *size = 0;
    errno = 0;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        bytes = malloc(LOOK_SIZE + 1);
    }
    while (bytes != NULL && *size < LOOK_SIZE &&
           (got = read(file, bytes + *size, LOOK_SIZE - *size)) > 0) {
        *size += (size_t)got;
    }
    if (bytes != NULL) {
        bytes[*size] = '\0';
        *whole = *size < LOOK_SIZE;
    }
    close(file);
    return bytes;
}

/* What can't be read can't be recognised, so it stays. What is no regular file is the business of
 * the write. */
int output_check(const char *path, const output_kind *kind, const read_files *files)
{
    KILN_ASSERT(kind != NULL && kind->is_own != NULL);
    struct stat facts;
    if (strcmp(path, "-") == 0 || stat(path, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return EXIT_DONE;
    }
    const struct read_file *read = read_files_find(files, path);
    if (read != NULL) {
        const bool same_name = strcmp(read->path, path) == 0;
        return report_error(
            EXIT_USAGE, path, "would be replaced; it is %s%s%s%s of this run; name another output",
            read->what, same_name ? "" : " '", same_name ? "" : read->path, same_name ? "" : "'");
    }
    /* An empty file holds nothing that could be lost, so it may be replaced like an earlier
     * output. */
    if (facts.st_size == 0) {
        return EXIT_DONE;
    }
    size_t size = 0;
    bool whole = false;
    char *bytes = load_start(path, &size, &whole);
    const bool own = bytes != NULL && kind->is_own(bytes, size, whole);
    const int error = bytes == NULL ? errno : 0;
    free(bytes);
    if (own) {
        return EXIT_DONE;
    }
    if (error != 0) {
        return report_error(EXIT_USAGE, path,
                            "would be replaced; it can't be read, so nothing tells that it is a "
                            "%s; %s; name another output, or remove it first",
                            kind->what, strerror(error));
    }
    return report_error(EXIT_USAGE, path,
                        "would be replaced; it is no %s; name another output, or remove it first",
                        kind->what);
}

int output_check_inputs(const char *path, const output_kind *kind, char *const *inputs,
                        int input_count)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    read_files read = {.list = NULL};
    int status = EXIT_DONE;
    if (path == NULL || strcmp(path, "-") == 0) {
        return EXIT_DONE;
    }
    for (int i = 0; i < input_count && status == EXIT_DONE; i++) {
        status = read_files_add(&read, inputs[i], "an input");
    }
    status = status == EXIT_DONE ? output_check(path, kind, &read) : status;
    read_files_free(&read);
    if (status == EXIT_DONE && !kiln_write_file_possible(path, message)) {
        status = report_error(EXIT_IO, path, "%s", message);
    }
    return status;
}

bool output_may_be_replaced(const char *path, const output_kind *kind, const read_files *files)
{
    struct stat facts;
    size_t size = 0;
    bool whole = false;
    if (stat(path, &facts) != 0 || (S_ISREG(facts.st_mode) && facts.st_size == 0)) {
        return read_files_find(files, path) == NULL;
    }
    char *bytes = read_files_find(files, path) == NULL ? load_start(path, &size, &whole) : NULL;
    const bool own = bytes != NULL && kind->is_own(bytes, size, whole);
    free(bytes);
    return own;
}

/* --------------------------------------------------------------------------------- writing -- */

/* Looks once more, just before the rename. The message is set only for a false. */
bool output_may_be_moved(const char *path, const output_kind *kind, const read_files *files,
                         char message[KILN_WRITE_MESSAGE_SIZE])
{
    if (output_may_be_replaced(path, kind, files)) {
        return true;
    }
    (void)snprintf(message, KILN_WRITE_MESSAGE_SIZE,
                   "another program has put a file there meanwhile that is no %s; nothing was "
                   "written; name another output, or remove it first",
                   kind->what);
    return false;
}

/* A kiln_write_mover's function, whose `user` is the kind. */
static bool move_if_own(void *user, const char *from, const char *to,
                        char message[KILN_WRITE_MESSAGE_SIZE])
{
    return output_may_be_moved(to, user, NULL, message) && rename(from, to) == 0;
}

int output_write(const char *path, const output_kind *kind, const void *data, size_t size)
{
    char message[KILN_WRITE_MESSAGE_SIZE];
    output_kind copy = *kind; /* a mover's `user` is not const */
    const kiln_write_mover mover = {move_if_own, &copy};
    KILN_ASSERT(data != NULL || size == 0);
    KILN_ASSERT(kind->is_own != NULL);
    const bool standard = strcmp(path, "-") == 0;
    const bool written = standard ? kiln_write_descriptor(STDOUT_FILENO, data, size, message)
                                  : kiln_write_file_by(&mover, path, data, size, message);
    if (!written) {
        return report_error(EXIT_IO, standard ? "standard output" : path, "%s", message);
    }
    return EXIT_DONE;
}

/* By its end alone, as the letters stand: this decides the kind of a file that is written, not
 * whether one may be replaced. */
bool is_kiln_name(const char *path)
{
    static const char end[] = ".kiln";
    const size_t length = strlen(path);
    return length >= sizeof end - 1 && strcmp(path + length - (sizeof end - 1), end) == 0;
}
