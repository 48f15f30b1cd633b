/* The road from a file to a soup: open, read in a child process, check what it sends, flatten,
 * hash. */
#define _GNU_SOURCE
#include "import.h"

#include <errno.h>
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../common/text.h"
#include "../common/memory.h"
#include "child.h"
#include "flatten.h"
#include "reader.h"
#include "source.h"

typedef struct {
    const kiln_bake_input *input;
    const kiln_bake_options *options;
    kiln_bake_report *report;
    kiln_source_file source;
    kiln_scene scene;
} job;

static const struct {
    const char *format;
    kiln_reader *read;
} own_readers[] = {
    {"obj", kiln_read_obj},
    {"ply", kiln_read_ply},
    {"stl", kiln_read_stl},
    {"off", kiln_read_off},
};

static kiln_reader *reader_of(const char *format)
{
    for (size_t i = 0; i < sizeof own_readers / sizeof own_readers[0]; i++)
        if (strcmp(own_readers[i].format, format) == 0)
            return own_readers[i].read;
    return kiln_read_by_assimp;
}

/* Bytes that the child may take; 0: no limit. */
static uint64_t memory_limit(const kiln_bake_options *options)
{
    uint64_t import = options->import_memory, all = options->max_memory;

    return import == 0 || (all != 0 && all < import) ? all : import;
}

static const char *name_of_limit(const kiln_bake_options *options)
{
    return options->max_memory != 0 && memory_limit(options) == options->max_memory
               ? "--max-memory"
               : "--import-memory";
}

/* The child can't even tell why it ends with less than its buffers take. */
static uint64_t room_of_child(const kiln_bake_options *options)
{
    const uint64_t least = (uint64_t)4 << 20, limit = memory_limit(options);

    return limit != 0 && limit < least ? least : limit;
}

/* In the child. */
static void read_scene(void *user, int pipe, int file)
{
    const job *j = user;
    kiln_reading reading = {.model = j->source.model,
                            .name = j->source.name,
                            .format = j->source.format,
                            .memory = memory_limit(j->options),
                            .limit = name_of_limit(j->options),
                            .facts = {.unit_factor = 1, .up_declared = -1, .up_now = 1}};
    char name[64];

    reading.model.file = file;
    reading.sender = kiln_sender_start(pipe);
    if (j->input->path == NULL || j->input->format != NULL) {
        /* The importer goes by the extension. */
        snprintf(name, sizeof name, "model.%s", j->source.format);
        reading.name = name;
    }
    if (chdir(j->source.folder) != 0)
        kiln_send_failure(reading.sender, KILN_BAKE_IO,
                          "its folder can't be entered; side files may be there; allow it");
    reader_of(j->source.format)(&reading);
    kiln_send(reading.sender, KILN_ARRAY_FACTS, &reading.facts, 1);
    kiln_send_end(reading.sender);
}

static bool ask(void *user)
{
    const kiln_bake_options *options = user;

    return options->progress(options->progress_user, "import", 0);
}

/* Sets the error; returns its status. */
#define FAIL(j, code, ...)                                                                         \
    (kiln_bake_report_error((j)->report, (j)->input->path, __VA_ARGS__), (code))

