#include "frame.h"

#include <math.h>

enum { EXPONENT_MIN = -400, EXPONENT_MAX = 200 }; /* formats/format.h */

/* Least e with x <= 2^e; x > 0. */
static int exponent_over(double x)
{
    int e;
    return frexp(x, &e) == 0.5 ? e - 1 : e;
}

/* For a mesh of one point: the step of floats there, the only length that it has. */
static int exponent_of_point(const float point[3])
{
    float largest = 0;
    int e;
    for (unsigned k = 0; k < 3; k++) {
        largest = fmaxf(largest, fabsf(point[k]));
    }
    (void)frexpf(largest, &e);
    return largest > 0 && e > -125 ? e - 24 : -149;
}

void kiln_frame_choose(const float lower[3], const float upper[3], kiln_frame *frame)
{
    double reach = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double l = lower[k], u = upper[k];
        frame->origin[k] = 0.5 * (l + u);
        /* Subtraction rounds monotonically, so no vertex is farther than the ends are. */
        reach = fmax(reach, fmax(u - frame->origin[k], frame->origin[k] - l));
    }
    /* Not zero for a point either when 0.5 * (l + u) rounds, but then it is a length all right. */
    int e = reach > 0 ? exponent_over(reach) : exponent_of_point(lower);
    e = e < EXPONENT_MIN ? EXPONENT_MIN : e > EXPONENT_MAX ? EXPONENT_MAX : e;
    frame->exponent = e;
    frame->scale = ldexp(1.0, -e);
}
