/* Opens whole files: a file on disk is mapped, everything else is the core on memory. What is
 * mapped is read in place where sections are raw; opening.c has what this shares with files
 * that arrive. */
#include "opening.h"

#include "../../formats/assert.h"
#include "../base/tree.h"

kiln_status kiln_opening_read_whole(const void *data, size_t size, const kiln_open_options *options,
                                    void *into)
{
    kiln_reader_options reading = kiln_opening_reader_options(options);
    reading.wanted = kiln_opening_wants;
    reading.user = (void *)(uintptr_t)options;
    kiln_reader reader;
    kiln_format_error format_error;
    if (!kiln_reader_open(&reader, data, size, &reading, &format_error)) {
        return kiln_opening_report(options, &format_error);
    }
    const bool trusted = (options->flags & KILN_OPEN_TRUSTED) != 0;
    const kiln_status status =
        kiln_opening_make_file(&reader, trusted, (kiln_file **)into, &format_error);
    if (status != KILN_OK) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &format_error);
    }
    return KILN_OK;
}

/* *out is NULL after every error, so that a caller who misses the status closes nothing. */
kiln_status kiln_open_memory(const void *data, size_t size, const kiln_open_options *options,
                             kiln_file **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    return kiln_opening_memory(kiln_opening_read_whole, data, size, options, out);
}

kiln_status kiln_open(const char *path, const kiln_open_options *options, kiln_file **out)
{
    void *map;
    size_t size;
    if (out != NULL) {
        *out = NULL;
    }
    const kiln_status status =
        kiln_opening_disk(kiln_opening_read_whole, path, options, out, &map, &size);
    if (status == KILN_OK && (*out)->reader.copies) {
        kiln_os_unmap(map, size); /* nothing is used in place */
    } else if (status == KILN_OK) {
        KILN_ASSERT((*out)->map == NULL);
        (*out)->map = map;
        (*out)->map_size = size;
    }
    return status;
}
