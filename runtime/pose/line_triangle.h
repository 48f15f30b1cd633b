/* A line against one triangle, exactly. */
#ifndef KILN_LINE_TRIANGLE_H
#define KILN_LINE_TRIANGLE_H

#include "line.h"

typedef struct {
    double t;          /* within 2^-40 of itself; exactly an end of the line's t where it is that */
    double weights[3]; /* of the corners, within 2^-30; 0 exactly on the edge opposite */
    kiln_side side;
} kiln_line_hit;

/* Does the line, from its t_min to its t_max, meet the closed triangle? Exact. Corner k is
 * corners[3 k .. 3 k + 2], floats as doubles. If so, *hit tells where it first does. Needs the
 * environment of fpu.h. */
bool kiln_line_meets_triangle(const kiln_line *line, const double corners[9], kiln_line_hit *hit);

#endif
