/* The least distance of two triangles, certified.
 *
 * Two triangles that don't meet are nearest between two edges or between a corner and a face:
 * nine pairs of segments (Lumelsky, Information Processing Letters 21, 1985; Ericson, Real-Time
 * Collision Detection, section 5.1.9) and six projections are computed in double and the least
 * is taken. Where it comes out at w, from a point of Y to a point of X, the gap between the
 * shadows of the triangles along w is a lower bound of the distance (a separating plane), and
 * |w| is an upper one, its ends being points of the triangles. Rounding, edges that are nearly
 * parallel and slivers part the two bounds. Where they are within CERTIFIED of the size of the
 * pair, the value is proved. Else, and where the triangles are so near that rounding would
 * show, the exact predicate decides whether they meet, and if not all is computed again in
 * pairs of doubles.
 *
 * Why that suffices: with u' = 2^-100, S the size and a the sine of the angle between two
 * edges, the parameters of the nearest points of two lines come out within u' / a^2, and
 * sliding the points by it opens their distance by at most S u' / a; below a = 2^-48 the lines
 * count as parallel, which is wrong by S a. A face of height a S bears the normal within u' /
 * a; below a = 2^-48 its edges stand for it. */
#include "exact.h"

#include "double_double.h"
#include "../../formats/assert.h"
#include "../base/compiler.h"
#include "../../formats/vector.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define CERTIFIED 0x1p-45 /* of the largest distance of two corners */
/* Triangles that are nearer than 2^-20 of the size are left to the exact predicate; the constant is
 * the square of that. Sizes outside of the two limits are scaled first (compute_scaled), because
 * squares of squares could overflow or underflow. */
#define NEAR_SQUARED 0x1p-40
#define SIZE_SQUARED_LEAST 0x1p-200
#define SIZE_SQUARED_MOST 0x1p200
#define PARALLEL 0x1p-96
#define POSITIVE 0x1p-1022

typedef double two __attribute__((vector_size(16)));
typedef int64_t two_bits __attribute__((vector_size(16)));

/* Lanes are corners or edges of Y: 0 and 1 in the first pair, 2 twice in the second. */
typedef struct {
    double x[3][3], edge_x[3][3], square_x[3]; /* edge k from corner k to the next; its square */
    two edge_y[2][3], square_y[2];
    two apart[3][2][3];  /* x corner - y corner */
    double size_squared; /* of the pair, within a factor of 9 */
} corners;

/* The least so far: 0 .. 8 edge 3 i + j, 9 .. 11 corner j of Y and face X, 12 .. 14 corner i of X
 * and face Y. */
typedef struct {
    double squared;
    int feature;
    double s, t; /* edges: where on each */
} candidate;

static inline two choose(two_bits mask, two yes, two no)
{
    return (two)((mask & (two_bits)yes) | (~mask & (two_bits)no));
}

static inline two clamp(two v)
{
    const two none = {0, 0}, all = {1, 1};
    v = choose(v > none, v, none);
    return choose(v < all, v, all);
}

static inline two dot(const two a[3], const two b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline two dot_all(const double a[3], const two b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* The size is the largest of the edges and of one difference between the triangles: no distance of
 * two corners is more than three times that. */
static inline void load(const double x[9], const double y[9], corners *c)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c->x[i][k] = x[3 * i + k];
            c->edge_x[i][k] = x[3 * ((i + 1) % 3) + k] - x[3 * i + k];
        }
        c->square_x[i] = kiln_dot(c->edge_x[i], c->edge_x[i]);
    }
    two y01[3], y2[3];
    for (int k = 0; k < 3; k++) {
        y01[k] = (two){y[k], y[3 + k]};
        y2[k] = (two){y[6 + k], y[6 + k]};
        c->edge_y[0][k] = (two){y[3 + k], y[6 + k]} - y01[k];
        c->edge_y[1][k] = (two){y[k], y[k]} - y2[k];
    }
    c->square_y[0] = dot(c->edge_y[0], c->edge_y[0]);
    c->square_y[1] = dot(c->edge_y[1], c->edge_y[1]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            c->apart[i][0][k] = c->x[i][k] - y01[k];
            c->apart[i][1][k] = c->x[i][k] - y2[k];
        }
    }
    const two first = dot(c->apart[0][0], c->apart[0][0]);
    c->size_squared = kiln_larger(
        kiln_larger(kiln_larger(c->square_x[0], c->square_x[1]),
                    kiln_larger(c->square_x[2], first[0])),
        kiln_larger(kiln_larger(c->square_y[0][0], c->square_y[0][1]), c->square_y[1][0]));
}

