/* Every pair of triangles of two meshes at two poses, by the exact oracle. The relative pose is
 * formed as kiln.h and DESIGN say, written anew: the mesh with the smaller geometry hash stays,
 * the other is carried in doubles. */
#ifndef KILN_TEST_BRUTE_H
#define KILN_TEST_BRUTE_H

#include "meshes.h"

#include <stddef.h>

/* Pairs (a, b) in ascending order; the array is released by free(). Trees give the hashes.
 * `stop_early` ends at the first pair. */
kiln_pair *brute_pairs(const mesh *a, const kiln_tree *tree_a, const kiln_pose *pose_a,
                       const mesh *b, const kiln_tree *tree_b, const kiln_pose *pose_b,
                       bool stop_early, size_t *count);

/* The steps of it, for other ways through the pairs. */

typedef struct {
    double r[3][3], t[3];
} brute_affine;

/* True: B stays and A is carried by *carry into B's frame. False: the other way round. */
bool brute_place(const kiln_tree *tree_a, const kiln_pose *pose_a, const kiln_tree *tree_b,
                 const kiln_pose *pose_b, brute_affine *carry);

/* The corners of a triangle as they are compared; `carry` NULL: as stored. */
void brute_corners(const mesh *m, uint32_t triangle, const brute_affine *carry, double out[9]);

/* Exact: boxes of the coordinates that are compared. Saves the oracle most of its work. */
bool brute_boxes_apart(const double a[9], const double b[9]);

#endif
