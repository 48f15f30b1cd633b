/* Opens and closes axis sets: as models are (open.c), with the verifier of the set
 * (formats/axes_check.h) in place of that of a model. */
#include "axes.h"
#include "../../formats/assert.h"
#include "../../formats/axes_check.h"
#include "../open/opening.h"

/* A set that was opened. */
typedef struct {
    kiln_axes base; /* first: what callers hold */
    kiln_axis_set set;
    kiln_reader reader;
    void *map; /* NULL: the caller's memory */
    size_t map_size;
} opened_axes;

/* Reads, verifies and keeps a set, a kiln_axes * at `into`. The reader is closed on every way out
 * but the last. */
static kiln_status read_axes(const void *data, size_t size, const kiln_open_options *options,
                             void *into)
{
    const kiln_reader_options reading = kiln_opening_reader_options(options);
    kiln_reader reader;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, &reading, &error)) {
        return kiln_opening_report(options, &error);
    }
    kiln_axes_view view;
    if (!kiln_axes_view_open(&view, &reader, (options->flags & KILN_OPEN_TRUSTED) != 0, &error)) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &error);
    }
    opened_axes *axes = (opened_axes *)kiln_reader_allocate(&reader, 0, sizeof *axes, &error);
    if (axes == NULL) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &error);
    }

    /* From here on the set owns the reader. */
    const kiln_format_axes *header = view.header;
    const uint64_t words =
        (uint64_t)3 * header->zone_cells * header->zone_cells * kiln_axes_mask_words(header->count);
    const opened_axes opened = {
        .base = {.zone_sine = header->zone_sine,
                 .zone_cells = header->zone_cells,
                 .zones = view.zones,
                 .bytes = header->count * sizeof *view.axes + words * sizeof *view.zones},
        .set = {header->count, view.axes, header->radius, header->sine},
        .reader = reader};
    *axes = opened;
    axes->base.set = &axes->set;
    *(kiln_axes **)into = &axes->base;
    return KILN_OK;
}

kiln_status kiln_axes_open_memory(const void *data, size_t size, const kiln_open_options *options,
                                  kiln_axes **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return kiln_opening_memory(read_axes, data, size, options, out);
}

/* The set owns the map of its file, as its axes and masks are read in place where they are raw. */
kiln_status kiln_axes_open(const char *path, const kiln_open_options *options, kiln_axes **out)
{
    void *map;
    size_t size;
    if (out != NULL) {
        *out = NULL;
    }
    const kiln_status status = kiln_opening_disk(read_axes, path, options, out, &map, &size);
    if (status == KILN_OK && ((opened_axes *)*out)->reader.copies) {
        kiln_os_unmap(map, size); /* nothing is used in place */
    } else if (status == KILN_OK) {
        ((opened_axes *)*out)->map = map;
        ((opened_axes *)*out)->map_size = size;
    }
    return status;
}

/* The allocator is in the set that it releases, so it is copied first. */
void kiln_axes_close(kiln_axes *axes)
{
    if (axes == NULL || axes == kiln_axes_default()) {
        return;
    }
    opened_axes *whole = (opened_axes *)axes;
    const kiln_reader_allocator allocator = whole->reader.allocator;
    kiln_reader_close(&whole->reader);
    kiln_os_unmap(whole->map, whole->map_size);
    allocator.release(allocator.user, whole, sizeof *whole);
}
