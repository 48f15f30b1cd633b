#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../common/text.h"

static bool fail(kiln_bake_status *status, kiln_bake_status code)
{
    *status = code;
    return false;
}

/* The extension as given, or that of the name. */
static bool find_format(kiln_source_file *source, const kiln_bake_input *input,
                        kiln_bake_status *status, kiln_bake_report *report)
{
    const char *format = input->format, *name = source->name;
    size_t length;

    if (format == NULL) {
        const char *dot = strrchr(name, '.');

        format = dot != NULL ? dot + 1 : "";
    }
    length = strlen(format);
    if (length == 0 || length >= sizeof source->format) {
        kiln_bake_report_error(
            report, input->path,
            "no format known: the name has no extension that names one; give the "
            "format");
        return fail(status, KILN_BAKE_UNSUPPORTED);
    }
    for (size_t i = 0; i <= length; i++)
        source->format[i] =
            format[i] >= 'A' && format[i] <= 'Z' ? (char)(format[i] - 'A' + 'a') : format[i];
    return true;
}

static bool split_path(kiln_source_file *source, const char *path, kiln_bake_status *status,
                       kiln_bake_report *report)
{
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;

    source->name = path == NULL ? "model" : slash != NULL ? slash + 1 : path;
    source->folder = slash == NULL   ? strdup(".")
                     : slash == path ? strdup("/")
                                     : strndup(path, (size_t)(slash - path));
    if (source->folder == NULL) {
        kiln_bake_report_error(report, path, "out of memory; close other programs");
        return fail(status, KILN_BAKE_FAILED);
    }
    return true;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)                    ? "a folder"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "something else";
}

/* Does not wait for a writer, should it be a pipe. */
static bool open_file(kiln_source_file *source, const char *path, kiln_bake_status *status,
                      kiln_bake_report *report)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (file < 0) {
        kiln_bake_report_error(report, path, "can't be opened; %s; %s", strerror(errno),
                               errno == EMFILE || errno == ENFILE
                                   ? "raise the limit on open files (ulimit -n)"
                                   : "check the path and its permissions");
        return fail(status, KILN_BAKE_IO);
    }
    source->model.file = file;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        kiln_bake_report_error(report, path, "not a regular file, %s; give the path of a model",
                               kind_of(facts.st_mode));
        return fail(status, KILN_BAKE_IO);
    }
    source->model.size = (uint64_t)facts.st_size;
    return true;
}

void kiln_source_mark(kiln_source_file *source)
{
    source->crc = kiln_model_crc(&source->model);
    source->has_crc = true;
}

bool kiln_source_open(kiln_source_file *source, const kiln_bake_input *input,
                      kiln_bake_status *status, kiln_bake_report *report)
{
    bool good;

    memset(source, 0, sizeof *source);
    source->model.file = -1;
    if (input->data == NULL && input->path == NULL) {
        kiln_bake_report_error(report, NULL, "no input; give a path or data");
        return fail(status, KILN_BAKE_USAGE);
    }
    good = split_path(source, input->path, status, report);
    if (input->data != NULL) {
        source->model.data = input->data;
        source->model.size = input->size;
    } else {
        good = good && open_file(source, input->path, status, report);
    }
    good = good && find_format(source, input, status, report);
    if (good && source->model.size == 0) {
        kiln_bake_report_error(report, input->path, "it is empty; give a model");
        good = fail(status, KILN_BAKE_INVALID);
    }
    if (!good)
        kiln_source_close(source);
    return good;
}

void kiln_source_close(kiln_source_file *source)
{
    if (source->model.file >= 0)
        close(source->model.file);
    free(source->folder);
    memset(source, 0, sizeof *source);
    source->model.file = -1;
}

/* *crc gets the CRC-32 of the same bytes. */
static bool hash_model(const kiln_model *model, uint8_t digest[KILN_SHA256_SIZE], uint32_t *crc)
{
    enum { BLOCK = 1 << 16 };
    uint8_t *block = malloc(BLOCK);
    uLong sum = crc32(0, NULL, 0);
    kiln_sha256 hash;
    uint64_t at = 0;

    kiln_sha256_init(&hash);
    while (block != NULL && at < model->size) {
        size_t got = kiln_model_read(model, at, block, BLOCK);

        if (got == 0)
            break;
        kiln_sha256_update(&hash, block, got);
        sum = crc32(sum, block, (uInt)got);
        at += got;
    }
    kiln_sha256_final(&hash, digest);
    *crc = (uint32_t)sum;
    free(block);
    return block != NULL && at == model->size;
}

static bool hash_side_file(int folder, const char *name, uint8_t digest[KILN_SHA256_SIZE],
                           uint32_t *crc, uint64_t *bytes)
{
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    kiln_model model = {.file = file};
    bool good = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);

    if (good) {
        model.size = (uint64_t)facts.st_size;
        good = hash_model(&model, digest, crc);
        *bytes += model.size;
    }
    if (file >= 0)
        close(file);
    return good;
}

/* As the importer sees it: a regular file that may be read. */
static bool is_there(int folder, const char *name)
{
    int file = openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    bool there = file >= 0 && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode);

    if (file >= 0)
        close(file);
    return there;
}

/* What stands for a side file in the hash; false when it is not as `side` has it. */
static bool digest_of(int folder, const kiln_side_file *side, uint8_t digest[KILN_SHA256_SIZE],
                      uint64_t *bytes)
{
    uint32_t crc;

    if (!side->absent)
        return hash_side_file(folder, side->name, digest, &crc, bytes) &&
               (!side->has_crc || crc == side->crc);
    memset(digest, 0, KILN_SHA256_SIZE);
    if (side->has_crc)
        return true;
    return !is_there(folder, side->name);
}

/* The model's own digest, taken once; false when it can't be read, or is not what was read. */
static bool digest_model(kiln_source_file *source)
{
    uint32_t crc;

    if (!source->has_digest)
        source->has_digest = hash_model(&source->model, source->digest, &crc) &&
                             (!source->has_crc || crc == source->crc);
    return source->has_digest;
}

const char *kiln_source_hash(kiln_source_file *source, const kiln_side_file *sides, size_t count,
                             uint8_t hash[KILN_SHA256_SIZE], uint64_t *bytes)
{
    int folder = open(source->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint8_t digest[KILN_SHA256_SIZE];
    const char *bad = NULL;
    kiln_sha256 all;

    kiln_sha256_init(&all);
    *bytes = source->model.size;
    if (!digest_model(source))
        bad = "";
    kiln_sha256_update(&all, source->digest, sizeof source->digest);
    for (size_t i = 0; bad == NULL && i < count; i++) {
        if (!digest_of(folder, &sides[i], digest, bytes))
            bad = sides[i].name;
        kiln_sha256_update(&all, sides[i].name, strlen(sides[i].name) + 1);
        kiln_sha256_update(&all, digest, sizeof digest);
    }
    kiln_sha256_final(&all, hash);
    if (folder >= 0)
        close(folder);
    return bad;
}
