/* Oriented boxes: kiln_format_node_obb8, and kiln_format_node_obb2 in floats, the node of S.
 * Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996. Their boxes lie along the axes of the
 * covariance; these start from the best of a few orientations, which is rotated until that gains
 * nothing.
 *
 * Orientations are chosen first (lane_obb.c) and stored as they are; centres are rounded to the
 * nearest value that the node can hold; half-extents are measured last, about the decoded axes and
 * centres, and rounded up. So only half-extents pay for rounding, and every box holds its corners.
 */
#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "lane_obb.h"
#include "wide8.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------- eight lanes -- */

/* Half-extents [lane][axis] about the decoded centres. */
static void encode_halves(double half[8][3], unsigned lane_count, kiln_format_node_obb8 *node)
{
    double greatest = 0;
    for (unsigned i = 0; i < lane_count; i++) {
        greatest = fmax(greatest, fmax(half[i][0], fmax(half[i][1], half[i][2])));
    }
    node->head.half_exp = kiln_half_exp_of(greatest);
    for (unsigned i = 0; i < lane_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            node->half[k][i] = kiln_half_above(ldexp(half[i][k], 127 - (int)node->head.half_exp));
        }
    }
}

static void encode_obb8(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                        kiln_format_node8 *head)
{
    kiln_format_node_obb8 *node = (kiln_format_node_obb8 *)head;
    kiln_lane_obb box[8];
    kiln_grid grid[3];
    double half[8][3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_lane_obb_measure(cloud, tree, &wide->lane[i], KILN_FINEST_STEP8, true, &box[i]);
    }
    for (unsigned k = 0; k < 3; k++) {
        double lower = INFINITY, upper = -INFINITY;
        for (unsigned i = 0; i < wide->lane_count; i++) {
            lower = fmin(lower, box[i].centre[k]);
            upper = fmax(upper, box[i].centre[k]);
        }
        kiln_grid_choose(lower, upper, &grid[k]);
        head->org[k] = grid[k].org;
        head->exp[k] = grid[k].exp;
    }
    for (unsigned i = 0; i < wide->lane_count; i++) {
        double centre[3];
        for (unsigned k = 0; k < 3; k++) {
            node->rotation[k][i] = (int8_t)box[i].rotation[k];
            node->centre[k][i] = kiln_grid_nearest(&grid[k], box[i].centre[k]);
            centre[k] = kiln_grid_point(&grid[k], node->centre[k][i]);
        }
        for (unsigned k = 0; k < 3; k++) {
            half[i][k] = kiln_lane_obb_half(&box[i], centre, k);
        }
    }
    encode_halves(half, wide->lane_count, node);
}

const kiln_node_encoder kiln_encode_obb8 = {true, kiln_lane_obb_fit, encode_obb8};

/* --------------------------------------------------------------------------------- two lanes -- */

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

static void encode_obb2(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                        kiln_format_node8 *head)
{
    kiln_lane_obb box[2];
    double middle[2][3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_lane_obb_measure(cloud, tree, &wide->lane[i], KILN_FINEST_STEP2, false, &box[i]);
        memcpy(middle[i], box[i].centre, sizeof middle[i]);
    }
    kiln_box2_head(middle, wide->lane_count, head);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        encode_lane(&box[i], i, (kiln_format_node_obb2 *)head);
    }
}

const kiln_node_encoder kiln_encode_obb2 = {true, kiln_lane_obb_fit, encode_obb2};
