/* From a file to a soup of triangles: open the source, read it in a child process, check the scene
 * that the child sends, flatten it, and hash the bytes that were read.
 *
 * A reader takes untrusted bytes apart, and one of them is a large library: readers are programs of
 * their own (program.c, serve.c), started under limits (child.c). How such a program ends, whatever
 * it sent, becomes a status and a message here. The source's CRC is taken before the child starts
 * and compared while hashing at the end, so a hash never names other bytes than those that were
 * read. */
#define _GNU_SOURCE
#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "../common/text.h"
#include "../common/clock.h"
#include "../common/folders.h"
#include "../common/memory.h"
#include "../common/paths.h"
#include "child.h"
#include "flatten.h"
#include "program.h"
#include "source.h"

/* One import, from its parameters to the scene that the child has sent. */
typedef struct {
    const kiln_bake_input *input;
    const kiln_bake_options *options;
    kiln_bake_report *report;
    kiln_reader_choice reader;
    kiln_source_file source;
    kiln_scene scene;
    kiln_folders folders; /* where side files may lie */
    char *program;        /* that reads it */
    char **arguments;     /* its own, NULL at the end, all in new memory */
} job;

/* Bytes that the child may take; 0: no limit. */
static uint64_t memory_limit(const kiln_bake_options *options)
{
    uint64_t import = options->import_memory, all = options->max_memory;

    return import == 0 || (all != 0 && all < import) ? all : import;
}

/* The option that sets that limit. */
static const char *name_of_limit(const kiln_bake_options *options)
{
    return options->max_memory != 0 && memory_limit(options) == options->max_memory
               ? "--max-memory"
               : "--import-memory";
}

/* Whether the caller wants the import to go on. */
static bool goes_on(void *user)
{
    const kiln_bake_options *options = user;

    return options->progress(options->progress_user, "import", 0);
}

/* Sets the error; returns its status. */
#define FAIL(j, code, ...)                                                                         \
    (kiln_bake_report_error((j)->report, (j)->input->path, __VA_ARGS__), (code))

/* The status and the message for the way in which the child ended. */
static kiln_bake_status judge_end(const job *j, kiln_child_end end,
                                  const kiln_child_greeting *greeting, int number)
{
    const char *limit = name_of_limit(j->options);
    char memory[KILN_MESSAGE_BYTES_SIZE];

    /* Every message names the file, what happened, and what to do about it. */
    kiln_message_bytes(memory_limit(j->options), memory);
    switch (end) {
    case KILN_CHILD_CRASHED:
        if (number == SIGSYS)
            return FAIL(j, KILN_BAKE_FAILED,
                        "the importer was stopped: it asked the system for what reading a model "
                        "never needs; don't trust the file");
        return FAIL(
            j, KILN_BAKE_FAILED,
            "the importer crashed (%s); the file is broken, or uses what the importer can't read; "
            "convert it to another format",
            kiln_signal_text(number));
    case KILN_CHILD_OVER_TIME:
        return FAIL(j, KILN_BAKE_FAILED,
                    "import takes longer than %g s; simplify the model or raise that limit "
                    "(--import-seconds)",
                    j->options->import_seconds);
    case KILN_CHILD_OVER_MEMORY:
        return FAIL(
            j, KILN_BAKE_FAILED,
            "import takes more than %s of memory; simplify the model or raise that limit (%s)",
            memory, limit);
    case KILN_CHILD_CANCELLED:
        return FAIL(j, KILN_BAKE_FAILED, "cancelled; nothing was written");
    case KILN_CHILD_NOT_STARTED:
        if (number == EACCES || number == ENOENT || number == ENOEXEC)
            return FAIL(j, KILN_BAKE_FAILED,
                        "the importer %s can't be started; %s; install kiln again, or give the "
                        "folder of its importers (--importer)",
                        j->program, strerror(number));
        return FAIL(j, KILN_BAKE_FAILED, "no process for the import; %s; %s", strerror(number),
                    number == EMFILE ? "raise the limit on open files (ulimit -n) to 64 or more"
                    : number == EAGAIN
                        ? "raise the limit on processes (ulimit -u), or close other programs"
                    : number == E2BIG ? "name fewer folders (--side-files)"
                                      : "close other programs");
    case KILN_CHILD_UNKNOWN:
        return FAIL(j, KILN_BAKE_FAILED,
                    "the importer %s ended (exit status %d) before it read anything; a library "
                    "that it needs may be missing; run %s --version to see why",
                    j->program, number, j->program);
    case KILN_CHILD_OTHER_VERSION:
        return FAIL(j, KILN_BAKE_FAILED,
                    "the importer %s is of kiln %s, and this is kiln %s; install both of one "
                    "version, or give the folder of the right one (--importer)",
                    j->program, greeting->version, KILN_CHILD_VERSION);
    default: /* it ended, or was killed because the scene is not taken */
        if (j->scene.no_memory)
            return FAIL(
                j, KILN_BAKE_FAILED,
                "the scene takes more than %s%s of memory, or than there is; simplify the model or "
                "raise that limit (%s)",
                j->scene.most == j->options->max_memory ? "" : "half of ", memory, limit);
        return KILN_BAKE_OK;
    }
}

