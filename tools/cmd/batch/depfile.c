/* Dependencies of outputs as rules of make, which ninja reads too: for each output its input, the
 * files that the input refers to, the weights of its options and, with --depfile-programs, kiln and
 * the program that reads the input. For a file that was looked for
 * and is not there stands the folder that it would be in: its time changes when the file comes,
 * also one that is moved there with an old time. A name that is not there would be out of date in
 * every build instead. The folder changes for other reasons, too, and then --if-changed finds the
 * output up to date. A rule without prerequisites follows for each of these, as by `gcc -MP`, so
 * that a file that is renamed or gone makes make run the recipe instead of giving up; ninja passes
 * over such rules.
 *
 * A name that make or ninja would read otherwise is refused (rule_name.c). Rules of single assets
 * are kept apart until the end of a batch and then joined in the order of the plan, so that the
 * file does not depend on which thread was first. */
#define _POSIX_C_SOURCE 200809L

#include "depfile.h"

#include "../../../formats/assert.h"

#include "../kit/report.h"
#include "rule_name.h"

#include "../../common/paths.h"
#include "../../import/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Appends a name as make and ninja read it. */
static bool append_name(depfile *file, const char *name)
{
    char escaped[RULE_NAME_SIZE];
    return append(file, escaped, rule_name_escape(name, escaped));
}

/* The prerequisites of an asset, in the order of its rule. */
typedef struct {
    char **paths;
    size_t count;
} prerequisites;

static void prerequisites_free(prerequisites *of)
{
    for (size_t i = 0; i < of->count; i++) {
        free(of->paths[i]);
    }
    free(of->paths);
}

/* The folder to watch for a file that is not there: its own, or the nearest that is. In new
 * memory. */
static char *folder_of_absent(const char *path)
{
    struct stat facts;
    char *folder = strdup(path);
    while (folder != NULL) {
        char *slash = strrchr(folder, '/');
        if (slash == NULL || slash == folder) {
            strcpy(folder, slash == NULL ? "." : "/");
            break;
        }
        *slash = '\0';
        if (stat(folder, &facts) == 0 && S_ISDIR(facts.st_mode)) {
            break;
        }
    }
    return folder;
}

/* Adds the folder of the file `path`, in new memory, unless it is the last that was added. Takes
 * over `path`. False without memory. */
static bool add_folder(prerequisites *found, char *path)
{
    char *folder = path != NULL ? folder_of_absent(path) : NULL;
    free(path);
    if (folder != NULL && found->count > 0 && strcmp(found->paths[found->count - 1], folder) == 0) {
        free(folder);
        return true;
    }
    found->paths[found->count] = folder;
    found->count += folder != NULL;
    return folder != NULL;
}

/* Adds the programs that make the output. One in a folder whose name no rule can have is left out:
 * it is not for this asset to be refused for it. */
static void add_programs(const char *input, const bake_settings *settings, prerequisites *found)
{
    char *programs[KILN_PROGRAMS_MAX];
    const size_t count = kiln_programs_of(settings->importer, input, settings->format, programs);
    for (size_t i = 0; i < count; i++) {
        if (rule_name_fault(programs[i]) == NULL) {
            found->paths[found->count++] = programs[i];
        } else {
            free(programs[i]);
        }
    }
}

/* False without memory. A link to nothing is followed: what comes at its end is in another
 * folder. */
static bool prerequisites_find(const char *input, const kiln_bake_report *report,
                               const bake_settings *settings, prerequisites *found)
{
    found->count = 0;
    found->paths = calloc((size_t)report->side_file_count + 2 * (size_t)report->absent_file_count +
                              1 + BAKE_FILES_MAX + KILN_PROGRAMS_MAX,
                          sizeof *found->paths);
    bool good = found->paths != NULL;
    if (good && strcmp(input, "-") != 0) {
        found->paths[found->count++] = strdup(input);
    }
    for (uint32_t i = 0; i < report->side_file_count && good; i++) {
        found->paths[found->count++] = kiln_path_beside(input, report->side_files[i]);
    }
    bake_file files[BAKE_FILES_MAX];
    const size_t file_count = good ? bake_settings_files(settings, files) : 0;
    for (size_t i = 0; i < file_count; i++) {
        found->paths[found->count++] = strdup(files[i].path);
    }
    for (size_t i = 0; i < found->count; i++) {
        good = good && found->paths[i] != NULL;
    }
    for (uint32_t i = 0; i < report->absent_file_count && good; i++) {
        char *path = kiln_path_beside(input, report->absent_files[i]);
        struct stat facts;
        if (path != NULL && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode)) {
            good = add_folder(found, kiln_path_resolved(path));
        }
        good = add_folder(found, path) && good;
    }
    if (good && settings->depfile_programs) {
        add_programs(input, settings, found);
    }
    return good;
}

