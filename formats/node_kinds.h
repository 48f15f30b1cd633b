/* The table of node kinds. A new kind of tree, 8-wide or binary, is its structure in format.h, its decoding, and
 * a row here; runtime, verifier and audit then know it. */
#ifndef KILN_NODE_KINDS_H
#define KILN_NODE_KINDS_H

#include "nodes.h"

#include <stdbool.h>

typedef struct {
    uint16_t bv;      /* KILN_FORMAT_BV_..., the same number as the public kiln_bv */
    const char *name; /* "obb" */
    uint32_t section; /* KILN_SECTION_NODES_... */
    uint32_t node_size;
    unsigned lanes; /* that its nodes may use: 8, or 2 from lane 0 on */
    bool aligned;   /* lanes have the axes of node space; decode leaves lanes->axis alone */
    bool (*reserved_is_zero)(const kiln_format_node8 *node); /* behind the shared header */
    /* Are the fields behind the shared header finite and in range for lane `lane`? */
    bool (*lane_is_sound)(const kiln_format_node8 *node, unsigned lane);
    void (*decode)(const kiln_format_node8 *node, kiln_lanes *lanes);
    void (*decode_lane)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);
} kiln_node_kind;

enum { KILN_NODE_KIND_COUNT_MAX = 16 };
extern const kiln_node_kind kiln_node_kinds[];
extern const unsigned kiln_node_kind_count;

/* NULL: unknown. */
const kiln_node_kind *kiln_node_kind_find(uint16_t bv);

#endif
