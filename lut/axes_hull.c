/* Convex hulls of points on the unit sphere (axes_hull.h), point by point: the facets that a new
 * point sees are replaced by a fan around it (Clarkson and Shor 1989; the first visible one is
 * found by a walk, as in Devillers, Pion and Teillaud 2002). Signs of determinants are decided in
 * double where the error bound of Shewchuk 1997 allows, else in whole numbers, by GMP: a hull with
 * a wrong facet would give a wrong covering radius. */
#include "axes_hull.h"

#include "../formats/assert.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const unsigned next_corner[3] = {1, 2, 0};

/* -------------------------------------------------------------------------------- which side -- */

static void exact_difference(mpz_t difference, double a, double b)
{
    mpz_t other;
    mpz_init_set_d(other, b * 0x1p53);
    mpz_set_d(difference, a * 0x1p53);
    mpz_sub(difference, difference, other);
    mpz_clear(other);
}

static int exact_side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double *const rows[3] = {b, c, d};
    mpz_t m[3][3], sum, minor, product;
    mpz_inits(sum, minor, product, NULL);
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned j = 0; j < 3; j++) {
            mpz_init(m[i][j]);
            exact_difference(m[i][j], rows[i][j], a[j]);
        }
    }
    for (unsigned j = 0; j < 3; j++) { /* along the last row */
        const unsigned k = next_corner[j], l = next_corner[k];
        mpz_mul(minor, m[0][k], m[1][l]);
        mpz_mul(product, m[0][l], m[1][k]);
        mpz_sub(minor, minor, product);
        mpz_mul(product, minor, m[2][j]);
        mpz_add(sum, sum, product);
    }
    const int sign = mpz_sgn(sum);
    for (unsigned i = 0; i < 3; i++) {
        mpz_clears(m[i][0], m[i][1], m[i][2], NULL);
    }
    mpz_clears(sum, minor, product, NULL);
    return sign;
}

/* Shewchuk's filter for a determinant of differences: (7 + 56 e) e times the sum of the products'
 * magnitudes, e = 2^-53. 0: in doubt. */
static int quick_side(const double a[3], const double b[3], const double c[3], const double d[3])
{
    const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    const double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    const double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    const double yz = by * cz, zy = bz * cy, zx = bz * cx, xz = bx * cz, xy = bx * cy, yx = by * cx;
    const double determinant = (yz - zy) * dx + (zx - xz) * dy + (xy - yx) * dz;
    const double size = (fabs(yz) + fabs(zy)) * fabs(dx) + (fabs(zx) + fabs(xz)) * fabs(dy) +
                        (fabs(xy) + fabs(yx)) * fabs(dz);
    const double doubt = 8.0 * 0x1p-53 * size;
    return determinant > doubt ? 1 : determinant < -doubt ? -1 : 0;
}

int kiln_lut_side_of_plane(const double a[3], const double b[3], const double c[3],
                           const double d[3])
{
    const int sign = quick_side(a, b, c, d);
    return sign != 0 ? sign : exact_side(a, b, c, d);
}

static int side_of(kiln_lut_hull *hull, const double a[3], const double b[3], const double c[3],
                   const double d[3])
{
    const int sign = quick_side(a, b, c, d);
    if (sign != 0) {
        return sign;
    }
    hull->exact_decisions++;
    return exact_side(a, b, c, d);
}

static bool sees(kiln_lut_hull *hull, uint32_t facet, const double point[3])
{
    const uint32_t *corners = hull->corners[facet];
    return side_of(hull, hull->points[corners[0]], hull->points[corners[1]],
                   hull->points[corners[2]], point) > 0;
}

/* ----------------------------------------------------------------------------------- growing -- */

/* What is between two points' insertions. */
typedef struct {
    kiln_lut_hull *hull;
    double inside[3];     /* a point of the first tetrahedron */
    uint8_t *visible;     /* of each facet: from the point that is inserted */
    uint32_t *list;       /* the visible facets; those before `done` have been looked around from */
    uint32_t *fan;        /* of each point: the new facet whose edge of the horizon starts there */
    uint32_t (*edges)[2]; /* the horizon: facet beyond, and its edge */
    uint32_t last;        /* a facet made last */
} growth;

