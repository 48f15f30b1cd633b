/* Which triangles are next to which. */
#ifndef KILN_REGIONS_ADJACENCY_H
#define KILN_REGIONS_ADJACENCY_H

#include "../../formats/assert.h"
#include "../base/tree.h"
#include "../kiln_regions.h"

/* Triangles are counted from the tree's first stored one. Half-edge 3 t + k runs from corner k of
 * triangle t to the next one; those of one edge are in a ring. */
struct kiln_adjacency {
    const kiln_tree *tree;
    uint32_t first, count; /* of the stored triangles */
    bool turned;           /* closed, with its triangles wound clockwise as seen from outside */
    const uint32_t *ring;  /* the next half-edge of the same edge; itself: there is no other */
    /* Three a triangle, those of the tree or, of a height field, its own: the corners of a triangle
     * that is not there are one vertex. */
    const uint32_t *corners;
    const float *vertices;
};

static inline const uint32_t *kiln_adjacency_corners(const kiln_adjacency *of, uint32_t triangle)
{
    KILN_ASSERT(triangle < of->count);
    return of->corners + 3 * (size_t)triangle;
}

static inline const float *kiln_adjacency_vertex(const kiln_adjacency *of, uint32_t triangle,
                                                 unsigned corner)
{
    KILN_ASSERT(corner < 3);
    return of->vertices + 3 * (size_t)kiln_adjacency_corners(of, triangle)[corner];
}

static inline uint32_t kiln_adjacency_id(const kiln_adjacency *of, uint32_t triangle)
{
    return kiln_tree_id(of->tree, of->first + triangle);
}

/* Do two vertices have the same place? */
static inline bool kiln_vertices_equal(const float *u, const float *v)
{
    return u[0] == v[0] && u[1] == v[1] && u[2] == v[2];
}

#endif
