/* Eight nodes of one tree against one of the other, weighed at once: what goes into the kernels of
 * kernel_adb.h and what comes out. */
#ifndef KILN_ADB_LANES_H
#define KILN_ADB_LANES_H

#include "kernel.h"
#include "../kiln_adb.h"

/* The lanes of an opened node. Lanes that are not used hold anything finite. */
typedef struct {
    kiln_lanes lanes;
    float region[8]
                [8]; /* [octant][lane]: possible cells; bit k of the octant: upper side of axis k */
    float level[8];  /* LB: 0 at the root, 1 at a single triangle */
    float cells;     /* in a box's grid */
    bool aligned;    /* lanes.axis is not set: the axes are those of node space */
} kiln_adb_lanes;

/* The box of the other tree. */
typedef struct {
    kiln_probe probe;
    float region[8];
    float level;
    float cells;
} kiln_adb_box;

/* What two nodes that overlap have in common, eight times. */
typedef struct {
    float cells[8]; /* of the smaller one's grid, in the common volume */
    float density[2]
                 [8]; /* of the lane, of the other: possible cells among those in the common volume,
                            [0, 1] */
} kiln_adb_common;

/* Lanes whose bit is clear in what a kernel returns hold anything. */
typedef struct {
    float features[KILN_ADB_FEATURES][8];
    float loss[8]; /* l = -ln(1 - p) by fitted weights */
} kiln_adb_weighed;

/* Unlike kiln_kernel's, these give the same bits in every set: answers are made of them. */
typedef struct kiln_adb_kernels {
    /* Bit i of the result: lane i may meet the probe; a clear bit is a proof. */
    uint32_t (*overlap)(const kiln_lanes *lanes, bool aligned, const kiln_probe *probe,
                        uint32_t used);
    /* The same, and weighs these lanes. `common` may be NULL. */
    uint32_t (*weigh)(const kiln_adb_lanes *lanes, const kiln_adb_box *other,
                      const kiln_adb_weights *weights, uint32_t used, kiln_adb_weighed *out,
                      kiln_adb_common *common);
    /* Decodes nodes of kind OBB8, to the bits of kiln_obb8_decode. */
    void (*decode_lanes)(const kiln_format_node8 *node, kiln_lanes *lanes);
    /* rows[i][lane] = unit x bytes[i][lane] */
    void (*scale_bytes)(uint8_t (*bytes)[8], unsigned count, float unit, float (*rows)[8]);
} kiln_adb_kernels;

#endif
