/* Oriented boxes in floats: kiln_format_node_obb2, the node of S. Gottschalk, M. Lin and D.
 * Manocha, "OBBTree", 1996. Their boxes lie along the axes of the covariance; these start from
 * the best of a few orientations and are turned until that gains nothing. */
#include "grid.h"
#include "lane_obb.h"
#include "wide8.h"

#include <string.h>

/* Of a step of the lattice on which the search starts: 0.0014 degrees. */
static const float finest_turn = 0x1p-8f;

static void encode_lane(const kiln_lane_obb *box, unsigned lane, kiln_format_node_obb2 *node)
{
    double centre[3];
    for (unsigned k = 0; k < 3; k++) {
        node->centre[k][lane] = kiln_box2_centre(node->head.org[k], box->centre[k]);
        centre[k] = (double)node->head.org[k] + (double)node->centre[k][lane];
        for (unsigned j = 0; j < 3; j++) {
            node->axis[3 * k + j][lane] = box->axis[k][j];
        }
    }
    for (unsigned k = 0; k < 3; k++) {
        node->half[k][lane] = kiln_float_above(kiln_lane_obb_half(box, centre, k));
    }
}

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    kiln_lane_obb box[2];
    double middle[2][3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_lane_obb_measure(cloud, tree, &wide->lane[i], finest_turn, false, &box[i]);
        memcpy(middle[i], box[i].centre, sizeof middle[i]);
    }
    kiln_box2_head(middle, wide->lane_count, head);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        encode_lane(&box[i], i, (kiln_format_node_obb2 *)head);
    }
}

const kiln_node_encoder kiln_encode_obb2 = {true, kiln_lane_obb_fit, encode};
