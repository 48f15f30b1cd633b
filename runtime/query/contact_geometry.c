/* The geometry of a contact between two triangles that meet.
 *
 * The exact predicates decide which corners are on which side of the other plane; only where an
 * edge cuts a plane is computed, in pairs of doubles (double_double.h), so that points come out
 * on the triangles and in the box of both, and nothing divides by zero.
 *
 * In space the two triangles cut the line that their planes share in two intervals (Moeller,
 * Journal of Graphics Tools 2(2), 1997), and the contact is what these have in common. In one
 * plane, and where a triangle has no area, it is a convex polygon whose corners are corners of
 * one triangle in the other and crossings of edges; the two furthest from each other stand for
 * it.
 *
 * Depth and normal are those of the shortest translation that parts the two: the least overlap
 * of their shadows along the facets of their Minkowski difference, which are the faces' normals
 * and the products of two edges (Gottschalk, Lin and Manocha, SIGGRAPH 1996, theorem 1). Faces
 * go before edges that are as good. */
#include "query.h"

#include "../../formats/assert.h"

#include "../../formats/vector.h"
#include "../exact/double_double.h"
#include "../exact/exact.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define BETTER (1 - 0x1p-20) /* an overlap counts as less from this part of the other on */
#define ROUGH 0x1p-8         /* heights of this part of what they come from are right as doubles */
#define SHARP 0x1p-20        /* squared sine of two edges, below which doubles bear no normal */
#define FLAT 0x1p-120        /* and below which they count as parallel */

/* At most 3 corners of each, 9 crossings. */
enum { POINTS_MAX = 15 };

typedef struct {
    double at[POINTS_MAX][3];
    int count;
} points;

static void append_point(points *list, const double at[3])
{
    KILN_ASSERT(list->count < POINTS_MAX);
    memcpy(list->at[list->count++], at, sizeof list->at[0]);
}

/* ------------------------------------------------------------------------------ in space -- */

/* 1: on the side of t's plane that its normal points to. */
static void sides_of(const double t[9], const double s[9], int side[3])
{
    for (int k = 0; k < 3; k++) {
        side[k] = kiln_exact_orient3d(s + 3 * k, t + 3, t + 6, t);
    }
}

static bool is_none(const int side[3])
{
    return side[0] == 0 && side[1] == 0 && side[2] == 0;
}

/* Height of p over the plane of t, times the length of its normal. */
static kiln_dd height_over(const double t[9], const double p[3])
{
    kiln_dd edge[3], other[3], up[3], normal[3];
    for (int k = 0; k < 3; k++) {
        edge[k] = kiln_dd_two_sum(t[3 + k], -t[k]);
        other[k] = kiln_dd_two_sum(t[6 + k], -t[k]);
        up[k] = kiln_dd_two_sum(p[k], -t[k]);
    }
    kiln_dd_cross(edge, other, normal);
    return kiln_dd_dot(normal, up);
}

/* The same in doubles, and a bound of what it was computed from. */
static double rough_height(const double t[9], const double p[3], double *magnitude)
{
    double edge[3], other[3], height = 0;
    *magnitude = 0;
    for (int k = 0; k < 3; k++) {
        edge[k] = t[3 + k] - t[k];
        other[k] = t[6 + k] - t[k];
    }
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const double plus = edge[i] * other[j], less = edge[j] * other[i], up = p[k] - t[k];
        height += up * (plus - less);
        *magnitude += fabs(up) * (fabs(plus) + fabs(less));
    }
    return height;
}

/* How far along the edge from p to q, whose ends are on both sides, the plane of t is. In
 * doubles where they lose few digits. */
static kiln_dd cut_place(const double t[9], const double p[3], const double q[3])
{
    double at_p, at_q;
    const double rough_p = rough_height(t, p, &at_p), rough_q = rough_height(t, q, &at_q);
    const double least = ROUGH * (at_p + at_q);
    if (fabs(rough_p - rough_q) > least && fabs(rough_p) > 0 && rough_p * rough_q < 0) {
        return kiln_dd_of(rough_p / (rough_p - rough_q));
    }
    const kiln_dd from = height_over(t, p), to = height_over(t, q);
    const kiln_dd all = kiln_dd_subtract(from, to);
    return all.head != 0 ? kiln_dd_clamp(kiln_dd_divide(from, all)) : kiln_dd_of(0);
}

