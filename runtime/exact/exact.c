/* Orientation signs and the meeting of two closed triangles, exact.
 *
 * Only two things decide: comparisons of coordinates and signs of orientation determinants. Both
 * are exact, so no answer depends on a tolerance, on which triangle comes first or on how their
 * corners are ordered.
 *
 * Range. Coordinates are multiples of 2^-302 (an ulp of KILN_EXACT_MIN) up to 2^250, so differences
 * are multiples of 2^-302 up to 2^251, and every product of three differences, with all its tails,
 * is a multiple of 2^-906 below 2^756: nothing over- or underflows, and every rounding below is a
 * relative one of at most u = 2^-53. */
#include "exact.h"

#include "../../formats/assert.h"
#include "expansion.h"

#include <math.h>

/* Filters. Let a determinant be a sum of signed monomials, computed with k rounded operations on
 * the way of each from the coordinates to the result. What is computed is the sum of the monomials,
 * each times (1 + t) with |t| <= g = k u / (1 - k u); so it is off by at most g P, P the sum of
 * their magnitudes. P itself, computed the same way with no cancellation, comes out at (1 - g) P or
 * more. Hence the sign is right once the magnitude exceeds the rounded c P, where
 * c (1 - u) (1 - g) >= g, the (1 - u) for that last rounding. c = (k + 1) u does for all k < 1000.
 *
 * In space each monomial takes 3 differences, 2 products, 1 subtraction in the 2 x 2 minor and 2
 * sums of the three terms: k = 8. In the plane k = 4: 2 differences, 1 product, 1 subtraction. */
#define SPACE_BOUND 0x1.2p-50
#define PLANE_BOUND 0x1.4p-51

static inline double min3(double x, double y, double z)
{
    const double m = x < y ? x : y;
    return m < z ? m : z;
}

static inline double max3(double x, double y, double z)
{
    const double m = x > y ? x : y;
    return m > z ? m : z;
}

/* ------------------------------------------------------------------------------- orientation -- */

static kiln_difference subtract(double a, double b)
{
    kiln_difference d;
    d.count = kiln_expansion_difference(a, b, d.part);
    return d;
}

static int orient3d_by_expansions(const double a[3], const double b[3], const double c[3],
                                  const double d[3])
{
    kiln_difference u[3], v[3], w[3];
    double all[192];
    for (int k = 0; k < 3; ++k) {
        u[k] = subtract(a[k], d[k]);
        v[k] = subtract(b[k], d[k]);
        w[k] = subtract(c[k], d[k]);
    }
    return kiln_expansion_sign(kiln_expansion_triple(u, v, w, all), all);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 wide_sign;
#define INTEGER_BITS 40

/* Coordinates of one mesh are mostly floats of similar exponents, so that a power of two makes
 * integers of at most 40 bits of all. Differences of such have 41 bits, minors 83, and the
 * determinant 126: integers of 128 bits hold it, and take a fifth of the time that expansions do.
 * False: they are no such integers. */
static bool orient3d_by_integers(const double a[3], const double b[3], const double c[3],
                                 const double d[3], int *sign)
{
    const double *const points[4] = {a, b, c, d};
    int64_t at[4][3];
    double most = 0;
    int exponent;
    for (int i = 0; i < 12; ++i) {
        const double size = fabs(points[i / 3][i % 3]);
        most = size > most ? size : most;
    }
    (void)frexp(most, &exponent); /* most < 2^exponent */
    const double scale = ldexp(1.0, INTEGER_BITS - exponent);
    for (int i = 0; i < 12; ++i) {
        const double scaled = points[i / 3][i % 3] * scale;
        at[i / 3][i % 3] = (int64_t)scaled;
        if ((double)at[i / 3][i % 3] != scaled)
            return false;
    }
    wide_sign determinant = 0;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        const wide_sign minor = (wide_sign)(at[1][i] - at[3][i]) * (at[2][j] - at[3][j]) -
                                (wide_sign)(at[1][j] - at[3][j]) * (at[2][i] - at[3][i]);
        determinant += minor * (at[0][k] - at[3][k]);
    }
    *sign = (determinant > 0) - (determinant < 0);
    return true;
}
#endif

