/* Geometry nodes that list their vertices: sets of faces, triangles, quads and lines, by indices or
 * in order, and grids of heights (ISO/IEC 19775-1, components Rendering, Geometry3D, CADGeometry
 * and Geometry2D).
 *
 * A face's number is its place in its node; each triangle of a strip and of a fan is a face. An
 * index that no vertex has goes on to whoever checks faces, so that its message names the face. */
#include "geometry.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"

uint32_t kiln_x3d_point(x3d_mesh *mesh, double x, double y, double z)
{
    const double position[3] = {x, y, z};

    KILN_ASSERT(mesh->points == &mesh->own);
    kiln_points_add(mesh->document->reading, &mesh->own, position);
    return (uint32_t)(mesh->own.at.count - 1);
}

void kiln_x3d_face(x3d_mesh *mesh, const uint32_t *corners, size_t count)
{
    kiln_reading *reading = mesh->document->reading;

    KILN_ASSERT(count > 0);
    for (size_t i = 0; i < count; i++)
        *(uint32_t *)kiln_list_add(reading, &mesh->corners, sizeof(uint32_t)) =
            corners[mesh->reversed ? count - 1 - i : i];
    if (count > UINT32_MAX)
        kiln_send_failure(reading->sender, KILN_BAKE_UNSUPPORTED,
                          "a face of more than 4294967295 corners; split the model");
    *(uint32_t *)kiln_list_add(reading, &mesh->sizes, sizeof(uint32_t)) = (uint32_t)count;
}

static void add_triangle(x3d_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = {a, b, c};

    kiln_x3d_face(mesh, corners, 3);
}

/* -- vertices -- */

/* The numbers of a coordinate are read once, whoever uses it. */
static void load_points(x3d_mesh *mesh)
{
    const x3d_document *document = mesh->document;
    x3d_node *from = NULL;
    double *numbers;
    size_t count;

    for (size_t i = 0; i < mesh->node->child_count; i++)
        if (mesh->node->children[i].node->kind == X3D_COORDINATE)
            from = mesh->node->children[i].node;
    /* Without one, every index is out of range, and that is what is said. */
    if (from == NULL)
        return;
    KILN_ASSERT(mesh->own.at.count == 0);
    mesh->points = &from->points;
    if (from->has_points)
        return;
    from->has_points = true;
    numbers = kiln_x3d_numbers(document, from, "point", &count);
    if (count % 3 != 0)
        kiln_x3d_fail(document, from, KILN_BAKE_INVALID,
                      "point has %zu numbers, which are no points of three", count);
    for (size_t i = 0; i + 2 < count; i += 3)
        kiln_points_add(document->reading, &from->points, numbers + i);
    free(numbers);
}

/* An index that can't be is kept as one. */
static uint32_t index_of(int64_t value)
{
    return value >= 0 && value < KILN_SCENE_NONE ? (uint32_t)value : KILN_SCENE_NONE;
}

/* A run of vertices: a face, a strip, a fan or a line. */
typedef void a_run(x3d_mesh *mesh, const uint32_t *run, size_t count);

/* Every second triangle of a strip has its first two corners the other way round, so that all face
 * the same way. */
static void add_strip(x3d_mesh *mesh, const uint32_t *run, size_t count)
{
    for (size_t i = 0; i + 2 < count; i++)
        add_triangle(mesh, run[i + i % 2], run[i + 1 - i % 2], run[i + 2]);
}

/* All triangles of a fan share its first corner. */
static void add_fan(x3d_mesh *mesh, const uint32_t *run, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++)
        add_triangle(mesh, run[0], run[i], run[i + 1]);
}

static void add_line(x3d_mesh *mesh, const uint32_t *run, size_t count)
{
    (void)run;
    mesh->lines += count > 1 ? count - 1 : 0;
}

