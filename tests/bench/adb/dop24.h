/* An exact tree of 24-DOPs to measure against: the volume that Klein and Zachmann (2003) compared
 * their trees with, made as fast as we know how, so that a ratio to it means something.
 *
 * A 24-DOP is what twelve pairs of parallel planes leave over. The tree is binary with one
 * triangle a leaf and takes its shape from a kiln tree of kind obb2 at leaf 1, which was built
 * by the surface area heuristic: trees then differ in their volumes alone. */
#ifndef KILN_BENCH_DOP24_H
#define KILN_BENCH_DOP24_H

#include "baked.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dop24 dop24;

/* From the first tree of `shape`, which must stay open. NULL when it isn't obb2 with one triangle a
 * leaf, or when there is no memory. */
dop24 *dop24_build(const bench_file *shape);
void dop24_free(dop24 *tree);

/* Bytes of the nodes. */
size_t dop24_bytes(const dop24 *tree);

/* Does the surface meet its own copy at `pose`? Exact; the question that kiln_collide answers. Adds
 * to *volumes (may be NULL) the pairs of volumes that were compared. */
bool dop24_collide(const dop24 *tree, const kiln_pose *pose, unsigned *volumes);

#ifdef __cplusplus
}
#endif

#endif
