/* Rows: the kinds of nodes of format 0.1. */
#include "node_kinds.h"

enum { HALF_INFINITY = 0x7C00 }; /* and above: infinities, NaN, negative numbers */

static const kiln_format_node_obb8 *as_obb8(const kiln_format_node8 *node)
{
    return (const kiln_format_node_obb8 *)(const void *)node;
}

static bool obb8_lane_is_sound(const kiln_format_node8 *node, unsigned lane)
{
    const kiln_format_node_obb8 *n = as_obb8(node);
    return n->rotation[0][lane] != -128 && n->rotation[1][lane] != -128 &&
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

const kiln_node_kind kiln_node_kinds[] = {
    {KILN_FORMAT_BV_OBB8, "obb", KILN_SECTION_NODES_OBB8, sizeof(kiln_format_node_obb8), false,
     obb8_lane_is_sound, obb8_decode, obb8_decode_lane},
    {KILN_FORMAT_BV_AABB8, "aabb", KILN_SECTION_NODES_AABB8, sizeof(kiln_format_node_aabb8), true,
     aabb8_lane_is_sound, aabb8_decode, aabb8_decode_lane},
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
