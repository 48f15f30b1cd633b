/* A point and a triangle: doubles with a bound of their error, then pairs of doubles with one,
 * then integers.
 *
 * Corner i is nearest where (p - c_i) . (c_j - c_i) <= 0 for both other corners; else the inside
 * of the edge e from c_i to c_j is, where both its ends' products with it are positive and the
 * third corner is not on p's side of it: with f = c_k - c_i
 *
 *     ((p - c_i) . f) (e . e) - ((p - c_i) . e) (e . f) <= 0
 *
 * and else the inside of the triangle. These hold for triangles without area, too (Ericson,
 * Real-Time Collision Detection, 2005, section 5.1.5, has them as regions of Voronoi). The square
 * of the distance is a fraction: |p - c|^2; ((p - c)^2 e^2 - ((p - c) . e)^2) / e^2; (n . (p -
 * c))^2 / n^2 with n = e x f.
 *
 * Sizes. A difference of p is a multiple of 2^-302 below 2^235, one of corners of 2^-149 below
 * 2^163. So no product of four, of which p is in two at most, leaves the range of doubles. On the
 * grid of 2^-302 they have 537 and 465 bits; a coordinate of n has 931, n . (p - c) 1,470, its
 * square 2,940, n^2 1,864, and the largest product of all, of such a square and the n^2 of another
 * triangle, 4,804, below the 5,120 of wide_integer.h.
 */
#include "point_triangle.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../base/compiler.h"
#include "double_double.h"
#include "wide_integer.h"

#include <math.h>
#include <string.h>

/* What a sum of three products of two differences may be off by: each difference, each product and
 * two sums round once, 6 u of the sum of magnitudes; and products of two such, and their
 * difference. u = 2^-53. */
#define DOT_OFF 0x1p-50
#define REGION_OFF 0x1p-48

/* ------------------------------------------------------------------------------ in integers -- */

typedef struct {
    kiln_wide at[3];
} wide_vector;

/* The coarsest grid that has all coordinates. */
KILN_RARE static int grid_of(const double *values, int count, int step)
{
    for (int i = 0; i < count; i++) {
        if (values[i] != 0 && fabs(values[i]) < HUGE_VAL) {
            const int lowest = kiln_wide_lowest_bit(values[i]);
            step = lowest < step ? lowest : step;
        }
    }
    return step;
}

KILN_RARE static void wide_between(const double to[3], const double from[3], int step,
                                   wide_vector *out)
{
    kiln_wide subtracted;
    for (int k = 0; k < 3; k++) {
        kiln_wide_set(&out->at[k], to[k], step);
        kiln_wide_set(&subtracted, from[k], step);
        kiln_wide_add(&out->at[k], &out->at[k], &subtracted, -1);
    }
}

KILN_RARE static void wide_dot(const wide_vector *a, const wide_vector *b, kiln_wide *out)
{
    kiln_wide product;
    out->sign = 0;
    out->count = 0;
    for (int k = 0; k < 3; k++) {
        kiln_wide_multiply(&product, &a->at[k], &b->at[k]);
        kiln_wide_add(out, out, &product, 1);
    }
}

KILN_RARE static void wide_cross(const wide_vector *a, const wide_vector *b, wide_vector *out)
{
    kiln_wide product;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        kiln_wide_multiply(&out->at[k], &a->at[i], &b->at[j]);
        kiln_wide_multiply(&product, &a->at[j], &b->at[i]);
        kiln_wide_add(&out->at[k], &out->at[k], &product, -1);
    }
}

KILN_RARE static int wide_sign_dot(const double p[3], const double from[3], const double to[3],
                                   int step)
{
    wide_vector off, edge;
    kiln_wide dot;
    wide_between(p, from, step, &off);
    wide_between(to, from, step, &edge);
    wide_dot(&off, &edge, &dot);
    return dot.sign;
}

