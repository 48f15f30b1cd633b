/* See plan.h. */
#define _XOPEN_SOURCE 700

#include "plan.h"

#include "inputs.h"
#include "../kit/files.h"
#include "../kit/report.h"

#include "../../common/memory.h"
#include "../../common/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int no_memory(void)
{
    return report_error(EXIT_RUN, NULL, "out of memory");
}

static bool is_folder(const char *path)
{
    struct stat entry;
    return stat(path, &entry) == 0 && S_ISDIR(entry.st_mode);
}

static uint64_t size_of(const char *path)
{
    struct stat entry;
    return stat(path, &entry) == 0 && S_ISREG(entry.st_mode) ? (uint64_t)entry.st_size : 0;
}

int plan_add(plan *of, const char *input, const char *output, const bake_settings *settings,
             uint64_t given)
{
    void *jobs = of->jobs;
    const bool room = kiln_grow(&jobs, &of->capacity, of->count + 1, sizeof(job));
    of->jobs = jobs;
    job added = {strdup(input), strdup(output), *settings, given, 0};
    if (!room || added.input == NULL || added.output == NULL) {
        free(added.input);
        free(added.output);
        return no_memory();
    }
    added.size = size_of(input);
    of->jobs[of->count++] = added;
    return EXIT_DONE;
}

const char *plan_keep(plan *of, const char *text, size_t length)
{
    void *strings = of->strings;
    const bool room =
        kiln_grow(&strings, &of->string_capacity, of->string_count + 1, sizeof(char *));
    of->strings = strings;
    char *copy = room ? malloc(length + 1) : NULL;
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
        of->strings[of->string_count++] = copy;
    }
    return copy;
}

/* Does the component of `length` bytes name a folder, rather than this one or the one above? */
static bool names_folder(const char *component, size_t length)
{
    return length > 0 && !(length == 1 && component[0] == '.') &&
           !(length == 2 && component[0] == '.' && component[1] == '.');
}

/* Appends the folders of `path` up to `end`, each behind a slash. */
static char *append_folders(char *at, const char *path, const char *end)
{
    while (path < end) {
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const size_t length = (size_t)((slash != NULL ? slash : end) - path);
        if (names_folder(path, length)) {
            memcpy(at, path, length);
            at += length;
            *at++ = '/';
        }
        path += length + 1;
    }
    return at;
}

char *plan_output_name(const char *folder, const char *input, bool tree)
{
    const char *slash = strrchr(input, '/');
    const char *name = slash == NULL ? input : slash + 1;
    const char *dot = strrchr(name, '.');
    const size_t length = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
    const size_t folder_length = strlen(folder);
    char *path = malloc(folder_length + strlen(input) + sizeof "//.kiln");
    if (path == NULL) {
        return NULL;
    }
    memcpy(path, folder, folder_length);
    char *at = path + folder_length;
    if (folder_length > 0 && at[-1] != '/') {
        *at++ = '/';
    }
    at = tree && slash != NULL ? append_folders(at, input, slash) : at;
    memcpy(at, name, length);
    strcpy(at + length, ".kiln");
    return path;
}

/* -------------------------------------------------------------------------------- of arguments -- */

static int add_input(plan *of, const char *input, const bake_settings *settings, bool folder)
{
    char *output = folder ? plan_output_name(settings->output, input, settings->folders == 1)
                          : strdup(settings->output);
    const int status = output != NULL ? plan_add(of, input, output, settings, 0) : no_memory();
    free(output);
    return status;
}

static int check_inputs(const input_list *inputs, const bake_settings *settings)
{
    for (size_t i = 0; i < inputs->count; i++) {
        const bool standard = strcmp(inputs->names[i], "-") == 0;
        if (standard && inputs->count > 1) {
            return report_usage("standard input can't be one of several inputs");
        }
        if (standard && settings->format == NULL) {
            return report_usage("standard input needs --format EXT");
        }
    }
    if (inputs->count > 1 && strcmp(settings->output, "-") == 0) {
        return report_usage("standard output takes one input, not %zu", inputs->count);
    }
    return EXIT_DONE;
}

