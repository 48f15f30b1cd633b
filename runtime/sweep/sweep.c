/* Sweeps as a caller makes them: tolerances and strides, the walk, and the answer at its time.
 *
 * Why nothing is missed. Let M be the sum of all lengths that take part, E = ERROR (1 + angle) M
 * with both angles; the tolerance is at least 16 E. The real motion of a corner, in which a pose is
 * the start turned and moved without rounding, differs from what is computed by less than E: the
 * angle at a time is within 2^-51 of itself, its sine within 2^-50, and a pose takes a dozen
 * roundings of numbers up to M, as does a corner; the same holds in the frame of one of the meshes,
 * where kiln_distance compares, and kiln_triangles_nearest is within 2^-43 of the extents of two
 * triangles (which count four times in M, at least). Planes clear a time only where they prove a
 * distance above the margin, tolerance (1 + DEPARTURE) + 2 E: a distance in the world is that in
 * the frame of a mesh, times its scale, but for what its pose departs from a rotation, up to 1e-6
 * in the squares of lengths and so 1.5e-6 in lengths. Thus at every multiple of the stride before
 * the answer the computed distance is above the tolerance, and the real one above it less E. The
 * two come nearer to each other by at most a quarter of the tolerance within a stride, so that they
 * are more than half of it apart at all times in between. */
#include "sweep_walk.h"

#include "../../formats/assert.h"
#include "../base/fpu.h"
#include "../base/options.h"
#include "../exact/double_double.h"
#include "../exact/exact.h"
#include "../walk/shape_walk.h"

#include <math.h>
#include <string.h>

#define ERROR 0x1p-44
#define ERRORS_IN_TOLERANCE 16
#define DEPARTURE 0x1p-18
#define TOLERANCE_BY_SIZE 0x1p-20
#define STRIDE_LEAST 0x1p-50
#define STRIDES_IN_TOLERANCE 4
#define SPEED_ROOM (1 + 0x1p-30)
#define SHAPE_MAX 1e57
#define SPHERES_ROOM 0x1p-45 /* of two spheres that do not turn: of the lengths that take part */

kiln_sweep_options kiln_sweep_options_default(void)
{
    kiln_sweep_options options;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.steps = KILN_SWEEP_STEPS;
    return options;
}

static bool take_sweep_options(const kiln_sweep_options *options, kiln_sweep_options *full)
{
    *full = kiln_sweep_options_default();
    kiln_options_take(full, sizeof *full, options);
    return full->tolerance >= 0 && full->tolerance < HUGE_VAL;
}

/* ------------------------------------------------------------------------------- tolerances -- */

/* What of a body counts for tolerances, in the world. */
typedef struct {
    double size;   /* diagonal of its box, with a shape's radius */
    double places; /* sum of the largest coordinates that take part */
    double lever;  /* the most that a point of it is away from its moving point */
} body_lengths;

static void measure_body(const kiln_sweep_body *body, const kiln_mover *mover, double radius,
                         body_lengths *out)
{
    double lower[3], upper[3], squared = 0, places = 0, most = 0;
    const kiln_pose *start = &mover->motion.start;
    const double scale = mover->affine ? 3 * mover->stretch : start->scale;
    for (int k = 0; k < 3; k++) {
        double origin = 0;
        if (body->tree != NULL) {
            const kiln_format_tree *entry = body->tree->view.entry;
            lower[k] = (double)entry->bounds_lower[k];
            upper[k] = (double)entry->bounds_upper[k];
            origin = fabs(entry->origin[k]);
        } else {
            lower[k] = kiln_smaller(body->core[k], body->core[3 + k]);
            upper[k] = kiln_larger(body->core[k], body->core[3 + k]);
        }
        const double *column = start->rotation + k;
        const double extent =
            (upper[k] - lower[k]) *
            (mover->affine
                 ? sqrt((column[0] * column[0] + column[3] * column[3]) + column[6] * column[6])
                 : 1);
        squared += extent * extent;
        const double farthest = kiln_larger(fabs(lower[k]), fabs(upper[k]));
        most += farthest * farthest;
        places += ((farthest * 4 + origin) * scale + fabs(mover->motion.start.translation[k])) +
                  (fabs(mover->motion.point[k]) + fabs(mover->motion.linear[k]));
    }
    out->size = sqrt(squared) * start->scale + 2 * radius;
    out->places = places + 2 * radius;
    out->lever = (sqrt(most) * scale + sqrt(kiln_dot(mover->arm, mover->arm))) * (1 + 0x1p-18);
}

