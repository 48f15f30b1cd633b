/* The set of t for which the point is in the triangle is an interval, got by clipping.
 *
 *   with area, line not parallel to the plane: one t; the point is inside where it is on the inner
 *   side of each edge's plane that stands on the triangle;
 *   with area, line in the plane: clipped by those three planes (Cyrus and Beck);
 *   a segment, a point: solved for both parameters at once by scalar products.
 *
 * GMP's fractions of integers: nothing is rounded. */
#include "oracle_line.h"

#include <gmp.h>
#include <math.h>

typedef struct {
    mpq_t x[3];
} vector;

static struct {
    vector corner[3], origin, way, normal, edge, across, from, point, other;
    mpq_t low, high, t, a, b, c;
    mpq_t first; /* of the last hit */
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
            mpq_init(all[i]->x[k]);
        }
    }
    mpq_inits(w.low, w.high, w.t, w.a, w.b, w.c, w.first, (mpq_ptr)0);
    w.ready = true;
}

static void load(vector *v, const double from[3])
{
    for (int k = 0; k < 3; k++) {
        mpq_set_d(v->x[k], from[k]);
    }
}

static void subtract(vector *out, const vector *p, const vector *q)
{
    for (int k = 0; k < 3; k++) {
        mpq_sub(out->x[k], p->x[k], q->x[k]);
    }
}

static void dot(mpq_t out, const vector *p, const vector *q)
{
    mpq_t product;
    mpq_init(product);
    mpq_set_ui(out, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_mul(product, p->x[k], q->x[k]);
        mpq_add(out, out, product);
    }
    mpq_clear(product);
}

/* out must not be p or q. */
static void cross(vector *out, const vector *p, const vector *q)
{
    mpq_t product;
    mpq_init(product);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(out->x[k], p->x[i], q->x[j]);
        mpq_mul(product, p->x[j], q->x[i]);
        mpq_sub(out->x[k], out->x[k], product);
    }
    mpq_clear(product);
}

static bool is_zero(const vector *v)
{
    return mpq_sgn(v->x[0]) == 0 && mpq_sgn(v->x[1]) == 0 && mpq_sgn(v->x[2]) == 0;
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

/* Only points on the inner side of edge i remain. False: none does. */
static bool clip_by_edge(int i)
{
    subtract(&w.edge, &w.corner[(i + 1) % 3], &w.corner[i]);
    cross(&w.across, &w.normal, &w.edge);
    subtract(&w.from, &w.corner[i], &w.origin);
    dot(w.a, &w.across, &w.from); /* needs t b >= a */
    dot(w.b, &w.across, &w.way);
    if (mpq_sgn(w.b) == 0) {
        return mpq_sgn(w.a) <= 0;
    }
    mpq_div(w.t, w.a, w.b);
    if (mpq_sgn(w.b) > 0) {
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
    if (mpq_sgn(w.b) == 0) {
        if (mpq_sgn(w.a) != 0) {
            return false;
        }
    } else {
        mpq_div(w.t, w.a, w.b);
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
    mpq_div(w.t, w.a, w.b);
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
    if (mpq_sgn(w.a) != 0) {
        return false;
    }
    dot(w.b, &w.across, &w.across);
    cross(&w.other, &w.from, &w.way);
    dot(w.a, &w.other, &w.across); /* along the segment: a / b */
    if (mpq_sgn(w.a) < 0 || mpq_cmp(w.a, w.b) > 0) {
        return false;
    }
    cross(&w.other, &w.from, &w.edge);
    dot(w.a, &w.other, &w.across);
    mpq_div(w.t, w.a, w.b);
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
        if (i == 0 || mpq_cmp(w.a, w.c) > 0) {
            mpq_set(w.c, w.a);
            best = i;
        }
    }
    return clip_by_segment(&w.corner[best], &w.corner[(best + 1) % 3]);
}

bool oracle_line_meets(const double origin[3], const double way[3], double t_min, double t_max,
                       const double triangle[9], oracle_line_hit *hit)
{
    prepare();
    load(&w.origin, origin);
    load(&w.way, way);
    for (int i = 0; i < 3; i++) {
        load(&w.corner[i], triangle + 3 * i);
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
    hit->side = mpq_sgn(w.a);
    hit->t = mpq_get_d(w.low);
    mpq_set(w.first, w.low);
    return true;
}

bool oracle_line_t_is(double t, double relative)
{
    mpq_set_d(w.t, t);
    mpq_sub(w.a, w.t, w.first);
    mpq_abs(w.a, w.a);
    mpq_set_d(w.b, relative);
    mpq_abs(w.c, w.first);
    mpq_mul(w.b, w.b, w.c);
    return mpq_cmp(w.a, w.b) <= 0;
}
