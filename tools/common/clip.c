/* One cut of a polygon by a plane, after I. Sutherland and G. Hodgman, "Reentrant polygon
 * clipping", CACM 17(1), 1974: corners on the right side stay, and each edge that passes the plane
 * gives a corner. */
#include "clip.h"

#include "../../formats/assert.h"

#include <string.h>

unsigned kiln_clip(double (*points)[3], unsigned count, unsigned axis, double sign, double limit,
                   double (*kept)[3])
{
    unsigned left = 0;
    KILN_ASSERT(axis < 3 && kept != points);
    for (unsigned i = 0; i < count; i++) {
        const double *p = points[i], *q = points[(i + 1) % count];
        const double from = sign * (p[axis] - limit), to = sign * (q[axis] - limit);
        if (from <= 0) {
            memcpy(kept[left++], p, 3 * sizeof(double));
        }
        if ((from < 0 && to > 0) || (from > 0 && to < 0)) {
            const double t = from / (from - to);
            for (unsigned k = 0; k < 3; k++) {
                kept[left][k] = p[k] + t * (q[k] - p[k]);
            }
            kept[left++][axis] = limit;
        }
    }
    return left;
}
