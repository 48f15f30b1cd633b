/* Brute force for large meshes: the same question as brute_pairs, put only to pairs of triangles
 * that share a cell of a grid. Culling is by exact comparison of coordinates, and the oracle
 * decides. */
#ifndef KILN_TEST_BRUTE_GRID_H
#define KILN_TEST_BRUTE_GRID_H

#include "brute.h"

typedef struct {
    const mesh *of;
    double lower[3], upper[3], cells_per_unit[3];
    uint32_t cells[3];
    uint32_t *first;   /* of each cell, and one more, in members */
    uint32_t *members; /* triangles */
    double *corners;   /* 9 a triangle, as stored */
} brute_grid;

brute_grid brute_grid_of(const mesh *m);
void brute_grid_free(brute_grid *grid);

/* Do any two triangles meet? */
bool brute_grid_meet(const brute_grid *a, const kiln_tree *tree_a, const kiln_pose *pose_a,
                     const brute_grid *b, const kiln_tree *tree_b, const kiln_pose *pose_b);

#endif
