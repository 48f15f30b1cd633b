/* From triangles to a tree of one kind, nodes encoded as they will stand in the file. */
#ifndef KILN_BUILD_H
#define KILN_BUILD_H

#include "../../formats/format.h"
#include "../kiln_bake.h"

#include <stddef.h>
#include <stdint.h>

/* The triangles of one tree. */
typedef struct {
    const float *positions;    /* 3 a vertex */
    const uint32_t *indices;   /* 3 a triangle */
    const uint32_t *triangles; /* which of them: `count` positions in indices / 3; NULL: all */
    uint32_t count;            /* > 0 */
} kiln_build_input;

/* One encoded tree. */
typedef struct {
    void *nodes; /* node_count * node_size bytes */
    uint32_t node_count;
    uint32_t node_size;
    uint32_t depth;
    uint32_t *order; /* slot_count: slot -> triangle as named by the input */
    uint32_t triangle_count;
    uint32_t slot_count; /* triangles, or the references of an octree to them */
    double origin[3];
    int32_t scale_exponent;
    float bounds_lower[3], bounds_upper[3];
    kiln_format_adb_box *boxes; /* box_count counts, NULL: not counted */
    uint32_t box_count;
    double sah_cost; /* expected tests by the surface-area heuristic, for reports */
} kiln_build_tree;

/* A kind of tree: its row in formats/node_kinds.h and the encoder of its nodes. */
typedef struct kiln_build_kind {
    const char *name;   /* "obb" */
    uint16_t format_bv; /* KILN_FORMAT_BV_... */
    uint32_t section;   /* KILN_SECTION_NODES_... */
    uint32_t node_size;
    unsigned lanes;                          /* of a node: 8 or 2 */
    const struct kiln_node_encoder *encoder; /* wide8.h */
} kiln_build_kind;

extern const kiln_build_kind kiln_build_kinds[];
extern const size_t kiln_build_kind_count;
const kiln_build_kind *kiln_build_kind_find(const char *name);

/* "obb, aabb, obb2 or aabb2": the names of all kinds, for messages. */
void kiln_build_kind_names(char *text, size_t size);

/* KILN_BAKE_OK; _USAGE: no triangles, or leaf or builder unknown; _FAILED: out of memory or
 * cancelled. On error nothing is kept. Bytes do not depend on threads. The caller has set the
 * default floating-point environment, which threads inherit: kiln_bake does. */
kiln_bake_status kiln_build(const kiln_build_kind *kind, const kiln_build_input *input,
                            const kiln_bake_options *options, kiln_build_tree *tree);
void kiln_build_tree_free(kiln_build_tree *tree);

/* Release nodes and order, or boxes, of a tree whose numbers are still needed. */
void kiln_build_tree_drop_nodes(kiln_build_tree *tree);
void kiln_build_tree_drop_boxes(kiln_build_tree *tree);

#endif
