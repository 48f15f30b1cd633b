/* One set of kernels: all of them, compiled for the set that the includer named (simd.h). */

#include "kernel_boxes.h" /* first: the others test boxes with it */

#include "kernel_adb.h"
#include "kernel_convex.h"
#include "kernel_dop.h"
#include "kernel_gaps.h"
#include "kernel_likely.h"
#include "kernel_moving.h"
#include "kernel_rays.h"
#include "kernel_points.h"  /* behind it, as is the next: what a node is, four numbers at once */
#include "kernel_ray_hit.h" /* behind it: opens nodes and leaves as it does */
#include "kernel_sphere.h"
#include "kernel_balls.h"
#include "kernel_triangles.h"
#include "kernel_winding.h"

#ifndef KILN_KERNEL_ROW
#define KILN_REFINE_BOX(kind) NULL
#define KILN_REFINE_DOP(kind) kind##_refine
#define KILN_REFINE_CELL(kind) NULL
#define KILN_REFINE_BALL(kind) kind##_refine
#define KILN_KERNEL_ROW(KIND, kind, name, constant, minor, lanes, layout, packing, volume)         \
    {kind##_open, KILN_REFINE_##volume(kind)},
#endif

const kiln_kernel KILN_SIMD_NAME(kiln_kernel) = {
    .name = KILN_SIMD_TEXT(KILN_SIMD_SET),
    .overlap = overlap_lanes,
    .overlap_aligned = overlap_lanes_aligned,
    .kinds = {KILN_NODE_KINDS(KILN_KERNEL_ROW, KILN_KERNEL_ROW)},
    .load_triangles = triangles_load,
    .triangle_pairs = triangles_pairs,
    .triangle_pairs_beyond = triangles_pairs_beyond,
    .triangles_reach = leaf_reaches,
    .weigh = likely_weigh,
    .order_weighed = likely_order,
    .order = order_lanes,
    .gaps = lane_gaps,
    .gaps_aligned = lane_gaps_aligned,
    .convex = {convex_first, convex_first_in_blocks, convex_form_bounds, convex_form_block},
    .ray_form = rays_form,
    .ray_walk = rays_walk,
    .ray_find = rays_find_posed,
    .ray_ask = rays_ask,
    .line_lanes = rays_lanes,
    .point_walk = points_walk,
    .point_slot = points_slot,
    .point_lanes = points_lanes,
    .adb = &KILN_SIMD_NAME(adb_kernels),
    .moving = &moving_kernels,
    .balls = &ball_kernels,
    .winding = &winding_kernels,
};
