/* Two triangles that pass through each other, by signs alone.
 *
 * X is moved by (e, e^2, e^3), e infinitely small (simulation of simplicity; Edelsbrunner and
 * Muecke, ACM TOG 9(1), 1990; here one move of a whole mesh, so that all triangles of it agree). A
 * volume that is 0 then has the sign of the first coordinate of its gradient that is not 0:
 *
 *     det(p - y0, y1 - y0, y2 - y0)        of a corner p of X and a triangle of Y: the normal of Y
 *     the same of a corner of Y and X      the normal of X, reversed
 *     det(p - s, q - s, r - s)             of an edge pq of X and an edge rs of Y, whose gradient
 *                                          is (q - p) x (r - s)
 *
 * The last of these is 0 for parallel edges only, which never pass through each other's
 * triangles: an edge that crosses the plane of a triangle is parallel to none of its edges. So the
 * moved triangles are in general position: their segment has two ends, each the crossing of an edge
 * with a triangle, and all triangles at that edge have it as an end. That makes curves closed. */
#include "crossing.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"
#include "../exact/expansion.h"

#include <math.h>
#include <string.h>

/* The sign of the first coordinate of (q - p) x (r - s) that is not 0. */
static int first_sign_of_product(const double p[3], const double q[3], const double s[3],
                                 const double r[3])
{
    kiln_difference u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k].count = kiln_expansion_difference(q[k], p[k], u[k].part);
        v[k].count = kiln_expansion_difference(r[k], s[k], v[k].part);
    }
    int sign = 0;
    for (int k = 0; k < 3 && sign == 0; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        double all[16];
        sign = kiln_expansion_sign(kiln_expansion_cross(&u[i], &v[j], &u[j], &v[i], all), all);
    }
    return sign;
}

/* The first coordinate of the normal of a triangle that is not 0, and the sign of that; 0: the
 * triangle has no area. */
typedef struct {
    int axis, sign;
} facing;

static facing facing_of(const double t[9])
{
    facing f = {-1, 0};
    while (f.sign == 0 && f.axis < 2) {
        f.axis++;
        f.sign = kiln_exact_orient2d(t + 3, t + 6, t, (f.axis + 1) % 3, (f.axis + 2) % 3);
    }
    return f;
}

/* 1: corners of s that are in front of t, `move` being what s has moved by as seen from t.
 * `before`: without the move. */
static bool moved_sides(const double t[9], const double s[9], int move, int before[3], int side[3],
                        bool *grazes)
{
    int flat = 2;
    kiln_exact_plane_sides(t, s, before);
    for (int k = 0; k < 3; k++) {
        side[k] = before[k];
        if (side[k] == 0) {
            *grazes = true;
            flat = flat == 2 ? facing_of(t).sign : flat;
            side[k] = move * flat;
        }
    }
    return side[0] != 0 && (side[0] != side[1] || side[0] != side[2]);
}

/* The edge that leads from a corner on one side to one on the other. */
static int edge_from(const int side[3], int from)
{
    int edge = 0;
    while (side[edge] != from || side[(edge + 1) % 3] == from) {
        edge++;
    }
    KILN_ASSERT(edge < 3);
    return edge;
}

#define UNASKED 2 /* a sign that is not known yet */

/* On which side X's edge i passes Y's edge j, without a move; 0: they meet, or are in one plane. */
static int passing_sign(const double x[9], int i, const double y[9], int j, kiln_crossing *known)
{
    int8_t *sign = &known->passing[3 * i + j];
    if (*sign == UNASKED) {
        *sign = (int8_t)kiln_exact_orient3d(x + 3 * i, x + 3 * ((i + 1) % 3), y + 3 * ((j + 1) % 3),
                                            y + 3 * j);
    }
    return *sign;
}

/* With it. */
static int passing_side(const double x[9], int i, const double y[9], int j, int move,
                        kiln_crossing *out)
{
    const int sign = passing_sign(x, i, y, j, out);
    if (sign != 0) {
        return sign;
    }
    out->grazes = true;
    return move * first_sign_of_product(x + 3 * i, x + 3 * ((i + 1) % 3), y + 3 * j,
                                        y + 3 * ((j + 1) % 3));
}

/* Each triangle cuts an interval out of the line that the planes share: along n_x x n_y X's begins
 * where an edge of X comes from behind Y, and Y's where one of Y comes from the front of X. The
 * signs of these edges put the four ends in order: X's edge that comes from behind passes Y's edges
 * with the sign 1 if it is between their ends. Two or three of the four signs do, since no interval
 * is empty: if one lies within the other, both ends of each are in order. */
