/* The set of t for which the point is in the triangle is an interval, got by clipping.
 *
 *   with area, line not parallel to the plane: one t; the point is inside where it is on the
 *   inner
 *   side of each edge's plane that stands on the triangle;
 *   with area, line in the plane: clipped by those three planes (Cyrus and Beck);
 *   a segment, a point: solved for both parameters at once by scalar products.
 *
 * All coordinates are scaled to integers by one power of two, which leaves t as it is; fractions
 * are only made of t. Nothing is rounded. */
#include "oracle_line.h"

#include <gmp.h>
#include <limits.h>
#include <math.h>

typedef struct {
    mpz_t x[3];
} vector;

static struct {
    vector corner[3], origin, way, normal, edge, across, from, point, other;
    mpz_t a, b;
    mpq_t low, high, t, c;
    mpq_t first, off, room; /* of the last hit */
    bool has_low, has_high, ready;
} w;

static void prepare(void)
{
    vector *const all[] = {&w.corner[0], &w.corner[1], &w.corner[2], &w.origin, &w.way,  &w.normal,
                           &w.edge,      &w.across,    &w.from,      &w.point,  &w.other};
    if (w.ready) {
        return;
    }
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int k = 0; k < 3; k++) {
            mpz_init(all[i]->x[k]);
        }
    }
    mpz_inits(w.a, w.b, (mpz_ptr)0);
    mpq_inits(w.low, w.high, w.t, w.c, w.first, w.off, w.room, (mpq_ptr)0);
    w.ready = true;
}

/* The smallest exponent of a last significant bit, also of what came before. */
static int lowest_of(const double *from, int count, int lowest)
{
    for (int i = 0; i < count; i++) {
        int exponent;
        if (from[i] != 0) {
            (void)frexp(from[i], &exponent);
            lowest = exponent - 53 < lowest ? exponent - 53 : lowest;
        }
    }
    return lowest;
}

/* v = from times 2^-lowest */
static void load(vector *v, const double from[3], int lowest)
{
    for (int k = 0; k < 3; k++) {
        int exponent;
        const double mantissa = frexp(from[k], &exponent);
        mpz_set_d(v->x[k], ldexp(mantissa, 53));
        if (mantissa != 0) {
            mpz_mul_2exp(v->x[k], v->x[k], (mp_bitcnt_t)(exponent - 53 - lowest));
        }
    }
}

static void subtract(vector *out, const vector *p, const vector *q)
{
    for (int k = 0; k < 3; k++) {
        mpz_sub(out->x[k], p->x[k], q->x[k]);
    }
}

static void dot(mpz_t out, const vector *p, const vector *q)
{
    mpz_mul(out, p->x[0], q->x[0]);
    mpz_addmul(out, p->x[1], q->x[1]);
    mpz_addmul(out, p->x[2], q->x[2]);
}

/* out must not be p or q. */
static void cross(vector *out, const vector *p, const vector *q)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpz_mul(out->x[k], p->x[i], q->x[j]);
        mpz_submul(out->x[k], p->x[j], q->x[i]);
    }
}

static bool is_zero(const vector *v)
{
    return mpz_sgn(v->x[0]) == 0 && mpz_sgn(v->x[1]) == 0 && mpz_sgn(v->x[2]) == 0;
}

static void at_least(const mpq_t t)
{
    if (!w.has_low || mpq_cmp(t, w.low) > 0) {
        mpq_set(w.low, t);
    }
    w.has_low = true;
}

static void at_most(const mpq_t t)
{
    if (!w.has_high || mpq_cmp(t, w.high) < 0) {
        mpq_set(w.high, t);
    }
    w.has_high = true;
}

/* t = a / b */
static void divide(void)
{
    mpz_set(mpq_numref(w.t), w.a);
    mpz_set(mpq_denref(w.t), w.b);
    mpq_canonicalize(w.t);
}

/* Only points on the inner side of edge i remain. False: none does. */
static bool clip_by_edge(int i)
{
    subtract(&w.edge, &w.corner[(i + 1) % 3], &w.corner[i]);
    cross(&w.across, &w.normal, &w.edge);
    subtract(&w.from, &w.corner[i], &w.origin);
    dot(w.a, &w.across, &w.from); /* needs t b >= a */
    dot(w.b, &w.across, &w.way);
    if (mpz_sgn(w.b) == 0) {
        return mpz_sgn(w.a) <= 0;
    }
    divide();
    if (mpz_sgn(w.b) > 0) {
        at_least(w.t);
    } else {
        at_most(w.t);
    }
    return true;
}

