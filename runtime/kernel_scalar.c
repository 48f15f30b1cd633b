/* The reference: one lane at a time, for every machine. */
#include "kernel.h"

#include <math.h>

#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_rays.h"

const kiln_kernel kiln_kernel_scalar = {"scalar", overlap, overlap_aligned,
    ray_bytes, ray_oriented, ray_aligned};

#include "simd_end.h"
