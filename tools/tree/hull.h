/* Convex hulls of triangles' corners, from which orientations of boxes are chosen. */
#ifndef KILN_TREE_HULL_H
#define KILN_TREE_HULL_H

#include "cloud.h"

typedef struct {
    double (*corners)[3];
    uint32_t (*faces)[3]; /* numbers of corners; of a flat set one side of it, of a line none */
    bool *is_extreme;     /* of each corner: false for one in the midst of a side or an edge */
    uint32_t corner_count, face_count;
} kiln_hull;

/* The hull of the corners of triangles [first, last), whose box along the object axes is `bounds`,
 * with at most `most` corners, at least 4. It lies on a grid (see hull.c) and bounds nothing.
 * False: out of memory. */
bool kiln_hull_of_cloud(const kiln_cloud *cloud, uint32_t first, uint32_t last,
                        const kiln_extents *bounds, uint32_t most, kiln_hull *hull);

/* The same of points. */
bool kiln_hull_of_points(const kiln_points *points, uint32_t most, kiln_hull *hull);

void kiln_hull_free(kiln_hull *hull);

#endif
