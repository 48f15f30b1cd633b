/* The oracle computes what two triangles have in common, as the corners of a polygon.
 *
 * The one is clipped by the half-spaces that the other is made of (Sutherland and Hodgman 1974): on
 * and under its plane and on the inner side of each edge; a segment is between two planes across it
 * and in two planes along it; a point is in three planes. Clipping a list of corners by a closed
 * half-space leaves a list whose hull is what is left of the hull, also where that has no area.
 * What is asked is then read off the corners that remain: the dimension of their hull, whether the
 * mean of them, which is inside that hull, is inside both triangles, and whether all are in the
 * hull of the shared corners. (Where any point is inside both, the inside of what is common is
 * what both insides have in common, and holds the mean.) All numbers are rational. */
#include "oracle_meeting.h"

#include <gmp.h>
#include <string.h>

enum { CORNERS = 16 };

typedef struct {
    mpq_t x[3];
} point;

typedef struct {
    point at[CORNERS];
    int count;
} polygon;

static struct {
    point corner[2][3], normal, axis[3], edge, offset, mean;
    polygon left, next;
    mpq_t height[CORNERS], product, sum, low;
    bool ready;
} w;

static void point_init(point *p)
{
    for (int k = 0; k < 3; k++) {
        mpq_init(p->x[k]);
    }
}

static void work_init(void)
{
    if (w.ready) {
        return;
    }
    for (int i = 0; i < 6; i++) {
        point_init(&w.corner[i / 3][i % 3]);
    }
    for (int i = 0; i < CORNERS; i++) {
        point_init(&w.left.at[i]);
        point_init(&w.next.at[i]);
        mpq_init(w.height[i]);
    }
    for (int i = 0; i < 3; i++) {
        point_init(&w.axis[i]);
    }
    point_init(&w.normal);
    point_init(&w.edge);
    point_init(&w.offset);
    point_init(&w.mean);
    mpq_inits(w.product, w.sum, w.low, NULL);
    w.ready = true;
}

static void put(point *to, const point *from)
{
    for (int k = 0; k < 3; k++) {
        mpq_set(to->x[k], from->x[k]);
    }
}

static bool same(const point *p, const point *q)
{
    return mpq_equal(p->x[0], q->x[0]) && mpq_equal(p->x[1], q->x[1]) &&
           mpq_equal(p->x[2], q->x[2]);
}

static bool is_zero(const point *p)
{
    return mpq_sgn(p->x[0]) == 0 && mpq_sgn(p->x[1]) == 0 && mpq_sgn(p->x[2]) == 0;
}

static void less(point *out, const point *p, const point *q)
{
    for (int k = 0; k < 3; k++) {
        mpq_sub(out->x[k], p->x[k], q->x[k]);
    }
}

/* `out` is neither p nor q. */
static void cross(point *out, const point *p, const point *q)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(out->x[k], p->x[i], q->x[j]);
        mpq_mul(w.product, p->x[j], q->x[i]);
        mpq_sub(out->x[k], out->x[k], w.product);
    }
}

/* How far p is from `from` along an axis. */
static void measure(mpq_t out, const point *axis, const point *p, const point *from)
{
    mpq_set_ui(w.sum, 0, 1);
    for (int k = 0; k < 3; k++) {
        mpq_sub(w.low, p->x[k], from->x[k]);
        mpq_mul(w.low, w.low, axis->x[k]);
        mpq_add(w.sum, w.sum, w.low);
    }
    mpq_set(out, w.sum);
}

/* Keeps what is not below the plane through `from` across the axis, times `sign`. */
static void clip(const point *axis, const point *from, int sign)
{
    const int count = w.left.count;
    w.next.count = 0;
    for (int i = 0; i < count; i++) {
        measure(w.height[i], axis, &w.left.at[i], from);
    }
    for (int i = 0; i < count; i++) {
        const int j = (i + 1) % count;
        const int here = sign * mpq_sgn(w.height[i]), there = sign * mpq_sgn(w.height[j]);
        if (here >= 0) {
            put(&w.next.at[w.next.count++], &w.left.at[i]);
        }
        if (here * there < 0) {
            point *cut = &w.next.at[w.next.count++];
            mpq_sub(w.product, w.height[i], w.height[j]);
            mpq_div(w.product, w.height[i], w.product);
            for (int k = 0; k < 3; k++) {
                mpq_sub(cut->x[k], w.left.at[j].x[k], w.left.at[i].x[k]);
                mpq_mul(cut->x[k], cut->x[k], w.product);
                mpq_add(cut->x[k], cut->x[k], w.left.at[i].x[k]);
            }
        }
    }
    const polygon swap = w.left;
    w.left = w.next;
    w.next = swap;
}

static void clip_to_plane(const point *axis, const point *from)
{
    clip(axis, from, 1);
    clip(axis, from, -1);
}

/* 0: a point, 1: a segment, with its direction in w.edge, 2: with an area, its normal in w.normal.
 */
static int dimension_of(const point t[3])
{
    less(&w.edge, &t[1], &t[0]);
    less(&w.offset, &t[2], &t[0]);
    cross(&w.normal, &w.edge, &w.offset);
    if (!is_zero(&w.normal)) {
        return 2;
    }
    if (is_zero(&w.edge)) {
        put(&w.edge, &w.offset);
    }
    return is_zero(&w.edge) ? 0 : 1;
}

/* Two directions across w.edge. */
static void find_across(void)
{
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            mpq_set_si(w.axis[2].x[i], i == k, 1);
        }
        cross(&w.axis[0], &w.edge, &w.axis[2]);
        if (!is_zero(&w.axis[0])) {
            break;
        }
    }
    cross(&w.axis[1], &w.edge, &w.axis[0]);
}

