/* The oriented box of a lane before it is encoded: what all kinds with oriented boxes share. */
#ifndef KILN_TREE_LANE_OBB_H
#define KILN_TREE_LANE_OBB_H

#include "measure.h"

typedef struct {
    float rotation[3]; /* Rodrigues vector in steps of the stored lattice */
    float axis[3][3];  /* as decoded from it */
    kiln_extents extents;
    double centre[3];
} kiln_lane_obb;

/* Fits an inner node's box and leaves its rotation there. */
void kiln_lane_obb_fit(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node);

/* The box of a lane, rotated in steps down to `finest` of the lattice's: 1 for whole steps. With
 * `search` all orientations are tried first for what is not a leaf. */
void kiln_lane_obb_measure(const kiln_cloud *cloud, const kiln_binary *tree,
                           const kiln_range *range, float finest, bool search, kiln_lane_obb *box);

/* What half-extent k must not be less than about the centre as it is decoded, org included. */
double kiln_lane_obb_half(const kiln_lane_obb *box, const double centre[3], unsigned k);

/* The oriented box of a range of triangles. */

typedef struct {
    int8_t rotation[3];
    double half_area;
} kiln_fit;

/* `bounds` is the object-axis box of the triangles [first, last), `moments` theirs. The result is
 * never worse than that box. */
void kiln_fit_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                  const kiln_extents *bounds, const kiln_moments *moments, kiln_fit *fit);

#endif
