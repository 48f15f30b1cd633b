/* The reference: one lane at a time, for every machine. */
#include "adb_lanes.h"
#include "exact.h"

#include <float.h>

#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#include "simd.h"

#include "kernel_boxes.h"
#include "kernel_adb.h"
#include "kernel_gaps.h"
#include "kernel_rays.h"
#include "kernel_triangles.h"

const kiln_kernel kiln_kernel_scalar = {
    .name = "scalar",
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
