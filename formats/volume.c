/* Bounding volumes as numbers, and a walk over them.
 *
 * Queries decode eight lanes at once into floats relative to a node and never need a volume as a
 * whole. Here one lane at a time is decoded by the same formulas of nodes.h and placed in node
 * space in double, with the slabs of a k-DOP; nothing depends on the kind but what its row of
 * node_kinds.h says. The walk holds one node a level: a verified tree is at most
 * KILN_TREE_DEPTH_MAX nodes deep, so that the stack is an array of that size. */
#include "volume.h"

#include "vector.h"

#include <math.h>

void kiln_volume_of(const kiln_view_tree *tree, uint32_t node, unsigned lane, uint32_t level,
                    kiln_volume *out)
{
    const kiln_format_node8 *stored = kiln_view_tree_node(tree, node);
    const kiln_dop_set *set = tree->kind->dop;
    kiln_lane_box box;
    KILN_ASSERT((kiln_node8_used(stored) >> lane & 1u) != 0);
    tree->kind->decode_lane(stored, lane, &box);
    kiln_lane_box_place(&box, stored->org, &out->box);
    out->kind = tree->kind;
    out->node = node;
    out->lane = lane;
    out->level = level;
    out->contents = kiln_node8_contents(stored, lane);
    out->slab_count = set != NULL ? set->slabs : 0;
    for (unsigned j = 0; j < out->slab_count; j++) {
        float centre, half;
        kiln_dop_decode_slab(set, stored, lane, j, &centre, &half);
        out->slab[j].centre = (double)centre;
        out->slab[j].half = (double)half;
        for (unsigned k = 0; k < 3; k++) {
            const double along = (double)set->direction[k][3 + j];
            out->slab[j].normal[k] = along;
            out->slab[j].centre += along * (double)stored->org[k];
        }
    }
}

double kiln_volume_beyond(const kiln_volume *volume, const double point[3])
{
    double from[3], worst = -HUGE_VAL;
    kiln_subtract(point, volume->box.centre, from);
    if (volume->kind->balls) {
        return sqrt(kiln_dot(from, from)) - volume->box.half[0];
    }
    for (unsigned k = 0; k < 3; k++) {
        worst = fmax(worst, fabs(kiln_dot(volume->box.axis[k], from)) - volume->box.half[k]);
    }
    for (unsigned j = 0; j < volume->slab_count; j++) {
        const double along = kiln_dot(volume->slab[j].normal, point);
        worst = fmax(worst, fabs(along - volume->slab[j].centre) - volume->slab[j].half);
    }
    return worst;
}

/* Half the extent of a box along a direction. */
static double box_extent_along(const kiln_box *box, const double axis[3])
{
    return (box->half[0] * fabs(kiln_dot(box->axis[0], axis)) +
            box->half[1] * fabs(kiln_dot(box->axis[1], axis))) +
           box->half[2] * fabs(kiln_dot(box->axis[2], axis));
}

/* Fifteen directions (S. Gottschalk, M. Lin and D. Manocha, "OBBTree", 1996). The product of edges
 * that are parallel is 0, along which nothing is parted, so that it needs no case. */
static bool boxes_overlap(const kiln_box *a, const kiln_box *b)
{
    double between[3], axis[3];
    kiln_subtract(b->centre, a->centre, between);
    for (unsigned i = 0; i < 15; i++) {
        if (i < 9) {
            kiln_cross(a->axis[i / 3], b->axis[i % 3], axis);
        } else {
            const double *own = i < 12 ? a->axis[i - 9] : b->axis[i - 12];
            memcpy(axis, own, sizeof axis);
        }
        if (fabs(kiln_dot(between, axis)) > box_extent_along(a, axis) + box_extent_along(b, axis)) {
            return false;
        }
    }
    return true;
}

bool kiln_volumes_overlap(const kiln_volume *a, const kiln_volume *b)
{
    KILN_ASSERT(a->kind == b->kind);
    if (a->kind->balls) {
        double between[3];
        kiln_subtract(b->box.centre, a->box.centre, between);
        return sqrt(kiln_dot(between, between)) <= a->box.half[0] + b->box.half[0];
    }
    for (unsigned j = 0; j < a->slab_count; j++) {
        if (fabs(a->slab[j].centre - b->slab[j].centre) > a->slab[j].half + b->slab[j].half) {
            return false;
        }
    }
    return boxes_overlap(&a->box, &b->box);
}

void kiln_tree_visit_volumes(const kiln_view_tree *tree, kiln_volume_visit visit, void *user)
{
    struct {
        uint32_t node;
        unsigned left; /* bit i: lane i is still to be visited */
    } path[KILN_TREE_DEPTH_MAX];
    uint32_t depth = 0;
    path[depth].node = 0;
    path[depth++].left = kiln_node8_used(kiln_view_tree_node(tree, 0));
    while (depth > 0) {
        kiln_volume volume;
        const unsigned left = path[depth - 1].left;
        if (left == 0) {
            depth--;
            continue;
        }
        const unsigned lane = (unsigned)__builtin_ctz(left);
        path[depth - 1].left &= left - 1;
        kiln_volume_of(tree, path[depth - 1].node, lane, depth, &volume);
        if (visit(user, &volume) && volume.contents.count == 0) {
            KILN_ASSERT(depth < KILN_TREE_DEPTH_MAX);
            path[depth].node = volume.contents.first;
            path[depth++].left = kiln_node8_used(kiln_view_tree_node(tree, volume.contents.first));
        }
    }
}
