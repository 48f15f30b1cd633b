/* Dependencies of outputs as rules of make, which ninja reads too: for each output its input, the
 * files that the input refers to, and the weights of its options.
 *
 * The syntax has escapes for blanks, '#' and '$' but none for a line break, so a name with one is
 * refused. Rules of single assets are kept apart until the end of a batch and then joined in the
 * order of the plan, so that the file does not depend on which thread was first. */
#include "depfile.h"

#include "../../../formats/assert.h"

#include "../kit/files.h"
#include "../kit/report.h"

#include "../../common/paths.h"

#include <stdlib.h>
#include <string.h>

/* Appends bytes, with room for twice as many. False without memory. */
static bool append(depfile *file, const char *bytes, size_t size)
{
    if (file->capacity - file->size < size) {
        const size_t capacity = 2 * (file->capacity + size) + 256;
        char *more = realloc(file->text, capacity);
        if (more == NULL) {
            return false;
        }
        file->text = more;
        file->capacity = capacity;
    }
    KILN_ASSERT(file->capacity - file->size >= size);
    memcpy(file->text + file->size, bytes, size);
    file->size += size;
    return true;
}

/* Appends a name as make reads it: blanks and '#' behind a backslash, with backslashes before them
 * doubled, and '$' doubled. */
static bool append_name(depfile *file, const char *name)
{
    size_t backslashes = 0;
    bool good = true;
    for (; *name != '\0' && good; name++) {
        if (*name == ' ' || *name == '\t' || *name == '#') {
            for (; backslashes > 0 && good; backslashes--) {
                good = append(file, "\\", 1);
            }
            good = good && append(file, "\\", 1);
        } else if (*name == '$') {
            good = append(file, "$", 1);
        }
        backslashes = *name == '\\' ? backslashes + 1 : 0;
        good = good && append(file, name, 1);
    }
    return good;
}

/* One rule on several lines, a file of the model each, as compilers write them. */
int depfile_add(depfile *file, const char *output, const char *input,
                const kiln_bake_report *report, const char *other)
{
    bool broken = strchr(output, '\n') != NULL || strchr(input, '\n') != NULL ||
                  (other != NULL && strchr(other, '\n') != NULL);
    for (uint32_t i = 0; i < report->side_file_count; i++) {
        broken = broken || strchr(report->side_files[i], '\n') != NULL;
    }
    if (broken) {
        return report_error(EXIT_UNSUPPORTED, input,
                            "can't stand in a depfile; make's syntax has no line break in a name; "
                            "rename it or leave --depfile out");
    }
    bool good = append_name(file, output) && append(file, ":", 1);
    if (good && strcmp(input, "-") != 0) {
        good = append(file, " ", 1) && append_name(file, input);
    }
    for (uint32_t i = 0; i < report->side_file_count && good; i++) {
        char *path = kiln_path_beside(input, report->side_files[i]);
        good = append(file, " \\\n  ", 5) && path != NULL && append_name(file, path);
        free(path);
    }
    if (other != NULL) {
        good = good && append(file, " \\\n  ", 5) && append_name(file, other);
    }
    if (!good || !append(file, "\n", 1)) {
        return report_error(EXIT_RUN, input, "out of memory");
    }
    return EXIT_DONE;
}

/* A depfile in the place of a file of the model would overwrite a source. */
bool depfile_is_side_file(const char *path, const char *input, const kiln_bake_report *report)
{
    bool found = false;
    for (uint32_t i = 0; i < report->side_file_count && !found; i++) {
        char *side = kiln_path_beside(input, report->side_files[i]);
        found = side != NULL && kiln_same_file(side, path);
        free(side);
    }
    return found;
}

int depfile_append(depfile *file, const depfile *more)
{
    if (more->size > 0 && !append(file, more->text, more->size)) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    return EXIT_DONE;
}

int depfile_write(const depfile *file, const char *path)
{
    return output_write(path, file->text, file->size);
}

void depfile_free(depfile *file)
{
    free(file->text);
}
