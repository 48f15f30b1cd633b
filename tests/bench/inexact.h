/* What boolean queries would take without exactness: kiln_collide with the test of two leaves'
 * triangles exchanged for a cheaper one. Only for measuring: answers may be wrong. */
#ifndef KILN_BENCH_INEXACT_H
#define KILN_BENCH_INEXACT_H

#include "../../runtime/kiln.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    INEXACT_NOT,    /* kiln's own: a filter of doubles, then the exact predicate */
    INEXACT_FILTER, /* what the filter leaves is a hit */
    INEXACT_FLOATS, /* vertices, filter and test of triangles in floats, without bounds of errors */
    INEXACT_COUNTED, /* kiln's own, counting: for no times */
    INEXACT_WAYS
} inexact_way;

typedef struct {
    uint64_t pairs;      /* of triangles in leaves that may meet */
    uint64_t predicates; /* calls of the exact predicate */
    uint64_t expansions; /* in which some sign was too near to 0 for doubles */
} inexact_counts;

/* Adds to *counts what INEXACT_COUNTED counts. One thread at a time. */
bool inexact_collide(const kiln_tree *a, const kiln_tree *b, const kiln_pose *pose_b,
                     inexact_way way, inexact_counts *counts);

#ifdef __cplusplus
}
#endif

#endif
