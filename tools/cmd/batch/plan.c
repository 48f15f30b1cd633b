/* A plan: the list of all assets with their inputs, outputs and options, as it is made from
 * arguments, the checks of the whole list before anything is baked, the folder of its outputs, and
 * its dump as a manifest.
 *
 * The checks compare all names with all others, so they sort instead: once by what a file would be
 * called, made unique by realpath, for outputs that are not there yet, and once by device and
 * inode, for files that are there under two names. Both orders end with the number of the job, so
 * that what is reported first does not depend on the sort. */
#define _XOPEN_SOURCE 700

#include "plan.h"

#include "inputs.h"

#include "../../../formats/assert.h"
#include "../kit/report.h"

#include "../../common/folders.h"
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

/* The size is that at this moment; it only serves the order of a batch and its estimates. */
int plan_add(plan *of, const char *input, const char *output, const bake_settings *settings,
             uint64_t given)
{
    void *jobs = of->jobs;
    const bool room = kiln_grow(&jobs, &of->capacity, of->count + 1, sizeof(job));
    of->jobs = jobs;
    job added = {strdup(input), strdup(output), *settings, given, 0, false};
    if (!room || added.input == NULL || added.output == NULL) {
        free(added.input);
        free(added.output);
        return no_memory();
    }
    struct stat entry;
    if (stat(input, &entry) == 0 && S_ISREG(entry.st_mode)) {
        added.size = (uint64_t)entry.st_size;
    }
    KILN_ASSERT(of->count < of->capacity);
    of->jobs[of->count++] = added;
    return EXIT_DONE;
}

/* Copies a text, which need not end in a zero, into memory that lives as long as the plan; NULL
 * without memory. Settings refer to such texts, so they are freed only by plan_free. */
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
        KILN_ASSERT(of->string_count < of->string_capacity);
        of->strings[of->string_count++] = copy;
    }
    return copy;
}

/* The name of an output, in new memory: FOLDER/NAME.kiln, with the folders of `input` between them
 * if `tree`. A dot at the start of a name begins no extension. An output never leaves FOLDER,
 * whatever folders the input has. */
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
    /* The folders of the input, each with a slash behind it, without those that lead nowhere or up.
     */
    for (const char *part = input; tree && slash != NULL && part < slash;) {
        const char *end = memchr(part, '/', (size_t)(slash - part));
        const size_t span = (size_t)((end != NULL ? end : slash) - part);
        const bool here = span == 0 || (span == 1 && part[0] == '.');
        const bool above = span == 2 && part[0] == '.' && part[1] == '.';
        if (!here && !above) {
            memcpy(at, part, span);
            at += span;
            *at++ = '/';
        }
        part += span + 1;
    }
    memcpy(at, name, length);
    strcpy(at + length, ".kiln");
    return path;
}

/* -- from arguments -- */

/* Adds the job of one input, whose name without its first `root` bytes says where its output goes
 * below the folder of all; 0: the settings say it. */
static int add_argument(plan *of, const char *input, size_t root, const bake_settings *settings)
{
    const char *below = input + root + strspn(input + root, "/");
    const bool as_given = root == 0 || settings->folders >= 0;
    char *name = of->folder == NULL ? strdup(settings->output)
                 : as_given ? plan_output_name(settings->output, input, settings->folders == 1)
                            : plan_output_name(settings->output, below, true);
    const int status = name != NULL ? plan_add(of, input, name, settings, 0) : no_memory();
    free(name);
    return status;
}

/* Adds the models of a folder. */
static int add_folder(plan *of, const char *path, const bake_settings *settings)
{
    input_list models = {NULL, 0, 0, false};
    int status = inputs_add_folder(&models, path);
    if (status == EXIT_DONE && models.count == 0 && !settings->allow_empty) {
        status = report_error(EXIT_IO, path,
                              "has no model of a format that is read (kiln bake --formats); check "
                              "it, or give --allow-empty");
    }
    for (size_t i = 0; i < models.count && status == EXIT_DONE; i++) {
        status = add_argument(of, models.names[i], strlen(path), settings);
    }
    inputs_free(&models);
    return status;
}

