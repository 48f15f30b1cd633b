/* Kernels for x86-64 with SSE4.2. */
#include "kernel.h"

#if defined(__x86_64__)

#include <math.h>

#define KILN_SIMD_SET sse42
#define KILN_SIMD_LANES 4
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_rays.h"

const kiln_kernel kiln_kernel_sse42 = {"sse4.2", overlap, overlap_aligned,
    ray_bytes, ray_oriented, ray_aligned};

#include "simd_end.h"

#endif
