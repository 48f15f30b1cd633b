/* kiln unpack: a packed file as a raw one, which is used in place from the map. */
#include "load.h"
#include "opening.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "verb.h"

#include "../encode/container.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *output;
    int layout, threads;
    bool json;
} unpack_settings;

static const option unpack_options[] = {
    {"output", 'o', OPTION_TEXT, "OUT", NULL, 0, 0, offsetof(unpack_settings, output),
     "the file to write, '-' for standard output"},
    {"layout", 0, OPTION_CHOICE, NULL, "packed|raw", 0, 0, offsetof(unpack_settings, layout),
     "what to write; packed turns a raw file back (default raw)"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, offsetof(unpack_settings, threads),
     "threads; the bytes do not depend on it (default: one a processor)"},
    OPTION_JSON(unpack_settings),
};

/* Opens the file, whatever it holds, in full. */
static kiln_status open_in_full(const void *data, size_t size, const kiln_open_options *options)
{
    kiln_file *file = NULL;
    kiln_bins *table = NULL;
    kiln_status status = kiln_open_memory(data, size, options, &file);
    if (status == KILN_ERROR_NOT_LOADED) {
        status = kiln_bins_open_memory(data, size, options, &table);
    }
    if (status == KILN_ERROR_NOT_LOADED) {
        uint32_t rows;
        status = kiln_adb_read_weights_memory(data, size, options, NULL, 0, &rows);
    }
    kiln_close(file);
    kiln_bins_close(table);
    return status;
}

/* Opens the file in full before its sections are laid out anew. */
static int relayout(const char *path, const unpack_settings *settings, const void *data,
                    size_t size, void **out, size_t *out_size)
{
    kiln_error error = {0};
    kiln_open_options options = kiln_open_options_default();
    options.error = &error;
    const kiln_status opened = open_in_full(data, size, &options);
    if (opened != KILN_OK) {
        return report_fault(path, (int)opened, error.message);
    }
    const kiln_watch watch = {.threads = kiln_thread_count(settings->threads)};
    char message[192];
    const int status = (int)kiln_container_relayout(data, size, (kiln_layout)settings->layout,
                                                    &watch, out, out_size, message);
    return status == EXIT_DONE ? status : report_error(status, path, "%s", message);
}

static int unpack_file(const char *path, const unpack_settings *settings)
{
    void *data = NULL, *out = NULL;
    size_t size = 0, out_size = 0;
    int status = load_file(path, &data, &size);
    if (status == EXIT_DONE) {
        status = relayout(path, settings, data, size, &out, &out_size);
    }
    if (status == EXIT_DONE) {
        status = output_write(settings->output, out, out_size);
    }
    if (status == EXIT_DONE && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "file", json_cstring(path));
        json_object_set_new(root, "output", json_cstring(settings->output));
        json_object_set_new(root, "bytes_before", json_count(size));
        json_object_set_new(root, "bytes", json_count(out_size));
    }
    free(out);
    free(data);
    return status;
}

static int run_unpack(int argc, char **argv)
{
    unpack_settings settings = {.layout = (int)KILN_LAYOUT_RAW};
    int count;
    const int status = options_parse(&verb_unpack, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage(&verb_unpack, "-o OUT is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    return unpack_file(argv[0], &settings);
}

const verb verb_unpack = {
    "unpack",
    "IN.kiln -o OUT",
    "turn a packed file into a raw one, at install time",
    "A raw file is used in place from the map: opening it copies nothing. Sections, content hash "
    "and "
    "build key stay what they are.",
    unpack_options,
    COUNT_OF(unpack_options),
    1,
    1,
    run_unpack,
};
