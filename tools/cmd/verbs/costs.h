/* Measures what queries of a tree cost, and reports it. */
#ifndef KILN_CMD_COSTS_H
#define KILN_CMD_COSTS_H

#include "../../bake/query_cost.h"
#include "../../bake/zachmann.h"
#include "../../common/levels.h"

#include <jansson.h>

enum { COSTS_DRAWS = 20 };

/* Of one tree. */
typedef struct {
    const char *name; /* of the tree, and of its kind; they live as long as the file */
    const char *bv;
    size_t poses, hits;
    kiln_work work; /* over all poses */
    kiln_unit_costs unit;
    double predicted, measured; /* nanoseconds a query, F and the clock's */
    double residual;            /* mean difference of the two over poses, by the mean time */
    kiln_tree_memory memory;
    uint32_t triangles, depth, leaf;
    kiln_level_measure levels[KILN_TREE_DEPTH_MAX];
} tree_costs;

/* Measures `tree`, which `view` shows the nodes of, against a copy of itself, at `draws` poses for
 * each distance of kiln_zachmann_pairs; each query's time is its least of `rounds`.
 * KILN_ERROR_MEMORY, or KILN_ERROR_NOT_LOADED for a tree without polygons. */
kiln_status tree_costs_measure(const kiln_view *view, uint32_t index, const kiln_tree *tree,
                               unsigned draws, unsigned rounds, tree_costs *out);

/* Prints tables of all: costs, memory and, where `levels` is set, the volumes of each level. Rows
 * of one tree after the other; its name stands above where there are several. */
void tree_costs_print(const tree_costs *all, size_t count, bool levels);

/* One tree's as an object. */
json_t *tree_costs_json(const tree_costs *of);

#endif
