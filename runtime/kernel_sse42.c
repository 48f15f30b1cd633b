/* Kernels for x86-64 with SSE4.2. */
#include "adb_lanes.h"
#include "exact.h"

#if defined(__x86_64__)

#include <float.h>

#define KILN_SIMD_SET sse42
#define KILN_SIMD_LANES 4
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_adb.h"
#include "kernel_gaps.h"
#include "kernel_rays.h"
#include "kernel_triangles.h"

const kiln_kernel kiln_kernel_sse42 = {
    .name = "sse4.2",
    .overlap = overlap_lanes,
    .overlap_aligned = overlap_lanes_aligned,
    .open_obb8 = obb8_open,
    .open_aabb8 = aabb8_open,
    .open_obb2 = obb2_open,
    .open_aabb2 = aabb2_open,
    .order = order_lanes,
    .gaps = lane_gaps,
    .gaps_aligned = lane_gaps_aligned,
    .ray_bytes = rays_bytes,
    .ray_oriented = rays_oriented,
    .ray_aligned = rays_aligned,
    .load_triangles = triangles_load,
    .triangle_pairs = triangles_pairs,
    .adb = &KILN_SIMD_NAME(adb_kernels),
};

#include "simd_end.h"

#endif
