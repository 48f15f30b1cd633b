/* How do two closed triangles meet? Answered in rational numbers, by a method that shares nothing
 * with the library's: see oracle_meeting.c. For tests only; not thread-safe. */
#ifndef KILN_TEST_ORACLE_MEETING_H
#define KILN_TEST_ORACLE_MEETING_H

#include "../../runtime/exact/exact.h"

/* Corner k is t[3 k .. 3 k + 2]. Any finite coordinates, any degeneracy. */
kiln_relation oracle_relate(const double a[9], const double b[9]);

#endif