static bool clip_by_triangle(void)
{
    subtract(&w.from, &w.corner[0], &w.origin);
    dot(w.a, &w.normal, &w.from);
    dot(w.b, &w.normal, &w.way);
    if (mpz_sgn(w.b) == 0) {
        if (mpz_sgn(w.a) != 0) {
            return false;
        }
    } else {
        divide();
        at_least(w.t);
        at_most(w.t);
    }
    return clip_by_edge(0) && clip_by_edge(1) && clip_by_edge(2);
}

/* t of a point that is on the line, into w.t. */
static void t_of(const vector *corner)
{
    subtract(&w.from, corner, &w.origin);
    dot(w.a, &w.from, &w.way);
    dot(w.b, &w.way, &w.way);
    divide();
}

static bool clip_by_segment(const vector *p, const vector *q)
{
    subtract(&w.edge, q, p);
    subtract(&w.from, p, &w.origin);
    cross(&w.across, &w.way, &w.edge);
    if (is_zero(&w.across)) { /* parallel, or a point */
        cross(&w.other, &w.from, &w.way);
        if (!is_zero(&w.other)) {
            return false;
        }
        t_of(p);
        mpq_set(w.c, w.t);
        t_of(q);
        at_least(mpq_cmp(w.c, w.t) < 0 ? w.c : w.t);
        at_most(mpq_cmp(w.c, w.t) < 0 ? w.t : w.c);
        return true;
    }
    dot(w.a, &w.from, &w.across);
    if (mpz_sgn(w.a) != 0) {
        return false;
    }
    dot(w.b, &w.across, &w.across);
    cross(&w.other, &w.from, &w.way);
    dot(w.a, &w.other, &w.across); /* along the segment: a / b */
    if (mpz_sgn(w.a) < 0 || mpz_cmp(w.a, w.b) > 0) {
        return false;
    }
    cross(&w.other, &w.from, &w.edge);
    dot(w.a, &w.other, &w.across);
    divide();
    at_least(w.t);
    at_most(w.t);
    return true;
}

/* Corners on a line: the two that are furthest apart. */
static bool clip_by_ends(void)
{
    int best = 0;
    for (int i = 0; i < 3; i++) {
        subtract(&w.edge, &w.corner[(i + 1) % 3], &w.corner[i]);
        dot(w.a, &w.edge, &w.edge);
        if (i == 0 || mpz_cmp(w.a, w.b) > 0) {
            mpz_set(w.b, w.a);
            best = i;
        }
    }
    return clip_by_segment(&w.corner[best], &w.corner[(best + 1) % 3]);
}

bool oracle_line_meets(const double origin[3], const double way[3], double t_min, double t_max,
                       const double triangle[9], oracle_line_hit *hit)
{
    prepare();
    const int lowest = lowest_of(triangle, 9, lowest_of(way, 3, lowest_of(origin, 3, INT_MAX)));
    load(&w.origin, origin, lowest);
    load(&w.way, way, lowest);
    for (int i = 0; i < 3; i++) {
        load(&w.corner[i], triangle + 3 * i, lowest);
    }
    w.has_low = w.has_high = false;
    subtract(&w.edge, &w.corner[1], &w.corner[0]);
    subtract(&w.from, &w.corner[2], &w.corner[0]);
    cross(&w.normal, &w.edge, &w.from);
    if (is_zero(&w.normal) ? !clip_by_ends() : !clip_by_triangle()) {
        return false;
    }
    if (isfinite(t_min)) {
        mpq_set_d(w.t, t_min);
        at_least(w.t);
    }
    if (isfinite(t_max)) {
        mpq_set_d(w.t, t_max);
        at_most(w.t);
    }
    if (mpq_cmp(w.low, w.high) > 0 || t_min == HUGE_VAL || t_max == -HUGE_VAL) {
        return false;
    }
    dot(w.a, &w.normal, &w.way);
    hit->side = mpz_sgn(w.a);
    hit->t = mpq_get_d(w.low);
    mpq_set(w.first, w.low);
    return true;
}

bool oracle_line_t_is(double t, double relative)
{
    mpq_set_d(w.t, t);
    mpq_sub(w.off, w.t, w.first);
    mpq_abs(w.off, w.off);
    mpq_set_d(w.room, relative);
    mpq_abs(w.c, w.first);
    mpq_mul(w.room, w.room, w.c);
    return mpq_cmp(w.off, w.room) <= 0;
}