/* Nearest points of edge i of X and the edges of Y in half `h`: s on X's, t on Y's. The last step
 * fits s to t, so that parallel edges, on which s may start anywhere, need no case of their own. */
static inline two edges(const corners *c, int i, int h, two *s_out, two *t_out)
{
    const two none = {0, 0};
    const two *ey = c->edge_y[h], *r = c->apart[i][h];
    const double *ex = c->edge_x[i];
    const double a = c->square_x[i], inverse_a = a > 0 ? 1 / a : 0;
    const two e = c->square_y[h], b = dot_all(ex, ey), p = dot_all(ex, r), q = dot(ey, r);
    const two inverse_e = choose(e > none, 1.0 / e, none);
    const two determinant = a * e - b * b;
    two s = choose(determinant > none, clamp((b * q - p * e) / determinant), none);
    const two t = clamp((b * s + q) * inverse_e);
    s = clamp((b * t - p) * inverse_a);
    two w[3];
    for (int k = 0; k < 3; k++) {
        w[k] = (r[k] + s * ex[k]) - t * ey[k];
    }
    *s_out = s;
    *t_out = t;
    return dot(w, w);
}

/* If two candidates are equally near, the first one stays, so the feature depends on the order of
 * the calls alone. */
static inline void take(candidate *best, double squared, int feature, double s, double t)
{
    if (squared < best->squared) {
        *best = (candidate){squared, feature, s, t};
    }
}

static inline void try_edges(const corners *c, candidate *best)
{
    for (int i = 0; i < 3; i++) {
        two s[2], t[2];
        const two first = edges(c, i, 0, &s[0], &t[0]);
        const two second = edges(c, i, 1, &s[1], &t[1]);
        take(best, first[0], 3 * i, s[0][0], t[0][0]);
        take(best, first[1], 3 * i + 1, s[0][1], t[0][1]);
        take(best, second[0], 3 * i + 2, s[1][0], t[1][0]);
    }
}

/* Corners of Y above face X. */
static inline void try_face_x(const corners *c, const double normal[3], double normal_squared,
                              candidate *best)
{
    double inward[3][3];
    for (int i = 0; i < 3; i++) {
        kiln_cross(normal, c->edge_x[i], inward[i]);
    }
    for (int h = 0; h < 2; h++) {
        const two none = {0, 0};
        const two_bits inside = (dot_all(inward[0], c->apart[0][h]) <= none) &
                                (dot_all(inward[1], c->apart[1][h]) <= none) &
                                (dot_all(inward[2], c->apart[2][h]) <= none);
        const two height = dot_all(normal, c->apart[0][h]);
        const two squared = height * height / normal_squared;
        for (int lane = 0; lane < 2 - h; lane++) {
            if (inside[lane] != 0) {
                take(best, squared[lane], 9 + 2 * h + lane, 0, 0);
            }
        }
    }
}

/* Corners of X above face Y. */
static inline void try_face_y(const corners *c, const double normal[3], double normal_squared,
                              candidate *best)
{
    two inward[2][3];
    for (int h = 0; h < 2; h++) {
        const two *e = c->edge_y[h];
        inward[h][0] = normal[1] * e[2] - normal[2] * e[1];
        inward[h][1] = normal[2] * e[0] - normal[0] * e[2];
        inward[h][2] = normal[0] * e[1] - normal[1] * e[0];
    }
    for (int i = 0; i < 3; i++) {
        const two first = dot(inward[0], c->apart[i][0]), second = dot(inward[1], c->apart[i][1]);
        if (first[0] >= 0 && first[1] >= 0 && second[0] >= 0) {
            const two height = dot_all(normal, c->apart[i][0]);
            take(best, height[0] * height[0] / normal_squared, 12 + i, 0, 0);
        }
    }
}