/* The folders in which the model may have side files: its own, as it is named and where it really
 * is, that of the process, and those of the options. One that can't be found holds nothing. */
static void find_folders(job *j)
{
    char *real = j->input->path != NULL ? kiln_path_resolved(j->input->path) : NULL;
    char *slash = real != NULL ? strrchr(real, '/') : NULL;

    (void)kiln_folders_add(&j->folders, j->source.folder);
    (void)kiln_folders_add(&j->folders, "");
    (void)kiln_folders_add_list(&j->folders, j->options->side_files);
    if (slash != NULL && slash != real) {
        *slash = '\0';
        (void)kiln_folders_add(&j->folders, real);
    }
    free(real);
}

/* The arguments of the program, as serve.c takes them. False without memory. */
static bool list_arguments(job *j)
{
    enum { FIXED = 8 };
    const char *format = j->source.format;
    /* Assimp goes by the extension. */
    const bool renamed = j->input->path == NULL || j->input->format != NULL;
    char **list = calloc(FIXED + 1 + j->folders.count + 1, sizeof *list);
    int wrong = 0;

    j->arguments = list;
    if (list == NULL)
        return false;
    wrong |= asprintf(&list[0], "%s", j->program) < 0;
    wrong |= asprintf(&list[1], "--serve=%s", KILN_CHILD_VERSION) < 0;
    wrong |= asprintf(&list[2], "--parent=%ld", (long)getpid()) < 0;
    wrong |= asprintf(&list[3], "--memory=%llu", (unsigned long long)memory_limit(j->options)) < 0;
    wrong |= asprintf(&list[4], "--limit=%s", name_of_limit(j->options)) < 0;
    wrong |= asprintf(&list[5], "--format=%s", format) < 0;
    wrong |= renamed ? asprintf(&list[6], "--name=model.%s", format) < 0
                     : asprintf(&list[6], "--name=%s", j->source.name) < 0;
    wrong |= asprintf(&list[7], "--folder=%s", j->source.folder) < 0;
    if (j->folders.any)
        wrong |= asprintf(&list[FIXED], "--readable-any") < 0;
    for (size_t i = 0; !j->folders.any && i < j->folders.count; i++)
        wrong |= asprintf(&list[FIXED + i], "--readable=%s", j->folders.paths[i]) < 0;
    return wrong == 0;
}

/* An open file of the model's bytes where they are in memory: no other process sees that. It has no
 * name, and where the system can, nobody can write to it. */
static int file_of_memory(const kiln_model *model)
{
    const uint8_t *bytes = model->data;
    int file = -1;

#ifdef MFD_ALLOW_SEALING
    file = memfd_create("model", MFD_CLOEXEC | MFD_ALLOW_SEALING);
#endif
    if (file < 0) {
        FILE *unnamed = tmpfile();

        file = unnamed != NULL ? fcntl(fileno(unnamed), F_DUPFD_CLOEXEC, 0) : -1;
        if (unnamed != NULL)
            (void)fclose(unnamed);
    }
    for (uint64_t at = 0; file >= 0 && at < model->size;) {
        const ssize_t done = write(file, bytes + at, (size_t)(model->size - at));

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            close(file);
            return -1;
        }
        at += (uint64_t)done;
    }
