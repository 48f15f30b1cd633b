/* The nearest points of a convex hull and a triangle, in integers.
 *
 * The differences p = vertex - corner span a convex body whose point nearest to the origin says all
 * (Gilbert, Johnson and Keerthi 1988). The search keeps a simplex of such differences. In exact
 * arithmetic it is Wolfe's ("Finding the nearest point in a polytope", Mathematical Programming 11,
 * 1976) and ends: the nearest point x of the simplex lies inside one face of it; a difference q
 * with x . q < x . x makes a simplex that comes strictly nearer, no simplex comes twice, and
 * without such a q the plane through x across x proves that nothing is nearer.
 *
 * A face is the one that holds x where x, the foot of the origin on what it spans, is inside, and
 * no other corner of the simplex is before the plane. All signs for that are those of polynomials
 * of p, of degree four at most, and squares are compared by some of degree six: coordinates in
 * range are multiples of 2^-302 below 2^251, so 3,330 bits hold all. With e = b - a and n = (b - a)
 * x (c - a),
 *
 *     corner a     x = a
 *     edge a b     x ~ (b . e) a - (a . e) b, inside where both factors' signs say so
 *     face a b c   x ~ n (n . a), inside where n . (b x c), n . (c x a), n . (a x b) > 0
 *     all four     the origin itself, inside where the four determinants have one sign
 *
 * and the square of the distance is a . a, |a x b|^2 / e . e, (n . a)^2 / n . n or 0. A degenerate
 * face has weights of 0 and is passed over, since a smaller one holds x, too. */
#include "convex_triangle.h"

#include "exact.h"
#include "wide_integer.h"
#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/compiler.h"

#include <math.h>
#include <string.h>

/* Of sums of three products of doubles each rounded, by the largest coordinate about the middle:
 * differences 2 u, products and sums 4 u, of twice that in three coordinates. */
#define WITHIN 0x1p-46
#define LEAST_ABOVE_ZERO 0x1p-1022

typedef struct {
    const kiln_convex_core *core;
    const double *t;
    int unit;
    kiln_convex_simplex s;
    kiln_wide p[4][3];
    unsigned bits;       /* the corners of the face that holds the nearest point */
    kiln_wide way[3];    /* to it, of any length; 0 where it is the origin */
    kiln_wide weight[4]; /* of these corners, above 0 */
} exact_search;

/* --------------------------------------------------------------------------------- vectors -- */

/* As many limbs as there are. */
static void copy_wide(kiln_wide *out, const kiln_wide *a)
{
    out->sign = a->sign;
    out->count = a->count;
    memcpy(out->limb, a->limb, a->count * sizeof a->limb[0]);
}

KILN_RARE static void hull_dot(const kiln_wide a[3], const kiln_wide b[3], kiln_wide *out)
{
    kiln_wide product;
    kiln_wide_multiply(out, &a[0], &b[0]);
    for (int k = 1; k < 3; k++) {
        kiln_wide_multiply(&product, &a[k], &b[k]);
        kiln_wide_add(out, out, &product, 1);
    }
}

KILN_RARE static void hull_cross(const kiln_wide a[3], const kiln_wide b[3], kiln_wide out[3])
{
    kiln_wide product;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        kiln_wide_multiply(&out[k], &a[i], &b[j]);
        kiln_wide_multiply(&product, &a[j], &b[i]);
        kiln_wide_add(&out[k], &out[k], &product, -1);
    }
}

KILN_RARE static void hull_between(const kiln_wide to[3], const kiln_wide from[3], kiln_wide out[3])
{
    for (int k = 0; k < 3; k++) {
        kiln_wide_add(&out[k], &to[k], &from[k], -1);
    }
}

KILN_RARE static void hull_point(const double p[3], int unit, kiln_wide out[3])
{
    for (int k = 0; k < 3; k++) {
        kiln_wide_set(&out[k], p[k], unit);
    }
}

/* ----------------------------------------------------------------------------------- faces -- */

KILN_RARE static bool on_corner(exact_search *x, int a)
{
    for (int k = 0; k < 3; k++) {
        copy_wide(&x->way[k], &x->p[a][k]);
    }
    kiln_wide_set(&x->weight[a], 1, 0);
    return true;
}

