/* The oriented box of a lane before it is encoded: what all kinds with oriented boxes share. */
#ifndef KILN_TREE_LANE_OBB_H
#define KILN_TREE_LANE_OBB_H

#include "measure.h"

/* Orientations are multiples of these, in steps of the stored lattice: whole steps where they are
 * stored as bytes; 0.0014 degrees where axes are floats. */
#define KILN_FINEST_STEP8 1.0f
#define KILN_FINEST_STEP2 0x1p-8f

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

#endif
