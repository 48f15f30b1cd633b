/* How far apart are two surfaces, and are they within a distance?
 *
 * The answer is the least of kiln_triangles_nearest over all pairs of triangles, and of equal
 * pairs the first by the ids of X's and then of Y's triangle. Boxes and single triangles are
 * left out only where they are proved to be further than the best so far, so neither kinds of
 * tree nor orders of traversal enter into it. */
#include "query.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../walk/leaf_pair.h"
#include "../walk/near_walk.h"
#include "../exact/exact.h"
#include "../pose/world.h"

#include <string.h>

/* A leaf's triangles along the line between the best pair's nearest points: their near ends, as the
 * least of X and the most of Y. */
typedef struct {
    uint32_t first, line; /* of which leaf, along which line; line 0: none */
    double end[KILN_LEAF_TRIANGLES_MAX];
} shadows;

/* One query, and the best pair so far. */
typedef struct {
    const kiln_pair_frame *frame;
    double relative, absolute;
    double limit;                   /* a pair that is further counts for nothing; in X's frame */
    kiln_pair_filter_bound *filter; /* NULL: all pairs count */
    double scale;                   /* of X: distances by it are those that callers see */
    double beyond;                  /* and those are no greater than this */
    bool any;                       /* the first pair within the limit will do */
    bool found;
    kiln_tri_nearest near;
    uint32_t stored_x, stored_y, id_x, id_y;
    double box_limit, box_squared; /* of boxes and shadows of triangles */
    kiln_leaf_triangles x, y;
    shadows of_x, of_y;
    uint32_t line;   /* the number of the line for shadows, which changes with the best pair */
    double along[3]; /* unit, from its point on Y to that on X */
} search;

/* What a further pair has to be within, to matter. */
static void lower_limits(search *s, kiln_near_walk *walk)
{
    /* Out of sight a limit is cut by 2^-38 of itself, and a pair at what was asked counts. */
    double limit = s->limit * (1 + 0x1p-36);
    if (s->found) {
        /* A pair matters only if it is better than the best by more than the error that the caller
         * allows: value > (1 + relative) * d + absolute for its distance d. */
        limit = (s->near.value - s->absolute) / (1 + s->relative);
        limit = limit < s->limit ? limit : s->limit;
    }
    kiln_near_walk_limit(walk, limit);
    s->box_squared = walk->limit_squared * walk->unit_x * walk->unit_x;
    s->box_limit = sqrt(s->box_squared);
}

/* Equal distances are decided by ids, so that answers do not depend on the order of visits. */
static bool comes_first(const search *s, double value, uint32_t id_x, uint32_t id_y)
{
    if (!s->found || value != s->near.value) {
        return !s->found || value < s->near.value;
    }
    return id_x != s->id_x ? id_x < s->id_x : id_y < s->id_y;
}

/* Takes a pair that is better than the best. */
static bool try_pair(search *s, const double x[9], const double y[9], uint32_t stored_x,
                     uint32_t stored_y)
{
    kiln_tri_nearest near;
    /* Equal distances still pass this limit, as comes_first decides between them by ids. The
     * caller's filter comes last, for pairs that would become the best. */
    if (!kiln_triangles_nearest(x, y, s->found ? s->near.value : s->limit, &near) ||
        near.value * s->scale > s->beyond) {
        return false;
    }
    const uint32_t id_x = kiln_tree_id(s->frame->x, stored_x),
                   id_y = kiln_tree_id(s->frame->y, stored_y);
    if (!comes_first(s, near.value, id_x, id_y) ||
        (s->filter != NULL && !kiln_pair_filter_keeps(s->filter, s->frame, stored_x, stored_y))) {
        return false;
    }
    s->found = true;
    s->near = near;
    s->stored_x = stored_x;
    s->stored_y = stored_y;
    s->id_x = id_x;
    s->id_y = id_y;
    return true;
}

/* Nothing can be better, or need not be. */
static bool is_done(const search *s)
{
    return s->found && (s->any || s->near.value <= s->absolute);
}

/* ---------------------------------------------------------------------------------- leaves -- */

/* The line for shadows: that of the best pair. Most pairs of triangles near it are seen to be
 * further along it, at the cost of a comparison. */
static void aim_shadows(search *s, kiln_near_walk *walk)
{
    double squared = 0;
    for (int k = 0; k < 3; k++) {
        squared += s->near.apart[k] * s->near.apart[k];
    }
    KILN_ASSERT(s->found);
    /* A best pair that meets has no direction; the shadows stay those of the line before, or none.
     */
    const double length = sqrt(squared);
    if (length > 0 && length < HUGE_VAL) {
        s->line++;
        for (int k = 0; k < 3; k++) {
            s->along[k] = s->near.apart[k] / length;
        }
        kiln_near_walk_line(walk, s->along);
    }
}

