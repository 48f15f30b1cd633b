/* Does a line meet a closed triangle, and where first? Answered in fractions of any length, by a
 * method that shares nothing with the library's: see oracle_line.c. For tests only; not
 * thread-safe. */
#ifndef KILN_TEST_ORACLE_LINE_H
#define KILN_TEST_ORACLE_LINE_H

#include <stdbool.h>

typedef struct {
    double t; /* the nearest double or a neighbour */
    int side; /* -1: against the normal, 1: along it, 0: in the plane, or a triangle without area */
} oracle_line_hit;

/* The points origin + t way with t_min <= t <= t_max, infinities allowed; corner k is t[3 k .. 3 k
 * + 2]. */
bool oracle_line_meets(const double origin[3], const double way[3], double t_min, double t_max,
                       const double triangle[9], oracle_line_hit *hit);

/* Is t of the hit found last within `relative` of the exact one? */
bool oracle_line_t_is(double t, double relative);

#endif
