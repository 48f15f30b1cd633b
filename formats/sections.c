/* Rows: section kinds and node kinds of format 0.1. */
#include "sections.h"

#include "nodes.h"

enum { REQUIRED = KILN_SECTION_REQUIRED, ALWAYS = 1, SOURCE = 1 };

const kiln_section_kind kiln_section_kinds[] = {
    {KILN_SECTION_VERTICES, "vertices", 12, REQUIRED, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, 0},
    {KILN_SECTION_TRIANGLES, "triangles", 12, REQUIRED, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, 0},
    {KILN_SECTION_TRIANGLE_IDS, "triangle ids", 4, REQUIRED, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, 0},
    {KILN_SECTION_FACES, "faces", 4, 0, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, SOURCE},
    {KILN_SECTION_USER, "user values", 4, 0, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, SOURCE},
    {KILN_SECTION_PARTS, "parts", 32, 0, 64, KILN_TRANSFORM_DELTA_PLANES, ALWAYS, SOURCE},
    {KILN_SECTION_MATERIALS, "materials", 4, 0, 64, KILN_TRANSFORM_NONE, ALWAYS, SOURCE},
    {KILN_SECTION_STRINGS, "strings", 1, REQUIRED, 64, KILN_TRANSFORM_NONE, ALWAYS, 0},
    {KILN_SECTION_META, "meta", 1, 0, 64, KILN_TRANSFORM_NONE, ALWAYS, SOURCE},
    {KILN_SECTION_TREES, "trees", 112, REQUIRED, 64, KILN_TRANSFORM_NONE, ALWAYS, 0},
    {KILN_SECTION_NODES_OBB8, "OBB8 nodes", 128, REQUIRED, KILN_NODE_ALIGNMENT,
     KILN_TRANSFORM_PLANES, 0, 0},
    {KILN_SECTION_NODES_AABB8, "AABB8 nodes", 80, REQUIRED, KILN_NODE_ALIGNMENT,
     KILN_TRANSFORM_PLANES, 0, 0},
    {KILN_SECTION_ORDER, "order", 4, REQUIRED, 64, KILN_TRANSFORM_DELTA_PLANES, 0, 0},
};
const unsigned kiln_section_kind_count = sizeof kiln_section_kinds / sizeof kiln_section_kinds[0];

const kiln_section_kind *kiln_section_kind_find(uint32_t kind)
{
    for (unsigned i = 0; i < kiln_section_kind_count; i++) {
        if (kiln_section_kinds[i].kind == kind) {
            return &kiln_section_kinds[i];
        }
    }
    return NULL;
}

enum { HALF_INFINITY = 0x7C00 }; /* and above: infinities, NaN, negative numbers */

static int obb8_lane_is_sound(const void *node, unsigned lane)
{
    const kiln_format_node_obb8 *n = node;
    return n->rotation[0][lane] != -128 && n->rotation[1][lane] != -128 &&
           n->rotation[2][lane] != -128 && n->half[0][lane] < HALF_INFINITY &&
           n->half[1][lane] < HALF_INFINITY && n->half[2][lane] < HALF_INFINITY;
}

static int aabb8_lane_is_sound(const void *node, unsigned lane)
{
    const kiln_format_node_aabb8 *n = node;
    return n->lower[0][lane] <= n->upper[0][lane] && n->lower[1][lane] <= n->upper[1][lane] &&
           n->lower[2][lane] <= n->upper[2][lane];
}

const kiln_node_kind kiln_node_kinds[] = {
    {KILN_FORMAT_BV_OBB8, "obb", KILN_SECTION_NODES_OBB8, sizeof(kiln_format_node_obb8),
     obb8_lane_is_sound},
    {KILN_FORMAT_BV_AABB8, "aabb", KILN_SECTION_NODES_AABB8, sizeof(kiln_format_node_aabb8),
     aabb8_lane_is_sound},
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