/* Positions are taken from the best pair, so that what rounding they have is that of differences.
 */
static void cast_shadows(const search *s, const kiln_leaf_triangles *leaf, double sign,
                         shadows *out)
{
    if (out->line == s->line && out->first == leaf->first) {
        return;
    }
    KILN_ASSERT(s->found);
    KILN_ASSERT(leaf->count <= KILN_LEAF_TRIANGLES_MAX);
    out->line = s->line;
    out->first = leaf->first;
    for (uint32_t i = 0; i < leaf->count; i++) {
        double place[3];
        for (int c = 0; c < 3; c++) {
            place[c] = 0;
            for (int k = 0; k < 3; k++) {
                place[c] += sign * ((leaf->corner[3 * c + k][i] - s->near.on_x[k]) * s->along[k]);
            }
        }
        const double low = place[0] < place[1] ? place[0] : place[1];
        out->end[i] = low < place[2] ? low : place[2];
    }
}

/* Shadows are kept for a leaf until it or the line changes, since a walk meets a leaf with several
 * others in succession. */
static void cast_both(search *s)
{
    if (s->line != 0) {
        cast_shadows(s, &s->x, 1, &s->of_x);
        cast_shadows(s, &s->y, -1, &s->of_y);
    }
}

/* All pairs of triangles of two leaves. Each that is better than the best lowers what is looked
 * at from then on, in these leaves and in the walk. False: nothing can be better, or the caller
 * stops the query. */
static bool visit_leaves(kiln_near_walk *walk, const kiln_tree_box *leaf_x,
                         const kiln_tree_box *leaf_y)
{
    search *s = (search *)walk->user;
    if (kiln_pair_filter_stops(s->filter)) {
        return false;
    }
    if (s->x.count == 0 || s->x.first != leaf_x->contents.first) {
        kiln_leaf_triangles_load(&s->x, s->frame, walk->kernel, true, leaf_x->contents);
    }
    if (s->y.count == 0 || s->y.first != leaf_y->contents.first) {
        kiln_leaf_triangles_load(&s->y, s->frame, walk->kernel, false, leaf_y->contents);
    }
    KILN_ASSERT(s->x.count <= KILN_LEAF_TRIANGLES_MAX);
    KILN_ASSERT(s->y.count <= KILN_LEAF_TRIANGLES_MAX);
    cast_both(s);
    for (uint32_t j = 0; j < s->y.count; j++) {
        for (uint32_t i = 0; i < s->x.count; i++) {
            /* Farther than matters, by the shadows or by the boxes? */
            if ((s->line != 0 && s->of_x.end[i] + s->of_y.end[j] > s->box_limit) ||
                kiln_leaf_boxes_gap_squared(&s->x, i, &s->y, j) > s->box_squared) {
                continue;
            }
            double x[9], y[9];
            for (int k = 0; k < 9; k++) {
                x[k] = s->x.corner[k][i];
                y[k] = s->y.corner[k][j];
            }
            if (!try_pair(s, x, y, kiln_tree_triangle(s->frame->x, s->x.first + i),
                          kiln_tree_triangle(s->frame->y, s->y.first + j))) {
                continue;
            }
            if (is_done(s)) {
                return false;
            }
            lower_limits(s, walk);
            aim_shadows(s, walk);
            cast_both(s);
        }
    }
    return true;
}

/* ----------------------------------------------------------------------------------- hints -- */

/* A hint that is good lowers the limit before the walk begins; a bad one costs one pair. */
static void try_hint(search *s, kiln_hint hint)
{
    uint32_t stored_x, stored_y;
    double x[9], y[9];
    if (kiln_hint_corners(s->frame, hint, &stored_x, &stored_y, x, y)) {
        (void)try_pair(s, x, y, stored_x, stored_y);
    }
}

/* --------------------------------------------------------------------------------- answers -- */

typedef struct {
    const kiln_tree *a, *b;
    const kiln_pose *pose_a, *pose_b;
    kiln_pair_options options;
    bool any;
    kiln_pair_filter_bound *filter;
} question;

