/* What the library reports without a query: texts of statuses and its version, the trees and
 * the meta data of a file, where a triangle comes from. All of it is read from the view that
 * the verifier made (formats/check.h), and none of it allocates. */
#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/tree.h"

#include <string.h>

/* Callers may pass the NULL of a failed opening: it is a file without trees. */
uint32_t kiln_file_tree_count(const kiln_file *file)
{
    return file != NULL ? file->tree_count : 0;
}

/* The tree belongs to the file and lives as long. NULL for an index beyond the last, so that a
 * loop over trees needs no count. */
const kiln_tree *kiln_file_tree(const kiln_file *file, uint32_t index)
{
    return file != NULL && index < file->tree_count ? &file->trees[index] : NULL;
}

static const char *string_at(const kiln_file *file, uint32_t offset)
{
    KILN_ASSERT(file->view.strings != NULL);
    KILN_ASSERT(offset < file->view.strings_size);
    return file->view.strings + offset;
}

/* The first tree that fits; a name of NULL and a kind of 0 fit every tree. */
const kiln_tree *kiln_file_find(const kiln_file *file, const char *name, unsigned bv)
{
    for (uint32_t i = 0; i < kiln_file_tree_count(file); i++) {
        const kiln_tree *tree = &file->trees[i];
        if ((bv == 0 || tree->view.kind->bv == bv) &&
            (name == NULL || strcmp(string_at(file, tree->view.entry->name), name) == 0)) {
            return tree;
        }
    }
    return NULL;
}

/* The document is not terminated by a zero, since it is a section of the file where it lies. */
const char *kiln_file_meta(const kiln_file *file, size_t *size)
{
    if (file == NULL || file->view.meta == NULL) {
        return NULL;
    }
    if (size != NULL) {
        *size = (size_t)file->view.meta_size;
    }
    return file->view.meta;
}

/* A tree of a file that is arriving may get its polygons later, if the file has any. */
kiln_status kiln_tree_lack(const kiln_tree *tree)
{
    const kiln_reader *reader = &tree->file->reader;
    const uint32_t index = kiln_reader_find(reader, KILN_SECTION_TRIANGLES, 0);
    return tree->part != NULL && reader->sections[index].count > 0 ? KILN_ERROR_PARTIAL
                                                                   : KILN_ERROR_NOT_LOADED;
}

/* All of it is copied from the directory of trees, so that it is known before any node is. */
kiln_tree_info kiln_tree_get_info(const kiln_tree *tree)
{
    kiln_tree_info info;
    memset(&info, 0, sizeof info);
    if (tree == NULL) {
        return info;
    }
    const kiln_format_tree *entry = tree->view.entry;
    info.name = string_at(tree->file, entry->name);
    info.bv_name = tree->view.kind->name;
    info.bv = (kiln_bv)tree->view.kind->bv;
    info.triangle_count = entry->triangle_count;
    info.node_count = entry->node_count;
    info.node_size = tree->view.kind->node_size;
    info.depth = entry->depth;
    info.leaf_max = entry->leaf_max;
    info.adb_grid = tree->view.adb != NULL ? tree->view.adb->grid : 0;
    info.closed = (kiln_mesh_closed)entry->closed;
    info.polygons = kiln_tree_has_polygons(tree) || kiln_tree_lack(tree) == KILN_ERROR_PARTIAL;
    memcpy(info.bounds_lower, entry->bounds_lower, sizeof info.bounds_lower);
    memcpy(info.bounds_upper, entry->bounds_upper, sizeof info.bounds_upper);
    memcpy(info.geometry_hash, entry->geometry_hash, sizeof info.geometry_hash);
    return info;
}

/* The part whose range holds the id: parts tile the ids in order. */
static const kiln_format_part *part_of(const kiln_view *view, uint32_t triangle)
{
    uint32_t lower = 0, upper = view->part_count;
    KILN_ASSERT(view->part_count > 0);
    KILN_ASSERT(triangle < view->triangle_count);
    /* Invariant: part `lower` starts at the triangle or before it, part `upper` after it. Of parts
     * that start at the same id all but the last are empty, and the last is found. */
    while (upper - lower > 1) {
        const uint32_t middle = lower + (upper - lower) / 2;
        if (view->parts[middle].triangle_first <= triangle) {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    KILN_ASSERT(lower < view->part_count);
    return &view->parts[lower];
}

/* Strings are returned where they lie in the file: they live as long as it does. */
kiln_status kiln_tree_source(const kiln_tree *tree, uint32_t triangle, kiln_source *out)
{
    if (tree == NULL || out == NULL || triangle >= tree->file->view.triangle_count) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_view *view = &tree->file->view;
    if (view->parts == NULL || !kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    if (!kiln_view_stores(view, triangle)) { /* a hole of a height field */
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_format_part *part = part_of(view, triangle);
    memset(out, 0, sizeof *out);
    out->triangle = triangle;
    out->face = kiln_view_face(view, part, triangle);
    out->user = kiln_view_user(view, part, triangle);
    out->mesh = part->mesh;
    out->primitive = part->primitive;
    out->node_path = string_at(tree->file, part->node_path);
    out->mesh_name = string_at(tree->file, part->mesh_name);
    out->material =
        out->user < view->material_count ? string_at(tree->file, view->materials[out->user]) : "";
    return KILN_OK;
}

/* Vertices of a height field are computed, in the environment of queries. */
static void copy_corners(const kiln_tree *tree, uint32_t stored, float corners[3][3])
{
    for (unsigned i = 0; i < 3; i++) {
        float room[3];
        memcpy(corners[i], kiln_tree_vertex(tree, stored, i, room), sizeof corners[i]);
    }
}

/* Triangles are stored in the order of the tree, and ids are those of the source: finding one takes
 * a pass over all ids. It is for reports, not for loops. */
kiln_status kiln_tree_corners(const kiln_tree *tree, uint32_t triangle, float corners[3][3])
{
    if (tree == NULL || corners == NULL || triangle >= tree->file->view.triangle_count) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_view *view = &tree->file->view;
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    uint32_t stored = 0; /* with this id; none where a damaged file has it twice */
    if (view->heights != NULL) {
        stored = kiln_tree_stores(tree, triangle) ? triangle : view->triangle_count;
    }
    while (view->heights == NULL && stored < view->triangle_count &&
           view->ids[stored] != triangle) {
        stored++;
    }
    if (stored == view->triangle_count) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, copy_corners);
    run(tree, stored, corners);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

/* User values are stored for each triangle, or once for a part where all of it has the same. */
uint32_t kiln_tree_user(const kiln_tree *tree, uint32_t triangle)
{
    if (tree == NULL || triangle >= tree->file->view.triangle_count) {
        return 0;
    }
    const kiln_view *view = &tree->file->view;
    if (view->user != NULL) {
        return view->user[triangle];
    }
    return view->parts != NULL ? part_of(view, triangle)->user : 0;
}

/* ------------------------------------------------------------------------------- the library -- */

/* The switch has no default, so that the compiler reports a status without a text. */
const char *kiln_status_text(kiln_status status)
{
    switch (status) {
#define KILN_STATUS_CASE(name, value, text)                                                        \
    case name:                                                                                     \
        return text;
        KILN_STATUS_LIST(KILN_STATUS_CASE)
#undef KILN_STATUS_CASE
    }
    return "unknown status";
}

const char *kiln_version(void)
{
    return KILN_VERSION_STRING;
}
