/* The seam for instruction sets: what a query does to eight boxes at once. Kernels are written once,
 * in files kernel_*.h, in the vocabulary of simd.h, and compiled for each set by kernel_scalar.c, the
 * reference, which is always built, kernel_sse42.c, kernel_avx2.c and kernel_neon.c. What needs a new
 * kernel gives kiln_kernel a member and each of these an include.
 *
 * Boxes only filter, so every set gives equal answers even where its masks differ by rounding. */
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

/* A line and the grid of a node of AABB8: its byte b on axis k stands for the plane that the line
 * crosses at s = b step + near, or a little later at b step + far. */
typedef struct {
    float step[3], near[3], far[3];
    uint8_t nearer[3], farther[3]; /* the byte of lane 0 that comes first on the line, and last */
    float s_max;
} kiln_slabs;

/* A line as lanes in floats see it: origin + s direction, 0 <= s <= s_max. */
typedef struct {
    float origin[3]; /* relative to the node's org */
    float direction[3];
    float reach; /* what boxes are widened by, besides 2^-21 of the distance */
    float s_max;
} kiln_ray_probe;

typedef struct {
    const char *name;
    /* Bit i of the result: lane i may meet the probe. A clear bit is a proof that it does not. Only
     * the bits of `used` are looked at. */
    uint32_t (*overlap)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
    /* The same for axis-aligned lanes; lanes->axis is not looked at. */
    uint32_t (*overlap_aligned)(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t used);
    /* Bit i: the line may meet lane i, and then not before s = entry[i]. All eight lanes are looked
     * at, empty ones too. */
    uint32_t (*ray_bytes)(const kiln_format_node_aabb8 *node, const kiln_slabs *slabs,
                          float entry[8]);
    uint32_t (*ray_oriented)(const kiln_lanes *lanes, const kiln_ray_probe *probe, float entry[8]);
    uint32_t (*ray_aligned)(const kiln_lanes *lanes, const kiln_ray_probe *probe, float entry[8]);
} kiln_kernel;

/* The set in use: the best that the processor has. Threads may ask at any time. */
const kiln_kernel *kiln_kernel_active(void);

/* For tests and benchmarks, which go through all sets on one machine. Set number `index`, scalar
 * being 0, or NULL behind the last one that runs here. And: from now on `kernel` is in use, in all
 * threads; NULL: the best again. */
const kiln_kernel *kiln_kernel_runnable(unsigned index);
void kiln_kernel_force(const kiln_kernel *kernel);

/* Those that are built; kernel.c knows which of them run. */
extern const kiln_kernel kiln_kernel_scalar;
#if defined(__x86_64__)
extern const kiln_kernel kiln_kernel_sse42, kiln_kernel_avx2;
#elif defined(__aarch64__)
extern const kiln_kernel kiln_kernel_neon;
#endif

#endif
