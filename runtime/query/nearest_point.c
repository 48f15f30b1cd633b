/* The nearest triangle, the k nearest, all within a radius.
 *
 * The walk gives bounds of each triangle's distance; where those of two overlap, the features that
 * are nearest are found, exactly. Of equal features, as where triangles share a corner, the
 * distances are equal; else they are compared as fractions (exact/point_triangle.c). Several are
 * kept in the caller's own buffer as a heap, with the bounds in members that are filled in at the
 * end, so that no query allocates. */
#include "point_query.h"

#include "../../formats/assert.h"
#include "../base/options.h"
#include "../pose/world.h"

#include <math.h>
#include <string.h>

#define POINT_MAX 1e60

enum { CHUNK_POINTS = 256, POINT_CHUNKS_MOST = 1 << 20 };

static const kiln_point_options unset = {
    .struct_size = sizeof unset, .beyond = HUGE_VAL, .hint = UINT32_MAX};

kiln_point_options kiln_point_options_default(void)
{
    return unset;
}

kiln_point_options kiln_point_options_of(const kiln_point_options *options)
{
    kiln_point_options full = unset;
    kiln_options_take(&full, sizeof full, options);
    return full;
}

/* ----------------------------------------------------------------------------- one triangle -- */

/* As the tree stores them, or where an affine pose takes them. */
static void load_corners(const kiln_point_query *q, uint32_t stored, double corners[9])
{
    kiln_tree_stored_corners(q->tree, stored, corners);
    if (q->placement.affine) {
        kiln_affine_carry_corners(&q->placement, corners);
    }
}

static void decide_feature(const kiln_point_query *q, kiln_near_triangle *t, double corners[9])
{
    load_corners(q, t->stored, corners);
    if (!t->decided) {
        t->feature = kiln_point_feature(q->near.own, corners);
        t->decided = true;
    }
}

/* Is u nearest at a corner that t has, and t too, for sure? So it is with most of those around a
 * corner, whose features need then not be known. */
static bool stays_at_corner(const kiln_point_query *q, const double corners_t[9],
                            const kiln_near_triangle *u, const double corners_u[9])
{
    for (uint32_t i = 0; i < 3 && u->feature.kind == KILN_FEATURE_CORNER; i++) {
        if (kiln_is_same_point(corners_t + 3 * i, corners_u + 3 * u->feature.part)) {
            return kiln_point_stays_at_corner(q->near.own, corners_t, i);
        }
    }
    return false;
}

/* Sign of the distance of t less that of u; equal ones by their ids. */
static int compare_near(const kiln_point_query *q, kiln_near_triangle *t, kiln_near_triangle *u)
{
    if (t->upper < u->lower || t->lower > u->upper) {
        return t->upper < u->lower ? -1 : 1;
    }
    double corners_t[9], corners_u[9];
    int sign = 0;
    decide_feature(q, u, corners_u);
    load_corners(q, t->stored, corners_t);
    if (!stays_at_corner(q, corners_t, u, corners_u)) {
        decide_feature(q, t, corners_t);
        sign = kiln_point_compare(q->near.own, corners_t, t->feature, corners_u, u->feature);
    }
    return sign != 0 ? sign : t->id < u->id ? -1 : t->id > u->id;
}

static bool is_within(const kiln_point_query *q, kiln_near_triangle *t)
{
    if (t->upper < q->beyond_least) {
        return true;
    }
    double corners[9];
    decide_feature(q, t, corners);
    return kiln_point_compare_radius(q->near.own, corners, t->feature, q->beyond) <= 0;
}

/* Bounds that are far apart, as of slivers, are drawn together, so that less is looked at. */
static void narrow_bounds(const kiln_point_query *q, kiln_near_triangle *t)
{
    if (t->upper - t->lower <= 0x1p-16 * t->upper) {
        return;
    }
    double corners[9];
    kiln_point_measure measure;
    decide_feature(q, t, corners);
    kiln_measure_point(q->near.own, corners, t->feature, &measure);
    const double upper = kiln_near_point_square(&q->near, measure.distance) * (1 + 0x1p-38);
    const double placed = measure.distance * q->near.unit;
    const double lower = placed * placed * (1 - 0x1p-38) - q->near.tiny;
    t->upper = upper < t->upper ? upper : t->upper;
    t->lower = lower > t->lower ? lower : t->lower;
}

