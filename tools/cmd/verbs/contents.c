#include "contents.h"

#include "../kit/load.h"
#include "../kit/opening.h"
#include "../kit/verb.h"

#include <stdlib.h>
#include <string.h>

/* The one document in a section of its own, whatever the file holds. */
static json_t *read_meta(const kiln_reader *reader)
{
    const uint32_t index = kiln_reader_find(reader, KILN_SECTION_META, 0);
    if (index == KILN_NO_INDEX) {
        return NULL;
    }
    const kiln_reader_section *section = &reader->sections[index];
    return json_loadb(section->data, (size_t)section->entry.raw_size, 0, NULL);
}

static bool open_kind(contents *of, kiln_format_error *error)
{
    if (kiln_bins_is_table(&of->reader)) {
        of->kind = CONTENTS_TABLE;
        return kiln_bins_view_open(&of->table, &of->reader, false, error);
    }
    if (kiln_weights_is_file(&of->reader)) {
        kiln_weights_view weights;
        of->kind = CONTENTS_WEIGHTS;
        return kiln_weights_file_open(&weights, &of->reader, error);
    }
    of->kind = CONTENTS_MODEL;
    return kiln_view_open(&of->view, &of->reader, false, error);
}

int contents_load(contents *of, const char *path)
{
    memset(of, 0, sizeof *of);
    of->path = path;
    return load_file(path, &of->data, &of->size);
}

bool contents_open_loaded(contents *of, kiln_format_error *error)
{
    if (!kiln_reader_open(&of->reader, of->data, of->size, NULL, error)) {
        return false;
    }
    if (!open_kind(of, error)) {
        kiln_reader_close(&of->reader);
        return false;
    }
    of->is_open = true;
    of->meta = read_meta(&of->reader);
    return true;
}

int contents_open(contents *of, const char *path)
{
    kiln_format_error error;
    const int status = contents_load(of, path);
    if (status == EXIT_DONE && !contents_open_loaded(of, &error)) {
        contents_close(of);
        return report_format_error(path, error.code, error.text);
    }
    return status;
}

void contents_release(contents *of)
{
    json_decref(of->meta);
    of->meta = NULL;
    if (of->is_open) {
        kiln_reader_close(&of->reader);
        of->is_open = false;
    }
}

void contents_close(contents *of)
{
    contents_release(of);
    free(of->data);
    of->data = NULL;
}

const char *contents_kind_name(contents_kind kind)
{
    static const char *const names[] = {"model", "table", "weights"};
    return names[kind];
}
