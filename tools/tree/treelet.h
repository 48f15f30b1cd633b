/* Rearranges a binary tree so that the oriented boxes of its inner nodes have less surface. */
#ifndef KILN_BUILD_TREELET_H
#define KILN_BUILD_TREELET_H

#include "binary.h"
#include "cloud.h"

/* Moves subtrees about, `passes` times over the whole tree below nodes of at most `most` triangles;
 * leaves stay what they are. `records` are the cloud's, and reordered. False: out of memory
 * (*cancelled false) or cancelled. */
bool kiln_treelets_improve(const kiln_cloud *cloud, kiln_record *records, kiln_binary *tree,
                           unsigned passes, uint32_t most, const kiln_watch *watch,
                           bool *cancelled);

#endif
