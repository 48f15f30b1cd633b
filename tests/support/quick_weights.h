/* Weights of time-critical queries that tests know: rows of any numbers, and files of them. */
#ifndef KILN_TEST_QUICK_WEIGHTS_H
#define KILN_TEST_QUICK_WEIGHTS_H

#include "../../runtime/kiln_adb.h"

#include <stddef.h>

enum { QUICK_WEIGHTS = 3 };

/* For obb at leaf 4, obb at leaf 8, aabb2 at leaf 4, in the order of a file; all numbers differ. */
kiln_adb_fitted quick_weights_row(unsigned index);

/* The bytes of a file of all three, raw or packed; released by free(). */
void *quick_weights(bool packed, size_t *size);

#endif