/* Tolerance, stride and margin of a query. A power of two divides without rounding. */
static void set_tolerance(kiln_sweep_walk *w, double radius_a, double radius_b, double wanted)
{
    body_lengths a, b;
    const kiln_pair_motion *m = &w->motion;
    measure_body(&w->a, &m->a, radius_a, &a);
    measure_body(&w->b, &m->b, radius_b, &b);
    /* Sums of a number of A and one of B first: what is exchanged has the same bits. */
    const double error = ERROR * (1 + (m->turn_a + m->turn_b)) * (a.places + b.places);
    const double speed = (m->speed + (m->turn_a * a.lever + m->turn_b * b.lever)) * SPEED_ROOM;
    double tolerance = wanted;
    if (!(tolerance > 0)) {
        const double size = kiln_smaller(a.size, b.size);
        tolerance = TOLERANCE_BY_SIZE * (size > 0 ? size : kiln_larger(a.size, b.size));
    }
    tolerance = kiln_larger(tolerance, ERRORS_IN_TOLERANCE * error);
    tolerance = kiln_larger(tolerance, STRIDES_IN_TOLERANCE * STRIDE_LEAST * speed);
    tolerance = kiln_larger(tolerance, 0x1p-240); /* two points that never move */
    w->tolerance = tolerance;
    w->stride = 1;
    if (speed > tolerance / STRIDES_IN_TOLERANCE) {
        int exponent;
        (void)frexp(tolerance / STRIDES_IN_TOLERANCE / speed, &exponent);
        w->stride = ldexp(1, exponent - 1);
    }
    KILN_ASSERT(w->stride * speed <= tolerance / STRIDES_IN_TOLERANCE * (1 + 0x1p-40));
    w->radius = radius_a + radius_b;
    w->motion.margin = (tolerance + w->radius) * (1 + DEPARTURE) + 2 * error;
}

/* -------------------------------------------------------------------------------- the query -- */

typedef struct {
    const kiln_tree *tree_a, *tree_b;
    const kiln_shape *shape_a, *shape_b; /* NULL where there is a tree */
    const kiln_motion *motion_a, *motion_b;
    const kiln_sweep_options *options;
    kiln_pair_filter_bound *pairs;
    kiln_mesh_filter *triangles;
    kiln_pose pose_a, pose_b; /* at the time of the answer */
    bool run;                 /* the walk, or only the poses at time 0? */
} sweep_question;

static kiln_status take_body(kiln_sweep_body *body, const kiln_tree *tree, const kiln_shape *shape)
{
    kiln_shape taken;
    memset(body, 0, sizeof *body);
    body->tree = tree;
    if (tree != NULL) {
        return kiln_tree_has_polygons(tree) ? KILN_OK : kiln_tree_lack(tree);
    }
    if (shape == NULL || shape->kind == KILN_SHAPE_BOX || !kiln_shape_take(shape, &taken) ||
        taken.radius > SHAPE_MAX) {
        return KILN_ERROR_ARGUMENT;
    }
    const double *end = taken.kind == KILN_SHAPE_CAPSULE ? taken.b : taken.a;
    for (int k = 0; k < 3; k++) {
        if (fabs(taken.a[k]) > SHAPE_MAX || fabs(end[k]) > SHAPE_MAX) {
            return KILN_ERROR_ARGUMENT;
        }
        body->core[k] = taken.a[k];
        body->core[3 + k] = body->core[6 + k] = end[k];
    }
    return KILN_OK;
}

