/* What a boolean query does, counted instead of timed: a figure without noise, the same on every
 * machine, by which trees can be compared. */
#ifndef KILN_BENCH_TALLY_H
#define KILN_BENCH_TALLY_H

#include "../../runtime/kiln.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t nodes;  /* opened and tested against a box of the other tree */
    uint64_t leaves; /* pairs of leaves whose boxes may meet */
    uint64_t pairs;  /* of triangles in them */
} tally;

/* kiln_collide of two trees, adding to *sum. One thread at a time. */
bool tally_collide(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b, tally *sum);

#ifdef __cplusplus
}
#endif

#endif
