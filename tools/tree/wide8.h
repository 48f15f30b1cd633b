/* The build that all kinds of trees share whose nodes have the header of kiln_format_node8: frame,
 * binary tree, bounding volumes, collapse, encoding. A kind supplies what differs: how a volume is
 * fitted and how a node is written. Trees of binary kinds are not collapsed. */
#ifndef KILN_BUILD_WIDE8_H
#define KILN_BUILD_WIDE8_H

#include "../../formats/node_kinds.h"
#include "build.h"
#include "collapse8.h"
#include "measure.h"

typedef struct {
    bool binary;        /* two lanes a node, no collapse */
    bool needs_moments; /* needed by `fit` */
    kiln_fit_node fit;
    /* Writes everything of a node but the header's inner, child, tri, count and flags; the node is
     * zero before. */
    void (*encode)(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *node);
    void (*decode)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);
    bool balls;  /* volumes are balls, which options.spheres is for */
    bool shared; /* an octree, which octree.c plans */
} kiln_wide8_kind;

kiln_bake_status kiln_build_wide8(const kiln_build_kind *kind, const kiln_wide8_kind *wide,
                                  const kiln_build_input *input, const kiln_bake_options *options,
                                  kiln_build_tree *tree);

/* What a kind of nodes adds to its row in formats/node_kinds.h; see kiln_wide8_kind. */
typedef struct kiln_node_encoder {
    bool needs_moments; /* by fit */
    kiln_fit_node fit;
    void (*encode)(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *node);
} kiln_node_encoder;

/* The fit of all kinds of boxes along the object axes: nothing is left to choose. */
static inline void kiln_fit_bounds(const kiln_cloud *cloud, const kiln_range *range,
                                   const kiln_measure *measure, kiln_binary_node *node)
{
    (void)cloud;
    (void)range;
    node->half_area = (float)kiln_extents_half_area(&measure->bounds);
}

#define KILN_NODE_ENCODER(KIND, kind, ...) extern const kiln_node_encoder kiln_encode_##kind;
KILN_NODE_KINDS(KILN_NODE_ENCODER, KILN_NODE_ENCODER)

#endif
