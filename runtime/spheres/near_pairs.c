/* All pairs of triangles, or points, of two trees within a distance, as kiln_distance measures it.
 *
 * The walk is that of distances (near_walk.c) with a limit that does not fall. An octree has
 * triangles in several leaves, of which any may be the near one, and the rule of once.c is one
 * of walks that look for common points; so its triangles are taken one by one, each with the box
 * around it, grown by the distance, into the other tree, where shape_walk.c names each triangle
 * once. */
#include "../kiln_spheres.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../exact/exact.h"
#include "../query/query.h"
#include "../walk/leaf_pair.h"
#include "../walk/near_walk.h"
#include "../walk/shape_walk.h"

#include <math.h>

/* Between two questions whether the query is to be stopped. */
enum { TRIANGLES_A_QUESTION = 64 };

typedef struct {
    const kiln_tree *a, *b;
    const kiln_pose *pose_a, *pose_b;
    double distance;
    const kiln_pair_visitor *visitor;
} near_question;

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    double limit;    /* in X's frame, a few ulps more than the distance */
    double scale;    /* of X */
    double distance; /* in the world */
    double box_squared;
    kiln_leaf_triangles x, y;
} near_search;

/* False: the visitor has had enough. */
static bool take_near_pair(near_search *s, uint32_t stored_x, uint32_t stored_y, const double x[9],
                           const double y[9])
{
    const kiln_pair_visitor *visitor = s->visitor;
    kiln_tri_nearest near;
    if (!kiln_triangles_nearest(x, y, s->limit, &near) || near.value * s->scale > s->distance ||
        (visitor->filter != NULL &&
         !kiln_pair_filter_keeps(visitor->filter, s->frame, stored_x, stored_y))) {
        return true;
    }
    return visitor->visit(visitor->user, s->frame, stored_x, stored_y);
}

/* -------------------------------------------------------------------------- trees of leaves -- */

static bool take_near_leaves(kiln_near_walk *walk, const kiln_tree_box *leaf_x,
                             const kiln_tree_box *leaf_y)
{
    near_search *s = (near_search *)walk->user;
    if (kiln_pair_filter_stops(s->visitor->filter)) {
        return false;
    }
    if (s->x.count == 0 || s->x.first != leaf_x->contents.first) {
        kiln_leaf_triangles_load(&s->x, s->frame, walk->kernel, true, leaf_x->contents);
    }
    if (s->y.count == 0 || s->y.first != leaf_y->contents.first) {
        kiln_leaf_triangles_load(&s->y, s->frame, walk->kernel, false, leaf_y->contents);
    }
    for (uint32_t j = 0; j < s->y.count; j++) {
        for (uint32_t i = 0; i < s->x.count; i++) {
            double x[9], y[9];
            if (kiln_leaf_boxes_gap_squared(&s->x, i, &s->y, j) > s->box_squared) {
                continue;
            }
            for (int k = 0; k < 9; k++) {
                x[k] = s->x.corner[k][i];
                y[k] = s->y.corner[k][j];
            }
            if (!take_near_pair(s, kiln_tree_triangle(s->frame->x, s->x.first + i),
                                kiln_tree_triangle(s->frame->y, s->y.first + j), x, y)) {
                return false;
            }
        }
    }
    return true;
}

static void walk_near_leaves(near_search *s)
{
    kiln_near_walk walk;
    kiln_near_walk_begin(&walk, s->frame, take_near_leaves, s);
    /* Out of sight the walk keeps 2^-38 less than it is told. */
    kiln_near_walk_limit(&walk, s->limit * (1 + 0x1p-36));
    s->box_squared = walk.limit_squared * walk.unit_x * walk.unit_x;
    s->x.count = s->y.count = 0;
    kiln_near_walk_run(&walk);
}

/* ---------------------------------------------------------------------------------- octrees -- */

/* One triangle of an octree, and the box around it in the other tree. */
typedef struct {
    near_search *search;
    const kiln_tree *other;
    bool other_is_x;
    uint32_t stored;
    double corners[9]; /* in X's frame */
    kiln_shape_box box;
    bool stopped;
} octree_search;

