/* The baseline that costs nothing to think of: the exact walk, depth-first and nearest first, that
 * takes two leaf boxes which overlap for a collision. A time-critical query that is not better than
 * this at equal error has learnt nothing from its probabilities. */
#ifndef KILN_BENCH_TRUNCATED_H
#define KILN_BENCH_TRUNCATED_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "../../runtime/kiln.h"

typedef struct truncated truncated;

/* `tree` must stay open. Ends the program when there is no memory. */
truncated *truncated_make(const kiln_tree *tree);
void truncated_free(truncated *query);

/* Does the tree probably meet its own copy at `pose`? Boxes with at most `leaf` triangles count as
 * leaves, besides the tree's own. Not for several threads at once. */
bool truncated_collide(const truncated *query, uint32_t leaf, const kiln_pose *pose);

#ifdef __cplusplus
}
#endif

#endif
