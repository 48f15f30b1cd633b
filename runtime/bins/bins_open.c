/* Opens and closes filled-bins tables: as models are (open.c), with the reader and the verifier
 * of the table (formats/bins_check.h) in place of those of a model. */
#include "bins.h"
#include "../../formats/assert.h"
#include "../open/opening.h"

/* Reads, verifies and keeps a table, a kiln_bins * at `into`. The reader is closed on every way
 * out but the last. */
static kiln_status read_table(const void *data, size_t size, const kiln_open_options *options,
                              void *into)
{
    const kiln_reader_options reading = kiln_opening_reader_options(options);
    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, &reading, &error)) {
        return kiln_opening_report(options, &error);
    }
    kiln_bins_view view;
    if (!kiln_bins_view_open(&view, &reader, (options->flags & KILN_OPEN_TRUSTED) != 0, &error)) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &error);
    }
    kiln_bins_table *table =
        (kiln_bins_table *)kiln_reader_allocate(&reader, 0, sizeof *table, &error);
    if (table == NULL) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &error);
    }

    /* From here on the table owns the reader. */
    const kiln_format_bins *header = view.header;
    memset(table, 0, sizeof *table);
    table->reader = reader;
    table->view = view;
    table->view.reader = &table->reader;
    table->rows = view.rows;
    memcpy(table->records, view.records, sizeof table->records);
    table->row_size = header->row_size;
    table->unit = header->unit;
    table->base.profile = kiln_bins_profile_of(header->profile);
    KILN_ASSERT(table->base.profile != NULL);
    table->base.rounded_down = header->rounding == KILN_BINS_DOWN;
    table->base.max_u = header->max_u;
    table->base.max_x = header->max_x;
    table->base.certificate = header->certificate_kept > header->certificate_beyond
                                  ? header->certificate_kept
                                  : header->certificate_beyond;
    /* What lookups read: all sections but the document and the weights. */
    for (uint32_t i = 0; i < reader.section_count; i++) {
        const kiln_format_section *entry = &reader.sections[i].entry;
        const bool is_read =
            entry->kind != KILN_SECTION_META && entry->kind != KILN_SECTION_ADB_WEIGHTS;
        table->base.bytes += is_read ? entry->raw_size : 0;
    }
    *(kiln_bins **)into = &table->base;
    return KILN_OK;
}

/* The bytes stay the caller's, and have to stay where they are until the table is closed. */
kiln_status kiln_bins_open_memory(const void *data, size_t size, const kiln_open_options *options,
                                  kiln_bins **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return kiln_opening_memory(read_table, data, size, options, out);
}

/* The table owns the map of its file, as its values are read in place where they are raw. */
kiln_status kiln_bins_open(const char *path, const kiln_open_options *options, kiln_bins **out)
{
    void *map;
    size_t size;
    if (out != NULL) {
        *out = NULL;
    }
    const kiln_status status = kiln_opening_disk(read_table, path, options, out, &map, &size);
    if (status == KILN_OK && ((kiln_bins_table *)*out)->reader.copies) {
        kiln_os_unmap(map, size); /* nothing is used in place */
    } else if (status == KILN_OK) {
        ((kiln_bins_table *)*out)->map = map;
        ((kiln_bins_table *)*out)->map_size = size;
    }
    return status;
}

/* The allocator is in the table that it releases, so it is copied first. */
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
