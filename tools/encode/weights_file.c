/* Files of the weights of counted queries, as kiln calibrate writes them and kiln bake reads
 * them. A model with weights serves as such a file too: the section is the same. */
#define _POSIX_C_SOURCE 200809L

#include "weights_file.h"

#include "../../formats/assert.h"
#include "../common/parallel.h"
#include "../common/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define META "{\"schema\": \"kiln-weights-meta-1\", \"kiln\": \"" KILN_VERSION_STRING "\"}"

KILN_STATIC_ASSERT(sizeof(kiln_adb_weights) == KILN_ADB_WEIGHTS_COUNT * sizeof(float),
                   "a file has all weights, in the order of the structure");

/* Numbers beyond those of the structure stay 0, as the format requires. */
kiln_format_adb_weights kiln_weights_row(const kiln_adb_fitted *fitted)
{
    kiln_format_adb_weights row;
    memset(&row, 0, sizeof row);
    row.bv = (uint16_t)fitted->bv;
    row.leaf_max = (uint16_t)fitted->leaf_max;
    row.meaning = KILN_ADB_WEIGHTS_MEANING;
    memcpy(row.weight, &fitted->weights, sizeof fitted->weights);
    return row;
}

/* The order of rows that the format requires (R29): by kind of tree, then by leaf size. */
static int by_kind(const void *left, const void *right)
{
    const kiln_format_adb_weights *a = left, *b = right;
    return a->bv != b->bv ? (int)a->bv - (int)b->bv : (int)a->leaf_max - (int)b->leaf_max;
}

kiln_bake_status kiln_weights_encode(kiln_format_adb_weights rows[], uint32_t count, void **file,
                                     size_t *size)
{
    static const char meta[] = META;
    /* A file of a few kilobytes is not worth a second thread, or a report of progress. */
    const kiln_watch watch = {1, NULL, NULL, "write", 0, 1};
    uint8_t key[16];
    qsort(rows, count, sizeof rows[0], by_kind);
    /* Rows are sorted, so two of one kind and size stand next to each other and are refused here.
     */
    bool sound = count >= 1 && count <= KILN_ADB_WEIGHTS_ROWS_MAX;
    for (uint32_t i = 0; i < count && sound; i++) {
        sound = kiln_weights_are_sound(&rows[i]) && (i == 0 || by_kind(&rows[i - 1], &rows[i]) < 0);
    }
    if (!sound) {
        return KILN_BAKE_USAGE;
    }

    /* The key covers the version and the weights: the same weights give the same file. */
    static const char title[] = "kiln weights key 1 " KILN_VERSION_STRING;
    kiln_sha256 sha;
    uint8_t digest[KILN_SHA256_SIZE];
    kiln_sha256_init(&sha);
    kiln_sha256_update(&sha, title, sizeof title);
    kiln_sha256_update(&sha, rows, count * sizeof rows[0]);
    kiln_sha256_final(&sha, digest);
    memcpy(key, digest, 16);
    const kiln_section_input sections[] = {
        {KILN_SECTION_ADB_WEIGHTS, rows, count * sizeof rows[0], 0},
        {KILN_SECTION_META, meta, sizeof meta - 1, 0},
    };
    return kiln_container_write(sections, 2, KILN_LAYOUT_RAW, 0, key, &watch, file, size, NULL);
}

/* --------------------------------------------------------------------------------- loading -- */

static kiln_bake_status report(kiln_bake_status status, char *message, const char *what)
{
    (void)snprintf(message, KILN_WEIGHTS_MESSAGE_SIZE, "%s", what);
    return status;
}

/* The reader's text has no cure, so one is added. Only a lack of memory is no fault of the file.
 */
static kiln_bake_status report_error(char *message, const kiln_format_error *error)
{
    (void)snprintf(message, KILN_WEIGHTS_MESSAGE_SIZE, "%s; fit the weights again", error->text);
    return error->code == KILN_FORMAT_ERROR_MEMORY ? KILN_BAKE_FAILED : KILN_BAKE_INVALID;
}

kiln_bake_status kiln_weights_load(const char *path, kiln_weights_rows *weights,
                                   char message[KILN_WEIGHTS_MESSAGE_SIZE])
{
    weights->count = 0;

    /* Only regular files are opened, since a pipe or a device could block for ever. */
    struct stat entry;
    /* Between the two calls another file may take the name; what is read is checked like any file.
     */
    FILE *in = stat(path, &entry) == 0 && S_ISREG(entry.st_mode) ? fopen(path, "rb") : NULL;
    if (in == NULL) {
        return report(KILN_BAKE_IO, message, "can't be opened as a file; check the path");
    }
    const size_t size = (size_t)entry.st_size;
    void *data = aligned_alloc(64, (size / 64 + 1) * 64); /* the reader wants sections aligned */
    const bool read = data != NULL && fread(data, 1, size, in) == size;
    fclose(in);
    kiln_bake_status status = KILN_BAKE_OK;
    if (data == NULL) {
        status = report(KILN_BAKE_FAILED, message, "out of memory; free some");
        goto done;
    }
    if (!read) {
        status = report(KILN_BAKE_IO, message, "can't be read; check the device");
        goto done;
    }

    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, NULL, &error)) {
        status = report_error(message, &error);
        goto done;
    }

    /* The rows are copied, since the view refers to the bytes that are freed below. */
    kiln_weights_view view;
    if (!(kiln_weights_is_file(&reader) ? kiln_weights_file_open(&view, &reader, &error)
                                        : kiln_weights_view_open(&view, &reader, &error))) {
        status = report_error(message, &error);
    } else if (view.count == 0) {
        status = report(KILN_BAKE_INVALID, message,
                        "has no weights; give a file that kiln calibrate wrote");
    } else {
        KILN_ASSERT(view.count <= KILN_ADB_WEIGHTS_ROWS_MAX);
        memcpy(weights->rows, view.rows, view.count * sizeof view.rows[0]);
        weights->count = view.count;
    }
    kiln_reader_close(&reader);
done:
    free(data);
    return status;
}
