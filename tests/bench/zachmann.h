/* The procedure that Zachmann measures collision detection by ("Minimal hierarchical collision
 * detection", VRST 2002; Klein and Zachmann 2003, 4.1): two copies of an object, scaled to a
 * cube of side 2, at 18 distances from 0.4 to 2.1, turned and placed at random. */
#ifndef KILN_BENCH_ZACHMANN_H
#define KILN_BENCH_ZACHMANN_H

#ifdef __cplusplus
extern "C" {
#endif

#include "../support/meshes.h"

#include <stddef.h>

enum { ZACHMANN_DISTANCES = 18 };

/* Whoever fits anything to poses takes one seed, whoever judges the fit the other. */
#define ZACHMANN_SEED_TRAINING 0x747261696eu
#define ZACHMANN_SEED_TEST 0x74657374u

typedef struct {
    kiln_pose pose; /* of the second copy; the first stays */
    int distance;   /* which, 0 to 17 */
} zachmann_pose;

/* Moves the middle of the box of `m` to the origin and makes its longest side 2. */
void zachmann_scale(mesh *m);

/* The distance of the middles: 0.4 to 2.1. */
double zachmann_distance(int which);

/* `draws` poses for each distance, of which those are kept at which the boxes of the two copies
 * meet (15 axes), as in the paper: others are decided by one test whatever the method. Writes at
 * most 18 draws and says how many. `m` must be scaled. The same on every machine. */
size_t zachmann_poses(const mesh *m, uint64_t seed, unsigned draws, zachmann_pose out[]);

#ifdef __cplusplus
}
#endif

#endif
