/* What a tree costs a query by the surface-area heuristic, from its boxes as they are stored. */
#ifndef KILN_TREE_COST_H
#define KILN_TREE_COST_H

#include "../../formats/nodes.h"

typedef struct {
    const void *nodes; /* count of them, each of node_size bytes; node 0 is the root */
    uint32_t count, node_size;
    void (*decode)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);
    const float *lower, *upper; /* [3] bounds of the tree, in the model's frame */
    int scale_exponent;         /* of node space */
} kiln_cost_tree;

/* Expected tests: a query that meets a box at random tests its lanes or triangles; it meets a box
 * inside another with the ratio of their surfaces, and the root for certain. */
double kiln_tree_cost(const kiln_cost_tree *tree);

#endif
