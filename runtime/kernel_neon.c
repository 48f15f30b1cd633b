/* Kernels for aarch64. */
#include "kernel.h"

#if defined(__aarch64__)

#include <math.h>

#define KILN_SIMD_SET neon
#define KILN_SIMD_LANES 4
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_rays.h"

const kiln_kernel kiln_kernel_neon = {"neon", overlap, overlap_aligned,
    ray_bytes, ray_oriented, ray_aligned};

#include "simd_end.h"

#endif