typedef struct {
    double x[3], y[3], squared_x, squared_y; /* normals of the faces */
} faces;

/* Faces whose normal is 0 have no inside that could be nearest: their edges stand for them. */
static inline void try_faces(const corners *c, faces *f, candidate *best)
{
    const double y0[3] = {c->edge_y[0][0][0], c->edge_y[0][1][0], c->edge_y[0][2][0]};
    const double y1[3] = {c->edge_y[0][0][1], c->edge_y[0][1][1], c->edge_y[0][2][1]};
    kiln_cross(c->edge_x[0], c->edge_x[1], f->x);
    kiln_cross(y0, y1, f->y);
    f->squared_x = kiln_dot(f->x, f->x);
    f->squared_y = kiln_dot(f->y, f->y);
    if (f->squared_x > 0) {
        try_face_x(c, f->x, f->squared_x, best);
    }
    if (f->squared_y > 0) {
        try_face_y(c, f->y, f->squared_y, best);
    }
}

/* ------------------------------------------------------------------------------ the winner -- */

static inline double apart_of(const corners *c, int i, int j, int k)
{
    return c->apart[i][j / 2][k][j % 2];
}

static inline double edge_y_of(const corners *c, int j, int k)
{
    return c->edge_y[j / 2][k][j % 2];
}

/* Distance by the weights of the foot in the face, which put it there however wrong the normal is:
 * its excess over that by the normal shows that the normal is wrong. */
static double by_weights(const corners *c, const faces *f, int feature)
{
    double weight[3], sum = 0, w[3] = {0, 0, 0};
    const bool face_x = feature < 12;
    const int corner = face_x ? feature - 9 : feature - 12;
    for (int k = 0; k < 3; k++) { /* edge k and the corner across from it */
        double edge[3], inward[3], from[3];
        for (int n = 0; n < 3; n++) {
            edge[n] = face_x ? c->edge_x[k][n] : edge_y_of(c, k, n);
            from[n] = face_x ? -apart_of(c, k, corner, n) : apart_of(c, corner, k, n);
        }
        kiln_cross(face_x ? f->x : f->y, edge, inward);
        weight[k] = kiln_larger(kiln_dot(inward, from), 0);
        sum += weight[k];
    }
    for (int k = 0; k < 3; k++) {
        const int across = (k + 2) % 3;
        for (int n = 0; n < 3; n++) {
            w[n] += weight[k] / sum *
                    (face_x ? apart_of(c, across, corner, n) : apart_of(c, corner, across, n));
        }
    }
    return sqrt(kiln_dot(w, w));
}

static void finish_edges(const corners *c, const double y[9], const candidate *best,
                         kiln_tri_nearest *near)
{
    KILN_ASSERT(best->feature >= 0 && best->feature < 9);
    const int i = best->feature / 3, j = best->feature % 3;
    for (int k = 0; k < 3; k++) {
        const double along_x = best->s * c->edge_x[i][k], along_y = best->t * edge_y_of(c, j, k);
        near->apart[k] = (apart_of(c, i, j, k) + along_x) - along_y;
        near->on_x[k] = c->x[i][k] + along_x;
        near->on_y[k] = y[3 * j + k] + along_y;
    }
    near->value = sqrt(best->squared);
}

