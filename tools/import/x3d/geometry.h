/* Meshes of the geometry nodes of X3D. */
#ifndef KILN_IMPORT_X3D_GEOMETRY_H
#define KILN_IMPORT_X3D_GEOMETRY_H

#include "document.h"

/* How many corners stand for a circle. */
enum { X3D_AROUND = 64 };

typedef struct {
    const x3d_document *document;
    const x3d_node *node;
    kiln_points own;      /* vertices that no other mesh has */
    kiln_points *points;  /* those of the corners: own, or of a coordinate */
    kiln_list corners;    /* uint32_t */
    kiln_list sizes;      /* uint32_t: of each face, its corners */
    uint64_t lines, dots; /* left out */
    bool reversed;        /* ccw is false */
    bool round;           /* flat faces stand for a curved surface */
} x3d_mesh;

typedef void x3d_geometry(x3d_mesh *mesh);

/* What makes the mesh of a node of that type, which is of kind X3D_GEOMETRY. */
x3d_geometry *kiln_x3d_geometry(const char *type);

/* Adds a vertex of the mesh's own; returns its number. */
uint32_t kiln_x3d_point(x3d_mesh *mesh, double x, double y, double z);
/* Adds a face; its corners are turned about where the mesh is reversed. */
void kiln_x3d_face(x3d_mesh *mesh, const uint32_t *corners, size_t count);

/* Of shapes given by their sizes (solids.c), and by a section on its way (extrusion.c). */
x3d_geometry kiln_x3d_box, kiln_x3d_sphere, kiln_x3d_cone, kiln_x3d_cylinder, kiln_x3d_disk,
    kiln_x3d_rectangle, kiln_x3d_extrusion;

#endif
