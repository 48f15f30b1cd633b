/* Between which lanes of an octree triangles may meet that no leaf has both of: section OCTP. */
#ifndef KILN_ENCODE_LANE_PAIRS_H
#define KILN_ENCODE_LANE_PAIRS_H

#include "../../formats/check.h"
#include "../common/parallel.h"

/* Sets pairs[n] for each node n of an octree, whose triangles have corners in `vertices`, on the
 * calling thread, which reports to `watch`. False: that cancelled. */
bool kiln_lane_pairs_find(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, const kiln_watch *watch, uint32_t *pairs);

/* Is no pair of lanes left out of tree->lane_pairs? If one is, or is not found to be none in as
 * many steps as a search may take: in which node. What kiln_lane_pairs_find sets has none left out.
 * `work` has room for a number a node. */
bool kiln_lane_pairs_hold(const kiln_view_tree *tree, const uint32_t *triangles,
                          const float *vertices, uint32_t *work, uint32_t *node);

#endif
