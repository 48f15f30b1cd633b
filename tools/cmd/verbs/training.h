/* Training data for weights of counted queries: pairs of boxes that queries weigh, and
 * whether the triangles inside them meet. */
#ifndef KILN_CMD_TRAINING_H
#define KILN_CMD_TRAINING_H

#include "../../../runtime/kiln_adb.h"
#include "../../bake/zachmann.h"
#include "../../count/fit_logistic.h"

/* A list that grows. */
typedef struct {
    kiln_fit_case *cases;
    size_t count, capacity;
} training_cases;

/* Adds a case; false: out of memory. Their memory is released by free(cases). */
bool training_cases_add(training_cases *list, const kiln_fit_case *of);

/* Shares the weight of one tree, or pair of trees, among the cases from `first` on. */
void training_cases_share(training_cases *list, size_t first);

typedef struct {
    training_cases pairs; /* below the roots */
    training_cases roots;
    training_cases decided; /* answers: log-odds, and 1 for a "no" */
    bool failed;            /* out of memory */
} training_set;

void training_free(training_set *set);

/* Poses of a second copy of a tree: Zachmann's procedure ("Minimal hierarchical collision
 * detection", VRST 2002; Klein and Zachmann 2003, 4.1). Both scaled to a cube of side 2, 18
 * distances of the middles from 0.4 to 2.1, uniform random rotations and directions, and of those
 * the poses at which the boxes of both may meet. The same on every machine. */
typedef struct {
    kiln_pose *poses;
    bool *hits; /* the exact answers */
    size_t count;
} training_poses;

#define TRAINING_SEED UINT64_C(0x6B696C6E) /* any number would do */

/* `draws` poses for each distance before the choice. False: out of memory. */
bool training_poses_draw(const kiln_tree *tree, unsigned draws, training_poses *out);
void training_poses_free(training_poses *poses);

/* Adds the pairs of boxes that queries of two copies of `tree` with these weights look at; all
 * those of a tree weigh as much as all those of another. */
void training_observe(training_set *set, const kiln_tree *tree, const training_poses *poses,
                      const kiln_adb_weights *weights);

/* Adds the answers that queries of some p_min end with by themselves. The weights' yes, no and sure
 * should be 0. */
void training_decide(training_set *set, const kiln_tree *tree, const training_poses *poses,
                     const kiln_adb_weights *weights);

/* The answers after `budget` pairs, at most poses->count of them, into `out`. */
void training_answer(const kiln_tree *tree, const training_poses *poses,
                     const kiln_adb_weights *weights, uint64_t budget, kiln_prediction *out);

#endif
