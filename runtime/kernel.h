/* The seam for instruction sets: what a query does to eight boxes at once. One scalar set, which is
 * the reference, is always built; others are the same struct filled by another file. Boxes only
 * filter, so every set gives equal answers even where its masks differ by rounding. */
#ifndef KILN_KERNEL_H
#define KILN_KERNEL_H

#include "../formats/nodes.h"

/* One box in the frame of the lanes it is tested against. */
typedef struct {
    float axis[3][3]; /* axis[k] = axis k; orthonormal within `epsilon` */
    float centre[3];  /* relative to the node's org, like the lanes' centres */
    float half[3];
    float epsilon;    /* relative error of directions, the pose's departure included */
    float slack;      /* absolute error of positions */
} kiln_probe;

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
