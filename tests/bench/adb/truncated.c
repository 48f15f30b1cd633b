/* The null baseline: an exact tree that is cut off where few triangles are below a box, each such
 * box being taken for a triangle. Nodes that are left keep their boxes and their order, and
 * siblings stay neighbours, so that the truncated tree is a file like any other and the runtime's
 * own walk answers over it. One triangle of those below stands for each leaf, since a leaf has to
 * hold one. */
#include "truncated.h"

#include "../../../formats/assert.h"
#include "../../../formats/node_kinds.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const kiln_node_kind *kind;
    const kiln_build_tree *from;
    uint32_t leaf;
    uint32_t *below; /* triangles below each node of `from` */
    uint32_t *place; /* of a node of `from` that is left: its place */
    uint32_t *depth; /* how many nodes are on the way to it */
    kiln_build_tree to;
} cutting;

static const kiln_format_node8 *node_of(const cutting *c, uint32_t index)
{
    return kiln_node_at(c->from->nodes, c->from->node_size, index);
}

/* The slot in `from` of some triangle below a node. */
static uint32_t any_slot(const cutting *c, uint32_t index)
{
    for (;;) {
        const kiln_format_node8 *node = node_of(c, index);
        const unsigned lane = (unsigned)__builtin_ctz(kiln_node8_used(node));
        if ((node->inner >> lane & 1) == 0) {
            return kiln_node8_slot(node, lane);
        }
        index = kiln_node8_child(node, lane);
    }
}

/* Does a node stay, as more triangles are below it than a leaf stands for? */
static bool is_left(const cutting *c, uint32_t index)
{
    return index == 0 || c->below[index] > c->leaf;
}

/* Node `index`: lanes become leaves where few triangles are below. */
static void cut_node(cutting *c, uint32_t index)
{
    const kiln_format_node8 *given = node_of(c, index);
    kiln_format_node8 *node =
        (void *)((uint8_t *)c->to.nodes + (size_t)c->place[index] * c->from->node_size);
    memcpy(node, given, c->from->node_size);
    node->child = 0;
    node->tri = c->to.triangle_count;
    for (unsigned lane = 0; lane < c->kind->lanes; lane++) {
        uint32_t slot = kiln_node8_slot(given, lane);
        if ((given->inner >> lane & 1) != 0) {
            const uint32_t child = kiln_node8_child(given, lane);
            if (is_left(c, child)) {
                node->child = node->child == 0 ? c->place[child] : node->child;
                continue;
            }
            node->inner = (uint8_t)(node->inner & ~(1u << lane));
            const uint32_t counts = kiln_node8_counts(node) & ~(15u << 4u * lane);
            const uint32_t with_one = counts | 1u << 4u * lane;
            memcpy(node->count, &with_one, sizeof with_one);
            slot = any_slot(c, child);
        } else if (kiln_node8_count(given, lane) == 0) {
            continue;
        }
        KILN_ASSERT(slot < c->from->triangle_count);
        c->to.order[c->to.triangle_count++] = c->from->order[slot];
    }
}

static bool cut(cutting *c)
{
    const size_t nodes = c->from->node_count;
    c->to = *c->from;
    c->to.nodes = malloc(nodes * c->from->node_size);
    c->to.order = malloc(c->from->triangle_count * sizeof *c->to.order);
    c->below = malloc(nodes * sizeof *c->below);
    c->place = malloc(nodes * sizeof *c->place);
    c->depth = malloc(nodes * sizeof *c->depth);
    if (c->to.nodes == NULL || c->to.order == NULL || c->below == NULL || c->place == NULL ||
        c->depth == NULL) {
        return false;
    }
    /* How many triangles are below each node: children lie after their parents. */
    for (uint32_t i = c->from->node_count; i-- > 0;) {
        const kiln_format_node8 *node = node_of(c, i);
        c->below[i] = 0;
        for (unsigned lane = 0; lane < c->kind->lanes; lane++) {
            c->below[i] += (node->inner >> lane & 1) != 0 ? c->below[kiln_node8_child(node, lane)]
                                                          : kiln_node8_count(node, lane);
        }
    }
    /* Where the nodes that are left go, and how deep the deepest of them is. */
    c->to.node_count = 0;
    c->to.depth = c->depth[0] = 1;
    for (uint32_t i = 0; i < c->from->node_count; i++) {
        if (!is_left(c, i)) {
            continue;
        }
        c->place[i] = c->to.node_count++;
        c->to.depth = c->depth[i] > c->to.depth ? c->depth[i] : c->to.depth;
        const kiln_format_node8 *node = node_of(c, i);
        for (uint32_t k = 0; k < kiln_popcount8(node->inner); k++) {
            KILN_ASSERT(node->child + k > i);
            KILN_ASSERT(node->child + k < c->from->node_count);
            c->depth[node->child + k] = c->depth[i] + 1;
        }
    }
    c->to.triangle_count = 0;
    for (uint32_t i = 0; i < c->from->node_count; i++) {
        if (is_left(c, i)) {
            cut_node(c, i);
        }
    }
    c->to.slot_count = c->to.triangle_count;
    return true;
}

/* The triangles that are left, in the order of the slots. */
static bool keep_triangles(const bench_mesh *mesh, kiln_build_tree *tree, bench_mesh *kept)
{
    *kept = *mesh;
    kept->triangle_count = tree->slot_count = tree->triangle_count;
    kept->indices = malloc(3 * sizeof(uint32_t) * tree->triangle_count);
    if (kept->indices == NULL) {
        return false;
    }
    for (uint32_t slot = 0; slot < tree->triangle_count; slot++) {
        memcpy(kept->indices + 3 * (size_t)slot, mesh->indices + 3 * (size_t)tree->order[slot],
               3 * sizeof(uint32_t));
        tree->order[slot] = slot;
    }
    return true;
}

kiln_status truncated_bake(const bench_mesh *mesh, const char *bv, uint32_t leaf, bench_file *file)
{
    const kiln_build_kind *kind = kiln_build_kind_find(bv);
    const kiln_build_input input = {mesh->positions, mesh->indices, NULL, mesh->triangle_count};
    kiln_bake_options options = kiln_bake_options_default();
    kiln_build_tree whole;
    bench_mesh kept = {NULL, NULL, 0, 0, NULL};
    kiln_status status = KILN_ERROR_MEMORY;
    void *data;
    size_t size;
    options.leaf = 1;
    memset(file, 0, sizeof *file);
    if (kind == NULL || kiln_build(kind, &input, &options, &whole) != KILN_BAKE_OK) {
        return KILN_ERROR_MEMORY;
    }
    cutting c = {.kind = kiln_node_kind_find(kind->format_bv), .from = &whole, .leaf = leaf};
    if (cut(&c) && keep_triangles(mesh, &c.to, &kept) &&
        bench_bake_tree(&kept, kind, &c.to, &data, &size) == KILN_BAKE_OK) {
        status = bench_file_open(data, size, NULL, file);
    }
    free(kept.indices);
    free(c.to.nodes);
    free(c.to.order);
    free(c.below);
    free(c.place);
    free(c.depth);
    kiln_build_tree_free(&whole);
    return status;
}
