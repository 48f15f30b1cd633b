/* Triangulation of the polygons of a model: exact where they do not cross themselves. */
#ifndef KILN_IMPORT_POLYGON_H
#define KILN_IMPORT_POLYGON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for the work, kept between calls; starts zeroed. */
typedef struct {
    float (*points)[2];
    uint32_t *next, *previous;
    uint8_t *reflex;         /* 1: the corner does not turn left, and may lie in an ear */
    uint64_t *candidates[2]; /* a bit a corner: may be an ear; a bit a word of those */
    uint32_t *blocker;       /* of a corner that is no ear: one that lies in it */
    uint32_t *first_blocked; /* by a corner; the others follow; two lists a corner */
    uint32_t *next_blocked, *previous_blocked;
    uint32_t *cell_first, *cell_corners; /* the corners by cells of a grid */
    uint32_t cells;                      /* along a side */
    double origin[2], scale[2];
    size_t capacity;
    bool touching;        /* corners on the border of an ear are looked at closely */
    double deadline;      /* in kiln_seconds; 0: none */
    uint64_t comparisons; /* of a corner with an ear, over all calls */
} kiln_polygon_work;

typedef enum {
    KILN_POLYGON_OK,
    KILN_POLYGON_NO_MEMORY,
    KILN_POLYGON_OVER_TIME,
    KILN_POLYGON_CROSSES /* it was cut, but its triangles cover another area */
} kiln_polygon_end;

/* Cuts a polygon of count >= 3 finite corners at positions[corners[i]] (3 floats each) into exactly
 * count - 2 triangles, whose corners, places in `corners`, go to triangles. The triangles of a
 * polygon that lies in a plane cover it exactly, concave or not, whether it touches itself or not.
 * In the coordinate plane in which the polygon is largest, the absolute areas of the triangles add
 * up to the polygon's, or it crosses itself and KILN_POLYGON_CROSSES is the answer. */
kiln_polygon_end kiln_polygon_cut(kiln_polygon_work *work, const float *positions,
                                  const uint32_t *corners, size_t count, uint32_t *triangles);

void kiln_polygon_work_free(kiln_polygon_work *work);

#endif
