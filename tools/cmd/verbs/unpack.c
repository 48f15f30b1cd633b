/* kiln unpack: a packed file as a raw one, which is used in place from the map. */
#include "contents.h"
#include "../kit/options.h"
#include "../kit/files.h"
#include "../kit/report.h"
#include "verbs.h"

#include "../../encode/container.h"

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

/* Of a file that was opened in full. */
static int relayout(const contents *of, const unpack_settings *settings, void **out,
                    size_t *out_size)
{
    const kiln_watch watch = {.threads = kiln_thread_count(settings->threads)};
    char message[192];
    const int status = (int)kiln_container_relayout(
        of->data, of->size, (kiln_layout)settings->layout, &watch, out, out_size, message);
    return status == EXIT_DONE ? status : report_error(status, of->path, "%s", message);
}

static int unpack_file(const char *path, const unpack_settings *settings)
{
    contents of;
    void *out = NULL;
    size_t out_size = 0;
    int status = contents_open(&of, path);
    if (status == EXIT_DONE) {
        contents_release(&of);
        status = relayout(&of, settings, &out, &out_size);
    }
    if (status == EXIT_DONE) {
        status = output_write(settings->output, out, out_size);
    }
    if (status == EXIT_DONE && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "file", json_cstring(path));
        json_object_set_new(root, "output", json_cstring(settings->output));
        json_object_set_new(root, "bytes_before", json_count(of.size));
        json_object_set_new(root, "bytes", json_count(out_size));
    }
    free(out);
    contents_close(&of);
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
        return report_usage("-o OUT is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    const int losing = output_check(settings.output);
    return losing == EXIT_DONE ? unpack_file(argv[0], &settings) : losing;
}

const verb verb_unpack = {
    "unpack",
    "IN.kiln -o OUT",
    "turn a packed file into a raw one, at install time",
    "A raw file is used in place from the map: opening it copies nothing. Sections, content hash "
    "and "
    "build key stay what they are. An OUT that is there, is no kiln file and is not named .kiln "
    "has to be "
    "removed first.",
    unpack_options,
    COUNT_OF(unpack_options),
    1,
    1,
    run_unpack,
};
