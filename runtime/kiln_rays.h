/* Faster rays for memory: boxes and triangles of a tree, unpacked once into the caller's memory.
 *
 * A baked file keeps a box in 6 bytes and a triangle as three numbers of vertices, and a ray spends
 * a third of its time on unpacking them. For a tree that is asked for many rays this may be done
 * once. tests/bench/README.md has what it gives: 1.4 times as many rays of a tree of axis-aligned
 * boxes, 1.7 times of oriented ones, for about 53 bytes a triangle in leaves of four.
 *
 *     kiln_ray_accel *fast = NULL;
 *     void *memory = malloc(kiln_ray_accel_size(tree));
 *     kiln_ray_accel_place(memory, kiln_ray_accel_size(tree), tree, &fast);
 *     ...
 *     kiln_ray_closest(kiln_ray_accel_tree(fast), NULL, &ray, NULL, &hit);
 *     ...
 *     free(memory);
 *
 * Answers are those of the tree, to the bit. Used for: kiln_ray_closest, kiln_ray_closest_brief,
 * kiln_ray_any and kiln_ray_meets, where there is no filter, no culling and no mirror in the pose,
 * alone and in scenes (kiln_scene.h). What asks for any hit of an octree, and all other queries,
 * walk the tree itself, which takes the same time as without.
 *
 * Kinds: all, height fields too. Boxes here are along the axes whatever the tree's own are, so
 * that all kinds are about as fast, as far as their topology is as good.
 *
 * Memory is the caller's, of any alignment, and there is nothing to release. The file must stay
 * open: the rest of the tree is there. Bytes are the same in every instruction set.
 *
 * Threads: any number may query the tree, but none during kiln_ray_accel_update. */
#ifndef KILN_RAYS_H
#define KILN_RAYS_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------- faster rays -- */

/* A tree as it is unpacked for rays, in the caller's memory. */
typedef struct kiln_ray_accel kiln_ray_accel;

/* Returns the bytes that it takes for a tree: 224 for each node and 160 for each four triangles of
 * a leaf, of any alignment. 0 for NULL and for trees that kiln_ray_accel_place refuses before it
 * looks at triangles. Cost: a pass over the nodes. */
KILN_API size_t kiln_ray_accel_size(const kiln_tree *tree);

/* Makes it in `memory` [size bytes]. KILN_ERROR_ARGUMENT (NULL, or too small),
 * KILN_ERROR_NOT_LOADED (no polygons), KILN_ERROR_PARTIAL (the file has not arrived wholly),
 * KILN_ERROR_LIMIT (it would take more than 16 GiB), KILN_ERROR_RULE (triangles are far outside
 * the tree's node space, which no file has that `kiln bake` writes): *out is then NULL. The tree
 * may be that of a kiln_refit. Cost: linear, about 100 ns a triangle on one thread. */
KILN_API kiln_status kiln_ray_accel_place(void *memory, size_t size, const kiln_tree *tree,
                                          kiln_ray_accel **out);

/* Follows the tree of a kiln_refit after a kiln_refit_update; until then rays walk the tree itself,
 * and are no faster. KILN_ERROR_ARGUMENT for NULL. Cost: that of making it. */
KILN_API kiln_status kiln_ray_accel_update(kiln_ray_accel *accel);

/* Returns the tree with its faster rays, at the same address for the life of the memory; a tree
 * like any other, for all queries. NULL for NULL. */
KILN_API const kiln_tree *kiln_ray_accel_tree(const kiln_ray_accel *accel);

#ifdef __cplusplus
}
#endif

#endif
