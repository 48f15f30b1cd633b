/* Every query of two files in one number, for tests that compare answers of files, or that only
 * want the queries to end. */
#ifndef KILN_TEST_ASK_H
#define KILN_TEST_ASK_H

#include "../../runtime/kiln_adb.h"

#include <stdint.h>

typedef struct {
    uint64_t digest; /* of all answers; does not depend on the order in which pairs are found */
    uint64_t queries;
    uint64_t pairs;
} ask_result;

/* Each tree of `a` against each of `b` at two poses: collide and all contacts. A
 * walk over the contacts is stopped after `pairs_max`. Pairs of trees whose node counts or triangle
 * counts have a product over `work_max` are left out, and trees without polygons. */
ask_result ask_files(const kiln_file *a, const kiln_file *b, uint64_t pairs_max, uint64_t work_max);

#endif
