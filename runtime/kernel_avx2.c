/* Kernels for x86-64 with AVX2 and FMA. */
#include "kernel.h"

#if defined(__x86_64__)

#include <math.h>

#define KILN_SIMD_SET avx2
#define KILN_SIMD_LANES 8
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_rays.h"

const kiln_kernel kiln_kernel_avx2 = {"avx2", overlap, overlap_aligned,
    ray_bytes, ray_oriented, ray_aligned};

#include "simd_end.h"

#endif