static kiln_near_triangle triangle_at(const kiln_point_query *q, uint32_t slot, uint32_t stored,
                                      double lower, double upper)
{
    const kiln_near_triangle t = {kiln_tree_id(q->tree, stored), slot,  stored, false,
                                  {KILN_FEATURE_FACE, 0},        lower, upper};
    return t;
}

static bool enter_leaf(void *user)
{
    kiln_point_query *q = (kiln_point_query *)user;
    kiln_fpu_leave(q->filter.caller);
    q->stopped = q->options.stop(q->options.stop_user);
    q->filter.caller = kiln_fpu_enter();
    return !q->stopped;
}

/* --------------------------------------------------------------------------------- the query -- */

kiln_status kiln_point_query_begin(kiln_point_query *q, const kiln_tree *tree,
                                   const kiln_pose *pose, double beyond)
{
    const kiln_status status = kiln_placement_form_any(&q->placement, pose);
    if (!(beyond >= 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    if (status != KILN_OK) {
        return status;
    }
    if (!kiln_tree_has_polygons(tree)) {
        return kiln_tree_lack(tree);
    }
    q->tree = tree;
    q->scale = q->placement.affine ? 1 : q->placement.scale;
    q->beyond = beyond / q->scale;
    q->beyond = q->beyond < 0x1p-250 ? 0 : q->beyond;
    return KILN_OK;
}

kiln_status kiln_point_query_place(kiln_point_query *q, const double point[3])
{
    double own[3];
    for (int k = 0; k < 3; k++) {
        if (!(fabs(point[k]) <= POINT_MAX)) {
            return KILN_ERROR_ARGUMENT;
        }
    }
    if (q->placement.affine) {
        kiln_affine_point_form(&q->affine, &q->near, q->tree, &q->placement, point);
    } else {
        kiln_placement_point(&q->placement, point, own);
        kiln_near_point_form(&q->near, q->tree, own);
    }
    const double square = kiln_near_point_square(&q->near, q->beyond);
    kiln_near_point_cut(&q->near, square);
    q->beyond_least = square * (1 - 0x1p-40) - 0x1p-270;
    q->found = q->stopped = false;
    return KILN_OK;
}

/* Walks from the hint's triangle on, so that most boxes are seen to be too far at once. */
static kiln_status walk_point(kiln_point_query *q, kiln_point_visit visit, bool hinted)
{
    const bool affine = q->placement.affine;
    const kiln_point_leaf enters = q->options.stop != NULL ? enter_leaf : NULL;
    if (hinted && kiln_tree_has_slot(q->tree, q->options.hint)) {
        if (affine) {
            (void)kiln_affine_point_visit_slot(q->tree, &q->affine, &q->near, q->options.hint,
                                               visit, q);
        } else {
            kiln_point_visit_slot(q->tree, &q->near, q->options.hint, visit, q);
        }
    }
    if (affine) {
        kiln_affine_point_walk(q->tree, &q->affine, &q->near, enters, visit, q);
    } else {
        kiln_point_walk(q->tree, &q->near, enters, visit, q);
    }
    return q->stopped ? KILN_ERROR_STOPPED : KILN_OK;
}

static bool visit_nearest(void *user, kiln_near_point *near, uint32_t slot, uint32_t stored,
                          double lower, double upper)
{
    kiln_point_query *q = (kiln_point_query *)user;
    kiln_near_triangle t = triangle_at(q, slot, stored, lower, upper);
    if (q->found ? t.id == q->best.id || compare_near(q, &t, &q->best) >= 0 : !is_within(q, &t)) {
        return true;
    }
    if (kiln_mesh_filter_keeps(&q->filter, q->tree, t.id)) {
        narrow_bounds(q, &t);
        q->best = t;
        q->found = true;
        kiln_near_point_cut(near, t.upper);
    }
    return true;
}

kiln_status kiln_point_query_nearest(kiln_point_query *q)
{
    return walk_point(q, visit_nearest, true);
}

/* -------------------------------------------------------------------------------- the normal -- */

/* Angles and normals of a feature's triangles are added as whole numbers of 2^-50, each rounded on
 * its own, so that the sum does not depend on the order in which a tree holds them. */
typedef struct {
    const kiln_point_query *query;
    const double *from, *to; /* ends of the edge; both the corner */
    int64_t high[3], low[3];
} normal_sum;

/* Of a number from 0 on. Three times the half of the angle, then the series: below 0.1, so within
 * 2^-50. */
static double arctangent(double x)
{
    const bool steep = x > 1;
    double sum = 0;
    x = steep ? 1 / x : x;
    for (int i = 0; i < 3; i++) {
        x = x / (1 + sqrt(1 + x * x));
    }
    for (int n = 15; n > 0; n -= 2) {
        sum = 1.0 / n - x * x * sum;
    }
    const double angle = 8 * (x * sum);
    return steep ? 0x1.921fb54442d18p+0 - angle : angle;
}

static double make_unit(double v[3])
{
    const double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    double square = 0;
    for (int k = 0; k < 3 && most > 0; k++) {
        v[k] /= most;
        square += v[k] * v[k];
    }
    const double length = sqrt(square);
    for (int k = 0; k < 3 && most > 0; k++) {
        v[k] /= length;
    }
    return most;
}

/* Of two unit vectors (W. Kahan, "How futile are mindless assessments of roundoff in
 * floating-point computation?", 2006, section 12). */
static double angle_between(const double u[3], const double v[3])
{
    double less = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        less += (u[k] - v[k]) * (u[k] - v[k]);
        sum += (u[k] + v[k]) * (u[k] + v[k]);
    }
    return sum > 0 ? 2 * arctangent(sqrt(less) / sqrt(sum)) : 0x1.921fb54442d18p+1;
}

/* The edges of a triangle from one corner on, of length 1, and its unit normal. False: it has
 * none. A normal whose direction doubles do not give is taken as they do. */
static bool corner_frame(const double t[9], uint32_t corner, double e[3], double f[3], double n[3])
{
    const double *a = t + 3 * corner, *b = t + 3 * ((corner + 1) % 3),
                 *c = t + 3 * ((corner + 2) % 3);
    for (int k = 0; k < 3; k++) {
        e[k] = b[k] - a[k];
        f[k] = c[k] - a[k];
    }
    if (make_unit(e) == 0 || make_unit(f) == 0) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = e[i] * f[j] - e[j] * f[i];
    }
    return make_unit(n) > 0;
}

