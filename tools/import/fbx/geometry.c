/* Geometry of FBX: meshes of polygons.
 *
 * A mesh has its vertices, and one list of the corners of all its polygons, in which the last
 * corner of each is written as -1 minus its index. A polygon of one corner is a point and one of
 * two a line: both are counted for the report. The number of a face is its place among all polygons
 * of the mesh.
 *
 * An index that refers to no vertex is sent as it is, so that flatten.c refuses or drops the face
 * by its number. */
#include "geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

fbx_geometry_kind kiln_fbx_geometry_kind(const fbx *f, uint32_t geometry)
{
    const uint32_t record = f->objects[geometry].record;

    KILN_ASSERT(f->objects[geometry].kind == FBX_GEOMETRY);
    if (kiln_fbx_says(f, record, 2, "Shape"))
        return FBX_TARGET;
    if (kiln_fbx_says(f, record, 2, "Line"))
        return FBX_LINES;
    return kiln_fbx_says(f, record, 2, "Mesh") ||
                   kiln_fbx_child(f, record, "PolygonVertexIndex") != FBX_NONE
               ? FBX_MESH
               : FBX_OTHER;
}

fbx_shape kiln_fbx_shape(const fbx *f, uint32_t geometry)
{
    const uint32_t record = kiln_fbx_only(f, f->objects[geometry].record, "Vertices");
    fbx_shape shape = {NULL, 0};
    double *numbers;
    size_t count;

    if (record == FBX_NONE)
        return shape;
    numbers = kiln_fbx_reals(f, record, &count);
    if (count % 3 != 0)
        kiln_fbx_fail(f, record, "%zu numbers are no whole vertices; repair the file", count);
    if (count / 3 >= KILN_SCENE_NONE)
        kiln_fbx_fail_unsupported(f, record, "more than 4294967294 vertices; split the model");
    shape.count = count / 3;
    shape.positions = (double(*)[3])numbers;
    return shape;
}

/* -- polygons -- */

/* The corners of all polygons, in new memory; the last is checked to be one. */
static int32_t *corners_of(const fbx *f, uint32_t geometry, size_t *count)
{
    const uint32_t record = kiln_fbx_only(f, f->objects[geometry].record, "PolygonVertexIndex");
    int32_t *corners;

    *count = 0;
    if (record == FBX_NONE)
        return NULL;
    corners = kiln_fbx_wholes(f, record, count);
    if (*count > 0 && corners[*count - 1] >= 0)
        kiln_fbx_fail(f, record,
                      "the last polygon has no last corner, which is a negative number; repair the "
                      "file");
    return corners;
}

/* The corners from one on up to the last of its polygon. */
static size_t size_at(const int32_t *corners, size_t at)
{
    size_t size = 1;

    /* There is one: corners_of has refused a list without. */
    while (corners[at + size - 1] >= 0)
        size++;
    return size;
}

uint64_t kiln_fbx_count_faces(const fbx *f, uint32_t geometry)
{
    uint64_t faces = 0;
    size_t count;
    int32_t *corners = corners_of(f, geometry, &count);

    for (size_t at = 0; at < count;) {
        const size_t size = size_at(corners, at);

        faces += size >= 3;
        at += size;
    }
    free(corners);
    return faces;
}

uint64_t kiln_fbx_count_lines(const fbx *f, uint32_t geometry)
{
    const uint32_t record = kiln_fbx_child(f, f->objects[geometry].record, "PointsIndex");
    uint64_t lines = 0;
    size_t count;
    int32_t *corners;

    if (record == FBX_NONE)
        return 0;
    corners = kiln_fbx_wholes(f, record, &count);
    /* Each line ends as a polygon does. */
    for (size_t i = 0; i + 1 < count; i++)
        lines += corners[i] >= 0;
    free(corners);
    return lines;
}

/* -- materials -- */

/* How a mesh says which of the node's materials a polygon has. */
typedef struct {
    int32_t *slots; /* one for all polygons, or one for each; NULL: none is said */
    size_t count;
    bool each;
} assignment;

/* How materials are assigned. Other ways than these two (by vertices, or none) do not say which a
 * polygon has: it has the first of the node then. */

