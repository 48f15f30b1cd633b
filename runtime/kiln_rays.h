/* Faster rays, in exchange for memory: boxes and triangles of a tree, unpacked once.
 *
 * A baked file keeps a box in 6 bytes and a triangle as three numbers of vertices, and a ray spends
 * a third of its time on unpacking them. For a tree that is asked for many rays this may be done
 * once, in the caller's memory.
 *
 *     kiln_ray_accel *fast = NULL;
 *     void *memory = malloc(kiln_ray_accel_size(tree));
 *     kiln_ray_accel_place(memory, kiln_ray_accel_size(tree), tree, &fast);
 *     ...
 *     kiln_ray_closest(kiln_ray_accel_tree(fast), NULL, &ray, NULL, &hit);
 *     ...
 *     free(memory);
 *
 * Answers are those of the tree, to the bit, for every file that `kiln verify` passes. Used for:
 * kiln_ray_closest, kiln_ray_closest_brief, kiln_ray_any and kiln_ray_meets, where there is no
 * filter, no culling and no mirror in the pose, alone and in scenes (kiln_scene.h). All other
 * queries walk the tree itself, and take the same time as without.
 *
 * What it gives, of nine meshes from 1,368 to 140,160 triangles, in leaves of four: rays at trees
 * of axis-aligned boxes take 0.72 to 0.76 of the time without, at worst 0.80, at trees of oriented
 * boxes 0.53 to 0.58, at worst 0.75. The memory is 53 to 58 bytes a triangle in leaves of four, 200
 * in leaves of one, 100 for binary trees. Where that leaves the processor's cache and the tree does
 * not, less is gained.
 *
 * Kinds: all but octrees, height fields too. Boxes here are along the axes whatever the tree's own
 * are, so that kinds differ only by how good their hierarchies are; binary trees stay binary.
 *
 * Memory is the caller's, of any alignment, and there is nothing to release. The file must stay
 * open, and the memory of a kiln_refit stay, if the tree is that of one: the rest of the tree is
 * there. Boxes and triangles are the same bytes in every instruction set.
 *
 * Threads: any number may query the tree, but none during kiln_ray_accel_update, or during
 * kiln_refit_update of the copy that the tree is of. */
#ifndef KILN_RAYS_H
#define KILN_RAYS_H

#include "kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------------------------------------- faster rays -- */

/* A tree as it is unpacked for rays, in the caller's memory. */
typedef struct kiln_ray_accel kiln_ray_accel;

/* Returns the bytes of memory that kiln_ray_accel_place needs for a tree: 224 for each node and 160
 * for each four triangles of a leaf, or fewer. 0: NULL, or it would return an error, but for
 * KILN_ERROR_RULE. Cost: a pass over the nodes. */
KILN_API size_t kiln_ray_accel_size(const kiln_tree *tree);

/* Unpacks a tree into the `size` bytes at `memory`, at any alignment. KILN_ERROR_ARGUMENT (NULL,
 * or too small a size), KILN_ERROR_KIND (octrees, whose leaves hold parts of triangles),
 * KILN_ERROR_NOT_LOADED (no polygons), KILN_ERROR_PARTIAL (the file has not arrived wholly),
 * KILN_ERROR_LIMIT (it would take more than 16 GiB), KILN_ERROR_RULE (triangles are far outside the
 * tree's node space, which no file has that `kiln bake` writes): *out is then NULL. The tree may be
 * that of a kiln_refit. Any number of threads, each with memory of its own. No allocation. Cost:
 * linear, 70 to 400 ns a triangle on one thread, most where the memory is new. */
KILN_API kiln_status kiln_ray_accel_place(void *memory, size_t size, const kiln_tree *tree,
                                          kiln_ray_accel **out);

/* Follows the tree of a kiln_refit after a kiln_refit_update; until then rays walk the tree itself,
 * and are no faster. KILN_ERROR_ARGUMENT for NULL. Cost: that of unpacking it. */
KILN_API kiln_status kiln_ray_accel_update(kiln_ray_accel *accel);

/* Returns the tree with its faster rays, at the same address for the life of the memory; a tree
 * like any other, for all queries. NULL for NULL. */
KILN_API const kiln_tree *kiln_ray_accel_tree(const kiln_ray_accel *accel);

#ifdef __cplusplus
}
#endif

#endif