static const point *end_of(const point t[3], int sign)
{
    const point *end = &t[0];
    for (int i = 1; i < 3; i++) {
        measure(w.height[0], &w.edge, &t[i], end);
        end = sign * mpq_sgn(w.height[0]) > 0 ? &t[i] : end;
    }
    return end;
}

static void clip_to_triangle(const point t[3])
{
    switch (dimension_of(t)) {
    case 2:
        clip_to_plane(&w.normal, &t[0]);
        for (int i = 0; i < 3 && w.left.count > 0; i++) {
            less(&w.edge, &t[(i + 1) % 3], &t[i]);
            cross(&w.axis[0], &w.normal, &w.edge);
            clip(&w.axis[0], &t[i], 1);
        }
        break;
    case 1:
        find_across();
        clip_to_plane(&w.axis[0], &t[0]);
        clip_to_plane(&w.axis[1], &t[0]);
        clip(&w.edge, end_of(t, -1), 1);
        clip(&w.edge, end_of(t, 1), -1);
        break;
    default:
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < 3; i++) {
                mpq_set_si(w.axis[0].x[i], i == k, 1);
            }
            clip_to_plane(&w.axis[0], &t[0]);
        }
        break;
    }
}

/* Is a point of a triangle inside it? */
static bool is_inside(const point t[3], const point *p)
{
    const int dimension = dimension_of(t);
    if (dimension == 1) {
        return !same(p, end_of(t, -1)) && !same(p, end_of(t, 1));
    }
    for (int i = 0; i < 3 && dimension == 2; i++) {
        less(&w.edge, &t[(i + 1) % 3], &t[i]);
        cross(&w.axis[0], &w.normal, &w.edge);
        measure(w.height[0], &w.axis[0], p, &t[i]);
        if (mpq_sgn(w.height[0]) == 0) {
            return false;
        }
    }
    return true;
}

/* The dimension of the hull of points. */
static int rank_of(const point *points, int count)
{
    int rank = 0;
    for (int i = 1; i < count && rank == 0; i++) {
        less(&w.axis[0], &points[i], &points[0]);
        rank = is_zero(&w.axis[0]) ? 0 : 1;
    }
    for (int i = 1; i < count && rank == 1; i++) {
        less(&w.axis[1], &points[i], &points[0]);
        cross(&w.normal, &w.axis[0], &w.axis[1]);
        rank = is_zero(&w.normal) ? 1 : 2;
    }
    for (int i = 1; i < count && rank == 2; i++) {
        measure(w.height[0], &w.normal, &points[i], &points[0]);
        rank = mpq_sgn(w.height[0]) == 0 ? 2 : 3;
    }
    return rank;
}

static bool is_corner(const point t[3], const point *p)
{
    return same(&t[0], p) || same(&t[1], p) || same(&t[2], p);
}

static bool is_on_segment(const point *p, const point *from, const point *to)
{
    less(&w.axis[0], to, from);
    less(&w.axis[1], p, from);
    cross(&w.normal, &w.axis[0], &w.axis[1]);
    measure(w.height[0], &w.axis[0], p, from);
    measure(w.height[1], &w.axis[0], p, to);
    return is_zero(&w.normal) && mpq_sgn(w.height[0]) >= 0 && mpq_sgn(w.height[1]) <= 0;
}

static bool any_is_beyond(const point *const shared[3], unsigned count)
{
    for (int i = 0; i < w.left.count; i++) {
        const point *p = &w.left.at[i];
        if (count == 0 || (count == 1 && !same(p, shared[0])) ||
            (count == 2 && !is_on_segment(p, shared[0], shared[1]))) {
            return true;
        }
    }
    return false;
}

kiln_relation oracle_relate(const double a[9], const double b[9])
{
    kiln_relation relation = {KILN_MEETING_NONE, 0, false};
    const point *shared[3];
    work_init();
    for (int i = 0; i < 18; i++) {
        mpq_set_d(w.corner[i / 9][i % 9 / 3].x[i % 3], i < 9 ? a[i] : b[i - 9]);
    }
    const point *of_a = w.corner[0], *of_b = w.corner[1];
    bool equal = true;
    for (int i = 0; i < 3; i++) {
        bool is_new = is_corner(of_b, &of_a[i]);
        equal = equal && is_new && is_corner(of_a, &of_b[i]);
        for (unsigned j = 0; j < relation.shared; j++) {
            is_new = is_new && !same(shared[j], &of_a[i]);
        }
        if (is_new) {
            shared[relation.shared++] = &of_a[i];
        }
        put(&w.left.at[i], &of_a[i]);
    }
    w.left.count = 3;
    clip_to_triangle(of_b);
    if (w.left.count == 0) {
        return relation;
    }
    if (equal) {
        relation.how = KILN_MEETING_SAME;
        return relation;
    }
    relation.beyond = any_is_beyond(shared, relation.shared);
    const int all = rank_of(&w.corner[0][0], 6), common = rank_of(w.left.at, w.left.count);
    for (int k = 0; k < 3; k++) {
        mpq_set_ui(w.mean.x[k], 0, 1);
        for (int i = 0; i < w.left.count; i++) {
            mpq_add(w.mean.x[k], w.mean.x[k], w.left.at[i].x[k]);
        }
        mpq_set_ui(w.sum, 1, (unsigned long)w.left.count);
        mpq_mul(w.mean.x[k], w.mean.x[k], w.sum);
    }
    relation.how = all == 3 && is_inside(of_a, &w.mean) && is_inside(of_b, &w.mean)
                       ? KILN_MEETING_CROSS
                   : all == 2 && common == 2 ? KILN_MEETING_OVERLAP
                                             : KILN_MEETING_TOUCH;
    return relation;
}
