/* Descent of one tree with a shape: boxes filter, leaves are visited. */
#ifndef KILN_SHAPE_WALK_H
#define KILN_SHAPE_WALK_H

#include "../kernel/kernel.h"
#include "../pose/pose.h"

/* An oriented box around a shape, in the tree's node space. */
typedef struct {
    double centre[3];
    kiln_probe probe; /* all but its centre and slack, which depend on the node */
    float slack;
} kiln_shape_box;

/* Around a shape whose frame `placement` puts the tree in. */
void kiln_shape_box_form(kiln_shape_box *box, const kiln_tree *tree,
                         const kiln_placement *placement, const kiln_shape *shape);

/* Called for each leaf that the box may meet. False stops the walk. */
typedef bool (*kiln_shape_leaf)(void *user, uint32_t first, uint32_t count);

void kiln_shape_walk(const kiln_tree *tree, const kiln_shape_box *box, kiln_shape_leaf leaf,
                     void *user);

/* Of the slots of one triangle that the walk reaches: is this the one that names it? True for one
 * of them; always, where triangles have one slot only. */
bool kiln_shape_walk_is_first(const kiln_tree *tree, const kiln_shape_box *box, uint32_t slot);

#endif