/* Standard input and output stand for one file each. */
static int check_standard(const input_list *list, bool folders, const bake_settings *settings)
{
    for (size_t i = 0; i < list->count; i++) {
        const bool standard = strcmp(list->names[i], "-") == 0;
        if (standard && list->count > 1) {
            return report_usage("standard input can't be one of several inputs");
        }
        if (standard && settings->format == NULL) {
            return report_usage("standard input needs --format EXT");
        }
    }
    if (strcmp(settings->output, "-") == 0 && (list->count > 1 || folders)) {
        return folders ? report_usage("standard output takes one input, and no folder")
                       : report_usage("standard output takes one input, not %zu", list->count);
    }
    return EXIT_DONE;
}

/* Fills the plan from the arguments. A single plain file may have any name as its output; several
 * of them, a list or a folder need a folder, which is made later and only if the plan is sound. */
int plan_arguments(plan *of, char **inputs, int count, const bake_settings *settings)
{
    const char *output = settings->output;
    input_list list = {NULL, 0, 0, false};
    bool folders = false; /* is one of the inputs a folder? */
    int status = EXIT_DONE;
    for (int i = 0; i < count && status == EXIT_DONE; i++) {
        const bool names_list = inputs[i][0] == '@';
        status = names_list ? inputs_add_list(&list, inputs[i] + 1)
                            : inputs_add(&list, inputs[i], strlen(inputs[i]));
        if (status == EXIT_DONE && names_list) {
            status = read_files_add(&of->read, inputs[i] + 1, "a list");
        }
    }
    if (status == EXIT_DONE && list.count == 0 && !settings->allow_empty) {
        status = report_error(EXIT_USAGE, inputs[0] + 1,
                              "lists no input; check it, or give --allow-empty");
    }
    for (size_t i = 0; i < list.count; i++) {
        folders = folders || is_folder(list.names[i]);
    }
    /* All assets of a command line have the same options, so their errors are reported once and
     * without the name of an asset. */
    of->uniform = true;
    of->batch = list.count != 1 || list.from_list || folders;
    of->folder =
        of->batch || is_folder(output) || output[strlen(output) - 1] == '/' ? output : NULL;
    of->keep_folders = settings->folders == 1 || (folders && settings->folders < 0);
    status = status == EXIT_DONE ? check_standard(&list, folders, settings) : status;
    for (size_t i = 0; i < list.count && status == EXIT_DONE; i++) {
        status = is_folder(list.names[i]) ? add_folder(of, list.names[i], settings)
                                          : add_argument(of, list.names[i], 0, settings);
    }
    inputs_free(&list);
    return status;
}

/* -- checks -- */

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

/* Sorts by name, then in the order of the plan. */
static int compare_places(const void *p, const void *q)
{
    const place *a = p, *b = q;
    const int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : a->job < b->job ? -1 : a->job > b->job;
}

/* Frees the first `count` places, and the array; it may be NULL. */
static void free_places(place *places, size_t count)
{
    for (size_t i = 0; i < count && places != NULL; i++) {
        free(places[i].name);
    }
    free(places);
}

/* The files that all jobs write, or read, sorted; NULL without memory. Standard input and output
 * keep "-". */
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

/* Are two paths, as they are spelt, of files in one folder? */
static bool are_of_one_folder(const char *path, const char *other)
{
    const char *slash = strrchr(path, '/'), *other_slash = strrchr(other, '/');
    const size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    return length == (other_slash != NULL ? (size_t)(other_slash - other) : 0) &&
           memcmp(path, other, length) == 0;
}

/* Lays later jobs of one output over the earlier, and drops them. The same output from another
 * input is an error. */
static int merge_jobs(plan *of)
{
    place *places = sorted_places(of, true);
    int status = places != NULL ? EXIT_DONE : no_memory();
    /* `first` is the earliest job of the run of equal names that i is in. The order of equals is
     * that of the plan, so what is laid over comes later in the manifest. */
    for (size_t i = 1, first = 0; i < of->count && status == EXIT_DONE; i++) {
        job *earlier = &of->jobs[places[first].job], *later = &of->jobs[places[i].job];
        if (strcmp(places[first].name, places[i].name) != 0) {
            first = i;
            continue;
        }
        KILN_ASSERT(places[first].job < places[i].job);
        if (of->uniform || strcmp(earlier->input, later->input) != 0) {
            const bool by_folder = of->folder != NULL && !of->keep_folders &&
                                   !are_of_one_folder(earlier->input, later->input) &&
                                   !kiln_same_file(earlier->input, later->input);
            earlier->refused = later->refused = true;
            status = report_usage("'%s' and '%s' would both be written to '%s'%s", earlier->input,
                                  later->input, of->uniform ? later->output : earlier->output,
                                  by_folder ? "; --folders tree keeps their folders" : "");
            break;
        }
        bake_settings_overlay(&earlier->settings, &later->settings, later->given);
        earlier->given |= later->given;
        free(later->input);
        later->input = NULL;
    }
    free_places(places, of->count);

    /* Jobs that were merged have no input any more. What is kept moves forward in the order of the
     * plan, on which the reports rest. */
    size_t kept = 0;
    for (size_t i = 0; i < of->count; i++) {
        if (of->jobs[i].input == NULL) {
            free(of->jobs[i].output);
        } else {
            of->jobs[kept++] = of->jobs[i];
        }
    }
    of->count = kept;
    return status;
}