static assignment assignment_of(const fbx *f, uint32_t geometry, size_t polygons)
{
    const uint32_t layer = kiln_fbx_child(f, f->objects[geometry].record, "LayerElementMaterial");
    const uint32_t list = layer != FBX_NONE ? kiln_fbx_child(f, layer, "Materials") : FBX_NONE;
    const uint32_t mapping =
        layer != FBX_NONE ? kiln_fbx_child(f, layer, "MappingInformationType") : FBX_NONE;
    assignment a = {.slots = NULL};

    KILN_ASSERT(f->objects[geometry].kind == FBX_GEOMETRY);
    if (list == FBX_NONE || mapping == FBX_NONE)
        return a;
    a.each = kiln_fbx_says(f, mapping, 0, "ByPolygon");
    if (!a.each && !kiln_fbx_says(f, mapping, 0, "AllSame"))
        return a;
    a.slots = kiln_fbx_wholes(f, list, &a.count);
    if (a.count < (a.each ? polygons : 1))
        kiln_fbx_warn(f, list,
                      "%zu materials for %zu polygons; those without one have the first of their "
                      "node",
                      a.count, polygons);
    return a;
}

/* -- holes -- */

/* Reports polygons that layers mark as holes: programs that show them leave them out. */
static void look_at_holes(const fbx *f, uint32_t geometry)
{
    const uint32_t record = f->objects[geometry].record;

    KILN_ASSERT(f->objects[geometry].kind == FBX_GEOMETRY);
    for (uint32_t layer = f->records[record].first; layer != FBX_NONE;
         layer = f->records[layer].next) {
        const uint32_t list =
            kiln_fbx_is(f, layer, "LayerElementHole") ? kiln_fbx_only(f, layer, "Hole") : FBX_NONE;
        size_t count, holes = 0;
        int32_t *marks;

        if (list == FBX_NONE)
            continue;
        marks = kiln_fbx_wholes(f, list, &count);
        for (size_t i = 0; i < count; i++)
            holes += marks[i] != 0;
        free(marks);
        if (holes > 0)
            kiln_fbx_warn(f, list,
                          "%zu polygons are marked as holes, and are read as faces; delete them "
                          "before exporting",
                          holes);
    }
}

/* -- sending -- */

uint64_t kiln_fbx_send_geometry(const fbx *f, uint32_t geometry, const fbx_shape *shape,
                                const uint32_t *materials, size_t material_count,
                                uint32_t otherwise, bool *without)
{
    size_t count, polygons = 0, polygon = 0;
    int32_t *corners = corners_of(f, geometry, &count);
    uint32_t *face = kiln_fbx_alloc(f, count, sizeof *face);
    uint64_t faces = 0;
    assignment a;

    if (count > 0 && shape->count == 0)
        kiln_fbx_fail(f, f->objects[geometry].record,
                      "it has polygons and no vertex; repair the file");
    for (size_t i = 0; i < count; i++)
        polygons += corners[i] < 0;
    a = assignment_of(f, geometry, polygons);
    look_at_holes(f, geometry);
    /* All vertices, whether a polygon has them or not: polygons count in them. */
    for (size_t i = 0; i < shape->count; i++)
        kiln_read_vertex(f->reading, shape->positions[i]);
    for (size_t at = 0; at < count; polygon++) {
        const size_t size = size_at(corners, at);
        const size_t place = a.each ? polygon : 0;
        const int32_t slot = place < a.count ? a.slots[place] : 0;

        const bool has = slot >= 0 && (size_t)slot < material_count;

        KILN_ASSERT(at + size <= count);
        *without |= !has;
        for (size_t i = 0; i < size; i++)
            face[i] = (uint32_t)(corners[at + i] >= 0 ? corners[at + i] : -1 - corners[at + i]);
        kiln_read_face(f->reading, face, size, polygon, has ? materials[slot] : otherwise);
        faces += size >= 3;
        at += size;
    }
    KILN_ASSERT(polygon == polygons);
    free(a.slots);
    free(corners);
    free(face);
    return faces;
}
