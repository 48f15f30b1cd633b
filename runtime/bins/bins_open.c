/* Opening and closing of filled-bins tables. */
#include "bins.h"
#include "../base/fpu.h"
#include "../open/opening.h"

static kiln_bins_table *allocate_table(const kiln_reader *reader)
{
    const kiln_reader_allocator *allocator = &reader->allocator;
    kiln_bins_table *table =
        (kiln_bins_table *)allocator->allocate(allocator->user, sizeof *table, 64);
    if (table != NULL) {
        memset(table, 0, sizeof *table);
        table->reader = *reader;
    }
    return table;
}

static uint64_t bytes_of(const kiln_reader *reader)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < reader->section_count; i++) {
        const uint32_t kind = reader->sections[i].entry.kind;
        const bool read = kind != KILN_SECTION_META && kind != KILN_SECTION_ADB_WEIGHTS;
        bytes += read ? reader->sections[i].entry.raw_size : 0;
    }
    return bytes;
}

static void fill_table(kiln_bins_table *table, const kiln_bins_view *view)
{
    const kiln_format_bins *header = view->header;
    table->view = *view;
    table->view.reader = &table->reader;
    table->rows = view->rows;
    memcpy(table->records, view->records, sizeof table->records);
    table->row_size = header->row_size;
    table->unit = header->unit;
    table->base.profile = kiln_bins_profile_of(header->profile);
    table->base.rounded_down = header->rounding == KILN_BINS_DOWN;
    table->base.max_u = header->max_u;
    table->base.max_x = header->max_x;
    table->base.certificate = header->certificate_kept > header->certificate_beyond
                                  ? header->certificate_kept
                                  : header->certificate_beyond;
    table->base.bytes = bytes_of(&table->reader);
}

static kiln_status make_table(kiln_reader *reader, const kiln_open_options *options,
                              kiln_bins **out, kiln_format_error *error)
{
    kiln_bins_view view;
    if (!kiln_bins_view_open(&view, reader, (options->flags & KILN_OPEN_TRUSTED) != 0, error)) {
        return (kiln_status)error->code;
    }
    kiln_bins_table *table = allocate_table(reader);
    if (table == NULL) {
        (void)kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
        return KILN_ERROR_MEMORY;
    }
    fill_table(table, &view);
    *out = &table->base;
    return KILN_OK;
}

static kiln_status open_table_bytes(const void *data, size_t size, const kiln_open_options *options,
                                    kiln_bins **out)
{
    const kiln_reader_options reading = kiln_opening_reader_options(options);
    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, &reading, &error)) {
        return kiln_opening_report(options, &error);
    }
    const kiln_status status = make_table(&reader, options, out, &error);
    if (status != KILN_OK) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &error);
    }
    return KILN_OK;
}

static kiln_status open_table_in_environment(const void *data, size_t size,
                                             const kiln_open_options *options, kiln_bins **out)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, open_table_bytes);
    const kiln_status status = run(data, size, options, out);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_bins_open_memory(const void *data, size_t size, const kiln_open_options *options,
                                  kiln_bins **out)
{
    const kiln_open_options full = kiln_opening_options(options);
    if (out != NULL) {
        *out = NULL;
    }
    if (data == NULL || out == NULL || !kiln_opening_options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    return open_table_in_environment(data, size, &full, out);
}

kiln_status kiln_bins_open(const char *path, const kiln_open_options *options, kiln_bins **out)
{
    const kiln_open_options full = kiln_opening_options(options);
    if (out != NULL) {
        *out = NULL;
    }
    if (path == NULL || out == NULL || !kiln_opening_options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    void *map;
    size_t size = 0;
    kiln_status status = kiln_opening_map(path, &map, &size);
    if (status != KILN_OK) {
        return kiln_opening_report_status(&full, status);
    }
    static const char nothing[1] = "";
    status = open_table_in_environment(map != NULL ? map : nothing, size, &full, out);
    if (status == KILN_OK) {
        ((kiln_bins_table *)*out)->map = map;
        ((kiln_bins_table *)*out)->map_size = size;
    } else {
        kiln_os_unmap(map, size);
    }
    return status;
}

void kiln_bins_close(kiln_bins *table)
{
    if (table == NULL) {
        return;
    }
    kiln_bins_table *whole = (kiln_bins_table *)table;
    const kiln_reader_allocator allocator = whole->reader.allocator;
    kiln_reader_close(&whole->reader);
    kiln_os_unmap(whole->map, whole->map_size);
    allocator.release(allocator.user, whole, sizeof *whole);
}