/* Checks that no job writes what it or another reads. Both lists are sorted, so one pass over the
 * two finds every name that is in both. */
static int check_sources(plan *of)
{
    place *read = sorted_places(of, false), *written = sorted_places(of, true);
    int status = read != NULL && written != NULL ? EXIT_DONE : no_memory();
    for (size_t r = 0, w = 0; status == EXIT_DONE && r < of->count && w < of->count;) {
        const job *reader = &of->jobs[read[r].job];
        job *writer = &of->jobs[written[w].job];
        const int order = strcmp(read[r].name, written[w].name);
        KILN_ASSERT(read[r].job < of->count && written[w].job < of->count);
        if (order == 0 && strcmp(writer->output, "-") != 0) {
            writer->refused = true;
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

/* Sorts by file; of one file readers first, then in the order of the plan. */
static int compare_files(const void *p, const void *q)
{
    const known_file *a = p, *b = q;
    const int by_id = kiln_file_id_compare(&a->id, &b->id);
    return by_id != 0                 ? by_id
           : a->written != b->written ? a->written - b->written
                                      : (a->job > b->job) - (a->job < b->job);
}

/* Finds two names of one file that is there, as a link, a mount, or a disk that does not tell cases
 * apart gives them. */
static int check_files(plan *of)
{
    known_file *files = calloc(2 * of->count + 1, sizeof *files);
    size_t count = 0;
    int status = files != NULL ? EXIT_DONE : no_memory();
    for (size_t i = 0; i < of->count && files != NULL; i++) {
        const char *paths[2] = {of->jobs[i].input, of->jobs[i].output};
        for (int k = 0; k < 2; k++) {
            files[count] = (known_file){.job = i, .written = k == 1};
            count += strcmp(paths[k], "-") != 0 && kiln_file_id_of(paths[k], &files[count].id);
        }
    }
    KILN_ASSERT(count <= 2 * of->count);
    if (count > 0) {
        qsort(files, count, sizeof *files, compare_files);
    }
    for (size_t i = 1, first = 0; i < count && status == EXIT_DONE; i++) {
        const known_file *a = &files[first], *b = &files[i];
        struct stat facts;
        if (kiln_file_id_compare(&a->id, &b->id) != 0) {
            first = i;
            continue;
        }
        if (!b->written) { /* two that read it */
            continue;
        }
        const char *output = of->jobs[b->job].output;
        if (!a->written) {
            status = report_usage("the output '%s' is the input '%s' by another name", output,
                                  of->jobs[a->job].input);
        } else if (stat(output, &facts) == 0 && facts.st_nlink == 1) {
            /* Of several names on the disk, hard links, a rename would part them: no error. */
            status = report_usage("the outputs '%s' and '%s' are one file by two names",
                                  of->jobs[a->job].output, output);
        }
        of->jobs[b->job].refused = status != EXIT_DONE;
    }
    free(files);
    return status;
}

/* Merges and checks the whole plan. Errors in the plan itself end it at once, since they would
 * make the rest misleading; outputs that are there are all looked at, and each that can't be
 * replaced is refused by itself. */
int plan_check(plan *of)
{
    int status = merge_jobs(of);
    status = status == EXIT_DONE ? check_sources(of) : status;
    status = status == EXIT_DONE ? check_files(of) : status;
    for (size_t i = 0; i < of->count && status == EXIT_DONE; i++) {
        bake_file files[BAKE_FILES_MAX];
        const size_t count = bake_settings_files(&of->jobs[i].settings, files);
        for (size_t k = 0; k < count && status == EXIT_DONE; k++) {
            status = read_files_add(&of->read, files[k].path, files[k].what);
        }
    }
    if (status != EXIT_DONE) {
        return status;
    }
    for (size_t i = 0; i < of->count; i++) { /* outputs that are there */
        const int one = output_check(of->jobs[i].output, &output_kind_kiln, &of->read);
        of->jobs[i].refused = one != EXIT_DONE;
        status = one != EXIT_DONE ? one : status;
    }
    return status;
}

/* Each is reported, as a manifest from elsewhere has to be read before it is allowed to. */
int plan_check_folders(const plan *of)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < of->count; i++) {
        const char *output = of->jobs[i].output;
        if (!kiln_folders_have(&of->outputs, output)) {
            status = report_error(EXIT_USAGE, output,
                                  "lies outside of the folders of the manifest, of the run and of "
                                  "-o, by an absolute path, '..' or a link; name another output, "
                                  "or allow its folder by --outputs");
        }
    }
    return status;
}

/* Reports the options of every asset that has some of its own, so that one run shows all errors. */
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

/* By name and by file: neither need be there, and each may be a link. */
bool plan_is_same(const char *path, const char *other)
{
    char *name = one_name(path), *other_name = one_name(other);
    const bool same = (name != NULL && other_name != NULL && strcmp(name, other_name) == 0) ||
                      kiln_same_file(path, other);
    free(name);
    free(other_name);
    return same;
}

/* Is the path one that the plan reads or writes? It keeps reports and depfiles from replacing
 * them. */
bool plan_has_file(const plan *of, const char *path)
{
    for (size_t i = 0; i < of->count; i++) {
        const char *files[2] = {of->jobs[i].input, of->jobs[i].output};
        for (int k = 0; k < 2; k++) {
            if (strcmp(files[k], "-") != 0 && plan_is_same(path, files[k])) {
                return true;
            }
        }
    }
    return false;
}

/* Makes the folder of the outputs, or reports why it can't be made. */
static int make_or_report(const char *path)
{
    char message[KILN_WRITE_MESSAGE_SIZE], *part;
    if (path[0] == '\0' || kiln_folder_make(path, &part)) {
        return EXIT_DONE;
    }
    (void)kiln_folder_explain(errno, message);
    const size_t length = part != NULL ? strlen(part) : strlen(path);
    const bool whole = path[length + strspn(path + length, "/")] == '\0';
    const int status = report_error(EXIT_IO, whole ? path : part, "%s", message);
    free(part);
    return status;
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
    /* A plan without jobs makes no folder: an empty list is no reason for a change on the disk. */
    if (of->folder == NULL || of->count == 0) {
        return EXIT_DONE;
    }
    const int status = make_or_report(of->folder);
    if (status == EXIT_DONE && written && access(of->folder, W_OK | X_OK) != 0) {
        const int error = errno;
        /* A folder without permission matters only to files that are to be made in it; those in
         * folders below it have permissions of their own. */
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
    read_files_free(&of->read);
    kiln_folders_free(&of->outputs);
    memset(of, 0, sizeof *of);
}

/* -- as a manifest -- */

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

/* Has the option a value that can be written? What is neither given nor of a default is left out.
 */
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

/* Is it UTF-8, which YAML is made of? */
static bool is_text(const char *bytes)
{
    json_t *string = json_string(bytes); /* NULL for what is not UTF-8 */
    json_decref(string);
    return string != NULL;
}

/* Nothing is printed of a plan that can't be printed whole: half a manifest might be taken for one.
 */
int plan_dump(const plan *of)
{
    for (size_t i = 0; i < of->count; i++) {
        const job *asset = &of->jobs[i];
        bool good = is_text(asset->input) && is_text(asset->output);
        for (size_t k = 0; k < BAKE_OPTION_COUNT && good; k++) {
            const option *entry = &bake_options[k];
            if (entry->kind == OPTION_TEXT && bake_option_is_of_asset(entry) &&
                has_value(entry, &asset->settings)) {
                good =
                    is_text(*(const char *const *)((const char *)&asset->settings + entry->field));
            }
        }
        if (!good) {
            return report_error(EXIT_UNSUPPORTED, asset->input,
                                "can't stand in a manifest; YAML is Unicode, and this name or an "
                                "option of it is not UTF-8; rename it");
        }
    }
    /* What follows is printed by hand rather than by libfyaml, so that the order of members and
     * the form of numbers are those of the table. */
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