/* In the environment of fpu.h: the walk, and the poses at its answer. */
static kiln_status run_sweep(sweep_question *q, kiln_sweep_walk *w)
{
    kiln_status status = kiln_pair_motion_form(&w->motion, q->motion_a, q->motion_b);
    if (status == KILN_OK) {
        status = take_body(&w->a, q->tree_a, q->shape_a);
    }
    if (status == KILN_OK) {
        status = take_body(&w->b, q->tree_b, q->shape_b);
    }
    /* What is stretched is no sphere and no capsule. */
    if (status == KILN_OK && ((q->shape_a != NULL && w->motion.a.affine) ||
                              (q->shape_b != NULL && w->motion.b.affine))) {
        status = KILN_ERROR_POSE;
    }
    if (status != KILN_OK) {
        return status;
    }
    const double radius_a =
        q->shape_a != NULL ? q->shape_a->radius * w->motion.a.motion.start.scale : 0;
    const double radius_b =
        q->shape_b != NULL ? q->shape_b->radius * w->motion.b.motion.start.scale : 0;
    set_tolerance(w, radius_a, radius_b, q->options->tolerance);
    w->pairs = q->pairs;
    w->triangles = q->triangles;
    w->budget = q->options->steps;
    w->b_first = false;
    if (w->a.tree == NULL && w->b.tree == NULL) {
        const int by_core = memcmp(w->a.core, w->b.core, sizeof w->a.core);
        w->b_first = by_core != 0 ? by_core > 0
                                  : memcmp(&w->motion.a.motion, &w->motion.b.motion,
                                           sizeof w->motion.a.motion) > 0;
    }
    if (q->run) {
        kiln_sweep_walk_run(w);
        if (w->stopped) {
            return KILN_ERROR_STOPPED;
        }
    } else {
        w->best = 0;
        w->spent = false;
        w->steps = 0;
        w->hint.a = w->hint.b = 0;
    }
    const double time = w->best <= 1 ? w->best : 0;
    kiln_mover_pose(&w->motion.a, time, &q->pose_a);
    kiln_mover_pose(&w->motion.b, time, &q->pose_b);
    return KILN_OK;
}

static kiln_status run_in_environment(sweep_question *q, kiln_sweep_walk *w)
{
    kiln_pair_filter_bound pairs;
    q->pairs = kiln_pair_filter_bind(q->options->pair, &pairs);
    const kiln_fpu_state caller = kiln_fpu_enter();
    KILN_FPU_CALL(run, run_sweep);
    const kiln_status status = run(q, w);
    kiln_fpu_leave(caller);
    return status;
}

/* What the walk says by itself. */
static void fill_times(const kiln_sweep_walk *w, kiln_sweep_hit *hit)
{
    memset(hit, 0, sizeof *hit);
    hit->found = w->best <= 1;
    hit->complete = !w->spent;
    hit->time = hit->found ? w->best : 1;
    hit->clear = w->spent ? kiln_smaller(w->rest, hit->time) : hit->time;
    hit->tolerance = w->tolerance;
    hit->stride = w->stride;
    hit->steps = w->steps;
}

/* -------------------------------------------------------------------------------- two trees -- */