KILN_RARE static bool on_edge(exact_search *x, int a, int b)
{
    kiln_wide edge[3], product;
    hull_between(x->p[b], x->p[a], edge);
    hull_dot(x->p[b], edge, &x->weight[a]);
    hull_dot(x->p[a], edge, &x->weight[b]);
    x->weight[b].sign = -x->weight[b].sign;
    if (x->weight[a].sign <= 0 || x->weight[b].sign <= 0) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        kiln_wide_multiply(&x->way[k], &x->weight[a], &x->p[a][k]);
        kiln_wide_multiply(&product, &x->weight[b], &x->p[b][k]);
        kiln_wide_add(&x->way[k], &x->way[k], &product, 1);
    }
    return true;
}

/* Twice the area of the face as a vector. */
KILN_RARE static void face_normal(const exact_search *x, int a, int b, int c, kiln_wide normal[3])
{
    kiln_wide one[3], other[3];
    hull_between(x->p[b], x->p[a], one);
    hull_between(x->p[c], x->p[a], other);
    hull_cross(one, other, normal);
}

KILN_RARE static bool on_face(exact_search *x, const int at[3])
{
    kiln_wide normal[3], product[3], height;
    face_normal(x, at[0], at[1], at[2], normal);
    for (int i = 0; i < 3; i++) {
        hull_cross(x->p[at[(i + 1) % 3]], x->p[at[(i + 2) % 3]], product);
        hull_dot(normal, product, &x->weight[at[i]]);
        if (x->weight[at[i]].sign <= 0) {
            return false;
        }
    }
    hull_dot(normal, x->p[at[0]], &height);
    for (int k = 0; k < 3; k++) {
        copy_wide(&x->way[k], &normal[k]);
        x->way[k].sign *= height.sign;
        x->way[k].count = x->way[k].sign == 0 ? 0 : x->way[k].count;
    }
    return true;
}

KILN_RARE static bool on_all(exact_search *x)
{
    kiln_wide product[3];
    hull_cross(x->p[2], x->p[3], product);
    hull_dot(x->p[1], product, &x->weight[0]);
    hull_dot(x->p[0], product, &x->weight[1]);
    hull_cross(x->p[0], x->p[1], product);
    hull_dot(x->p[3], product, &x->weight[2]);
    hull_dot(x->p[2], product, &x->weight[3]);
    x->weight[1].sign = -x->weight[1].sign;
    x->weight[3].sign = -x->weight[3].sign;
    const int sign = x->weight[0].sign;
    for (int i = 0; i < 4; i++) {
        if (sign == 0 || x->weight[i].sign != sign) {
            return false;
        }
        x->weight[i].sign = 1;
    }
    for (int k = 0; k < 3; k++) {
        x->way[k].sign = 0;
        x->way[k].count = 0;
    }
    return true;
}

/* The numbers in a set of corners; how many. */
static int corners_in(unsigned bits, int at[4])
{
    int count = 0;
    for (; bits != 0; bits &= bits - 1) {
        at[count++] = __builtin_ctz(bits);
    }
    return count;
}

/* Is the point nearest to the origin inside this face? Else `way` and weights are rubbish. */
KILN_RARE static bool holds_nearest(exact_search *x, unsigned bits)
{
    int at[4];
    const int count = corners_in(bits, at);
    const bool inside = count == 1   ? on_corner(x, at[0])
                        : count == 2 ? on_edge(x, at[0], at[1])
                        : count == 3 ? on_face(x, at)
                                     : on_all(x);
    for (int i = 0; inside && i < x->s.count; i++) {
        if ((bits >> i & 1) == 0) {
            kiln_wide from[3], along;
            hull_between(x->p[i], x->p[at[0]], from);
            hull_dot(x->way, from, &along);
            if (along.sign < 0) {
                return false;
            }
        }
    }
    return inside;
}

/* The face of the simplex; one of them holds it. */
KILN_RARE static void find_exact_face(exact_search *x)
{
    x->bits = (1u << x->s.count) - 1;
    while (!holds_nearest(x, x->bits)) {
        x->bits--;
        KILN_ASSERT(x->bits > 0);
    }
}

/* --------------------------------------------------------------------------------- search -- */

/* `way` as doubles, the largest of which is from 1/2 to 1. */
KILN_RARE static void rounded_way(const exact_search *x, double out[3])
{
    int exponent[3], most = 0;
    bool any = false;
    for (int k = 0; k < 3; k++) {
        out[k] = kiln_wide_fraction(&x->way[k], &exponent[k]);
        if (out[k] != 0 && (!any || exponent[k] > most)) {
            most = exponent[k];
            any = true;
        }
    }
    for (int k = 0; k < 3; k++) {
        out[k] = out[k] != 0 ? ldexp(out[k], exponent[k] - most) : 0;
    }
}