/* Can the names of a rule be written? `good`: there was memory to find the prerequisites. */
static bool can_name(const char *output, const prerequisites *found, bool good,
                     char message[DEPFILE_MESSAGE_SIZE])
{
    const char *name = output, *fault = rule_name_fault(output);
    for (size_t i = 0; i < found->count && good && fault == NULL; i++) {
        name = found->paths[i];
        fault = rule_name_fault(name);
    }
    if (!good || fault != NULL) {
        snprintf(message, DEPFILE_MESSAGE_SIZE,
                 good ? "can't stand in a depfile; '%.400s' %s; rename it, or leave --depfile out"
                      : "out of memory",
                 name, fault);
    }
    return good && fault == NULL;
}

bool depfile_can_name(const char *output, const char *input, const kiln_bake_report *report,
                      const bake_settings *settings, char message[DEPFILE_MESSAGE_SIZE])
{
    prerequisites found;
    const bool good = prerequisites_find(input, report, settings, &found);
    const bool can = can_name(output, &found, good, message);
    prerequisites_free(&found);
    return can;
}

/* One rule on several lines, a file of the model each, as compilers write them, and an empty rule
 * for each of those files. */
int depfile_add(depfile *file, const char *output, const char *input,
                const kiln_bake_report *report, const bake_settings *settings)
{
    char message[DEPFILE_MESSAGE_SIZE];
    prerequisites found;
    bool good = prerequisites_find(input, report, settings, &found);
    if (!can_name(output, &found, good, message)) {
        prerequisites_free(&found);
        return report_error(EXIT_UNSUPPORTED, input, "%s", message);
    }
    good = append_name(file, output) && append(file, ":", 1);
    for (size_t i = 0; i < found.count && good; i++) {
        const bool same_line = i == 0;
        good = append(file, same_line ? " " : " \\\n  ", same_line ? 1 : 5) &&
               append_name(file, found.paths[i]);
    }
    good = good && append(file, "\n", 1);
    for (size_t i = 0; i < found.count && good; i++) {
        good = append_name(file, found.paths[i]) && append(file, ":\n", 2);
    }
    prerequisites_free(&found);
    return good ? EXIT_DONE : report_error(EXIT_RUN, input, "out of memory");
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

/* The end of a name as append_name writes it: a blank that no backslash keeps in the name, a line
 * break, or the end of the text. */
static const char *end_of_name(const char *at)
{
    for (; *at != '\0' && *at != '\n' && *at != ' ' && *at != '\t'; at++) {
        at += at[0] == '\\' && (at[1] == ' ' || at[1] == '\\' || at[1] == '#' || at[1] == '\t');
    }
    return at;
}

/* One rule as depfile_add lays it out, and where it ends; NULL: it is none. A text that was cut off
 * may end within it. */
static const char *end_of_rule(const char *at, bool *has_names)
{
    const char *end = end_of_name(at);
    if (end - at < 2 || end[-1] != ':') {
        return NULL;
    }
    *has_names = *end == ' ';
    while (*end == ' ') {
        const bool next_line = strncmp(end, " \\\n  ", 5) == 0;
        const char *name = end + (next_line ? 5 : 1);
        end = end_of_name(name);
        if (end == name && *end != '\0') {
            return NULL;
        }
    }
    return *end == '\n' ? end + 1 : *end == '\0' ? end : NULL;
}

/* Texts of other programs have lines such as "name: value", too. So the first rule is that of a
 * kiln file, or is followed by rules that say nothing of its names, as depfile_add writes them. */
static bool is_depfile(const char *text, size_t size, bool whole)
{
    bool has_names = false, has_more;
    if (strlen(text) != size) {
        return false;
    }
    const char *colon = end_of_name(text) - 1, *at = end_of_rule(text, &has_names);
    const bool of_kiln = at != NULL && colon - text >= 5 && memcmp(colon - 5, ".kiln", 5) == 0;
    bool own = at != NULL && (of_kiln || !has_names || (*at == '\0' && !whole));
    for (bool second = true; at != NULL && *at != '\0'; second = false) {
        at = end_of_rule(at, &has_more);
        own = own || (second && at != NULL && !has_more);
    }
    return own && at != NULL;
}

const output_kind output_kind_depfile = {"depfile of kiln", is_depfile};

int depfile_append(depfile *file, const depfile *more)
{
    if (more->size > 0 && !append(file, more->text, more->size)) {
        return report_error(EXIT_RUN, NULL, "out of memory");
    }
    return EXIT_DONE;
}

/* Is the file of these bytes there already? */
static bool is_written(const depfile *file, const char *path)
{
    struct stat facts;
    FILE *old =
        stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && (uint64_t)facts.st_size == file->size
            ? fopen(path, "rb")
            : NULL;
    char *bytes = old != NULL ? malloc(file->size + 1) : NULL;
    const bool same = bytes != NULL && fread(bytes, 1, file->size, old) == file->size &&
                      memcmp(bytes, file->text, file->size) == 0;
    free(bytes);
    if (old != NULL) {
        fclose(old);
    }
    return same;
}

/* One that would not change is left, so that the time of its folder stays, too. */
int depfile_write(const depfile *file, const char *path)
{
    if (is_written(file, path)) {
        return EXIT_DONE;
    }
    return output_write(path, &output_kind_depfile, file->text, file->size);
}

void depfile_free(depfile *file)
{
    free(file->text);
}
