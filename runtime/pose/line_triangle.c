/* Line against triangle: a double filter, then expansions.
 *
 * Three volumes decide, those that the line's direction d spans with each edge as the origin o
 * sees it: e_a = det(d, b - o, c - o) and likewise e_b, e_c. The line passes the closed triangle
 * where none differs in sign from another, and cuts it at a e_a + b e_b + c e_c over their sum,
 * which is d . n. An edge that two triangles share, or a corner that many do, has one volume up to
 * sign in all of them: a line can't slip through between them. Where all three are 0, the line
 * lies in the triangle's plane, or the triangle has no area and the line reaches its own: then
 * edges are tried one by one.
 *
 * The filter computes them after Möller and Trumbore, "Fast, minimum storage ray-triangle
 * intersection", J. Graphics Tools 2(1), 1997, from the differences to the corner a.
 *
 * Range, see exact.c: with the bounds of line.h, directions are multiples of 2^-212 up to 2^101,
 * differences of corners and origin multiples of 2^-302 up to 2^233, ends of t multiples of 2^-342
 * up to 2^400. The product with most of them, an end of t times two directions and a difference,
 * is with all its tails a multiple of 2^-1068 below 2^836: nothing over- or underflows. */
#include "line.h"

#include "../exact/expansion.h"
#include "../../formats/assert.h"
#include "../base/compiler.h"
#include "../../formats/vector.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------- exact -- */

/* A number of the line's parameter: num / den, den not 0. */
typedef struct {
    int num_count, den_count;
    double num[192], den[192];
} quotient;

/* All that the exact tests are made of. */
typedef struct {
    const kiln_line *line;
    kiln_difference way[3];       /* d */
    kiln_difference corner[3][3]; /* a - o, b - o, c - o; then coordinate */
    int along;                    /* a coordinate in which d is not 0 */
} exact_case;

/* Where the line meets an edge in a point: at which t, and the weights of the three corners. */
typedef struct {
    double t, weights[3];
} edge_point;

typedef struct {
    bool from_start, to_end; /* some point has t >= t_min; some has t <= t_max */
    bool before_start;       /* some point has t <= t_min */
    bool any;
    edge_point low, high;
} edge_span;

/* Within a few 2^-53 of what the expansion stands for: its components fall by 2^-52 or more. */
static double estimate(int count, const double *part)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        sum += part[i];
    }
    return sum;
}

static double value_of(const quotient *q)
{
    return estimate(q->num_count, q->num) / estimate(q->den_count, q->den) + 0.0; /* no -0 */
}

/* Sign of q - t. */
KILN_RARE static int compare(const quotient *q, double t)
{
    KILN_ASSERT(q->den_count > 0);
    double product[384], all[576];
    if (t == HUGE_VAL || t == -HUGE_VAL) {
        return t > 0 ? -1 : 1;
    }
    int count = 0;
    if (t != 0) {
        count = kiln_expansion_product(q->den_count, q->den, 1, &t, product);
        kiln_expansion_negate(count, product);
    }
    count = kiln_expansion_sum(q->num_count, q->num, count, product, all);
    return kiln_expansion_sign(count, all) * kiln_expansion_sign(q->den_count, q->den);
}

/* d x (corner i - o). */
typedef struct {
    int count[3];
    double part[3][16];
} moment;

KILN_RARE static void moment_of(const exact_case *c, int i, moment *m)
{
    for (int k = 0; k < 3; k++) {
        const int p = (k + 1) % 3, q = (k + 2) % 3;
        m->count[k] = kiln_expansion_cross(&c->way[p], &c->corner[i][q], &c->way[q],
                                           &c->corner[i][p], m->part[k]);
    }
}

static bool is_zero(const moment *m)
{
    return m->count[0] == 0 && m->count[1] == 0 && m->count[2] == 0;
}

/* The line crosses the edge from corner i to corner j between its ends: moments m and n are
 * parallel and opposite, and part the edge in their ratio. False: it does not. */
KILN_RARE static bool crossing_point(const exact_case *c, int i, const moment *m, int j,
                                     const moment *n, quotient *q, double weights[3])
{
    const int k = m->count[0] != 0 ? 0 : m->count[1] != 0 ? 1 : 2;
    KILN_ASSERT(i != j);
    KILN_ASSERT(m->count[k] != 0);
    if (kiln_expansion_sign(m->count[k], m->part[k]) *
            kiln_expansion_sign(n->count[k], n->part[k]) >=
        0) {
        return false;
    }
    const kiln_difference *from = &c->corner[i][c->along], *to = &c->corner[j][c->along];
    const kiln_difference *way = &c->way[c->along];
    double one[64], two[64];
    int p = kiln_expansion_product(n->count[k], n->part[k], from->count, from->part, one);
    int r = kiln_expansion_product(m->count[k], m->part[k], to->count, to->part, two);
    kiln_expansion_negate(r, two);
    q->num_count = kiln_expansion_sum(p, one, r, two, q->num);
    p = kiln_expansion_product(n->count[k], n->part[k], way->count, way->part, one);
    r = kiln_expansion_product(m->count[k], m->part[k], way->count, way->part, two);
    kiln_expansion_negate(r, two);
    q->den_count = kiln_expansion_sum(p, one, r, two, q->den);
    const double of_i = fabs(estimate(n->count[k], n->part[k]));
    const double of_j = fabs(estimate(m->count[k], m->part[k]));
    weights[0] = weights[1] = weights[2] = 0;
    weights[i] = of_i / (of_i + of_j);
    weights[j] = of_j / (of_i + of_j);
    return true;
}