/* The first four points: far apart, so that the tetrahedron is not flat. */
static bool first_corners(const double (*points)[3], uint32_t count, uint32_t first[4])
{
    double best = 0.0;
    first[0] = first[1] = first[2] = first[3] = 0;
    for (uint32_t i = 1; i < count; i++) {
        const double x = points[i][0] - points[0][0], y = points[i][1] - points[0][1],
                     z = points[i][2] - points[0][2];
        const double size = x * x + y * y + z * z;
        if (size > best) {
            best = size;
            first[1] = i;
        }
    }
    const double *a = points[0], *b = points[first[1]];
    double normal[3] = {0};
    best = 0.0;
    for (uint32_t i = 1; i < count; i++) {
        double cross[3], size = 0.0;
        for (unsigned j = 0; j < 3; j++) {
            const unsigned k = next_corner[j], l = next_corner[k];
            cross[j] =
                (b[k] - a[k]) * (points[i][l] - a[l]) - (b[l] - a[l]) * (points[i][k] - a[k]);
            size += cross[j] * cross[j];
        }
        if (size > best) {
            best = size;
            first[2] = i;
            memcpy(normal, cross, sizeof normal);
        }
    }
    best = 0.0;
    for (uint32_t i = 1; i < count; i++) {
        double size = 0.0;
        for (unsigned j = 0; j < 3; j++) {
            size += normal[j] * (points[i][j] - a[j]);
        }
        if (fabs(size) > best) {
            best = fabs(size);
            first[3] = i;
        }
    }
    return first[1] != 0 && first[2] != 0 && first[3] != 0;
}

static bool start_growth(growth *grown, uint32_t first[4])
{
    static const uint32_t faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint32_t besides[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    kiln_lut_hull *hull = grown->hull;
    const double(*points)[3] = hull->points;
    if (!first_corners(points, hull->point_count, first)) {
        return false;
    }
    const int side =
        side_of(hull, points[first[0]], points[first[1]], points[first[2]], points[first[3]]);
    if (side == 0) {
        return false;
    }
    if (side > 0) { /* the fourth is to be behind the first three */
        const uint32_t swap = first[1];
        first[1] = first[2];
        first[2] = swap;
    }
    for (unsigned f = 0; f < 4; f++) {
        for (unsigned i = 0; i < 3; i++) {
            hull->corners[f][i] = first[faces[f][i]];
            hull->beside[f][i] = besides[f][i];
        }
    }
    hull->facet_count = 4;
    for (unsigned j = 0; j < 3; j++) {
        const double mean = 0.25 * (points[first[0]][j] + points[first[1]][j] +
                                    points[first[2]][j] + points[first[3]][j]);
        grown->inside[j] = floor(mean * 0x1p53) * 0x1p-53;
    }
    for (unsigned f = 0; f < 4; f++) {
        if (sees(hull, f, grown->inside)) {
            return false; /* flat but for roundings */
        }
    }
    return true;
}

/* The facet that the ray from inside to the point leaves by: each step crosses an edge towards the
 * point. A walk among the facets of a convex polytope seen from inside never comes round. */
static uint32_t walk_to(growth *grown, const double point[3])
{
    kiln_lut_hull *hull = grown->hull;
    uint32_t facet = grown->last;
    for (uint32_t steps = 0; steps <= hull->facet_count; steps++) {
        unsigned edge = 0;
        while (edge < 3 &&
               side_of(hull, grown->inside, hull->points[hull->corners[facet][edge]],
                       hull->points[hull->corners[facet][next_corner[edge]]], point) >= 0) {
            edge++;
        }
        if (edge == 3) {
            return facet;
        }
        facet = hull->beside[facet][edge];
    }
    return facet;
}

/* The visible facets around the first, and the edges around them. */
static void look_around(growth *grown, uint32_t first, const double point[3],
                        uint32_t *visible_count, uint32_t *edge_count)
{
    kiln_lut_hull *hull = grown->hull;
    uint32_t found = 0, edges = 0;
    grown->list[found++] = first;
    grown->visible[first] = 1;
    for (uint32_t done = 0; done < found; done++) {
        const uint32_t facet = grown->list[done];
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t other = hull->beside[facet][i];
            if (grown->visible[other]) {
                continue;
            }
            if (sees(hull, other, point)) {
                grown->visible[other] = 1;
                grown->list[found++] = other;
                continue;
            }
            unsigned back = 0;
            while (hull->corners[other][next_corner[back]] != hull->corners[facet][i] ||
                   hull->beside[other][back] != facet) {
                back++;
                KILN_ASSERT(back < 3);
            }
            grown->edges[edges][0] = other;
            grown->edges[edges][1] = back;
            edges++;
        }
    }
    *visible_count = found;
    *edge_count = edges;
}

