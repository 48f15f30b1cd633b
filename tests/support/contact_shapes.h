/* Solids whose contact is known, divided into any number of triangles, regularly or at random. */
#ifndef KILN_TEST_CONTACT_SHAPES_H
#define KILN_TEST_CONTACT_SHAPES_H

#include "meshes.h"

#include <stdbool.h>

typedef enum {
    SOLID_CUBE = 0,     /* edge 2 */
    SOLID_WEDGE = 1,    /* a roof: the cube's floor, ridge along x at z = 1 */
    SOLID_SPHERE = 2,   /* radius 1 */
    SOLID_CYLINDER = 3, /* radius 1 and height 2, along z */
    SOLID_TORUS = 4,    /* radii 1 and 0.4, around z */
    SOLID_GROUND = 5,   /* a box of 12 x 12 x 4 whose top is at z = 0 */
    SOLID_SHEET = 6,    /* its top alone, open, seen from above */
    SOLID_COUNT = 7
} solid_kind;

/* About `triangles` of them, at least as many as it takes. `irregular`: vertices are moved along
 * edges and faces, or over the curved surface, diagonals are drawn, and triangles are in any order.
 */
mesh solid_mesh(solid_kind kind, uint32_t triangles, bool irregular, uint64_t *state);

/* How far the triangles of a solid are off its surface, at most, where it is round. */
double solid_sagitta(solid_kind kind, const mesh *m);

/* The mesh with each triangle divided into n x n. */
mesh solid_divided(const mesh *m, uint32_t n);

/* The same triangles in another order, each beginning at another corner. */
mesh solid_shuffled(const mesh *m, uint64_t *state);

/* Least and greatest height of the vertices at a pose, along a direction. */
void solid_extent(const mesh *m, const kiln_pose *pose, const double direction[3], double *low,
                  double *high);

/* An upper solid over a lower one, into which it is sunk along z. */
typedef struct {
    solid_kind upper, lower;
    double height;           /* at which they touch */
    double side;             /* how far aside it may stand */
    bool lying, lower_lying; /* turned from z to x */
} solid_meeting;

enum { SOLID_MEETINGS = 18 };
extern const solid_meeting solid_meetings[SOLID_MEETINGS];

#endif
