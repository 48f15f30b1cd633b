/* Poses of two trees by Zachmann's procedure ("Minimal hierarchical collision detection", VRST
 * 2002; Klein and Zachmann 2003, 4.1), and what queries at poses do. Both trees are scaled to a
 * cube of side 2; the middles are 0.4 to 2.1 apart in 18 steps; rotations and directions are
 * uniform. The same on every machine. */
#ifndef KILN_BAKE_ZACHMANN_H
#define KILN_BAKE_ZACHMANN_H

#include "../common/number_lines.h"

enum { KILN_ZACHMANN_DISTANCES = 18 };

/* SplitMix64 (Steele, Lea and Flood 2014); whoever draws owns the state. */
uint64_t kiln_random_next(uint64_t *state);

/* The pose number `i` of B beside A, of which all 18 distances take turns; B is scaled by `ratio`,
 * and distances count in the mean of both longest sides. `state` is that of random numbers. */
void kiln_zachmann_draw(uint64_t *state, const kiln_tree *a, const kiln_tree *b, double ratio,
                        unsigned i, kiln_pose *out);

/* `draws` poses for each distance, less those at which the boxes of the whole trees are apart,
 * which every kind of tree decides alike. *pairs is released by free(). False: out of memory. */
bool kiln_zachmann_pairs(const kiln_tree *a, const kiln_tree *b, unsigned draws,
                         kiln_pose_pair **pairs, size_t *count);

/* The sums over kiln_collide_work at all poses, and how many of them meet. The first status that is
 * not KILN_OK ends it. */
kiln_status kiln_work_over(const kiln_tree *a, const kiln_tree *b, const kiln_pose_pair *pairs,
                           size_t count, kiln_work *sum, size_t *hits);

#endif
