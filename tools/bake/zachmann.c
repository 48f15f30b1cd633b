/* Poses after Zachmann: distances of the middles in steps, uniform random rotations and directions.
 * Rotations are uniform unit quaternions by rejection from the ball (Marsaglia, "Choosing a Point
 * from the Surface of a Sphere", 1972). Everything comes of +, -, *, / and square roots, so that
 * the same seed gives the same poses on every machine. */
#include "zachmann.h"

#include "../../formats/assert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The seed of the poses that trees are compared by; any number would do. */
#define PAIRS_SEED UINT64_C(0x636F737473)

/* SplitMix64 (Steele, Lea and Flood 2014). */
uint64_t kiln_random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A uniform unit vector in `n` <= 4 dimensions: a point of the ball, by rejection, scaled to length
 * 1. Points near the centre are rejected too, whose direction has few digits. */
static void random_unit(uint64_t *state, int n, double v[4])
{
    double length; /* squared */
    KILN_ASSERT(n > 0 && n <= 4);
    do {
        length = 0;
        for (int i = 0; i < n; i++) {
            v[i] = (double)(kiln_random_next(state) >> 11) * 0x1p-52 - 1.0; /* in [-1, 1) */
            length += v[i] * v[i];
        }
    } while (length > 1.0 || length < 0.01);
    for (int i = 0; i < n; i++) {
        v[i] /= sqrt(length);
    }
}

/* Middle and half the longest side of a tree's box. */
static double box_of(const kiln_tree *tree, double middle[3])
{
    const kiln_tree_info info = kiln_tree_get_info(tree);
    double side = 0;
    for (int k = 0; k < 3; k++) {
        const double lower = (double)info.bounds_lower[k], upper = (double)info.bounds_upper[k];
        middle[k] = 0.5 * (lower + upper);
        side = fmax(side, upper - lower);
    }
    return 0.5 * side;
}

/* B is rotated about the middle of its box and moved until the middles are so far apart. */
void kiln_zachmann_draw(uint64_t *state, const kiln_tree *a, const kiln_tree *b, double ratio,
                        unsigned i, kiln_pose *out)
{
    const double distance = 0.1 * (4 + i % KILN_ZACHMANN_DISTANCES);
    double quaternion[4], way[4], middle_a[3], middle_b[3];
    const double side = box_of(a, middle_a) + ratio * box_of(b, middle_b);
    KILN_ASSERT(ratio > 0);
    random_unit(state, 4, quaternion);
    random_unit(state, 3, way);
    /* The quaternion is of length 1 within rounding, so that the call succeeds. */
    (void)kiln_pose_from_quaternion(quaternion, NULL, out);
    out->scale = ratio;
    for (int k = 0; k < 3; k++) {
        const double *row = out->rotation + 3 * k;
        out->translation[k] =
            middle_a[k] + distance * 0.5 * side * way[k] -
            ratio * (row[0] * middle_b[0] + row[1] * middle_b[1] + row[2] * middle_b[2]);
    }
}

/* ----------------------------------------------------------------------------- sets of poses -- */

bool kiln_zachmann_pairs(const kiln_tree *a, const kiln_tree *b, unsigned draws,
                         kiln_pose_pair **pairs, size_t *count)
{
    uint64_t state = PAIRS_SEED;
    const size_t most = (size_t)draws * KILN_ZACHMANN_DISTANCES;
    *pairs = malloc((most + 1) * sizeof **pairs);
    *count = 0;
    for (size_t i = 0; *pairs != NULL && i < most; i++) {
        kiln_pose_pair *pair = &(*pairs)[*count];
        kiln_work work = {0, 0, 0, 0};
        kiln_hit hit;
        *pair = (kiln_pose_pair){.a = kiln_pose_identity()};
        kiln_zachmann_draw(&state, a, b, 1.0, (unsigned)i, &pair->b);
        /* Where the roots are apart nothing is opened, and nothing is where the query fails. */
        (void)kiln_collide_work(a, &pair->a, b, &pair->b, NULL, &hit, &work);
        *count += work.nodes + work.leaf_pairs > 0;
    }
    return *pairs != NULL;
}

kiln_status kiln_work_over(const kiln_tree *a, const kiln_tree *b, const kiln_pose_pair *pairs,
                           size_t count, kiln_work *sum, size_t *hits)
{
    memset(sum, 0, sizeof *sum);
    *hits = 0;
    for (size_t i = 0; i < count; i++) {
        kiln_hit hit = {.found = false};
        kiln_work work;
        const kiln_status status =
            kiln_collide_work(a, &pairs[i].a, b, &pairs[i].b, NULL, &hit, &work);
        if (status != KILN_OK) {
            return status;
        }
        sum->nodes += work.nodes;
        sum->volume_pairs += work.volume_pairs;
        sum->leaf_pairs += work.leaf_pairs;
        sum->triangle_pairs += work.triangle_pairs;
        *hits += hit.found;
    }
    return KILN_OK;
}