kiln_status kiln_sweep(const kiln_tree *a, const kiln_motion *motion_a, const kiln_tree *b,
                       const kiln_motion *motion_b, const kiln_sweep_options *options,
                       kiln_sweep_hit *hit)
{
    kiln_sweep_options full;
    kiln_sweep_walk w;
    kiln_sweep_hit found;
    kiln_hit at_start;
    kiln_nearest near;
    if (a == NULL || b == NULL || hit == NULL || !take_sweep_options(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    sweep_question q;
    memset(&q, 0, sizeof q);
    q.tree_a = a;
    q.tree_b = b;
    q.motion_a = motion_a;
    q.motion_b = motion_b;
    q.options = &full;
    /* Surfaces that meet from the start on are found by kiln_collide at once, where the walk would
     * follow pairs that do not meet to the end. */
    kiln_status status = run_in_environment(&q, &w);
    if (status == KILN_OK) {
        status = kiln_collide(a, &q.pose_a, b, &q.pose_b, full.pair, &at_start);
    }
    if (status == KILN_OK && !at_start.found) {
        q.run = true;
        status = run_in_environment(&q, &w);
    }
    if (status != KILN_OK) {
        return status;
    }
    fill_times(&w, &found);
    if (found.found) {
        kiln_pair_options pair = kiln_pair_options_of(full.pair);
        pair.beyond = w.tolerance;
        pair.relative = pair.absolute = 0;
        pair.hint = at_start.found ? at_start.hint : w.hint;
        status = kiln_distance(a, &q.pose_a, b, &q.pose_b, &pair, &near);
        if (status != KILN_OK) {
            return status;
        }
        KILN_ASSERT(near.found);
        found.touching = at_start.found;
        found.distance = near.distance;
        found.pair = near.pair;
        memcpy(found.point_a, near.point_a, sizeof found.point_a);
        memcpy(found.point_b, near.point_b, sizeof found.point_b);
        memcpy(found.normal, near.normal, sizeof found.normal);
    }
    *hit = found;
    return KILN_OK;
}

/* ----------------------------------------------------------------------------------- shapes -- */

/* What is nearest at the time of the answer, of a core and a tree or another core. */
typedef struct {
    const kiln_sweep_walk *walk;
    const kiln_tree *tree; /* NULL: two cores */
    kiln_pose pose_a;
    kiln_mesh_filter *filter;
    double core[9], x[9]; /* placed; x: the nearest triangle so far */
    kiln_tri_nearest near;
    uint32_t id;
    bool found;
} nearest_of_shape;

static void take_nearest(nearest_of_shape *n, const double x[9], uint32_t id)
{
    kiln_tri_nearest near;
    if (!kiln_triangles_nearest(x, n->core, n->found ? n->near.value : HUGE_VAL, &near) ||
        (n->found && near.value == n->near.value && id >= n->id) ||
        (n->tree != NULL && !kiln_mesh_filter_keeps(n->filter, n->tree, id))) {
        return;
    }
    n->near = near;
    n->id = id;
    n->found = true;
    memcpy(n->x, x, sizeof n->x);
}

static bool visit_near_leaf(void *user, uint32_t first, uint32_t count)
{
    nearest_of_shape *n = (nearest_of_shape *)user;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t stored = kiln_tree_triangle(n->tree, first + i);
        double own[9], placed[9];
        kiln_tree_stored_corners(n->tree, stored, own);
        kiln_sweep_corners(&n->pose_a, own, placed);
        take_nearest(n, placed, kiln_tree_id(n->tree, stored));
    }
    return true;
}

/* All triangles within the tolerance are in a shape whose radius is larger by it, and by what is
 * rounded on the way. */
static void find_nearest(const sweep_question *q, nearest_of_shape *n)
{
    kiln_placement placement;
    kiln_shape_box box;
    const kiln_sweep_walk *w = n->walk;
    const kiln_status status = kiln_placement_between_any(&placement, &q->pose_b, &q->pose_a);
    KILN_ASSERT(status == KILN_OK);
    (void)status;
    kiln_shape shape = {KILN_SHAPE_CAPSULE, {0, 0, 0}, {0, 0, 0}, 0};
    memcpy(shape.a, w->b.core, sizeof shape.a);
    memcpy(shape.b, w->b.core + 3, sizeof shape.b);
    shape.radius = (w->motion.margin + w->tolerance) / q->pose_b.scale;
    kiln_shape_box_form(&box, n->tree, &placement, &shape);
    kiln_shape_walk(n->tree, &box, visit_near_leaf, n);
    if (!n->found) {
        double own[9], placed[9];
        kiln_tree_stored_corners(n->tree, w->stored_a, own);
        kiln_sweep_corners(&n->pose_a, own, placed);
        take_nearest(n, placed, kiln_tree_id(n->tree, w->stored_a));
    }
}

/* In the environment of fpu.h: the contact of the answer. */
static void fill_shape_contact(const sweep_question *q, kiln_sweep_walk *w, double radius_a,
                               double radius_b, kiln_sweep_hit *hit)
{
    nearest_of_shape n;
    memset(&n, 0, sizeof n);
    n.walk = w;
    n.tree = w->a.tree;
    n.pose_a = q->pose_a;
    n.filter = w->triangles;
    kiln_sweep_corners(w->b_first ? &q->pose_a : &q->pose_b, w->b_first ? w->a.core : w->b.core,
                       n.core);
    if (n.tree != NULL) {
        find_nearest(q, &n);
        hit->pair.a = n.id;
        hit->pair.value_a = kiln_tree_user(n.tree, n.id);
    } else {
        double placed[9];
        kiln_sweep_corners(w->b_first ? &q->pose_b : &q->pose_a, w->b_first ? w->b.core : w->a.core,
                           placed);
        take_nearest(&n, placed, 0);
    }
    double normal[3], squared = 0;
    if (!(n.near.value > 0)) {
        kiln_tri_contact contact;
        kiln_triangles_contact(n.x, n.core, &contact);
        for (int k = 0; k < 3; k++) {
            n.near.on_x[k] = contact.from[k] + (contact.to[k] - contact.from[k]) / 2;
            n.near.on_y[k] = n.near.on_x[k];
            n.near.apart[k] = contact.normal[k];
        }
    }
    const double most = kiln_larger(fabs(n.near.apart[0]),
                                    kiln_larger(fabs(n.near.apart[1]), fabs(n.near.apart[2])));
    for (int k = 0; k < 3; k++) {
        normal[k] = n.near.apart[k] / most;
        squared += normal[k] * normal[k];
    }
    const double sign = w->b_first ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        hit->normal[k] = sign * (normal[k] / sqrt(squared));
        hit->point_a[k] =
            (w->b_first ? n.near.on_y[k] : n.near.on_x[k]) - hit->normal[k] * radius_a;
        hit->point_b[k] =
            (w->b_first ? n.near.on_x[k] : n.near.on_y[k]) + hit->normal[k] * radius_b;
    }
    hit->distance = n.near.value - w->radius;
    hit->touching = hit->time == 0 && hit->distance <= 0;
}