static int add_inputs(plan *of, const input_list *inputs, const bake_settings *settings)
{
    const char *output = settings->output;
    const bool folder = inputs->count > 1 || inputs->from_list || is_folder(output) ||
                        output[strlen(output) - 1] == '/';
    int status = check_inputs(inputs, settings);
    for (size_t i = 0; i < inputs->count && status == EXIT_DONE; i++) {
        status = add_input(of, inputs->names[i], settings, folder);
    }
    of->uniform = true;
    of->batch = inputs->count != 1 || inputs->from_list;
    of->folder = folder ? output : NULL;
    of->make_folders = folder && settings->folders == 1;
    return status;
}

int plan_arguments(plan *of, char **inputs, int count, const bake_settings *settings)
{
    input_list list = {NULL, 0, 0, false};
    int status = EXIT_DONE;
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        status = inputs[i][0] == '@' ? inputs_add_list(&list, inputs[i] + 1)
                                     : inputs_add(&list, inputs[i], strlen(inputs[i]));
    }
    if (status == EXIT_DONE && list.count == 0 && !settings->allow_empty) {
        status = report_error(EXIT_USAGE, inputs[0] + 1,
                              "lists no input; check it, or give --allow-empty");
    }
    if (status == EXIT_DONE) {
        status = add_inputs(of, &list, settings);
    }
    inputs_free(&list);
    return status;
}

/* --------------------------------------------------------------------------------------- checks -- */

/* PATH without empty components and ".", in new memory. */
static char *tidied(const char *path)
{
    char *tidy = malloc(strlen(path) + 1);
    char *at = tidy;
    if (tidy != NULL && path[0] == '/') {
        *at++ = '/';
    }
    while (tidy != NULL && *path != '\0') {
        const size_t length = strcspn(path, "/");
        if (length > 0 && !(length == 1 && path[0] == '.')) {
            memcpy(at, path, length);
            at += length;
            *at++ = '/';
        }
        path += length + (path[length] == '/');
    }
    if (tidy != NULL) {
        at[at > tidy + 1 && at[-1] == '/' ? -1 : 0] = '\0';
    }
    return tidy;
}

/* The one name of a file that may not be there yet: its own where it is, else its folder's and the
 * rest. In new memory. */
static char *one_name(const char *path)
{
    char *name = realpath(path, NULL);
    char *tidy = name == NULL ? tidied(path) : NULL;
    char *slash = tidy != NULL ? strrchr(tidy, '/') : NULL;
    if (name != NULL || tidy == NULL || slash == tidy) {
        return name != NULL ? name : tidy;
    }
    if (slash != NULL) {
        *slash = '\0';
    }
    char *folder = realpath(slash != NULL ? tidy : ".", NULL);
    if (slash != NULL) {
        *slash = '/';
    }
    if (folder == NULL) {
        return tidy;
    }
    const char *last = slash != NULL ? slash + 1 : tidy;
    const size_t size = strlen(folder) + strlen(last) + 2;
    name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%s%s%s", folder, strcmp(folder, "/") == 0 ? "" : "/", last);
    }
    free(folder);
    free(tidy);
    return name;
}

/* A file that a job reads or writes. */
typedef struct {
    char *name; /* its one name */
    size_t job;
} place;

/* By name, then in the order of the plan. */
static int compare_places(const void *p, const void *q)
{
    const place *a = p, *b = q;
    const int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : a->job < b->job ? -1 : a->job > b->job;
}

static void free_places(place *places, size_t count)
{
    for (size_t i = 0; i < count && places != NULL; i++) {
        free(places[i].name);
    }
    free(places);
}

/* What all jobs write, or read, sorted; NULL without memory. Standard input and output keep "-". */
static place *sorted_places(const plan *of, bool written)
{
    place *places = calloc(of->count + 1, sizeof *places);
    for (size_t i = 0; i < of->count && places != NULL; i++) {
        const char *path = written ? of->jobs[i].output : of->jobs[i].input;
        places[i] = (place){strcmp(path, "-") == 0 ? strdup(path) : one_name(path), i};
        if (places[i].name == NULL) {
            free_places(places, i);
            return NULL;
        }
    }
    if (places != NULL && of->count > 0) {
        qsort(places, of->count, sizeof *places, compare_places);
    }
    return places;
}

