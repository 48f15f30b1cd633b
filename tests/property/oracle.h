/* Do two closed triangles meet? Answered in integers of any length, by a method that shares nothing
 * with the library's: see oracle.c. For tests only; not thread-safe. */
#ifndef KILN_TEST_ORACLE_H
#define KILN_TEST_ORACLE_H

#include <stdbool.h>

/* Corner k is t[3 k .. 3 k + 2]. Any finite coordinates, any degeneracy. */
bool oracle_triangles_meet(const double a[9], const double b[9]);

#endif
