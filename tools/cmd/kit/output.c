#define _XOPEN_SOURCE 700

#include "output.h"

#include "report.h"

#include "../../../formats/format.h"
#include "../../common/write_file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