/* Of the third condition above. */
KILN_RARE static int wide_sign_region(const double p[3], const double c_i[3], const double c_j[3],
                                      const double c_k[3], int step)
{
    wide_vector off, e, f;
    kiln_wide a, b, left, right;
    wide_between(p, c_i, step, &off);
    wide_between(c_j, c_i, step, &e);
    wide_between(c_k, c_i, step, &f);
    wide_dot(&off, &f, &a);
    wide_dot(&e, &e, &b);
    kiln_wide_multiply(&left, &a, &b);
    wide_dot(&off, &e, &a);
    wide_dot(&e, &f, &b);
    kiln_wide_multiply(&right, &a, &b);
    return kiln_wide_compare(&left, &right);
}

/* The square of the distance as a fraction, in squares of the step. */
KILN_RARE static void wide_square(const double p[3], const double t[9], kiln_nearest_feature of_t,
                                  int step, kiln_wide *over, kiln_wide *under)
{
    wide_vector off, e, f, normal;
    kiln_wide square, product;
    const uint32_t first = of_t.kind == KILN_FEATURE_CORNER ? of_t.part : (of_t.part + 1) % 3;
    const uint32_t second = (first + 1) % 3, third = (first + 2) % 3;
    wide_between(p, t + 3 * first, step, &off);
    if (of_t.kind == KILN_FEATURE_CORNER) {
        wide_dot(&off, &off, over);
        kiln_wide_set(under, 1, 0);
        return;
    }
    wide_between(t + 3 * second, t + 3 * first, step, &e);
    if (of_t.kind == KILN_FEATURE_EDGE) {
        wide_dot(&e, &e, under);
        wide_dot(&off, &off, &square);
        kiln_wide_multiply(over, &square, under);
        wide_dot(&off, &e, &square);
        kiln_wide_multiply(&product, &square, &square);
        kiln_wide_add(over, over, &product, -1);
        return;
    }
    wide_between(t + 3 * third, t + 3 * first, step, &f);
    wide_cross(&e, &f, &normal);
    wide_dot(&normal, &normal, under);
    wide_dot(&normal, &off, &square);
    kiln_wide_multiply(over, &square, &square);
}

KILN_RARE static int wide_compare_squares(const double p[3], const double t[9],
                                          kiln_nearest_feature of_t, const double u[9],
                                          kiln_nearest_feature of_u)
{
    const int step = grid_of(p, 3, grid_of(t, 9, grid_of(u, 9, 0)));
    kiln_wide over_t, under_t, over_u, under_u, left, right;
    wide_square(p, t, of_t, step, &over_t, &under_t);
    wide_square(p, u, of_u, step, &over_u, &under_u);
    kiln_wide_multiply(&left, &over_t, &under_u);
    kiln_wide_multiply(&right, &over_u, &under_t);
    return kiln_wide_compare(&left, &right);
}

KILN_RARE static int wide_compare_radius(const double p[3], const double t[9],
                                         kiln_nearest_feature of_t, double radius)
{
    const int step = grid_of(p, 3, grid_of(t, 9, grid_of(&radius, 1, 0)));
    kiln_wide over, under, r, square, right;
    wide_square(p, t, of_t, step, &over, &under);
    kiln_wide_set(&r, radius, step);
    kiln_wide_multiply(&square, &r, &r);
    kiln_wide_multiply(&right, &square, &under);
    return kiln_wide_compare(&over, &right);
}

/* a / b 2^exponent. */
KILN_RARE static double wide_quotient(const kiln_wide *a, const kiln_wide *b, int exponent)
{
    int exponent_a, exponent_b;
    const double fraction_a = kiln_wide_fraction(a, &exponent_a);
    const double fraction_b = kiln_wide_fraction(b, &exponent_b);
    return ldexp(fraction_a / fraction_b, exponent_a - exponent_b + exponent);
}

