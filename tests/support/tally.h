/* What queries do, counted instead of timed: figures without noise, which are the same on every
 * machine and by which trees and walks can be compared. */
#ifndef KILN_TEST_TALLY_H
#define KILN_TEST_TALLY_H

#include "../../runtime/kiln.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t nodes;  /* opened and tested against a box of the other tree */
    uint64_t leaves; /* pairs of leaves visited, since their boxes may meet or be near enough */
    uint64_t pairs;  /* boolean: of triangles in these leaves; distances: those measured exactly */
} tally;

/* Each adds to *sum. One thread at a time. */

/* kiln_collide of two trees; returns whether they meet. */
bool tally_collide(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b, tally *sum);

/* kiln_collide_all without a filter; returns the number of pairs of triangles that meet. */
uint64_t tally_collide_all(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b,
                           tally *sum);

/* kiln_distance with the default options. */
double tally_distance(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b, tally *sum);

#ifdef __cplusplus
}
#endif

#endif
