/* Oriented boxes: kiln_format_node_obb8. */
#include "grid.h"
#include "lane_obb.h"
#include "wide8.h"

#include <math.h>

/* The power of two that brings the greatest half-extent of a node just below 2^15, so that halves
 * resolve the smallest of its boxes as finely as they can, however small the node is in its tree.
 */
static uint8_t choose_half_exp(double greatest)
{
    int e;
    (void)frexp(greatest, &e);
    const int half_exp = 127 + e - 15;
    return (uint8_t)(greatest <= 0 || half_exp < (int)KILN_HALF_EXP_MIN ? (int)KILN_HALF_EXP_MIN
                                                                        : half_exp);
}

/* Half-extents [lane][axis] about the decoded centres. */
static void encode_halves(double half[8][3], unsigned lane_count, kiln_format_node_obb8 *node)
{
    double greatest = 0;
    for (unsigned i = 0; i < lane_count; i++) {
        greatest = fmax(greatest, fmax(half[i][0], fmax(half[i][1], half[i][2])));
    }
    node->head.half_exp = choose_half_exp(greatest);
    for (unsigned i = 0; i < lane_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            node->half[k][i] = kiln_half_above(ldexp(half[i][k], 127 - (int)node->head.half_exp));
        }
    }
}

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    kiln_format_node_obb8 *node = (kiln_format_node_obb8 *)head;
    kiln_lane_obb box[8];
    kiln_grid grid[3];
    double half[8][3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        kiln_lane_obb_measure(cloud, tree, &wide->lane[i], 1, true, &box[i]);
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

const kiln_node_encoder kiln_encode_obb8 = {true, kiln_lane_obb_fit, encode};
