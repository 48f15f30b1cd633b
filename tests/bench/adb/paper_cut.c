/* See paper_cut.h. B is six tetrahedra; each is cut by the six faces of A, what is kept into
 * tetrahedra again. Volumes of parts are never negative and only added: a plane that just misses or
 * just takes a corner changes little, where sums over the faces of the common body lose a face. */
#include "paper_cut.h"

#include <math.h>
#include <string.h>

typedef struct {
    double corner[4][3];
} tetrahedron;

static double volume_of(const tetrahedron *t)
{
    double e[3][3];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            e[i][k] = t->corner[i + 1][k] - t->corner[0][k];
        }
    }
    return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

/* Corners within the half-space that face number `face` of A bounds, first; how many. */
static int sort_corners(const double half[3], int face, const tetrahedron *t, double over[4],
                        int order[4])
{
    const int axis = face / 2;
    const double sign = face % 2 != 0 ? 1 : -1;
    int within = 0, beyond = 4;
    for (int i = 0; i < 4; i++) {
        over[i] = sign * t->corner[i][axis] - half[axis];
        order[over[i] <= 0 ? within++ : --beyond] = i;
    }
    return within;
}

static void cross(const tetrahedron *t, const double over[4], int in, int out, double at[3])
{
    const double part = over[in] / (over[in] - over[out]);
    for (int k = 0; k < 3; k++) {
        at[k] = t->corner[in][k] + part * (t->corner[out][k] - t->corner[in][k]);
    }
}

static double cut(const double half[3], int face, const tetrahedron *t);

/* The prism between the triangles at[0..2] and at[3..5], as three tetrahedra. */
static double cut_prism(const double half[3], int face, double at[6][3])
{
    static const int parts[3][4] = {{0, 1, 2, 5}, {0, 1, 4, 5}, {0, 3, 4, 5}};
    double volume = 0;
    for (int i = 0; i < 3; i++) {
        tetrahedron part;
        for (int k = 0; k < 4; k++) {
            memcpy(part.corner[k], at[parts[i][k]], sizeof part.corner[k]);
        }
        volume += cut(half, face, &part);
    }
    return volume;
}

/* What of `t` lies within the faces of A from `face` on. */
static double cut(const double half[3], int face, const tetrahedron *t)
{
    double over[4], at[6][3];
    int order[4];
    if (face == 6) {
        return volume_of(t);
    }
    const int within = sort_corners(half, face, t, over, order);
    if (within == 0 || within == 4) {
        return within == 0 ? 0 : cut(half, face + 1, t);
    }
    if (within == 1) {
        tetrahedron tip = *t;
        for (int i = 1; i < 4; i++) {
            cross(t, over, order[0], order[i], tip.corner[order[i]]);
        }
        return cut(half, face + 1, &tip);
    }
    if (within == 2) {
        for (int i = 0; i < 2; i++) {
            memcpy(at[3 * i], t->corner[order[i]], sizeof at[0]);
            cross(t, over, order[i], order[2], at[3 * i + 1]);
            cross(t, over, order[i], order[3], at[3 * i + 2]);
        }
    } else {
        for (int i = 0; i < 3; i++) {
            memcpy(at[i], t->corner[order[i]], sizeof at[0]);
            cross(t, over, order[i], order[3], at[3 + i]);
        }
    }
    return cut_prism(half, face + 1, at);
}

/* Corner number `which` of B, bit k for the upper side along its axis k, along A's axes. */
static void corner_of_b(const kiln_paper_pair *pair, int which, double at[3])
{
    for (int i = 0; i < 3; i++) {
        at[i] = pair->away[i];
        for (int k = 0; k < 3; k++) {
            const double half = (which >> k & 1) != 0 ? pair->half_b[k] : -pair->half_b[k];
            at[i] += pair->turn[i][k] * half;
        }
    }
}

/* From corner to opposite corner along the edges, in the six orders of the axes (Kuhn). */
double kiln_paper_cut_volume(const kiln_paper_pair *pair)
{
    static const int ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    double volume = 0;
    for (int i = 0; i < 6; i++) {
        tetrahedron t;
        corner_of_b(pair, 0, t.corner[0]);
        corner_of_b(pair, ways[i][0], t.corner[1]);
        corner_of_b(pair, ways[i][1], t.corner[2]);
        corner_of_b(pair, 7, t.corner[3]);
        volume += cut(pair->half_a, 0, &t);
    }
    return volume;
}
