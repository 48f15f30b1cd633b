/* How far is a convex shape from a surface, and is it within a distance?
 *
 * The answer is the least of kiln_convex_triangle_nearest over all triangles, carried into the
 * shape's frame, and of equal ones the one of the least id. Boxes and triangles are left out only
 * where they are proved to be farther than the best so far, so neither kinds of tree nor orders of
 * traversal enter into it. */
#include "../exact/convex_triangle.h"
#include "../exact/exact.h"
#include "../walk/leaf_pair.h"
#include "../walk/shape_near_walk.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../pose/world.h"
#include "query.h"

#include <math.h>
#include <string.h>

typedef struct {
    const kiln_tree *tree;
    const kiln_pose *pose, *pose_shape;
    kiln_pose world;      /* `pose_shape` where the shape's own is affine: its translation */
    kiln_transform carry; /* all else of it */
    const kiln_convex *shape;
    kiln_shape_options options;
    bool any;
    kiln_mesh_filter filter;
} shape_question;

/* One query, and the best triangle so far. */
typedef struct {
    shape_question *question;
    kiln_convex_core core;
    kiln_placement placement;
    double scale; /* of the shape: distances by it are those that callers see */
    double relative, absolute;
    double limit; /* a triangle that is farther counts for nothing; in the shape's frame */
    bool found, stopped;
    kiln_convex_nearest near;
    uint32_t stored, id;
    double hull_limit; /* what may matter, from the hull without its radius */
    double box_limit;  /* and from the box, or the middle, that stands for the hull */
    double lower[3], upper[3];
    /* Unit vectors from hull to mesh, and how far the hull reaches along them: of the best triangle
     * and of the last one that was too far. 0: none. */
    double along[2][3], reach[2];
    kiln_leaf_triangles leaf;
} shape_search;

kiln_shape_options kiln_shape_options_default(void)
{
    kiln_shape_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.beyond = HUGE_VAL;
    return options;
}

/* The filter and what stops a query are the caller's code, which runs in its environment; out of
 * line, so that no arithmetic moves across the change. */
__attribute__((noinline)) static bool is_stopped(shape_search *s)
{
    const kiln_shape_options *options = &s->question->options;
    if (options->stop == NULL) {
        return false;
    }
    kiln_fpu_leave(s->question->filter.caller);
    s->stopped = options->stop(options->stop_user);
    s->question->filter.caller = kiln_fpu_enter();
    return s->stopped;
}

/* What a further triangle has to be within, to matter. */
static void lower_limit(shape_search *s, kiln_shape_near_walk *walk)
{
    /* Out of sight a limit is cut by 2^-38 of itself, and a triangle at what was asked counts. */
    double limit = s->limit * (1 + 0x1p-36);
    if (s->found) {
        const double better = (s->near.value - s->absolute) / (1 + s->relative);
        limit = better < limit ? better : limit;
    }
    s->hull_limit = kiln_shape_near_walk_limit(walk, limit >= 0 ? limit + s->core.radius : -1);
    s->box_limit = s->hull_limit + (s->core.round ? s->core.around : 0);
}

/* Where integers found the best triangle: the line from the hull to it. */
static void find_line(shape_search *s, double line[3])
{
    const double *v = s->near.apart;
    const double most = kiln_larger(fabs(v[0]), kiln_larger(fabs(v[1]), fabs(v[2])));
    if (!(most > 0 && most < HUGE_VAL)) {
        return;
    }
    const double unit[3] = {v[0] / most, v[1] / most, v[2] / most};
    const double length = sqrt(kiln_dot(unit, unit));
    for (int k = 0; k < 3; k++) {
        line[k] = unit[k] / length;
    }
    s->near.reach = kiln_convex_reach(&s->core, line);
}

/* The line along which the best triangle and the hull are apart: most others are seen to be farther
 * along it. */