/* Replaces what the point sees by a fan. False: it sees nothing, and is inside. */
static bool add_corner(growth *grown, uint32_t index)
{
    kiln_lut_hull *hull = grown->hull;
    const double *point = hull->points[index];
    const uint32_t first = walk_to(grown, point);
    uint32_t visible, edges;
    if (!sees(hull, first, point)) {
        return false;
    }
    look_around(grown, first, point, &visible, &edges);
    if (edges != visible + 2) { /* no disc: a point was given twice */
        return false;
    }
    for (uint32_t i = 0; i < visible; i++) {
        grown->visible[grown->list[i]] = 0;
    }
    for (uint32_t i = visible; i < edges; i++) {
        grown->list[i] = hull->facet_count++;
    }
    for (uint32_t i = 0; i < edges; i++) {
        const uint32_t facet = grown->list[i], other = grown->edges[i][0];
        const unsigned back = grown->edges[i][1];
        /* The edge goes the other way round in the facet beyond. */
        const uint32_t from = hull->corners[other][next_corner[back]];
        hull->corners[facet][0] = from;
        hull->corners[facet][1] = hull->corners[other][back];
        hull->corners[facet][2] = index;
        hull->beside[facet][0] = other;
        hull->beside[other][back] = facet;
        grown->fan[from] = facet;
    }
    for (uint32_t i = 0; i < edges; i++) {
        const uint32_t facet = grown->list[i], after = grown->fan[hull->corners[facet][1]];
        hull->beside[facet][1] = after;
        hull->beside[after][2] = facet;
    }
    grown->last = grown->list[0];
    return true;
}

bool kiln_lut_hull_make(kiln_lut_hull *hull, const double (*points)[3], uint32_t count)
{
    memset(hull, 0, sizeof *hull);
    hull->points = points;
    hull->point_count = count;
    if (count < 4) {
        return false;
    }
    const size_t facets = 2 * (size_t)count;
    growth grown = {.hull = hull};
    hull->corners = malloc(facets * sizeof *hull->corners);
    hull->beside = malloc(facets * sizeof *hull->beside);
    grown.visible = calloc(facets, sizeof *grown.visible);
    grown.list = malloc(facets * sizeof *grown.list);
    grown.fan = malloc(count * sizeof *grown.fan);
    grown.edges = malloc(facets * sizeof *grown.edges);
    uint32_t first[4];
    bool made = hull->corners != NULL && hull->beside != NULL && grown.visible != NULL &&
                grown.list != NULL && grown.fan != NULL && grown.edges != NULL &&
                start_growth(&grown, first);
    for (uint32_t i = 0; i < count && made; i++) {
        const bool is_first = i == first[0] || i == first[1] || i == first[2] || i == first[3];
        made = is_first || add_corner(&grown, i);
    }
    made = made && hull->facet_count == 2 * count - 4;
    free(grown.visible);
    free(grown.list);
    free(grown.fan);
    free(grown.edges);
    if (!made) {
        kiln_lut_hull_free(hull);
    }
    return made;
}

void kiln_lut_hull_free(kiln_lut_hull *hull)
{
    free(hull->corners);
    free(hull->beside);
    hull->corners = NULL;
    hull->beside = NULL;
    hull->facet_count = 0;
}

/* --------------------------------------------------------------------------------- following -- */

/* Where the edge of a facet is in the facet across it. */
static unsigned edge_across(const kiln_lut_hull *hull, uint32_t facet, unsigned edge)
{
    const uint32_t other = hull->beside[facet][edge];
    unsigned back = 0;
    while (hull->corners[other][back] != hull->corners[facet][next_corner[edge]]) {
        back++;
        KILN_ASSERT(back < 3);
    }
    return back;
}

static void meet(kiln_lut_hull *hull, uint32_t facet, unsigned edge, uint32_t other, unsigned back)
{
    hull->beside[facet][edge] = other;
    hull->beside[other][back] = facet;
}

