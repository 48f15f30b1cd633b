/* X3D files as trees of nodes, of what geometry depends on. */
#ifndef KILN_IMPORT_X3D_DOCUMENT_H
#define KILN_IMPORT_X3D_DOCUMENT_H

#include <sys/types.h>

#include "../../common/memory.h"
#include "../affine.h"
#include "../points.h"

/* The types of geometry nodes, each with the function that makes its mesh (geometry.c). */
#define X3D_GEOMETRY_TYPES(TYPE)                                                                   \
    TYPE(IndexedFaceSet, faces_by_index)                                                           \
    TYPE(IndexedTriangleSet, triangles_by_index)                                                   \
    TYPE(IndexedTriangleFanSet, fans_by_index)                                                     \
    TYPE(IndexedTriangleStripSet, strips_by_index)                                                 \
    TYPE(IndexedQuadSet, quads_by_index)                                                           \
    TYPE(IndexedLineSet, lines_by_index)                                                           \
    TYPE(TriangleSet, triangles)                                                                   \
    TYPE(TriangleFanSet, fans)                                                                     \
    TYPE(TriangleStripSet, strips)                                                                 \
    TYPE(QuadSet, quads)                                                                           \
    TYPE(LineSet, lines)                                                                           \
    TYPE(PointSet, dots)                                                                           \
    TYPE(ElevationGrid, grid)                                                                      \
    TYPE(Extrusion, kiln_x3d_extrusion)                                                            \
    TYPE(Box, kiln_x3d_box)                                                                        \
    TYPE(Sphere, kiln_x3d_sphere)                                                                  \
    TYPE(Cone, kiln_x3d_cone)                                                                      \
    TYPE(Cylinder, kiln_x3d_cylinder)                                                              \
    TYPE(Rectangle2D, kiln_x3d_rectangle)                                                          \
    TYPE(Disk2D, kiln_x3d_disk)                                                                    \
    TYPE(TriangleSet2D, flat_triangles)                                                            \
    TYPE(Polyline2D, flat_line)                                                                    \
    TYPE(Polypoint2D, flat_dots)                                                                   \
    TYPE(Arc2D, curve)                                                                             \
    TYPE(Circle2D, curve)                                                                          \
    TYPE(Text, letters)

typedef enum {
    X3D_GROUP, /* shows its children */
    X3D_TRANSFORM,
    X3D_SWITCH,
    X3D_LOD,
    X3D_INLINE,
    X3D_SHAPE,
    X3D_GEOMETRY,
    X3D_COORDINATE,
    X3D_APPEARANCE,
    X3D_HARMLESS, /* has no geometry, and nothing in it has */
    X3D_UNKNOWN
} x3d_kind;

typedef struct {
    struct x3d_node *node; /* perhaps a child of others, too; NULL: a harmless one */
    size_t number;         /* among all children, with those that are left out */
} x3d_child;

typedef struct x3d_node {
    x3d_kind kind;
    uint64_t line;
    const char *type;        /* the name of the element */
    const char *def;         /* NULL: none */
    const char *material;    /* of an appearance: the name of its material; NULL: none */
    const char **attributes; /* names and values in turn; NULL at the end */
    /* A switch chooses by number, so that it keeps its harmless children; others do not. */
    x3d_child *children;
    size_t child_count, child_capacity;
    size_t numbered; /* children, with those that are left out */
    bool open;       /* while it is read */
    bool has_material;
    /* What has become of it. What its fields say is kept: a node may be used any number of times,
     * and its fields may be long. */
    kiln_points points;                  /* of a coordinate */
    bool has_points, has_mesh, has_user; /* has_mesh: of a geometry that it has been sent */
    bool has_counts;                     /* of a geometry: that it has been gone through */
    uint64_t lines, dots;                /* of a geometry, left out */
    uint32_t mesh, user;
    const struct x3d_node *appearance; /* with which it has been sent */
    bool is_placed;                    /* the members below are known */
    bool hidden, closed;               /* closed: of an inline, that it is not loaded */
    kiln_affine transform;             /* to its parent, but for the unit of a file */
    size_t from, end;                  /* of its children, those that are shown */
    struct x3d_document *file;         /* of an inline */
} x3d_node;

typedef struct x3d_document {
    kiln_reading *reading;
    const char *file; /* of a side file; NULL: the model itself */
    kiln_arena arena; /* of all nodes and texts */
    x3d_node *scene;
    double length, angle; /* its units, in metres and radians */
    dev_t device;         /* of the file, for the reader's use */
    ino_t inode;          /* 0: it is in memory */
} x3d_document;

/* Reads the model, or a side file of it, whose bytes are `model`. */
x3d_document *kiln_x3d_read(kiln_reading *reading, const kiln_model *model, const char *file);
void kiln_x3d_free(x3d_document *document);

x3d_kind kiln_x3d_kind(const char *type);

/* Ends the work because of a node. */
_Noreturn void kiln_x3d_fail(const x3d_document *document, const x3d_node *node,
                             kiln_bake_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void kiln_x3d_warn(const x3d_document *document, const x3d_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fields of nodes. The text of one; NULL: it is not given. */
const char *kiln_x3d_text(const x3d_node *node, const char *name);
/* The next value of a list, not zero-ended; commas are blanks. NULL: there is none. */
const char *kiln_x3d_word(const char **at, size_t *length);
bool kiln_x3d_bool(const x3d_document *document, const x3d_node *node, const char *name,
                   bool otherwise);
/* Exactly `count` numbers, which stay as they are where the field is not given. */
void kiln_x3d_values(const x3d_document *document, const x3d_node *node, const char *name,
                     double *values, size_t count);
/* All numbers, and all whole numbers, of a field. They are the caller's to free. */
double *kiln_x3d_numbers(const x3d_document *document, const x3d_node *node, const char *name,
                         size_t *count);
int32_t kiln_x3d_integer(const x3d_document *document, const x3d_node *node, const char *name,
                         int32_t otherwise); /* of a field of one */
int64_t *kiln_x3d_integers(const x3d_document *document, const x3d_node *node, const char *name,
                           size_t *count);

#endif