double kiln_edge_cut(const double t[9], const double p[3], const double q[3], double at[3])
{
    const kiln_dd part = cut_place(t, p, q);
    for (int k = 0; k < 3; k++) {
        const kiln_dd step = kiln_dd_multiply(part, kiln_dd_two_sum(q[k], -p[k]));
        const kiln_dd sum = kiln_dd_add(kiln_dd_of(p[k]), step);
        at[k] = sum.head + sum.tail;
    }
    return part.head;
}

/* The part of s that is in the plane of t: one point or two. Not all sides are 0. */
static void cut_triangle(const double t[9], const double s[9], const int side[3], points *out)
{
    out->count = 0;
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3;
        if (side[k] == 0) {
            append_point(out, s + 3 * k);
        } else if (side[k] * side[next] < 0) {
            double at[3];
            (void)kiln_edge_cut(t, s + 3 * k, s + 3 * next, at);
            append_point(out, at);
        }
    }
}

/* The two ends of an interval along `line`, in order. */
typedef struct {
    const double *low, *high;
    double from, to;
} interval;

/* The two points that are outermost along a line, and where they are on it. */
static interval interval_along(const points *p, const double line[3])
{
    KILN_ASSERT(p->count > 0);
    interval out = {p->at[0], p->at[0], 0, 0};
    out.from = out.to = kiln_dot(line, p->at[0]);
    for (int i = 1; i < p->count; i++) {
        const double place = kiln_dot(line, p->at[i]);
        if (place < out.from) {
            out.from = place;
            out.low = p->at[i];
        }
        if (place > out.to) {
            out.to = place;
            out.high = p->at[i];
        }
    }
    return out;
}

/* The longest step from the first point to another, whose direction is that of all of them. */
static double longest_square(const points *p, double line[3])
{
    KILN_ASSERT(p->count > 0);
    double longest = 0;
    for (int i = 1; i < p->count; i++) {
        double step[3];
        for (int k = 0; k < 3; k++) {
            step[k] = p->at[i][k] - p->at[0][k];
        }
        const double square = kiln_dot(step, step);
        if (square > longest) {
            longest = square;
            memcpy(line, step, sizeof step);
        }
    }
    return longest;
}

/* The common part of two sets of points on one line. They have one: where rounding parts them, the
 * middle between them. */
static void common_interval(const points *p, const points *q, kiln_tri_contact *out)
{
    double line[3] = {0, 0, 0}, line_q[3] = {0, 0, 0};
    if (longest_square(q, line_q) > longest_square(p, line)) {
        memcpy(line, line_q, sizeof line);
    }
    const interval of_p = interval_along(p, line), of_q = interval_along(q, line);
    const double *from = of_p.from > of_q.from ? of_p.low : of_q.low;
    const double *to = of_p.to < of_q.to ? of_p.high : of_q.high;
    const bool apart = kiln_dot(line, from) > kiln_dot(line, to);
    for (int k = 0; k < 3; k++) {
        const double middle = from[k] + (to[k] - from[k]) / 2;
        out->from[k] = apart ? middle : from[k];
        out->to[k] = apart ? middle : to[k];
    }
}

/* ---------------------------------------------------------------------------- in one plane -- */

static void add_corners_in(points *list, const double s[9], const double t[9])
{
    for (int k = 0; k < 3; k++) {
        double point[9];
        for (int i = 0; i < 9; i++) {
            point[i] = s[3 * k + i % 3];
        }
        if (kiln_exact_triangles_meet(point, t)) {
            append_point(list, s + 3 * k);
        }
    }
}

static void edge_as_triangle(const double t[9], int edge, double out[9])
{
    memcpy(out, t + 3 * edge, 3 * sizeof *out);
    memcpy(out + 3, t + 3 * ((edge + 1) % 3), 3 * sizeof *out);
    memcpy(out + 6, out + 3, 3 * sizeof *out);
}

/* The crossings of edges, each an exact test of two segments and then a point that is nearest
 * to both. */
static void add_crossings(points *list, const double x[9], const double y[9])
{
    for (int i = 0; i < 3; i++) {
        double edge_x[9];
        edge_as_triangle(x, i, edge_x);
        for (int j = 0; j < 3; j++) {
            double edge_y[9], at[3];
            edge_as_triangle(y, j, edge_y);
            if (kiln_exact_triangles_meet(edge_x, edge_y)) {
                kiln_triangles_common_point(edge_x, edge_y, at);
                append_point(list, at);
            }
        }
    }
}