static bool add_normal(void *user, kiln_near_point *near, uint32_t slot, uint32_t stored,
                       double lower, double upper)
{
    normal_sum *s = (normal_sum *)user;
    const kiln_tree *tree = s->query->tree;
    double t[9], placed[9], e[3], f[3], n[3];
    kiln_tree_stored_corners(tree, stored, t);
    load_corners(s->query, stored, placed);
    (void)lower;
    (void)upper;
    for (uint32_t i = 0; i < 3; i++) {
        const bool here = kiln_is_same_point(t + 3 * i, s->from);
        const bool along = s->to == s->from || kiln_is_same_point(t + 3 * ((i + 1) % 3), s->to) ||
                           kiln_is_same_point(t + 3 * ((i + 2) % 3), s->to);
        if (!here || !along || !corner_frame(placed, i, e, f, n)) {
            continue;
        }
        if (!kiln_point_walk_is_first(tree, near, slot)) {
            return true;
        }
        const double weight = s->to == s->from ? angle_between(e, f) : 1;
        for (int k = 0; k < 3; k++) {
            const int64_t part = (int64_t)(weight * n[k] * 0x1p+50);
            s->high[k] += part >> 32;
            s->low[k] += part & UINT32_MAX;
        }
    }
    return true;
}

/* All triangles that have the feature are within rounding of its corner, and found in the tree's
 * own frame, wherever they are measured. */
