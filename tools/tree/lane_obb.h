/* The oriented box of a lane before it is encoded: what all kinds with oriented boxes share. */
#ifndef KILN_BUILD_LANE_OBB_H
#define KILN_BUILD_LANE_OBB_H

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

/* The box of a lane, turned in steps down to `finest` of the lattice's: 1 for whole steps. With
 * `search` all orientations are tried first for what is not a leaf. */
void kiln_lane_obb_measure(const kiln_cloud *cloud, const kiln_binary *tree,
                           const kiln_range *range, float finest, bool search, kiln_lane_obb *box);

/* What half-extent k must not be less than about the centre as it is decoded, org included. */
double kiln_lane_obb_half(const kiln_lane_obb *box, const double centre[3], unsigned k);

#endif
