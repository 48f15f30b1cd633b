/* Geometry of Collada: vertices and faces. */
#ifndef KILN_IMPORT_COLLADA_GEOMETRY_H
#define KILN_IMPORT_COLLADA_GEOMETRY_H

#include "../points.h"
#include "document.h"

/* Elements that have faces, lines or points. */
#define DAE_PRIMITIVES                                                                             \
    (DAE_IS(DAE_TRIANGLES) | DAE_IS(DAE_TRIFANS) | DAE_IS(DAE_TRISTRIPS) | DAE_IS(DAE_POLYLIST) |  \
     DAE_IS(DAE_POLYGONS) | DAE_IS(DAE_LINES) | DAE_IS(DAE_LINESTRIPS))

/* The <mesh> of a geometry, or what stands for it; DAE_NONE: it has none that is read. */
uint32_t kiln_dae_mesh(const dae *d, uint32_t geometry);

/* The positions of the vertices as they are written, for kiln_points_free. */
kiln_points kiln_dae_shape(const dae *d, uint32_t mesh);

/* The number of faces of a primitive, checked against what it declares. */
uint64_t kiln_dae_count_faces(const dae *d, uint32_t primitive);

/* Sends the vertices and faces of a primitive; returns how many faces, and in *vertices how many
 * vertices. */
uint64_t kiln_dae_send_primitive(const dae *d, uint32_t primitive, kiln_points *shape,
                                 uint32_t material, uint64_t *vertices);

#endif