static kiln_bake_status judge_end(const job *j, kiln_child_end end, int number)
{
    const char *limit = name_of_limit(j->options);
    char memory[KILN_MESSAGE_BYTES_SIZE];

    kiln_message_bytes(memory_limit(j->options), memory);
    switch (end) {
    case KILN_CHILD_CRASHED:
        if (number == SIGSYS)
            return FAIL(j, KILN_BAKE_FAILED,
                        "the importer was stopped: it asked the system for what reading a model "
                        "never needs; don't trust the file");
        return FAIL(
            j, KILN_BAKE_FAILED,
            "the importer crashed (%s); the file is broken in a way that it can't take; repair "
            "it or convert it to another format",
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
        return FAIL(j, KILN_BAKE_FAILED, "no process for the import; %s; %s", strerror(number),
                    number == EMFILE ? "raise the limit on open files (ulimit -n) to 64 or more"
                    : number == EAGAIN
                        ? "raise the limit on processes (ulimit -u), or close other programs"
                        : "close other programs");
    default:
        if (j->scene.no_memory)
            return FAIL(
                j, KILN_BAKE_FAILED,
                "the scene takes more than %s%s of memory, or than there is; simplify the model or "
                "raise that limit (%s)",
                j->scene.most == j->options->max_memory ? "" : "half of ", memory, limit);
        return KILN_BAKE_OK;
    }
}

static kiln_bake_status judge_scene(job *j)
{
    const kiln_scene_failure *failure;

    if (!kiln_scene_is_sound(&j->scene))
        return FAIL(j, KILN_BAKE_FAILED,
                    "the importer ended without a scene; the file is broken in a way that it can't "
                    "take; repair it or convert it to another format");
    if (j->scene.arrays[KILN_ARRAY_FAILURE].count == 0)
        return KILN_BAKE_OK;
    failure = j->scene.arrays[KILN_ARRAY_FAILURE].items;
    kiln_bake_report_error(j->report, j->input->path, "%s",
                           kiln_scene_string(&j->scene, failure->message));
    return failure->status > KILN_BAKE_OK && failure->status <= KILN_BAKE_UNSUPPORTED
               ? (kiln_bake_status)failure->status
               : KILN_BAKE_INVALID;
}

static kiln_bake_status fetch_scene(job *j)
{
    kiln_child child = {.work = read_scene,
                        .work_user = j,
                        .file = j->source.model.file,
                        .receive = kiln_scene_receive,
                        .receive_user = &j->scene,
                        .memory = room_of_child(j->options),
                        .together = j->options->max_memory,
                        .seconds = j->options->import_seconds,
                        .progress = j->options->progress != NULL ? ask : NULL};
    kiln_bake_options options = *j->options;
    kiln_bake_status status;
    kiln_child_end end;
    int number = 0;

    child.progress_user = &options;
    j->scene.most = j->options->import_memory / 2;
    if (j->options->max_memory != 0 &&
        (j->scene.most == 0 || j->options->max_memory < j->scene.most))
        j->scene.most = j->options->max_memory;
    /* The stage is reported to begin before the child is started: on a busy machine a child may send
     * all and end between two looks at it, and then the stage would have no beginning. */
    end = child.progress == NULL || child.progress(child.progress_user)
              ? kiln_child_run(&child, &number)
              : KILN_CHILD_CANCELLED;
    status = judge_end(j, end, number);
    return status != KILN_BAKE_OK ? status : judge_scene(j);
}

/* By name; what is there stands before what is absent. */
static int compare_sides(const void *p, const void *q)
{
    const kiln_side_file *a = p, *b = q;
    int by_name = strcmp(a->name, b->name);

    return by_name != 0 ? by_name : (int)a->absent - (int)b->absent;
}

/* Keeps of each name the first. Two that were read with different bytes are left both: hashing will
 * find that the file was changed. */
static size_t drop_repeated(kiln_side_file *sides, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const kiln_side_file *last = kept > 0 ? &sides[kept - 1] : NULL;

        if (last == NULL || strcmp(last->name, sides[i].name) != 0 ||
            (!sides[i].absent && last->crc != sides[i].crc))
            sides[kept++] = sides[i];
    }
    return kept;
}