/* What is laid over another has no input any more. */
static int merge_pair(job *first, job *later)
{
    if (strcmp(first->input, later->input) != 0) {
        return report_usage("'%s' and '%s' would both be written to '%s'", first->input,
                            later->input, first->output);
    }
    bake_settings_overlay(&first->settings, &later->settings, later->given);
    first->given |= later->given;
    free(later->input);
    later->input = NULL;
    return EXIT_DONE;
}

static int merge_jobs(plan *of)
{
    place *places = sorted_places(of, true);
    int status = places != NULL ? EXIT_DONE : no_memory();
    for (size_t i = 1, first = 0; i < of->count && status == EXIT_DONE; i++) {
        job *earlier = &of->jobs[places[first].job], *later = &of->jobs[places[i].job];
        if (strcmp(places[first].name, places[i].name) != 0) {
            first = i;
        } else if (of->uniform) {
            status = report_usage("'%s' and '%s' would both be written to '%s'", earlier->input,
                                  later->input, later->output);
        } else {
            status = merge_pair(earlier, later);
        }
    }
    free_places(places, of->count);
    return status;
}

static void drop_merged(plan *of)
{
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++) {
        if (of->jobs[i].input == NULL) {
            free(of->jobs[i].output);
        } else {
            of->jobs[kept++] = of->jobs[i];
        }
    }
    of->count = kept;
}

/* No job may write what it or another reads. */
static int check_sources(const plan *of)
{
    place *read = sorted_places(of, false), *written = sorted_places(of, true);
    int status = read != NULL && written != NULL ? EXIT_DONE : no_memory();
    for (size_t r = 0, w = 0; status == EXIT_DONE && r < of->count && w < of->count;) {
        const job *reader = &of->jobs[read[r].job], *writer = &of->jobs[written[w].job];
        const int order = strcmp(read[r].name, written[w].name);
        if (order == 0 && strcmp(writer->output, "-") != 0) {
            status = reader == writer ? report_usage("the output '%s' is the input", writer->output)
                                      : report_usage("the output '%s' of '%s' is an input",
                                                     writer->output, writer->input);
        }
        r += order <= 0;
        w += order > 0;
    }
    free_places(read, of->count);
    free_places(written, of->count);
    return status;
}

/* A file that is there, whatever its names. */
typedef struct {
    kiln_file_id id;
    size_t job;
    bool written;
} known_file;

/* Of one file first who reads it, then in the order of the plan. */
static int compare_files(const void *p, const void *q)
{
    const known_file *a = p, *b = q;
    const int by_id = kiln_file_id_compare(&a->id, &b->id);
    return by_id != 0                 ? by_id
           : a->written != b->written ? a->written - b->written
                                      : (a->job > b->job) - (a->job < b->job);
}

static size_t find_files(const plan *of, known_file *files)
{
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        const char *paths[2] = {of->jobs[i].input, of->jobs[i].output};
        for (int k = 0; k < 2; k++) {
            files[count] = (known_file){.job = i, .written = k == 1};
            count += strcmp(paths[k], "-") != 0 && kiln_file_id_of(paths[k], &files[count].id);
        }
    }
    return count;
}

/* Does the file have one name on its disk? Then two that lead to it are not hard links, which a rename
 * would part. */
static bool has_one_name(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && facts.st_nlink == 1;
}

/* Two names of one file that is there, as a link, a mount or a disk that does not tell cases apart gives
 * them. */
static int check_one_file(const plan *of, const known_file *first, const known_file *other)
{
    const job *a = &of->jobs[first->job], *b = &of->jobs[other->job];
    if (!other->written) { /* two that read it */
        return EXIT_DONE;
    }
    if (!first->written) {
        return report_usage("the output '%s' is the input '%s' by another name", b->output,
                            a->input);
    }
    return has_one_name(b->output)
               ? report_usage("the outputs '%s' and '%s' are one file by two names", a->output,
                              b->output)
               : EXIT_DONE;
}