/* The winner is a corner above a face: the distance is the height of one over the other. */
static void finish_face(const corners *c, const faces *f, const double y[9], const candidate *best,
                        kiln_tri_nearest *near)
{
    const bool face_x = best->feature < 12;
    const int corner = face_x ? best->feature - 9 : best->feature - 12;
    const double *normal = face_x ? f->x : f->y;
    const double squared = face_x ? f->squared_x : f->squared_y;
    KILN_ASSERT(best->feature >= 9 && best->feature < 15);
    KILN_ASSERT(squared > 0);
    double height = 0;
    for (int k = 0; k < 3; k++) {
        height += normal[k] * (face_x ? apart_of(c, 0, corner, k) : apart_of(c, corner, 0, k));
    }
    for (int k = 0; k < 3; k++) {
        near->apart[k] = normal[k] * (height / squared);
        near->on_y[k] = face_x ? y[3 * corner + k] : c->x[corner][k] - near->apart[k];
        near->on_x[k] = face_x ? y[3 * corner + k] + near->apart[k] : c->x[corner][k];
    }
    near->value = fabs(height) / sqrt(squared);
}

/* The gap between the shadows along `apart`, times its length. */
static inline double shadow_gap(const corners *c, const double apart[3])
{
    const double to_1 = kiln_dot(apart, c->edge_x[0]), to_2 = -kiln_dot(apart, c->edge_x[2]);
    const double x = to_1 < to_2 ? to_1 : to_2;
    const two y01 = dot_all(apart, c->apart[0][0]), y2 = dot_all(apart, c->apart[0][1]);
    const double y = y01[0] < y01[1] ? y01[0] : y01[1];
    return (x < 0 ? x : 0) + (y < y2[0] ? y : y2[0]);
}

/* -------------------------------------------------------------------------- pairs of doubles -- */

typedef struct {
    kiln_dd edge_x[3][3], edge_y[3][3], apart[3][3][3];
    kiln_dd best, w[3];
    kiln_dd along_x[3], along_y[3]; /* from corner base_x, base_y to the nearest points */
    int base_x, base_y;
} precise;

/* Takes a pair of points, given from corner i of X and corner j of Y on, if it is the nearest so
 * far. */
KILN_RARE static void precise_take(precise *p, int i, int j, const kiln_dd along_x[3],
                                   const kiln_dd along_y[3])
{
    kiln_dd w[3];
    for (int k = 0; k < 3; k++) {
        w[k] = kiln_dd_subtract(kiln_dd_add(p->apart[i][j][k], along_x[k]), along_y[k]);
    }
    const kiln_dd squared = kiln_dd_dot(w, w);
    if (squared.head < p->best.head ||
        (squared.head == p->best.head && squared.tail < p->best.tail)) {
        p->best = squared;
        p->base_x = i;
        p->base_y = j;
        memcpy(p->w, w, sizeof w);
        memcpy(p->along_x, along_x, sizeof p->along_x);
        memcpy(p->along_y, along_y, sizeof p->along_y);
    }
}

/* A quotient of squares or of parameters, held within 0 and 1; 0 for an edge without length. */
KILN_RARE static kiln_dd dd_ratio(kiln_dd a, kiln_dd b)
{
    return b.head > 0 ? kiln_dd_clamp(kiln_dd_divide(a, b)) : kiln_dd_of(0);
}

/* Edge i of X and edge j of Y: as in double, clamped on each in turn. */
KILN_RARE static void precise_edges(precise *p, int i, int j)
{
    const kiln_dd *ex = p->edge_x[i], *ey = p->edge_y[j], *r = p->apart[i][j];
    const kiln_dd a = kiln_dd_dot(ex, ex), e = kiln_dd_dot(ey, ey), b = kiln_dd_dot(ex, ey);
    const kiln_dd c = kiln_dd_dot(ex, r), f = kiln_dd_dot(ey, r);
    const kiln_dd full = kiln_dd_multiply(a, e);
    const kiln_dd determinant = kiln_dd_subtract(full, kiln_dd_multiply(b, b));
    kiln_dd s = kiln_dd_of(0);
    if (determinant.head > PARALLEL * full.head) {
        s = dd_ratio(kiln_dd_subtract(kiln_dd_multiply(b, f), kiln_dd_multiply(c, e)), determinant);
    }
    const kiln_dd t = dd_ratio(kiln_dd_add(kiln_dd_multiply(b, s), f), e);
    s = dd_ratio(kiln_dd_subtract(kiln_dd_multiply(b, t), c), a);
    kiln_dd along_x[3], along_y[3];
    for (int k = 0; k < 3; k++) {
        along_x[k] = kiln_dd_multiply(s, ex[k]);
        along_y[k] = kiln_dd_multiply(t, ey[k]);
    }
    precise_take(p, i, j, along_x, along_y);
}