static void aim_line(shape_search *s, kiln_shape_near_walk *walk)
{
    double *line = s->near.line;
    if (line[0] == 0 && line[1] == 0 && line[2] == 0) {
        find_line(s, line);
    }
    memcpy(s->along[0], line, sizeof s->along[0]);
    s->reach[0] = s->near.reach;
    kiln_shape_near_walk_line(walk, line);
}

/* Takes a triangle that is better than the best. */
static bool try_triangle(shape_search *s, uint32_t stored, const double corners[9])
{
    kiln_convex_nearest near;
    const kiln_tree *tree = s->question->tree;
    const uint32_t id = kiln_tree_id(tree, stored);
    if (!kiln_convex_triangle_nearest(&s->core, corners, s->found ? s->near.value : s->limit,
                                      &near)) {
        memcpy(s->along[1], near.line, sizeof s->along[1]);
        s->reach[1] = near.reach;
        return false;
    }
    if (near.value * s->scale > s->question->options.beyond ||
        (s->found && near.value == s->near.value && id >= s->id) ||
        !kiln_mesh_filter_keeps(&s->question->filter, tree, id)) {
        return false;
    }
    s->found = true;
    s->near = near;
    s->stored = stored;
    s->id = id;
    return true;
}

/* Nothing can be better, or need not be. */
static bool shape_is_done(const shape_search *s)
{
    return s->found && (s->question->any || s->near.value <= s->absolute);
}

/* How far corner c of triangle i of the leaf is along a line from the middle. */
static inline double corner_along(const shape_search *s, uint32_t i, int c, const double line[3])
{
    const double v[3] = {s->leaf.corner[3 * c][i] - s->core.middle[0],
                         s->leaf.corner[3 * c + 1][i] - s->core.middle[1],
                         s->leaf.corner[3 * c + 2][i] - s->core.middle[2]};
    return kiln_dot(v, line);
}

/* Squared distance of the box of triangle i of the leaf from what stands for the hull along an
 * axis: its bounds, or its middle. */
static inline double gap_along_axis(const shape_search *s, uint32_t i, int k)
{
    const double above = s->leaf.lower[k][i] - s->upper[k];
    const double below = s->lower[k] - s->leaf.upper[k][i];
    const double gap = kiln_larger(kiln_larger(above, below), 0);
    return gap * gap;
}

/* Is triangle i of the leaf farther than matters, by its box or along a line? */
static bool is_farther(const shape_search *s, uint32_t i)
{
    const double squared =
        (gap_along_axis(s, i, 0) + gap_along_axis(s, i, 1)) + gap_along_axis(s, i, 2);
    if (squared > s->box_limit * s->box_limit) {
        return true;
    }
    for (int l = 0; l < 2; l++) {
        const double a = corner_along(s, i, 0, s->along[l]), b = corner_along(s, i, 1, s->along[l]),
                     c = corner_along(s, i, 2, s->along[l]);
        if (kiln_smaller(kiln_smaller(a, b), c) - s->reach[l] > s->hull_limit) {
            return true;
        }
    }
    return false;
}

static bool visit_shape_leaf(kiln_shape_near_walk *walk, uint32_t first, uint32_t count)
{
    shape_search *s = (shape_search *)walk->user;
    const kiln_tree *tree = walk->tree;
    if (is_stopped(s)) {
        return false;
    }
    kiln_leaf_triangles_carry(&s->leaf, tree, walk->kernel, &s->placement.carry,
                              (kiln_contents){first, count});
    for (uint32_t i = 0; i < count; i++) {
        if (is_farther(s, i)) {
            continue;
        }
        double corners[9];
        for (int k = 0; k < 9; k++) {
            corners[k] = s->leaf.corner[k][i];
        }
        if (!try_triangle(s, kiln_tree_triangle(tree, first + i), corners)) {
            continue;
        }
        if (shape_is_done(s)) {
            return false;
        }
        lower_limit(s, walk);
        aim_line(s, walk);
    }
    return true;
}

