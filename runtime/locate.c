/* Containment as a caller asks: a point in a closed mesh, a mesh in another.
 *
 * A mesh B that has no contact with A: each of its triangles is wholly on one side, and so is all
 * that is in a box of its tree that A's surface does not enter. One corner tells for all of that;
 * other boxes are opened. */
#include "fpu.h"
#include "inside.h"
#include "shape_walk.h"
#include "tree_box.h"

#include <math.h>
#include <string.h>

#define POINT_MAX 1e60

enum { STACK = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH };

/* ------------------------------------------------------------------------------------- point -- */

static kiln_status locate_point(const kiln_tree *tree, const kiln_pose *pose, const double point[3],
                                kiln_place *place)
{
    kiln_placement placement;
    double own[3];
    for (int k = 0; k < 3; k++) {
        if (!(fabs(point[k]) <= POINT_MAX)) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    const kiln_status status = kiln_placement_form(&placement, pose);
    if (status != KILN_OK) {
        return status;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    if (tree->entry->closed == KILN_CLOSED_NOT) {
        return KILN_ERROR_OPEN_MESH;
    }
    kiln_placement_point(&placement, point, own);
    *place = kiln_inside_point(tree, NULL, NULL, own);
    return KILN_OK;
}

kiln_status kiln_locate_point(const kiln_tree *tree, const kiln_pose *pose, const double point[3],
                              kiln_place *place)
{
    if (tree == NULL || point == NULL || place == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status (*volatile run)(const kiln_tree *, const kiln_pose *, const double *,
                                kiln_place *) = locate_point;
    const kiln_status status = run(tree, pose, point, place);
    kiln_fpu_leave(caller);
    return status;
}

/* -------------------------------------------------------------------------------------- mesh -- */

typedef struct {
    const kiln_tree *outer, *inner;
    kiln_pair_frame frame;
    bool inner_is_carried;
    double inverse[9];
    bool inside, outside; /* what was found so far */
} mesh_query;

/* Tells of the triangle in a slot of the inner tree, by its first corner. False: both were found.
 */
static bool classify(mesh_query *q, uint32_t slot)
{
    const uint32_t *corner = q->inner->triangles + 3 * (size_t)kiln_tree_triangle(q->inner, slot);
    const float *vertex = q->inner->vertices + 3 * (size_t)corner[0];
    double point[3] = {(double)vertex[0], (double)vertex[1], (double)vertex[2]};
    if (q->inner_is_carried) {
        kiln_pair_frame_carry(&q->frame, vertex, point);
    }
    const kiln_place place = kiln_inside_point(
        q->outer, q->inner_is_carried ? NULL : &q->frame.carry, q->inverse, point);
    q->inside = q->inside || place == KILN_PLACE_INSIDE;
    q->outside = q->outside || place == KILN_PLACE_OUTSIDE;
    return !(q->inside && q->outside);
}

static bool stop_at_once(void *user, uint32_t first, uint32_t count)
{
    (void)first;
    (void)count;
    *(bool *)user = true;
    return false;
}

/* May the outer surface enter a lane of the inner tree? */
static bool may_enter(const mesh_query *q, const kiln_format_node8 *node, unsigned lane)
{
    const kiln_node_map *map = q->inner_is_carried ? &q->frame.to_x : &q->frame.to_y;
    kiln_lane_box own;
    kiln_tree_box box;
    kiln_probe probe;
    static const float origin[3] = {0, 0, 0};
    q->inner->kind->decode_lane(node, lane, &own);
    for (int k = 0; k < 3; k++) {
        box.centre[k] = (double)node->org[k] + (double)own.centre[k];
        box.half[k] = own.half[k];
        memcpy(box.axis[k], own.axis[k], sizeof box.axis[k]);
    }
    kiln_make_probe(map, &box, origin, q->frame.epsilon, &probe);
    kiln_shape_box around = {{0, 0, 0}, probe, probe.slack};
    for (int k = 0; k < 3; k++) {
        around.centre[k] = (double)probe.centre[k];
    }
    bool enters = false;
    kiln_shape_walk(q->outer, &around, stop_at_once, &enters);
    return enters;
}

/* Any slot below a node: that of its first leaf, or of its first child's. */
static uint32_t some_slot(const kiln_tree *tree, uint32_t index)
{
    for (;;) {
        const kiln_format_node8 *node = kiln_tree_node(tree, index);
        const unsigned used = kiln_node8_used(node), leaves = used & ~(unsigned)node->inner;
        if (leaves != 0) {
            return kiln_node8_slot(node, (unsigned)__builtin_ctz(leaves));
        }
        index = node->child;
    }
}

/* All of a lane, or of what is below it, goes to `classify`. False: enough. */
static bool classify_lane(mesh_query *q, const kiln_format_node8 *node, unsigned lane,
                          uint32_t *stack, unsigned *height)
{
    const kiln_behind behind = kiln_lane_behind(node, lane);
    const bool enters = may_enter(q, node, lane);
    if (behind.count == 0) {
        if (enters) {
            stack[(*height)++] = behind.first;
            return true;
        }
        return classify(q, some_slot(q->inner, behind.first));
    }
    for (uint32_t i = 0; i < (enters ? behind.count : 1); i++) {
        if (!classify(q, behind.first + i)) {
            return false;
        }
    }
    return true;
}

static void classify_all(mesh_query *q)
{
    uint32_t stack[STACK];
    unsigned height = 1;
    stack[0] = 0;
    while (height > 0) {
        const kiln_format_node8 *node = kiln_tree_node(q->inner, stack[--height]);
        for (uint32_t mask = kiln_node8_used(node); mask != 0; mask &= mask - 1) {
            if (!classify_lane(q, node, (unsigned)__builtin_ctz(mask), stack, &height)) {
                return;
            }
        }
    }
}

static kiln_status locate_apart(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                const kiln_pose *pose_b, kiln_place *place)
{
    mesh_query q;
    memset(&q, 0, sizeof q);
    const kiln_status status = kiln_pair_frame_form(&q.frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    q.outer = a;
    q.inner = b;
    q.inner_is_carried = !q.frame.swapped;
    kiln_matrix_invert(q.frame.carry.rotation, q.inverse);
    if (kiln_roots_may_meet(&q.frame)) {
        classify_all(&q);
    }
    *place = q.inside ? (q.outside ? KILN_PLACE_PARTED : KILN_PLACE_INSIDE) : KILN_PLACE_OUTSIDE;
    return KILN_OK;
}

kiln_status kiln_locate_mesh(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                             const kiln_pose *pose_b, kiln_place *place)
{
    kiln_hit hit;
    if (place == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    kiln_status status = kiln_collide(a, pose_a, b, pose_b, NULL, &hit);
    if (status != KILN_OK) {
        return status;
    }
    if (a->entry->closed == KILN_CLOSED_NOT) {
        return KILN_ERROR_OPEN_MESH;
    }
    if (hit.found) {
        *place = KILN_PLACE_SURFACE;
        return KILN_OK;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status (*volatile run)(const kiln_tree *, const kiln_pose *, const kiln_tree *,
                                const kiln_pose *, kiln_place *) = locate_apart;
    status = run(a, pose_a, b, pose_b, place);
    kiln_fpu_leave(caller);
    return status;
}