/* A point that line and edges share, taken into the span of all of them. */
KILN_RARE static void add_point(const exact_case *c, const quotient *q, const double weights[3],
                                edge_span *span)
{
    const int to_start = compare(q, c->line->t_min);
    edge_point point = {value_of(q), {weights[0], weights[1], weights[2]}};
    span->from_start = span->from_start || to_start >= 0;
    span->before_start = span->before_start || to_start <= 0;
    span->to_end = span->to_end || compare(q, c->line->t_max) <= 0;
    if (!span->any || point.t < span->low.t) {
        span->low = point;
    }
    if (!span->any || point.t > span->high.t) {
        span->high = point;
    }
    span->any = true;
}

/* All three volumes are 0, so the line and any edge are in one plane. What line and triangle share
 * is the convex hull of what the line shares with the edges. */
KILN_RARE static bool meets_edges(const exact_case *c, kiln_line_hit *hit)
{
    moment m[3];
    edge_span span;
    quotient q;
    double weights[3];
    memset(&span, 0, sizeof span);
    for (int i = 0; i < 3; i++) {
        moment_of(c, i, &m[i]);
        if (is_zero(&m[i])) {
            /* The corner is on the line. */
            const kiln_difference *reach = &c->corner[i][c->along], *way = &c->way[c->along];
            q.num_count = reach->count;
            memcpy(q.num, reach->part, sizeof reach->part);
            q.den_count = way->count;
            memcpy(q.den, way->part, sizeof way->part);
            weights[0] = weights[1] = weights[2] = 0;
            weights[i] = 1;
            add_point(c, &q, weights, &span);
        }
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3;
        if (!is_zero(&m[i]) && !is_zero(&m[j]) &&
            crossing_point(c, i, &m[i], j, &m[j], &q, weights)) {
            add_point(c, &q, weights, &span);
        }
    }
    KILN_ASSERT(span.any || !span.from_start);
    if (!span.from_start || !span.to_end) {
        return false;
    }
    hit->side = KILN_SIDE_EDGE;
    if (span.before_start) {
        hit->t = c->line->t_min;
        /* The line is in the triangle there already: between the two outermost points. */
        const double length = span.high.t - span.low.t;
        double part = length > 0 ? (hit->t - span.low.t) / length : 0;
        part = part < 0 ? 0 : part > 1 ? 1 : part;
        for (int k = 0; k < 3; k++) {
            hit->weights[k] =
                span.low.weights[k] + part * (span.high.weights[k] - span.low.weights[k]);
        }
    } else {
        hit->t = span.low.t;
        memcpy(hit->weights, span.low.weights, sizeof hit->weights);
    }
    return true;
}

/* The sum of the volumes is not 0. Its quotient with det(a - o, b - a, c - a) is t. */
KILN_RARE static bool meets_within(const exact_case *c, const double corners[9],
                                   const double weights[3], kiln_line_hit *hit)
{
    kiln_difference ab[3], ac[3];
    quotient q;
    for (int k = 0; k < 3; k++) {
        ab[k].count = kiln_expansion_difference(corners[3 + k], corners[k], ab[k].part);
        ac[k].count = kiln_expansion_difference(corners[6 + k], corners[k], ac[k].part);
    }
    q.num_count = kiln_expansion_triple(c->corner[0], ab, ac, q.num);
    q.den_count = kiln_expansion_triple(c->way, ab, ac, q.den);
    if (compare(&q, c->line->t_min) < 0 || compare(&q, c->line->t_max) > 0) {
        return false;
    }
    const double sum = (weights[0] + weights[1]) + weights[2];
    hit->t = value_of(&q);
    hit->side = kiln_expansion_sign(q.den_count, q.den) < 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
    for (int k = 0; k < 3; k++) {
        hit->weights[k] = weights[k] / sum;
    }
    return true;
}

/* By the signs of the three volumes of line and edge: mixed ones pass it by, equal ones pass
 * through its inside, and if all are 0 line and triangle are in one plane. */
