/* Stanford PLY (G. Turk, "The PLY polygon file format", 1994), binary, low byte first.
 *
 * One list of vertices and one of triangles. Faces have properties of their own: of the mesh `id`
 * and `user`, of volumes the number of the volume in the list of them and how many triangles it
 * has; `level` tells them apart, where both may be there: -1 is the mesh. */
#include "writers.h"

#include "../../runtime/kiln.h"

#include <limits.h>
#include <string.h>

static void put_face(kiln_bytes *out, const uint32_t corners[3], size_t base, uint32_t id,
                     uint32_t user, const int32_t *level)
{
    const unsigned char three = 3;
    uint32_t row[5] = {(uint32_t)(base + corners[0]), (uint32_t)(base + corners[1]),
                       (uint32_t)(base + corners[2]), id, user};
    kiln_bytes_add(out, &three, 1);
    kiln_bytes_add(out, row, sizeof row);
    if (level != NULL) {
        kiln_bytes_add(out, level, sizeof *level);
    }
}

static void put_volumes(const kiln_picture *picture, kiln_bytes *out)
{
    size_t number = 0;
    for (uint32_t i = 0; i < picture->level_count; i++) {
        const kiln_picture_level *level = &picture->levels[i];
        size_t at = level->triangle_first;
        for (uint32_t v = 0; v < level->volumes; v++, number++) {
            const kiln_picture_volume *volume = &picture->volumes[number];
            const int32_t depth = (int32_t)volume->level;
            for (uint32_t t = 0; t < volume->triangle_count; t++) {
                kiln_picture_tell(picture, at,
                                  picture->triangle_count + picture->mesh_triangle_count);
                put_face(out, picture->triangles[at++], level->vertex_first, (uint32_t)number,
                         volume->triangles, &depth);
            }
        }
    }
}

const char *kiln_write_ply(const kiln_picture *picture, kiln_bytes *out)
{
    static const uint8_t grey[3] = {200, 200, 200};
    static const int32_t mesh_level = -1;
    const size_t vertices = picture->vertex_count + picture->mesh_vertex_count;
    const bool volumes = picture->volume_count > 0;
    if (vertices > INT32_MAX) {
        return "more vertices than a PLY file numbers; export one level (--level)";
    }
    kiln_bytes_print(out,
                     "ply\nformat binary_little_endian 1.0\ncomment kiln export %s\n"
                     "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\n",
                     KILN_VERSION_STRING, vertices);
    if (volumes) {
        kiln_bytes_print(out, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
    }
    kiln_bytes_print(out,
                     "element face %zu\nproperty list uchar int vertex_indices\n"
                     "property uint id\nproperty uint user\n%send_header\n",
                     picture->triangle_count + picture->mesh_triangle_count,
                     volumes ? "property int level\n" : "");
    for (size_t v = 0; v < picture->vertex_count; v++) {
        kiln_bytes_add(out, picture->vertices[v], sizeof picture->vertices[v]);
        kiln_bytes_add(out, picture->colours[v], 3);
    }
    for (size_t v = 0; v < picture->mesh_vertex_count; v++) {
        kiln_bytes_add(out, picture->mesh_vertices[v], sizeof picture->mesh_vertices[v]);
        kiln_bytes_add(out, grey, volumes ? 3 : 0);
    }
    put_volumes(picture, out);
    for (size_t t = 0; t < picture->mesh_triangle_count; t++) {
        put_face(out, picture->mesh_triangles[t], picture->vertex_count, picture->ids[t],
                 picture->values[t], volumes ? &mesh_level : NULL);
    }
    return NULL;
}