static void carried_corners(const shape_search *s, uint32_t stored, double corners[9])
{
    const kiln_tree *tree = s->question->tree;
    for (unsigned c = 0; c < 3; c++) {
        float room[3];
        kiln_transform_vertex(&s->placement.carry, kiln_tree_vertex(tree, stored, c, room),
                              corners + 3 * c);
    }
}

/* A hint is a stored triangle, counted from 1. */
static void try_shape_hint(shape_search *s, uint32_t hint)
{
    double corners[9];
    if (hint != 0 && kiln_tree_stores(s->question->tree, hint - 1)) {
        carried_corners(s, hint - 1, corners);
        (void)try_triangle(s, hint - 1, corners);
    }
}

/* --------------------------------------------------------------------------------- answers -- */

/* A direction of any length in the world's frame as a unit vector; 0 for none. */
static void fill_normal(const kiln_pose *pose, const double way[3], double out[3])
{
    const double most = kiln_larger(fabs(way[0]), kiln_larger(fabs(way[1]), fabs(way[2])));
    if (most > 0 && most < HUGE_VAL) {
        kiln_world_normal(pose, way, 1, out);
    }
}

static void fill_nearest_shape(shape_search *s, kiln_shape_nearest *out)
{
    const shape_question *q = s->question;
    memset(out, 0, sizeof *out);
    out->distance = q->options.beyond;
    if (!s->found) {
        return;
    }
    double normal[3], on_shape[3];
    memcpy(normal, s->near.apart, sizeof normal);
    memcpy(on_shape, s->near.on_mesh, sizeof on_shape);
    const double most = kiln_larger(fabs(normal[0]), kiln_larger(fabs(normal[1]), fabs(normal[2])));
    if (!(most > 0)) { /* the hull itself meets the triangle */
        double corners[9];
        carried_corners(s, s->stored, corners);
        const kiln_vector one = kiln_vector_between(corners + 3, corners),
                          other = kiln_vector_between(corners + 6, corners);
        kiln_cross(one.x, other.x, normal);
    } else if (s->near.value > 0) {
        for (int k = 0; k < 3; k++) {
            normal[k] /= most;
        }
        const double length = sqrt(kiln_dot(normal, normal));
        for (int k = 0; k < 3; k++) {
            on_shape[k] = s->near.on_core[k] + s->core.radius * (normal[k] / length);
        }
    }
    out->found = true;
    out->distance = s->near.value * s->scale;
    out->triangle = s->id;
    out->value = kiln_tree_user(q->tree, s->id);
    out->hint = s->stored + 1;
    kiln_world_point(q->pose_shape, s->near.on_mesh, out->point_mesh);
    kiln_world_point(q->pose_shape, on_shape, out->point_shape);
    fill_normal(q->pose_shape, normal, out->normal);
}

/* In a frame that is stretched distances are not the world's: the hull of such a shape is carried
 * into the world, less the translation of its pose, and the mesh with it. False: it has none that
 * is served, or what would be stretched is round. */
static bool unstretch(shape_question *q)
{
    kiln_affine affine;
    const kiln_pose *pose = q->pose_shape;
    if (!kiln_affine_form(pose, &affine) || !kiln_affine_is_sound(pose, &affine) ||
        !(q->shape->radius < KILN_EXACT_MIN)) {
        return false;
    }
    memcpy(q->carry.rotation, affine.matrix, sizeof affine.matrix);
    memset(q->carry.translation, 0, sizeof q->carry.translation);
    q->world = kiln_pose_identity();
    memcpy(q->world.translation, pose->translation, sizeof q->world.translation);
    q->pose_shape = &q->world;
    return true;
}

