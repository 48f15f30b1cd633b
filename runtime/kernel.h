/* The seam for instruction sets: what a query does to eight boxes at once. One scalar set, which is
 * the reference, is always built; others are the same struct filled by another file. Boxes only
 * filter, so every set gives equal answers even where its masks differ by rounding. */
#ifndef KILN_KERNEL_H
#define KILN_KERNEL_H

#include "../formats/nodes.h"

#include <stdbool.h>

/* One box in the frame of the lanes it is tested against. */
typedef struct {
    float axis[3][3]; /* axis[k] = axis k; orthonormal within `epsilon` */
    float centre[3];  /* relative to the node's org, like the lanes' centres */
    float half[3];
    float epsilon;    /* relative error of directions, the pose's departure included */
    float slack;      /* absolute error of positions */
} kiln_probe;

/* How a kind of node gives its lanes. */
typedef struct {
    uint16_t bv;        /* KILN_FORMAT_BV_... */
    uint16_t public_bv; /* kiln_bv */
    uint32_t node_size;
    bool aligned;           /* lanes have the axes of node space; decode leaves lanes->axis alone */
    void (*decode)(const kiln_format_node8 *node, kiln_lanes *lanes);
} kiln_decoder;

/* NULL: this runtime has no such kind. */
const kiln_decoder *kiln_decoder_find(uint16_t bv);

typedef struct {
    const char *name;
    /* Bit i of the result: lane i may meet the probe. A clear bit is a proof that it does not. Only
     * the bits of `used` are looked at. */
    uint32_t (*overlap)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
    /* The same for axis-aligned lanes; lanes->axis is not looked at. */
    uint32_t (*overlap_aligned)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
} kiln_kernel;

/* The set in use. */
const kiln_kernel *kiln_kernel_active(void);

#endif
