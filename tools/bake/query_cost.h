/* What queries of a kind of tree cost: F = Nu Cu + Nv Cv + Np Cp (S. Gottschalk, M. Lin and
 * D. Manocha, "OBBTree", 1996) with counts of kiln_collide_work, and M = Ni Si + Nl Sl. */
#ifndef KILN_QUERY_COST_H
#define KILN_QUERY_COST_H

#include "../../formats/check.h"
#include "../../runtime/kiln.h"

/* Nanoseconds. */
typedef struct {
    double update;   /* Cu: of a node, whose volumes are decoded when it is opened */
    double test;     /* Cv: of a pair of volumes */
    double triangle; /* Cp: of a pair of triangles */
    double query;    /* of a query, whatever it meets */
} kiln_unit_costs;

/* F of the sums over `queries` queries, in nanoseconds. */
double kiln_query_cost(const kiln_unit_costs *unit, const kiln_work *work, size_t queries);

/* M of a tree: nodes and what its leaves take beyond the lanes of the nodes in which they are,
 * which is the numbers of their triangles where the tree is not the one that triangles are stored
 * in the order of. */
typedef struct {
    uint64_t inner, inner_size; /* Ni, Si */
    uint64_t leaves;            /* Nl */
    double leaf_size;           /* Sl, in the mean */
    uint64_t bytes;
} kiln_tree_memory;

kiln_tree_memory kiln_tree_memory_of(const kiln_view_tree *tree);

/* How each of `count` queries was: what it did, and its time in nanoseconds. */
typedef struct {
    kiln_work work;
    double time;
} kiln_timed_query;

/* The unit costs, none of them negative, that explain the times best, `update` being given: it was
 * measured alone, since a node is opened for each few tests, so that times can't tell the two
 * apart. A difference counts by its part of the time. False: there are no queries. */
bool kiln_unit_costs_fit(const kiln_timed_query queries[], size_t count, double update,
                         kiln_unit_costs *out);

#endif
