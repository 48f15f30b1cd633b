/* The oriented box of a lane: its first orientation by a fit, then the search for a better one.
 *
 * The fit is made once for each node on the way up the binary tree, where it decides the cost of
 * the node in the collapse. The search costs much more, and is made only for lanes that are
 * stored. Leaves, which the binary tree has no node for, are fitted here. */
#include "lane_obb.h"

#include "../../formats/assert.h"
#include "../../formats/nodes.h"
#include "../../formats/vector.h"
#include "grid.h"
#include "rotation.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------------------------------- fit -- */

/* Of a few orientations the one whose box has the least surface: the object axes, the axes of the
 * area-weighted covariance (S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996), and for few
 * triangles frames made of a face's normal and one of its edges, among which small pieces of
 * machined shapes find their exact box. All are judged as they will be stored, quantised. */

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

/* ---------------------------------------------------------------------------- box of a lane -- */

void kiln_lane_obb_fit(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node)
{
    kiln_fit fit;
    kiln_fit_obb(cloud, range->first, range->last, &measure->bounds, &measure->moments, &fit);
    node->half_area = (float)fit.half_area;
    memcpy(node->rotation, fit.rotation, sizeof node->rotation);
}

/* Inner nodes have their rotation from the fit; leaves are fitted here, once. */
static void choose_rotation(const kiln_cloud *cloud, const kiln_binary *tree,
                            const kiln_range *range, int8_t rotation[3])
{
    KILN_ASSERT(range->first < range->last);
    if (!kiln_is_leaf(tree, range)) {
        memcpy(rotation, tree->nodes[range->split].rotation, 3);
        return;
    }
    kiln_measure measure;
    kiln_fit fit;
    kiln_measure_triangles(cloud, range->first, range->last, true, &measure);
    kiln_fit_obb(cloud, range->first, range->last, &measure.bounds, &measure.moments, &fit);
    memcpy(rotation, fit.rotation, 3);
}

/* The centre is that of the extents in the box's own frame, brought back to node space. */
void kiln_lane_obb_measure(const kiln_cloud *cloud, const kiln_binary *tree,
                           const kiln_range *range, float finest, bool search, kiln_lane_obb *box)
{
    KILN_ASSERT(range->first < range->last);
    KILN_ASSERT(finest > 0 && finest <= 1);
    int8_t rotation[3];
    choose_rotation(cloud, tree, range, rotation);
    for (unsigned k = 0; k < 3; k++) {
        box->rotation[k] = (float)rotation[k];
    }
    if (search && !cloud->quick && !kiln_is_leaf(tree, range)) {
        kiln_search_obb(cloud, range->first, range->last, box->rotation);
    }
    if (!cloud->quick) {
        kiln_refine_obb(cloud, range->first, range->last, finest, box->rotation, &box->extents);
    }
    kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], box->axis);
    if (cloud->quick) {
        kiln_cloud_extents(cloud, range->first, range->last, box->axis, &box->extents);
    }
    for (unsigned k = 0; k < 3; k++) {
        box->centre[k] = 0;
        for (unsigned j = 0; j < 3; j++) {
            const double middle = 0.5 * (box->extents.lower[j] + box->extents.upper[j]);
            box->centre[k] += middle * (double)box->axis[j][k];
        }
    }
}

/* How far computed products may be from a . p and a . c. Nothing where the axes are the object's,
 * so that flat stays flat. Else, with |a_i| <= 1 and |p_i| <= 1, three products and two sums each
 * make at most 5 roundings of 2^-53 (|p|_1 + |c|_1), and as much again for a checker that computes
 * in double. */
static double margin(const kiln_lane_obb *box, const double centre[3])
{
    const float *r = box->rotation;
    if (r[0] == 0 && r[1] == 0 && r[2] == 0) {
        return 0;
    }
    return 0x1p-46 * (3 + ((fabs(centre[0]) + fabs(centre[1])) + fabs(centre[2])));
}

double kiln_lane_obb_half(const kiln_lane_obb *box, const double centre[3], unsigned k)
{
    KILN_ASSERT(k < 3 && box->extents.lower[k] <= box->extents.upper[k]);
    const float *a = box->axis[k];
    const double at =
        ((double)a[0] * centre[0] + (double)a[1] * centre[1]) + (double)a[2] * centre[2];
    return kiln_reach_above(at, box->extents.lower[k], box->extents.upper[k]) + margin(box, centre);
}