/* Is point p before point q along the way, by more than nothing? */
KILN_RARE static bool is_nearer_along(const exact_search *x, const double p[3], const double q[3])
{
    kiln_wide at_p[3], at_q[3], between[3], along;
    hull_point(p, x->unit, at_p);
    hull_point(q, x->unit, at_q);
    hull_between(at_p, at_q, between);
    hull_dot(x->way, between, &along);
    return along.sign < 0;
}

/* How far a vertex is along the way, in doubles, from the first corner of the triangle on. */
static double place_along(const exact_search *x, const double w[3], uint32_t vertex)
{
    double p[3];
    kiln_convex_vertex(x->core, vertex, p);
    const kiln_vector from = kiln_vector_between(p, x->t);
    return kiln_dot(w, from.x);
}

/* The vertex that is first along the way, and the corner that is last. Doubles decide where they
 * are sure. */
KILN_RARE static void find_support(const exact_search *x, uint32_t *vertex, int *corner)
{
    double w[3], size = x->core->size, first = HUGE_VAL;
    rounded_way(x, w);
    for (int i = 0; i < 9; i++) {
        size = kiln_larger(size, fabs(x->t[i] - x->core->middle[i % 3]));
    }
    for (uint32_t i = 0; i < x->core->count; i++) {
        first = kiln_smaller(first, place_along(x, w, i));
    }
    bool any = false;
    double best[3], p[3];
    for (uint32_t i = 0; i < x->core->count; i++) {
        if (place_along(x, w, i) <= first + 2 * WITHIN * size) {
            kiln_convex_vertex(x->core, i, p);
            if (!any || is_nearer_along(x, p, best)) {
                *vertex = i;
                memcpy(best, p, sizeof best);
                any = true;
            }
        }
    }
    *corner = 0;
    for (int j = 1; j < 3; j++) {
        *corner = is_nearer_along(x, x->t + 3 * *corner, x->t + 3 * j) ? j : *corner;
    }
}

KILN_RARE static void load_difference(exact_search *x, int i)
{
    double p[3];
    kiln_wide vertex[3], corner[3];
    kiln_convex_vertex(x->core, x->s.vertex[i], p);
    hull_point(p, x->unit, vertex);
    hull_point(x->t + 3 * x->s.corner[i], x->unit, corner);
    hull_between(vertex, corner, x->p[i]);
}

/* Keeps the face and adds a pair that comes nearer. False: none does. */
KILN_RARE static bool come_nearer(exact_search *x)
{
    int at[4];
    uint32_t vertex = 0;
    int corner = 0;
    kiln_wide from[3], along;
    const int count = corners_in(x->bits, at);
    if (count == 4 || (x->way[0].sign == 0 && x->way[1].sign == 0 && x->way[2].sign == 0)) {
        return false;
    }
    find_support(x, &vertex, &corner);
    for (int i = 0; i < count; i++) {
        if (at[i] == i) {
            continue;
        }
        x->s.vertex[i] = x->s.vertex[at[i]];
        x->s.corner[i] = x->s.corner[at[i]];
        for (int k = 0; k < 3; k++) {
            copy_wide(&x->p[i][k], &x->p[at[i]][k]);
        }
        copy_wide(&x->weight[i], &x->weight[at[i]]);
    }
    x->bits = (1u << count) - 1;
    x->s.vertex[count] = vertex;
    x->s.corner[count] = corner;
    load_difference(x, count);
    hull_between(x->p[count], x->p[0], from);
    hull_dot(x->way, from, &along);
    x->s.count = count + (along.sign < 0);
    return along.sign < 0;
}

/* The exponent of the unit in which all numbers that take part are integers. */
KILN_RARE static int find_unit(const kiln_convex_core *core, const double t[9])
{
    double least = HUGE_VAL, p[3];
    least = core->radius > 0 ? core->radius : least;
    for (int i = 0; i < 9; i++) {
        least = t[i] != 0 ? kiln_smaller(fabs(t[i]), least) : least;
    }
    for (uint32_t i = 0; i < core->count; i++) {
        kiln_convex_vertex(core, i, p);
        for (int k = 0; k < 3; k++) {
            least = p[k] != 0 ? kiln_smaller(fabs(p[k]), least) : least;
        }
    }
    int exponent = 0;
    if (least < HUGE_VAL) {
        (void)frexp(least, &exponent);
    }
    return exponent - 53;
}

