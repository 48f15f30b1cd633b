/* A kiln file of any kind, decoded and verified as when the runtime opens it, with sizes and costs
 * of trees.
 *
 * The bytes of the file are kept beside what was decoded from them, because diff compares both and
 * unpack needs the bytes only. Opening tries the four kinds by their first section; each has its
 * own verifier in formats/, and what passes is safe to read without further checks. */
#include "contents.h"

#include "../kit/files.h"
#include "verbs.h"

#include "../../../formats/assert.h"
#include "../../../formats/sections.h"
#include "../../common/tree_cost.h"
#include "../../encode/container.h"

#include <stdlib.h>
#include <string.h>

int contents_load(contents *of, const char *path)
{
    memset(of, 0, sizeof *of);
    of->path = path;
    return load_file(path, &of->data, &of->size);
}

/* The meta document is optional in every sense: the section may be missing, or hold no JSON. */
bool contents_open_loaded(contents *of, kiln_format_error *error)
{
    KILN_ASSERT(!of->is_open);
    KILN_ASSERT(of->data != NULL);
    if (!kiln_reader_open(&of->reader, of->data, of->size, NULL, error)) {
        return false;
    }
    bool good;
    if (kiln_bins_is_table(&of->reader)) {
        of->kind = CONTENTS_TABLE;
        good = kiln_bins_view_open(&of->table, &of->reader, false, error);
    } else if (kiln_axes_is_set(&of->reader)) {
        of->kind = CONTENTS_AXES;
        good = kiln_axes_view_open(&of->axes, &of->reader, false, error);
    } else if (kiln_weights_is_file(&of->reader)) {
        of->kind = CONTENTS_WEIGHTS;
        good = kiln_weights_file_open(&of->weights, &of->reader, error);
    } else { /* a model, or what is no kind at all: the verifier of models says so */
        of->kind = CONTENTS_MODEL;
        good = kiln_view_open(&of->view, &of->reader, false, error) &&
               (kiln_heights_mesh_make(&of->view, &of->mesh) ||
                kiln_format_error_set(error, KILN_FORMAT_ERROR_MEMORY, 0, "out of memory"));
    }
    if (!good) {
        kiln_reader_close(&of->reader);
        return false;
    }
    of->is_open = true;
    const uint32_t meta = kiln_reader_find(&of->reader, KILN_SECTION_META, 0);
    if (meta != KILN_NO_INDEX) {
        const kiln_reader_section *section = &of->reader.sections[meta];
        of->meta = json_loadb(section->data, (size_t)section->entry.raw_size, 0, NULL);
    }
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

/* May be called again, and before contents_close(). */
void contents_release(contents *of)
{
    json_decref(of->meta);
    of->meta = NULL;
    if (of->is_open) {
        kiln_heights_mesh_free(&of->mesh);
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
    static const char *const names[] = {"model", "table", "weights", "axes"};
    KILN_ASSERT((unsigned)kind < sizeof names / sizeof names[0]);
    return names[kind];
}

/* ---------------------------------------------------------------------------- sizes of trees -- */

/* Costs are those of the stored boxes, which are rounded outward, not of the boxes that were
 * built. */
tree_sizes *tree_sizes_of(const kiln_view *view)
{
    tree_sizes *trees = calloc(view->tree_count, sizeof *trees);
    if (trees == NULL) {
        return NULL;
    }
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        /* The trees of one kind are packed together, so that a tree's own packed size does not
         * exist; its part of the nodes stands for it. */
        const kiln_node_kind *kind = &kiln_node_kinds[i];
        const uint32_t index = kiln_reader_find(view->reader, kind->section, 0);
        if (index == KILN_NO_INDEX || view->reader->sections[index].count == 0) {
            continue;
        }

        /* The bytes of the node section in the file, or those it would have if it were packed: a
         * raw section is packed once for that, so that both layouts of a bake show the same
         * numbers. */
        const kiln_reader_section *section = &view->reader->sections[index];
        uint64_t stored_size = section->entry.stored_size;
        if (section->entry.codec == KILN_CODEC_RAW) {
            const kiln_section_input input = {.kind = section->entry.kind,
                                              .data = section->data,
                                              .size = section->entry.raw_size};
            const kiln_watch watch = {.threads = kiln_thread_count(0)};
            const uint8_t no_key[16] = {0};
            void *file = NULL;
            size_t file_size = 0;
            stored_size = section->entry.raw_size; /* stays so without memory */
            (void)kiln_container_write(&input, 1, KILN_LAYOUT_PACKED, 0, no_key, &watch, &file,
                                       &file_size, &stored_size);
            free(file);
        }
        const double packed = (double)stored_size;
        const double nodes = (double)view->reader->sections[index].count;
        KILN_ASSERT(nodes > 0);
        for (uint32_t t = 0; t < view->tree_count; t++) {
            const kiln_format_tree *entry = &view->trees[t];
            KILN_ASSERT(entry->node_count > 0);
            if (entry->bv == kind->bv) {
                trees[t].bytes_raw = (uint64_t)entry->node_count * kind->node_size;
                trees[t].bytes_packed = (uint64_t)(packed * (double)entry->node_count / nodes);
            }
        }
    }
    for (uint32_t i = 0; i < view->tree_count; i++) {
        const kiln_view_tree tree = kiln_view_get_tree(view, i);
        const kiln_format_tree *entry = tree.entry;
        const kiln_cost_tree stored = {.nodes = tree.nodes,
                                       .count = entry->node_count,
                                       .node_size = tree.kind->node_size,
                                       .decode = tree.kind->decode_lane,
                                       .lower = entry->bounds_lower,
                                       .upper = entry->bounds_upper,
                                       .scale_exponent = entry->scale_exponent};
        /* The cost is that of a random query against the stored boxes (tools/common/tree_cost.h).
         */
        trees[i].cost = kiln_tree_cost(&stored);
    }
    return trees;
}

/* The layout is no member of the header: a file is packed where any section is. */
bool reader_is_packed(const kiln_reader *reader)
{
    for (uint32_t i = 0; i < reader->section_count; i++) {
        if (reader->sections[i].entry.codec != KILN_CODEC_RAW) {
            return true;
        }
    }
    return false;
}

const char *section_name(const kiln_format_section *entry)
{
    const kiln_section_kind *kind = kiln_section_kind_find(entry->kind);
    return kind != NULL ? kind->name : "unknown";
}
