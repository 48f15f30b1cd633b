/* What exactness costs: boolean queries with a cheaper test of triangles.
 *
 * The library's own walk and its own exact predicate, compiled a second time, with the functions
 * between them exchanged. */
#include "inexact.h"

#include "../../runtime/walk/leaf_pair.h"

#include <math.h>
#include <stdlib.h>

/* -------------------------------------------------------------------- the predicate, counted -- */

static uint64_t expansions_seen;

static inline int counted_sign(int terms, const double *expansion);

#include "../../runtime/exact/expansion.h"

static inline int counted_sign(int terms, const double *expansion)
{
    expansions_seen++;
    return kiln_expansion_sign(terms, expansion);
}

#define kiln_expansion_sign counted_sign
#define kiln_exact_orient3d counted_orient3d
#define kiln_exact_orient2d counted_orient2d
#define kiln_exact_plane_sides counted_plane_sides
#define kiln_exact_triangles_meet counted_triangles_meet
int counted_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]);
int counted_orient2d(const double a[3], const double b[3], const double c[3], int i, int j);
void counted_plane_sides(const double t[9], const double s[9], int side[3]);
bool counted_triangles_meet(const double a[9], const double b[9]);
#include "../../runtime/exact/exact.c"
#undef kiln_expansion_sign
#undef kiln_exact_orient3d
#undef kiln_exact_orient2d
#undef kiln_exact_plane_sides
#undef kiln_exact_triangles_meet

/* --------------------------------------------------------------------------------- in floats -- */

#include <float.h>

#if defined(__x86_64__)
#define KILN_SIMD_SET avx2
#define KILN_SIMD_LANES 8
#elif defined(__aarch64__)
#define KILN_SIMD_SET neon
#define KILN_SIMD_LANES 4
#else
#define KILN_SIMD_SET scalar
#define KILN_SIMD_LANES 1
#endif
#include "../../runtime/base/simd.h"

enum { LANES = 8 }; /* leaves of up to so many triangles are measured */

typedef struct {
    uint32_t first, count;
    float corner[9][LANES], lower[3][LANES], upper[3][LANES], normal[3][LANES];
} float_leaf;

static float_leaf float_x, float_y;

/* Boxes and normals of triangles i.. */
static void measure_floats(float_leaf *leaf, uint32_t i)
{
    vec v[3], w[3];
    for (int k = 0; k < 3; k++) {
        const vec a = vec_load(leaf->corner[k] + i), b = vec_load(leaf->corner[3 + k] + i);
        const vec c = vec_load(leaf->corner[6 + k] + i);
        vec_store(leaf->lower[k] + i, vec_min(vec_min(a, b), c));
        vec_store(leaf->upper[k] + i, vec_max(vec_max(a, b), c));
        v[k] = b - a;
        w[k] = c - a;
    }
    for (int k = 0; k < 3; k++) {
        const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        vec_store(leaf->normal[k] + i, v[k1] * w[k2] - v[k2] * w[k1]);
    }
}

static void transform_floats(float_leaf *leaf, const kiln_transform *carry, uint32_t i)
{
    for (int c = 0; c < 3; c++) {
        const vec x = vec_load(leaf->corner[3 * c] + i), y = vec_load(leaf->corner[3 * c + 1] + i);
        const vec z = vec_load(leaf->corner[3 * c + 2] + i);
        for (int k = 0; k < 3; k++) {
            const double *row = carry->rotation + 3 * k;
            vec_store(leaf->corner[3 * c + k] + i, (float)row[0] * x + (float)row[1] * y +
                                                       (float)row[2] * z +
                                                       (float)carry->translation[k]);
        }
    }
}

static void load_floats(float_leaf *leaf, const kiln_pair_frame *frame, bool is_x,
                        kiln_contents from)
{
    const kiln_tree *tree = is_x ? frame->x : frame->y;
    for (uint32_t i = 0; i < LANES; i++) {
        const uint32_t slot = from.first + (i < from.count ? i : 0);
        const uint32_t *corner = tree->triangles + 3 * (size_t)kiln_tree_triangle(tree, slot);
        for (int c = 0; c < 3; c++) {
            const float *v = tree->vertices + 3 * (size_t)corner[c];
            for (int k = 0; k < 3; k++) {
                leaf->corner[3 * c + k][i] = v[k];
            }
        }
    }
    leaf->first = from.first;
    leaf->count = from.count;
    for (uint32_t i = 0; i < from.count; i += KILN_SIMD_LANES) {
        if (!is_x) {
            transform_floats(leaf, &frame->carry, i);
        }
        measure_floats(leaf, i);
    }
}