/* The corner of the other triangle whose differences to the face's corners are `from` above the
 * face: weights of its foot there, along the first two edges. */
KILN_RARE static bool precise_foot(const kiln_dd edge[3][3], const kiln_dd from[3][3],
                                   kiln_dd foot[3])
{
    kiln_dd normal[3], weight[3];
    kiln_dd_cross(edge[0], edge[1], normal);
    const kiln_dd squared = kiln_dd_dot(normal, normal);
    const kiln_dd across =
        kiln_dd_multiply(kiln_dd_dot(edge[0], edge[0]), kiln_dd_dot(edge[1], edge[1]));
    if (!(squared.head > PARALLEL * across.head)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        kiln_dd inward[3];
        kiln_dd_cross(normal, edge[k], inward);
        weight[k] = kiln_dd_dot(inward, from[k]);
        if (weight[k].head < 0) {
            return false;
        }
    }
    /* weight 2 belongs to corner 1, weight 0 to corner 2; corner 2 is edges 0 and 1 away. */
    const kiln_dd one = dd_ratio(kiln_dd_add(weight[2], weight[0]), squared);
    const kiln_dd other = dd_ratio(weight[0], squared);
    for (int k = 0; k < 3; k++) {
        foot[k] =
            kiln_dd_add(kiln_dd_multiply(one, edge[0][k]), kiln_dd_multiply(other, edge[1][k]));
    }
    return true;
}

/* The corner of Y above face X, and the corner of X above face Y. */
KILN_RARE static void precise_faces(precise *p, int corner)
{
    const kiln_dd none[3] = {{0, 0}, {0, 0}, {0, 0}};
    kiln_dd from[3][3], foot[3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            from[i][k] = kiln_dd_negative(p->apart[i][corner][k]);
        }
    }
    if (precise_foot((const kiln_dd(*)[3])p->edge_x, (const kiln_dd(*)[3])from, foot)) {
        precise_take(p, 0, corner, foot, none);
    }
    if (precise_foot((const kiln_dd(*)[3])p->edge_y, (const kiln_dd(*)[3])p->apart[corner], foot)) {
        precise_take(p, corner, 0, none, foot);
    }
}

/* The nearest points of triangles that don't meet, in pairs of doubles: all nine pairs of edges,
 * and all corners above faces. Nothing is skipped, as this runs for few pairs. */
KILN_RARE static void compute_precisely(const double x[9], const double y[9],
                                        kiln_tri_nearest *near)
{
    precise p;
    for (int i = 0; i < 3; i++) {
        const int next = 3 * ((i + 1) % 3);
        for (int k = 0; k < 3; k++) {
            p.edge_x[i][k] = kiln_dd_two_sum(x[next + k], -x[3 * i + k]);
            p.edge_y[i][k] = kiln_dd_two_sum(y[next + k], -y[3 * i + k]);
            for (int j = 0; j < 3; j++) {
                p.apart[i][j][k] = kiln_dd_two_sum(x[3 * i + k], -y[3 * j + k]);
            }
        }
    }
    p.best = kiln_dd_of(HUGE_VAL);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            precise_edges(&p, i, j);
        }
        precise_faces(&p, i);
    }
    for (int k = 0; k < 3; k++) {
        const kiln_dd on_x = kiln_dd_add(kiln_dd_of(x[3 * p.base_x + k]), p.along_x[k]);
        const kiln_dd on_y = kiln_dd_add(kiln_dd_of(y[3 * p.base_y + k]), p.along_y[k]);
        near->on_x[k] = on_x.head + on_x.tail;
        near->on_y[k] = on_y.head + on_y.tail;
        near->apart[k] = p.w[k].head + p.w[k].tail;
    }
    near->value = kiln_larger(sqrt(p.best.head + p.best.tail), POSITIVE);
}

/* -------------------------------------------------------------------------------- both ways -- */

