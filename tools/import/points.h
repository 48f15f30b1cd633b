/* What readers gather before they send it: lists that grow, and vertices that several meshes share.
 */
#ifndef KILN_IMPORT_POINTS_H
#define KILN_IMPORT_POINTS_H

#include "reader.h"

/* Starts zeroed, ends with free(items). */
typedef struct {
    void *items;
    size_t count, capacity;
} kiln_list;

/* A new element of `size` bytes at the end, zeroed. Without memory the work ends. */
void *kiln_list_add(kiln_reading *reading, kiln_list *list, size_t size);

/* Vertices in double, as the file has them. Starts zeroed. */
typedef struct {
    kiln_list at;    /* double[3] */
    uint64_t *place; /* of each, where it was sent last, counted over all meshes from 1 */
    uint64_t sent;   /* over all meshes that `place` knows of */
} kiln_points;

void kiln_points_add(kiln_reading *reading, kiln_points *points, const double position[3]);
void kiln_points_free(kiln_points *points);

/* Sends the vertices of a mesh with these corners, which count in the points, and changes the
 * corners to count in what is sent: all points in their order, or, where there are more of them
 * than corners, those in use. A corner without a point stays as it is, and so do all others beside
 * it. Returns the number of vertices. */
uint64_t kiln_points_send(kiln_reading *reading, kiln_points *points, uint32_t *corners,
                          size_t count);

#endif
