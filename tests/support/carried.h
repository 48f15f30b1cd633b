/* A mesh in the frame of a shape, as kiln.h says of both poses, written anew. */
#ifndef KILN_TEST_CARRIED_H
#define KILN_TEST_CARRIED_H

#include "meshes.h"

typedef struct {
    double r[3][3], t[3];
} carried;

/* The inverse of the shape's pose after the mesh's, with both scales. */
carried carried_into(const kiln_pose *shape, const kiln_pose *of);

/* The corners of a triangle as they are compared. */
void carried_corners(const mesh *m, uint32_t triangle, const carried *carry, double out[9]);

#endif
