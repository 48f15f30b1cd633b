/* Two triangles that pass through each other, by signs alone.
 *
 * X is moved by (e, e^2, e^3), e infinitely small (simulation of simplicity; Edelsbrunner and
 * Muecke, ACM TOG 9(1), 1990; here one move of a whole mesh, so that all triangles of it agree). A
 * volume that is 0 then has the sign of the first coordinate of its gradient that is not 0:
 *
 *     det(p - y0, y1 - y0, y2 - y0)        of a corner p of X and a triangle of Y: the normal of Y
 *     the same of a corner of Y and X      the normal of X, reversed
 *     det(p - s, q - s, r - s)             of an edge pq of X and an edge rs of Y: (q - p) x (r -
 * s)
 *
 * The last of these is 0 for parallel edges only, which never pass through each other's
 * triangles: an edge that crosses the plane of a triangle is parallel to none of its edges. So the
 * moved triangles are in general position: their segment has two ends, each the crossing of an edge
 * with a triangle, and all triangles at that edge have it as an end. That makes curves closed. */
#include "crossing.h"

#include "../../formats/assert.h"
#include "../exact/exact.h"
#include "../exact/expansion.h"

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

/* Of the normal of a triangle. 0: it has no area. */
static int first_sign_of_normal(const double t[9])
{
    int sign = 0;
    for (int k = 0; k < 3 && sign == 0; k++) {
        sign = kiln_exact_orient2d(t + 3, t + 6, t, (k + 1) % 3, (k + 2) % 3);
    }
    return sign;
}

/* 1: corners of s that are in front of t, `move` being what s has moved by as seen from t. */
static bool moved_sides(const double t[9], const double s[9], int move, int side[3], bool *grazes)
{
    int flat = 2;
    kiln_exact_plane_sides(t, s, side);
    for (int k = 0; k < 3; k++) {
        if (side[k] == 0) {
            *grazes = true;
            flat = flat == 2 ? first_sign_of_normal(t) : flat;
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

/* On which side X's edge i passes Y's edge j. */
static int passing_side(const double x[9], int i, const double y[9], int j, int move, bool *grazes)
{
    const double *p = x + 3 * i, *q = x + 3 * ((i + 1) % 3);
    const double *s = y + 3 * j, *r = y + 3 * ((j + 1) % 3);
    const int sign = kiln_exact_orient3d(p, q, r, s);
    if (sign != 0) {
        return sign;
    }
    *grazes = true;
    return move * first_sign_of_product(p, q, s, r);
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
    const bool of_x = moved_sides(y, x, move, side_x, &out->grazes);
    if (!moved_sides(x, y, -move, side_y, &out->grazes) || !of_x) {
        return;
    }
    const int begin_x = edge_from(side_x, -1), end_x = edge_from(side_x, 1);
    const int begin_y = edge_from(side_y, 1), end_y = edge_from(side_y, -1);
    const bool begins_in_y = passing_side(x, begin_x, y, begin_y, move, &out->grazes) > 0;
    const bool ends_in_y = passing_side(x, end_x, y, end_y, move, &out->grazes) < 0;
    /* X begins before Y ends, and ends after Y begins: where it does not follow from the others. */
    const bool begins_before =
        !begins_in_y || ends_in_y || passing_side(x, begin_x, y, end_y, move, &out->grazes) > 0;
    const bool ends_after =
        begins_in_y || !ends_in_y || passing_side(x, end_x, y, begin_y, move, &out->grazes) < 0;
    if (begins_before && ends_after) {
        out->found = true;
        out->edge[0] = (uint8_t)(begins_in_y ? begin_x : KILN_CROSSING_OF_Y + begin_y);
        out->edge[1] = (uint8_t)(ends_in_y ? end_x : KILN_CROSSING_OF_Y + end_y);
    }
}

unsigned kiln_crossing_touches(const double x[9], const double y[9])
{
    unsigned touches = 0;
    int side[6];
    kiln_exact_plane_sides(y, x, side);
    kiln_exact_plane_sides(x, y, side + KILN_CROSSING_OF_Y);
    for (unsigned k = 0; k < 6; k++) {
        const double *of = k < KILN_CROSSING_OF_Y ? x : y;
        const double *other = k < KILN_CROSSING_OF_Y ? y : x;
        if (side[k] * side[k / 3 * 3 + (k + 1) % 3] > 0) {
            continue; /* on one side of the other's plane */
        }
        double edge[9];
        memcpy(edge, of + k % 3 * 3, 3 * sizeof *edge);
        memcpy(edge + 3, of + (k + 1) % 3 * 3, 3 * sizeof *edge);
        memcpy(edge + 6, edge + 3, 3 * sizeof *edge);
        touches |= (unsigned)kiln_exact_triangles_meet(edge, other) << k;
    }
    return touches;
}
