/* Rows: the kinds of nodes that this runtime can walk. */
#include "kernel.h"
#include "kiln.h"

static void decode_obb8(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_obb8_decode((const kiln_format_node_obb8 *)(const void *)node, lanes);
}

static void decode_aabb8(const kiln_format_node8 *node, kiln_lanes *lanes)
{
    kiln_aabb8_decode((const kiln_format_node_aabb8 *)(const void *)node, lanes);
}

static const kiln_decoder decoders[] = {
    {KILN_FORMAT_BV_OBB8, KILN_BV_OBB, sizeof(kiln_format_node_obb8), false, decode_obb8},
    {KILN_FORMAT_BV_AABB8, KILN_BV_AABB, sizeof(kiln_format_node_aabb8), true,
     decode_aabb8},
};

const kiln_decoder *kiln_decoder_find(uint16_t bv)
{
    for (size_t i = 0; i < sizeof decoders / sizeof decoders[0]; i++) {
        if (decoders[i].bv == bv) {
            return &decoders[i];
        }
    }
    return NULL;
}