#ifdef F_ADD_SEALS
    if (file >= 0)
        (void)fcntl(file, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
#endif
    return file;
}

/* Forgets a run of a program. */
static void forget_run(job *j)
{
    for (size_t i = 0; j->arguments != NULL && j->arguments[i] != NULL; i++)
        free(j->arguments[i]);
    free(j->arguments);
    free(j->program);
    kiln_scene_free(&j->scene);
    j->arguments = NULL;
    j->program = NULL;
}

/* Runs the program of that name. KILN_BAKE_OK: j->scene is sound, or is none
 * because *other is set: the program with the other readers has to read it. */
static kiln_bake_status run_importer(job *j, const char *program, bool *other)
{
    const uint64_t least = (uint64_t)4 << 20, limit = memory_limit(j->options);
    const bool in_memory = j->source.model.file < 0;
    kiln_bake_options options = *j->options;
    kiln_child child = {.file = j->source.model.file,
                        .receive = kiln_scene_receive,
                        .receive_user = &j->scene,
                        .together = options.max_memory,
                        .seconds = options.import_seconds,
                        .progress = options.progress != NULL ? goes_on : NULL,
                        .progress_user = &options};
    kiln_child_greeting greeting = {.program = ""};
    const kiln_scene_failure *failure;
    kiln_bake_status status;
    kiln_child_end end;
    char *looked = NULL;
    int number = 0;

    j->program = kiln_importer_path(options.importer, program, &looked);
    if (j->program == NULL) {
        status = FAIL(j, KILN_BAKE_FAILED, KILN_NO_IMPORTER, program,
                      looked != NULL ? looked : KILN_NOWHERE_LOOKED);
        free(looked);
        return status;
    }
    free(looked);
    if (in_memory)
        child.file = file_of_memory(&j->source.model);
    if (child.file < 0 || !list_arguments(j)) {
        if (in_memory && child.file >= 0)
            close(child.file);
        return FAIL(j, KILN_BAKE_FAILED, "out of memory; split the model");
    }
    child.program = j->program;
    child.arguments = j->arguments;
    /* With less than its buffers take, the child could not even report why it ends. */
    child.memory = limit != 0 && limit < least ? least : limit;
    j->scene.most = options.import_memory / 2;
    if (options.max_memory != 0 && (j->scene.most == 0 || options.max_memory < j->scene.most))
        j->scene.most = options.max_memory;
    /* The stage is reported to begin before the child is started: on a busy machine a child may
     * send all and end between two looks at it, and then the stage would have no beginning. */
    end = child.progress == NULL || child.progress(child.progress_user)
              ? kiln_child_run(&child, &greeting, &number)
              : KILN_CHILD_CANCELLED;
    if (in_memory)
        close(child.file);
    if (end == KILN_CHILD_ENDED)
        kiln_importer_note(j->program, greeting.library);
    status = judge_end(j, end, &greeting, number);
    if (status != KILN_BAKE_OK)
        return status;
    if (!kiln_scene_is_sound(&j->scene))
        return FAIL(j, KILN_BAKE_FAILED,
                    "the importer ended without a scene; the file is broken, or uses what the "
                    "importer can't read; convert it to another format");
    if (j->scene.arrays[KILN_ARRAY_FAILURE].count == 0)
        return KILN_BAKE_OK;
    failure = j->scene.arrays[KILN_ARRAY_FAILURE].items;
    *other = failure->status == KILN_SCENE_OTHER_READER && strcmp(program, KILN_IMPORTER_LAST) != 0;
    if (*other)
        return KILN_BAKE_OK;
    /* The reader's own reason; its status is a number from another process and is checked. */
    kiln_bake_report_error(j->report, j->input->path, "%s",
                           kiln_scene_string(&j->scene, failure->message));
    return failure->status > KILN_BAKE_OK && failure->status <= KILN_BAKE_UNSUPPORTED
               ? (kiln_bake_status)failure->status
               : KILN_BAKE_INVALID;
}

