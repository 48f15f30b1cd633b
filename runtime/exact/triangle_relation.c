/* How two closed triangles meet: whether they touch, cross or overlap, which corners they share,
 * and whether they have more in common than these.
 *
 * All is decided by comparisons of coordinates and signs of determinants, which are exact
 * (exact.c). Inside is the relative interior: of a triangle without area that of a segment.
 *
 * Crossing. Of two triangles with area in different planes each that has corners strictly on both
 * sides of the other's plane cuts the line of both planes in an interval of some length, whose
 * inner points are inside it; one that has not is inside nowhere on that line. So they cross where
 * both have, and their intervals have inner points in common: that is the test of Guigue and
 * Devillers 2003 with strict signs, as the intervals have a length. A segment crosses a triangle
 * where its ends are strictly on both sides of the plane and its line passes all edges strictly on
 * one side. What else meets lies in one plane, or has no point that is inside both.
 *
 * Overlapping. Convex sets with an area in one plane have none in common exactly where a line has
 * each on one of its closed sides; by their Minkowski difference, a polygon with edges of both,
 * that line can be one of an edge.
 *
 * Beyond one shared corner p. Where the plane of one has both other corners of the second strictly
 * on one side, p is all that this has there. Let both have an area, and lie in different planes, on
 * whose line p is. Of that line each has a part that begins with p: if its other corners are
 * strictly on both sides of the other's plane, one of some length, to a side that the signs tell;
 * else an edge. There are further common points exactly where both parts lead the same way: for an
 * edge, where its end is in the cone at p of the other triangle. If both have an area and lie in
 * one plane, they are their cones near p; cones of less than a half plane have a ray in common
 * exactly where one of the four edges at p is in the other's cone.
 * For triangles without area: let x be another common point. The ray from p through x leaves A at a
 * point y and B at a point z, and the nearer of the two is common to both and not p. A ray leaves a
 * triangle with area on the edge opposite to p, whose line p is not on; one without area at one of
 * its other corners. So there is such an x exactly where the opposite edge of one (or, without
 * area, one of its other corners) meets the other triangle.
 *
 * Beyond a shared edge p q. If the four points span space, the planes differ, and of their line
 * each triangle has the edge alone. Else, if both have an area, they are in one plane, and have
 * more in common exactly where they are on one side of the line p q. If one has none, its corners
 * are on that line, of which the other has the edge alone. If both have none, both hold the edge,
 * and have more in common exactly where both reach beyond the same end. */
#include "exact.h"

#include "../../formats/assert.h"

#include <string.h>

/* Bit i: corner i of a is one of b's. */
static unsigned corners_shared(const double a[9], const double b[9])
{
    unsigned mask = 0;
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            const double *p = a + 3 * i, *q = b + 3 * j;
            mask |= (unsigned)(p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) << i;
        }
    }
    return mask;
}

static bool corners_equal(const double p[3], const double q[3])
{
    return p[0] == q[0] && p[1] == q[1] && p[2] == q[2];
}

/* The bits of a mask of corners that stand for different points. */
static unsigned distinct_corners(const double t[9], unsigned mask)
{
    if ((mask & 3) == 3 && corners_equal(t, t + 3)) {
        mask &= ~2u;
    }
    if ((mask & 4) != 0 && (((mask & 1) != 0 && corners_equal(t, t + 6)) ||
                            ((mask & 2) != 0 && corners_equal(t + 3, t + 6)))) {
        mask &= ~4u;
    }
    return mask;
}

/* Coordinates i and j in which a triangle has an area, and its sign; 0: it has none. */
typedef struct {
    int i, j, sign;
} area_sign;

static area_sign sign_area(const double t[9])
{
    area_sign s = {0, 0, 0};
    for (int k = 0; k < 3 && s.sign == 0; k++) {
        s.i = (k + 1) % 3;
        s.j = (k + 2) % 3;
        s.sign = kiln_exact_orient2d(t, t + 3, t + 6, s.i, s.j);
    }
    return s;
}

