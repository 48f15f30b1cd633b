/* Depth-first descent over pairs of boxes, one opened node a level.
 *
 * A level holds one opened node, decoded, the box of the other tree that it was tested against, and
 * the lanes that may still meet it. The next lane is taken; of lane and box the one with the larger
 * half-area is opened (a leaf never is) and tested against the other: a new level. Two leaves go to
 * the exact test of their triangles. A box is the lane in hand of a level, so none is ever copied.
 *
 * A level is pushed for each opened node, so there are never more levels than the depths of both
 * trees together, and two below them for the boxes where the descent begins: the array of levels
 * has a size fixed at compile time, and the common size keeps a query within 48 KiB of stack.
 *
 * After Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996 (simultaneous descent), with nodes of
 * eight children. */
#include "pair_walk.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "leaf_pair.h"

#include <string.h>

enum {
    BEGINNINGS = 2,                  /* levels for the boxes where a descent begins */
    LEVELS_COMMON = BEGINNINGS + 40, /* depths that add up to 40 */
    LEVELS_MOST = BEGINNINGS + 2 * KILN_TREE_DEPTH_MAX
};

/* How many times as large as a box a leaf must be for its triangles to be tested against the
 * box. */
#define LARGE 8.0f

typedef struct level level;
struct level {
    KILN_ALIGNAS(64)
    kiln_decoded_node opened; /* so that no vector of it lies across two lines of the cache */
    const kiln_format_node8 *node;
    const level *other; /* whose lane in hand the lanes were tested against */
    uint32_t mask;      /* lanes not taken yet */
    /* The lane in hand, to which levels above point. */
    float area; /* half its surface, in square units of X's node space */
    kiln_contents contents;
    bool is_x; /* the opened node is X's */
};

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    const kiln_kernel *kernel;
    kiln_open_node open[2];   /* nodes of Y, of X */
    kiln_box_transform to[2]; /* boxes of X to Y, of Y to X */
    float area_scale[2];
} walk;

