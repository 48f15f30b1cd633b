/* The bounding volumes of a tree, decoded in double, for programs that look at a tree instead of
 * querying it: measures, pictures. */
#ifndef KILN_VOLUME_H
#define KILN_VOLUME_H

#include "check.h"

/* What a lane of a node bounds its contents by, in node space: a point is in the volume if it is in
 * the box and, of a k-DOP, in each slab, or, of a ball, no farther from the centre than half[0]. */
typedef struct {
    const kiln_node_kind *kind;
    uint32_t node; /* where it is stored */
    unsigned lane;
    uint32_t level; /* lanes of the root have level 1 */
    kiln_contents contents;
    kiln_box box;
    unsigned slab_count; /* of a k-DOP, beside those of the box */
    struct {
        double normal[3]; /* each component is 0, 1 or -1 */
        double centre, half;
    } slab[KILN_DOP_SLABS_MAX]; /* |normal . p - centre| <= half */
} kiln_volume;

/* Lane `lane` of node `node` of a tree whose view was verified; the lane is used. */
void kiln_volume_of(const kiln_view_tree *tree, uint32_t node, unsigned lane, uint32_t level,
                    kiln_volume *out);

/* By how much a point of node space lies outside, as a difference along one direction; 0 or less:
 * inside. Rounded like any sum of doubles: a measure, no proof. */
double kiln_volume_beyond(const kiln_volume *volume, const double point[3]);

/* May two volumes of one tree have a point in common? Exact but for rounding between boxes and
 * between balls. Of two k-DOPs it is yes unless a direction of theirs parts them. */
bool kiln_volumes_overlap(const kiln_volume *a, const kiln_volume *b);

/* Called for each volume before those below it; false: those are left out. */
typedef bool (*kiln_volume_visit)(void *user, const kiln_volume *volume);

/* Visits the volumes of a verified tree, depth first, lanes and children in their order. No
 * memory is allocated. */
void kiln_tree_visit_volumes(const kiln_view_tree *tree, kiln_volume_visit visit, void *user);

#endif
