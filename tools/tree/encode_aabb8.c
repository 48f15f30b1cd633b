/* Boxes along the object axes: kiln_format_node_aabb8. */
#include "grid.h"
#include "wide8.h"

#include <math.h>

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    (void)tree;
    kiln_format_node_aabb8 *node = (kiln_format_node_aabb8 *)head;
    kiln_extents box[8];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_cloud_bounds(cloud, wide->lane[i].first, wide->lane[i].last, &box[i]);
    }
    for (unsigned k = 0; k < 3; k++) {
        kiln_grid grid;
        double lower = INFINITY, upper = -INFINITY;
        for (unsigned i = 0; i < wide->lane_count; i++) {
            lower = fmin(lower, box[i].lower[k]);
            upper = fmax(upper, box[i].upper[k]);
        }
        kiln_grid_choose(lower, upper, &grid);
        head->org[k] = grid.org;
        head->exp[k] = grid.exp;
        for (unsigned i = 0; i < wide->lane_count; i++) {
            node->lower[k][i] = kiln_grid_below(&grid, box[i].lower[k]);
            node->upper[k][i] = kiln_grid_above(&grid, box[i].upper[k]);
        }
    }
}

const kiln_node_encoder kiln_encode_aabb8 = {false, kiln_fit_bounds, encode};