void kiln_crossing_find(const double x[9], const double y[9], int move, kiln_crossing *out)
{
    int side_x[3], side_y[3];
    KILN_ASSERT(move == 1 || move == -1);
    memset(out, 0, sizeof *out);
    memset(out->passing, UNASKED, sizeof out->passing);
    const bool of_x = moved_sides(y, x, move, out->side, side_x, &out->grazes);
    int *before_y = out->side + KILN_CROSSING_OF_Y;
    if (!moved_sides(x, y, -move, before_y, side_y, &out->grazes) || !of_x) {
        return;
    }
    const int begin_x = edge_from(side_x, -1), end_x = edge_from(side_x, 1);
    const int begin_y = edge_from(side_y, 1), end_y = edge_from(side_y, -1);
    const bool begins_in_y = passing_side(x, begin_x, y, begin_y, move, out) > 0;
    const bool ends_in_y = passing_side(x, end_x, y, end_y, move, out) < 0;
    /* X begins before Y ends, and ends after Y begins: where it does not follow from the others. */
    const bool begins_before =
        !begins_in_y || ends_in_y || passing_side(x, begin_x, y, end_y, move, out) > 0;
    const bool ends_after =
        begins_in_y || !ends_in_y || passing_side(x, end_x, y, begin_y, move, out) < 0;
    if (begins_before && ends_after) {
        out->found = true;
        out->edge[0] = (uint8_t)(begins_in_y ? begin_x : KILN_CROSSING_OF_Y + begin_y);
        out->edge[1] = (uint8_t)(ends_in_y ? end_x : KILN_CROSSING_OF_Y + end_y);
    }
}

/* ------------------------------------------------------- edges that meet the other triangle -- */

/* Is an edge beyond a triangle along one of the axes? */
static bool edge_is_beyond(const double p[3], const double q[3], const double t[9])
{
    bool beyond = false;
    for (int k = 0; k < 3; k++) {
        const double low = fmin(p[k], q[k]), high = fmax(p[k], q[k]);
        beyond = beyond || (t[k] < low && t[k + 3] < low && t[k + 6] < low) ||
                 (t[k] > high && t[k + 3] > high && t[k + 6] > high);
    }
    return beyond;
}

/* Bit k: a point of the plane of t is on the outer side of its edge k. */
static unsigned outer_sides(const double t[9], facing f, const double p[3])
{
    unsigned outer = 0;
    for (int k = 0; k < 3; k++) {
        const int side = kiln_exact_orient2d(t + 3 * k, t + 3 * ((k + 1) % 3), p, (f.axis + 1) % 3,
                                             (f.axis + 2) % 3);
        outer |= (unsigned)(side * f.sign < 0) << k;
    }
    return outer;
}

/* Does an edge in the plane of t meet it? Convex polygons that do not meet are parted by the line
 * of an edge of one of them. Seen along f.axis, t has an area, so that no two points of its plane
 * fall together. */
static bool meets_in_plane(const double t[9], facing f, const double p[3], const double q[3])
{
    if ((outer_sides(t, f, p) & outer_sides(t, f, q)) != 0) {
        return false;
    }
    const int i = (f.axis + 1) % 3, j = (f.axis + 2) % 3;
    const int one = kiln_exact_orient2d(p, q, t, i, j);
    return one == 0 || kiln_exact_orient2d(p, q, t + 3, i, j) != one ||
           kiln_exact_orient2d(p, q, t + 6, i, j) != one;
}

/* Does the line of edge k of X, or of Y, pass through the other triangle, whose plane it crosses in
 * one point? Then it passes all edges of that on the same side, or meets them. */
static bool goes_through(const double x[9], const double y[9], bool of_x, int k,
                         kiln_crossing *known)
{
    bool right = false, left = false;
    for (int i = 0; i < 3 && !(right && left); i++) {
        const int sign = of_x ? passing_sign(x, k, y, i, known) : passing_sign(x, i, y, k, known);
        right = right || sign > 0;
        left = left || sign < 0;
    }
    return !(right && left);
}

unsigned kiln_crossing_touches(const double x[9], const double y[9], kiln_crossing *crossing)
{
    unsigned touches = 0;
    for (unsigned edge = 0; edge < 6; edge++) {
        const bool of_x = edge < KILN_CROSSING_OF_Y;
        const int k = (int)edge % 3, next = (k + 1) % 3;
        const int *side = crossing->side + (of_x ? 0 : KILN_CROSSING_OF_Y);
        const double *own = of_x ? x : y, *other = of_x ? y : x;
        const double *p = own + 3 * k, *q = own + 3 * next;
        if (side[k] * side[next] > 0 || edge_is_beyond(p, q, other)) {
            continue;
        }
        bool meets;
        if (side[k] != 0 && side[next] != 0) {
            meets = goes_through(x, y, of_x, k, crossing);
        } else {
            const facing f = facing_of(other);
            if (f.sign == 0) {
                const double line[9] = {p[0], p[1], p[2], q[0], q[1], q[2], q[0], q[1], q[2]};
                meets = kiln_exact_triangles_meet(line, other);
            } else if (side[k] == 0 && side[next] == 0) {
                meets = meets_in_plane(other, f, p, q);
            } else {
                meets = outer_sides(other, f, side[k] == 0 ? p : q) == 0;
            }
        }
        touches |= (unsigned)meets << edge;
    }
    return touches;
}
