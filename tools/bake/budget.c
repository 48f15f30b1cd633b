/* The limit of memory of one bake: what trees and file will need, by counts, and what the process
 * takes, by /proc.
 *
 * The need is an upper estimate of three peaks, of which the greatest counts: building the trees
 * of one kind after another, counting cells, and writing the file. Constants are sizes of the
 * structs that these stages keep for each triangle or node, not measurements, so they hold on
 * every machine; tests/unit/test_memory.c compares the sum with what bakes really take. */
#include "budget.h"

#include "../../formats/assert.h"
#include "../../formats/node_kinds.h"
#include "../common/memory.h"
#include "../tree/builders.h"
#include "../tree/octree.h"
#include "../tree/spheres.h"

#include <string.h>

/* Bytes of one triangle while its tree is built: record, binary node, marks or slot. */
enum {
    BUILD_TRIANGLE = 40 + 16 + 4,
    FITTED_BOX = 64,
    PLAN = 100 /* lanes of a wide node, until it is encoded */
};

/* What a thread has on its stack and in its block while it packs. */
#define THREAD_BYTES ((uint64_t)1280 << 10)

void kiln_budget_start(kiln_budget *budget, uint64_t limit)
{
    *budget = (kiln_budget){.limit = limit, .before = limit != 0 ? kiln_resident() : 0};
}

bool kiln_budget_possible(const kiln_budget *budget)
{
    return budget->limit == 0 || budget->limit > KILN_BUDGET_LEAST;
}

/* Sanitizers take many times what the program does, so under them nothing is over. */
bool kiln_budget_holds(kiln_budget *budget)
{
    if (budget->limit == 0) {
        return true;
    }
    const uint64_t now = kiln_resident();
    const uint64_t taken = now > budget->before ? now - budget->before : 0;
    budget->most = taken > budget->most ? taken : budget->most;
    budget->over = budget->over || (taken > budget->limit && !KILN_HAVE_SHADOW_MEMORY);
    return !budget->over;
}

/* Nodes that a tree of so many triangles has at least, or nearly so: leaves are two thirds full, a
 * wide node replaces seven others. */
static uint64_t nodes_of(const kiln_build_kind *kind, uint64_t triangles, int leaf)
{
    KILN_ASSERT(leaf > 0);
    const uint64_t leaves = leaf > 1 ? triangles * 5 / (4 * (uint64_t)leaf) : triangles;
    return kind->lanes == 2 ? leaves : leaves / 7; /* trees of two lanes are not collapsed */
}

/* The need is a maximum of peaks, not their sum: they do not occur together. */
static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The greatest of three peaks: while the tree of one kind is built beside the results of those
 * before it, while cells are counted, and while sections and file are made. */
uint64_t kiln_budget_need(const kiln_budget_load *load, const kiln_bake_options *options)
{
    KILN_ASSERT(load->largest <= load->soup->triangle_count);
    KILN_ASSERT(load->kind_count > 0);
    const uint64_t triangles = load->soup->triangle_count, vertices = load->soup->vertex_count;
    /* Of the soup: indices, face, user. */
    const uint64_t soup = 12 * vertices + (12 + 4 + 4 + (load->lists ? 4u : 0u)) * triangles;
    const kiln_builder *builder = kiln_builder_find(options->builder);
    KILN_ASSERT(builder != NULL);
    const bool fitted =
        options->fit_to != KILN_FIT_TO_GEOMETRY || options->box_fit != KILN_BOX_FIT_SEARCH;
    const uint64_t triangle = BUILD_TRIANGLE + builder->spare + (fitted ? FITTED_BOX : 0);
    uint64_t results = 0, largest = 0, building = 0, orders = 0, nodes = 0, boxes = 0;
    for (uint32_t k = 0; k < load->kind_count; k++) {
        const kiln_build_kind *kind = load->kinds[k];
        const uint64_t of_largest = nodes_of(kind, load->largest, options->leaf);
        const bool is_balls = kiln_node_kind_find(kind->format_bv)->balls;
        const uint64_t balls = is_balls ? kiln_spheres_spare(options->spheres, options->leaf) : 0;
        const uint64_t cells =
            kind->format_bv == KILN_FORMAT_BV_OCTREE ? kiln_octree_spare(options->leaf) : 0;
        building = greater(building, results + load->largest * (triangle + balls + cells) +
                                         of_largest * (PLAN + kind->node_size));
        /* The result of a kind: nodes, order, and a count for each lane of each node. */
        const uint64_t count = nodes_of(kind, triangles, options->leaf);
        const uint64_t kind_nodes = count * kind->node_size;
        const uint64_t kind_boxes =
            load->counted ? kind->lanes * count * sizeof(kiln_format_adb_box) : 0;
        const uint64_t result = kind_nodes + triangles * sizeof(uint32_t) + kind_boxes;
        results += result;
        largest = greater(largest, result);
        boxes += kind_boxes;
        nodes += kind_nodes;
        orders += k > 0 ? 4 * triangles : 0;
    }
    const uint64_t counting = load->counted ? results + load->largest * (36 + 72 + 8) : 0;
    /* Triangles and their ids, vertices, nodes once more; then the file: a raw one is of the same
     * bytes, a packed one takes two fifths, in blocks and whole. */
    const uint64_t sections = (12 + 4) * triangles + 12 * vertices + nodes + orders + boxes;
    const uint64_t file = options->layout == KILN_LAYOUT_RAW ? sections : sections / 5 * 4;
    const uint64_t writing = sections + 4 * triangles + 4 * vertices + greater(largest, file);
    return soup + greater(greater(building, counting), writing) + KILN_BUDGET_LEAST;
}

/* A thread that there is no room for is not started; the calling one always works. */
unsigned kiln_budget_threads(const kiln_budget *budget, uint64_t need, unsigned wanted)
{
    KILN_ASSERT(wanted > 0);
    const uint64_t room = budget->limit > need ? (budget->limit - need) / THREAD_BYTES : 0;
    if (budget->limit == 0 || room >= wanted) {
        return wanted;
    }
    return room > 1 ? (unsigned)room : 1;
}
