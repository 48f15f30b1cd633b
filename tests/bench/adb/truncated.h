/* The baseline that costs nothing to think of: the exact walk, depth-first and nearest first, that
 * takes two leaf boxes which overlap for a collision. A time-critical query that is not better than
 * this at equal error has learnt nothing from its probabilities.
 *
 * It is kiln_collide_boxes, and so always as fast as the exact query is, on a tree of one triangle
 * a leaf that was cut where few triangles are below a box. */
#ifndef KILN_BENCH_TRUNCATED_H
#define KILN_BENCH_TRUNCATED_H

#include "baked.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tree of kind `bv` over `mesh`, built with one triangle a leaf, in which boxes with at most
 * `leaf` triangles are leaves. For kiln_collide_boxes alone: of a leaf's triangles one stands for
 * all. KILN_ERROR_MEMORY: no memory. */
kiln_status truncated_bake(const bench_mesh *mesh, const char *bv, uint32_t leaf, bench_file *file);

#ifdef __cplusplus
}
#endif

#endif
