/* What every opening has in common: options, errors, the sections that are wanted, files of a
 * reader, and closing. open.c opens whole files with it, partial.c files that arrive, and
 * adb_read.c and bins_open.c tables of other kinds. Nothing here runs inside a query. */
#include "opening.h"

#include "../../formats/assert.h"
#include "../../formats/sections.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../base/tree.h"

#include <string.h>

/* formats/ does not know kiln.h; its numbers of errors are those of kiln_status all the same. */
#define SAME_NUMBER(name, number)                                                                  \
    KILN_STATIC_ASSERT((int)KILN_ERROR_##name == (int)KILN_FORMAT_ERROR_##name, #name);
KILN_FORMAT_ERROR_LIST(SAME_NUMBER)
#define SAME_KIND(KIND, kind, name, constant, ...)                                                 \
    KILN_STATIC_ASSERT((int)(constant) == (int)KILN_FORMAT_BV_##KIND, name);
KILN_NODE_KINDS(SAME_KIND, SAME_KIND)

/* Zero is the default of every option, so that a member which is added later has one as well. */
kiln_open_options kiln_open_options_default(void)
{
    kiln_open_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    return options;
}

/* The caller's options, as far as its version of the struct goes; NULL: defaults. */
static kiln_open_options complete_options(const kiln_open_options *options)
{
    kiln_open_options full = kiln_open_options_default();
    kiln_options_take(&full, sizeof full, options);
    return full;
}

/* Flags that are not known are refused, so that they can get a meaning later. An allocator has
 * both of its functions or neither. */
static bool options_are_sound(const kiln_open_options *options)
{
    const uint32_t known =
        KILN_OPEN_TRUSTED | KILN_OPEN_NO_SOURCE | KILN_OPEN_NO_COUNTS | KILN_OPEN_COPY;
    return (options->flags & ~known) == 0 &&
           (options->allocator.allocate == NULL) == (options->allocator.release == NULL);
}

/* The status is returned in any case; a caller that gave room for it gets the text as well. */
kiln_status kiln_opening_report(const kiln_open_options *options,
                                const kiln_format_error *format_error)
{
    KILN_ASSERT(format_error->code != 0);
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

/* Reads with options that are complete and sound. */
static kiln_status read_in_environment(kiln_opening_read read, const void *data, size_t size,
                                       const kiln_open_options *options, void *into)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, read);
    const kiln_status status = run(data, size, options, into);
    kiln_fpu_leave(caller);
    return status;
}

kiln_status kiln_opening_memory(kiln_opening_read read, const void *data, size_t size,
                                const kiln_open_options *options, void *into)
{
    const kiln_open_options full = complete_options(options);
    if (data == NULL || into == NULL || !options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    return read_in_environment(read, data, size, &full, into);
}

static kiln_status map_file(const char *path, void **map, size_t *size)
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

/* On success the map is the caller's, to be kept as long as what was read refers to it; after any
 * failure there is none to unmap. */
kiln_status kiln_opening_disk(kiln_opening_read read, const char *path,
                              const kiln_open_options *options, void *into, void **map,
                              size_t *map_size)
{
    const kiln_open_options full = complete_options(options);
    if (path == NULL || into == NULL || !options_are_sound(&full)) {
        return kiln_opening_report_status(&full, KILN_ERROR_ARGUMENT);
    }
    *map_size = 0;
    kiln_status status = map_file(path, map, map_size);
    if (status != KILN_OK) {
        return kiln_opening_report_status(&full, status);
    }
    /* An empty file has no map; the reader reports that it is no complete file. */
    static const char nothing[1] = "";
    status = read_in_environment(read, *map != NULL ? *map : nothing, *map_size, &full, into);
    if (status != KILN_OK) {
        kiln_os_unmap(*map, *map_size);
    }
    return status;
}

/* formats/ has options of its own, since it does not know kiln.h. */
kiln_reader_options kiln_opening_reader_options(const kiln_open_options *options)
{
    kiln_reader_options reading;
    memset(&reading, 0, sizeof reading);
    reading.trusted = (options->flags & KILN_OPEN_TRUSTED) != 0;
    reading.copies = (options->flags & KILN_OPEN_COPY) != 0;
    reading.memory_limit = options->memory_limit;
    reading.allocator.allocate = options->allocator.allocate;
    reading.allocator.release = options->allocator.release;
    reading.allocator.user = options->allocator.user;
    reading.parallel = options->parallel;
    reading.parallel_user = options->parallel_user;
    return reading;
}

/* Which sections are decoded: kinds of nodes by the mask, sources and counts by the flags. Sections
 * of kinds that this version does not know are passed over. */
bool kiln_opening_wants(void *user, const kiln_reader *reader, uint32_t index)
{
    const kiln_open_options *options = (const kiln_open_options *)user;
    KILN_ASSERT(index < reader->header.section_count);
    const kiln_format_section entry = kiln_reader_entry(reader, index);
    const kiln_section_kind *kind = kiln_section_kind_find(entry.kind);
    if (kind == NULL || (kind->source && (options->flags & KILN_OPEN_NO_SOURCE) != 0) ||
        (entry.kind == KILN_SECTION_ADB_BOXES && (options->flags & KILN_OPEN_NO_COUNTS) != 0)) {
        return false;
    }
    if (entry.kind == KILN_SECTION_SAMPLES && options->bv_mask != 0) {
        return (options->bv_mask >> KILN_BV_AABB & 1) != 0;
    }
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        if (kiln_node_kinds[i].section == entry.kind && options->bv_mask != 0) {
            return (options->bv_mask >> kiln_node_kinds[i].bv & 1) != 0;
        }
    }
    return true;
}

/* A tree whose nodes were not wanted is left out, so that callers see usable trees only. */
void kiln_opening_fill_trees(kiln_file *file)
{
    file->tree_count = 0;
    for (uint32_t i = 0; i < file->view.tree_count; i++) {
        const kiln_view_tree view = kiln_view_get_tree(&file->view, i);
        if (view.nodes == NULL) {
            continue;
        }
        KILN_ASSERT(file->tree_count < file->view.tree_count);
        kiln_tree *tree = &file->trees[file->tree_count++];
        tree->view = view;
        tree->file = file;
        tree->vertices = file->view.vertices;
        tree->triangles = file->view.triangles;
        tree->ids = file->view.ids;
    }
}

/* One allocation for the file and its trees. On success the file owns the reader. */
kiln_status kiln_opening_make_file(kiln_reader *reader, bool trusted, kiln_file **out,
                                   kiln_format_error *format_error)
{
    kiln_view view;
    if (!kiln_view_open(&view, reader, trusted, format_error)) {
        return (kiln_status)format_error->code;
    }
    KILN_ASSERT(view.tree_count > 0);
    const size_t size = sizeof(kiln_file) + view.tree_count * sizeof(kiln_tree);
    kiln_file *file = (kiln_file *)kiln_reader_allocate(reader, 0, size, format_error);
    if (file == NULL) {
        return (kiln_status)format_error->code;
    }
    /* The trees after the file are cleared as well: a tree without parts or counts has NULL there.
     */
    memset(file, 0, size);
    file->size = size;
    file->allocator = reader->allocator;
    file->reader = *reader;
    file->view = view;
    /* The view referred to the caller's reader, which is about to end. */
    file->view.reader = &file->reader;
    kiln_opening_fill_trees(file);
    *out = file;
    return KILN_OK;
}

void kiln_opening_release_arriving(kiln_file *file)
{
    if (file->arriving != NULL) {
        file->allocator.release(file->allocator.user, file->arriving, file->arriving_size);
        file->arriving = NULL;
    }
}

void kiln_close(kiln_file *file)
{
    if (file == NULL) {
        return;
    }
    /* The allocator is stored in the memory that it releases last. */
    const kiln_reader_allocator allocator = file->allocator;
    kiln_opening_release_arriving(file);
    kiln_reader_close(&file->reader);
    kiln_os_unmap(file->map, file->map_size);
    allocator.release(allocator.user, file, file->size);
}
