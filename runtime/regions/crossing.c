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
    for (int k = 0; k < 3; k++) {
        side[k] = kiln_exact_orient3d(s + 3 * k, t + 3, t + 6, t);
        if (side[k] == 0) {
            *grazes = true;
            flat = flat == 2 ? first_sign_of_normal(t) : flat;
            side[k] = move * flat;
        }
    }
    return side[0] != 0 && (side[0] != side[1] || side[0] != side[2]);
}

/* What is known of the two triangles; lines that were not compared have 2. */
typedef struct {
    const double *x, *y;
    int move;
    int line[3][3];
    bool grazes;
} edge_pairs;

/* On which side X's edge i passes Y's edge j. */
static int passing_side(edge_pairs *e, int i, int j)
{
    if (e->line[i][j] == 2) {
        const double *p = e->x + 3 * i, *q = e->x + 3 * ((i + 1) % 3);
        const double *s = e->y + 3 * j, *r = e->y + 3 * ((j + 1) % 3);
        int sign = kiln_exact_orient3d(p, q, r, s);
        if (sign == 0) {
            e->grazes = true;
            sign = e->move * first_sign_of_product(p, q, s, r);
        }
        e->line[i][j] = sign;
    }
    return e->line[i][j];
}

/* Does an edge that has its ends on both sides of the other triangle's plane pass through it? */
static bool passes_through(edge_pairs *e, bool of_x, int edge)
{
    const int first = of_x ? passing_side(e, edge, 0) : passing_side(e, 0, edge);
    for (int k = 1; k < 3; k++) {
        if ((of_x ? passing_side(e, edge, k) : passing_side(e, k, edge)) != first) {
            return false;
        }
    }
    return first != 0;
}

void kiln_crossing_find(const double x[9], const double y[9], int move, kiln_crossing *out)
{
    int side_x[3], side_y[3];
    edge_pairs e = {x, y, move, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, false};
    KILN_ASSERT(move == 1 || move == -1);
    memset(out, 0, sizeof *out);
    const bool of_x = moved_sides(y, x, move, side_x, &e.grazes);
    const bool both = moved_sides(x, y, -move, side_y, &e.grazes) && of_x;
    int found = 0;
    for (int k = 0; both && k < 3; k++) {
        const int next = (k + 1) % 3;
        if (side_x[k] != side_x[next] && passes_through(&e, true, k)) {
            out->edge[side_x[k] < 0 ? 0 : 1] = (uint8_t)k;
            found++;
        }
        if (side_y[k] != side_y[next] && passes_through(&e, false, k)) {
            out->edge[side_y[k] > 0 ? 0 : 1] = (uint8_t)(KILN_CROSSING_OF_Y + k);
            found++;
        }
    }
    KILN_ASSERT(found == 0 || found == 2);
    out->found = found == 2;
    out->grazes = e.grazes;
}

unsigned kiln_crossing_touches(const double x[9], const double y[9])
{
    unsigned touches = 0;
    for (unsigned k = 0; k < 6; k++) {
        const double *of = k < KILN_CROSSING_OF_Y ? x : y;
        const double *other = k < KILN_CROSSING_OF_Y ? y : x;
        double edge[9];
        memcpy(edge, of + k % 3 * 3, 3 * sizeof *edge);
        memcpy(edge + 3, of + (k + 1) % 3 * 3, 3 * sizeof *edge);
        memcpy(edge + 6, edge + 3, 3 * sizeof *edge);
        touches |= (unsigned)kiln_exact_triangles_meet(edge, other) << k;
    }
    return touches;
}