/* Runs between indices of -1; one without a vertex is none. */
static void add_runs(x3d_mesh *mesh, const char *name, a_run *add)
{
    kiln_list run = {0};
    size_t count;
    int64_t *indices = kiln_x3d_integers(mesh->document, mesh->node, name, &count);

    load_points(mesh);
    for (size_t i = 0; i <= count; i++) {
        if (i < count && indices[i] != -1) {
            *(uint32_t *)kiln_list_add(mesh->document->reading, &run, sizeof(uint32_t)) =
                index_of(indices[i]);
        } else if (run.count > 0) {
            add(mesh, run.items, run.count);
            run.count = 0;
        }
    }
    free(run.items);
    free(indices);
}

/* Faces of `size` corners each, by a field of indices; NULL: in the order of the vertices. */
static void add_each(x3d_mesh *mesh, const char *name, size_t size)
{
    size_t count;
    int64_t *indices = NULL;

    load_points(mesh);
    count = mesh->points->at.count;
    if (name != NULL)
        indices = kiln_x3d_integers(mesh->document, mesh->node, name, &count);
    for (size_t i = 0; i + size <= count; i += size) {
        uint32_t corners[4];

        KILN_ASSERT(size <= sizeof corners / sizeof corners[0]);
        for (size_t k = 0; k < size; k++)
            corners[k] = name != NULL ? index_of(indices[i + k]) : (uint32_t)(i + k);
        kiln_x3d_face(mesh, corners, size);
    }
    if (count % size != 0)
        kiln_x3d_warn(mesh->document, mesh->node,
                      "it has %zu corners, which are no faces of %zu; the last %zu are left out",
                      count, size, count % size);
    free(indices);
}

/* Runs whose lengths a field lists, in the order of the vertices. */
static void add_counted(x3d_mesh *mesh, const char *name, size_t least, a_run *add)
{
    kiln_list run = {0};
    size_t count, at = 0;
    int64_t *counts = kiln_x3d_integers(mesh->document, mesh->node, name, &count);

    load_points(mesh);
    for (size_t i = 0; i < count; i++) {
        if (counts[i] < (int64_t)least || (uint64_t)counts[i] > mesh->points->at.count - at)
            kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                          "%s has %lld, where %zu vertices are left and %zu is the least", name,
                          (long long)counts[i], mesh->points->at.count - at, least);
        run.count = 0;
        for (int64_t k = 0; k < counts[i]; k++)
            *(uint32_t *)kiln_list_add(mesh->document->reading, &run, sizeof(uint32_t)) =
                (uint32_t)at++;
        add(mesh, run.items, run.count);
    }
    if (at < mesh->points->at.count)
        kiln_x3d_warn(mesh->document, mesh->node,
                      "%s counts %zu vertices of %zu; the others are left out", name, at,
                      mesh->points->at.count);
    free(run.items);
    free(counts);
}

/* -- nodes --
 *
 * Each row of the table below is a function of no arguments but the mesh. */

static void faces_by_index(x3d_mesh *mesh)
{
    add_runs(mesh, "coordIndex", kiln_x3d_face);
}

static void lines_by_index(x3d_mesh *mesh)
{
    add_runs(mesh, "coordIndex", add_line);
}

static void triangles_by_index(x3d_mesh *mesh)
{
    add_each(mesh, "index", 3);
}

static void quads_by_index(x3d_mesh *mesh)
{
    add_each(mesh, "index", 4);
}

static void fans_by_index(x3d_mesh *mesh)
{
    add_runs(mesh, "index", add_fan);
}

static void strips_by_index(x3d_mesh *mesh)
{
    add_runs(mesh, "index", add_strip);
}

static void triangles(x3d_mesh *mesh)
{
    add_each(mesh, NULL, 3);
}

static void quads(x3d_mesh *mesh)
{
    add_each(mesh, NULL, 4);
}

static void fans(x3d_mesh *mesh)
{
    add_counted(mesh, "fanCount", 3, add_fan);
}

static void strips(x3d_mesh *mesh)
{
    add_counted(mesh, "stripCount", 3, add_strip);
}