/* --------------------------------------------------------------------------------- answers -- */

/* The square of the distance as a fraction, in square units. */
KILN_RARE static void find_square(const exact_search *x, kiln_wide *above, kiln_wide *below)
{
    int at[4];
    kiln_wide v[3];
    const int count = corners_in(x->bits, at);
    if (count == 2) {
        hull_between(x->p[at[1]], x->p[at[0]], v);
        hull_dot(v, v, below);
        hull_cross(x->p[at[0]], x->p[at[1]], v);
        hull_dot(v, v, above);
    } else if (count == 3) {
        kiln_wide height;
        face_normal(x, at[0], at[1], at[2], v);
        hull_dot(v, v, below);
        hull_dot(v, x->p[at[0]], &height);
        kiln_wide_multiply(above, &height, &height);
    } else {
        kiln_wide_set(below, 1, 0);
        hull_dot(x->way, x->way, above); /* of a corner; or it is 0 */
    }
}

/* above <= radius^2 below? */
KILN_RARE static bool is_in_reach(const exact_search *x, const kiln_wide *above,
                                  const kiln_wide *below)
{
    kiln_wide radius, square, bound;
    kiln_wide_set(&radius, x->core->radius, x->unit);
    kiln_wide_multiply(&square, &radius, &radius);
    kiln_wide_multiply(&bound, &square, below);
    return kiln_wide_compare(above, &bound) <= 0;
}

/* The root of a fraction, in the shape's frame, within a few roundings. */
KILN_RARE static double root_of(const kiln_wide *above, const kiln_wide *below, int unit)
{
    int exponent_above, exponent_below;
    const double a = kiln_wide_fraction(above, &exponent_above);
    const double b = kiln_wide_fraction(below, &exponent_below);
    const int exponent = exponent_above - exponent_below, odd = exponent & 1;
    return ldexp(sqrt(a / b * (odd != 0 ? 2 : 1)), (exponent - odd) / 2 + unit);
}

/* The nearest points by the weights of their face. */
KILN_RARE static void fill_points(const exact_search *x, kiln_convex_nearest *out)
{
    int at[4], exponent[4], most = 0;
    double weight[4], sum = 0, w[3];
    const int count = corners_in(x->bits, at);
    for (int i = 0; i < count; i++) {
        weight[i] = kiln_wide_fraction(&x->weight[at[i]], &exponent[i]);
        most = i == 0 || exponent[i] > most ? exponent[i] : most;
    }
    for (int i = 0; i < count; i++) {
        weight[i] = ldexp(weight[i], exponent[i] - most);
        sum += weight[i];
    }
    rounded_way(x, w);
    for (int k = 0; k < 3; k++) {
        out->on_core[k] = out->on_mesh[k] = 0;
        out->apart[k] = -w[k];
    }
    for (int i = 0; i < count; i++) {
        double p[3];
        kiln_convex_vertex(x->core, x->s.vertex[at[i]], p);
        for (int k = 0; k < 3; k++) {
            out->on_core[k] += weight[i] / sum * p[k];
            out->on_mesh[k] += weight[i] / sum * x->t[3 * x->s.corner[at[i]] + k];
        }
    }
}

void kiln_convex_exactly(const kiln_convex_core *core, const double t[9],
                         const kiln_convex_simplex *start, bool *meet, kiln_convex_nearest *out)
{
    exact_search x;
    kiln_wide above, below;
    KILN_ASSERT(start->count >= 1 && start->count <= 4);
    x.core = core;
    x.t = t;
    x.unit = find_unit(core, t);
    x.s = *start;
    for (int i = 0; i < x.s.count; i++) {
        load_difference(&x, i);
    }
    do {
        find_exact_face(&x);
    } while (come_nearer(&x));
    find_square(&x, &above, &below);
    *meet = is_in_reach(&x, &above, &below);
    if (out != NULL) {
        fill_points(&x, out);
        const double distance = root_of(&above, &below, x.unit) - core->radius;
        out->value = *meet ? 0 : kiln_larger(distance, LEAST_ABOVE_ZERO);
    }
}
