/* A bounding volume as a surface of flat faces: for pictures and for its volume. */
#ifndef KILN_POLYTOPE_H
#define KILN_POLYTOPE_H

#include "../../formats/volume.h"

/* A k-DOP of 26 directions has at most 48 corners and 26 faces; each cut of a convex polytope adds
 * a face and at most as many corners as faces meet it. */
enum { KILN_POLYTOPE_FACES = 32, KILN_POLYTOPE_CORNERS = 32 };

/* Convex. Each face is a ring of corners, counter-clockwise from outside. */
typedef struct {
    unsigned face_count;
    struct {
        unsigned corner_count;
        double corner[KILN_POLYTOPE_CORNERS][3];
    } face[KILN_POLYTOPE_FACES];
} kiln_polytope;

/* The points in the box and all slabs of a volume that is no ball. Without faces: it is empty. */
void kiln_polytope_of(const kiln_volume *volume, kiln_polytope *out);

/* The size of any volume: of a ball by its radius, else of the polytope. */
double kiln_volume_size(const kiln_volume *volume);

#endif
