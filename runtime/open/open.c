/* Opens whole files: a file on disk is mapped, everything else is the core on memory. What is
 * mapped is read in place where sections are raw; opening.c has what this shares with files
 * that arrive. */
#include "opening.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/tree.h"

/* Reads and verifies; the file owns the reader from then on. */
static kiln_status open_bytes(const void *data, size_t size, const kiln_open_options *options,
                              kiln_file **out)
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
    const kiln_status status = kiln_opening_make_file(&reader, trusted, out, &format_error);
    if (status != KILN_OK) {
        kiln_reader_close(&reader);
        return kiln_opening_report(options, &format_error);
    }
    return KILN_OK;
}

/* Checks compare doubles of the file, so they run in the environment of queries. */
static kiln_status open_in_environment(const void *data, size_t size,
                                       const kiln_open_options *options, kiln_file **out)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, open_bytes);
    const kiln_status status = run(data, size, options, out);
    kiln_fpu_leave(caller);
    return status;
}

/* *out is NULL after every error, so that a caller who misses the status closes nothing. */
kiln_status kiln_open_memory(const void *data, size_t size, const kiln_open_options *options,
                             kiln_file **out)
{
    const kiln_open_options full = kiln_opening_options(options);
    if (out != NULL) {
        *out = NULL;
    }
    if (data == NULL || out == NULL || !kiln_opening_options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    return open_in_environment(data, size, &full, out);
}

/* ------------------------------------------------------------------------------- on disk -- */

kiln_status kiln_open(const char *path, const kiln_open_options *options, kiln_file **out)
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
    /* An empty file has no map; the reader reports that it is no complete file. */
    static const char nothing[1] = "";
    status = open_in_environment(map != NULL ? map : nothing, size, &full, out);
    if (status == KILN_OK) {
        KILN_ASSERT((*out)->map == NULL);
        (*out)->map = map;
        (*out)->map_size = size;
    } else {
        kiln_os_unmap(map, size);
    }
    return status;
}