/* `stored_x` and `stored_y` are the corners that `c` was loaded from, times `unit`, a power of two.
 */
static void compute(const corners *c, const double y[9], const double stored_x[9],
                    const double stored_y[9], double unit, double limit, kiln_tri_nearest *near)
{
    faces f;
    KILN_ASSERT(unit > 0);
    candidate best = {HUGE_VAL, 0, 0, 0};
    try_edges(c, &best);
    try_faces(c, &f, &best);
    KILN_ASSERT(best.feature >= 0 && best.feature < 15);
    if (best.feature < 9) {
        finish_edges(c, y, &best, near);
    } else {
        finish_face(c, &f, y, &best, near);
    }
    const double room = CERTIFIED * sqrt(c->size_squared);
    const double gap = shadow_gap(c, near->apart);
    const double excess = near->value * near->value - gap;
    /* Three conditions prove the value: its bounds are close, it is far above rounding, and for a
     * face its foot lies where the normal put it. */
    if (excess <= room * near->value && best.squared > NEAR_SQUARED * c->size_squared &&
        (best.feature < 9 || by_weights(c, &f, best.feature) <= near->value + room)) {
        return;
    }
    if (gap > (limit + room) * near->value) {
        near->value = HUGE_VAL; /* beyond the limit, by however much */
    } else if (kiln_exact_triangles_meet(stored_x, stored_y)) {
        near->value = 0;
    } else {
        double x[9];
        for (int k = 0; k < 9; k++) {
            x[k] = stored_x[k] * unit;
        }
        compute_precisely(x, y, near);
    }
}

/* Squares of squares fit in a double for sizes near 1. Nothing is rounded by a power of two but
 * what is far below the size. */
KILN_RARE static void compute_scaled(const double x[9], const double y[9], double limit,
                                     kiln_tri_nearest *near)
{
    double size = 0; /* the largest difference of a coordinate, within a factor of 2 */
    for (int k = 0; k < 9; k++) {
        size = kiln_larger(size, kiln_larger(fabs(x[k] - x[k % 3]), fabs(y[k] - x[k % 3])));
    }
    corners c;
    int exponent;
    double to_x[9], to_y[9];
    near->value = 0;
    if (!(size > 0)) {
        return;
    }
    (void)frexp(size, &exponent);
    const double unit = ldexp(1, -exponent);
    for (int k = 0; k < 9; k++) {
        to_x[k] = x[k] * unit;
        to_y[k] = y[k] * unit;
    }
    load(to_x, to_y, &c);
    compute(&c, to_y, x, y, unit, limit * unit, near);
    near->value = near->value > 0 ? kiln_larger(ldexp(near->value, exponent), POSITIVE) : 0;
    for (int k = 0; k < 3; k++) {
        near->on_x[k] = ldexp(near->on_x[k], exponent);
        near->on_y[k] = ldexp(near->on_y[k], exponent);
    }
}

/* A value of 0 says that the triangles meet. Triangles that do not meet have a value above 0, even
 * if their distance is smaller than the least double. */
void kiln_triangles_measure(const double x[9], const double y[9], double limit,
                            kiln_tri_nearest *out)
{
    corners c;
    load(x, y, &c);
    if (c.size_squared >= SIZE_SQUARED_LEAST && c.size_squared <= SIZE_SQUARED_MOST) {
        compute(&c, y, x, y, 1, limit, out);
    } else {
        compute_scaled(x, y, limit, out);
    }
}

/* False: the triangles are further apart than `limit`, and *out is unchanged. */
bool kiln_triangles_nearest(const double x[9], const double y[9], double limit,
                            kiln_tri_nearest *out)
{
    kiln_tri_nearest near;
    kiln_triangles_measure(x, y, limit, &near);
    if (near.value > limit) {
        return false;
    }
    *out = near;
    return true;
}

void kiln_triangles_common_point(const double x[9], const double y[9], double point[3])
{
    kiln_tri_nearest near;
    compute_precisely(x, y, &near);
    memcpy(point, near.on_x, sizeof near.on_x);
}
