#include "shares.h"

#include "../../formats/node_kinds.h"

#include <string.h>

const char *kiln_share_name(kiln_share share)
{
    static const char *const names[KILN_SHARE_COUNT] = {
        "nodes", "vertices", "indices", "source", "user values", "counts", "rest"};
    return names[share];
}

static kiln_share share_of(uint32_t kind)
{
    for (unsigned i = 0; i < KILN_NODE_KIND_COUNT; i++) {
        if (kiln_node_kinds[i].section == kind) {
            return KILN_SHARE_NODES;
        }
    }
    switch (kind) {
    case KILN_SECTION_ORDER:
        return KILN_SHARE_NODES;
    case KILN_SECTION_VERTICES:
        return KILN_SHARE_VERTICES;
    case KILN_SECTION_TRIANGLES:
        return KILN_SHARE_INDICES;
    case KILN_SECTION_TRIANGLE_IDS:
    case KILN_SECTION_FACES:
    case KILN_SECTION_PARTS:
        return KILN_SHARE_SOURCE;
    case KILN_SECTION_USER:
    case KILN_SECTION_MATERIALS:
        return KILN_SHARE_USER;
    case KILN_SECTION_ADB:
    case KILN_SECTION_ADB_BOXES:
        return KILN_SHARE_COUNTS;
    default:
        return KILN_SHARE_REST;
    }
}

void kiln_shares(const kiln_reader *reader, uint64_t shares[KILN_SHARE_COUNT])
{
    memset(shares, 0, KILN_SHARE_COUNT * sizeof shares[0]);
    uint64_t rest = reader->file_size;
    for (uint32_t i = 0; i < reader->section_count; i++) {
        const kiln_format_section *entry = &reader->sections[i].entry;
        const kiln_share share = share_of(entry->kind);
        if (share != KILN_SHARE_REST) {
            shares[share] += entry->stored_size;
            rest -= entry->stored_size;
        }
    }
    shares[KILN_SHARE_REST] = rest;
}
