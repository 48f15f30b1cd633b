/* Boxes along the object axes in floats: kiln_format_node_aabb2, the node of "restricted" and other
 * box trees that the literature builds on. */
#include "box2.h"
#include "wide8.h"

static void fit_node(const kiln_cloud *cloud, const kiln_range *range, const kiln_measure *measure,
                     kiln_binary_node *node)
{
    (void)cloud;
    (void)range;
    node->half_area = (float)kiln_extents_half_area(&measure->bounds);
}

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

static void decode(const kiln_format_node8 *head, unsigned lane, kiln_lane_box *box)
{
    kiln_aabb2_decode_lane((const kiln_format_node_aabb2 *)head, lane, box);
}

kiln_bake_status kiln_build_aabb2(const kiln_build_kind *kind, const kiln_build_input *input,
                                  const kiln_bake_options *options, kiln_build_tree *tree)
{
    static const kiln_wide8_kind aabb2 = {true, false, fit_node, encode, decode};
    return kiln_build_wide8(kind, &aabb2, input, options, tree);
}
