/* Weights of counted queries as sections of a file: hierarchy.md, section 13. */
#ifndef KILN_WEIGHTS_FILE_H
#define KILN_WEIGHTS_FILE_H

#include "../../formats/weights.h"
#include "../../runtime/kiln_adb.h"
#include "container.h"

/* The row that a file has for them. */
kiln_format_adb_weights kiln_weights_row(const kiln_adb_fitted *fitted);

/* The bytes of a file of weights alone. Sorts `rows` [1 .. KILN_ADB_WEIGHTS_ROWS_MAX] as files have
 * them. KILN_BAKE_USAGE: too many, two of one kind and size, or one out of range; KILN_BAKE_FAILED:
 * no memory. */
kiln_bake_status kiln_weights_encode(kiln_format_adb_weights rows[], uint32_t count, void **file,
                                     size_t *size);

/* Weights that were read, as far as one bake has use for them. */
typedef struct {
    kiln_format_adb_weights rows[KILN_ADB_WEIGHTS_ROWS_MAX];
    uint32_t count;
} kiln_weights_rows;

enum { KILN_WEIGHTS_MESSAGE_SIZE = 256 };

/* Reads the weights of the file at `path`, a model or weights alone. On failure `message` holds the
 * reason, to follow the path: KILN_BAKE_IO, _INVALID, _FAILED. */
kiln_bake_status kiln_weights_load(const char *path, kiln_weights_rows *weights,
                                   char message[KILN_WEIGHTS_MESSAGE_SIZE]);

#endif
