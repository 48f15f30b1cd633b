#include "oracle_place.h"

#include "oracle.h"
#include "oracle_line.h"

#include <math.h>

kiln_place oracle_place(uint64_t *state, const mesh *m, const brute_affine *carry, bool oriented,
                        const double p[3])
{
    const double here[9] = {p[0], p[1], p[2], p[0], p[1], p[2], p[0], p[1], p[2]};
    const double way[3] = {random_between(state, -1, 1), random_between(state, -1, 1),
                           random_between(state, -1, 1)};
    int winding = 0, count = 0;
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        double corners[9];
        oracle_line_hit hit;
        brute_corners(m, i, carry, corners);
        if (oracle_triangles_meet(corners, here)) {
            return KILN_PLACE_SURFACE;
        }
        if (oracle_line_meets(p, way, 0, HUGE_VAL, corners, &hit)) {
            winding += hit.side;
            count++;
        }
    }
    return (oriented ? winding != 0 : count % 2 != 0) ? KILN_PLACE_INSIDE : KILN_PLACE_OUTSIDE;
}