static void lines(x3d_mesh *mesh)
{
    add_counted(mesh, "vertexCount", 2, add_line);
}

static void dots(x3d_mesh *mesh)
{
    load_points(mesh);
    mesh->dots += mesh->points->at.count;
}

/* Triangles and lines in the plane z = 0. */
static void load_flat(x3d_mesh *mesh, const char *name)
{
    size_t count;
    double *numbers = kiln_x3d_numbers(mesh->document, mesh->node, name, &count);

    if (count % 2 != 0)
        kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                      "%s has %zu numbers, which are no points of two", name, count);
    for (size_t i = 0; i + 1 < count; i += 2)
        (void)kiln_x3d_point(mesh, numbers[i], numbers[i + 1], 0);
    free(numbers);
}

static void flat_triangles(x3d_mesh *mesh)
{
    load_flat(mesh, "vertices");
    add_each(mesh, NULL, 3);
}

static void flat_line(x3d_mesh *mesh)
{
    load_flat(mesh, "lineSegments");
    add_line(mesh, NULL, mesh->own.at.count);
}

static void flat_dots(x3d_mesh *mesh)
{
    load_flat(mesh, "point");
    mesh->dots += mesh->own.at.count;
}

/* A circle or an arc: one line, though a round one. */
static void curve(x3d_mesh *mesh)
{
    mesh->lines++;
}

static void letters(x3d_mesh *mesh)
{
    kiln_x3d_warn(mesh->document, mesh->node,
                  "letters are left out, whose shapes are those of a font; export them as faces");
}

/* Heights along x first, then z; seen from above, faces are counterclockwise. */
static void grid(x3d_mesh *mesh)
{
    const x3d_document *document = mesh->document;
    double spacing[2] = {1, 1};
    size_t count, across, along;
    double *heights = kiln_x3d_numbers(document, mesh->node, "height", &count);

    const int32_t size[2] = {kiln_x3d_integer(document, mesh->node, "xDimension", 0),
                             kiln_x3d_integer(document, mesh->node, "zDimension", 0)};
    kiln_x3d_values(document, mesh->node, "xSpacing", &spacing[0], 1);
    kiln_x3d_values(document, mesh->node, "zSpacing", &spacing[1], 1);
    if (size[0] < 0 || size[1] < 0 || (uint64_t)size[0] * (uint64_t)size[1] > count)
        kiln_x3d_fail(document, mesh->node, KILN_BAKE_INVALID,
                      "%d times %d points are declared, and %zu heights are there", (int)size[0],
                      (int)size[1], count);
    across = (size_t)size[0];
    along = (size_t)size[1];
    if (across * along < count)
        kiln_x3d_warn(document, mesh->node, "%zu heights beyond %zu times %zu are left out",
                      count - across * along, across, along);
    for (size_t j = 0; j < along; j++)
        for (size_t i = 0; i < across; i++)
            (void)kiln_x3d_point(mesh, spacing[0] * (double)i, heights[i + j * across],
                                 spacing[1] * (double)j);
    for (size_t j = 0; j + 1 < along; j++)
        for (size_t i = 0; i + 1 < across; i++) {
            const uint32_t at = (uint32_t)(i + j * across), next = at + (uint32_t)across;
            const uint32_t corners[4] = {at, next, next + 1, at + 1};

            kiln_x3d_face(mesh, corners, 4);
        }
    free(heights);
}

x3d_geometry *kiln_x3d_geometry(const char *type)
{
    static const struct {
        const char *type;
        x3d_geometry *make;
    } known[] = {
#define ROW(type, make) {#type, make},
        X3D_GEOMETRY_TYPES(ROW)
#undef ROW
    };

    size_t i = 0;

    while (strcmp(known[i].type, type) != 0) {
        i++;
        KILN_ASSERT(i < sizeof known / sizeof known[0]);
    }
    return known[i].make;
}
