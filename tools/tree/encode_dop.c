/* k-DOPs: kiln_format_node_dop6 to _dop26, after J. Klosowski, M. Held, J. Mitchell, H. Sowizral
 * and K. Zikan, "Efficient collision detection using bounding volume hierarchies of k-DOPs", 1998.
 *
 * The tree is that of boxes along the axes, and so are the boxes of its nodes. What is added are
 * slabs along the diagonals of the kind, tight about the corners of a lane's triangles. Their
 * values are rounded outward against what nodes.h decodes, whose floats are the volume's
 * definition, so that rounding there needs no room here. One encoder serves all kinds: they differ
 * by their set of directions alone. */
#include "../../formats/assert.h"
#include "../../formats/grid.h"
#include "wide8.h"

#include <math.h>

/* Least and greatest d . (p - org) over a lane's corners for each diagonal d, and the greatest sum
 * of magnitudes of what it adds up. Coordinates that d leaves out do not count: where the others
 * are flat, all values of a byte lie within the rounding of a coordinate of size 1. */
typedef struct {
    double lower[KILN_DOP_SLABS_MAX], upper[KILN_DOP_SLABS_MAX], size[KILN_DOP_SLABS_MAX];
} lane_slabs;

static void measure_slabs(const kiln_dop_set *set, const kiln_cloud *cloud, const kiln_range *lane,
                          const float org[3], lane_slabs *out)
{
    enum { SOME = KILN_POINTS_MAX / 3 };
    kiln_points points;
    for (unsigned j = 0; j < set->slabs; j++) {
        out->size[j] = 0;
        out->lower[j] = INFINITY;
        out->upper[j] = -INFINITY;
    }
    for (uint32_t first = lane->first; first < lane->last; first += SOME) {
        const uint32_t last = lane->last - first < SOME ? lane->last : first + SOME;
        kiln_points_load(cloud, first, last, &points);
        for (unsigned i = 0; i < points.count; i++) {
            for (unsigned j = 0; j < set->slabs; j++) {
                double part[3];
                for (unsigned k = 0; k < 3; k++) {
                    part[k] = (double)set->direction[k][3 + j] * (points.at[k][i] - (double)org[k]);
                }
                const double along = (part[0] + part[1]) + part[2];
                const double size = (fabs(part[0]) + fabs(part[1])) + fabs(part[2]);
                out->lower[j] = fmin(out->lower[j], along);
                out->upper[j] = fmax(out->upper[j], along);
                out->size[j] = fmax(out->size[j], size);
            }
        }
    }
}

static void encode(const kiln_dop_set *set, const kiln_cloud *cloud, const kiln_binary *tree,
                   const kiln_wide *wide, kiln_format_node8 *node)
{
    KILN_ASSERT(wide->lane_count >= 1 && wide->lane_count <= KILN_NODE_WIDTH);
    kiln_encode_aabb8.encode(cloud, tree, wide, node);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        lane_slabs d;
        measure_slabs(set, cloud, &wide->lane[i], node->org, &d);
        for (unsigned j = 0; j < set->slabs; j++) {
            kiln_dop_write_slab(set, node, i, j, d.lower[j], d.upper[j], 0x1p-50 * d.size[j]);
        }
    }
}

#define DOP_ENCODER(kind)                                                                          \
    static void encode_##kind(const kiln_cloud *cloud, const kiln_binary *tree,                    \
                              const kiln_wide *wide, kiln_format_node8 *node)                      \
    {                                                                                              \
        encode(&kiln_##kind##_set, cloud, tree, wide, node);                                       \
    }                                                                                              \
    const kiln_node_encoder kiln_encode_##kind = {false, kiln_fit_bounds, encode_##kind};
DOP_ENCODER(dop6)
DOP_ENCODER(dop14)
DOP_ENCODER(dop18)
DOP_ENCODER(dop24)
DOP_ENCODER(dop26)
