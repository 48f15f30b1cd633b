/* The oriented box of a lane: its first orientation by a fit, then the search for a better one.
 *
 * The fit is made once for each node on the way up the binary tree, where it decides the cost of
 * the node in the collapse. The search costs much more, and is made only for lanes that are
 * stored. Leaves, which the binary tree has no node for, are fitted here. */
#include "lane_obb.h"

#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "../../formats/nodes.h"
#include "box_fit.h"
#include "first_fit.h"
#include "rotation.h"

#include <math.h>
#include <string.h>

void kiln_lane_obb_fit(const kiln_cloud *cloud, const kiln_range *range,
                       const kiln_measure *measure, kiln_binary_node *node)
{
    kiln_fit fit;
    if (cloud->fits != NULL) {
        kiln_box_fit_node(cloud, range, measure, node);
        return;
    }
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

/* The best orientation that is found, and the extents in it. */
static void find_box(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_range *range,
                     float finest, bool search, kiln_lane_obb *box)
{
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
    } else {
        kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], box->axis);
        kiln_cloud_extents(cloud, range->first, range->last, box->axis, &box->extents);
    }
}

/* The centre is that of the extents in the box's own frame, brought back to node space. */
void kiln_lane_obb_measure(const kiln_cloud *cloud, const kiln_binary *tree,
                           const kiln_range *range, float finest, bool search, kiln_lane_obb *box)
{
    KILN_ASSERT(range->first < range->last);
    if (cloud->fits == NULL) {
        find_box(cloud, tree, range, finest, search, box);
    } else {
        kiln_fitted_box fitted;
        kiln_box_fit_get(cloud, range, &fitted);
        memcpy(box->rotation, fitted.rotation, sizeof box->rotation);
        box->extents = fitted.extents;
    }
    kiln_rodrigues_steps(box->rotation[0], box->rotation[1], box->rotation[2], box->axis);
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
