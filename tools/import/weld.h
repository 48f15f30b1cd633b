/* Equal positions become one vertex, and triangles with the same vertices are found. */
#ifndef KILN_IMPORT_WELD_H
#define KILN_IMPORT_WELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A table of vertices by position; starts zeroed. */
typedef struct {
    uint32_t *slots;   /* vertex + 1; 0: free */
    size_t slot_count; /* a power of two */
    void *positions;   /* float[3] a vertex */
    size_t count, capacity;
} kiln_weld;

/* The number of the vertex at `position`, which is added if it is new. False: no memory. */
bool kiln_weld_vertex(kiln_weld *weld, const float position[3], uint32_t *vertex);
/* Bytes that the table may grow by at once while so many vertices are added. */
size_t kiln_weld_growth(const kiln_weld *weld, size_t vertices);
void kiln_weld_free(kiln_weld *weld);

/* A set of triangles by their three vertices, in any order; starts zeroed. */
typedef struct {
    uint32_t *slots; /* triangle + 1; 0: free */
    size_t slot_count;
    const uint32_t *indices; /* of all triangles that may be in the set */
} kiln_triangle_set;

/* Bytes of a set of so many. */
size_t kiln_triangle_set_bytes(size_t triangles);
bool kiln_triangle_set_start(kiln_triangle_set *set, const uint32_t *indices, size_t triangles);
/* Whether one with the same vertices was in the set; if not, it is now. */
bool kiln_triangle_set_has(kiln_triangle_set *set, uint32_t triangle);
void kiln_triangle_set_free(kiln_triangle_set *set);

#endif
