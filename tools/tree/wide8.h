/* The road that all kinds of trees share whose nodes have the header of kiln_format_node8: frame,
 * binary tree, bounding volumes, collapse, encoding. A kind gives what differs; of binary kinds the
 * tree stays as it is. */
#ifndef KILN_BUILD_WIDE8_H
#define KILN_BUILD_WIDE8_H

#include "../../formats/nodes.h"
#include "build.h"
#include "collapse8.h"
#include "measure.h"

typedef struct {
    bool binary;        /* two lanes a node, no collapse */
    bool needs_moments; /* by fit */
    kiln_fit_node fit;
    /* Writes everything of a node but the header's inner, child, tri, count and flags; the node is
     * zero before. */
    void (*encode)(const kiln_cloud *cloud, const kiln_binary *tree, const kiln_wide *wide,
                   kiln_format_node8 *node);
    void (*decode)(const kiln_format_node8 *node, unsigned lane, kiln_lane_box *box);
} kiln_wide8_kind;

kiln_bake_status kiln_build_wide8(const kiln_build_kind *kind, const kiln_wide8_kind *wide,
                                  const kiln_build_input *input, const kiln_bake_options *options,
                                  kiln_build_tree *tree);

/* Rows of the table in kinds.c. */
kiln_bake_status kiln_build_obb8(const kiln_build_kind *kind, const kiln_build_input *input,
                                 const kiln_bake_options *options, kiln_build_tree *tree);
kiln_bake_status kiln_build_aabb8(const kiln_build_kind *kind, const kiln_build_input *input,
                                  const kiln_bake_options *options, kiln_build_tree *tree);
kiln_bake_status kiln_build_obb2(const kiln_build_kind *kind, const kiln_build_input *input,
                                 const kiln_bake_options *options, kiln_build_tree *tree);
kiln_bake_status kiln_build_aabb2(const kiln_build_kind *kind, const kiln_build_input *input,
                                  const kiln_bake_options *options, kiln_build_tree *tree);

#endif