static inline unsigned lowest_bit(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* ------------------------------------------------------------------------------- probes -- */

/* Do both trees' boxes lie along the same axes? */
static bool are_parallel(const kiln_pair_frame *frame, const kiln_node_map *map)
{
    bool parallel = frame->x->view.kind->aligned && frame->y->view.kind->aligned;
    for (int i = 0; i < 9; i++) {
        parallel = parallel && map->rotation[i] == (i % 4 == 0 ? 1.0f : 0.0f);
    }
    return parallel;
}

static void make_box_transform(const kiln_pair_frame *frame, bool to_x, bool alike,
                               kiln_box_transform *out)
{
    const kiln_node_map *map = to_x ? &frame->to_x : &frame->to_y;
    for (int j = 0; j < 3; j++) {
        const double *m = map->points.rotation + j;
        const float *r = map->rotation + j;
        out->column_xy[j] = (kiln_two){m[0], m[3]};
        out->column_z[j] = m[6];
        out->rotation[j] = (kiln_quad){r[0], r[3], r[6], 0.0f};
    }
    const double *offset = map->points.translation;
    out->offset_xy = (kiln_two){offset[0], offset[1]};
    out->offset_z = offset[2];
    out->scale = map->scale;
    out->slack = map->scale < KILN_SCALE_MOST ? (float)map->slack : HUGE_VALF;
    out->epsilon = frame->epsilon;
    out->aligned = (to_x ? frame->y : frame->x)->view.kind->aligned;
    out->parallel = are_parallel(frame, map);
    out->alike = alike;
}

/* ------------------------------------------------------------------------------- levels -- */

/* A box that is no lane, as a level whose lane in hand it is. Its centre in double is a float and a
 * rest, which a float holds to 2^-48 of the centre. */
static void begin_level(const kiln_tree_box *box, bool is_x, float org[3], level *out)
{
    for (int k = 0; k < 3; k++) {
        org[k] = (float)box->centre[k];
        out->opened.lanes.centre[k][0] = (float)(box->centre[k] - (double)org[k]);
        out->opened.lanes.half[k][0] = box->half[k];
        for (int j = 0; j < 3; j++) {
            out->opened.lanes.axis[3 * k + j][0] = box->axis[k][j];
        }
    }
    out->opened.org = org;
    out->opened.lane = 0;
    out->area = box->area;
    out->contents = box->contents;
    out->is_x = is_x;
}

/* Opens the lane in hand of `of`, which is inner, against that of `other`, into *at. */
static inline void open_box(const walk *w, const level *of, const level *other, level *at)
{
    const bool is_x = of->is_x;
    KILN_ASSERT(of->contents.count == 0);
    KILN_ASSERT(of->is_x != other->is_x);
    const kiln_format_node8 *node =
        kiln_tree_node(is_x ? w->frame->x : w->frame->y, of->contents.first);
    at->node = node;
    at->other = other;
    at->is_x = is_x;
    at->mask =
        w->open[is_x](node, &w->to[is_x], &other->opened, w->visitor->nearest_first, &at->opened);
    KILN_ASSERT((at->mask & ~(uint32_t)kiln_node8_used(node)) == 0);
}

static inline void take_lane(const walk *w, level *at)
{
    KILN_ASSERT(at->mask != 0);
    uint32_t lane = lowest_bit(at->mask);
    if (w->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        lane = at->opened.order & 7u;
        at->opened.order >>= 3;
    }
    KILN_ASSERT((at->mask >> lane & 1) != 0);
    at->mask &= ~(1u << lane);
    at->opened.lane = lane;
    at->area = at->opened.area[lane] * w->area_scale[at->is_x];
    at->contents = kiln_node8_contents(at->node, lane);
}

/* --------------------------------------------------------------------- a box and a leaf -- */

/* The lane in hand, as the triangles of leaves see it. */
static void place_lane(const walk *w, const level *at, kiln_leaf_box *box)
{
    const bool aligned = (at->is_x ? w->frame->x : w->frame->y)->view.kind->aligned;
    kiln_lane_box lane;
    kiln_tree_box own;
    kiln_lanes_get(&at->opened.lanes, aligned, at->opened.lane, &lane);
    kiln_tree_box_place(&lane, at->opened.org, &own);
    kiln_leaf_box_form(box, w->frame, at->is_x, &own);
}

/* May the lane in hand of `at` meet any of the triangles of the leaf in hand? */
__attribute__((noinline)) static bool reaches_leaf(const walk *w, kiln_leaf_pair *leaves,
                                                   const level *at, const level *leaf)
{
    kiln_leaf_box box;
    place_lane(w, at, &box);
    return kiln_leaf_pair_reach(leaves, w->frame, leaf->is_x, leaf->contents, &box);
}

/* Is opening the lane in hand of `of` against a leaf worth its while? Large triangles may hold
 * all of a small object in the leaf's box, which then separates none of the object's, where they
 * separate nearly all themselves. */
static inline bool may_open(const walk *w, kiln_leaf_pair *leaves, const level *of,
                            const level *leaf)
{
    return !(leaf->area > LARGE * of->area) || w->visitor->boxes ||
           reaches_leaf(w, leaves, of, leaf);
}

/* ------------------------------------------------------------------------------ descent -- */

static void descend(const walk *w, const kiln_tree_box *from_x, const kiln_tree_box *from_y,
                    level *levels)
{
    kiln_leaf_pair leaves;
    float org_x[3], org_y[3];
    level *const bottom = levels + BEGINNINGS;
    begin_level(from_x, true, org_x, &levels[0]);
    begin_level(from_y, false, org_y, &levels[1]);
    kiln_leaf_pair_begin(&leaves, w->kernel);
    level *at = bottom - 1;
    const level *lane = &levels[0], *other = &levels[1];
    for (;;) {
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        if (is_leaf && other_is_leaf) {
            if (!kiln_leaf_pair_meet(&leaves, w->frame, w->visitor,
                                     lane->is_x ? lane->contents : other->contents,
                                     lane->is_x ? other->contents : lane->contents)) {
                return;
            }
        } else {
            const bool first = other_is_leaf || (!is_leaf && lane->area >= other->area);
            const level *of = first ? lane : other, *against = first ? other : lane;
            if (is_leaf == other_is_leaf || may_open(w, &leaves, of, against)) {
                at++;
                KILN_ASSERT(at - levels < LEVELS_MOST);
                open_box(w, of, against, at);
            }
        }
        while (at >= bottom && at->mask == 0) {
            at--;
        }
        if (at < bottom) {
            return;
        }
        take_lane(w, at);
        lane = at;
        other = at->other;
    }
}

/* Two frames of the stack for two depths, apart from each other: were both in one function, every
 * query would touch the larger. */
__attribute__((noinline)) static void descend_common(const walk *w, const kiln_tree_box *from_x,
                                                     const kiln_tree_box *from_y)
{
    level levels[LEVELS_COMMON];
    descend(w, from_x, from_y, levels);
}

__attribute__((noinline)) static void descend_deep(const walk *w, const kiln_tree_box *from_x,
                                                   const kiln_tree_box *from_y)
{
    level levels[LEVELS_MOST];
    descend(w, from_x, from_y, levels);
}

void kiln_pair_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                         const kiln_tree_box *from_y, const kiln_pair_visitor *visitor)
{
    const kiln_kernel *kernel = kiln_kernel_active();
    KILN_ASSERT(kernel != NULL);
    KILN_ASSERT(visitor->visit != NULL);
    KILN_ASSERT(visitor->boxes || kiln_tree_has_polygons(frame->x));
    KILN_ASSERT(visitor->boxes || kiln_tree_has_polygons(frame->y));
    walk w = {.frame = frame, .visitor = visitor, .kernel = kernel};
    w.open[1] = kiln_kernel_of(kernel, frame->x->view.kind)->open;
    w.open[0] = kiln_kernel_of(kernel, frame->y->view.kind)->open;
    make_box_transform(frame, true, visitor->boxes, &w.to[1]);
    make_box_transform(frame, false, visitor->boxes, &w.to[0]);
    w.area_scale[1] = kiln_area_scale(frame, true);
    w.area_scale[0] = kiln_area_scale(frame, false);
    if (frame->x->view.entry->depth + frame->y->view.entry->depth <= LEVELS_COMMON - BEGINNINGS) {
        descend_common(&w, from_x, from_y);
    } else {
        descend_deep(&w, from_x, from_y);
    }
}

static kiln_status walk_trees(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                              const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    kiln_pair_frame frame;
    kiln_tree_box root_x, root_y;
    const kiln_status status = kiln_pair_frame_relate(&frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (!visitor->boxes && (!kiln_tree_has_polygons(a) || !kiln_tree_has_polygons(b))) {
        return kiln_trees_lack(a, b);
    }
    if (kiln_roots_may_meet(&frame)) {
        kiln_pair_frame_form_maps(&frame);
        kiln_tree_box_root(&frame, true, &root_x);
        kiln_tree_box_root(&frame, false, &root_y);
        kiln_pair_walk_from(&frame, &root_x, &root_y, visitor);
    }
    return KILN_OK;
}

kiln_status kiln_pair_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, walk_trees);
    const kiln_status status = run(a, pose_a, b, pose_b, visitor);
    kiln_fpu_leave(caller);
    return kiln_pair_filter_status(visitor->filter, status);
}