/* On which sides of the plane of t the corners of s are. */
static void sides_of_plane(const double t[9], const double s[9], int side[3])
{
    for (int k = 0; k < 3; k++) {
        side[k] = kiln_exact_orient3d(s + 3 * k, t + 3, t + 6, t);
    }
}

static bool are_both_sides(const int side[3])
{
    const bool above = side[0] > 0 || side[1] > 0 || side[2] > 0;
    const bool below = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return above && below;
}

/* ----------------------------------------------------------------------------- how they meet -- */

/* The corner that the other's plane parts from both others, and these; `below`: it is below, so
 * that the other triangle has to be reversed (intervals_meet in exact.c). */
static void turn_apart(const double t[9], const int side[3], const double *corner[3], bool *below)
{
    int k = 0;
    while (k < 2 && !((side[k] > side[(k + 1) % 3] && side[k] > side[(k + 2) % 3]) ||
                      (side[k] < side[(k + 1) % 3] && side[k] < side[(k + 2) % 3]))) {
        k++;
    }
    corner[0] = t + 3 * k;
    corner[1] = t + 3 * ((k + 1) % 3);
    corner[2] = t + 3 * ((k + 2) % 3);
    *below = side[k] < side[(k + 1) % 3];
}

static void exchange_corners(const double *corner[3])
{
    const double *first = corner[1];
    corner[1] = corner[2];
    corner[2] = first;
}

/* Each has corners strictly on both sides of the other's plane. */
static void turn_both(const double a[9], const int side_a[3], const double b[9],
                      const int side_b[3], const double *of_a[3], const double *of_b[3])
{
    bool below_b, below_a;
    turn_apart(a, side_a, of_a, &below_b);
    turn_apart(b, side_b, of_b, &below_a);
    if (below_b) {
        exchange_corners(of_b);
    }
    if (below_a) {
        exchange_corners(of_a);
    }
}

/* The same: have their intervals on the line of both planes inner points in common? */
static bool intervals_overlap(const double a[9], const int side_a[3], const double b[9],
                              const int side_b[3])
{
    const double *p[3], *q[3];
    turn_both(a, side_a, b, side_b, p, q);
    return kiln_exact_orient3d(p[0], p[1], q[0], q[1]) > 0 &&
           kiln_exact_orient3d(p[0], p[2], q[0], q[2]) < 0;
}

/* Does the line of an edge of t have all of s on its outer side, or on it? Both have an area. */
static bool edge_parts(const double t[9], int sign, const double s[9], area_sign in)
{
    for (int k = 0; k < 3; k++) {
        const double *from = t + 3 * k, *to = t + 3 * ((k + 1) % 3);
        if (kiln_exact_orient2d(from, to, s, in.i, in.j) * sign <= 0 &&
            kiln_exact_orient2d(from, to, s + 3, in.i, in.j) * sign <= 0 &&
            kiln_exact_orient2d(from, to, s + 6, in.i, in.j) * sign <= 0) {
            return true;
        }
    }
    return false;
}

/* s has no area: its corners stand on a line. Between two that t's plane parts it has a point that
 * is inside it. */
static bool segment_crosses(const double s[9], const double t[9])
{
    int side[3];
    sides_of_plane(t, s, side);
    if (!are_both_sides(side)) {
        return false;
    }
    int from = 0, to = 0;
    for (int k = 1; k < 3; k++) {
        from = side[k] > side[from] ? k : from;
        to = side[k] < side[to] ? k : to;
    }
    const double *p = s + 3 * from, *q = s + 3 * to;
    const int first = kiln_exact_orient3d(p, q, t, t + 3);
    return first != 0 && kiln_exact_orient3d(p, q, t + 3, t + 6) == first &&
           kiln_exact_orient3d(p, q, t + 6, t) == first;
}