static int check_files(const plan *of)
{
    known_file *files = calloc(2 * of->count + 1, sizeof *files);
    const size_t count = files != NULL ? find_files(of, files) : 0;
    int status = files != NULL ? EXIT_DONE : no_memory();
    if (count > 0) {
        qsort(files, count, sizeof *files, compare_files);
    }
    for (size_t i = 1, first = 0; i < count && status == EXIT_DONE; i++) {
        if (kiln_file_id_compare(&files[first].id, &files[i].id) != 0) {
            first = i;
        } else {
            status = check_one_file(of, &files[first], &files[i]);
        }
    }
    free(files);
    return status;
}

/* What a slip would lose. */
static int check_outputs(const plan *of)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < of->count; i++) {
        const int one = output_check(of->jobs[i].output);
        status = one != EXIT_DONE ? one : status;
    }
    return status;
}

int plan_check(plan *of)
{
    int status = merge_jobs(of);
    drop_merged(of);
    status = status == EXIT_DONE ? check_sources(of) : status;
    status = status == EXIT_DONE ? check_files(of) : status;
    return status == EXIT_DONE ? check_outputs(of) : status;
}

int plan_check_options(const plan *of)
{
    int worst = EXIT_DONE;
    for (size_t i = 0; i < of->count && !(of->uniform && worst != EXIT_DONE); i++) {
        kiln_bake_options ignored;
        const int status = bake_settings_convert(&of->jobs[i].settings,
                                                 of->uniform ? NULL : of->jobs[i].input, &ignored);
        worst = status > worst ? status : worst;
    }
    return worst;
}

bool plan_has_file(const plan *of, const char *path)
{
    char *name = one_name(path);
    bool found = false;
    for (size_t i = 0; i < of->count && name != NULL && !found; i++) {
        const char *files[2] = {of->jobs[i].input, of->jobs[i].output};
        for (int k = 0; k < 2 && !found; k++) {
            char *other = one_name(files[k]);
            found = strcmp(files[k], "-") != 0 &&
                    ((other != NULL && strcmp(name, other) == 0) || kiln_same_file(path, files[k]));
            free(other);
        }
    }
    free(name);
    return found;
}

bool plan_make_one_folder(const char *path)
{
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    const int error = errno;
    const bool there = is_folder(path);
    errno = error;
    return there;
}

/* Makes one folder of the outputs, or reports why it can't be made. */
static int make_or_report(const plan *of, const char *path)
{
    if (plan_make_one_folder(path)) {
        return EXIT_DONE;
    }
    if (errno == EEXIST || errno == ENOTDIR) {
        return report_error(
            EXIT_IO, path,
            of->make_folders
                ? "is a file, where the folder of the outputs is to be; move it, or name "
                  "another folder"
                : "is a file; several inputs, or a list, need a folder");
    }
    return report_error(EXIT_IO, path,
                        "the folder can't be made; %s; check the path and its permissions",
                        strerror(errno));
}

/* Makes the folder of the outputs and, with `make_folders`, those above it, as mkdir -p does. */
static int make_all(const plan *of)
{
    char *path = strdup(of->folder);
    int status = path != NULL ? EXIT_DONE : no_memory();
    char *slash =
        path != NULL && of->make_folders && path[0] != '\0' ? strchr(path + 1, '/') : NULL;
    for (; slash != NULL && status == EXIT_DONE; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        status = make_or_report(of, path);
        *slash = '/';
    }
    free(path);
    return status == EXIT_DONE ? make_or_report(of, of->folder) : status;
}

/* Will a new file be put into `folder` itself? */
static bool is_written_in(const plan *of, const char *folder)
{
    const size_t length = strlen(folder);
    for (size_t i = 0; i < of->count; i++) {
        const char *output = of->jobs[i].output, *slash = strrchr(output, '/');
        struct stat facts;
        size_t parent = slash != NULL ? (size_t)(slash - output) : 0;
        parent += length > 0 && folder[length - 1] == '/'; /* the slash is the folder's own */
        const bool in_it = slash != NULL ? parent == length && memcmp(output, folder, length) == 0
                                         : strcmp(folder, ".") == 0;
        if (in_it && (stat(output, &facts) != 0 || S_ISREG(facts.st_mode))) {
            return true;
        }
    }
    return false;
}

