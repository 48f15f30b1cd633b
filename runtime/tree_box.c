/* Roots as boxes. */
#include "tree_box.h"

#include <string.h>

void kiln_tree_box_root(const kiln_pair_frame *frame, bool is_x, kiln_tree_box *box)
{
    const kiln_format_tree *entry = (is_x ? frame->x : frame->y)->entry;
    const double unit = ldexp(1.0, -entry->scale_exponent);
    for (int k = 0; k < 3; k++) {
        const double lower = ((double)entry->bounds_lower[k] - entry->origin[k]) * unit;
        const double upper = ((double)entry->bounds_upper[k] - entry->origin[k]) * unit;
        box->centre[k] = (lower + upper) / 2;
        box->half[k] = (float)((upper - lower) / 2) * 1.000001f + 0x1p-40f;
        for (int j = 0; j < 3; j++) {
            box->axis[k][j] = j == k ? 1.0f : 0.0f;
        }
    }
    box->area = kiln_half_area(box->half) * kiln_area_scale(frame, is_x);
    box->first = 0;
    box->count = 0;
}

/* Is `other` clear of `lane` on an axis of it? In doubles, for distances that no float holds; the
 * thousandth is for what the map's matrix and the boxes are off by. */
static bool far_apart(const kiln_node_map *map, const kiln_tree_box *lane,
                      const kiln_tree_box *other)
{
    for (int k = 0; k < 3; k++) {
        const double *row = map->matrix + 3 * k;
        double distance = map->offset[k] - lane->centre[k], reach = (double)lane->half[k];
        for (int j = 0; j < 3; j++) {
            distance += row[j] * other->centre[j];
            reach += fabs(row[j]) * (double)other->half[j];
        }
        if (fabs(distance) - map->slack > 1.001 * reach) {
            return true;
        }
    }
    return false;
}

bool kiln_roots_may_meet(const kiln_pair_frame *frame, const kiln_kernel *kernel,
                         const kiln_tree_box *root_x, const kiln_tree_box *root_y)
{
    const bool in_x = root_x->area >= root_y->area;
    const kiln_tree_box *lane = in_x ? root_x : root_y, *other = in_x ? root_y : root_x;
    const kiln_node_map *map = in_x ? &frame->to_x : &frame->to_y;
    if (far_apart(map, lane, other)) {
        return false;
    }
    const float org[3] = {(float)lane->centre[0], (float)lane->centre[1], (float)lane->centre[2]};
    kiln_lanes lanes;
    kiln_probe probe;
    memset(&lanes, 0, sizeof lanes);
    for (int k = 0; k < 3; k++) {
        lanes.centre[k][0] = (float)(lane->centre[k] - (double)org[k]);
        lanes.half[k][0] = lane->half[k];
    }
    kiln_make_probe(map, other, org, frame->epsilon, &probe);
    return kernel->overlap_aligned(&lanes, &probe, 1u) != 0;
}