/* Of two that meet. */
static kiln_meeting meeting_of(const double a[9], const double b[9])
{
    const area_sign of_a = sign_area(a), of_b = sign_area(b);
    bool crosses = false;
    if (of_a.sign != 0 && of_b.sign != 0) {
        int side_a[3], side_b[3];
        sides_of_plane(b, a, side_a);
        if (side_a[0] == 0 && side_a[1] == 0 && side_a[2] == 0) {
            /* One area_sign serves both: it is one to one on the plane. */
            const int sign = kiln_exact_orient2d(b, b + 3, b + 6, of_a.i, of_a.j);
            KILN_ASSERT(sign != 0);
            return edge_parts(a, of_a.sign, b, of_a) || edge_parts(b, sign, a, of_a)
                       ? KILN_MEETING_TOUCH
                       : KILN_MEETING_OVERLAP;
        }
        sides_of_plane(a, b, side_b);
        crosses = are_both_sides(side_a) && are_both_sides(side_b) &&
                  intervals_overlap(a, side_a, b, side_b);
    } else if (of_a.sign != 0) {
        crosses = segment_crosses(b, a);
    } else if (of_b.sign != 0) {
        crosses = segment_crosses(a, b);
    }
    return crosses ? KILN_MEETING_CROSS : KILN_MEETING_TOUCH;
}

/* --------------------------------------------------------------------- beyond what is shared -- */

/* Does what is opposite corner i of t meet s? */
static bool opposite_meets(const double t[9], unsigned i, const double s[9])
{
    double part[9];
    const double *p = t + 3 * i, *q = t + 3 * ((i + 1) % 3), *r = t + 3 * ((i + 2) % 3);
    memcpy(part, q, 3 * sizeof *part);
    memcpy(part + 3, r, 3 * sizeof *part);
    if (sign_area(t).sign != 0) {
        memcpy(part + 6, r, 3 * sizeof *part);
        return kiln_exact_triangles_meet(part, s);
    }
    bool meets = false;
    for (int k = 0; k < 2; k++) {
        const double *end = k == 0 ? q : r;
        for (int c = 0; c < 3; c++) {
            memcpy(part + 3 * c, end, 3 * sizeof *part);
        }
        meets = meets || (!corners_equal(end, p) && kiln_exact_triangles_meet(part, s));
    }
    return meets;
}

/* Is x, which is in the plane of the triangle p b c, whose corners are in that order or turned, in
 * the cone at p? */
static bool is_in_cone(const double p[3], const double b[3], const double c[3], area_sign in,
                       const double x[3])
{
    return kiln_exact_orient2d(b, x, p, in.i, in.j) * in.sign >= 0 &&
           kiln_exact_orient2d(x, c, p, in.i, in.j) * in.sign >= 0;
}

/* Both have other corners strictly on both sides of the other's plane: each has an interval on the
 * line of both planes that begins or ends at p. Turned as for intervals_overlap, the edge to the
 * second corner cuts out the lower end of the one's and the upper end of the other's, so that both
 * lead the same way where p has different places in the two. q is p as a corner of b. */
static bool lead_one_way(const double a[9], const int side_a[3], const double b[9],
                         const int side_b[3], const double *p, const double *q)
{
    const double *of_a[3], *of_b[3];
    turn_both(a, side_a, b, side_b, of_a, of_b);
    return (of_a[1] == p) != (of_b[1] == q);
}

/* Corner i of a is corner j of b, and no other is shared. */
static bool is_beyond_corner(const double a[9], unsigned i, const double b[9], unsigned j)
{
    const double *p = a + 3 * i, *q = b + 3 * j;
    const unsigned i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    const double *a1 = a + 3 * i1, *a2 = a + 3 * i2, *b1 = b + 3 * j1, *b2 = b + 3 * j2;
    int side_a[3], side_b[3];
    side_b[j] = 0;
    side_b[j1] = kiln_exact_orient3d(b1, a + 3, a + 6, a);
    side_b[j2] = kiln_exact_orient3d(b2, a + 3, a + 6, a);
    if (side_b[j1] * side_b[j2] > 0) {
        return false;
    }
    /* Triangles with area of which one is in the plane of the other are both in it. */
    const area_sign of_a = sign_area(a), of_b = sign_area(b);
    const bool have_areas = of_a.sign != 0 && of_b.sign != 0;
    side_a[i] = side_a[i1] = side_a[i2] = 0;
    if (!have_areas || side_b[j1] != 0 || side_b[j2] != 0) {
        side_a[i1] = kiln_exact_orient3d(a1, b + 3, b + 6, b);
        side_a[i2] = kiln_exact_orient3d(a2, b + 3, b + 6, b);
        if (side_a[i1] * side_a[i2] > 0) {
            return false;
        }
        if (side_b[j1] * side_b[j2] < 0 && side_a[i1] * side_a[i2] < 0) {
            return lead_one_way(a, side_a, b, side_b, p, q);
        }
    }
    if (have_areas) {
        /* What each has in the plane of the other are the edges at p that are in it, or all, or a
         * part that an edge of the other is compared with. */
        return (side_b[j1] == 0 && is_in_cone(p, a1, a2, of_a, b1)) ||
               (side_b[j2] == 0 && is_in_cone(p, a1, a2, of_a, b2)) ||
               (side_a[i1] == 0 && is_in_cone(p, b1, b2, of_b, a1)) ||
               (side_a[i2] == 0 && is_in_cone(p, b1, b2, of_b, a2));
    }
    return opposite_meets(a, i, b) || opposite_meets(b, j, a);
}