/* The two corners of a convex polygon that are furthest from each other stand for it. */
static void furthest_points(const points *list, kiln_tri_contact *out)
{
    double furthest = -1;
    KILN_ASSERT(list->count > 0);
    for (int i = 0; i < list->count; i++) {
        for (int j = i; j < list->count; j++) {
            double step[3];
            for (int k = 0; k < 3; k++) {
                step[k] = list->at[j][k] - list->at[i][k];
            }
            if (kiln_dot(step, step) > furthest) {
                furthest = kiln_dot(step, step);
                memcpy(out->from, list->at[i], sizeof out->from);
                memcpy(out->to, list->at[j], sizeof out->to);
            }
        }
    }
}

/* ---------------------------------------------------------------------- depth and normal -- */

/* The best so far. */
typedef struct {
    double axis[3], length; /* of any length; that, with the sign of the movement */
    double depth;
    bool found;
} parting;

/* Corners of both triangles from X's first on. */
typedef struct {
    double x[3][3], y[3][3];
} placed_pair;

static inline void shadow(const double t[3][3], const double axis[3], double *low, double *high)
{
    const double a = kiln_dot(axis, t[0]), b = kiln_dot(axis, t[1]), c = kiln_dot(axis, t[2]);
    const double less = a < b ? a : b, more = a > b ? a : b;
    *low = less < c ? less : c;
    *high = more > c ? more : c;
}

/* `sign` of the movement along the axis by `overlap`, which is as long as the axis. */
static inline void offer(parting *best, const double axis[3], double length, double sign,
                         double overlap)
{
    const double depth = overlap > 0 ? overlap / length : 0;
    if (!best->found || depth < best->depth * BETTER) {
        memcpy(best->axis, axis, sizeof best->axis);
        best->length = sign * length;
        best->depth = depth;
        best->found = true;
    }
}

/* Moving X along +axis and along -axis; that by `sign` first where both are as far. */
static inline void try_axis(const placed_pair *at, const double axis[3], double sign, parting *best)
{
    const double length = sqrt(kiln_dot(axis, axis));
    double x_low, x_high, y_low, y_high;
    shadow(at->x, axis, &x_low, &x_high);
    shadow(at->y, axis, &y_low, &y_high);
    const double forward = y_high - x_low, back = x_high - y_low;
    const double first = sign > 0 ? forward : back, second = sign > 0 ? back : forward;
    if (second < first * BETTER) {
        offer(best, axis, length, -sign, second);
    } else {
        offer(best, axis, length, sign, first);
    }
}

/* The edges of a triangle, exact and rounded. */
typedef struct {
    kiln_dd exact[3][3];
    double rounded[3][3];
} triangle_edges;

static void triangle_edges_of(const double t[9], triangle_edges *out)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out->exact[i][k] = kiln_dd_two_sum(t[3 * ((i + 1) % 3) + k], -t[3 * i + k]);
            out->rounded[i][k] = out->exact[i][k].head;
        }
    }
}

/* Edge i of p x edge j of q, unless they are parallel. */
static bool product(const triangle_edges *p, int i, const triangle_edges *q, int j, double out[3])
{
    const double *a = p->rounded[i], *b = q->rounded[j];
    const double all = kiln_dot(a, a) * kiln_dot(b, b);
    kiln_cross(a, b, out);
    if (kiln_dot(out, out) > SHARP * all) {
        return true;
    }
    kiln_dd exact[3];
    kiln_dd_cross(p->exact[i], q->exact[j], exact);
    for (int k = 0; k < 3; k++) {
        out[k] = exact[k].head;
    }
    return kiln_dot(out, out) > FLAT * all;
}

/* Something across `line`, or up where there is no line. */
static void any_across(const double line[3], double out[3])
{
    double axis[3] = {0, 0, 0}, across[3];
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(line[k]) < fabs(line[least]) ? k : least;
    }
    axis[least] = 1;
    kiln_cross(line, axis, across);
    const double length = sqrt(kiln_dot(across, across));
    for (int k = 0; k < 3; k++) {
        out[k] = length > 0 ? across[k] / length : (k == 2 ? 1 : 0);
    }
}

/* 1, -1: corners are on this side only, or on the plane, and not all there; else 0. */
static int only_side(const int side[3])
{
    const bool above = side[0] > 0 || side[1] > 0 || side[2] > 0;
    const bool below = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return above == below ? 0 : (above ? 1 : -1);
}

/* A triangle that touches a face from one side is parted from it by no movement along its normal.
 */
static bool touches(const double normal[3], int side, double sign, parting *best)
{
    if (side == 0) {
        return false;
    }
    memcpy(best->axis, normal, sizeof best->axis);
    best->length = sign * side * sqrt(kiln_dot(normal, normal));
    best->depth = 0;
    best->found = true;
    return true;
}

