/* The corners of a tree's triangles in tree order, and their extents in any frame. */
#ifndef KILN_BUILD_CLOUD_H
#define KILN_BUILD_CLOUD_H

#include "record.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const kiln_record *records;
    kiln_frame frame;
    bool quick; /* spend no time on the last rotation of boxes */
    /* Of trees of balls that a construction of spheres.h planned; else NULL. */
    const struct kiln_spheres *spheres;
    const struct kiln_octree *octree; /* the plan of an octree; else NULL */
    /* The box of an inner node is that of its two sides' boxes, so those are fitted first. */
    bool of_children;
    const struct kiln_box_fits *fits; /* NULL: oriented boxes are fitted by lane_obb.c */
} kiln_cloud;

/* Corners in node space, a few at a time: structure of arrays for the compiler's SIMD. */
enum { KILN_POINTS_MAX = 192, KILN_POINTS_STRIDE = 4 };

typedef struct {
    double at[3][KILN_POINTS_MAX];
    unsigned count; /* rounded up to a multiple of the stride by repeating the last point */
} kiln_points;

/* Loads the corners of triangles [first, last): at most KILN_POINTS_MAX / 3 of them. */
void kiln_points_load(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_points *points);

/* Keeps the first of equal points; quadratic, for few points that will be gone over often. */
void kiln_points_deduplicate(kiln_points *points);

/* A box in a rotated frame: lower_k <= axis_k . p <= upper_k. */
typedef struct {
    double lower[3], upper[3];
} kiln_extents;

/* Extents of the points alone, along each axis. */
void kiln_points_extents(const kiln_points *points, float axis[3][3], kiln_extents *out);

/* The same without the processor's wider instructions; bit for bit the same. */
void kiln_points_extents_plain(const kiln_points *points, float axis[3][3], kiln_extents *out);

/* Extents of the corners of triangles [first, last). */
void kiln_cloud_extents(const kiln_cloud *cloud, uint32_t first, uint32_t last, float axis[3][3],
                        kiln_extents *out);

/* The corners of triangles [first, last) that are extreme along any of `count` directions, at most
 * KILN_POINTS_MAX / 2: of equals the first. */
void kiln_cloud_support(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                        float direction[][3], unsigned count, kiln_points *support);

/* The object-axis box, exact: no product is rounded. */
void kiln_cloud_bounds(const kiln_cloud *cloud, uint32_t first, uint32_t last, kiln_extents *out);

void kiln_extents_clear(kiln_extents *extents);
void kiln_extents_join(kiln_extents *extents, const kiln_extents *other);

/* a b + b c + c a of the half-extents, and a millionth of (a + b + c)^2, so that boxes without a
 * surface, of points along a line, have an order too. */
double kiln_extents_half_area(const kiln_extents *extents);

/* Less by more than the roundings of decoded axes, which are unit only to 2^-23: rotations that
 * change nothing else must not win by them. */
static inline bool kiln_area_beats(double area, double other)
{
    return area < other * (1 - 0x1p-20);
}

#endif