KILN_RARE static void wide_measure(const double p[3], const double t[9], kiln_nearest_feature of_t,
                                   kiln_point_measure *out)
{
    const int step = grid_of(p, 3, grid_of(t, 9, 0));
    const uint32_t first = of_t.kind == KILN_FEATURE_CORNER ? of_t.part : (of_t.part + 1) % 3;
    const uint32_t second = (first + 1) % 3, third = (first + 2) % 3;
    kiln_wide over, under, dot;
    wide_square(p, t, of_t, step, &over, &under);
    int exponent_over, exponent_under;
    const double fraction_over = kiln_wide_fraction(&over, &exponent_over);
    const double fraction_under = kiln_wide_fraction(&under, &exponent_under);
    int exponent = exponent_over - exponent_under;
    double square = fraction_over / fraction_under;
    if ((exponent & 1) != 0) {
        square *= 2;
        exponent -= 1;
    }
    out->distance = ldexp(sqrt(square), exponent / 2 + step);
    memset(out->weights, 0, sizeof out->weights);
    out->weights[first] = 1;
    if (of_t.kind == KILN_FEATURE_CORNER) {
        return;
    }
    wide_vector off, e, f, normal, across;
    wide_between(p, t + 3 * first, step, &off);
    wide_between(t + 3 * second, t + 3 * first, step, &e);
    if (of_t.kind == KILN_FEATURE_EDGE) {
        wide_dot(&off, &e, &dot);
        out->weights[second] = wide_quotient(&dot, &under, 0);
    } else {
        wide_between(t + 3 * third, t + 3 * first, step, &f);
        wide_cross(&e, &f, &normal);
        wide_cross(&off, &f, &across);
        wide_dot(&across, &normal, &dot);
        out->weights[second] = wide_quotient(&dot, &under, 0);
        wide_cross(&e, &off, &across);
        wide_dot(&across, &normal, &dot);
        out->weights[third] = wide_quotient(&dot, &under, 0);
    }
    out->weights[first] = (1 - out->weights[second]) - out->weights[third];
}

/* ------------------------------------------------------------------------------ the feature -- */

/* A sum of products and the sum of their magnitudes. */
typedef struct {
    double sum, size;
} sized_dot;

static inline sized_dot sized_dot_of(const double a[3], const double b[3])
{
    const double x = a[0] * b[0], y = a[1] * b[1], z = a[2] * b[2];
    return (sized_dot){(x + y) + z, (fabs(x) + fabs(y)) + fabs(z)};
}

/* 2: not known. Where all products are 0 there is nothing to be off. */
static inline int sure_sign(double sum, double off)
{
    return sum > off ? 1 : sum < -off ? -1 : off == 0 ? 0 : 2;
}

