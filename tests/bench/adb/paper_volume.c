/* How much volume two boxes have in common, after section 3.6 of J. Klein and G. Zachmann,
 * "Time-Critical Collision Detection Using an Average-Case Approach", VRST 2003.
 *
 * The paper offers several estimates and says little about which of them it used, so all of them
 * are here behind one function, each within rounding of what the text says, and the true volume as
 * a measure for them. No estimate is let above the smaller box's volume. */
#include "paper_volume.h"

#include "../../../formats/assert.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

const char *kiln_paper_volume_name(kiln_paper_volume volume)
{
    static const char *const names[KILN_PAPER_VOLUMES] = {"figure10", "lens",    "spheres",
                                                          "slabs",    "aligned", "exact"};
    return (unsigned)volume < KILN_PAPER_VOLUMES ? names[volume] : "";
}

static void put_in_order(double *more, double *less)
{
    if (*more < *less) {
        const double moved = *more;
        *more = *less;
        *less = moved;
    }
}

static void sort_down(double v[3])
{
    put_in_order(&v[0], &v[1]);
    put_in_order(&v[1], &v[2]);
    put_in_order(&v[0], &v[1]);
}

/* What is left of a side when the box moves by `distance` along a diagonal so long, as a part. */
static double part_left(double distance, double diagonal)
{
    return distance < diagonal ? 1 - distance / diagonal : 0;
}

void kiln_paper_aligned_cases(const double sides[3], double distance, double v[3])
{
    double s[3] = {sides[0], sides[1], sides[2]};
    sort_down(s);
    const double volume = s[0] * s[1] * s[2];
    const double square = s[0] * s[0] + s[1] * s[1];
    const double one = part_left(distance, s[0]);
    const double two = part_left(distance, sqrt(square));
    const double three = part_left(distance, sqrt(square + s[2] * s[2]));
    v[0] = volume * one;
    v[1] = volume * two * two;
    v[2] = volume * three * three * three;
}

/* Two caps on the circle where the balls' surfaces cross. */
double kiln_paper_lens_volume(double radius_a, double radius_b, double distance)
{
    const double sum = radius_a + radius_b;
    if (distance >= sum) {
        return 0;
    }
    if (distance <= fabs(radius_a - radius_b)) {
        const double r = kiln_paper_less(radius_a, radius_b);
        return 4 * pi / 3 * r * r * r;
    }
    const double depth = sum - distance, apart = radius_a - radius_b;
    return pi * depth * depth * (distance * distance + 2 * distance * sum - 3 * apart * apart) /
           (12 * distance);
}

static double radius_of(const double half[3])
{
    return sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

static double lens_of(const kiln_paper_pair *pair)
{
    return kiln_paper_lens_volume(radius_of(pair->half_a), radius_of(pair->half_b),
                                  kiln_paper_distance(pair));
}

static double figure_10(const kiln_paper_pair *pair)
{
    double a[3], b[3], sides[3], v[3];
    for (int k = 0; k < 3; k++) {
        a[k] = pair->half_a[k];
        b[k] = pair->half_b[k];
    }
    sort_down(a);
    sort_down(b);
    for (int k = 0; k < 3; k++) {
        sides[k] = a[k] + b[k];
    }
    kiln_paper_aligned_cases(sides, kiln_paper_distance(pair), v);
    return kiln_paper_more(v[0], kiln_paper_more(v[1], v[2]));
}

/* A slab by its unit normal, along A's axes, and its width. */
typedef struct {
    double normal[3], width;
} slab;

static double triple_product(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
           a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* A parallelepiped between planes has the volume w1 w2 w3 / |det(n1, n2, n3)|. */
static double three_slabs(const kiln_paper_pair *pair)
{
    slab slabs[6];
    double least = HUGE_VAL;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < 3; i++) {
            slabs[k].normal[i] = i == k ? 1 : 0;
            slabs[3 + k].normal[i] = pair->rotation[i][k];
        }
        slabs[k].width = 2 * pair->half_a[k];
        slabs[3 + k].width = 2 * pair->half_b[k];
    }
    for (int i = 0; i < 6; i++) {
        for (int j = i + 1; j < 6; j++) {
            for (int k = j + 1; k < 6; k++) {
                const double det =
                    fabs(triple_product(slabs[i].normal, slabs[j].normal, slabs[k].normal));
                const double widths = slabs[i].width * slabs[j].width * slabs[k].width;
                /* Written so that normals in one plane, whose slabs have no end, drop out. */
                if (widths < least * det) {
                    least = widths / det;
                }
            }
        }
    }
    return least;
}

/* Of two boxes along the same axes. */
static double aligned_common(const double half[3], const double reach[3], const double away[3])
{
    double volume = 1;
    for (int k = 0; k < 3; k++) {
        const double within = half[k] + reach[k] - fabs(away[k]);
        volume *=
            kiln_paper_more(0, kiln_paper_less(within, 2 * kiln_paper_less(half[k], reach[k])));
    }
    return volume;
}

static double aligned_enclosures(const kiln_paper_pair *pair)
{
    double reach[3], away[3];
    kiln_paper_reach_of_b(pair, reach);
    const double in_a = aligned_common(pair->half_a, reach, pair->away);
    kiln_paper_reach_of_a(pair, reach);
    kiln_paper_away_in_b(pair, away);
    return kiln_paper_less(in_a, aligned_common(pair->half_b, reach, away));
}

/* --------------------------------------------------------------------------- the true volume -- */

/* B is six tetrahedra, and each is cut by the six faces of A one after the other, what is kept into
 * tetrahedra again. Volumes of parts are never negative and are only added: a plane that just
 * misses or just takes a corner changes little, where sums over the faces of the common body would
 * lose a face. */
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
    KILN_ASSERT(face <= 6);
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
            at[i] += pair->rotation[i][k] * half;
        }
    }
}

/* From corner to opposite corner along the edges, in the six orders of the axes (Kuhn). */
static double cut_volume(const kiln_paper_pair *pair)
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

/* --------------------------------------------------------------------------------------- all -- */

double kiln_paper_common_volume(const kiln_paper_pair *pair, kiln_paper_volume volume,
                                double size_ratio)
{
    const double a = kiln_paper_box_volume(pair->half_a), b = kiln_paper_box_volume(pair->half_b);
    const double smaller = kiln_paper_less(a, b);
    KILN_ASSERT(smaller > 0);
    KILN_ASSERT(size_ratio >= 1);
    double estimate = smaller, r;
    switch (volume) {
    case KILN_PAPER_FIGURE_10:
        estimate = a + b - smaller > size_ratio * smaller ? lens_of(pair) : figure_10(pair);
        break;
    case KILN_PAPER_LENS:
        estimate = lens_of(pair);
        break;
    case KILN_PAPER_SPHERES:
        /* The lens as a part of the smaller ball, times the smaller box's volume. */
        r = kiln_paper_less(radius_of(pair->half_a), radius_of(pair->half_b));
        estimate = smaller * lens_of(pair) / (4 * pi / 3 * r * r * r);
        break;
    case KILN_PAPER_SLABS:
        estimate = three_slabs(pair);
        break;
    case KILN_PAPER_ALIGNED:
        estimate = aligned_enclosures(pair);
        break;
    case KILN_PAPER_EXACT:
        estimate = cut_volume(pair);
        break;
    }
    return kiln_paper_less(estimate, smaller);
}
