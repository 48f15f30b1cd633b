/* How directions of k-DOPs of two trees bound each other, once a query. */
#ifndef KILN_DOP_MAP_H
#define KILN_DOP_MAP_H

#include "../kernel/kernel.h"
#include "../pose/pose.h"

/* Of kinds that are both k-DOPs. Two that are both boxes are better tested as such: along the axes
 * of edges, too. */
static inline bool kiln_dops_are_realigned(const kiln_node_kind *x, const kiln_node_kind *y)
{
    return x->dop != NULL && y->dop != NULL && (x->dop->slabs > 0 || y->dop->slabs > 0);
}

/* Into map[1] for nodes of X, into map[0] for those of Y. Both trees are of k-DOPs, and the frame
 * has its maps. */
void kiln_dop_maps_form(const kiln_pair_frame *frame, kiln_dop_map map[2]);

#endif