int kiln_exact_orient3d(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double ux = a[0] - d[0], uy = a[1] - d[1], uz = a[2] - d[2];
    const double vx = b[0] - d[0], vy = b[1] - d[1], vz = b[2] - d[2];
    const double wx = c[0] - d[0], wy = c[1] - d[1], wz = c[2] - d[2];
    const double yz = vy * wz, zy = vz * wy;
    const double zx = vz * wx, xz = vx * wz;
    const double xy = vx * wy, yx = vy * wx;
    const double determinant = ux * (yz - zy) + uy * (zx - xz) + uz * (xy - yx);
    const double magnitude = fabs(ux) * (fabs(yz) + fabs(zy)) + fabs(uy) * (fabs(zx) + fabs(xz)) +
                             fabs(uz) * (fabs(xy) + fabs(yx));
    const double bound = SPACE_BOUND * magnitude;
    if (determinant > bound)
        return 1;
    if (determinant < -bound)
        return -1;
    if (magnitude == 0.0)
        return 0;
#ifdef __SIZEOF_INT128__
    int sign;
    if (orient3d_by_integers(a, b, c, d, &sign))
        return sign;
#endif
    return orient3d_by_expansions(a, b, c, d);
}

int kiln_exact_orient2d(const double a[3], const double b[3], const double c[3], int i, int j)
{
    KILN_ASSERT(i >= 0 && i < 3 && j >= 0 && j < 3 && i != j);
    const double left = (a[i] - c[i]) * (b[j] - c[j]);
    const double right = (a[j] - c[j]) * (b[i] - c[i]);
    const double determinant = left - right;
    const double magnitude = fabs(left) + fabs(right);
    const double bound = PLANE_BOUND * magnitude;
    if (determinant > bound)
        return 1;
    if (determinant < -bound)
        return -1;
    if (magnitude == 0.0)
        return 0;
    const kiln_difference x0 = subtract(a[i], c[i]), y0 = subtract(a[j], c[j]);
    const kiln_difference x1 = subtract(b[i], c[i]), y1 = subtract(b[j], c[j]);
    double all[16];
    return kiln_expansion_sign(kiln_expansion_cross(&x0, &y1, &y0, &x1, all), all);
}

/* ---------------------------------------------------------------- without area, and coplanar -- */

/* Coordinates i and j in which a triangle has an area, and the sign of that. 0: in none, so its
 * corners stand on a line. */
typedef struct {
    int i, j, sign;
} projection;

static projection project(const double t[9])
{
    projection p = {0, 0, 0};
    for (int k = 0; k < 3 && p.sign == 0; ++k) {
        p.i = (k + 1) % 3;
        p.j = (k + 2) % 3;
        p.sign = kiln_exact_orient2d(t, t + 3, t + 6, p.i, p.j);
    }
    return p;
}

/* Some edge of t has all of s strictly on its outer side. */
static bool edge_separates(const double t[9], int sign, const double s[9], int i, int j)
{
    for (int k = 0; k < 3; ++k) {
        const double *from = t + 3 * k, *to = t + 3 * ((k + 1) % 3);
        if (kiln_exact_orient2d(from, to, s, i, j) * sign < 0 &&
            kiln_exact_orient2d(from, to, s + 3, i, j) * sign < 0 &&
            kiln_exact_orient2d(from, to, s + 6, i, j) * sign < 0)
            return true;
    }
    return false;
}

/* t has an area in the projection p, s lies in its plane and may have none.
 *
 * p is one to one on the plane. Disjoint convex polygons are strictly separated along an edge of
 * one of them: the outline of their Minkowski difference is made of those edges. Corners on a line
 * go there and back, so both sides of that line are tried. */
static bool coplanar_meet(const double t[9], projection p, const double s[9])
{
    KILN_ASSERT(p.sign != 0);
    const int sign = kiln_exact_orient2d(s, s + 3, s + 6, p.i, p.j) < 0 ? -1 : 1;
    return !edge_separates(t, p.sign, s, p.i, p.j) && !edge_separates(s, sign, t, p.i, p.j);
}

typedef struct {
    const double *from, *to;
} segment;

/* The ends of a triangle without area: its corners are ordered alike by every coordinate in which
 * they differ. All corners equal: both ends are that point. */
static segment ends(const double t[9])
{
    int k = 0;
    while (k < 2 && t[k] == t[3 + k] && t[k] == t[6 + k])
        ++k;
    segment s = {t, t};
    for (int corner = 1; corner < 3; ++corner) {
        const double *p = t + 3 * corner;
        if (p[k] < s.from[k])
            s.from = p;
        if (p[k] > s.to[k])
            s.to = p;
    }
    return s;
}

