/* Containment: where a point is to a closed mesh, and where a mesh is to another.
 *
 * If a mesh B has no contact with A, each of its triangles is wholly on one side of A, and so
 * is all that is in a box of its tree that A's surface does not enter: the side of one corner
 * decides it. Other boxes are opened. Which boxes the surface enters is found by a walk of A's
 * tree. */
#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "query.h"
#include "../walk/leaf_pair.h"
#include "../walk/shape_walk.h"
#include "../walk/tree_box.h"

#include <math.h>
#include <string.h>

#define POINT_MAX 1e60

enum {
    VERTICES_KEPT = 64, /* a power of two */
    LOCATE_STACK = (KILN_NODE_WIDTH - 1) * KILN_TREE_DEPTH_MAX + KILN_NODE_WIDTH
};

/* ------------------------------------------------------------------------------------- point -- */

/* A point is brought into the tree's own frame, where the stored vertices are exact. */
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
    const kiln_status status = kiln_placement_form_any(&placement, pose);
    if (status != KILN_OK) {
        return status;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    /* An open mesh has no inside, so any answer would be a guess. */
    if (tree->view.entry->closed == KILN_CLOSED_NOT) {
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
    KILN_FPU_CALL(run, locate_point);
    const kiln_status status = run(tree, pose, point, place);
    kiln_fpu_leave(caller);
    return status;
}

/* -------------------------------------------------------------------------------------- mesh -- */

typedef struct {
    const kiln_tree *outer, *inner;
    kiln_pair_frame frame;
    bool inner_is_carried; /* it is Y */
    double inverse[9];     /* of the outer tree's carry */
    bool inside, outside;  /* what was found so far: never both while the query goes on */
    uint32_t vertices[VERTICES_KEPT]; /* of triangles that were classified, by their lowest bits */
} mesh_query;

/* Classifies the triangle in a slot of the inner tree by its first corner. False: both an
 * inside and an outside one were found. A triangle that shares a corner with one that was
 * classified hangs together with that, clear of the outer surface as both are, so it is on the
 * same side. */
static bool classify(mesh_query *q, uint32_t slot)
{
    const uint32_t stored = kiln_tree_triangle(q->inner, slot);
    float room[3];
    bool known = false;
    for (unsigned c = 0; c < 3; c++) {
        const uint32_t number = kiln_tree_vertex_number(q->inner, stored, c);
        uint32_t *kept = &q->vertices[number % VERTICES_KEPT];
        known = known || *kept == number;
        *kept = number;
    }
    if (known) {
        return true;
    }
    const float *vertex = kiln_tree_vertex(q->inner, stored, 0, room);
    double point[3] = {(double)vertex[0], (double)vertex[1], (double)vertex[2]};
    const kiln_transform *carry = kiln_pair_frame_carry(&q->frame, !q->inner_is_carried);
    if (carry != NULL) {
        kiln_transform_vertex(carry, vertex, point);
    }
    const kiln_place place = kiln_inside_point(
        q->outer, kiln_pair_frame_carry(&q->frame, q->inner_is_carried), q->inverse, point);
    q->inside = q->inside || place == KILN_PLACE_INSIDE;
    q->outside = q->outside || place == KILN_PLACE_OUTSIDE;
    return !(q->inside && q->outside);
}

/* A box that the outer surface may enter: as that tree's leaves see it. */
typedef struct {
    const mesh_query *query;
    kiln_leaf_box box;
    kiln_leaf_pair leaves;
    bool entered;
} entry_test;

/* Boxes of leaves may hold all of a small mesh, and so decide nothing: their triangles do. */
static bool stop_at_entry(void *user, uint32_t first, uint32_t count)
{
    entry_test *test = (entry_test *)user;
    const mesh_query *q = test->query;
    const kiln_contents leaf = {first, count};
    test->entered =
        kiln_leaf_pair_reach(&test->leaves, &q->frame, q->inner_is_carried, leaf, &test->box);
    return !test->entered;
}

/* May the outer surface enter a box of the inner tree? */
static bool may_enter(const mesh_query *q, const kiln_tree_box *box)
{
    const kiln_node_map *map = q->inner_is_carried ? &q->frame.to_x : &q->frame.to_y;
    static const float origin[3] = {0, 0, 0};
    kiln_probe probe;
    kiln_make_probe(map, box, origin, q->frame.epsilon, &probe);
    kiln_shape_box around = {{0, 0, 0}, probe, probe.slack};
    for (int k = 0; k < 3; k++) {
        around.centre[k] = (double)probe.centre[k];
    }
    entry_test test;
    test.query = q;
    test.entered = false;
    /* The triangles of a leaf are held against the box itself, since a leaf whose own box meets it
     * need not have a triangle in it. */
    kiln_leaf_pair_begin(&test.leaves, kiln_kernel_active());
    kiln_leaf_box_form(&test.box, &q->frame, !q->inner_is_carried, box);
    kiln_shape_walk(q->outer, &around, stop_at_entry, &test);
    return test.entered;
}

/* Any slot below a node: that of its first leaf, or of its first child's. False: there is none on
 * that way. A verified file may hold a node without lanes, whose `child` means nothing and is not
 * verified, so it must not be followed. Ends, since a child comes after its parent. */
static bool some_slot(const kiln_tree *tree, uint32_t index, uint32_t *slot)
{
    for (;;) {
        KILN_ASSERT(index < tree->view.entry->node_count);
        const kiln_format_node8 *node = kiln_tree_node(tree, index);
        const unsigned leaves = kiln_node8_used(node) & ~(unsigned)node->inner;
        if (leaves != 0) {
            *slot = kiln_node8_slot(node, (unsigned)__builtin_ctz(leaves));
            return true;
        }
        if (node->inner == 0) {
            return false;
        }
        index = node->child;
    }
}

/* Classifies one lane: each triangle of a leaf that the outer surface may enter, else one
 * triangle for all; a node that it may enter goes on the stack. False: enough. */
static bool classify_lane(mesh_query *q, const kiln_format_node8 *node, unsigned lane,
                          uint32_t *stack, unsigned *height)
{
    KILN_ASSERT(lane < q->inner->view.kind->lanes);
    kiln_tree_box box;
    kiln_tree_box_lane(&q->frame, !q->inner_is_carried, node, lane, &box);
    const kiln_contents contents = box.contents;
    const bool enters = may_enter(q, &box);
    if (contents.count == 0) {
        if (enters) {
            KILN_ASSERT(*height < LOCATE_STACK);
            stack[(*height)++] = contents.first;
            return true;
        }
        uint32_t slot;
        return !some_slot(q->inner, contents.first, &slot) || classify(q, slot);
    }
    for (uint32_t i = 0; i < (enters ? contents.count : 1); i++) {
        if (!classify(q, contents.first + i)) {
            return false;
        }
    }
    return true;
}

/* A node adds at most seven lanes more than it takes, on a path of at most KILN_TREE_DEPTH_MAX. */
static void classify_boxes(mesh_query *q)
{
    uint32_t stack[LOCATE_STACK];
    unsigned height = 1;
    stack[0] = 0;
    while (height > 0) {
        KILN_ASSERT(height <= LOCATE_STACK);
        const kiln_format_node8 *node = kiln_tree_node(q->inner, stack[--height]);
        for (uint32_t mask = kiln_node8_used(node); mask != 0; mask &= mask - 1) {
            if (!classify_lane(q, node, (unsigned)__builtin_ctz(mask), stack, &height)) {
                return;
            }
        }
    }
}

/* Where the whole box of B is clear of A's surface, one triangle decides; else a contact is
 * looked for first, and where there is none the boxes of B are opened from the root. */
static kiln_status locate_mesh(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                               const kiln_pose *pose_b, kiln_place *place)
{
    mesh_query q;
    kiln_hit hit = {0};
    memset(&q, 0, sizeof q);
    memset(q.vertices, 0xFF, sizeof q.vertices); /* no vertex */
    kiln_status status = kiln_pair_frame_relate_any_polygons(&q.frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (a->view.entry->closed == KILN_CLOSED_NOT) {
        return KILN_ERROR_OPEN_MESH;
    }
    q.outer = a;
    q.inner = b;
    q.inner_is_carried = !q.frame.swapped;
    if (kiln_roots_may_meet(&q.frame)) {
        kiln_pair_frame_form_maps(&q.frame);
        if (q.frame.affine) {
            memcpy(q.inverse, q.frame.by.inverse[q.inner_is_carried], sizeof q.inverse);
        } else {
            kiln_matrix_invert(q.frame.carry.rotation, q.inverse);
        }
        kiln_tree_box root;
        kiln_tree_box_root(&q.frame, !q.inner_is_carried, &root);
        uint32_t slot;
        if (!may_enter(&q, &root)) {
            if (some_slot(b, 0, &slot)) {
                (void)classify(&q, slot);
            }
        } else {
            status = kiln_collide(a, pose_a, b, pose_b, NULL, &hit);
            if (status == KILN_OK && !hit.found) {
                classify_boxes(&q);
            }
        }
    }
    if (status == KILN_OK) {
        *place = hit.found               ? KILN_PLACE_SURFACE
                 : q.inside && q.outside ? KILN_PLACE_PARTED
                 : q.inside              ? KILN_PLACE_INSIDE
                                         : KILN_PLACE_OUTSIDE;
    }
    return status;
}

kiln_status kiln_locate_mesh(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                             const kiln_pose *pose_b, kiln_place *place)
{
    if (place == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, locate_mesh);
    const kiln_status status = run(a, pose_a, b, pose_b, place);
    kiln_fpu_leave(caller);
    return status;
}
