/* How tight the volumes of a tree are, level by level. */
#ifndef KILN_LEVELS_H
#define KILN_LEVELS_H

#include "../../formats/volume.h"

/* A level cuts the tree: its volumes are the lanes so many nodes below the root, and leaves that
 * lie above. Together they hold the whole surface on every level. */
typedef struct {
    uint64_t volumes;
    double size;             /* the sum of their sizes, by that of the tree's box; NaN: that is 0 */
    uint64_t siblings;       /* pairs of volumes of one node on this level */
    uint64_t siblings_apart; /* of these, pairs that have no point in common */
    double cover;            /* volumes that a point of the surface lies in, in the mean */
} kiln_level_measure;

/* Levels 1 to *count, which is the tree's depth. Of the surface, the middles of up to 1,024
 * triangles are taken; without triangles `cover` is NaN. */
void kiln_levels_measure(const kiln_view *view, const kiln_view_tree *tree,
                         kiln_level_measure out[KILN_TREE_DEPTH_MAX], uint32_t *count);

#endif