/* The answer as the caller sees it: in the frame of the poses, A first, whichever tree was X. */
static void fill_answer(search *s, const question *q, kiln_nearest *out)
{
    memset(out, 0, sizeof *out);
    out->distance = q->options.beyond;
    if (!s->found) {
        return;
    }
    if (!(s->near.value > 0)) { /* they meet: nearest points and normal are those of the contact */
        double x[9], y[9];
        kiln_tri_contact contact;
        kiln_stored_corners(s->frame, true, s->stored_x, x);
        kiln_stored_corners(s->frame, false, s->stored_y, y);
        kiln_pair_contact(s->frame, x, y, &contact);
        for (int k = 0; k < 3; k++) {
            s->near.on_x[k] = contact.from[k] + (contact.to[k] - contact.from[k]) / 2;
            s->near.on_y[k] = s->near.on_x[k];
            s->near.apart[k] = contact.normal[k];
        }
    }
    const bool swapped = s->frame->swapped;
    const kiln_pose *pose = kiln_pair_frame_world(s->frame, q->pose_a, q->pose_b);
    out->found = true;
    out->distance = s->near.value * s->scale;
    out->pair = kiln_pair_named(s->frame, s->stored_x, s->stored_y);
    out->hint = kiln_pair_hint(s->frame, s->stored_x, s->stored_y);
    kiln_world_point(pose, swapped ? s->near.on_y : s->near.on_x, out->point_a);
    kiln_world_point(pose, swapped ? s->near.on_x : s->near.on_y, out->point_b);
    kiln_world_normal(pose, s->near.apart, swapped ? -1 : 1, out->normal);
}

/* The whole query, in the environment of queries: frame, hint, walk, answer. */
static kiln_status answer_question(const question *q, kiln_nearest *out)
{
    kiln_pair_frame frame;
    const kiln_pair_options *options = &q->options;
    if (!(options->beyond >= 0 && options->relative >= 0 && options->relative < HUGE_VAL &&
          options->absolute >= 0 && options->absolute < HUGE_VAL)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        kiln_pair_frame_relate_any_polygons(&frame, q->a, q->pose_a, q->b, q->pose_b);
    if (status != KILN_OK) {
        return status;
    }
    kiln_pair_frame_form_maps(&frame);
    search s;
    kiln_near_walk walk;
    s.frame = &frame;
    s.filter = q->filter;
    s.relative = q->options.relative;
    s.scale = kiln_pose_scale(kiln_pair_frame_world(&frame, q->pose_a, q->pose_b));
    s.absolute = q->options.absolute / s.scale;
    KILN_ASSERT(s.scale > 0);
    s.beyond = q->options.beyond;
    /* The quotient may round down, and a pair exactly at `beyond` has to count: the limit gets a
     * few ulps more, and try_pair compares with `beyond` itself. */
    s.limit = s.beyond / s.scale * (s.scale == 1 ? 1 : 1 + 0x1p-50);
    s.any = q->any;
    s.found = false;
    s.x.count = 0;
    s.y.count = 0;
    s.line = s.of_x.line = s.of_y.line = 0;
    kiln_near_walk_begin(&walk, &frame, visit_leaves, &s);
    try_hint(&s, q->options.hint);
    if (!is_done(&s)) {
        lower_limits(&s, &walk);
        if (s.found) {
            aim_shadows(&s, &walk);
        }
        kiln_near_walk_run(&walk);
    }
    fill_answer(&s, q, out);
    return KILN_OK;
}

/* The filter is bound before the change of environment, as it has to note the caller's. */
static kiln_status answer_in_environment(question *q, kiln_nearest *out)
{
    kiln_pair_filter_bound filter;
    q->filter = kiln_pair_filter_bind(&q->options, &filter);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_ASSERT(out != NULL);
    KILN_FPU_CALL(run, answer_question);
    const kiln_status status = run(q, out);
    kiln_fpu_leave(caller);
    return kiln_pair_filter_status(q->filter, status);
}

kiln_status kiln_distance(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                          const kiln_pose *pose_b, const kiln_pair_options *options,
                          kiln_nearest *nearest)
{
    kiln_nearest found;
    question q = {a, b, pose_a, pose_b, kiln_pair_options_of(options), false, NULL};
    if (nearest == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = answer_in_environment(&q, &found);
    if (status == KILN_OK) {
        *nearest = found;
    }
    return status;
}

/* The first pair within `distance` decides the answer. The tolerances of the options concern the
 * least distance, so they are ignored here. */
kiln_status kiln_within(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                        const kiln_pose *pose_b, double distance, const kiln_pair_options *options,
                        kiln_hit *hit)
{
    kiln_nearest found;
    question q = {a, b, pose_a, pose_b, kiln_pair_options_of(options), true, NULL};
    q.options.beyond = distance;
    q.options.relative = q.options.absolute = 0;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = answer_in_environment(&q, &found);
    if (status == KILN_OK) {
        memset(hit, 0, sizeof *hit);
        hit->found = found.found;
        hit->pair = found.pair;
        hit->hint = found.hint;
    }
    return status;
}
