/* Boxes exactly; balls around points and segments by a distance with a bounded error.
 *
 * Box: the separating-axis test of a triangle and a box (Akenine-Möller, "Fast 3D triangle-box
 * overlap testing", J. Graphics Tools 6(1), 2001) in double, with a bound on its error. What is
 * within the bound on some axis, and apart on none, is decided by the exact predicate on the box's
 * surface: a triangle that meets the box has a corner in it or meets one of its faces.
 *
 * Distances: let A be the largest magnitude that takes part, and u = 2^-53. All below is within
 * 2^-45 A of the true distance. The distance of a point from a segment is computed at a
 * parameter that is off by a few u A / |edge|, where it is least; so that moves it by a few u
 * A. The distance from a plane, and of two lines, is a product with a normal of length 1, and
 * the normal is right to a few u even for needles: it is got from its exact value by
 * expansions. Whether it counts depends on where the foot is, which is off by some u A across
 * the edge, where the distance from the edge is as good.
 *
 * That is slow, and done last: two points near each other, one of the triangle and one of the
 * ball's segment, show in nearly all cases that the two meet or what parts them, however they were
 * found. */
#include "exact.h"

#include "expansion.h"
#include "../../formats/assert.h"
#include "../base/compiler.h"
#include "../../formats/vector.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 0x1p-40

/* Of numbers of this size squares of squares don't underflow where that matters. */
#define SQUARES_FROM 1e-60

/* --------------------------------------------------------------------------------------- box -- */

static bool in_box(const kiln_shape *box, const double p[3])
{
    return p[0] >= box->a[0] && p[0] <= box->b[0] && p[1] >= box->a[1] && p[1] <= box->b[1] &&
           p[2] >= box->a[2] && p[2] <= box->b[2];
}

/* Numbers about the middle of a box. */
typedef struct {
    double corner[3][3], half[3];
    double size; /* the largest magnitude of all, before the middle was taken off */
    double edge[3][3], edge_size;
} centred;

/* Corners at p, q, r on an axis, the box from -reach to reach, all off by at most `error` together:
 * -1 apart, 1 not apart, 0 not known. */
static inline int on_axis(double p, double q, double r, double reach, double error)
{
    const double low = kiln_smaller(kiln_smaller(p, q), r),
                 high = kiln_larger(kiln_larger(p, q), r);
    if (low > reach + error || high < -reach - error) {
        return -1;
    }
    return low <= reach - error && high >= error - reach ? 1 : 0;
}

/* Of all axes, as on_axis. */
static int by_axes(const centred *c)
{
    /* one difference, with a middle that is off by 2 u size */
    int sure = 1;
    for (int k = 0; k < 3; k++) {
        const int known = on_axis(c->corner[0][k], c->corner[1][k], c->corner[2][k], c->half[k],
                                  0x1p-50 * c->size);
        if (known < 0) {
            return -1;
        }
        sure &= known;
    }
    /* axis k of the box x an edge: two products of such a difference and an edge each, and the
     * reach */
    const double of_edge = 0x1p-47 * c->size * c->edge_size;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            const int j = (k + 1) % 3, l = (k + 2) % 3;
            const double *e = c->edge[i];
            double at[3];
            for (int corner = 0; corner < 3; corner++) {
                at[corner] = c->corner[corner][l] * e[j] - c->corner[corner][j] * e[l];
            }
            const double reach = c->half[j] * fabs(e[l]) + c->half[l] * fabs(e[j]);
            const int known = on_axis(at[0], at[1], at[2], reach, of_edge);
            if (known < 0) {
                return -1;
            }
            sure &= known;
        }
    }
    double at = 0, reach = 0;
    for (int k = 0; k < 3; k++) {
        const int j = (k + 1) % 3, l = (k + 2) % 3;
        const double n = c->edge[0][j] * c->edge[1][l] - c->edge[0][l] * c->edge[1][j];
        at += n * c->corner[0][k];
        reach += fabs(n) * c->half[k];
    }
    const int known = on_axis(at, at, at, reach, 0x1p-46 * c->size * c->edge_size * c->edge_size);
    return known < 0 ? -1 : sure & known;
}

