/* How much nodes have in common, and how probable that makes a collision: four nodes of one tree
 * against one of the other.
 *
 * What a kind of bounding volume has to give is a kiln_adb_common; boxes do it here. */
#ifndef KILN_ADB_ESTIMATE_H
#define KILN_ADB_ESTIMATE_H

#include "adb_four.h"
#include "kiln.h"

/* Up to four boxes of one tree, structure of arrays like kiln_lanes; the rest hold anything. */
typedef struct {
    kiln_four axis[9]; /* axis[3 k + j]: coordinate j of axis k */
    kiln_four away[3]; /* from the box's centre to the other's */
    kiln_four half[3];
    kiln_four region[8]; /* possible collision cells in each octant; bit k: upper side of axis k */
    kiln_four level;     /* LB: 0 at the root, 1 at a single triangle */
    float cells;         /* in a box's grid */
} kiln_adb_boxes;

/* The box of the other tree, in the same frame. */
typedef struct {
    float axis[3][3];
    float half[3];
    float region[8];
    float level;
    float cells;
} kiln_adb_box;

/* What nodes that overlap have in common, four times. */
typedef struct {
    kiln_four cells;      /* of the smaller one's grid, in the common volume */
    kiln_four density[2]; /* possible cells among the cells in the common volume: [0, 1] */
    kiln_four margin; /* least overlap on a face axis / extent of the smaller one there, [0, 1] */
    kiln_four level;  /* mean LB */
    kiln_four log_ratio; /* log2(edge of the larger one / edge of the smaller one), >= 0 */
    kiln_four log_flat;  /* log2(least extent / largest extent), summed over both */
} kiln_adb_common;

void kiln_adb_boxes_in_common(const kiln_adb_boxes *boxes, const kiln_adb_box *other,
                              kiln_adb_common *common);

/* l = -ln(1 - p); `features` in the order of kiln_adb_observation are filled too. */
kiln_four kiln_adb_loss(const kiln_adb_options *options, const kiln_adb_weights *weights,
                        const kiln_adb_common *common, kiln_four features[KILN_ADB_FEATURES]);

#endif
