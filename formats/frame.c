/* Node space, the frame of a tree's nodes.
 *
 * The frame scales by a power of two, so that going to node space and back rounds in the
 * subtraction only. Its exponent is the least for which the box of the mesh lies within [-1, 1];
 * origin and exponent are in the tree's entry. */
#include "frame.h"

#include "assert.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { EXPONENT_MIN = -400, EXPONENT_MAX = 200 }; /* format.h */

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

void kiln_frame_choose(const float lower[3], const float upper[3], const kiln_crowd *crowd,
                       kiln_frame *frame)
{
    KILN_ASSERT(lower[0] <= upper[0] && lower[1] <= upper[1] && lower[2] <= upper[2]);

    /* Is the crowd so small in the box that the halving of the floats' fineness by an origin off
     * the centre is worth it? */
    enum { SPECK = 256 };
    double width = 0, spread = 0;
    for (unsigned k = 0; k < 3 && crowd != NULL; k++) {
        width = fmax(width, (double)upper[k] - (double)lower[k]);
        spread = fmax(spread, (double)crowd->three_quarters[k] - (double)crowd->quarter[k]);
    }
    const bool speck = crowd != NULL && width > SPECK * spread;
    double reach = 0;
    for (unsigned k = 0; k < 3; k++) {
        const double l = lower[k], u = upper[k];
        frame->origin[k] = speck ? (double)crowd->median[k] : 0.5 * (l + u);
        /* Subtraction rounds monotonically, so no vertex is farther than the ends are. */
        reach = fmax(reach, fmax(u - frame->origin[k], frame->origin[k] - l));
    }
    /* Not zero for a point either when 0.5 * (l + u) rounds, but then it is a length all right. */
    int e = exponent_of_point(lower);
    if (reach > 0 && frexp(reach, &e) == 0.5) {
        e--; /* the least e with reach <= 2^e */
    }
    e = e < EXPONENT_MIN ? EXPONENT_MIN : e > EXPONENT_MAX ? EXPONENT_MAX : e;
    frame->exponent = e;
    frame->scale = ldexp(1.0, -e);
}
