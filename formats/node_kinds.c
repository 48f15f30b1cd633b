/* Rows: the kinds of nodes of format 1.0. */
#include "node_kinds.h"

enum { HALF_INFINITY = 0x7C00 }; /* and above: infinities, NaN, negative numbers */

static const kiln_format_node_obb8 *as_obb8(const kiln_format_node8 *node)
{
    return (const kiln_format_node_obb8 *)(const void *)node;
}

static bool obb8_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_obb8 *n = as_obb8(node);
    return n->head.half_exp >= KILN_HALF_EXP_MIN && n->head.half_exp <= KILN_HALF_EXP_MAX &&
           n->rotation[0][lane] != -128 && n->rotation[1][lane] != -128 &&
           n->rotation[2][lane] != -128 && n->half[0][lane] < HALF_INFINITY &&
           n->half[1][lane] < HALF_INFINITY && n->half[2][lane] < HALF_INFINITY;
}

static void obb8_decode(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_obb8_decode(as_obb8(node), lanes);
}

static void obb8_decode_lane(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box)
{
    kiln_obb8_decode_lane(as_obb8(node), lane, box);
}

static const kiln_format_node_aabb8 *as_aabb8(const kiln_format_node8 *node)
{
    return (const kiln_format_node_aabb8 *)(const void *)node;
}

static bool aabb8_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_aabb8 *n = as_aabb8(node);
    return n->lower[0][lane] <= n->upper[0][lane] && n->lower[1][lane] <= n->upper[1][lane] &&
           n->lower[2][lane] <= n->upper[2][lane];
}

static void aabb8_decode(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_aabb8_decode(as_aabb8(node), lanes);
}

static void aabb8_decode_lane(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box)
{
    kiln_aabb8_decode_lane(as_aabb8(node), lane, box);
}

/* ----------------------------------------------------------------------------- binary nodes -- */

enum { BINARY_LANES = 2 };

static bool row_is_within(const float row[3], float most)
{
    return row[0] >= -most && row[0] <= most && row[1] >= -most && row[1] <= most &&
           row[2] >= -most && row[2] <= most;
}

/* Centre and half-extents. Node space is [-1, 1]; what is larger comes from no baker. */
static bool box2_is_sound(const float centre[3][2], const float half[3][2], unsigned lane)
{
    const float most = 1024.0f;
    const float c[3] = {centre[0][lane], centre[1][lane], centre[2][lane]};
    const float h[3] = {half[0][lane], half[1][lane], half[2][lane]};
    return row_is_within(c, most) && row_is_within(h, most) && h[0] >= 0.0f && h[1] >= 0.0f &&
           h[2] >= 0.0f;
}

/* The axes as a matrix R: no entry of R R^T - I is larger than 2^-19 = 32 u, u = 2^-24. The kernels'
 * proofs need entries within 8 u of a rotation's, which make of it at most 28 u. */
static bool axes2_are_sound(const float axis[9][2], unsigned lane)
{
    float a[3][3];
    for (unsigned k = 0; k < 9; k++) {
        a[k / 3][k % 3] = axis[k][lane];
    }
    for (unsigned k = 0; k < 3; k++) {
        if (!row_is_within(a[k], 2.0f)) {
            return false;
        }
        for (unsigned j = 0; j <= k; j++) {
            const float dot = (a[k][0] * a[j][0] + a[k][1] * a[j][1]) + a[k][2] * a[j][2];
            const float departure = dot - (j == k ? 1.0f : 0.0f);
            if (!(departure >= -0x1p-19f && departure <= 0x1p-19f)) {
                return false;
            }
        }
    }
    return true;
}

static const kiln_format_node_obb2 *as_obb2(const kiln_format_node8 *node)
{
    return (const kiln_format_node_obb2 *)(const void *)node;
}

static bool obb2_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_obb2 *n = as_obb2(node);
    return axes2_are_sound(n->axis, lane) && box2_is_sound(n->centre, n->half, lane);
}

static bool obb2_reserved_is_zero(const kiln_format_node8 *node)
{
    return node->half_exp == 0 && as_obb2(node)->reserved[0] == 0 &&
           as_obb2(node)->reserved[1] == 0;
}

static void obb2_decode(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_obb2_decode(as_obb2(node), lanes);
}

static void obb2_decode_lane(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box)
{
    kiln_obb2_decode_lane(as_obb2(node), lane, box);
}

static const kiln_format_node_aabb2 *as_aabb2(const kiln_format_node8 *node)
{
    return (const kiln_format_node_aabb2 *)(const void *)node;
}

static bool aabb2_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    return box2_is_sound(as_aabb2(node)->centre, as_aabb2(node)->half, lane);
}

static void aabb2_decode(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_aabb2_decode(as_aabb2(node), lanes);
}

static void aabb2_decode_lane(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box)
{
    kiln_aabb2_decode_lane(as_aabb2(node), lane, box);
}

/* ------------------------------------------------------------------------------------ table -- */

static bool nothing_reserved(const kiln_format_node8 *node)
{
    (void)node;
    return true;
}

static bool half_exp_is_zero(const kiln_format_node8 *node)
{
    return node->half_exp == 0;
}

const kiln_node_kind kiln_node_kinds[] = {
    {KILN_FORMAT_BV_OBB8, "obb", KILN_SECTION_NODES_OBB8, sizeof(kiln_format_node_obb8),
     KILN_NODE_WIDTH, false, nothing_reserved, obb8_lane_is_sound, obb8_decode, obb8_decode_lane},
    {KILN_FORMAT_BV_AABB8, "aabb", KILN_SECTION_NODES_AABB8, sizeof(kiln_format_node_aabb8),
     KILN_NODE_WIDTH, true, half_exp_is_zero, aabb8_lane_is_sound, aabb8_decode, aabb8_decode_lane},
    {KILN_FORMAT_BV_OBB2, "obb2", KILN_SECTION_NODES_OBB2, sizeof(kiln_format_node_obb2),
     BINARY_LANES, false, obb2_reserved_is_zero, obb2_lane_is_sound, obb2_decode, obb2_decode_lane},
    {KILN_FORMAT_BV_AABB2, "aabb2", KILN_SECTION_NODES_AABB2, sizeof(kiln_format_node_aabb2),
     BINARY_LANES, true, half_exp_is_zero, aabb2_lane_is_sound, aabb2_decode, aabb2_decode_lane},
};
const unsigned kiln_node_kind_count = sizeof kiln_node_kinds / sizeof kiln_node_kinds[0];
KILN_STATIC_ASSERT(sizeof kiln_node_kinds / sizeof kiln_node_kinds[0] <= KILN_NODE_KIND_COUNT_MAX,
                   "room for every node kind");

const kiln_node_kind *kiln_node_kind_find(uint16_t bv)
{
    for (unsigned i = 0; i < kiln_node_kind_count; i++) {
        if (kiln_node_kinds[i].bv == bv) {
            return &kiln_node_kinds[i];
        }
    }
    return NULL;
}
