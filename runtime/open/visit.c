/* The volumes and the triangles of a tree, read-only, as callers see them: in the mesh's own frame.
 *
 * Proof. The stored box of a lane holds, in exact arithmetic, the positions below it in node space
 * as the format defines it: p_node = (p - origin) 2^-e, where the difference is rounded once
 * (formats/frame.h). Let s = 2^e, c the centre in node space as rounded to double, w the centre in
 * the mesh's frame, R a bound of |p_node - c|, and u = 2^-53. Scaling by s is exact. Then p is off
 * the image of p_node by u |p - origin| <= u s (|c| + R); c is off by u |c|, w by u |w|; products
 * and sums below are rounded by u of themselves. Axes of oriented boxes are made orthonormal: axis
 * a_k moves by d_k, and a_k . x by no more than d_k R; they are then orthonormal to 8 u, so that
 * the coordinates of a point along them are its products with them but for 16 u R. All of it is
 * below 2^-48 (s (|c| + R) + |w|), sizes as sums of magnitudes, which `half` and `radius` are
 * widened by.
 *
 * R: entries of R R^T - I of stored axes are below 2^-18 (rule 22), so |x| is at most 1 + 2^-16
 * times the root of the sum of squares of the half-extents. */
#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "../../formats/vector.h"
#include "../base/fpu.h"
#include "../base/tree.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------- one volume -- */

/* Gives the axes of a box as orthonormal ones, after Gram and Schmidt, and by how much each moved.
 * Stored ones depart from orthonormal by 2^-18 at most, so that no length is near 0. */
static void orthonormal_axes(const kiln_box *box, double axes[9], double moved[3])
{
    for (unsigned k = 0; k < 3; k++) {
        double a[3];
        memcpy(a, box->axis[k], sizeof a);
        for (unsigned j = 0; j < k; j++) {
            const double along = kiln_dot(axes + 3 * (size_t)j, a);
            for (unsigned i = 0; i < 3; i++) {
                a[i] -= along * axes[3 * j + i];
            }
        }
        const double length = sqrt(kiln_dot(a, a));
        moved[k] = 0;
        for (unsigned i = 0; i < 3; i++) {
            axes[3 * k + i] = a[i] / length;
            moved[k] += fabs(axes[3 * k + i] - box->axis[k][i]);
        }
    }
}

static void measure_volume(const kiln_tree *tree, const kiln_format_node8 *node, unsigned lane,
                           kiln_tree_volume *out)
{
    const kiln_node_kind *kind = tree->view.kind;
    const kiln_format_tree *entry = tree->view.entry;
    const double scale = kiln_power_of_two(entry->scale_exponent);
    kiln_lane_box decoded;
    kiln_box box;
    kind->decode_lane(node, lane, &decoded);
    kiln_lane_box_place(&decoded, node->org, &box);
    double moved[3] = {0, 0, 0}, sizes = 0, places = 0;
    if (kind->aligned) {
        out->axes[0] = out->axes[4] = out->axes[8] = 1; /* the others are 0 */
    } else {
        orthonormal_axes(&box, out->axes, moved);
    }
    for (unsigned k = 0; k < 3; k++) {
        out->centre[k] = box.centre[k] * scale + entry->origin[k];
        sizes += fabs(box.centre[k]);
        places += fabs(out->centre[k]);
    }
    const double reach = sqrt(kiln_dot(box.half, box.half)) * (1 + 0x1p-16);
    const double margin = 0x1p-48 * (scale * (sizes + reach) + places);
    for (unsigned k = 0; k < 3; k++) {
        out->half[k] = (box.half[k] + moved[k] * reach) * scale + margin;
    }
    out->radius = kind->balls ? out->half[0] : 0;
}

static void measure_whole(const kiln_tree *tree, kiln_tree_volume *out)
{
    const kiln_format_tree *entry = tree->view.entry;
    for (unsigned k = 0; k < 3; k++) {
        const double a = (double)entry->bounds_lower[k], b = (double)entry->bounds_upper[k];
        out->centre[k] = 0.5 * (a + b);
        /* No rule says that bounds are in order. */
        out->half[k] = kiln_reach_above(out->centre[k], a < b ? a : b, a < b ? b : a);
        out->axes[4 * k] = 1;
    }
}

/* ---------------------------------------------------------------------------------- the walk -- */

/* Lanes of a node that arrives whose nodes are not there yet: part.h hides them as leaves. */
static unsigned hidden_lanes(const kiln_tree *tree, const kiln_format_node8 *node)
{
    return tree->part != NULL && node->flags[0] != 0 ? node->flags[0] & ~(unsigned)node->inner : 0;
}

/* One opened node a level. */
typedef struct {
    const kiln_format_node8 *node;
    unsigned left; /* bit i: lane i is still to be visited */
} visit_level;

/* Takes the next lane of the deepest level that has one left, and gives up the levels below that.
 * False: none is left. */
static bool lane_to_visit(visit_level *path, uint32_t *depth, unsigned *lane)
{
    while (*depth > 0 && path[*depth - 1].left == 0) {
        --*depth;
    }
    if (*depth == 0) {
        return false;
    }
    visit_level *at = &path[*depth - 1];
    *lane = (unsigned)__builtin_ctz(at->left);
    at->left &= at->left - 1;
    return true;
}

static uint32_t leaf_triangles(const kiln_tree *tree, const kiln_format_node8 *node)
{
    const unsigned leaves = kiln_node8_used(node) & ~node->inner & ~hidden_lanes(tree, node);
    uint32_t triangles = 0;
    for (unsigned left = leaves; left != 0; left &= left - 1) {
        triangles += kiln_node8_count(node, (unsigned)__builtin_ctz(left));
    }
    return triangles;
}

