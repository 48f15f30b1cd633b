/* The cost of a tree by the surface-area heuristic (J. Goldsmith and J. Salmon, "Automatic
 * creation of object hierarchies for ray tracing", 1987), from the boxes that the file stores. */
#include "tree_cost.h"

#include "../../formats/assert.h"

#include <math.h>

static const kiln_format_node8 *node_at(const kiln_cost_tree *tree, uint32_t index)
{
    KILN_ASSERT(index < tree->count);
    return kiln_node_at(tree->nodes, tree->node_size, index);
}

/* Half the surface over four of a lane's box, which all areas here are. */
static double lane_area(const kiln_cost_tree *tree, const kiln_format_node8 *node, unsigned lane)
{
    KILN_ASSERT(lane < KILN_NODE_WIDTH);
    kiln_lane_box box;
    tree->decode(node, lane, &box);
    const double a = (double)box.half[0], b = (double)box.half[1], c = (double)box.half[2];
    return (a * b + b * c) + c * a;
}

double kiln_tree_cost(const kiln_cost_tree *tree)
{
    KILN_ASSERT(tree->count > 0);
    /* Of the bounds, in node space, as lane_area. */
    const float *l = tree->lower, *u = tree->upper;
    const double scale = ldexp(0.5, -tree->scale_exponent);
    const double a = ((double)u[0] - (double)l[0]) * scale;
    const double b = ((double)u[1] - (double)l[1]) * scale;
    const double c = ((double)u[2] - (double)l[2]) * scale;
    const double whole = (a * b + b * c) + c * a;
    double cost = 0;
    for (uint32_t i = 0; i < tree->count; i++) {
        const kiln_format_node8 *node = node_at(tree, i);
        for (unsigned lane = 0; lane < 8; lane++) {
            const unsigned tests =
                (node->inner >> lane & 1u) != 0
                    ? kiln_popcount8(kiln_node8_used(node_at(tree, kiln_node8_child(node, lane))))
                    : kiln_node8_count(node, lane);
            const double area = tests != 0 ? lane_area(tree, node, lane) : 0;
            cost += (double)tests * (whole > 0 ? fmin(area / whole, 1) : 1);
        }
    }
    return cost + (double)kiln_popcount8(kiln_node8_used(node_at(tree, 0)));
}
