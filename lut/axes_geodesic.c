/* Geodesic coverings (axes_geodesic.h), after Hardin and Sloane's tables with icosahedral symmetry,
 * which go to 78,032 points: a triangular lattice on the faces of an icosahedron whose corners are
 * b steps one way and c steps, turned by 60 degrees, the other way apart (Goldberg 1937; Caspar and
 * Klug 1962). The lattice is bent on the sphere so that its steps are about equal, and then
 * improved as any other set, of which a sixtieth of the points moves. */
#include "axes_geodesic.h"

#include "axes_math.h"
#include "axes_optimise.h"

#include "../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ICOSAHEDRAL = KILN_LUT_GROUP_COUNT - 1 };

bool kiln_lut_geodesic_is(uint32_t points, uint32_t *b, uint32_t *c)
{
    if (points < 12 || points > KILN_LUT_GEODESIC_POINTS || (points - 2) % 10 != 0) {
        return false;
    }
    const uint32_t triangles = (points - 2) / 10;
    for (*c = 0; 3 * *c * *c <= triangles; ++*c) {
        for (*b = *c; *b * *b + *b * *c + *c * *c <= triangles; ++*b) {
            if (*b * *b + *b * *c + *c * *c == triangles) {
                return true;
            }
        }
    }
    return false;
}

uint32_t kiln_lut_geodesic_next(uint32_t points)
{
    uint32_t b, c;
    while (points < KILN_LUT_GEODESIC_POINTS && !kiln_lut_geodesic_is(points, &b, &c)) {
        points++;
    }
    return points;
}

/* The corners of a face: a corner of the icosahedron and two that are next to it and each other. */
static void face_corners(const kiln_lut_group *group, double corners[3][3])
{
    uint32_t orbit = 0, found = 1;
    while (group->orbit_size[orbit] != 12) {
        orbit++;
    }
    memcpy(corners[0], group->orbit[orbit][0], sizeof corners[0]);
    for (uint32_t i = 1; i < 12 && found < 3; i++) {
        const double *corner = group->orbit[orbit][i];
        bool is_next = true; /* to all found so far: the cosine between neighbours is 0.447 */
        for (uint32_t k = 0; k < found; k++) {
            const double cosine =
                corner[0] * corners[k][0] + corner[1] * corners[k][1] + corner[2] * corners[k][2];
            is_next = is_next && cosine > 0.4;
        }
        if (is_next) {
            memcpy(corners[found++], corner, sizeof corners[0]);
        }
    }
    KILN_ASSERT(found == 3);
    /* Counter-clockwise or not: (b, c) and (c, b) are mirror images with the same radius. */
}

/* The image of a point that is furthest along a direction in general position. Points of one orbit
 * have the same, but for roundings. */
static void canonical_image(const kiln_lut_group *group, const double point[3], double image[3])
{
    static const double along[3] = {0.5377, 0.7213, 0.4361};
    double most = -2.0;
    for (uint32_t e = 0; e < group->order; e++) {
        double turned[3];
        kiln_lut_turn_point(turned, &group->elements[e], point);
        const double height = along[0] * turned[0] + along[1] * turned[1] + along[2] * turned[2];
        if (height > most) {
            most = height;
            memcpy(image, turned, sizeof turned);
        }
    }
}

static int compare_points(const void *a, const void *b)
{
    const double *of = a, *than = b;
    for (unsigned j = 0; j < 3; j++) {
        if (fabs(of[j] - than[j]) > 1e-9) {
            return of[j] < than[j] ? -1 : 1;
        }
    }
    return 0;
}

/* A point of the lattice by its shares of the corners, which add up to 1: each corner counts by the
 * sine of its share of the edge's angle, so that edges have equal steps. */
static void bend(double corners[3][3], const double share[3], double point[3])
{
    const double edge = 0x1.1b6e192ebbe44p+0; /* the angle between neighbours, acos(1 / sqrt 5) */
    for (unsigned j = 0; j < 3; j++) {
        point[j] = 0.0;
        for (unsigned k = 0; k < 3; k++) {
            point[j] += kiln_lut_sine(share[k] * edge) * corners[k][j];
        }
    }
    kiln_lut_to_sphere(point);
}