static void feature_normal(const kiln_point_query *q, uint32_t stored, const double placed[9],
                           kiln_nearest_feature feature, double normal[3])
{
    double corners[9], e[3], f[3];
    memset(normal, 0, 3 * sizeof(double));
    if (feature.kind == KILN_FEATURE_FACE) {
        if (!corner_frame(placed, 0, e, f, normal)) {
            memset(normal, 0, 3 * sizeof(double));
        }
        return;
    }
    normal_sum sum;
    kiln_near_point near;
    kiln_tree_stored_corners(q->tree, stored, corners);
    memset(&sum, 0, sizeof sum);
    sum.query = q;
    sum.from =
        corners + 3 * (feature.kind == KILN_FEATURE_CORNER ? feature.part : (feature.part + 1) % 3);
    sum.to =
        feature.kind == KILN_FEATURE_CORNER ? sum.from : corners + 3 * ((feature.part + 2) % 3);
    kiln_near_point_form(&near, q->tree, sum.from);
    kiln_near_point_cut(&near, 0);
    kiln_point_walk(q->tree, &near, NULL, add_normal, &sum);
    for (int k = 0; k < 3; k++) {
        normal[k] = (double)sum.high[k] * 0x1p-18 + (double)sum.low[k] * 0x1p-50;
    }
    (void)make_unit(normal);
}

/* -------------------------------------------------------------------------- what callers get -- */

static void fill_surface(kiln_point_query *q, kiln_near_triangle *t, kiln_surface_point *out)
{
    double corners[9], own[3], normal[3];
    kiln_point_measure measure;
    memset(out, 0, sizeof *out);
    decide_feature(q, t, corners);
    kiln_measure_point(q->near.own, corners, t->feature, &measure);
    out->found = true;
    out->triangle = t->id;
    out->value = kiln_tree_user(q->tree, t->id);
    out->feature = t->feature.kind;
    out->part = t->feature.part;
    out->distance = measure.distance * q->scale;
    out->hint = t->slot;
    memcpy(out->weights, measure.weights, sizeof out->weights);
    for (int k = 0; k < 3; k++) {
        own[k] = ((corners[k] * measure.weights[0] + corners[3 + k] * measure.weights[1]) +
                  corners[6 + k] * measure.weights[2]) *
                 q->scale;
    }
    memset(normal, 0, sizeof normal);
    if (!q->options.no_normal) {
        feature_normal(q, t->stored, corners, t->feature, normal);
    }
    const kiln_transform *carry = &q->placement.carry;
    for (int k = 0; k < 3 && q->placement.affine; k++) {
        out->point[k] = own[k] + carry->translation[k];
        out->normal[k] = normal[k];
    }
    for (int k = 0; k < 3 && !q->placement.affine; k++) {
        const double *row = carry->rotation + 3 * k;
        out->point[k] =
            q->placement.plain
                ? own[k]
                : ((row[0] * own[0] + row[1] * own[1]) + row[2] * own[2]) + carry->translation[k];
        out->normal[k] = (row[0] * normal[0] + row[1] * normal[1]) + row[2] * normal[2];
    }
}

void kiln_point_query_fill(kiln_point_query *q, kiln_surface_point *out)
{
    if (q->found) {
        fill_surface(q, &q->best, out);
        return;
    }
    memset(out, 0, sizeof *out);
    out->distance = q->options.beyond;
    out->hint = UINT32_MAX;
}

/* --------------------------------------------------------------------------------- one point -- */

static kiln_status nearest_one(kiln_point_query *q, const kiln_tree *tree, const kiln_pose *pose,
                               const double point[3], kiln_surface_point *out)
{
    kiln_status status = kiln_point_query_begin(q, tree, pose, q->options.beyond);
    if (status == KILN_OK) {
        status = kiln_point_query_place(q, point);
    }
    if (status == KILN_OK) {
        status = kiln_point_query_nearest(q);
    }
    if (status == KILN_OK) {
        kiln_point_query_fill(q, out);
    }
    return status;
}

/* Options, the caller's environment and ours. */
static void begin_options(kiln_point_query *q, const kiln_point_options *options)
{
    q->options = kiln_point_options_of(options);
    q->filter = (kiln_mesh_filter){q->options.filter, q->options.filter_user, kiln_fpu_enter()};
}

