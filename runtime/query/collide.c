/* Do two surfaces meet? The walk of the pair of trees (pair_walk.c) ends with the first pair of
 * triangles that meets, which is the witness. The same walk, stopped at boxes of leaves,
 * answers for boxes alone; and two single triangles need no tree. */
#include "query.h"

#include "../walk/pair_walk.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"
#include "../base/fpu.h"

#include <string.h>

/* The visitor returns false, which ends the walk: one witness is enough. */
bool kiln_hit_take(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    kiln_hit *hit = (kiln_hit *)user;
    KILN_ASSERT(!hit->found);
    hit->found = true;
    hit->pair = kiln_pair_named(frame, x, y);
    hit->hint = kiln_pair_hint(frame, x, y);
    return false;
}

/* The answer is written only if the walk succeeds, so that a caller who ignores the status can't
 * take half an answer for a whole one. No triangle is found first by rule: which pair becomes the
 * witness is up to the order of the walk. */
static kiln_status collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_pair_options *options, kiln_hit *hit,
                           kiln_work *work)
{
    kiln_hit found;
    kiln_pair_filter_bound filter;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&found, 0, sizeof found);
    const kiln_pair_visitor visitor = {
        kiln_hit_take, &found, true, false, kiln_pair_filter_bind(options, &filter), work};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}

kiln_status kiln_collide(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                         const kiln_pose *pose_b, const kiln_pair_options *options, kiln_hit *hit)
{
    return collide(a, pose_a, b, pose_b, options, hit, NULL);
}

/* As for the answer, half the counts would be worse than none: they are copied at the end. */
kiln_status kiln_collide_work(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                              const kiln_pose *pose_b, const kiln_pair_options *options,
                              kiln_hit *hit, kiln_work *work)
{
    kiln_work done = {0, 0, 0, 0};
    if (work == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = collide(a, pose_a, b, pose_b, options, hit, &done);
    if (status == KILN_OK) {
        *work = done;
    }
    return status;
}

/* In a walk that stops at boxes there are no triangles to be named. */
static bool take_boxes(void *user, const kiln_pair_frame *frame, uint32_t x, uint32_t y)
{
    (void)frame;
    (void)x;
    (void)y;
    KILN_ASSERT(!*(bool *)user);
    *(bool *)user = true;
    return false;
}

/* The boxes bound the surfaces, so false proves that these don't meet, while true proves nothing.
 * A filter of pairs is not taken: there are no triangles that it could be called with. */
kiln_status kiln_collide_boxes(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                               const kiln_pose *pose_b, bool *found)
{
    if (found == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    bool any = false;
    const kiln_pair_visitor visitor = {take_boxes, &any, true, true, NULL, NULL};
    const kiln_status status = kiln_pair_walk(a, pose_a, b, pose_b, &visitor);
    if (status == KILN_OK) {
        *found = any;
    }
    return status;
}

/* Coordinates must be 0, or of a magnitude that the predicates take; a NaN is neither. */
static bool both_meet(const double a[9], const double b[9], bool *meet)
{
    for (int i = 0; i < 18; i++) {
        const double size = fabs(i < 9 ? a[i] : b[i - 9]);
        if (!(size == 0.0 || (size >= KILN_EXACT_MIN && size <= KILN_EXACT_MAX))) {
            return false;
        }
    }
    *meet = kiln_exact_triangles_meet(a, b);
    return true;
}

/* Coordinates are nine doubles, corner by corner, of both in one frame. The answer is exact for
 * the numbers as given; *meet is unchanged if an argument is refused. */
kiln_status kiln_triangles_meet(const double a[9], const double b[9], bool *meet)
{
    if (a == NULL || b == NULL || meet == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, both_meet);
    const bool good = run(a, b, meet);
    kiln_fpu_leave(caller);
    return good ? KILN_OK : KILN_ERROR_ARGUMENT;
}
