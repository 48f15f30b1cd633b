/* The cost function of bounding-volume trees and its fit to measured times.
 *
 * kiln opens a node against one volume: that volume is carried into the node's space, the node's
 * volumes are decoded, eight at once, and all are tested. Nu counts the nodes, Nv their volumes.
 * As nodes are nearly full, Nv is nearly a multiple of Nu, and no fit of both would mean anything.
 * So Cu is given, from decoding alone; what is left of the times is divided among Nv, Np and the
 * query itself by least squares. The carried volume is thus in Cv. */
#include "query_cost.h"

#include "../common/least_squares.h"

#include <stdlib.h>

double kiln_query_cost(const kiln_unit_costs *unit, const kiln_work *work, size_t queries)
{
    return (unit->update * (double)work->nodes + unit->test * (double)work->volume_pairs) +
           (unit->triangle * (double)work->triangle_pairs + unit->query * (double)queries);
}

kiln_tree_memory kiln_tree_memory_of(const kiln_view_tree *tree)
{
    kiln_tree_memory memory = {.inner = tree->entry->node_count,
                               .inner_size = tree->kind->node_size};
    uint64_t slots = 0;
    for (uint32_t i = 0; i < tree->entry->node_count; i++) {
        const kiln_format_node8 *node = kiln_view_tree_node(tree, i);
        for (unsigned lane = 0; lane < KILN_NODE_WIDTH; lane++) {
            memory.leaves += kiln_node8_count(node, lane) > 0;
            slots += kiln_node8_count(node, lane);
        }
    }
    const uint64_t numbers = tree->order != NULL ? slots * sizeof *tree->order : 0;
    memory.leaf_size = memory.leaves > 0 ? (double)numbers / (double)memory.leaves : 0;
    memory.bytes = memory.inner * memory.inner_size + numbers;
    return memory;
}

bool kiln_unit_costs_fit(const kiln_timed_query queries[], size_t count, double update,
                         kiln_unit_costs *out)
{
    double found[KILN_UNKNOWNS_MAX] = {0};
    kiln_equation *equations = malloc((count + 1) * sizeof *equations);
    for (size_t i = 0; equations != NULL && i < count; i++) {
        const kiln_work *work = &queries[i].work;
        const double time = queries[i].time > 1 ? queries[i].time : 1;
        equations[i] =
            (kiln_equation){.factor = {(double)work->volume_pairs, (double)work->triangle_pairs, 1},
                            .value = time - update * (double)work->nodes,
                            .weight = 1 / time};
    }
    const bool good = equations != NULL && kiln_least_squares(equations, count, 3, found);
    free(equations);
    *out = (kiln_unit_costs){update, found[0], found[1], found[2]};
    return good;
}
