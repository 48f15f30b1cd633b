/* Where two triangles pass through each other. */
#ifndef KILN_REGIONS_CROSSING_H
#define KILN_REGIONS_CROSSING_H

#include <stdbool.h>
#include <stdint.h>

/* X's edge k runs from its corner k to the next one; KILN_CROSSING_OF_Y + k is Y's. */
enum { KILN_CROSSING_OF_Y = 3 };

/* The segment runs along n_x x n_y, the normals of the two triangles: so what of X is behind Y is
 * on its left as seen from the front of X, and what of Y is behind X on its right as seen from the
 * front of Y. It begins where X's edge comes from behind Y, or Y's edge from the front of X. */
typedef struct {
    bool found;
    bool grazes;     /* the answer depends on the move: a corner is in a plane, or edges meet */
    uint8_t edge[2]; /* at whose crossing it begins, and ends */
    /* Signs before the move, so that none is asked for twice. */
    int side[6];       /* of corner k of X, 3 + k of Y, in front of the other's plane: 1 */
    int8_t passing[9]; /* of X's edge i and Y's edge j at 3 i + j; or not known */
} kiln_crossing;

/* Corner k is t[3 k .. 3 k + 2], in range as for kiln_exact_triangles_meet. `move` is 1 or -1: X
 * counts as moved by move (e, e^2, e^3) with an infinitely small e. A triangle without area has no
 * crossing. Needs the environment of fpu.h. */
void kiln_crossing_find(const double x[9], const double y[9], int move, kiln_crossing *out);

/* Bit k: edge k, numbered as above, and the other triangle have a point in common. Exact, without a
 * move. `crossing` is what kiln_crossing_find found of the two, in this order, with either move; it
 * need not graze. Signs that were not asked for are added to it. */
unsigned kiln_crossing_touches(const double x[9], const double y[9], kiln_crossing *crossing);

#endif
