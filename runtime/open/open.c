/* Opening and closing: a file on disk is mapped, everything else is the core on memory. */
#include "../../formats/sections.h"
#include "../base/fpu.h"
#include "opening.h"
#include "../base/tree.h"

#include <string.h>

/* The two lists of codes are one. */
#define SAME(name, format_error)                                                                   \
    KILN_STATIC_ASSERT((int)KILN_ERROR_##name == (int)KILN_FORMAT_ERROR_##format_error, #name)
SAME(MEMORY, MEMORY);
SAME(NOT_KILN, NOT_KILN);
SAME(VERSION, VERSION);
SAME(TRUNCATED, TRUNCATED);
SAME(CHECKSUM, CHECKSUM);
SAME(RULE, RULE);
SAME(FEATURE, FEATURE);
SAME(INFLATE, INFLATE);
SAME(NOT_LOADED, NOT_LOADED);
SAME(PARTIAL, PARTIAL);
#define SAME_KIND(KIND, kind, name, constant, ...)                                                 \
    KILN_STATIC_ASSERT((int)(constant) == (int)KILN_FORMAT_BV_##KIND, name);
KILN_NODE_KINDS(SAME_KIND, SAME_KIND)

kiln_open_options kiln_open_options_default(void)
{
    kiln_open_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

kiln_open_options kiln_opening_options(const kiln_open_options *options)
{
    kiln_open_options full = kiln_open_options_default();
    if (options != NULL) {
        const size_t size = options->struct_size < sizeof full ? options->struct_size : sizeof full;
        memcpy(&full, options, size);
    }
    return full;
}

kiln_status kiln_opening_report(const kiln_open_options *options,
                                const kiln_format_error *format_error)
{
    if (options->error != NULL) {
        options->error->status = (kiln_status)format_error->code;
        options->error->rule = format_error->rule;
        options->error->offset = format_error->offset;
        memcpy(options->error->message, format_error->text, sizeof options->error->message);
    }
    return (kiln_status)format_error->code;
}

kiln_status kiln_opening_report_status(const kiln_open_options *options, kiln_status status)
{
    kiln_format_error format_error;
    (void)kiln_format_error_set(&format_error, (int)status, 0, "%s", kiln_status_text(status));
    return kiln_opening_report(options, &format_error);
}

kiln_reader_options kiln_opening_reader_options(const kiln_open_options *options)
{
    kiln_reader_options reading;
    memset(&reading, 0, sizeof reading);
    reading.trusted = (options->flags & KILN_OPEN_TRUSTED) != 0;
    reading.allocator.allocate = options->allocator.allocate;
    reading.allocator.release = options->allocator.release;
    reading.allocator.user = options->allocator.user;
    reading.parallel = options->parallel;
    reading.parallel_user = options->parallel_user;
    return reading;
}

bool kiln_opening_wants(void *user, const kiln_reader *reader, uint32_t index)
{
    const kiln_open_options *options = (const kiln_open_options *)user;
    kiln_format_section entry;
    memcpy(&entry, reader->file + sizeof(kiln_format_header) + (size_t)index * sizeof entry,
           sizeof entry);
    const kiln_section_kind *kind = kiln_section_kind_find(entry.kind);
    if (kind == NULL || (kind->source && (options->flags & KILN_OPEN_NO_SOURCE) != 0) ||
        (entry.kind == KILN_SECTION_ADB_BOXES && (options->flags & KILN_OPEN_NO_COUNTS) != 0)) {
        return false;
    }
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        if (kiln_node_kinds[i].section == entry.kind && options->bv_mask != 0) {
            return (options->bv_mask >> kiln_node_kinds[i].bv & 1) != 0;
        }
    }
    return true;
}

void kiln_opening_fill_trees(kiln_file *file)
{
    file->tree_count = 0;
    for (uint32_t i = 0; i < file->view.tree_count; i++) {
        const kiln_view_tree from = kiln_view_get_tree(&file->view, i);
        if (from.nodes == NULL) {
            continue;
        }
        kiln_tree *tree = &file->trees[file->tree_count++];
        tree->file = file;
        tree->entry = from.entry;
        tree->nodes = (const uint8_t *)from.nodes;
        tree->order = from.order;
        tree->kind = from.kind;
        tree->vertices = file->view.vertices;
        tree->triangles = file->view.triangles;
        tree->ids = file->view.ids;
        tree->adb = from.adb;
        tree->boxes = from.boxes;
    }
}

static kiln_file *allocate_file(const kiln_reader_allocator *allocator, uint32_t tree_count)
{
    const size_t size = sizeof(kiln_file) + tree_count * sizeof(kiln_tree);
    kiln_file *file = (kiln_file *)allocator->allocate(allocator->user, size, 64);
    if (file != NULL) {
        memset(file, 0, size);
        file->size = size;
        file->allocator = *allocator;
    }
    return file;
}

kiln_status kiln_opening_make_file(kiln_reader *reader, bool trusted, kiln_file **out,
                                   kiln_format_error *format_error)
{
    kiln_view view;
    if (!kiln_view_open(&view, reader, trusted, format_error)) {
        return (kiln_status)format_error->code;
    }
    kiln_file *file = allocate_file(&reader->allocator, view.tree_count);
    if (file == NULL) {
        (void)kiln_format_error_set(format_error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory");
        return KILN_ERROR_MEMORY;
    }
    file->reader = *reader;
    file->view = view;
    file->view.reader = &file->reader;
    kiln_opening_fill_trees(file);
    *out = file;
    return KILN_OK;
}

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

static kiln_status open_in_environment(const void *data, size_t size,
                                       const kiln_open_options *options, kiln_file **out)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status (*volatile run)(const void *, size_t, const kiln_open_options *, kiln_file **) =
        open_bytes;
    const kiln_status status = run(data, size, options, out);
    kiln_fpu_leave(caller);
    return status;
}

bool kiln_opening_options_are_sound(const kiln_open_options *options)
{
    const uint32_t known = KILN_OPEN_TRUSTED | KILN_OPEN_NO_SOURCE | KILN_OPEN_NO_COUNTS;
    return (options->flags & ~known) == 0 &&
           (options->allocator.allocate == NULL) == (options->allocator.release == NULL);
}

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

kiln_status kiln_opening_map(const char *path, void **map, size_t *size)
{
    switch (kiln_os_map(path, map, size)) {
    case KILN_OS_OK:
        return KILN_OK;
    case KILN_OS_NOT_FOUND:
        return KILN_ERROR_NOT_FOUND;
    case KILN_OS_NOT_A_FILE:
        return KILN_ERROR_NOT_A_FILE;
    case KILN_OS_MEMORY:
        return KILN_ERROR_MEMORY;
    default:
        return KILN_ERROR_IO;
    }
}

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
    static const char nothing[1] = "";
    status = open_in_environment(map != NULL ? map : nothing, size, &full, out);
    if (status == KILN_OK) {
        (*out)->map = map;
        (*out)->map_size = size;
    } else {
        kiln_os_unmap(map, size);
    }
    return status;
}

void kiln_close(kiln_file *file)
{
    if (file == NULL) {
        return;
    }
    const kiln_reader_allocator allocator = file->allocator;
    kiln_arriving_release(file);
    kiln_reader_close(&file->reader);
    kiln_os_unmap(file->map, file->map_size);
    allocator.release(allocator.user, file, file->size);
}