/* The side files as the child told of them, sorted, each once; NULL without memory. */
static kiln_side_file *list_side_files(const kiln_scene *scene, size_t *count)
{
    const kiln_scene_array *files = &scene->arrays[KILN_ARRAY_SIDE_FILES];
    const kiln_scene_array *absent = &scene->arrays[KILN_ARRAY_ABSENT];
    kiln_side_file *sides = calloc(files->count + absent->count + 1, sizeof *sides);

    if (sides == NULL)
        return NULL;
    for (size_t i = 0; i < files->count; i++) {
        const kiln_scene_side_file *side = (const kiln_scene_side_file *)files->items + i;

        sides[i] = (kiln_side_file){kiln_scene_string(scene, side->name), false, true, side->crc};
    }
    for (size_t i = 0; i < absent->count; i++)
        sides[files->count + i] = (kiln_side_file){
            kiln_scene_string(scene, ((const uint32_t *)absent->items)[i]), true, true, 0};
    qsort(sides, files->count + absent->count, sizeof *sides, compare_sides);
    *count = drop_repeated(sides, files->count + absent->count);
    return sides;
}

/* Appends names as they are, bytes and all: they name files. Those of files that are there stand
 * before the absent ones. */
static bool keep_side_files(kiln_soup *soup, const kiln_side_file *sides, size_t count)
{
    size_t size = soup->strings_size;
    char *strings;

    for (size_t i = 0; i < count; i++)
        size += strlen(sides[i].name) + 1;
    strings = size <= UINT32_MAX ? realloc(soup->strings, size) : NULL;
    if (strings == NULL)
        return false;
    soup->strings = strings;
    soup->side_files = malloc((count + 1) * sizeof *soup->side_files);
    if (soup->side_files == NULL)
        return false;
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
    return true;
}

static kiln_bake_status hash_source(job *j, kiln_soup *soup)
{
    size_t count = 0;
    uint64_t bytes;
    kiln_side_file *sides = list_side_files(&j->scene, &count);
    const char *bad;
    kiln_bake_status status = KILN_BAKE_OK;

    if (sides == NULL || !keep_side_files(soup, sides, count)) {
        free(sides);
        return FAIL(j, KILN_BAKE_FAILED, "out of memory; split the model");
    }
    bad = kiln_source_hash(&j->source, sides, count, soup->source_hash, &bytes);
    if (bad != NULL)
        status = FAIL(j, KILN_BAKE_IO, "%s changed or went away while it was read; try again",
                      bad[0] != '\0' ? bad : "it");
    if (j->report != NULL)
        j->report->bytes_source = bytes;
    memcpy(soup->format, j->source.format, sizeof soup->format);
    free(sides);
    return status;
}

static kiln_bake_status import_open(job *j, kiln_soup *soup)
{
    double start = kiln_clock();
    kiln_flatten_task task = {.path = j->input->path,
                              .options = j->options,
                              .report = j->report,
                              .before = kiln_resident()};
    kiln_bake_status status;

    kiln_source_mark(&j->source);
    status = fetch_scene(j);
    if (j->options->import_seconds > 0)
        task.deadline = start + j->options->import_seconds;
    if (status == KILN_BAKE_OK)
        status = kiln_flatten(&j->scene, &task, soup);
    if (status == KILN_BAKE_OK)
        status = hash_source(j, soup);
    kiln_scene_free(&j->scene);
    if (j->report != NULL)
        j->report->seconds_import = kiln_clock() - start;
    return status;
}

kiln_bake_status kiln_import(const kiln_bake_input *input, const kiln_bake_options *options,
                             kiln_soup *soup, kiln_bake_report *report)
{
    job j = {.input = input, .options = options, .report = report};
    kiln_bake_status status = KILN_BAKE_OK;
    fenv_t callers;

    memset(soup, 0, sizeof *soup);
    /* The caller's rounding mode, or its flushing of subnormals, is not to change the result. */
    fegetenv(&callers);
    fesetenv(FE_DFL_ENV);
    if (kiln_source_open(&j.source, input, &status, report)) {
        status = import_open(&j, soup);
        kiln_source_close(&j.source);
    }
    if (status != KILN_BAKE_OK)
        kiln_soup_free(soup);
    fesetenv(&callers);
    return status;
}
