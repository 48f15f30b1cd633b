/* 14-DOPs: kiln_format_node_dop14, after J. Klosowski, M. Held, J. Mitchell, H. Sowizral and K.
 * Zikan, "Efficient collision detection using bounding volume hierarchies of k-DOPs", 1998.
 *
 * The tree is that of boxes along the axes, and so are the boxes of its nodes. What is added are
 * slabs along the four diagonals, tight about the corners of a lane's triangles. Their values
 * are rounded outward against what nodes.h decodes, whose floats are the volume's definition, so
 * that rounding there needs no room here. */
#include "../../formats/assert.h"
#include "wide8.h"

#include <math.h>

/* Least and greatest x +- y +- z of a lane's corners less org, and the sum of magnitudes. */
typedef struct {
    double lower[KILN_DOP14_DIAGONALS], upper[KILN_DOP14_DIAGONALS], size;
} diagonals;

static void measure_diagonals(const kiln_cloud *cloud, const kiln_range *lane, const float org[3],
                              diagonals *out)
{
    enum { SOME = KILN_POINTS_MAX / 3 };
    kiln_points points;
    out->size = 0;
    for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
        out->lower[j] = INFINITY;
        out->upper[j] = -INFINITY;
    }
    for (uint32_t first = lane->first; first < lane->last; first += SOME) {
        const uint32_t last = lane->last - first < SOME ? lane->last : first + SOME;
        kiln_points_load(cloud, first, last, &points);
        for (unsigned i = 0; i < points.count; i++) {
            const double x = points.at[0][i] - (double)org[0];
            const double y = points.at[1][i] - (double)org[1];
            const double z = points.at[2][i] - (double)org[2];
            out->size = fmax(out->size, (fabs(x) + fabs(y)) + fabs(z));
            for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
                const double along =
                    (x + (double)kiln_dop14_y(j) * y) + (double)kiln_dop14_z(j) * z;
                out->lower[j] = fmin(out->lower[j], along);
                out->upper[j] = fmax(out->upper[j], along);
            }
        }
    }
}

/* The tightest slab that holds [lower, upper], both off by at most `error`, and a slab one step
 * wider where rounding says so. There is always one: see kiln_dop14_diagonals. */
static void encode_slab(kiln_format_node_dop14 *node, unsigned lane, unsigned j, double lower,
                        double upper, double error)
{
    const kiln_dop14_diagonals grid = kiln_dop14_diagonals_of(&node->box.head);
    const double start = (double)grid.start[j], step = (double)grid.step;
    int low = (int)fmax(0, fmin(255, floor((lower - start) / step)));
    int high = (int)fmax(low, fmin(255, ceil((upper - start) / step)));
    for (;;) {
        float centre, half;
        node->lower[j][lane] = (uint8_t)low;
        node->upper[j][lane] = (uint8_t)high;
        kiln_dop14_decode_slab(node, lane, j, &centre, &half);
        const bool below = (double)centre - (double)half <= lower - error;
        const bool above = (double)centre + (double)half >= upper + error;
        if (below && above) {
            return;
        }
        KILN_ASSERT((below || low > 0) && (above || high < 255));
        low -= !below && low > 0;
        high += !above && high < 255;
    }
}

static void encode(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *head)
{
    kiln_format_node_dop14 *node = (kiln_format_node_dop14 *)head;
    KILN_ASSERT(wide->lane_count >= 1 && wide->lane_count <= KILN_NODE_WIDTH);
    kiln_encode_aabb8.encode(cloud, tree, wide, head);
    for (unsigned i = 0; i < wide->lane_count; i++) {
        diagonals d;
        measure_diagonals(cloud, &wide->lane[i], head->org, &d);
        for (unsigned j = 0; j < KILN_DOP14_DIAGONALS; j++) {
            encode_slab(node, i, j, d.lower[j], d.upper[j], 0x1p-50 * d.size);
        }
    }
}

const kiln_node_encoder kiln_encode_dop14 = {false, kiln_fit_bounds, encode};
