/* Vertices, polygons and materials of the geometry of FBX. */
#ifndef KILN_IMPORT_FBX_GEOMETRY_H
#define KILN_IMPORT_FBX_GEOMETRY_H

#include "document.h"

/* What a geometry is. */
typedef enum {
    FBX_MESH,
    FBX_LINES,
    FBX_TARGET, /* the shape of a blend shape, which is no geometry by itself */
    FBX_OTHER   /* a surface or a curve by its control points */
} fbx_geometry_kind;

fbx_geometry_kind kiln_fbx_geometry_kind(const fbx *f, uint32_t geometry);

/* Vertices in double. */
typedef struct {
    double (*positions)[3];
    size_t count;
} fbx_shape;

/* The vertices of a mesh as the file has them, in new memory. */
fbx_shape kiln_fbx_shape(const fbx *f, uint32_t geometry);

/* How many polygons of three corners and more it has. */
uint64_t kiln_fbx_count_faces(const fbx *f, uint32_t geometry);
/* How many pieces the lines of a geometry have. */
uint64_t kiln_fbx_count_lines(const fbx *f, uint32_t geometry);

/* Sends the vertices of a shape, and the polygons of the geometry; returns how many of three
 * corners and more these are. `materials` are the numbers of the materials of the scene, in the
 * order of the node that shows the geometry; `otherwise` is that of polygons without one, and
 * *without becomes true where there are any. */
uint64_t kiln_fbx_send_geometry(const fbx *f, uint32_t geometry, const fbx_shape *shape,
                                const uint32_t *materials, size_t material_count,
                                uint32_t otherwise, bool *without);

#endif