/* The orbit of an axis of rotation that a point is on; the number of orbits: it is on none. */
static uint32_t orbit_of(const kiln_lut_group *group, const double point[3])
{
    for (uint32_t k = 0; k < group->orbit_count; k++) {
        for (uint32_t i = 0; i < group->orbit_size[k]; i++) {
            if (compare_points(group->orbit[k][i], point) == 0) {
                return k;
            }
        }
    }
    return group->orbit_count;
}

/* The first points of all orbits: of a face, each orbit once. Returns their number, and the orbits
 * on axes as bits. */
static uint32_t lattice_orbits(const kiln_lut_group *group, uint32_t b, uint32_t c,
                               double (*first)[3], uint32_t most, uint32_t *orbits)
{
    const int64_t triangles = (int64_t)b * b + (int64_t)b * c + (int64_t)c * c;
    double corners[3][3];
    uint32_t count = 0;
    *orbits = 0;
    face_corners(group, corners);
    /* The lattice point (i, j) divided by (b, c), as numbers i + j w with w^2 = w - 1. */
    for (int64_t i = -(int64_t)c; i <= (int64_t)b; i++) {
        for (int64_t j = 0; j <= (int64_t)(b + c); j++) {
            const int64_t s = i * (b + c) + j * c, t = j * b - i * c;
            if (s < 0 || t < 0 || s + t > triangles) {
                continue;
            }
            const double share[3] = {(double)(triangles - s - t) / (double)triangles,
                                     (double)s / (double)triangles, (double)t / (double)triangles};
            double point[3];
            bend(corners, share, point);
            const uint32_t orbit = orbit_of(group, point);
            if (orbit < group->orbit_count) {
                *orbits |= 1u << orbit;
                continue;
            }
            KILN_ASSERT(count < most);
            canonical_image(group, point, first[count++]);
        }
    }
    qsort(first, count, sizeof *first, compare_points);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || compare_points(first[kept - 1], first[i]) != 0) {
            memcpy(first[kept], first[i], sizeof *first);
            kiln_lut_to_sphere(first[kept++]);
        }
    }
    return kept;
}

bool kiln_lut_geodesic_make(uint32_t b, uint32_t c, uint32_t steps, kiln_lut_recipe *recipe)
{
    const uint32_t triangles = b * b + b * c + c * c, most = triangles + 3 * (b + c) + 3;
    kiln_lut_group *group = malloc(sizeof *group);
    double(*first)[3] = malloc(most * sizeof *first);
    double(*staying)[3] = malloc(62 * sizeof *staying);
    bool done = group != NULL && first != NULL && staying != NULL;
    if (done) {
        kiln_lut_group_make(group, ICOSAHEDRAL, false);
        *recipe = (kiln_lut_recipe){
            .points = 10 * triangles + 2, .group = ICOSAHEDRAL, .first = (const double(*)[3])first};
        recipe->moving = lattice_orbits(group, b, c, first, most, &recipe->orbits);
        kiln_lut_orbits orbits = {group, recipe->moving, 0, recipe->first,
                                  (const double(*)[3])staying};
        for (uint32_t k = 0; k < group->orbit_count; k++) {
            if ((recipe->orbits >> k & 1) != 0) {
                memcpy(staying + orbits.fixed, group->orbit[k],
                       group->orbit_size[k] * sizeof *staying);
                orbits.fixed += group->orbit_size[k];
            }
        }
        done = kiln_lut_orbits_count(&orbits) == recipe->points;
        const kiln_lut_ascent ascent = {steps, 0.2, 1e-3, 10.0, 1000.0, true};
        double cosine;
        done = done && (recipe->moving == 0 || steps == 0 ||
                        kiln_lut_orbits_improve(&orbits, first, &ascent, &cosine));
    }
    free(group);
    free(staying);
    if (!done) {
        free(first);
        recipe->first = NULL;
    }
    return done;
}