/* Fills j->scene. Under one extension there may be two formats: glTF 1.0 is Assimp's. */
static kiln_bake_status fetch_scene(job *j)
{
    const char *usual = kiln_importer_name(j->source.format);
    const bool ours = strcmp(usual, KILN_IMPORTER_LAST) != 0;
    const char *program = j->reader == KILN_READER_ASSIMP         ? KILN_IMPORTER_LAST
                          : j->reader == KILN_READER_OWN && !ours ? "kiln-import"
                                                                  : usual;
    bool other = false;
    kiln_bake_status status = run_importer(j, program, &other);

    if (!other)
        return status;
    if (j->reader == KILN_READER_OWN)
        return FAIL(j, KILN_BAKE_UNSUPPORTED,
                    "glTF 1.0, of which kiln has no reader of its own; convert it to glTF 2.0");
    forget_run(j);
    return run_importer(j, KILN_IMPORTER_LAST, &other);
}

/* Makes j->scene of meshes in memory, within the limits of a scene that comes from a program. */
static kiln_bake_status make_scene(job *j, uint64_t before)
{
    const kiln_bake_options *options = j->options;
    const uint64_t bytes = kiln_mesh_scene_bytes(j->source.mesh), all = options->max_memory;
    const bool over = options->import_memory != 0 && bytes > options->import_memory / 2;
    char memory[KILN_MESSAGE_BYTES_SIZE];

    if (options->progress != NULL && !goes_on((void *)(uintptr_t)options))
        return judge_end(j, KILN_CHILD_CANCELLED, NULL, 0);
    if (over)
        return FAIL(j, KILN_BAKE_FAILED,
                    "the scene takes more than half of %s of memory; simplify the model or raise "
                    "that limit (--import-memory)",
                    kiln_message_bytes(options->import_memory, memory));
    if (all != 0 && !KILN_HAVE_SHADOW_MEMORY && kiln_resident() + bytes > before + all)
        return judge_end(j, KILN_CHILD_OVER_MEMORY, NULL, 0);
    return kiln_mesh_scene(j->source.mesh, &j->scene)
               ? KILN_BAKE_OK
               : FAIL(j, KILN_BAKE_FAILED, "out of memory; split the model");
}

/* By name; a file that is there comes before one of the same name that is absent. */
static int compare_sides(const void *p, const void *q)
{
    const kiln_side_file *a = p, *b = q;
    int by_name = strcmp(a->name, b->name);

    return by_name != 0 ? by_name : (int)a->absent - (int)b->absent;
}

/* The side files that the child reported, sorted by name, each once; NULL without memory. */
static kiln_side_file *list_side_files(const kiln_scene *scene, size_t *count)
{
    const kiln_scene_array *files = &scene->arrays[KILN_ARRAY_SIDE_FILES];
    const kiln_scene_array *absent = &scene->arrays[KILN_ARRAY_ABSENT];
    const size_t all = files->count + absent->count;
    kiln_side_file *sides = calloc(all + 1, sizeof *sides);
    size_t kept = 0;

    if (sides == NULL)
        return NULL;
    for (size_t i = 0; i < files->count; i++) {
        const kiln_scene_side_file *side = (const kiln_scene_side_file *)files->items + i;

        sides[i] = (kiln_side_file){kiln_scene_string(scene, side->name), false, true, side->crc};
    }
    for (size_t i = 0; i < absent->count; i++)
        sides[files->count + i] = (kiln_side_file){
            kiln_scene_string(scene, ((const uint32_t *)absent->items)[i]), true, true, 0};
    qsort(sides, all, sizeof *sides, compare_sides);
    /* Of each name the first stays. Two that were read with different bytes both stay: hashing will
     * find that the file was changed. */
    for (size_t i = 0; i < all; i++) {
        const kiln_side_file *last = kept > 0 ? &sides[kept - 1] : NULL;

        KILN_ASSERT(last == NULL || strcmp(last->name, sides[i].name) <= 0);
        if (last == NULL || strcmp(last->name, sides[i].name) != 0 ||
            (!sides[i].absent && last->crc != sides[i].crc))
            sides[kept++] = sides[i];
    }
    *count = kept;
    return sides;
}