static bool ranges_apart(double a0, double a1, double b0, double b1)
{
    return (a0 < b0 && a0 < b1 && a1 < b0 && a1 < b1) || (a0 > b0 && a0 > b1 && a1 > b0 && a1 > b1);
}

/* In the plane two segments meet where their boxes do and neither lies strictly on one side of the
 * other's line. This holds for points and for segments on one line too: there all signs are 0 and
 * the boxes decide. */
static bool segments_meet_in(segment s, segment t, int i, int j)
{
    if (ranges_apart(s.from[i], s.to[i], t.from[i], t.to[i]) ||
        ranges_apart(s.from[j], s.to[j], t.from[j], t.to[j]))
        return false;
    return kiln_exact_orient2d(s.from, s.to, t.from, i, j) *
                   kiln_exact_orient2d(s.from, s.to, t.to, i, j) <=
               0 &&
           kiln_exact_orient2d(t.from, t.to, s.from, i, j) *
                   kiln_exact_orient2d(t.from, t.to, s.to, i, j) <=
               0;
}

/* Segments that meet do so in every projection. Conversely, if the four ends span a plane, one of
 * the projections is one to one on it and decides; if they stand on a line, each projection
 * compares the boxes, and together that is all axes. */
static bool segments_meet(segment s, segment t)
{
    return kiln_exact_orient3d(s.from, s.to, t.from, t.to) == 0 && segments_meet_in(s, t, 0, 1) &&
           segments_meet_in(s, t, 1, 2) && segments_meet_in(s, t, 2, 0);
}

/* t has an area in the projection p, s stands on a line. Off the plane of t, s passes through it in
 * one point, which is in t when the line of s goes round all edges of t the same way. */
static bool segment_meets_triangle(segment s, const double line[9], const double t[9], projection p)
{
    KILN_ASSERT(p.sign != 0);
    const int from = kiln_exact_orient3d(s.from, t, t + 3, t + 6);
    const int to = kiln_exact_orient3d(s.to, t, t + 3, t + 6);
    if (from * to > 0)
        return false;
    if (from == 0 && to == 0)
        return coplanar_meet(t, p, line);
    const int e0 = kiln_exact_orient3d(s.from, s.to, t, t + 3);
    const int e1 = kiln_exact_orient3d(s.from, s.to, t + 3, t + 6);
    if (e0 * e1 < 0)
        return false;
    const int e2 = kiln_exact_orient3d(s.from, s.to, t + 6, t);
    return e0 * e2 >= 0 && e1 * e2 >= 0;
}

/* All corners of one triangle have orientation 0 to the other: they are coplanar, or one of them
 * has no area. Kept out of the way of the common case. */
static bool special_meet(const double a[9], const double b[9])
{
    const projection pa = project(a), pb = project(b);
    if (pa.sign == 0 && pb.sign == 0)
        return segments_meet(ends(a), ends(b));
    if (pa.sign == 0)
        return segment_meets_triangle(ends(a), a, b, pb);
    if (pb.sign == 0)
        return segment_meets_triangle(ends(b), b, a, pa);
    return coplanar_meet(a, pa, b);
}

/* ------------------------------------------------------------------------------- common case -- */

static inline bool boxes_apart(const double a[9], const double b[9])
{
    for (int k = 0; k < 3; ++k) {
        if (max3(a[k], a[k + 3], a[k + 6]) < min3(b[k], b[k + 3], b[k + 6]) ||
            max3(b[k], b[k + 3], b[k + 6]) < min3(a[k], a[k + 3], a[k + 6]))
            return true;
    }
    return false;
}

/* Sides of the plane of t on which the corners of s lie: +1 where kiln_exact_orient3d(corner, t1,
 * t2, t0) is. Zero everywhere for a t without area.
 *
 * One normal and one bound serve the three corners: the filter's P grows with the magnitude of each
 * coordinate of corner - t0, so the largest of the three stands for all. */
