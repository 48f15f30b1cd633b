/* Boxes along the object axes: kiln_format_node_aabb8, and kiln_format_node_aabb2 in floats, the
 * node of "restricted" and other box trees that the literature builds on; and
 * kiln_format_node_octree, the cells of octree.c.
 *
 * Both measure the bounds of each lane's corners. Eight lanes share one grid of bytes, whose steps
 * are rounded outward against the decoder; two lanes have a centre and a half-extent each, where
 * only the half-extent has to give way to rounding. */
#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "octree.h"
#include "wide8.h"

#include <math.h>

/* ------------------------------------------------------------------------------- eight lanes -- */

/* Boxes in the steps of the least grid that holds them. */
static void encode_boxes(const kiln_extents box[8], unsigned count, kiln_format_node8 *head)
{
    kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)head;
    KILN_ASSERT(count >= 1 && count <= KILN_NODE_WIDTH);
    for (unsigned k = 0; k < 3; k++) {
        kiln_grid grid;
        double lower = INFINITY, upper = -INFINITY;
        for (unsigned i = 0; i < count; i++) {
            lower = fmin(lower, box[i].lower[k]);
            upper = fmax(upper, box[i].upper[k]);
        }
        kiln_grid_choose(lower, upper, &grid);
        head->org[k] = grid.org;
        head->exp[k] = grid.exp;
        for (unsigned i = 0; i < count; i++) {
            node->lower[k][i] = kiln_grid_below(&grid, box[i].lower[k]);
            node->upper[k][i] = kiln_grid_above(&grid, box[i].upper[k]);
        }
    }
}

static void encode_aabb8(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                         kiln_format_node8 *head)
{
    (void)tree;
    kiln_extents box[8];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_cloud_bounds(cloud, wide->lane[i].first, wide->lane[i].last, &box[i]);
    }
    encode_boxes(box, wide->lane_count, head);
}

/* The boxes are those of the plan, of parts of triangles. */
static void encode_octree(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                          kiln_format_node8 *head)
{
    (void)tree;
    KILN_ASSERT(cloud->octree != NULL && wide->planned < cloud->octree->count);
    encode_boxes(cloud->octree->nodes[wide->planned].box, wide->lane_count, head);
}

const kiln_node_encoder kiln_encode_octree = {false, kiln_fit_bounds, encode_octree};
const kiln_node_encoder kiln_encode_aabb8 = {false, kiln_fit_bounds, encode_aabb8};

/* --------------------------------------------------------------------------------- two lanes -- */

static void encode_aabb2(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                         kiln_format_node8 *head)
{
    (void)tree;
    kiln_format_node_aabb2 *node = (kiln_format_node_aabb2 *)head;
    kiln_extents box[2];
    double middle[2][3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_cloud_bounds(cloud, wide->lane[i].first, wide->lane[i].last, &box[i]);
        for (unsigned k = 0; k < 3; k++) {
            middle[i][k] = 0.5 * (box[i].lower[k] + box[i].upper[k]);
        }
    }
    kiln_box2_head(middle, wide->lane_count, head);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            node->centre[k][i] = kiln_box2_centre(head->org[k], middle[i][k]);
            const double centre = (double)head->org[k] + (double)node->centre[k][i];
            node->half[k][i] =
                kiln_float_above(kiln_reach_above(centre, box[i].lower[k], box[i].upper[k]));
        }
    }
}

const kiln_node_encoder kiln_encode_aabb2 = {false, kiln_fit_bounds, encode_aabb2};
