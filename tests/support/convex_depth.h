/* How deep two convex polyhedra overlap, by brute force that knows nothing of regions. */
#ifndef KILN_TEST_CONVEX_DEPTH_H
#define KILN_TEST_CONVEX_DEPTH_H

#include "meshes.h"

/* The convex hull of a mesh's vertices. Which of the points in one face become its corners is
 * chosen at random. Some thousand vertices at most: the time is the square of their number. */
mesh convex_hull_of(const mesh *m);

typedef struct {
    double depth;  /* of the least translation that parts them */
    double way[3]; /* of the first one, from the second */
    /* Another facet of the difference, along which they part within 1 % more, is as far from that
     * as this, in radians: the way is not unique. */
    double other_way;
} convex_parting;

/* Of hulls that convex_hull_of made, at rotations and translations. Facets of the Minkowski
 * difference are faces of both and pairs of edges whose arcs of normals cross. */
void convex_part(const mesh *a, const kiln_pose *pose_a, const mesh *b, const kiln_pose *pose_b,
                 convex_parting *out);

#endif