static inline void plane_sides(const double t[9], const double s[9], int side[3])
{
    const double vx = t[3] - t[0], vy = t[4] - t[1], vz = t[5] - t[2];
    const double wx = t[6] - t[0], wy = t[7] - t[1], wz = t[8] - t[2];
    const double yz = vy * wz, zy = vz * wy;
    const double zx = vz * wx, xz = vx * wz;
    const double xy = vx * wy, yx = vy * wx;
    const double nx = yz - zy, ny = zx - xz, nz = xy - yx;
    const double x0 = s[0] - t[0], y0 = s[1] - t[1], z0 = s[2] - t[2];
    const double x1 = s[3] - t[0], y1 = s[4] - t[1], z1 = s[5] - t[2];
    const double x2 = s[6] - t[0], y2 = s[7] - t[1], z2 = s[8] - t[2];
    const double height[3] = {x0 * nx + y0 * ny + z0 * nz, x1 * nx + y1 * ny + z1 * nz,
                              x2 * nx + y2 * ny + z2 * nz};
    const double bound = SPACE_BOUND * (max3(fabs(x0), fabs(x1), fabs(x2)) * (fabs(yz) + fabs(zy)) +
                                        max3(fabs(y0), fabs(y1), fabs(y2)) * (fabs(zx) + fabs(xz)) +
                                        max3(fabs(z0), fabs(z1), fabs(z2)) * (fabs(xy) + fabs(yx)));
    for (int k = 0; k < 3; ++k) {
        if (height[k] > bound)
            side[k] = 1;
        else if (height[k] < -bound)
            side[k] = -1;
        else
            side[k] = kiln_exact_orient3d(s + 3 * k, t + 3, t + 6, t);
    }
}

void kiln_exact_plane_sides(const double t[9], const double s[9], int side[3])
{
    plane_sides(t, s, side);
}

/* The corner whose side differs from both others in the same direction, which the plane parts from
 * them. There is one whenever the sides are not all equal. */
static inline int lone_corner(const int side[3])
{
    for (int k = 0; k < 2; ++k) {
        const int one = side[(k + 1) % 3], two = side[(k + 2) % 3];
        if ((side[k] > one && side[k] > two) || (side[k] < one && side[k] < two))
            return k;
    }
    return 2;
}

/* Guigue and Devillers 2003, "Fast and robust triangle-triangle overlap test using orientation
 * predicates". Neither triangle lies in the other's plane, so each cuts the line shared by the
 * planes in an interval between the edges at its lone corner, and the intervals are compared.
 *
 * Turned so that both lone corners are on the positive side of the other plane, the edges from a's
 * lone corner to its next and from b's to its next cut the line where orient3d of their four ends
 * shows which cut comes first. It is 0 exactly when the cuts coincide: otherwise four coplanar ends
 * would span both planes, and those differ. */
static inline bool intervals_meet(const double a[9], const int side_a[3], const double b[9],
                                  const int side_b[3])
{
    const int ka = lone_corner(side_a), kb = lone_corner(side_b);
    const int na = (ka + 1) % 3, la = (ka + 2) % 3, nb = (kb + 1) % 3, lb = (kb + 2) % 3;
    KILN_ASSERT(side_a[ka] != side_a[na] || side_a[ka] != side_a[la]);
    KILN_ASSERT(side_b[kb] != side_b[nb] || side_b[kb] != side_b[lb]);
    /* A corner on the plane with both others above it counts as below. Reversing a triangle, by
     * swapping its other corners, negates the sides of the other one's corners. */
    const bool swap_b = side_a[ka] < side_a[na], swap_a = side_b[kb] < side_b[nb];
    const double *a0 = a + 3 * ka, *b0 = b + 3 * kb;
    const double *a1 = a + 3 * (swap_a ? la : na), *a2 = a + 3 * (swap_a ? na : la);
    const double *b1 = b + 3 * (swap_b ? lb : nb), *b2 = b + 3 * (swap_b ? nb : lb);
    return kiln_exact_orient3d(a0, a1, b0, b1) >= 0 && kiln_exact_orient3d(a0, a2, b0, b2) <= 0;
}

bool kiln_exact_triangles_meet(const double a[9], const double b[9])
{
    int side_a[3], side_b[3];
    if (boxes_apart(a, b))
        return false;
    plane_sides(b, a, side_a);
    if (side_a[0] == side_a[1] && side_a[1] == side_a[2])
        return side_a[0] == 0 && special_meet(a, b);
    plane_sides(a, b, side_b);
    if (side_b[0] == side_b[1] && side_b[1] == side_b[2])
        return side_b[0] == 0 && special_meet(a, b);
    return intervals_meet(a, side_a, b, side_b);
}