/* The number of the corner besides two. */
static unsigned third_corner(unsigned one, unsigned two)
{
    return 3 - one - two;
}

static unsigned corner_at(const double t[9], const double p[3])
{
    unsigned i = 0;
    while (!corners_equal(t + 3 * i, p)) {
        i++;
        KILN_ASSERT(i < 3);
    }
    return i;
}

/* Corners i and k of a, which differ, are b's, too. */
static bool is_beyond_edge(const double a[9], unsigned i, unsigned k, const double b[9])
{
    const double *p = a + 3 * i, *q = a + 3 * k;
    const double *c = a + 3 * third_corner(i, k);
    const double *d = b + 3 * third_corner(corner_at(b, p), corner_at(b, q));
    if (kiln_exact_orient3d(p, q, c, d) != 0) {
        return false;
    }
    const area_sign of_a = sign_area(a), of_b = sign_area(b);
    if (of_a.sign != 0 && of_b.sign != 0) {
        return kiln_exact_orient2d(p, q, c, of_a.i, of_a.j) *
                   kiln_exact_orient2d(p, q, d, of_a.i, of_a.j) >
               0;
    }
    if (of_a.sign != 0 || of_b.sign != 0) {
        return false;
    }
    int axis = 0;
    while (p[axis] == q[axis]) {
        axis++;
        KILN_ASSERT(axis < 3);
    }
    const double low = p[axis] < q[axis] ? p[axis] : q[axis];
    const double high = p[axis] < q[axis] ? q[axis] : p[axis];
    return (c[axis] < low && d[axis] < low) || (c[axis] > high && d[axis] > high);
}

unsigned kiln_triangles_shared(const double a[9], const double b[9])
{
    const unsigned mask = corners_shared(a, b);
    return mask == 0 ? 0 : (unsigned)__builtin_popcount(distinct_corners(a, mask));
}

kiln_relation kiln_triangles_relate(const double a[9], const double b[9])
{
    kiln_relation relation = {KILN_MEETING_NONE, 0, false};
    const unsigned mask = corners_shared(a, b);
    if (mask == 0) {
        if (kiln_exact_triangles_meet(a, b)) {
            relation.how = meeting_of(a, b);
            relation.beyond = true;
        }
        return relation;
    }
    const unsigned points = distinct_corners(a, mask);
    const unsigned first = (unsigned)__builtin_ctz(points);
    relation.shared = (unsigned)__builtin_popcount(points);
    relation.how = KILN_MEETING_TOUCH;
    if (mask == 7 && corners_shared(b, a) == 7) {
        relation.how = KILN_MEETING_SAME;
        return relation;
    }
    KILN_ASSERT(relation.shared < 3);
    relation.beyond =
        relation.shared == 1
            ? is_beyond_corner(a, first, b, corner_at(b, a + 3 * first))
            : is_beyond_edge(a, first, (unsigned)__builtin_ctz(points & (points - 1)), b);
    if (relation.beyond) {
        relation.how = meeting_of(a, b);
    }
    return relation;
}