/* Two facets (a, b, c) and (b, a, d) become (a, d, c) and (d, b, c). */
static void flip(kiln_lut_hull *hull, uint32_t facet, unsigned edge)
{
    const uint32_t other = hull->beside[facet][edge];
    const unsigned back = edge_across(hull, facet, edge);
    const unsigned edge1 = next_corner[edge], edge2 = next_corner[edge1];
    const unsigned back1 = next_corner[back], back2 = next_corner[back1];
    const uint32_t a = hull->corners[facet][edge], b = hull->corners[facet][edge1],
                   c = hull->corners[facet][edge2], d = hull->corners[other][back2];
    const uint32_t bc = hull->beside[facet][edge1], ca = hull->beside[facet][edge2],
                   ad = hull->beside[other][back1], db = hull->beside[other][back2];
    const unsigned bc_edge = edge_across(hull, facet, edge1),
                   ca_edge = edge_across(hull, facet, edge2),
                   ad_edge = edge_across(hull, other, back1),
                   db_edge = edge_across(hull, other, back2);
    hull->corners[facet][0] = a;
    hull->corners[facet][1] = d;
    hull->corners[facet][2] = c;
    hull->corners[other][0] = d;
    hull->corners[other][1] = b;
    hull->corners[other][2] = c;
    meet(hull, facet, 0, ad, ad_edge);
    meet(hull, facet, 1, other, 2);
    meet(hull, facet, 2, ca, ca_edge);
    meet(hull, other, 0, db, db_edge);
    meet(hull, other, 1, bc, bc_edge);
}

/* By how much d is beyond the plane of a, b, c, as a share of the square of their facet's area. */
static double beyond(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double normal[3], size = 0.0, height = 0.0;
    for (unsigned j = 0; j < 3; j++) {
        const unsigned k = next_corner[j], l = next_corner[k];
        normal[j] = (b[k] - a[k]) * (c[l] - a[l]) - (b[l] - a[l]) * (c[k] - a[k]);
        size += normal[j] * normal[j];
        height += normal[j] * (d[j] - a[j]);
    }
    return height - 1e-9 * size;
}

/* Is every facet seen counter-clockwise from outside, with the origin behind it? */
static bool goes_round(const kiln_lut_hull *hull)
{
    for (uint32_t f = 0; f < hull->facet_count; f++) {
        const double *a = hull->points[hull->corners[f][0]], *b = hull->points[hull->corners[f][1]],
                     *c = hull->points[hull->corners[f][2]];
        if (!(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  a[2] * (b[0] * c[1] - b[1] * c[0]) >
              0.0)) {
            return false;
        }
    }
    return true;
}

enum { FOLLOW_PASSES = 16 };

bool kiln_lut_hull_follow(kiln_lut_hull *hull)
{
    if (!goes_round(hull)) {
        return false;
    }
    bool flipped = true, ever = false;
    for (unsigned pass = 0; flipped; pass++) {
        flipped = false;
        if (pass == FOLLOW_PASSES) {
            return false;
        }
        for (uint32_t f = 0; f < hull->facet_count; f++) {
            for (unsigned i = 0; i < 3; i++) {
                const uint32_t other = hull->beside[f][i];
                if (other < f) {
                    continue; /* seen from there */
                }
                const unsigned back = edge_across(hull, f, i);
                const uint32_t d = hull->corners[other][next_corner[next_corner[back]]];
                const uint32_t *corners = hull->corners[f];
                if (beyond(hull->points[corners[0]], hull->points[corners[1]],
                           hull->points[corners[2]], hull->points[d]) > 0.0) {
                    flip(hull, f, i);
                    flipped = ever = true;
                }
            }
        }
    }
    return !ever || goes_round(hull);
}

bool kiln_lut_hull_is_convex(kiln_lut_hull *hull)
{
    for (uint32_t f = 0; f < hull->facet_count; f++) {
        for (unsigned i = 0; i < 3; i++) {
            const uint32_t other = hull->beside[f][i];
            const unsigned back = edge_across(hull, f, i);
            const uint32_t d = hull->corners[other][next_corner[next_corner[back]]];
            if (sees(hull, f, hull->points[d])) {
                return false;
            }
        }
    }
    return goes_round(hull);
}
