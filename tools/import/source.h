/* The files of a model: where they are, what they hash to. */
#ifndef KILN_IMPORT_SOURCE_H
#define KILN_IMPORT_SOURCE_H

#include "../common/sha256.h"
#include "../kiln_bake.h"
#include "mesh.h"
#include "model.h"

typedef struct {
    kiln_model model;           /* of meshes only the size is set */
    const kiln_mesh_list *mesh; /* NULL: a model */
    char *folder;               /* of the model; "." for memory without a path */
    const char *name;           /* within it */
    char format[16];            /* lower case */
    bool has_crc;               /* of the model, noted by kiln_source_mark */
    uint32_t crc;
    bool has_digest; /* of the model, since kiln_source_hash was called first */
    uint8_t digest[KILN_SHA256_SIZE];
} kiln_source_file;

/* Opens the input for reading if it is a regular file. False: *status and report->error say why. */
bool kiln_source_open(kiln_source_file *source, const kiln_bake_input *input,
                      kiln_bake_status *status, kiln_bake_report *report);
void kiln_source_close(kiln_source_file *source);

/* Notes what the model's bytes are before they are read: kiln_source_hash then finds out whether
 * they were changed meanwhile. */
void kiln_source_mark(kiln_source_file *source);

typedef struct kiln_side_file {
    const char *name; /* relative to the model's folder, or absolute */
    bool absent;      /* it was looked for and was not there */
    bool has_crc;     /* this is the end of an import; `crc` is what was read */
    uint32_t crc;
} kiln_side_file;

/* SHA-256 over the model's SHA-256, and then of each side file, in the order given, its name, a
 * zero byte and its SHA-256, or 32 zero bytes for one that is absent. *bytes is the sum of sizes.
 * NULL when done; else the name of the file ("" for the model) that can't be read, or is not what
 * was read, or, outside of an import, is absent by `sides` and there by now. Called again, it takes
 * the model for what it was the first time. */
const char *kiln_source_hash(kiln_source_file *source, const kiln_side_file *sides, size_t count,
                             uint8_t hash[KILN_SHA256_SIZE], uint64_t *bytes);

#endif