/* Are all heights of corners over a plane positive, or all negative? */
static vec_mask one_side_of(vec h0, vec h1, vec h2)
{
    const vec zero = vec_of(0.0f);
    return vec_greater(vec_min(vec_min(h0, h1), h2), zero) |
           vec_less(vec_max(vec_max(h0, h1), h2), zero);
}

/* Triangles i.. of x that are not apart from triangle j of y by their boxes or planes. */
static uint32_t some_float_pairs(const float_leaf *x, uint32_t i, const float_leaf *y, uint32_t j)
{
    vec_mask apart = vec_int_of(0);
    for (int k = 0; k < 3; k++) {
        apart |= vec_less(vec_load(x->upper[k] + i), vec_of(y->lower[k][j])) |
                 vec_greater(vec_load(x->lower[k] + i), vec_of(y->upper[k][j]));
    }
    const uint32_t meet = ~vec_lanes(apart) & ((1u << KILN_SIMD_LANES) - 1u);
    if (meet == 0) {
        return 0;
    }
    vec over_x[3], over_y[3];
    for (int c = 0; c < 3; c++) {
        over_x[c] = vec_of(0.0f);
        over_y[c] = vec_of(0.0f);
        for (int k = 0; k < 3; k++) {
            over_x[c] = over_x[c] + (y->corner[3 * c + k][j] - vec_load(x->corner[k] + i)) *
                                        vec_load(x->normal[k] + i);
            over_y[c] = over_y[c] +
                        (vec_load(x->corner[3 * c + k] + i) - y->corner[k][j]) * y->normal[k][j];
        }
    }
    apart =
        one_side_of(over_x[0], over_x[1], over_x[2]) | one_side_of(over_y[0], over_y[1], over_y[2]);
    return ~vec_lanes(apart) & meet;
}

static uint32_t float_pairs(const float_leaf *x, const float_leaf *y, uint32_t j)
{
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < x->count; i += KILN_SIMD_LANES) {
        pairs |= some_float_pairs(x, i, y, j) << i;
    }
    return pairs & ((1u << x->count) - 1u);
}

#include "../../runtime/base/simd_end.h"