static kiln_status answer_convex(shape_question *q, kiln_shape_nearest *out)
{
    const kiln_shape_options *options = &q->options;
    shape_search s;
    kiln_shape_near_walk walk;
    const bool rigid = q->pose_shape == NULL || kiln_pose_is_sound(q->pose_shape);
    const bool served = rigid || unstretch(q);
    if (!kiln_convex_take(q->shape, rigid || !served ? NULL : &q->carry,
                          &kiln_kernel_active()->convex, &s.core) ||
        !(options->beyond >= 0 && options->relative >= 0 && options->relative < HUGE_VAL &&
          options->absolute >= 0 && options->absolute < HUGE_VAL)) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = kiln_placement_between_any(&s.placement, q->pose_shape, q->pose);
    if (status != KILN_OK || !served) {
        return status != KILN_OK ? status : KILN_ERROR_POSE;
    }
    if (!kiln_tree_has_polygons(q->tree)) {
        return kiln_tree_lack(q->tree);
    }
    s.question = q;
    memcpy(s.lower, s.core.round ? s.core.middle : s.core.lower, sizeof s.lower);
    memcpy(s.upper, s.core.round ? s.core.middle : s.core.upper, sizeof s.upper);
    s.scale = kiln_pose_scale(q->pose_shape);
    s.relative = options->relative;
    s.absolute = options->absolute / s.scale;
    /* The quotient may round down, and a triangle exactly at `beyond` has to count. */
    s.limit = options->beyond / s.scale * (s.scale == 1 ? 1 : 1 + 0x1p-50);
    s.found = s.stopped = false;
    memset(s.along, 0, sizeof s.along);
    memset(s.reach, 0, sizeof s.reach);
    KILN_ASSERT(s.scale > 0);
    kiln_shape_near_walk_begin(&walk, q->tree, &s.placement, &s.core, visit_shape_leaf, &s);
    try_shape_hint(&s, options->hint);
    if (!shape_is_done(&s)) {
        lower_limit(&s, &walk);
        if (s.found) {
            aim_line(&s, &walk);
        }
        kiln_shape_near_walk_run(&walk);
    }
    if (s.stopped) {
        return KILN_ERROR_STOPPED;
    }
    fill_nearest_shape(&s, out);
    return KILN_OK;
}

/* The caller's environment is noted before it is left. */
static kiln_status answer_shape_question(const kiln_tree *tree, const kiln_pose *pose,
                                         const kiln_convex *shape, const kiln_pose *pose_shape,
                                         const double *within, const kiln_shape_options *options,
                                         kiln_shape_nearest *out)
{
    shape_question q = {.tree = tree,
                        .pose = pose,
                        .pose_shape = pose_shape,
                        .shape = shape,
                        .options = kiln_shape_options_default(),
                        .any = within != NULL,
                        .filter = {NULL, NULL, kiln_fpu_enter()}};
    kiln_options_take(&q.options, sizeof q.options, options);
    if (within != NULL) {
        q.options.beyond = *within;
        q.options.relative = q.options.absolute = 0;
    }
    q.filter.call = q.options.filter;
    q.filter.user = q.options.filter_user;
    KILN_FPU_CALL(run, answer_convex);
    const kiln_status status = tree == NULL || shape == NULL ? KILN_ERROR_ARGUMENT : run(&q, out);
    kiln_fpu_leave(q.filter.caller);
    return status;
}

kiln_status kiln_shape_distance(const kiln_tree *tree, const kiln_pose *pose,
                                const kiln_convex *shape, const kiln_pose *pose_shape,
                                const kiln_shape_options *options, kiln_shape_nearest *nearest)
{
    kiln_shape_nearest found;
    if (nearest == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        answer_shape_question(tree, pose, shape, pose_shape, NULL, options, &found);
    if (status == KILN_OK) {
        *nearest = found;
    }
    return status;
}

kiln_status kiln_shape_within(const kiln_tree *tree, const kiln_pose *pose,
                              const kiln_convex *shape, const kiln_pose *pose_shape,
                              double distance, const kiln_shape_options *options,
                              kiln_triangle_hit *hit)
{
    kiln_shape_nearest found;
    if (hit == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status =
        answer_shape_question(tree, pose, shape, pose_shape, &distance, options, &found);
    if (status == KILN_OK) {
        *hit = (kiln_triangle_hit){found.found, found.triangle, found.value};
    }
    return status;
}
