/* Boxes along the object axes in floats: kiln_format_node_aabb2, the node of "restricted" and other
 * box trees that the literature builds on. */
#include "grid.h"
#include "wide8.h"

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
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

const kiln_node_encoder kiln_encode_aabb2 = {false, kiln_fit_bounds, encode};
