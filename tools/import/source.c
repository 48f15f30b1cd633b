/* The files of a model: opening the source, and hashing it with its side files.
 *
 * The hash names what was read. A file may change between reading and hashing, and between the
 * reading of two side files; so the CRC-32 of each file is taken before it is read, and compared
 * with that of the bytes that are hashed at the end. A file that changes back in between is not
 * noticed; a CRC is enough against accidents, and no guard against a hostile writer. */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../../formats/assert.h"
#include "../common/text.h"

/* Does not wait for a writer, should the path be a pipe. */
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)

/* Before the child starts: whatever it reads is compared with this. */
void kiln_source_mark(kiln_source_file *source)
{
    if (source->mesh == NULL) {
        source->crc = kiln_model_crc(&source->model);
        source->has_crc = true;
    }
}

/* *status is set before each step to what its failure means. */
bool kiln_source_open(kiln_source_file *source, const kiln_bake_input *input,
                      kiln_bake_status *status, kiln_bake_report *report)
{
    const char *path = input->path, *format = input->format;
    const char *slash = path != NULL ? strrchr(path, '/') : NULL;
    struct stat facts = {0};
    size_t length;

    memset(source, 0, sizeof *source);
    source->model.file = -1;
    *status = KILN_BAKE_USAGE;
    if (input->data == NULL && path == NULL) {
        kiln_bake_report_error(report, NULL, "no input; give a path or data");
        return false;
    }

    /* Folder and name. */
    source->name = path == NULL ? "model" : slash != NULL ? slash + 1 : path;
    source->folder = slash == NULL   ? strdup(".")
                     : slash == path ? strdup("/")
                                     : strndup(path, (size_t)(slash - path));
    *status = KILN_BAKE_FAILED;
    if (source->folder == NULL) {
        kiln_bake_report_error(report, path, "out of memory; close other programs");
        goto failed;
    }

    if (kiln_input_is_mesh(input)) {
        const char *refusal = kiln_mesh_refusal(input->data);

        *status = KILN_BAKE_USAGE;
        if (refusal != NULL) {
            kiln_bake_report_error(report, path, "%s", refusal);
            goto failed;
        }
        source->mesh = input->data;
        source->model.size = kiln_mesh_bytes(source->mesh);
        memcpy(source->format, kiln_mesh_format, strlen(kiln_mesh_format) + 1);
        *status = KILN_BAKE_OK;
        return true;
    }

    /* The bytes: the caller's, or those of a regular file. */
    *status = KILN_BAKE_IO;
    if (input->data != NULL) {
        source->model.data = input->data;
        source->model.size = input->size;
    } else {
        source->model.file = open(path, OPEN_FLAGS);
        if (source->model.file < 0) {
            kiln_bake_report_error(report, path, "can't be opened; %s; %s", strerror(errno),
                                   errno == EMFILE || errno == ENFILE
                                       ? "raise the limit on open files (ulimit -n)"
                                       : "check the path and its permissions");
            goto failed;
        }
        if (fstat(source->model.file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
            kiln_bake_report_error(report, path, "not a regular file, %s; give the path of a model",
                                   S_ISDIR(facts.st_mode)    ? "a folder"
                                   : S_ISFIFO(facts.st_mode) ? "a pipe"
                                   : S_ISCHR(facts.st_mode) || S_ISBLK(facts.st_mode)
                                       ? "a device"
                                       : "something else");
            goto failed;
        }
        source->model.size = (uint64_t)facts.st_size;
    }

    /* The format: the extension as given, or that of the name, in lower case. */
    *status = KILN_BAKE_UNSUPPORTED;
    if (format == NULL) {
        const char *dot = strrchr(source->name, '.');

        format = dot != NULL ? dot + 1 : "";
    }
    length = strlen(format);
    if (length == 0 || length >= sizeof source->format) {
        kiln_bake_report_error(
            report, path,
            "no format known: the name has no extension that names one; give the "
            "format");
        goto failed;
    }
    for (size_t i = 0; i <= length; i++)
        source->format[i] =
            format[i] >= 'A' && format[i] <= 'Z' ? (char)(format[i] - 'A' + 'a') : format[i];

    *status = KILN_BAKE_INVALID;
    if (kiln_model_is_lfs_pointer(&source->model)) {
        kiln_bake_report_error(report, path,
                               "a Git LFS pointer and not the model itself; run git lfs pull");
        goto failed;
    }
    if (source->model.size == 0) {
        kiln_bake_report_error(report, path, "it is empty; give a model");
        goto failed;
    }
    *status = KILN_BAKE_OK;
    return true;
failed:
    kiln_source_close(source);
    return false;
}

/* May be called twice. */
void kiln_source_close(kiln_source_file *source)
{
    if (source->model.file >= 0)
        close(source->model.file);
    free(source->folder);
    memset(source, 0, sizeof *source);
    source->model.file = -1;
}

/* SHA-256 of the bytes, and in *crc the CRC-32 of the same bytes. False: they can't all be read. */
static bool hash_model(const kiln_model *model, uint8_t digest[KILN_SHA256_SIZE], uint32_t *crc)
{
    enum { BLOCK = 1 << 16 };
    uint8_t *block = malloc(BLOCK);
    uLong sum = crc32(0, NULL, 0);
    kiln_sha256 hash;
    uint64_t at = 0;

    /* Both sums in one pass, so that they are of the same bytes. */
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

/* What stands for a side file in the hash; false when it is not as `side` has it. A file is there,
 * as for the importer, when it is a regular file that may be read. */
static bool digest_of(int folder, const kiln_side_file *side, uint8_t digest[KILN_SHA256_SIZE],
                      uint64_t *bytes)
{
    struct stat facts;
    kiln_model model = {.file = -1};
    uint32_t crc;
    bool there, good;

    memset(digest, 0, KILN_SHA256_SIZE);
    if (side->absent && side->has_crc)
        return true; /* it was absent just now, while the model was read */
    model.file = openat(folder, side->name, OPEN_FLAGS);
    there = model.file >= 0 && fstat(model.file, &facts) == 0 && S_ISREG(facts.st_mode);
    good = there != side->absent;
    if (there && !side->absent) {
        model.size = (uint64_t)facts.st_size;
        good = hash_model(&model, digest, &crc) && (!side->has_crc || crc == side->crc);
        *bytes += model.size;
    }
    if (model.file >= 0)
        close(model.file);
    return good;
}

const char *kiln_source_hash(kiln_source_file *source, const kiln_side_file *sides, size_t count,
                             uint8_t hash[KILN_SHA256_SIZE], uint64_t *bytes)
{
    /* Names of side files are relative to the folder of the model, not to that of the process. */
    int folder = open(source->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    uint8_t digest[KILN_SHA256_SIZE];
    const char *bad = NULL;
    kiln_sha256 all;
    uint32_t crc;

    KILN_ASSERT(source->folder != NULL && (count == 0 || sides != NULL));
    kiln_sha256_init(&all);
    *bytes = source->model.size;
    /* The model's own digest is taken once. */
    if (!source->has_digest && source->mesh != NULL) {
        kiln_mesh_hash(source->mesh, source->digest);
        source->has_digest = true;
    }
    if (!source->has_digest)
        source->has_digest = hash_model(&source->model, source->digest, &crc) &&
                             (!source->has_crc || crc == source->crc);
    if (!source->has_digest)
        bad = "";
    kiln_sha256_update(&all, source->digest, sizeof source->digest);
    /* Names are hashed with their zero byte, so that no two lists of files hash the same bytes. */
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