/* Face `face` / 2 of the box on its lower or upper side, as two triangles. */
KILN_RARE static bool meets_face(const kiln_shape *box, int face, const double corners[9])
{
    const int k = face / 2, i = (k + 1) % 3, j = (k + 2) % 3;
    double square[4][3], half[2][9];
    for (int corner = 0; corner < 4; corner++) {
        square[corner][k] = face % 2 == 0 ? box->a[k] : box->b[k];
        square[corner][i] = corner == 0 || corner == 3 ? box->a[i] : box->b[i];
        square[corner][j] = corner < 2 ? box->a[j] : box->b[j];
    }
    for (int corner = 0; corner < 3; corner++) {
        memcpy(half[0] + 3 * corner, square[corner], sizeof square[corner]);
        memcpy(half[1] + 3 * corner, square[(corner + 2) % 4], sizeof square[corner]);
    }
    return kiln_exact_triangles_meet(half[0], corners) ||
           kiln_exact_triangles_meet(half[1], corners);
}

/* A corner inside decides, then the separating axes of box and triangle in doubles
 * (Akenine-Moeller, "Fast 3D Triangle-Box Overlap Testing", 2001), and where these leave a
 * doubt the faces, exactly. */
static bool meets_box(const kiln_shape *box, const double corners[9])
{
    if (in_box(box, corners) || in_box(box, corners + 3) || in_box(box, corners + 6)) {
        return true;
    }
    centred c;
    c.size = c.edge_size = 0;
    for (int k = 0; k < 3; k++) {
        const double middle = box->a[k] / 2 + box->b[k] / 2;
        KILN_ASSERT(box->a[k] <= box->b[k]);
        c.half[k] = box->b[k] / 2 - box->a[k] / 2;
        c.size = kiln_larger(c.size, kiln_larger(fabs(box->a[k]), fabs(box->b[k])));
        for (int i = 0; i < 3; i++) {
            c.corner[i][k] = corners[3 * i + k] - middle;
            c.edge[i][k] = corners[3 * ((i + 1) % 3) + k] - corners[3 * i + k];
            c.size = kiln_larger(c.size, fabs(corners[3 * i + k]));
            c.edge_size = kiln_larger(c.edge_size, fabs(c.edge[i][k]));
        }
    }
    const int known = by_axes(&c);
    if (known != 0) {
        return known > 0;
    }
    for (int face = 0; face < 6; face++) {
        if (meets_face(box, face, corners)) {
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------------- distances -- */

/* All are divided by A first, so no square over- or underflows where that matters. */
static inline double length(kiln_vector v)
{
    return sqrt(kiln_vector_dot(v, v));
}

/* The cross product of b - a and d - c, each coordinate within a few u of itself, so divided by its
 * length; false: it is 0. */
KILN_RARE static bool unit_normal(const double a[3], const double b[3], const double c[3],
                                  const double d[3], kiln_vector *out)
{
    kiln_difference p[3], q[3];
    double largest = 0;
    for (int k = 0; k < 3; k++) {
        p[k].count = kiln_expansion_difference(b[k], a[k], p[k].part);
        q[k].count = kiln_expansion_difference(d[k], c[k], q[k].part);
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        double part[16];
        const int count = kiln_expansion_cross(&p[i], &q[j], &p[j], &q[i], part);
        out->x[k] = 0;
        for (int n = 0; n < count; n++) {
            out->x[k] += part[n];
        }
        largest = kiln_larger(largest, fabs(out->x[k]));
    }
    for (int k = 0; k < 3 && largest > 0; k++) {
        out->x[k] /= largest;
    }
    const double size = length(*out);
    for (int k = 0; k < 3 && largest > 0; k++) {
        out->x[k] /= size;
    }
    return largest > 0;
}

KILN_RARE static double from_segment(const double p[3], const double a[3], const double b[3])
{
    const kiln_vector edge = kiln_vector_between(b, a);
    kiln_vector off = kiln_vector_between(p, a);
    const double square = kiln_vector_dot(edge, edge);
    double part = square > 0 ? kiln_vector_dot(off, edge) / square : 0;
    part = part > 0 ? kiln_smaller(part, 1) : 0;
    for (int k = 0; k < 3; k++) {
        off.x[k] -= part * edge.x[k];
    }
    return length(off);
}

KILN_RARE static double from_edges(const double p[3], const double t[9])
{
    return kiln_smaller(from_segment(p, t, t + 3),
                        kiln_smaller(from_segment(p, t + 3, t + 6), from_segment(p, t + 6, t)));
}

/* Distance of a point from the plane of t where its foot is in t, else infinity. The sides at the
 * tip of a needle are nearly parallel and say nothing about a foot beyond it; the longest edge
 * does. */
KILN_RARE static double from_inside(const double p[3], const double t[9], kiln_vector normal)
{
    double longest = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        const double *from = t + 3 * i;
        const kiln_vector edge = kiln_vector_between(t + 3 * ((i + 1) % 3), from),
                          off = kiln_vector_between(p, from);
        const double square = kiln_vector_dot(edge, edge);
        if (kiln_vector_dot(kiln_vector_cross(normal, edge), off) < 0) {
            return HUGE_VAL;
        }
        if (square > longest) {
            longest = square;
            along = kiln_vector_dot(edge, off);
        }
    }
    return along < 0 || along > longest ? HUGE_VAL
                                        : fabs(kiln_vector_dot(normal, kiln_vector_between(p, t)));
}

/* Distance of the insides of two segments where those are nearest to each other, or infinity. Their
 * ends are compared apart. Of nearly parallel lines it is not known where they are nearest, so
 * these parts of theirs have to be beside each other, too. */
KILN_RARE static double between_lines(const double a[3], const double b[3], const double c[3],
                                      const double d[3])
{
    kiln_vector normal;
    if (!unit_normal(a, b, c, d, &normal)) {
        return HUGE_VAL;
    }
    const kiln_vector p = kiln_vector_between(b, a), q = kiln_vector_between(d, c),
                      w = kiln_vector_between(c, a);
    const double size = kiln_vector_dot(kiln_vector_cross(p, q), normal);
    const double on_p = kiln_vector_dot(kiln_vector_cross(w, q), normal),
                 on_q = kiln_vector_dot(kiln_vector_cross(w, p), normal);
    const double from = kiln_vector_dot(w, p), to = from + kiln_vector_dot(q, p);
    if (on_p < 0 || on_p > size || on_q < 0 || on_q > size || kiln_larger(from, to) < 0 ||
        kiln_smaller(from, to) > kiln_vector_dot(p, p)) {
        return HUGE_VAL;
    }
    return fabs(kiln_vector_dot(w, normal));
}

/* The point of t nearest to p, or one beside it: weights of its second and third corner (Ericson,
 * Real-Time Collision Detection, 2005, section 5.1.5). False: rounding makes them none of a point
 * of t. */
static bool near_point(const double t[9], kiln_vector p, double weights[2])
{
    const kiln_vector ab = kiln_vector_between(t + 3, t), ac = kiln_vector_between(t + 6, t);
    const kiln_vector from_a = kiln_vector_between(p.x, t),
                      from_b = kiln_vector_between(p.x, t + 3),
                      from_c = kiln_vector_between(p.x, t + 6);
    const double a1 = kiln_vector_dot(ab, from_a), a2 = kiln_vector_dot(ac, from_a),
                 b1 = kiln_vector_dot(ab, from_b), b2 = kiln_vector_dot(ac, from_b),
                 c1 = kiln_vector_dot(ab, from_c), c2 = kiln_vector_dot(ac, from_c);
    const double u = b1 * c2 - c1 * b2, v = c1 * a2 - a1 * c2, w = a1 * b2 - b1 * a2;
    double second = 0, third = 0;
    if (a1 <= 0 && a2 <= 0) {
        /* the first corner */
    } else if (b1 >= 0 && b2 <= b1) {
        second = 1;
    } else if (c2 >= 0 && c1 <= c2) {
        third = 1;
    } else if (w <= 0 && a1 >= 0 && b1 <= 0) {
        second = a1 / (a1 - b1);
    } else if (v <= 0 && a2 >= 0 && c2 <= 0) {
        third = a2 / (a2 - c2);
    } else if (u <= 0) {
        third = (b2 - b1) / ((b2 - b1) + (c1 - c2));
        second = 1 - third;
    } else {
        const double sum = u + v + w;
        second = v / sum;
        third = w / sum;
    }
    weights[0] = second;
    weights[1] = third;
    return second >= 0 && third >= 0 && second + third <= 1;
}

/* Decides by a point of each: 1 they are within the radius, 0 the line through them parts triangle
 * and ball by 2^-38 of the largest number and more, -1 not known. Both are off by 2^-47 of it,
 * whatever the points are, and what is decided exactly below allows for 2^-42: so both say the
 * same. */
static int by_near_points(const kiln_shape *shape, const double corners[9])
{
    const bool capsule = shape->kind == KILN_SHAPE_CAPSULE;
    const double radius = shape->radius;
    double t[9], a[3], b[3], size = radius, weights[2];
    for (int k = 0; k < 3; k++) {
        const double middle = capsule ? shape->a[k] / 2 + shape->b[k] / 2 : shape->a[k];
        a[k] = shape->a[k] - middle;
        b[k] = shape->b[k] - middle;
        size = kiln_larger(size, kiln_larger(fabs(a[k]), fabs(b[k])));
        for (int i = 0; i < 3; i++) {
            t[3 * i + k] = corners[3 * i + k] - middle;
            size = kiln_larger(size, fabs(t[3 * i + k]));
        }
    }
    const double apart = radius + 0x1p-38 * size;
    kiln_vector of_ball = {{0, 0, 0}}, of_t, way;
    for (int round = 0; size > SQUARES_FROM && round < (capsule ? 3 : 1); round++) {
        if (!near_point(t, of_ball, weights)) {
            return -1;
        }
        for (int k = 0; k < 3; k++) {
            of_t.x[k] = t[k] + weights[0] * (t[3 + k] - t[k]) + weights[1] * (t[6 + k] - t[k]);
        }
        if (capsule) {
            const kiln_vector edge = kiln_vector_between(b, a);
            const double along = kiln_vector_dot(kiln_vector_between(of_t.x, a), edge);
            const double square = kiln_vector_dot(edge, edge);
            double part = square > 0 ? along / square : 0;
            part = part > 0 ? kiln_smaller(part, 1) : 0;
            for (int k = 0; k < 3; k++) {
                of_ball.x[k] = a[k] + part * edge.x[k];
            }
        }
        way = kiln_vector_between(of_ball.x, of_t.x);
        const double square = kiln_vector_dot(way, way);
        if (square <= radius * radius) {
            return 1;
        }
        const double *w = way.x;
        double high = -HUGE_VAL;
        for (int i = 0; i < 3; i++) {
            high = kiln_larger(high, w[0] * t[3 * i] + w[1] * t[3 * i + 1] + w[2] * t[3 * i + 2]);
        }
        const double low = kiln_smaller(w[0] * a[0] + w[1] * a[1] + w[2] * a[2],
                                        w[0] * b[0] + w[1] * b[1] + w[2] * b[2]);
        if (low > high && (low - high) * (low - high) > apart * apart * square) {
            return 0;
        }
    }
    return -1;
}

/* The numbers of a ball, about its middle and by their largest magnitude. */
typedef struct {
    double t[9], a[3], b[3], radius;
} scaled_case;

/* Times 2^exponent; what is then below the range of the exact predicates counts as 0. */
KILN_RARE static double times_power_of_two(double value, int exponent)
{
    const double moved = ldexp(value, exponent);
    return fabs(moved) < KILN_EXACT_MIN ? 0 : moved;
}

/* False: all are 0. */
KILN_RARE static bool scale_case(const kiln_shape *shape, const double corners[9], scaled_case *s)
{
    const bool capsule = shape->kind == KILN_SHAPE_CAPSULE;
    double size = shape->radius;
    for (int k = 0; k < 3; k++) {
        const double middle = capsule ? shape->a[k] / 2 + shape->b[k] / 2 : shape->a[k];
        s->a[k] = shape->a[k] - middle;
        s->b[k] = (capsule ? shape->b[k] : shape->a[k]) - middle;
        size = kiln_larger(size, kiln_larger(fabs(s->a[k]), fabs(s->b[k])));
        for (int i = 0; i < 3; i++) {
            s->t[3 * i + k] = corners[3 * i + k] - middle;
            size = kiln_larger(size, fabs(s->t[3 * i + k]));
        }
    }
    if (size == 0) {
        return false;
    }
    int exponent;
    (void)frexp(size, &exponent);
    for (int i = 0; i < 9; i++) {
        s->t[i] = times_power_of_two(s->t[i], -exponent);
    }
    for (int k = 0; k < 3; k++) {
        s->a[k] = times_power_of_two(s->a[k], -exponent);
        s->b[k] = times_power_of_two(s->b[k], -exponent);
    }
    s->radius = times_power_of_two(shape->radius, -exponent);
    return true;
}

/* Is the rest of a capsule, beyond its first end, within reach? Its line against the edges, its
 * other end against all of the triangle, and the line through the inside. */
KILN_RARE static bool segment_meets(const scaled_case *s, double reach, const kiln_vector *normal)
{
    const double line[9] = {s->a[0], s->a[1], s->a[2], s->b[0], s->b[1],
                            s->b[2], s->b[0], s->b[1], s->b[2]};
    for (int i = 0; i < 3; i++) {
        const double *from = s->t + 3 * i, *to = s->t + 3 * ((i + 1) % 3);
        if (from_segment(from, s->a, s->b) <= reach ||
            between_lines(s->a, s->b, from, to) <= reach) {
            return true;
        }
    }
    return from_edges(s->b, s->t) <= reach ||
           (normal != NULL && from_inside(s->b, s->t, *normal) <= reach) ||
           kiln_exact_triangles_meet(line, s->t);
}

/* The largest magnitude is now from 1/2 to 1: the tolerance is far above the error, and at most
 * what kiln.h allows. */
KILN_RARE static bool meets_ball_exactly(const kiln_shape *shape, const double corners[9])
{
    scaled_case s;
    kiln_vector normal;
    if (!scale_case(shape, corners, &s)) {
        return true;
    }
    const double reach = s.radius + TOLERANCE / 2;
    for (int k = 0; k < 3; k++) {
        const double low = kiln_smaller(kiln_smaller(s.t[k], s.t[3 + k]), s.t[6 + k]);
        const double high = kiln_larger(kiln_larger(s.t[k], s.t[3 + k]), s.t[6 + k]);
        if (low > kiln_larger(s.a[k], s.b[k]) + reach ||
            high < kiln_smaller(s.a[k], s.b[k]) - reach) {
            return false;
        }
    }
    if (from_edges(s.a, s.t) <= reach) {
        return true;
    }
    const bool flat = unit_normal(s.t, s.t + 3, s.t, s.t + 6, &normal);
    if (flat && from_inside(s.a, s.t, normal) <= reach) {
        return true;
    }
    return shape->kind == KILN_SHAPE_CAPSULE && segment_meets(&s, reach, flat ? &normal : NULL);
}

bool kiln_shape_meets_triangle(const kiln_shape *shape, const double corners[9])
{
    KILN_ASSERT(shape->radius >= 0);
    if (shape->kind == KILN_SHAPE_BOX) {
        return meets_box(shape, corners);
    }
    const int known = by_near_points(shape, corners);
    return known >= 0 ? known != 0 : meets_ball_exactly(shape, corners);
}