/* ---------------------------------------------------------------------- two spheres, exactly -- */

/* A number in units of a power of two. */
static kiln_dd difference_of(double a, double b, int exponent)
{
    return kiln_dd_two_sum(ldexp(a, -exponent), -ldexp(b, -exponent));
}

/* The first root of |p + v t| = r in [0, 1], or NONE. With c = p p - r r > 0 and b = p v < 0 it is
 * c / (-b + sqrt(b b - v v c)), in pairs of doubles, of which squares of squares are within 2^-98:
 * so far is the discriminant from a wrong sign, which is a wrong gap of less than 2^-48 of the
 * lengths. Lengths are measured in a power of two, so that nothing overflows; what then underflows
 * is below 2^-500 of them. */
static double time_of_spheres(const double p_a[3], const double p_b[3], const double v_a[3],
                              const double v_b[3], double radius, double lengths)
{
    int exponent;
    kiln_dd p[3], v[3];
    (void)frexp(lengths, &exponent);
    for (int k = 0; k < 3; k++) {
        p[k] = difference_of(p_b[k], p_a[k], exponent);
        v[k] = difference_of(v_b[k], v_a[k], exponent);
    }
    const kiln_dd r = kiln_dd_two_product(ldexp(radius, -exponent), ldexp(radius, -exponent));
    const kiln_dd c = kiln_dd_subtract(kiln_dd_dot(p, p), r);
    if (!(c.head > 0)) {
        return 0;
    }
    const kiln_dd b = kiln_dd_dot(p, v);
    if (!(b.head < 0)) {
        return KILN_SWEEP_NONE;
    }
    const kiln_dd d =
        kiln_dd_subtract(kiln_dd_multiply(b, b), kiln_dd_multiply(kiln_dd_dot(v, v), c));
    if (d.head < 0) {
        return KILN_SWEEP_NONE;
    }
    /* The root of a pair of doubles: one step of Newton from the root of its head. */
    const double root = sqrt(d.head);
    kiln_dd exact_root = kiln_dd_of(root);
    if (root > 0) {
        const kiln_dd rest = kiln_dd_subtract(d, kiln_dd_two_product(root, root));
        exact_root = kiln_dd_add(exact_root, kiln_dd_of(rest.head / (2 * root)));
    }
    const kiln_dd time = kiln_dd_divide(c, kiln_dd_subtract(exact_root, b));
    return time.head <= 1 ? time.head : KILN_SWEEP_NONE;
}

