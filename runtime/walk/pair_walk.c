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

#include "../base/fpu.h"
#include "once.h"

enum { LEVELS_COMMON = KILN_LEVELS_BELOW + 40 }; /* depths that add up to 40 */

/* `work` is a constant wherever this is inlined: where it is NULL no instruction counts. */
static inline __attribute__((always_inline)) void descend(const kiln_descent *d,
                                                          const kiln_tree_box *from_x,
                                                          const kiln_tree_box *from_y,
                                                          kiln_level *levels, kiln_work *work)
{
    kiln_leaf_pair leaves;
    kiln_probe probe;
    float org_x[3], org_y[3];
    kiln_level *const bottom = levels + KILN_LEVELS_BELOW;
    kiln_level_begin(from_x, true, org_x, &levels[0]);
    kiln_level_begin(from_y, false, org_y, &levels[1]);
    kiln_leaf_pair_begin(&leaves, d->kernel);
    kiln_once once;
    if (kiln_once_is_needed(d->frame, d->visitor)) {
        kiln_once_begin(&once, d, from_y, from_x, false);
        leaves.once = &once;
    }
    kiln_level *at = bottom - 1;
    const kiln_level *lane = &levels[0], *other = &levels[1];
    for (;;) {
        const bool is_leaf = lane->contents.count != 0, other_is_leaf = other->contents.count != 0;
        if (is_leaf && other_is_leaf) {
            if (work != NULL) {
                work->leaf_pairs++;
                work->triangle_pairs += (uint64_t)lane->contents.count * other->contents.count;
            }
            if (!kiln_leaf_pair_meet(&leaves, d->frame, d->visitor,
                                     lane->is_x ? lane->contents : other->contents,
                                     lane->is_x ? other->contents : lane->contents)) {
                return;
            }
        } else {
            const bool first = other_is_leaf || (!is_leaf && lane->area >= other->area);
            const kiln_level *of = first ? lane : other, *against = first ? other : lane;
            if (is_leaf == other_is_leaf || kiln_level_may_open(d, &leaves, of, against)) {
                at++;
                KILN_ASSERT(at - levels < KILN_LEVELS_MOST);
                kiln_level_open(d, d->visitor->nearest_first, of, against, at, &probe);
                if (work != NULL) {
                    work->nodes++;
                    work->volume_pairs += kiln_popcount8(kiln_node8_used(at->opened.node));
                }
            }
        }
        while (at >= bottom && at->mask == 0) {
            at--;
        }
        if (at < bottom) {
            return;
        }
        kiln_level_take(d, at);
        lane = at;
        other = at->other;
    }
}

/* Frames of the stack of their own for two depths and for counting, apart from each other: were
 * both in one function, every query would touch the larger. */
__attribute__((noinline)) static void
descend_common(const kiln_descent *d, const kiln_tree_box *from_x, const kiln_tree_box *from_y)
{
    kiln_level levels[LEVELS_COMMON];
    descend(d, from_x, from_y, levels, NULL);
}

__attribute__((noinline)) static void
descend_deep(const kiln_descent *d, const kiln_tree_box *from_x, const kiln_tree_box *from_y)
{
    kiln_level levels[KILN_LEVELS_MOST];
    descend(d, from_x, from_y, levels, NULL);
}

__attribute__((noinline)) static void
descend_counted(const kiln_descent *d, const kiln_tree_box *from_x, const kiln_tree_box *from_y)
{
    kiln_level levels[KILN_LEVELS_MOST];
    descend(d, from_x, from_y, levels, d->visitor->work);
}

void kiln_pair_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                         const kiln_tree_box *from_y, const kiln_pair_visitor *visitor)
{
    kiln_descent d;
    kiln_descent_make(frame, visitor, visitor->boxes || visitor->work != NULL, &d);
    if (visitor->work != NULL) {
        descend_counted(&d, from_x, from_y);
    } else if (frame->x->view.entry->depth + frame->y->view.entry->depth <=
               LEVELS_COMMON - KILN_LEVELS_BELOW) {
        descend_common(&d, from_x, from_y);
    } else {
        descend_deep(&d, from_x, from_y);
    }
}

static kiln_status walk_trees(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                              const kiln_pose *pose_b, const kiln_pair_visitor *visitor)
{
    kiln_pair_frame frame;
    kiln_tree_box root_x, root_y;
    const kiln_status status =
        visitor->boxes ? kiln_pair_frame_relate_any(&frame, a, pose_a, b, pose_b)
                       : kiln_pair_frame_relate_any_polygons(&frame, a, pose_a, b, pose_b);
    if (status != KILN_OK) {
        return status;
    }
    if (visitor->work != NULL) {
        visitor->work->volume_pairs++; /* the boxes of the two trees */
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