kiln_nearest_feature kiln_point_feature(const double p[3], const double t[9])
{
    double off[3][3], edge[3][3]; /* from corner i; from corner i to the next */
    int ahead[3], back[3];        /* signs at corner i along the edges to the next and the last */
    int step = 1;                 /* not known */
    sized_dot along[3], against[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        for (int k = 0; k < 3; k++) {
            off[i][k] = p[k] - t[3 * i + k];
            edge[i][k] = t[3 * j + k] - t[3 * i + k];
        }
    }
    for (int i = 0; i < 3; i++) {
        const int last = (i + 2) % 3;
        along[i] = sized_dot_of(off[i], edge[i]);
        against[i] = sized_dot_of(off[i], edge[last]);
        against[i].sum = -against[i].sum;
        ahead[i] = sure_sign(along[i].sum, DOT_OFF * along[i].size);
        back[i] = sure_sign(against[i].sum, DOT_OFF * against[i].size);
    }
    for (int i = 0; i < 3; i++) {
        const int next = (i + 1) % 3, last = (i + 2) % 3;
        if (ahead[i] == 2 || back[i] == 2) {
            step = step > 0 ? grid_of(p, 3, grid_of(t, 9, 0)) : step;
        }
        if (ahead[i] == 2) {
            ahead[i] = wide_sign_dot(p, t + 3 * i, t + 3 * next, step);
        }
        if (back[i] == 2) {
            back[i] = wide_sign_dot(p, t + 3 * i, t + 3 * last, step);
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (ahead[i] <= 0 && back[i] <= 0) {
            return (kiln_nearest_feature){KILN_FEATURE_CORNER, i};
        }
    }
    for (uint32_t part = 0; part < 3; part++) {
        const uint32_t i = (part + 1) % 3, j = (part + 2) % 3, k = part;
        if (ahead[i] <= 0 || back[j] <= 0) {
            continue;
        }
        const sized_dot square = sized_dot_of(edge[i], edge[i]),
                        between = sized_dot_of(edge[i], edge[k]);
        /* from corner i the third one, k, is the last: f = -edge[k] */
        const double left = against[i].sum * square.sum, right = along[i].sum * -between.sum;
        const double size = against[i].size * square.size + along[i].size * between.size;
        int sign = sure_sign(left - right, REGION_OFF * size);
        if (sign == 2) {
            step = step > 0 ? grid_of(p, 3, grid_of(t, 9, 0)) : step;
            sign = wide_sign_region(p, t + 3 * i, t + 3 * j, t + 3 * k, step);
        }
        if (sign <= 0) {
            return (kiln_nearest_feature){KILN_FEATURE_EDGE, part};
        }
    }
    return (kiln_nearest_feature){KILN_FEATURE_FACE, 0};
}

bool kiln_point_stays_at_corner(const double p[3], const double t[9], uint32_t corner)
{
    double off[3], edge[2][3];
    for (uint32_t k = 0; k < 3; k++) {
        off[k] = p[k] - t[3 * corner + k];
        for (uint32_t j = 0; j < 2; j++) {
            edge[j][k] = t[3 * ((corner + 1 + j) % 3) + k] - t[3 * corner + k];
        }
    }
    const sized_dot a = sized_dot_of(off, edge[0]), b = sized_dot_of(off, edge[1]);
    return a.sum <= -DOT_OFF * a.size && b.sum <= -DOT_OFF * b.size;
}

bool kiln_features_coincide(const double t[9], kiln_nearest_feature of_t, const double u[9],
                            kiln_nearest_feature of_u)
{
    if (of_t.kind != of_u.kind || of_t.kind == KILN_FEATURE_FACE) {
        return false;
    }
    if (of_t.kind == KILN_FEATURE_CORNER) {
        return kiln_is_same_point(t + 3 * of_t.part, u + 3 * of_u.part);
    }
    const double *t0 = t + 3 * ((of_t.part + 1) % 3), *t1 = t + 3 * ((of_t.part + 2) % 3);
    const double *u0 = u + 3 * ((of_u.part + 1) % 3), *u1 = u + 3 * ((of_u.part + 2) % 3);
    return (kiln_is_same_point(t0, u0) && kiln_is_same_point(t1, u1)) ||
           (kiln_is_same_point(t0, u1) && kiln_is_same_point(t1, u0));
}

/* ---------------------------------------------------------------------- in pairs of doubles -- */

/* The power of two that makes the largest 1/2 to 1; 1 where all are 0. */
static double power_for(const double p[3], const double t[9], double size)
{
    for (int i = 0; i < 9; i++) {
        const double off = fabs(p[i % 3] - t[i]);
        size = off > size ? off : size;
    }
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    bits =
        size > 0 ? ((uint64_t)2045 << 52) - (bits & (uint64_t)0x7FF << 52) : (uint64_t)1023 << 52;
    memcpy(&size, &bits, sizeof size);
    return size;
}

/* Vectors of a triangle from its first corner in hand: to p, along the feature's edge, to the
 * third corner. And sums of magnitudes: of all, and the largest of an edge. */
typedef struct {
    kiln_dd off[3], e[3], f[3];
    double size, longest;
} paired_triangle;

static void pair_triangle(const double p[3], const double t[9], kiln_nearest_feature of_t,
                          double power, paired_triangle *out)
{
    const uint32_t first = of_t.kind == KILN_FEATURE_CORNER ? of_t.part : (of_t.part + 1) % 3;
    const double *a = t + 3 * first, *b = t + 3 * ((first + 1) % 3), *c = t + 3 * ((first + 2) % 3);
    double e = 0, f = 0, off = 0;
    for (int k = 0; k < 3; k++) {
        out->off[k] = kiln_dd_two_sum(p[k] * power, -a[k] * power);
        out->e[k] = kiln_dd_two_sum(b[k] * power, -a[k] * power);
        out->f[k] = kiln_dd_two_sum(c[k] * power, -a[k] * power);
        off += fabs(out->off[k].head);
        e += fabs(out->e[k].head);
        f += fabs(out->f[k].head);
    }
    out->longest = e > f ? e : f;
    out->size = off + e + f;
}

/* The square of the distance and what it may be off by; with numbers of about 1. Differences are
 * exact. A coordinate of a cross product errs by 2^-98 of the magnitudes that it multiplies; the
 * distance by at most 2^-96 of `size` from an edge, and of `size` times longest^2 / |n| from a
 * face; 2^-94 is taken. Since no distance is above `size`, that is 2^-93 of the square at least,
 * and more than the last products and the quotient err by, for which 2^-90 are added. What
 * underflows is below 2^-1070, so below 2^-670 after the division. False: the bound does not hold,
 * n being nearly 0. */
static bool paired_square(const paired_triangle *t, kiln_feature kind, kiln_dd *square,
                          double *error)
{
    kiln_dd over, under, cross[3];
    double off = 0x1p-94 * t->size;
    if (kind == KILN_FEATURE_CORNER) {
        *square = kiln_dd_dot(t->off, t->off);
        *error = 0x1p-96 * square->head + 0x1p-600;
        return true;
    }
    if (kind == KILN_FEATURE_EDGE) {
        kiln_dd_cross(t->off, t->e, cross);
        over = kiln_dd_dot(cross, cross);
        under = kiln_dd_dot(t->e, t->e);
    } else {
        kiln_dd_cross(t->e, t->f, cross);
        over = kiln_dd_dot(cross, t->off);
        over = kiln_dd_multiply(over, over);
        under = kiln_dd_dot(cross, cross);
        const double worst = t->longest * t->longest;
        if (!(under.head > 0x1p-80 * (worst * worst))) {
            return false;
        }
        off *= worst / sqrt(under.head);
    }
    if (!(under.head > 0x1p-400)) {
        return false;
    }
    *square = kiln_dd_divide(over, under);
    const double distance = sqrt(square->head > 0 ? square->head : 0);
    *error = (2 * distance + off) * off + 0x1p-90 * square->head + 0x1p-600;
    return true;
}

int kiln_point_compare(const double p[3], const double t[9], kiln_nearest_feature of_t,
                       const double u[9], kiln_nearest_feature of_u)
{
    paired_triangle pair;
    kiln_dd square_t, square_u;
    double error_t, error_u;
    if (kiln_features_coincide(t, of_t, u, of_u)) {
        return 0;
    }
    const double power = fmin(power_for(p, t, 0), power_for(p, u, 0));
    pair_triangle(p, t, of_t, power, &pair);
    bool known = paired_square(&pair, of_t.kind, &square_t, &error_t);
    pair_triangle(p, u, of_u, power, &pair);
    known = paired_square(&pair, of_u.kind, &square_u, &error_u) && known;
    const double less = kiln_dd_subtract(square_t, square_u).head;
    const double error = 1.01 * (error_t + error_u);
    if (known && fabs(less) > error) {
        return less > 0 ? 1 : -1;
    }
    return wide_compare_squares(p, t, of_t, u, of_u);
}

int kiln_point_compare_radius(const double p[3], const double t[9], kiln_nearest_feature of_t,
                              double radius)
{
    paired_triangle pair;
    kiln_dd square;
    double error;
    if (radius > 0x1p+240) { /* and infinite: no point is that far away */
        return -1;
    }
    const double power = power_for(p, t, radius);
    pair_triangle(p, t, of_t, power, &pair);
    const bool known = paired_square(&pair, of_t.kind, &square, &error);
    const kiln_dd of_radius = kiln_dd_two_product(radius * power, radius * power);
    const double less = kiln_dd_subtract(square, of_radius).head;
    if (known && fabs(less) > 1.01 * error + 0x1p-98 * of_radius.head + 0x1p-600) {
        return less > 0 ? 1 : -1;
    }
    return wide_compare_radius(p, t, of_t, radius);
}

/* ------------------------------------------------------------------------------ the measure -- */

static void weigh_corner(uint32_t corner, double weights[3])
{
    weights[0] = weights[1] = weights[2] = 0;
    weights[corner] = 1;
}

static inline double weight_within(double w)
{
    return w > 0 ? (w < 1 ? w : 1) : 0;
}

/* The distance in pairs of doubles, of which only the numerator, where all digits may cancel, is
 * one: the same bounds as paired_square. False: not near enough. */
static bool paired_distance(const paired_triangle *t, kiln_feature kind, double *distance)
{
    kiln_dd cross[3];
    double off = 0x1p-94 * t->size, under;
    if (kind == KILN_FEATURE_CORNER) {
        *distance = sqrt(kiln_dd_dot(t->off, t->off).head);
        return *distance > 0x1p-300;
    }
    if (kind == KILN_FEATURE_EDGE) {
        kiln_dd_cross(t->off, t->e, cross);
        const double x = cross[0].head, y = cross[1].head, z = cross[2].head;
        under = (t->e[0].head * t->e[0].head + t->e[1].head * t->e[1].head) +
                t->e[2].head * t->e[2].head;
        *distance = sqrt(((x * x + y * y) + z * z) / under);
    } else {
        kiln_dd_cross(t->e, t->f, cross);
        const double x = cross[0].head, y = cross[1].head, z = cross[2].head;
        const double worst = t->longest * t->longest;
        under = (x * x + y * y) + z * z;
        if (!(under > 0x1p-80 * (worst * worst))) {
            return false;
        }
        *distance = fabs(kiln_dd_dot(cross, t->off).head) / sqrt(under);
        off *= worst / sqrt(under);
    }
    return under > 0x1p-400 && *distance > 0x1p-300 && off <= 0x1p-44 * *distance;
}

/* The weights in pairs of doubles. False: not near enough. */
static bool paired_weights(const paired_triangle *t, kiln_feature kind, double *second,
                           double *third)
{
    kiln_dd cross[3], across[3];
    *third = 0;
    if (kind == KILN_FEATURE_EDGE) {
        const double length = kiln_dd_dot(t->e, t->e).head;
        *second = kiln_dd_dot(t->off, t->e).head / length;
        return 0x1p-90 * t->size <= 0x1p-40 * sqrt(length);
    }
    kiln_dd_cross(t->e, t->f, cross);
    const double normal = kiln_dd_dot(cross, cross).head;
    kiln_dd_cross(t->off, t->f, across);
    *second = kiln_dd_dot(across, cross).head / normal;
    kiln_dd_cross(t->e, t->off, across);
    *third = kiln_dd_dot(across, cross).head / normal;
    return 0x1p-90 * (t->size * t->longest * t->longest * t->longest) <= 0x1p-40 * normal;
}

/* The third of the weights follows from the other two; none may be negative, or exceed 1. */
static void settle_weights(kiln_nearest_feature of_t, kiln_point_measure *out)
{
    const uint32_t first = (of_t.part + 1) % 3, second = (first + 1) % 3, third = (first + 2) % 3;
    double *w = out->weights;
    w[second] = weight_within(w[second]);
    w[third] = of_t.kind == KILN_FEATURE_EDGE ? 0 : weight_within(w[third]);
    w[first] = weight_within((1 - w[second]) - w[third]);
    const double sum = (w[0] + w[1]) + w[2];
    for (int k = 0; k < 3; k++) {
        w[k] /= sum;
    }
}

/* What doubles give near enough: the distance from the plane or the line, off by 2^-47 of `size`
 * (times longest^2 / |n| from a plane), and weights off by 2^-48 of size / |e| and 2^-47 size
 * longest^3 / |n|^2. */
typedef struct {
    bool distance, weights;
} measured;

static measured plain_measure(const double p[3], const double t[9], kiln_nearest_feature of_t,
                              kiln_point_measure *out)
{
    const uint32_t first = (of_t.part + 1) % 3, second = (first + 1) % 3, third = (first + 2) % 3;
    const double *a = t + 3 * first, *b = t + 3 * second, *c = t + 3 * third;
    double off[3], e[3], f[3], size = 0, size_e = 0, size_f = 0;
    for (int k = 0; k < 3; k++) {
        off[k] = p[k] - a[k];
        e[k] = b[k] - a[k];
        f[k] = c[k] - a[k];
        size += fabs(off[k]);
        size_e += fabs(e[k]);
        size_f += fabs(f[k]);
    }
    size += size_e + size_f;
    if (of_t.kind == KILN_FEATURE_EDGE) {
        const double square = (e[0] * e[0] + e[1] * e[1]) + e[2] * e[2];
        const double part = ((off[0] * e[0] + off[1] * e[1]) + off[2] * e[2]) / square;
        double rest = 0;
        for (int k = 0; k < 3; k++) {
            const double r = off[k] - part * e[k];
            rest += r * r;
        }
        out->distance = sqrt(rest);
        out->weights[second] = part;
        out->weights[third] = 0;
        return (measured){0x1p-47 * size <= 0x1p-41 * out->distance,
                          size * size <= 0x1p+32 * square};
    }
    double n[3], up = 0, square = 0, to_second = 0, to_third = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = e[i] * f[j] - e[j] * f[i];
        up += n[k] * off[k];
        square += n[k] * n[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        to_second += n[k] * (off[i] * f[j] - off[j] * f[i]);
        to_third += n[k] * (e[i] * off[j] - e[j] * off[i]);
    }
    const double longest = size_e > size_f ? size_e : size_f, worst = longest * longest;
    out->distance = fabs(up) / sqrt(square);
    out->weights[second] = to_second / square;
    out->weights[third] = to_third / square;
    return (measured){0x1p-6 * size * worst <= fabs(up),
                      size * (worst * longest) <= 0x1p+14 * square};
}

/* Of coordinates beyond 2^100 the products above could leave the range of doubles. */
void kiln_measure_point(const double p[3], const double t[9], kiln_nearest_feature of_t,
                        kiln_point_measure *out)
{
    const uint32_t first = of_t.kind == KILN_FEATURE_CORNER ? of_t.part : (of_t.part + 1) % 3;
    const bool corner = of_t.kind == KILN_FEATURE_CORNER;
    measured known = {false, corner};
    if (corner) {
        weigh_corner(of_t.part, out->weights);
    } else if (fabs(p[0]) < 0x1p+100 && fabs(p[1]) < 0x1p+100 && fabs(p[2]) < 0x1p+100) {
        known = plain_measure(p, t, of_t, out);
    }
    if (!(known.distance && known.weights)) {
        paired_triangle pair;
        const double power = power_for(p, t, 0);
        pair_triangle(p, t, of_t, power, &pair);
        if (!known.distance) {
            known.distance = paired_distance(&pair, of_t.kind, &out->distance);
            out->distance /= power;
        }
        if (!known.weights) {
            known.weights = paired_weights(&pair, of_t.kind, &out->weights[(first + 1) % 3],
                                           &out->weights[(first + 2) % 3]);
        }
    }
    if (!(known.distance && known.weights)) {
        wide_measure(p, t, of_t, out);
    }
    if (!corner) {
        settle_weights(of_t, out);
    }
}