/* Spheres whose centres move along lines. */
static bool are_plain_spheres(const sweep_question *q, const kiln_sweep_walk *w)
{
    return q->tree_a == NULL && q->shape_a->kind == KILN_SHAPE_SPHERE &&
           q->shape_b->kind == KILN_SHAPE_SPHERE && !(w->motion.a.angle > 0) &&
           !(w->motion.b.angle > 0) && !(q->options->tolerance > 0);
}

static void sweep_plain_spheres(sweep_question *q, kiln_sweep_walk *w)
{
    double a[9], b[9], lengths = w->radius;
    kiln_sweep_corners(&w->motion.a.motion.start, w->a.core, a);
    kiln_sweep_corners(&w->motion.b.motion.start, w->b.core, b);
    for (int k = 0; k < 3; k++) {
        lengths += (fabs(a[k]) + fabs(b[k])) +
                   (fabs(w->motion.a.motion.linear[k]) + fabs(w->motion.b.motion.linear[k]));
    }
    w->tolerance = SPHERES_ROOM * lengths;
    w->stride = 0;
    w->best = time_of_spheres(a, b, w->motion.a.motion.linear, w->motion.b.motion.linear, w->radius,
                              lengths > 0 ? lengths : 1);
    const double time = w->best <= 1 ? w->best : 0;
    kiln_mover_pose(&w->motion.a, time, &q->pose_a);
    kiln_mover_pose(&w->motion.b, time, &q->pose_b);
}

/* In the environment of fpu.h. */
static kiln_status answer_shape(sweep_question *q, kiln_sweep_walk *w, kiln_sweep_hit *hit)
{
    q->run = false;
    kiln_status status = run_sweep(q, w);
    if (status != KILN_OK) {
        return status;
    }
    if (are_plain_spheres(q, w)) {
        sweep_plain_spheres(q, w);
    } else {
        q->run = true;
        status = run_sweep(q, w);
    }
    if (status != KILN_OK) {
        return status;
    }
    fill_times(w, hit);
    if (hit->found) {
        const double radius_a = q->shape_a != NULL ? q->shape_a->radius * q->pose_a.scale : 0;
        fill_shape_contact(q, w, radius_a, q->shape_b->radius * q->pose_b.scale, hit);
    }
    return KILN_OK;
}

static kiln_status sweep_of_shape(sweep_question *q, const kiln_sweep_options *options,
                                  kiln_sweep_hit *hit)
{
    kiln_sweep_options full;
    kiln_sweep_walk w;
    kiln_sweep_hit found;
    if (q->shape_b == NULL || hit == NULL || !take_sweep_options(options, &full)) {
        return KILN_ERROR_ARGUMENT;
    }
    q->options = &full;
    const kiln_query_options own = kiln_query_options_of(full.query);
    kiln_mesh_filter triangles = {own.filter, own.filter_user, kiln_fpu_enter()};
    q->triangles = &triangles;
    KILN_FPU_CALL(run, answer_shape);
    const kiln_status status = run(q, &w, &found);
    kiln_fpu_leave(triangles.caller);
    if (status == KILN_OK) {
        *hit = found;
    }
    return status;
}

kiln_status kiln_sweep_shape(const kiln_tree *tree, const kiln_motion *motion,
                             const kiln_shape *shape, const kiln_motion *motion_shape,
                             const kiln_sweep_options *options, kiln_sweep_hit *hit)
{
    sweep_question q;
    if (tree == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&q, 0, sizeof q);
    q.tree_a = tree;
    q.shape_b = shape;
    q.motion_a = motion;
    q.motion_b = motion_shape;
    return sweep_of_shape(&q, options, hit);
}

kiln_status kiln_sweep_shapes(const kiln_shape *a, const kiln_motion *motion_a, const kiln_shape *b,
                              const kiln_motion *motion_b, const kiln_sweep_options *options,
                              kiln_sweep_hit *hit)
{
    sweep_question q;
    if (a == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    memset(&q, 0, sizeof q);
    q.shape_a = a;
    q.shape_b = b;
    q.motion_a = motion_a;
    q.motion_b = motion_b;
    return sweep_of_shape(&q, options, hit);
}
