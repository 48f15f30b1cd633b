/* The table of kinds of trees, and the door to them. */
#include "build.h"
#include "wide8.h"

#include <stdlib.h>
#include <string.h>

const kiln_build_kind kiln_build_kinds[] = {
    {"obb", KILN_FORMAT_BV_OBB8, KILN_SECTION_NODES_OBB8, sizeof(kiln_format_node_obb8),
     kiln_build_obb8},
    {"aabb", KILN_FORMAT_BV_AABB8, KILN_SECTION_NODES_AABB8, sizeof(kiln_format_node_aabb8),
     kiln_build_aabb8},
    {"obb2", KILN_FORMAT_BV_OBB2, KILN_SECTION_NODES_OBB2, sizeof(kiln_format_node_obb2),
     kiln_build_obb2},
    {"aabb2", KILN_FORMAT_BV_AABB2, KILN_SECTION_NODES_AABB2, sizeof(kiln_format_node_aabb2),
     kiln_build_aabb2},
};

const size_t kiln_build_kind_count = sizeof kiln_build_kinds / sizeof kiln_build_kinds[0];

const kiln_build_kind *kiln_build_kind_find(const char *name)
{
    for (size_t i = 0; i < kiln_build_kind_count; i++) {
        if (strcmp(kiln_build_kinds[i].name, name) == 0) {
            return &kiln_build_kinds[i];
        }
    }
    return NULL;
}

kiln_bake_status kiln_build(const kiln_build_kind *kind, const kiln_build_input *input,
                            const kiln_bake_options *options, kiln_build_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    if (input->count == 0 || options->leaf < 1 || options->leaf > (int)KILN_LEAF_TRIANGLES_MAX) {
        return KILN_BAKE_USAGE;
    }
    const kiln_bake_status status = kind->build(kind, input, options, tree);
    if (status != KILN_BAKE_OK) {
        kiln_build_tree_free(tree);
    }
    return status;
}

void kiln_build_tree_drop_nodes(kiln_build_tree *tree)
{
    free(tree->nodes);
    free(tree->order);
    tree->nodes = NULL;
    tree->order = NULL;
}

void kiln_build_tree_drop_boxes(kiln_build_tree *tree)
{
    free(tree->boxes);
    tree->boxes = NULL;
}

void kiln_build_tree_free(kiln_build_tree *tree)
{
    kiln_build_tree_drop_nodes(tree);
    kiln_build_tree_drop_boxes(tree);
    memset(tree, 0, sizeof *tree);
}
