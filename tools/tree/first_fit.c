/* The first fit of an oriented box, where the search begins: of a few orientations the one whose
 * box has the least surface: the object axes, the axes of the area-weighted covariance (S.
 * Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996), and for few triangles frames made of a
 * face's normal and one of its edges, among which small pieces of machined shapes find their exact
 * box. All are judged as they will be stored, quantised. */
#include "first_fit.h"

#include "../../formats/assert.h"
#include "../../formats/nodes.h"
#include "../../formats/vector.h"
#include "rotation.h"

#include <math.h>
#include <string.h>

enum {
    EDGE_TRIANGLES = 32, /* more triangles than this are no longer shaped like one of theirs */
    EDGE_FACES = 2       /* so many of the largest lend their edges */
};

typedef struct {
    const kiln_cloud *cloud;
    uint32_t first, last;
    const kiln_points *points; /* all corners, or NULL when they are too many */
    kiln_fit *best;
} frame_search;

/* Takes the orientation nearest to these axes if its box has less surface than the best so far. */
static void try_axes(const frame_search *s, double axis[3][3])
{
    KILN_ASSERT(s->first < s->last);
    int8_t rotation[3];
    float decoded[3][3];
    kiln_extents extents;
    kiln_rotation_quantise(axis, rotation);
    if (memcmp(rotation, s->best->rotation, sizeof rotation) == 0) {
        return;
    }
    kiln_rodrigues_axes(rotation[0], rotation[1], rotation[2], decoded);
    if (s->points != NULL) {
        kiln_points_extents(s->points, decoded, &extents);
    } else {
        kiln_cloud_extents(s->cloud, s->first, s->last, decoded, &extents);
    }
    const double area = kiln_extents_half_area(&extents);
    if (kiln_area_beats(area, s->best->half_area)) {
        s->best->half_area = area;
        memcpy(s->best->rotation, rotation, sizeof rotation);
    }
}

/* Scaled by its largest component first, whose square always exists. False for zero. */
static int make_unit(double v[3])
{
    const double largest = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
    if (!(largest >= 0x1p-1000)) {
        return 0;
    }
    for (unsigned k = 0; k < 3; k++) {
        v[k] /= largest;
    }
    const double length = sqrt(kiln_dot(v, v));
    for (unsigned k = 0; k < 3; k++) {
        v[k] /= length;
    }
    return 1;
}

static void edge_of(const kiln_points *points, unsigned triangle, unsigned edge, double out[3])
{
    KILN_ASSERT(triangle < KILN_POINTS_MAX / 3 && edge < 3);
    const unsigned from = 3 * triangle + edge, to = 3 * triangle + (edge + 1) % 3;
    for (unsigned k = 0; k < 3; k++) {
        out[k] = points->at[k][to] - points->at[k][from];
    }
}

/* Frames of a face's normal and each of its edges. */
static void try_edges(const frame_search *s, unsigned triangle)
{
    KILN_ASSERT(s->points != NULL);
    double axis[3][3], u[3], v[3];
    edge_of(s->points, triangle, 0, u);
    edge_of(s->points, triangle, 1, v);
    if (!make_unit(u) || !make_unit(v)) {
        return;
    }
    kiln_cross(u, v, axis[2]);
    if (!make_unit(axis[2])) {
        return;
    }
    for (unsigned edge = 0; edge < 3; edge++) {
        edge_of(s->points, triangle, edge, axis[0]);
        if (make_unit(axis[0])) {
            kiln_cross(axis[2], axis[0], axis[1]);
            try_axes(s, axis);
        }
    }
}

/* The object axes come first: they cost nothing and win where a mesh is built along them. */
void kiln_fit_obb(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                  const kiln_extents *bounds, const kiln_moments *moments, kiln_fit *fit)
{
    KILN_ASSERT(first < last);
    const int small = last - first <= EDGE_TRIANGLES;
    kiln_points points;
    double axis[3][3];
    frame_search s = {cloud, first, last, small ? &points : NULL, fit};
    *fit = (kiln_fit){{0, 0, 0}, kiln_extents_half_area(bounds)};
    if (small) {
        kiln_points_load(cloud, first, last, &points);
    }
    kiln_moments_axes(moments, axis);
    try_axes(&s, axis);
    if (small) {
        /* The frames of the EDGE_FACES largest triangles; of equals, the first. */
        const unsigned count = s.last - s.first;
        double area[EDGE_TRIANGLES];
        for (unsigned i = 0; i < count; i++) {
            /* Square of twice the area. */
            double u[3], v[3], normal[3];
            edge_of(s.points, i, 0, u);
            edge_of(s.points, i, 1, v);
            kiln_cross(u, v, normal);
            area[i] = kiln_dot(normal, normal);
        }
        for (unsigned face = 0; face < EDGE_FACES && face < count; face++) {
            unsigned largest = 0;
            for (unsigned i = 1; i < count; i++) {
                largest = area[i] > area[largest] ? i : largest;
            }
            try_edges(&s, largest);
            area[largest] = -1;
        }
    }
}
