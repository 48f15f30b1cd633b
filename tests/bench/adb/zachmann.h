/* The procedure that Zachmann measures collision detection by ("Minimal hierarchical collision
 * detection", VRST 2002; Klein and Zachmann 2003, 4.1): two copies of an object, whose longest side
 * counts as 2, at 18 distances of the middles from 0.4 to 2.1, rotated and placed at random. */
#ifndef KILN_BENCH_ZACHMANN_H
#define KILN_BENCH_ZACHMANN_H

#include "../../../runtime/kiln_adb.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZACHMANN_DISTANCES = 18 };

/* Whoever fits anything to poses takes one seed, whoever judges the fit the other. */
#define ZACHMANN_SEED_TRAINING 0x747261696eu
#define ZACHMANN_SEED_TEST 0x74657374u

typedef struct {
    kiln_pose pose; /* of the second copy; the first stays */
    int distance;   /* which, 0 to 17 */
} zachmann_pose;

/* The box of an object, in its own frame. */
typedef struct {
    double middle[3], half[3];
    double side; /* half of the longest: what counts as 1 */
} zachmann_box;

zachmann_box zachmann_box_of(const float lower[3], const float upper[3]);

/* The distance of the middles: 0.4 to 2.1. */
double zachmann_distance(int which);

/* A uniform random rotation. */
void zachmann_rotation(uint64_t *state, double rotation[9]);

/* `rotation` about the middle of the box, which then is `distance` along the unit vector `way`. */
kiln_pose zachmann_place(const zachmann_box *box, const double rotation[9], const double way[3],
                         double distance);

/* `draws` poses for each distance, of which those are kept at which the boxes of the two copies
 * meet (15 axes), as in the paper: others are decided by one test whatever the method. Writes at
 * most 18 draws and says how many. The same on every machine. */
size_t zachmann_poses(const zachmann_box *box, uint64_t seed, unsigned draws, zachmann_pose out[]);

#ifdef __cplusplus
}
#endif

#endif
