/* Depth-first descent over pairs of boxes, one opened node a level.
 *
 * A level holds one opened node, decoded, the box of the other tree that it was tested against, and
 * the lanes that may still meet it. The next lane is taken; of lane and box the one with the larger
 * half-area is opened (a leaf never is) and tested against the other: a new level. Two leaves go to
 * the exact test of their triangles. A level is pushed for each opened node, so there are never more
 * levels than the depths of both trees together, and one for the roots: the array of levels has a
 * size fixed at compile time, and the common size keeps a query within 48 KiB of stack.
 *
 * After Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996 (simultaneous descent), with nodes of
 * eight children. */
#include "pair_walk.h"

#include "fpu.h"
#include "leaf_pair.h"

enum {
    LEVELS_COMMON = 42, /* depths that add up to 40, the roots, one spare */
    LEVELS_MOST = 2 * KILN_TREE_DEPTH_MAX + 2
};

typedef struct {
    kiln_lanes lanes;
    const kiln_format_node8 *node;
    kiln_tree_box lane_box; /* the lane in hand; the opened box of the level below points here */
    const kiln_tree_box *other; /* the other tree's box that the lanes were tested against */
    uint32_t mask;              /* lanes not taken yet */
    uint32_t order;             /* nearest first: lanes as octal digits, next one lowest; else 0 */
    uint8_t opened_x;           /* the opened node is X's */
    uint8_t aligned;            /* its lanes are axis-aligned: lanes.axis is not set */
} level;

typedef struct {
    const kiln_pair_frame *frame;
    const kiln_pair_visitor *visitor;
    const kiln_kernel *kernel;
    float area_scale_y; /* of kiln_area_scale */
} walk;

static inline unsigned lowest_bit(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* ------------------------------------------------------------------------------- boxes -- */

/* Lane `lane` of an opened node as a box that stands on its own. */
static void take_lane(const walk *w, const level *at, unsigned lane, kiln_tree_box *box)
{
    for (int k = 0; k < 3; k++) {
        box->centre[k] = (double)at->node->org[k] + (double)at->lanes.centre[k][lane];
        box->half[k] = at->lanes.half[k][lane];
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] =
                at->aligned ? (j == k ? 1.0f : 0.0f) : at->lanes.axis[3 * k + j][lane];
        }
    }
    box->area = kiln_half_area(box->half) * (at->opened_x ? 1.0f : w->area_scale_y);
    kiln_tree_box_contents(box, at->node, lane);
}

/* The hit lanes as octal digits, the one whose centre is nearest to the probe's lowest. */
static uint32_t order_by_distance(const kiln_lanes *lanes, const kiln_probe *probe, uint32_t mask)
{
    float distance[8];
    uint32_t lane[8];
    uint32_t count = 0;
    for (; mask != 0; mask &= mask - 1) {
        const uint32_t i = lowest_bit(mask);
        const float x = probe->centre[0] - lanes->centre[0][i];
        const float y = probe->centre[1] - lanes->centre[1][i];
        const float z = probe->centre[2] - lanes->centre[2][i];
        const float d = x * x + y * y + z * z;
        uint32_t place = count++;
        while (place > 0 && d < distance[place - 1]) {
            distance[place] = distance[place - 1];
            lane[place] = lane[place - 1];
            place--;
        }
        distance[place] = d;
        lane[place] = i;
    }
    uint32_t order = 0;
    while (count > 0) {
        order = order << 3 | lane[--count];
    }
    return order;
}

/* Opens inner box `opened` of the tree that `is_x` says, against `other`, into *at. */
static void open_box(const walk *w, const kiln_tree_box *opened, bool is_x,
                     const kiln_tree_box *other, level *at)
{
    const kiln_tree *tree = is_x ? w->frame->x : w->frame->y;
    at->node = kiln_tree_node(tree, opened->first);
    at->other = other;
    at->opened_x = is_x;
    at->aligned = tree->kind->aligned;
    kiln_probe probe;
    kiln_make_probe(is_x ? &w->frame->to_x : &w->frame->to_y, other, at->node->org,
                    w->frame->epsilon, &probe);
    tree->kind->decode(at->node, &at->lanes);
    at->mask = (tree->kind->aligned ? w->kernel->overlap_aligned : w->kernel->overlap)(
        &at->lanes, &probe, kiln_node8_used(at->node));
    at->order = 0;
    if (w->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        at->order = order_by_distance(&at->lanes, &probe, at->mask);
    }
}

static unsigned next_lane(const walk *w, level *at)
{
    unsigned lane;
    if (w->visitor->nearest_first && (at->mask & (at->mask - 1)) != 0) {
        lane = at->order & 7u;
        at->order >>= 3;
    } else {
        lane = lowest_bit(at->mask);
    }
    at->mask &= ~(1u << lane);
    return lane;
}

/* ------------------------------------------------------------------------------ descent -- */

/* Does box `p` go before `q`: is it the one to open? At least one of them is inner. */
static bool opens_first(const kiln_tree_box *p, const kiln_tree_box *q)
{
    return p->count == 0 && (q->count != 0 || p->area >= q->area);
}

static void descend(const walk *w, const kiln_tree_box *from_x, const kiln_tree_box *from_y,
                    level *levels)
{
    kiln_leaf_pair leaves;
    kiln_leaf_pair_begin(&leaves);
    if (from_x->count != 0 && from_y->count != 0) {
        (void)kiln_leaf_pair_meet(&leaves, w->frame, w->visitor, from_x, from_y);
        return;
    }
    const bool x_first = opens_first(from_x, from_y);
    open_box(w, x_first ? from_x : from_y, x_first, x_first ? from_y : from_x, levels);
    level *at = levels;
    for (;;) {
        while (at->mask == 0) {
            if (at == levels) {
                return;
            }
            at--;
        }
        take_lane(w, at, next_lane(w, at), &at->lane_box);
        const kiln_tree_box *lane = &at->lane_box;
        const kiln_tree_box *other = at->other;
        if (lane->count != 0 && other->count != 0) {
            if (!kiln_leaf_pair_meet(&leaves, w->frame, w->visitor, at->opened_x ? lane : other,
                                     at->opened_x ? other : lane)) {
                return;
            }
        } else if (opens_first(lane, other)) {
            open_box(w, lane, at->opened_x, other, at + 1);
            at++;
        } else {
            open_box(w, other, !at->opened_x, lane, at + 1);
            at++;
        }
    }
}

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
    const walk w = {frame, visitor, kiln_kernel_active(), kiln_area_scale(frame, false)};
    if (frame->x->entry->depth + frame->y->entry->depth + 1 <= LEVELS_COMMON) {
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
    const kiln_status status = kiln_pair_frame_form(&frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (!visitor->boxes && (!kiln_tree_has_polygons(a) || !kiln_tree_has_polygons(b))) {
        return KILN_ERROR_NOT_LOADED;
    }
    kiln_tree_box_root(&frame, true, &root_x);
    kiln_tree_box_root(&frame, false, &root_y);
    if (kiln_roots_may_meet(&frame, kiln_kernel_active(), &root_x, &root_y)) {
        kiln_pair_walk_from(&frame, &root_x, &root_y, visitor);
    }
    return KILN_OK;
}

kiln_status kiln_pair_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    const kiln_fpu_state caller = kiln_fpu_enter();
    kiln_status (*volatile run)(const kiln_tree *, const kiln_pose *, const kiln_tree *,
                                const kiln_pose *, const kiln_pair_visitor *) = walk_trees;
    const kiln_status status = run(a, pose_a, b, pose_b, visitor);
    kiln_fpu_leave(caller);
    return status;
}
