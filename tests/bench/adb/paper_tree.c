/* Trees as the published query walks them, copied from the sections of a file.
 *
 * The paper's node holds the box, a count and a pointer to the children; a file has them in
 * separate sections, in a form that is made for the runtime's own queries. To measure the published
 * query fairly, its nodes are gathered once into an array of their own: box 0 is the whole tree's,
 * and lane l of node n is box 1 + 2 n + l, as in a file. */
#include "paper_tree.h"

#include "../../../formats/assert.h"
#include "../../../formats/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void take_counts(const kiln_paper_tree *tree, const kiln_format_adb *how,
                        const kiln_format_adb_box *counts, kiln_paper_box *box)
{
    const uint32_t unit = kiln_adb_unit(how);
    box->level = counts->lb;
    box->depth = counts->depth;
    for (uint32_t i = 0; i < tree->region_count; i++) {
        const uint32_t cells = counts->count[i] * unit;
        box->region[i] = (uint16_t)(cells < tree->region_cells[i] ? cells : tree->region_cells[i]);
    }
}

static void measure_box(kiln_paper_box *box)
{
    double half[3];
    for (int k = 0; k < 3; k++) {
        half[k] = (double)box->half[k];
    }
    kiln_paper_thicken(half, KILN_PAPER_POINT);
    box->volume = (float)kiln_paper_box_volume(half);
}

static void take_lane(const kiln_view_tree *from, uint32_t index, unsigned lane,
                      kiln_paper_tree *tree)
{
    const kiln_format_node8 *node = kiln_view_tree_node(from, index);
    const uint32_t number = 1 + 2 * index + lane;
    KILN_ASSERT(number < tree->box_count);
    kiln_paper_box *box = &tree->boxes[number];
    kiln_lane_box decoded;
    from->kind->decode_lane(node, lane, &decoded);
    double centre[3];
    kiln_lane_box_centre(&decoded, node->org, centre);
    for (int k = 0; k < 3; k++) {
        box->centre[k] = (float)centre[k];
        box->half[k] = decoded.half[k];
    }
    if (tree->axes != NULL) {
        memcpy(tree->axes[number], decoded.axis, sizeof decoded.axis);
    }
    if ((node->inner >> lane & 1) != 0) {
        const uint32_t child = kiln_node8_child(node, lane);
        box->children = 1 + 2 * child;
        box->used = (uint8_t)kiln_node8_used(kiln_view_tree_node(from, child));
    }
    measure_box(box);
    take_counts(tree, from->adb, &from->boxes[number], box);
    tree->depth_max = box->depth > tree->depth_max ? box->depth : tree->depth_max;
}

static bool copy_tree(const kiln_view_tree *from, kiln_paper_tree *tree)
{
    const uint32_t nodes = from->entry->node_count;
    tree->box_count = 1 + 2 * nodes;
    tree->boxes = calloc(tree->box_count, sizeof *tree->boxes);
    tree->axes = from->kind->aligned ? NULL : calloc(tree->box_count, sizeof *tree->axes);
    if (tree->boxes == NULL || (tree->axes == NULL && !from->kind->aligned)) {
        return false;
    }
    memcpy(tree->origin, from->entry->origin, sizeof tree->origin);
    tree->scale = ldexp(1, from->entry->scale_exponent);
    tree->region_count = kiln_adb_region_count(from->adb);
    tree->cells = (uint32_t)from->adb->grid * from->adb->grid * from->adb->grid;
    kiln_adb_region_cells(from->adb, tree->region_cells);
    /* The box of the whole tree; half-extents are rounded up where they are no floats. */
    kiln_paper_box *root = &tree->boxes[0];
    for (int k = 0; k < 3; k++) {
        const double origin = tree->origin[k];
        const double lower = ((double)from->entry->bounds_lower[k] - origin) / tree->scale;
        const double upper = ((double)from->entry->bounds_upper[k] - origin) / tree->scale;
        root->centre[k] = (float)(0.5 * (lower + upper));
        root->half[k] = nextafterf((float)(0.5 * (upper - lower)), HUGE_VALF);
        if (tree->axes != NULL) {
            tree->axes[0][k][k] = 1;
        }
    }
    root->children = 1;
    root->used = (uint8_t)kiln_node8_used(kiln_view_tree_node(from, 0));
    measure_box(root);
    take_counts(tree, from->adb, &from->boxes[0], root);
    for (uint32_t i = 0; i < nodes; i++) {
        const unsigned used = kiln_node8_used(kiln_view_tree_node(from, i));
        for (unsigned lane = 0; lane < 2; lane++) {
            if ((used >> lane & 1) != 0) {
                take_lane(from, i, lane, tree);
            }
        }
    }
    return true;
}

static bool find_tree(const kiln_view *view, kiln_bv bv, const char *name, kiln_view_tree *found)
{
    for (uint32_t i = 0; i < view->tree_count; i++) {
        *found = kiln_view_get_tree(view, i);
        if (found->entry->bv == (uint16_t)bv &&
            (name == NULL || strcmp(name, view->strings + found->entry->name) == 0)) {
            return found->adb != NULL;
        }
    }
    return false;
}

kiln_status kiln_paper_tree_open(const void *data, size_t size, kiln_bv bv, const char *name,
                                 kiln_paper_tree **out)
{
    if (out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    *out = NULL;
    if (data == NULL || (bv != KILN_BV_AABB2 && bv != KILN_BV_OBB2)) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_paper_tree *tree = calloc(1, sizeof *tree);
    if (tree == NULL) {
        return KILN_ERROR_MEMORY;
    }
    kiln_open_options options = kiln_open_options_default();
    options.bv_mask = 1u << bv;
    kiln_status status = kiln_open_memory(data, size, &options, &tree->file);
    if (status != KILN_OK) {
        goto failed;
    }
    status = KILN_ERROR_NOT_LOADED;
    tree->tree = kiln_file_find(tree->file, name, bv);
    if (tree->tree == NULL) {
        goto failed;
    }
    /* The same bytes once more, as sections: they were verified when the file was opened. */
    kiln_reader reader;
    kiln_view view;
    kiln_view_tree from;
    kiln_format_error error;
    if (!kiln_reader_open(&reader, data, size, NULL, &error)) {
        status = KILN_ERROR_MEMORY;
        goto failed;
    }
    if (kiln_view_open(&view, &reader, false, &error) && find_tree(&view, bv, name, &from)) {
        status = copy_tree(&from, tree) ? KILN_OK : KILN_ERROR_MEMORY;
    }
    kiln_reader_close(&reader);
    if (status != KILN_OK) {
        goto failed;
    }
    *out = tree;
    return KILN_OK;
failed:
    kiln_paper_tree_close(tree);
    return status;
}

void kiln_paper_tree_close(kiln_paper_tree *tree)
{
    if (tree == NULL) {
        return;
    }
    kiln_close(tree->file);
    free(tree->boxes);
    free(tree->axes);
    free(tree);
}
