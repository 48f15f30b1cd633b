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
    (void)user;
    KILN_ASSERT(index < reader->header.section_count);
    return kiln_reader_entry(reader, index).kind == KILN_SECTION_ADB_WEIGHTS;
}

/* Reads the rows of one file, of whatever kind, into the sink. */
static kiln_status read_rows(const void *data, size_t size, const kiln_open_options *options,
                             void *into)
{
    const weights_sink *sink = (const weights_sink *)into;
    kiln_reader_options reading = kiln_opening_reader_options(options);
    kiln_weights_view view;
    kiln_reader reader;
    kiln_format_error error;
    reading.wanted = weights_wanted;
    reading.copies =
        true; /* a few rows, which another process may write to while they are checked */
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
    /* Rows beyond the capacity are counted, but not written. *sink->count is set only if the whole
     * section is sound, so it is unchanged after an error. */
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

/* The sink is checked before the file is opened. If it is not sound, NULL is passed on instead, and
 * the opening reports that as a wrong argument. */
static bool sink_is_sound(const weights_sink *sink)
{
    return sink->count != NULL && (sink->rows != NULL || sink->capacity == 0);
}

/* All known rows are counted, and as many are written as there is room for: a caller may learn the
 * number first, with a capacity of 0. */
kiln_status kiln_adb_read_weights_memory(const void *data, size_t size,
                                         const kiln_open_options *options, kiln_adb_fitted rows[],
                                         uint32_t capacity, uint32_t *count)
{
    weights_sink sink = {rows, capacity, count};
    return kiln_opening_memory(read_rows, data, size, options, sink_is_sound(&sink) ? &sink : NULL);
}

/* The map is needed only while rows are copied, so it ends with the call. */
kiln_status kiln_adb_read_weights(const char *path, const kiln_open_options *options,
                                  kiln_adb_fitted rows[], uint32_t capacity, uint32_t *count)
{
    weights_sink sink = {rows, capacity, count};
    void *map;
    size_t size;
    const kiln_status status = kiln_opening_disk(read_rows, path, options,
                                                 sink_is_sound(&sink) ? &sink : NULL, &map, &size);
    if (status == KILN_OK) {
        kiln_os_unmap(map, size);
    }
    return status;
}