static bool take_near_slots(void *user, uint32_t first, uint32_t count)
{
    octree_search *o = (octree_search *)user;
    near_search *s = o->search;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t stored = kiln_tree_triangle(o->other, first + i);
        double corners[9];
        if (!kiln_shape_walk_is_first(o->other, &o->box, first + i)) {
            continue;
        }
        kiln_stored_corners(s->frame, o->other_is_x, stored, corners);
        const bool more = o->other_is_x ? take_near_pair(s, stored, o->stored, corners, o->corners)
                                        : take_near_pair(s, o->stored, stored, o->corners, corners);
        if (!more) {
            o->stopped = true;
            return false;
        }
    }
    return true;
}

/* Each stored triangle of `tree` once. The box of its corners in the frame of comparison, grown
 * by the limit there and 2^-16 of it, holds a point of every triangle that is as near. */
static kiln_status walk_near_triangles(near_search *s, const near_question *q, bool of_a)
{
    const kiln_tree *tree = of_a ? q->a : q->b;
    const bool is_x = of_a != s->frame->swapped;
    const kiln_format_tree *entry = tree->view.entry;
    const double grown = s->limit * (1 + 0x1p-16);
    kiln_placement placement;
    octree_search o;
    const kiln_status status = kiln_placement_between_any(
        &placement, kiln_pair_frame_world(s->frame, q->pose_a, q->pose_b),
        of_a ? q->pose_b : q->pose_a);
    o.search = s;
    o.other = of_a ? q->b : q->a;
    o.other_is_x = !is_x;
    o.stopped = false;
    for (uint32_t i = 0; status == KILN_OK && i < entry->triangle_count && !o.stopped; i++) {
        kiln_shape around = {KILN_SHAPE_BOX, {0, 0, 0}, {0, 0, 0}, 0};
        const double *at = o.corners;
        if (i % TRIANGLES_A_QUESTION == 0 && kiln_pair_filter_stops(s->visitor->filter)) {
            break;
        }
        o.stored = entry->triangle_first + i;
        kiln_stored_corners(s->frame, is_x, o.stored, o.corners);
        for (int k = 0; k < 3; k++) {
            around.a[k] = fmin(at[k], fmin(at[3 + k], at[6 + k])) - grown;
            around.b[k] = fmax(at[k], fmax(at[3 + k], at[6 + k])) + grown;
        }
        kiln_shape_box_form(&o.box, o.other, &placement, &around);
        kiln_shape_walk(o.other, &o.box, take_near_slots, &o);
    }
    return status;
}

/* -------------------------------------------------------------------------------- the query -- */

static kiln_status search_near_pairs(const near_question *q)
{
    kiln_pair_frame frame;
    near_search s;
    if (!(q->distance >= 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        kiln_pair_frame_relate_any_polygons(&frame, q->a, q->pose_a, q->b, q->pose_b);
    if (status != KILN_OK) {
        return status;
    }
    kiln_pair_frame_form_maps(&frame);
    s.frame = &frame;
    s.visitor = q->visitor;
    s.scale = kiln_pose_scale(kiln_pair_frame_world(&frame, q->pose_a, q->pose_b));
    s.distance = q->distance;
    /* As in distance.c: the quotient may round down, and a pair exactly at the distance counts. */
    s.limit = s.distance / s.scale * (s.scale == 1 ? 1 : 1 + 0x1p-50);
    if (q->a->view.kind->shared || q->b->view.kind->shared) {
        return walk_near_triangles(&s, q, q->a->view.kind->shared);
    }
    walk_near_leaves(&s);
    return KILN_OK;
}

/* A source of pairs as kiln_contacts_from wants it. */
static kiln_status find_near_pairs(void *user, const kiln_pair_visitor *visitor)
{
    near_question *q = (near_question *)user;
    q->visitor = visitor;
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, search_near_pairs);
    const kiln_status status = run(q);
    kiln_fpu_leave(caller);
    return kiln_pair_filter_status(visitor->filter, status);
}

kiln_status kiln_near_pairs(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                            const kiln_pose *pose_b, double distance,
                            const kiln_pair_options *options, kiln_pair *pairs, size_t capacity,
                            size_t *count)
{
    near_question q = {a, b, pose_a, pose_b, distance, NULL};
    return kiln_contacts_from(find_near_pairs, &q, a, b, options, pairs, capacity, count);
}

kiln_status kiln_near_pairs_each(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                                 const kiln_pose *pose_b, double distance,
                                 const kiln_pair_options *options, kiln_pair_callback callback,
                                 void *user, size_t *count)
{
    near_question q = {a, b, pose_a, pose_b, distance, NULL};
    return kiln_contacts_each_from(find_near_pairs, &q, options, callback, user, count);
}
