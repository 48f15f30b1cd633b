/* The files of a model: where they are, what they hash to. */
#ifndef KILN_IMPORT_SOURCE_H
#define KILN_IMPORT_SOURCE_H

#include "../common/sha256.h"
#include "../kiln_bake.h"
#include "model.h"

typedef struct {
    kiln_model model;
    char *folder;     /* of the model; "." for memory without a path */
    const char *name; /* within it */
    char format[16];  /* lower case */
} kiln_source;

/* Opens the input for reading if it is a regular file. False: *status and report->error say why. */
bool kiln_source_open(kiln_source *source, const kiln_bake_input *input, kiln_bake_status *status,
                      kiln_bake_report *report);
void kiln_source_close(kiln_source *source);

/* SHA-256 over the model's SHA-256, and then each side file's name, zero byte and SHA-256, in the
 * order given. Names are relative to the folder or absolute. *bytes is the sum of sizes. NULL when
 * done; else the name of the file that can't be read ("" for the model). */
const char *kiln_source_hash(const kiln_source *source, const char *const *side_files, size_t count,
                             uint8_t hash[KILN_SHA256_SIZE], uint64_t *bytes);

#endif