/* The shortest way out. */
static void part(const double x[9], const double y[9], const int side_x[3], const int side_y[3],
                 kiln_tri_contact *out)
{
    triangle_edges edges_x, edges_y;
    double face_x[3], face_y[3];
    parting best = {{0, 0, 0}, 1, 0, false};
    placed_pair at;
    triangle_edges_of(x, &edges_x);
    triangle_edges_of(y, &edges_y);
    const bool has_y = product(&edges_y, 0, &edges_y, 1, face_y);
    const bool has_x = product(&edges_x, 0, &edges_x, 1, face_x);
    if (!(has_y && touches(face_y, only_side(side_x), 1, &best)) &&
        !(has_x && touches(face_x, only_side(side_y), -1, &best))) {
        for (int c = 0; c < 3; c++) {
            for (int k = 0; k < 3; k++) {
                at.x[c][k] = x[3 * c + k] - x[k];
                at.y[c][k] = y[3 * c + k] - x[k];
            }
        }
        if (has_y) {
            try_axis(&at, face_y, 1, &best);
        }
        if (has_x) {
            try_axis(&at, face_x, -1, &best);
        }
        for (int i = 0; i < 9; i++) {
            double axis[3];
            if (product(&edges_x, i / 3, &edges_y, i % 3, axis)) {
                try_axis(&at, axis, 1, &best);
            }
        }
    }
    if (!best.found) {
        double line[3] = {0, 0, 0}, longest = 0; /* the longest edge */
        for (int i = 0; i < 6; i++) {
            const double *edge = i < 3 ? edges_x.rounded[i] : edges_y.rounded[i - 3];
            if (kiln_dot(edge, edge) > longest) {
                longest = kiln_dot(edge, edge);
                memcpy(line, edge, sizeof line);
            }
        }
        any_across(line, best.axis);
    }
    for (int k = 0; k < 3; k++) {
        out->normal[k] = best.axis[k] / best.length;
    }
    out->depth =
        is_none(side_x) && is_none(side_y) ? 0 : best.depth; /* flat: any way out is short */
}

/* ------------------------------------------------------------------------------------------- */

/* Into the boxes of both, which have a point in common. */
static void keep_inside(const double x[9], const double y[9], double point[3])
{
    for (int k = 0; k < 3; k++) {
        const double low = kiln_larger(kiln_smaller(kiln_smaller(x[k], x[3 + k]), x[6 + k]),
                                       kiln_smaller(kiln_smaller(y[k], y[3 + k]), y[6 + k]));
        const double high = kiln_smaller(kiln_larger(kiln_larger(x[k], x[3 + k]), x[6 + k]),
                                         kiln_larger(kiln_larger(y[k], y[3 + k]), y[6 + k]));
        point[k] = kiln_smaller(kiln_larger(point[k], low), high);
    }
}

void kiln_triangles_contact(const double x[9], const double y[9], kiln_tri_contact *out)
{
    int side_x[3], side_y[3];
    points of_x, of_y;
    sides_of(y, x, side_x);
    sides_of(x, y, side_y);
    if (!is_none(side_x)) {
        cut_triangle(y, x, side_x, &of_x);
    }
    if (!is_none(side_y)) {
        cut_triangle(x, y, side_y, &of_y);
    }
    if (is_none(side_x) && is_none(side_y)) {
        points list;
        list.count = 0;
        add_corners_in(&list, x, y);
        add_corners_in(&list, y, x);
        add_crossings(&list, x, y);
        furthest_points(&list, out);
    } else if (is_none(side_x)) { /* Y's plane has no area of Y: Y is a segment through X */
        common_interval(&of_y, &of_y, out);
    } else if (is_none(side_y)) {
        common_interval(&of_x, &of_x, out);
    } else {
        common_interval(&of_x, &of_y, out);
    }
    keep_inside(x, y, out->from);
    keep_inside(x, y, out->to);
    part(x, y, side_x, side_y, out);
}

/* By the coordinates of their corners: a triangle and itself have no order, and need none. */
static bool y_comes_first(const double x[9], const double y[9])
{
    int k = 0;
    while (k < 8 && x[k] == y[k]) {
        k++;
    }
    return y[k] < x[k];
}

void kiln_pair_contact(const kiln_pair_frame *frame, const double x[9], const double y[9],
                       kiln_tri_contact *out)
{
    const bool reversed = frame->same && y_comes_first(x, y);
    kiln_triangles_contact(reversed ? y : x, reversed ? x : y, out);
    for (int k = 0; k < 3 && reversed; k++) {
        out->normal[k] = -out->normal[k];
    }
}