kiln_status kiln_nearest_point(const kiln_tree *tree, const kiln_pose *pose, const double point[3],
                               const kiln_point_options *options, kiln_surface_point *out)
{
    kiln_point_query query;
    if (tree == NULL || point == NULL || out == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    begin_options(&query, options);
    KILN_FPU_CALL(run, nearest_one);
    const kiln_status status = run(&query, tree, pose, point, out);
    kiln_fpu_leave(query.filter.caller);
    return status;
}

/* ----------------------------------------------------------------------------------- several -- */

/* What is found, the farthest first, in the caller's buffer. */
typedef struct {
    kiln_point_query query;
    kiln_surface_point *heap;
    size_t capacity, kept, count;
    bool all; /* within the limit, counted; else the nearest are kept, and the limit lowered */
    kiln_surface_callback callback; /* NULL: into the heap */
    void *user;
} several_query;

/* While a query runs an answer is what it was found as. */
static kiln_near_triangle unpacked(const kiln_point_query *q, const kiln_surface_point *from)
{
    kiln_near_triangle t = triangle_at(q, from->hint, from->value, from->point[0], from->point[1]);
    t.decided = from->found;
    t.feature.kind = from->feature;
    t.feature.part = from->part;
    return t;
}

static void pack_near(const kiln_near_triangle *t, kiln_surface_point *out)
{
    out->hint = t->slot;
    out->value = t->stored;
    out->triangle = t->id;
    out->found = t->decided;
    out->feature = t->feature.kind;
    out->part = t->feature.part;
    out->point[0] = t->lower;
    out->point[1] = t->upper;
}

/* Features that are decided on the way are kept. */
static bool is_nearer(const kiln_point_query *q, kiln_surface_point *p, kiln_surface_point *r)
{
    kiln_near_triangle t = unpacked(q, p), u = unpacked(q, r);
    const bool nearer = compare_near(q, &t, &u) < 0;
    pack_near(&t, p);
    pack_near(&u, r);
    return nearer;
}

static void sift_near_up(several_query *s, size_t place)
{
    kiln_surface_point *heap = s->heap;
    while (place > 0) {
        const size_t parent = (place - 1) / 2;
        if (!is_nearer(&s->query, &heap[parent], &heap[place])) {
            return;
        }
        const kiln_surface_point nearer = heap[parent];
        heap[parent] = heap[place];
        heap[place] = nearer;
        place = parent;
    }
}

static void sift_near_down(several_query *s, size_t size)
{
    kiln_surface_point *heap = s->heap;
    size_t place = 0;
    for (size_t child; (child = 2 * place + 1) < size; place = child) {
        if (child + 1 < size && is_nearer(&s->query, &heap[child], &heap[child + 1])) {
            child++;
        }
        if (!is_nearer(&s->query, &heap[place], &heap[child])) {
            return;
        }
        const kiln_surface_point nearer = heap[place];
        heap[place] = heap[child];
        heap[child] = nearer;
    }
}

/* Has the heap this triangle? Only octrees meet one twice. */
static bool is_among_nearest(const several_query *s, uint32_t id)
{
    for (size_t i = 0; s->query.tree->view.kind->shared && i < s->kept; i++) {
        if (s->heap[i].triangle == id) {
            return true;
        }
    }
    return false;
}

/* Puts one into the heap, or in place of the farthest. */
static void keep_near(several_query *s, kiln_near_triangle *t)
{
    kiln_surface_point packed;
    memset(&packed, 0, sizeof packed);
    pack_near(t, &packed);
    if (s->kept < s->capacity) {
        s->heap[s->kept] = packed;
        sift_near_up(s, s->kept++);
    } else if (s->capacity > 0 && is_nearer(&s->query, &packed, &s->heap[0])) {
        s->heap[0] = packed;
        sift_near_down(s, s->kept);
    }
}

static bool visit_several(void *user, kiln_near_point *near, uint32_t slot, uint32_t stored,
                          double lower, double upper)
{
    several_query *s = (several_query *)user;
    kiln_near_triangle t = triangle_at(&s->query, slot, stored, lower, upper);
    const bool full = s->kept == s->capacity;
    if (full) {
        kiln_near_triangle farthest = unpacked(&s->query, &s->heap[0]);
        const bool nearer = t.id != farthest.id && compare_near(&s->query, &t, &farthest) < 0;
        pack_near(&farthest, &s->heap[0]);
        if (!nearer) {
            return true;
        }
    } else if (!is_within(&s->query, &t)) {
        return true;
    }
    if (is_among_nearest(s, t.id) ||
        !kiln_mesh_filter_keeps(&s->query.filter, s->query.tree, t.id)) {
        return true;
    }
    narrow_bounds(&s->query, &t);
    keep_near(s, &t);
    if (s->kept == s->capacity) {
        kiln_near_point_cut(near, s->heap[0].point[1]);
    }
    return true;
}

static bool is_first_of_all(const kiln_point_query *q, const kiln_near_point *near, uint32_t slot)
{
    return q->placement.affine ? kiln_affine_point_is_first(q->tree, &q->affine, near, slot)
                               : kiln_point_walk_is_first(q->tree, near, slot);
}

static bool visit_all(void *user, kiln_near_point *near, uint32_t slot, uint32_t stored,
                      double lower, double upper)
{
    several_query *s = (several_query *)user;
    kiln_near_triangle t = triangle_at(&s->query, slot, stored, lower, upper);
    if (!is_within(&s->query, &t) || !is_first_of_all(&s->query, near, slot) ||
        !kiln_mesh_filter_keeps(&s->query.filter, s->query.tree, t.id)) {
        return true;
    }
    s->count++;
    if (s->callback == NULL) {
        keep_near(s, &t);
        return true;
    }
    kiln_surface_point full;
    fill_surface(&s->query, &t, &full);
    kiln_fpu_leave(s->query.filter.caller);
    const bool more = s->callback(s->user, &full);
    s->query.filter.caller = kiln_fpu_enter();
    return more;
}

/* Nearest first, and whole. */
static void finish_several(several_query *s)
{
    for (size_t size = s->kept; size > 1; size--) {
        const kiln_surface_point farthest = s->heap[0];
        s->heap[0] = s->heap[size - 1];
        s->heap[size - 1] = farthest;
        sift_near_down(s, size - 1);
    }
    for (size_t i = 0; i < s->kept; i++) {
        kiln_near_triangle t = unpacked(&s->query, &s->heap[i]);
        fill_surface(&s->query, &t, &s->heap[i]);
    }
}

static kiln_status find_several(several_query *s, const kiln_tree *tree, const kiln_pose *pose,
                                const double point[3], double beyond)
{
    kiln_status status = kiln_point_query_begin(&s->query, tree, pose, beyond);
    if (status == KILN_OK) {
        status = kiln_point_query_place(&s->query, point);
    }
    if (status == KILN_OK && (s->all || s->capacity > 0)) {
        status = walk_point(&s->query, s->all ? visit_all : visit_several, false);
    }
    if (status == KILN_OK) {
        finish_several(s);
    }
    return status;
}

static kiln_status run_several(several_query *s, const kiln_tree *tree, const kiln_pose *pose,
                               const double point[3], const double *radius,
                               const kiln_point_options *options)
{
    if (tree == NULL || point == NULL || (s->heap == NULL && s->capacity > 0)) {
        return KILN_ERROR_ARGUMENT;
    }
    begin_options(&s->query, options);
    KILN_FPU_CALL(run, find_several);
    const kiln_status status =
        run(s, tree, pose, point, radius != NULL ? *radius : s->query.options.beyond);
    kiln_fpu_leave(s->query.filter.caller);
    return status;
}

kiln_status kiln_nearest_several(const kiln_tree *tree, const kiln_pose *pose,
                                 const double point[3], size_t most,
                                 const kiln_point_options *options, kiln_surface_point *out,
                                 size_t *count)
{
    several_query s = {.heap = out, .capacity = most};
    if (count == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = run_several(&s, tree, pose, point, NULL, options);
    if (status == KILN_OK) {
        *count = s.kept;
    }
    return status;
}

kiln_status kiln_nearest_within(const kiln_tree *tree, const kiln_pose *pose, const double point[3],
                                double radius, const kiln_point_options *options,
                                kiln_surface_point *out, size_t capacity, size_t *count)
{
    several_query s = {.heap = out, .capacity = capacity, .all = true};
    if (count == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = run_several(&s, tree, pose, point, &radius, options);
    if (status == KILN_OK) {
        *count = s.count;
    }
    return status;
}

kiln_status kiln_nearest_within_each(const kiln_tree *tree, const kiln_pose *pose,
                                     const double point[3], double radius,
                                     const kiln_point_options *options,
                                     kiln_surface_callback callback, void *user, size_t *count)
{
    several_query s = {.all = true, .callback = callback, .user = user};
    if (callback == NULL) {
        return KILN_ERROR_ARGUMENT;
    }
    const kiln_status status = run_several(&s, tree, pose, point, &radius, options);
    if (status == KILN_OK && count != NULL) {
        *count = s.count;
    }
    return status;
}

/* ------------------------------------------------------------------------------- many points -- */

static void run_point_chunk(void *context, uint32_t index)
{
    kiln_point_batch *batch = (kiln_point_batch *)context;
    const size_t from = (size_t)index * batch->size, left = batch->count - from;
    const size_t to = from + (left < batch->size ? left : batch->size);
    KILN_ASSERT(from < batch->count);
    if (__atomic_load_n(&batch->status, __ATOMIC_RELAXED) == KILN_OK) {
        const kiln_status status = batch->chunk(batch, from, to);
        int none = KILN_OK;
        if (status != KILN_OK) {
            (void)__atomic_compare_exchange_n(&batch->status, &none, (int)status, false,
                                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
        }
    }
}

kiln_status kiln_point_batch_run(kiln_point_batch *batch)
{
    const kiln_point_options options = kiln_point_options_of(batch->options);
    if (batch->tree == NULL || batch->count > SIZE_MAX / sizeof(kiln_surface_point)) {
        return KILN_ERROR_ARGUMENT;
    }
    if (batch->count == 0) { /* what single queries refuse is refused */
        return batch->chunk(batch, 0, 0);
    }
    const size_t for_number = batch->count / POINT_CHUNKS_MOST + 1;
    batch->size = for_number > CHUNK_POINTS ? for_number : CHUNK_POINTS;
    const uint32_t chunks = (uint32_t)((batch->count - 1) / batch->size + 1);
    batch->status = KILN_OK;
    if (options.parallel != NULL) {
        options.parallel(options.parallel_user, run_point_chunk, batch, chunks);
    } else {
        for (uint32_t i = 0; i < chunks; i++) {
            run_point_chunk(batch, i);
        }
    }
    return (kiln_status)batch->status;
}

/* One placement for all; the triangle of one point is where the walk of the next begins. */
static kiln_status nearest_of_chunk(kiln_point_query *q, const kiln_point_batch *batch, size_t from,
                                    size_t to)
{
    kiln_status status = kiln_point_query_begin(q, batch->tree, batch->pose, q->options.beyond);
    for (size_t i = from; i < to && status == KILN_OK; i++) {
        status = kiln_point_query_place(q, batch->points + 3 * i);
        if (status == KILN_OK) {
            status = kiln_point_query_nearest(q);
        }
        if (status == KILN_OK) {
            kiln_point_query_fill(q, batch->nearest + i);
            q->options.hint = q->found ? q->best.slot : q->options.hint;
        }
    }
    return status;
}

static kiln_status nearest_chunk(const kiln_point_batch *batch, size_t from, size_t to)
{
    kiln_point_query query;
    begin_options(&query, batch->options);
    KILN_FPU_CALL(run, nearest_of_chunk);
    const kiln_status status = run(&query, batch, from, to);
    kiln_fpu_leave(query.filter.caller);
    return status;
}

kiln_status kiln_nearest_points(const kiln_tree *tree, const kiln_pose *pose, const double *points,
                                size_t count, const kiln_point_options *options,
                                kiln_surface_point *out)
{
    kiln_point_batch batch = {.tree = tree,
                              .pose = pose,
                              .points = points,
                              .count = count,
                              .options = options,
                              .chunk = nearest_chunk,
                              .nearest = out};
    if (count != 0 && (points == NULL || out == NULL)) {
        return KILN_ERROR_ARGUMENT;
    }
    return kiln_point_batch_run(&batch);
}
