/* kiln unpack: a packed file as a raw one, which is used in place from the map.
 *
 * The file is opened in full first, so that no damaged bytes are written under a new checksum;
 * what was decoded is then released, because the writer decodes section by section for itself
 * and both at once would double the memory. Layout is no content: hash and build key stay what
 * they are.
 *
 * The new file is written aside and renamed, so that OUT may be IN: the bytes are in memory by
 * then. An OUT that is no kiln file is left alone, as by kiln bake. */
#include "contents.h"
#include "../kit/options.h"
#include "../kit/output.h"
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
     "the layout to write; packed reverses the step (default raw)"},
    {"jobs", 'j', OPTION_INTEGER, "N", NULL, 1, 256, offsetof(unpack_settings, threads),
     "threads; the bytes do not depend on it (default: one for each processor)"},
    OPTION_JSON(unpack_settings),
};

/* One pass: check the arguments, open, write in the other layout, report. */
static int run_unpack(int argc, char **argv)
{
    unpack_settings settings = {.layout = (int)KILN_LAYOUT_RAW};
    contents of;
    void *out = NULL;
    size_t out_size = 0;
    char message[192];
    int count;
    int status = options_parse(&verb_unpack, argc, argv, &settings, &count);
    if (status != EXIT_DONE) {
        return status;
    }
    if (settings.output == NULL) {
        return report_usage("-o OUT is missing");
    }
    if (strcmp(settings.output, "-") == 0) {
        report_to_stderr();
    }
    status = output_check(settings.output, &output_kind_kiln, NULL);
    if (status != EXIT_DONE) {
        return status;
    }
    status = contents_open(&of, argv[0]);
    if (status != EXIT_DONE) {
        return status;
    }
    contents_release(&of);
    const kiln_watch watch = {.threads = kiln_thread_count(settings.threads)};
    status = (int)kiln_container_relayout(of.data, of.size, (kiln_layout)settings.layout, &watch,
                                          &out, &out_size, message);
    status = status == EXIT_DONE ? output_write(settings.output, &output_kind_kiln, out, out_size)
                                 : report_error(status, of.path, "%s", message);
    if (status == EXIT_DONE && report_is_json()) {
        json_t *root = report_root();
        json_object_set_new(root, "file", json_cstring(of.path));
        json_object_set_new(root, "output", json_cstring(settings.output));
        json_object_set_new(root, "bytes_before", json_count(of.size));
        json_object_set_new(root, "bytes", json_count(out_size));
    }
    free(out);
    contents_close(&of);
    return status;
}

const verb verb_unpack = {
    "unpack",
    "IN.kiln -o OUT",
    "turn a packed file into a raw one, at install time",
    "A raw file is used in place from the map: opening it copies nothing. Sections, content hash "
    "and build key do not change. An existing OUT that is no kiln file has to be removed first; "
    "OUT may be IN.",
    unpack_options,
    COUNT_OF(unpack_options),
    1,
    1,
    run_unpack,
};