/* Triangles in the leaves below a node. */
static uint32_t triangles_below(const kiln_tree *tree, uint32_t index)
{
    visit_level path[KILN_TREE_DEPTH_MAX];
    uint32_t depth = 1;
    unsigned lane;
    path[0].node = kiln_tree_node(tree, index);
    path[0].left = path[0].node->inner;
    uint32_t triangles = leaf_triangles(tree, path[0].node);
    while (lane_to_visit(path, &depth, &lane)) {
        const visit_level *at = &path[depth - 1];
        const kiln_format_node8 *child = kiln_tree_node(tree, kiln_node8_child(at->node, lane));
        triangles += leaf_triangles(tree, child);
        KILN_ASSERT(depth < KILN_TREE_DEPTH_MAX);
        path[depth].node = child;
        path[depth++].left = child->inner;
    }
    return triangles;
}

/* Lane `lane` of a node as a volume but for its depth. */
static void volume_of_lane(const kiln_tree *tree, const kiln_format_node8 *node, unsigned lane,
                           kiln_tree_volume *out)
{
    const kiln_contents of = kiln_node8_contents(node, lane);
    const bool hidden = (hidden_lanes(tree, node) >> lane & 1) != 0;
    out->leaf = of.count != 0 && !hidden;
    out->triangles = hidden ? 0 : of.count != 0 ? of.count : triangles_below(tree, of.first);
    measure_volume(tree, node, lane, out);
}

static kiln_status visit_below(const kiln_tree *tree, kiln_volume_callback callback, void *user)
{
    visit_level path[KILN_TREE_DEPTH_MAX];
    uint32_t depth = 1;
    unsigned lane;
    path[0].node = kiln_tree_node(tree, 0);
    path[0].left = kiln_node8_used(path[0].node);
    while (lane_to_visit(path, &depth, &lane)) {
        const visit_level *at = &path[depth - 1];
        kiln_tree_volume volume;
        memset(&volume, 0, sizeof volume);
        volume.depth = depth;
        const kiln_fpu_state caller = kiln_fpu_enter();
        KILN_FPU_CALL(measure, volume_of_lane);
        measure(tree, at->node, lane, &volume);
        kiln_fpu_leave(caller);
        const kiln_visit next = callback(user, &volume);
        if (next != KILN_VISIT_CHILDREN && next != KILN_VISIT_SKIP) {
            return next == KILN_VISIT_STOP ? KILN_OK : KILN_ERROR_ARGUMENT;
        }
        if ((at->node->inner >> lane & 1) != 0 && next == KILN_VISIT_CHILDREN) {
            KILN_ASSERT(depth < KILN_TREE_DEPTH_MAX);
            const uint32_t child = kiln_node8_child(at->node, lane);
            path[depth].node = kiln_tree_node(tree, child);
            path[depth].left = kiln_node8_used(path[depth].node);
            depth++;
        }
    }
    return KILN_OK;
}

kiln_status kiln_tree_visit(const kiln_tree *tree, kiln_volume_callback callback, void *user)
{
    if (tree == NULL || callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_tree_volume whole;
    memset(&whole, 0, sizeof whole);
    whole.triangles = tree->view.slots;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(measure, measure_whole);
    measure(tree, &whole);
    kiln_fpu_leave(caller);
    const kiln_visit next = callback(user, &whole);
    if (next == KILN_VISIT_CHILDREN && !kiln_tree_is_box(tree)) {
        return visit_below(tree, callback, user);
    }
    return next == KILN_VISIT_CHILDREN || next == KILN_VISIT_SKIP || next == KILN_VISIT_STOP
               ? KILN_OK
               : KILN_ERROR_ARGUMENT;
}

/* ---------------------------------------------------------------------------- all triangles -- */

/* Vertices of a height field are computed, in the environment of queries. */
static void copy_triangles(const kiln_tree *tree, float *corners, uint32_t count)
{
    const uint32_t first = tree->view.entry->triangle_first,
                   end = first + kiln_tree_stored_range(tree);
    for (uint32_t i = first; i < end; i++) {
        for (unsigned c = 0; c < 3 && kiln_tree_stores(tree, i) && kiln_tree_id(tree, i) < count;
             c++) {
            float room[3];
            memcpy(corners + 9 * (size_t)kiln_tree_id(tree, i) + 3 * c,
                   kiln_tree_vertex(tree, i, c, room), 3 * sizeof *corners);
        }
    }
}

kiln_status kiln_tree_triangles(const kiln_tree *tree, float *corners, uint32_t count)
{
    static const uint32_t nan = 0x7FC00000u; /* quiet, whatever the platform's own is */
    if (tree == NULL || (corners == NULL && count != 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    for (size_t i = 0; i < 9 * (size_t)count; i++) {
        memcpy(corners + i, &nan, sizeof nan);
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, copy_triangles);
    run(tree, corners, count);
    kiln_fpu_leave(caller);
    return KILN_OK;
}

uint32_t kiln_tree_triangle_limit(const kiln_tree *tree)
{
    uint32_t limit = 0;
    if (tree == NULL || !kiln_tree_has_polygons(tree)) {
        return 0;
    }
    const uint32_t first = tree->view.entry->triangle_first,
                   end = first + kiln_tree_stored_range(tree);
    for (uint32_t i = first; i < end; i++) {
        if (kiln_tree_stores(tree, i) && kiln_tree_id(tree, i) >= limit) {
            limit = kiln_tree_id(tree, i) + 1;
        }
    }
    return limit;
}
