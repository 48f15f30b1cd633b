/* Reads weights out of a file of any kind, model, table or weights alone, without loading what
 * else is in it. Rows whose meaning this version does not know are passed over. */
#include "adb_weights.h"
#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../open/opening.h"

#include <string.h>

/* Where rows go. */
typedef struct {
    kiln_adb_fitted *rows;
    uint32_t capacity, *count;
} weights_sink;

/* Only the section of weights is decoded, however large the file is. */
static bool weights_wanted(void *user, const kiln_reader *reader, uint32_t index)
{
    kiln_format_section entry;
    (void)user;
    KILN_ASSERT(index < reader->header.section_count);
    memcpy(&entry, reader->file + sizeof(kiln_format_header) + (size_t)index * sizeof entry,
           sizeof entry);
    return entry.kind == KILN_SECTION_ADB_WEIGHTS;
}

/* Reads the rows of one file, of whatever kind, into the sink. */
static kiln_status read_rows(const void *data, size_t size, const kiln_open_options *options,
                             const weights_sink *sink)
{
    kiln_reader_options reading = kiln_opening_reader_options(options);
    kiln_weights_view view;
    kiln_reader reader;
    kiln_format_error error;
    reading.wanted = weights_wanted;
    if (!kiln_reader_open(&reader, data, size, &reading, &error)) {
        return kiln_opening_report(options, &error);
    }
    bool sound;
    if (kiln_reader_find(&reader, KILN_SECTION_ADB_WEIGHTS, 0) == KILN_NO_INDEX) {
        sound =
            kiln_format_error_set(&error, KILN_FORMAT_ERROR_NOT_LOADED, 0,
                                  "there are no weights in this file: kiln calibrate writes them");
    } else if (kiln_weights_is_file(&reader)) {
        sound = kiln_weights_file_open(&view, &reader, &error);
    } else {
        sound = kiln_weights_view_open(&view, &reader, &error);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; sound && i < view.count; i++) {
        if (kiln_weights_are_known(&view.rows[i])) {
            if (count < sink->capacity) {
                sink->rows[count] = kiln_adb_fitted_of(&view.rows[i]);
            }
            count++;
        }
    }
    if (sound) {
        *sink->count = count;
    }
    kiln_reader_close(&reader);
    return sound ? KILN_OK : kiln_opening_report(options, &error);
}

/* All known rows are counted, and as many are written as there is room for: a caller may learn the
 * number first, with a capacity of 0. */
kiln_status kiln_adb_read_weights_memory(const void *data, size_t size,
                                         const kiln_open_options *options, kiln_adb_fitted rows[],
                                         uint32_t capacity, uint32_t *count)
{
    const kiln_open_options full = kiln_opening_options(options);
    const weights_sink sink = {rows, capacity, count};
    if (data == NULL || count == NULL || (rows == NULL && capacity > 0) ||
        !kiln_opening_options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, read_rows);
    const kiln_status status = run(data, size, &full, &sink);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_adb_read_weights(const char *path, const kiln_open_options *options,
                                  kiln_adb_fitted rows[], uint32_t capacity, uint32_t *count)
{
    const kiln_open_options full = kiln_opening_options(options);
    void *map;
    size_t size = 0;
    if (path == NULL) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    const kiln_status mapped = kiln_opening_map(path, &map, &size);
    if (mapped != KILN_OK) {
        return kiln_opening_report_status(&full, mapped);
    }
    static const char nothing[1] = "";
    const kiln_status status = kiln_adb_read_weights_memory(map != NULL ? map : nothing, size,
                                                            options, rows, capacity, count);
    kiln_os_unmap(map, size);
    return status;
}