KILN_RARE static bool meets_exactly(const kiln_line *line, const double corners[9],
                                    kiln_line_hit *hit)
{
    exact_case c;
    double volume[192], weights[3];
    bool plus = false, minus = false;
    c.line = line;
    c.along = 0;
    for (int k = 0; k < 3; k++) {
        const double way = line->direction[k];
        c.way[k] = (kiln_difference){way != 0 ? 1 : 0, {way, 0}};
        if (fabs(way) > fabs(line->direction[c.along])) {
            c.along = k;
        }
        for (int i = 0; i < 3; i++) {
            c.corner[i][k].count =
                kiln_expansion_difference(corners[3 * i + k], line->origin[k], c.corner[i][k].part);
        }
    }
    KILN_ASSERT(line->direction[c.along] != 0);
    for (int i = 0; i < 3; i++) {
        const int count =
            kiln_expansion_triple(c.way, c.corner[(i + 1) % 3], c.corner[(i + 2) % 3], volume);
        const int sign = kiln_expansion_sign(count, volume);
        weights[i] = estimate(count, volume);
        plus = plus || sign > 0;
        minus = minus || sign < 0;
    }
    if (plus && minus) {
        return false;
    }
    return plus || minus ? meets_within(&c, corners, weights, hit) : meets_edges(&c, hit);
}

/* ------------------------------------------------------------------------------- filter -- */

static inline double largest_coordinate(kiln_vector v)
{
    return kiln_larger(kiln_larger(fabs(v.x[0]), fabs(v.x[1])), fabs(v.x[2]));
}

/* Sum of the magnitudes of the monomials of det(a, b, c). */
static inline double magnitude(kiln_vector a, kiln_vector b, kiln_vector c)
{
    return fabs(a.x[0]) * (fabs(b.x[1] * c.x[2]) + fabs(b.x[2] * c.x[1])) +
           fabs(a.x[1]) * (fabs(b.x[2] * c.x[0]) + fabs(b.x[0] * c.x[2])) +
           fabs(a.x[2]) * (fabs(b.x[0] * c.x[1]) + fabs(b.x[1] * c.x[0]));
}

/* A line that surely passes the inside: u, v, w and their sum have one sign, beyond their errors.
 */
typedef struct {
    kiln_vector way, from_a, ab, ac;
    double u, v, w, sum;
    double error; /* of u, v */
} inside_case;

/* Where the line passes the inside, is that within its ends, and can t and weights be computed well
 * enough from here? 1 yes, 0 no hit, -1 not known. */
static int settle_inside(const kiln_line *line, const inside_case *c, kiln_line_hit *hit)
{
    const double height = kiln_vector_dot(c->ac, kiln_vector_cross(c->from_a, c->ab));
    if (KILN_LINE_SPACE_BOUND * magnitude(c->ac, c->from_a, c->ab) >
            KILN_LINE_T_PRECISION * fabs(height) ||
        KILN_LINE_SPACE_BOUND * magnitude(c->way, c->ab, c->ac) >
            KILN_LINE_T_PRECISION * fabs(c->sum)) {
        return -1;
    }
    const double t = height / c->sum + 0.0, margin = KILN_LINE_T_MARGIN * fabs(t);
    if (t - margin > line->t_max || t + margin < line->t_min) {
        return 0;
    }
    if (t + margin > line->t_max || t - margin < line->t_min ||
        c->error > KILN_LINE_WEIGHT_PRECISION * fabs(c->sum)) {
        return -1;
    }
    hit->t = t;
    hit->side = c->sum > 0 ? KILN_SIDE_FRONT : KILN_SIDE_BACK;
    hit->weights[0] = c->w / c->sum;
    hit->weights[1] = c->u / c->sum;
    hit->weights[2] = c->v / c->sum;
    return 1;
}

bool kiln_line_meets_triangle(const kiln_line *line, const double corners[9], kiln_line_hit *hit)
{
    inside_case c;
    c.way = (kiln_vector){{line->direction[0], line->direction[1], line->direction[2]}};
    c.from_a = kiln_vector_between(line->origin, corners);
    c.ab = kiln_vector_between(corners + 3, corners);
    c.ac = kiln_vector_between(corners + 6, corners);
    const kiln_vector p = kiln_vector_cross(c.way, c.ac);
    c.sum = kiln_vector_dot(c.ab, p);
    c.u = kiln_vector_dot(c.from_a, p);
    c.v = kiln_vector_dot(c.way, kiln_vector_cross(c.from_a, c.ab));
    c.w = (c.sum - c.u) - c.v;
    const double edge = kiln_larger(largest_coordinate(c.ab), largest_coordinate(c.ac)),
                 reach = KILN_LINE_COARSE * largest_coordinate(c.way) * edge;
    c.error = reach * largest_coordinate(c.from_a);
    const double error_w = 2 * (2 * c.error + reach * edge);
    const bool minus = c.u < -c.error || c.v < -c.error || c.w < -error_w;
    const bool plus = c.u > c.error || c.v > c.error || c.w > error_w;
    if (minus && plus) {
        return false;
    }
    const bool sure = minus ? c.u < -c.error && c.v < -c.error && c.w < -error_w
                            : c.u > c.error && c.v > c.error && c.w > error_w;
    if (sure) {
        const int known = settle_inside(line, &c, hit);
        if (known >= 0) {
            return known != 0;
        }
    }
    return meets_exactly(line, corners, hit);
}