/* Records the side files and hashes the model with them. */
static kiln_bake_status hash_source(job *j, kiln_soup *soup)
{
    kiln_bake_status status = KILN_BAKE_FAILED;
    size_t count = 0, size = soup->strings_size;
    uint64_t bytes;
    kiln_side_file *sides = list_side_files(&j->scene, &count);
    char *strings;
    const char *bad;

    for (size_t i = 0; i < count; i++)
        size += strlen(sides[i].name) + 1;
    strings = sides != NULL && size <= UINT32_MAX ? realloc(soup->strings, size) : NULL;
    if (strings != NULL) {
        soup->strings = strings;
        soup->side_files = malloc((count + 1) * sizeof *soup->side_files);
    }
    if (strings == NULL || soup->side_files == NULL) {
        (void)FAIL(j, KILN_BAKE_FAILED, "out of memory; split the model");
        goto done;
    }
    /* Names are appended byte by byte, since they name files. Names of files that are there come
     * before those of absent ones: the list is gone through twice. */
    for (size_t i = 0, kept = 0; i < 2 * count; i++) {
        const kiln_side_file *side = &sides[i % count];
        size_t length = strlen(side->name) + 1;

        if (side->absent != (i >= count))
            continue;
        soup->side_files[kept++] = (uint32_t)soup->strings_size;
        soup->side_file_count += !side->absent;
        soup->absent_file_count += side->absent;
        memcpy(strings + soup->strings_size, side->name, length);
        soup->strings_size += length;
    }
    KILN_ASSERT(soup->strings_size == size);
    KILN_ASSERT(soup->side_file_count + soup->absent_file_count == count);

    status = KILN_BAKE_OK;
    bad = kiln_source_hash(&j->source, sides, count, soup->source_hash, &bytes);
    if (bad != NULL)
        status = FAIL(j, KILN_BAKE_IO, "%s changed or went away while it was read; try again",
                      bad[0] != '\0' ? bad : "it");
    if (j->report != NULL)
        j->report->bytes_source = bytes;
    memcpy(soup->format, j->source.format, sizeof soup->format);
done:
    free(sides);
    return status;
}

kiln_bake_status kiln_import(const kiln_bake_input *input, const kiln_bake_options *options,
                             kiln_soup *soup, kiln_bake_report *report)
{
    return kiln_import_by(KILN_READER_USUAL, input, options, soup, report);
}

kiln_bake_status kiln_import_by(kiln_reader_choice reader, const kiln_bake_input *input,
                                const kiln_bake_options *options, kiln_soup *soup,
                                kiln_bake_report *report)
{
    job j = {.input = input, .options = options, .report = report, .reader = reader};
    kiln_flatten_task task = {.path = input->path, .options = options, .report = report};
    kiln_bake_status status = KILN_BAKE_OK;
    fenv_t callers;
    double start;

    memset(soup, 0, sizeof *soup);
    /* The caller's rounding mode, or its flushing of subnormals, must not change the result. */
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    if (!kiln_source_open(&j.source, input, &status, report))
        goto done;
    /* Time and memory are counted from here, for the child and for what follows. */
    start = kiln_seconds();
    task.before = kiln_resident();
    kiln_source_mark(&j.source);
    if (j.source.mesh != NULL) {
        status = make_scene(&j, task.before);
    } else {
        find_folders(&j);
        status = fetch_scene(&j);
    }
    if (options->import_seconds > 0)
        task.deadline = start + options->import_seconds;
    if (status == KILN_BAKE_OK)
        status = kiln_flatten(&j.scene, &task, soup);
    /* Last, since it compares what is there now with what was there when reading began. */
    if (status == KILN_BAKE_OK)
        status = hash_source(&j, soup);
    forget_run(&j);
    kiln_folders_free(&j.folders);
    if (report != NULL)
        report->seconds_import = kiln_seconds() - start;
    kiln_source_close(&j.source);
done:
    KILN_ASSERT(status != KILN_BAKE_OK || soup->triangle_count > 0);
    if (status != KILN_BAKE_OK)
        kiln_soup_free(soup);
    fesetenv(&callers);
    return status;
}
