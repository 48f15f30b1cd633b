/* Descent of one tree to what is near a point of the frame that an affine pose leads to, where the
 * tree's boxes are parallelepipeds: the nearest first, in doubles, without instruction sets. */
#ifndef KILN_AFFINE_POINT_WALK_H
#define KILN_AFFINE_POINT_WALK_H

#include "../pose/pose.h"
#include "point_walk.h"

/* Three pairs of planes: unit normals are normal[k] * shorter[k]. */
typedef struct {
    double normal[3][3], shorter[3];
    double share; /* of the sum of the squares of the gaps: that much is no more than the square */
} kiln_point_slabs;

/* The maps between a tree's node space and that frame, in which positions are off by `room`. */
typedef struct {
    const kiln_placement *placement;
    kiln_transform node;    /* node space to the frame */
    double across[9];       /* what normals of planes go with: the inverse, transposed */
    double longest;         /* no vector gets longer by more */
    double skew;            /* `across` is off by that, of extents */
    double room;            /* in units of the frame */
    kiln_point_slabs slabs; /* of boxes along the axes of node space */
} kiln_affine_point;

/* The frame is the one that the placement, an affine one, leads to, less its translation: that is
 * taken off the point. `near` gets no limit. */
void kiln_affine_point_form(kiln_affine_point *at, kiln_near_point *near, const kiln_tree *tree,
                            const kiln_placement *placement, const double point[3]);

/* As kiln_point_walk and its neighbours; but bounds of triangles are near to exact. */
void kiln_affine_point_walk(const kiln_tree *tree, const kiln_affine_point *at,
                            kiln_near_point *near, kiln_point_leaf enters, kiln_point_visit visit,
                            void *user);
bool kiln_affine_point_visit_slot(const kiln_tree *tree, const kiln_affine_point *at,
                                  kiln_near_point *near, uint32_t slot, kiln_point_visit visit,
                                  void *user);
bool kiln_affine_point_is_first(const kiln_tree *tree, const kiln_affine_point *at,
                                const kiln_near_point *near, uint32_t slot);

/* Corners of a triangle in the frame: each coordinate is (m0 x + m1 y) + m2 z, every operation
 * rounded to double, then to a multiple of 2^-149, the least step of stored coordinates, so that
 * they are in the range of exact/point_triangle.h. */
void kiln_affine_carry_corners(const kiln_placement *placement, double corners[9]);

#endif
