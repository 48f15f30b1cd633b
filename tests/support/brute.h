/* Every pair of triangles of two meshes at two poses, by the exact oracle. The relative pose is formed
 * as kiln.h and DESIGN say, written anew: the mesh with the smaller geometry hash stays, the other is
 * carried in doubles. */
#ifndef KILN_TEST_BRUTE_H
#define KILN_TEST_BRUTE_H

#include "meshes.h"

#include <stddef.h>

/* Pairs (a, b) in ascending order; the array is released by free(). Trees give the hashes. `stop_early`
 * ends at the first pair. */
kiln_pair *brute_pairs(const mesh *a, const kiln_tree *tree_a, const kiln_pose *pose_a,
                       const mesh *b, const kiln_tree *tree_b, const kiln_pose *pose_b,
                       bool stop_early, size_t *count);

#endif