/* Six times the volume of four points. */
static float volume(const float a[3], const float b[3], const float c[3], const float d[3])
{
    const float u[3] = {a[0] - d[0], a[1] - d[1], a[2] - d[2]};
    const float v[3] = {b[0] - d[0], b[1] - d[1], b[2] - d[2]};
    const float w[3] = {c[0] - d[0], c[1] - d[1], c[2] - d[2]};
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* Does the segment pass through the triangle? */
static bool edge_passes(const float from[3], const float to[3], const float t[9])
{
    if ((volume(from, t, t + 3, t + 6) > 0) == (volume(to, t, t + 3, t + 6) > 0)) {
        return false;
    }
    const bool side = volume(from, to, t, t + 3) > 0;
    return side == (volume(from, to, t + 3, t + 6) > 0) && side == (volume(from, to, t + 6, t) > 0);
}

/* Triangles whose planes cut each other meet where an edge of one passes through the other. */
static bool floats_meet(const float_leaf *x, uint32_t i, const float_leaf *y, uint32_t j)
{
    float a[9], b[9];
    for (int k = 0; k < 9; k++) {
        a[k] = x->corner[k][i];
        b[k] = y->corner[k][j];
    }
    for (int c = 0; c < 3; c++) {
        const int next = 3 * ((c + 1) % 3);
        if (edge_passes(a + 3 * c, a + next, b) || edge_passes(b + 3 * c, b + next, a)) {
            return true;
        }
    }
    return false;
}

static bool meet_floats(const kiln_pair_frame *frame, const kiln_pair_visitor *visitor,
                        kiln_contents leaf_x, kiln_contents leaf_y)
{
    if (leaf_x.count > LANES || leaf_y.count > LANES) {
        abort();
    }
    if (float_x.count == 0 || float_x.first != leaf_x.first) {
        load_floats(&float_x, frame, true, leaf_x);
    }
    if (float_y.count == 0 || float_y.first != leaf_y.first) {
        load_floats(&float_y, frame, false, leaf_y);
    }
    for (uint32_t j = 0; j < leaf_y.count; j++) {
        for (uint32_t left = float_pairs(&float_x, &float_y, j); left != 0; left &= left - 1) {
            if (floats_meet(&float_x, (uint32_t)__builtin_ctz(left), &float_y, j)) {
                return visitor->visit(visitor->user, frame, 0, 0);
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------------------- kiln's own filter -- */

static void load_leaves(kiln_leaf_pair *leaves, const kiln_pair_frame *frame, kiln_contents leaf_x,
                        kiln_contents leaf_y)
{
    if (leaves->x.count == 0 || leaves->x.first != leaf_x.first) {
        kiln_leaf_triangles_load(&leaves->x, frame, leaves->kernel, true, leaf_x);
    }
    if (leaves->y.count == 0 || leaves->y.first != leaf_y.first) {
        kiln_leaf_triangles_load(&leaves->y, frame, leaves->kernel, false, leaf_y);
    }
}

static inexact_counts *counting;

static bool meets_counted(const kiln_leaf_pair *leaves, uint32_t i, uint32_t j)
{
    double a[9], b[9];
    for (int k = 0; k < 9; k++) {
        a[k] = leaves->x.corner[k][i];
        b[k] = leaves->y.corner[k][j];
    }
    const uint64_t before = expansions_seen;
    const bool meet = counted_triangles_meet(a, b);
    counting->predicates++;
    counting->expansions += expansions_seen != before;
    return meet;
}

static bool meet_filtered(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                          const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                          kiln_contents leaf_y, bool exactly)
{
    uint32_t pairs[KILN_LEAF_LANES];
    load_leaves(leaves, frame, leaf_x, leaf_y);
    leaves->kernel->triangle_pairs(&leaves->x, &leaves->y, pairs);
    for (uint32_t j = 0; j < leaf_y.count; j++) {
        for (uint32_t left = pairs[j]; left != 0; left &= left - 1) {
            if (!exactly || meets_counted(leaves, (uint32_t)__builtin_ctz(left), j)) {
                return visitor->visit(visitor->user, frame, 0, 0);
            }
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------- the walk -- */

static inexact_way way_in_use;

static bool inexact_leaf_pair_meet(kiln_leaf_pair *leaves, const kiln_pair_frame *frame,
                                   const kiln_pair_visitor *visitor, kiln_contents leaf_x,
                                   kiln_contents leaf_y)
{
    switch (way_in_use) {
    case INEXACT_FILTER:
        return meet_filtered(leaves, frame, visitor, leaf_x, leaf_y, false);
    case INEXACT_FLOATS:
        return meet_floats(frame, visitor, leaf_x, leaf_y);
    case INEXACT_COUNTED:
        counting->pairs += (uint64_t)leaf_x.count * leaf_y.count;
        return meet_filtered(leaves, frame, visitor, leaf_x, leaf_y, true);
    default:
        return kiln_leaf_pair_meet(leaves, frame, visitor, leaf_x, leaf_y);
    }
}

#define kiln_leaf_pair_meet inexact_leaf_pair_meet
#define kiln_pair_walk inexact_walk
#define kiln_pair_walk_from inexact_walk_from
kiln_status inexact_walk(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                         const kiln_pose *pose_b, const kiln_pair_visitor *visitor);
void inexact_walk_from(const kiln_pair_frame *frame, const kiln_tree_box *from_x,
                       const kiln_tree_box *from_y, const kiln_pair_visitor *visitor);
#include "../../runtime/walk/pair_walk.c"

#include "../support/stop_at_first.h"

bool inexact_collide(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b,
                     inexact_way way, inexact_counts *counts)
{
    bool found = false;
    const kiln_pair_visitor visitor = {
        .visit = stop_at_first, .user = &found, .nearest_first = true};
    way_in_use = way;
    counting = counts;
    float_x.count = 0;
    float_y.count = 0;
    if (inexact_walk(a, NULL, b, pose_b, &visitor) != KILN_OK) {
        abort();
    }
    return found;
}
