/* Descent of one tree along a line, nearest boxes first. */
#ifndef KILN_LINE_WALK_H
#define KILN_LINE_WALK_H

#include "line.h"

/* Called for each leaf that the ray may meet: `count` slots from `first`. It may cut the ray. False
 * stops the walk. */
typedef bool (*kiln_line_leaf)(void *user, kiln_slab_ray *ray, uint32_t first, uint32_t count);

void kiln_line_walk(const kiln_tree *tree, kiln_slab_ray *ray, kiln_line_leaf leaf, void *user);

#endif