int plan_make_folder(const plan *of, bool written)
{
    if (of->folder == NULL || of->count == 0) {
        return EXIT_DONE;
    }
    const int status = make_all(of);
    if (status == EXIT_DONE && written && access(of->folder, W_OK | X_OK) != 0) {
        const int error = errno;
        return is_written_in(of, of->folder)
                   ? report_error(
                         EXIT_IO, of->folder,
                         "the folder can't be written; %s; check its permissions, or name another",
                         strerror(error))
                   : EXIT_DONE;
    }
    return status;
}

void plan_free(plan *of)
{
    for (size_t i = 0; i < of->count; i++) {
        free(of->jobs[i].input);
        free(of->jobs[i].output);
    }
    for (size_t i = 0; i < of->string_count; i++) {
        free(of->strings[i]);
    }
    free(of->jobs);
    free(of->strings);
    memset(of, 0, sizeof *of);
}

/* ----------------------------------------------------------------------------------- the manifest -- */

/* Prints a string as YAML, which takes JSON's. False without memory. */
static bool print_string(const char *text)
{
    json_t *string = json_string(text);
    char *quoted = string != NULL ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (quoted != NULL) {
        fputs(quoted, stdout);
    }
    free(quoted);
    json_decref(string);
    return string != NULL;
}

/* Has the option a value that can be written? What is neither given nor of a default is left out. */
static bool has_value(const option *entry, const bake_settings *settings)
{
    const void *field = (const char *)settings + entry->field;
    switch (entry->kind) {
    case OPTION_TEXT:
        return *(const char *const *)field != NULL;
    case OPTION_CHOICE:
    case OPTION_DEFAULTED:
        return *(const int *)field >= 0;
    case OPTION_INTEGER:
        return *(const int *)field >= (int)entry->lower;
    case OPTION_REAL:
        return *(const double *)field >= entry->lower;
    default:
        return true;
    }
}

static bool is_text(const char *bytes)
{
    json_t *string = json_string(bytes); /* NULL for what is not UTF-8 */
    json_decref(string);
    return string != NULL;
}

/* Can all names and texts of an asset stand in a manifest? */
static bool can_dump(const job *asset)
{
    bool good = is_text(asset->input) && is_text(asset->output);
    for (size_t i = 0; i < BAKE_OPTION_COUNT && good; i++) {
        const option *entry = &bake_options[i];
        if (entry->kind == OPTION_TEXT && bake_option_is_of_asset(entry) &&
            has_value(entry, &asset->settings)) {
            good = is_text(*(const char *const *)((const char *)&asset->settings + entry->field));
        }
    }
    return good;
}

/* Nothing is printed of what can't be printed whole: half a manifest might be taken for one. */
int plan_dump(const plan *of)
{
    for (size_t i = 0; i < of->count; i++) {
        if (!can_dump(&of->jobs[i])) {
            return report_error(EXIT_UNSUPPORTED, of->jobs[i].input,
                                "can't stand in a manifest; YAML is Unicode, and this name or an "
                                "option of it is not UTF-8; rename it");
        }
    }
    printf("# A manifest of kiln bake; paths are taken from the folder that this file is in.\n"
           "kiln: 1\noutput: .\nassets:%s\n",
           of->count == 0 ? " []" : "");
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        fputs("  - path: ", stdout);
        bool good = print_string(asset->input);
        fputs("\n    output: ", stdout);
        good = print_string(asset->output) && good;
        fputs("\n    options:\n", stdout);
        for (size_t k = 0; k < BAKE_OPTION_COUNT && good; k++) {
            const option *entry = &bake_options[k];
            if (!bake_option_is_of_asset(entry) || !has_value(entry, &asset->settings)) {
                continue;
            }
            printf("      %s: ", entry->name);
            if (entry->kind == OPTION_TEXT) {
                good = print_string(
                    *(const char *const *)((const char *)&asset->settings + entry->field));
            } else {
                bake_option_print(entry, &asset->settings);
            }
            putchar('\n');
        }
        if (!good) {
            return no_memory();
        }
    }
    return EXIT_DONE;
}
