/* The convex hull of points on the unit sphere, which is their Delaunay triangulation on it: its
 * facets say how far a direction may be from the nearest point. */
#ifndef KILN_LUT_AXES_HULL_H
#define KILN_LUT_AXES_HULL_H

#include <stdbool.h>
#include <stdint.h>

/* Coordinates are multiples of this: exact decisions are then those of whole numbers. */
#define KILN_LUT_AXES_GRID 0x1p-53

/* Facets are triangles, counter-clockwise from outside; where more than three points lie in a plane
 * several facets do. */
typedef struct {
    const double (*points)[3]; /* the caller's */
    uint32_t point_count;
    uint32_t facet_count;     /* 2 point_count - 4 */
    uint32_t (*corners)[3];   /* of each facet */
    uint32_t (*beside)[3];    /* the facet across the edge from corner i to corner i + 1 */
    uint64_t exact_decisions; /* how many took whole numbers */
} kiln_lut_hull;

/* The hull of 4 or more points [count]. Every decision is exact. False: out of memory, or a point
 * is no corner of the hull, as where two coincide or all lie in a plane. Time O(n^1.5) for points
 * in any order, O(n) where neighbours follow each other. */
bool kiln_lut_hull_make(kiln_lut_hull *hull, const double (*points)[3], uint32_t count);
void kiln_lut_hull_free(kiln_lut_hull *hull);

/* Turns the hull of points that have moved a little since into one of where they are, but for edges
 * whose two facets are almost in a plane. False: that takes a new one. */
bool kiln_lut_hull_follow(kiln_lut_hull *hull);

/* Is the hull one: is no point beyond the plane of a facet's neighbour, exactly? A closed surface
 * that is convex at each edge, and goes once around, is convex. */
bool kiln_lut_hull_is_convex(kiln_lut_hull *hull);

/* The sign of (b - a) x (c - a) . (d - a), exactly: positive where d is beyond the plane of a, b,
 * c. Coordinates are multiples of the grid, in [-1, 1]. */
int kiln_lut_side_of_plane(const double a[3], const double b[3], const double c[3],
                           const double d[3]);

#endif
