/* Oriented boxes: kiln_format_node_obb8. */
#include "fit_obb.h"
#include "grid.h"
#include "refine_obb.h"
#include "wide8.h"

#include <math.h>
#include <string.h>

static void fit_node(const kiln_cloud *cloud, const kiln_range *range, const kiln_measure *measure,
                     kiln_binary_node *node)
{
    kiln_fit fit;
    kiln_fit_obb(cloud, range->first, range->last, &measure->bounds, &measure->moments, &fit);
    node->half_area = (float)fit.half_area;
    memcpy(node->rotation, fit.rotation, sizeof node->rotation);
}

/* A lane's box with its rotation decoded, still unquantised otherwise. */
typedef struct {
    int8_t rotation[3];
    float axis[3][3];
    kiln_extents extents;
    double centre[3];
} lane_box;

/* Inner nodes have their rotation from the fit; leaves are fitted here, once. */
static void choose_rotation(const kiln_cloud *cloud, const kiln_binary *tree,
                            const kiln_range *range, int8_t rotation[3])
{
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

static void measure_lane(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_range *range,
                         lane_box *box)
{
    choose_rotation(cloud, tree, range, box->rotation);
    kiln_refine_obb(cloud, range->first, range->last, box->rotation, &box->extents);
    kiln_rodrigues_axes(box->rotation[0], box->rotation[1], box->rotation[2], box->axis);
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
 * make at most 5 roundings of 2^-53 (|p|_1 + |c|_1), and as much again for whoever checks in
 * double. */
static double margin(const lane_box *box, const double centre[3])
{
    const int8_t *r = box->rotation;
    if (r[0] == 0 && r[1] == 0 && r[2] == 0) {
        return 0;
    }
    return 0x1p-46 * (3 + ((fabs(centre[0]) + fabs(centre[1])) + fabs(centre[2])));
}

/* The least double not below a - b, by the exact error of the difference (O. Moller and D. E.
 * Knuth): boxes whose halves are short numbers keep them. */
static double difference_above(double a, double b)
{
    const double d = a - b, b_part = a - d, a_part = d + b_part;
    const double error = (a - a_part) + (b_part - b);
    return error > 0 ? nextafter(d, INFINITY) : d;
}

/* Half-extents about the centre as it is decoded. */
static void encode_half(const lane_box *box, const double centre[3], unsigned lane,
                        kiln_format_node_obb8 *node)
{
    const double extra = margin(box, centre);
    for (unsigned k = 0; k < 3; k++) {
        const float *a = box->axis[k];
        const double at =
            ((double)a[0] * centre[0] + (double)a[1] * centre[1]) + (double)a[2] * centre[2];
        const double reach = fmax(difference_above(box->extents.upper[k], at),
                                  difference_above(at, box->extents.lower[k]));
        node->half[k][lane] = kiln_half_above(reach + extra);
    }
}

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    kiln_format_node_obb8 *node = (kiln_format_node_obb8 *)head;
    lane_box box[8];
    kiln_grid grid[3];
    for (unsigned i = 0; i < wide->lane_count; i++) {
        measure_lane(cloud, tree, &wide->lane[i], &box[i]);
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
            node->rotation[k][i] = box[i].rotation[k];
            node->centre[k][i] = kiln_grid_nearest(&grid[k], box[i].centre[k]);
            centre[k] = kiln_grid_point(&grid[k], node->centre[k][i]);
        }
        encode_half(&box[i], centre, i, node);
    }
}

static void decode(const kiln_format_node8 *head, unsigned lane, kiln_lane_box *box)
{
    kiln_obb8_decode_lane((const kiln_format_node_obb8 *)head, lane, box);
}

kiln_bake_status kiln_build_obb8(const kiln_build_kind *kind, const kiln_build_input *input,
                                 const kiln_bake_options *options, kiln_build_tree *tree)
{
    static const kiln_wide8_kind obb8 = {true, fit_node, encode, decode};
    return kiln_build_wide8(kind, &obb8, input, options, tree);
}
