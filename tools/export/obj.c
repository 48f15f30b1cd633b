/* Wavefront OBJ: an object for each level of volumes and for each part of the mesh.
 *
 * Colours stand behind the coordinates of vertices of volumes, as other programs write and read
 * them; a material has the name of the level, or of the user value, and no library describes it.
 * Faces of the mesh are in the order of ids, and nine digits give back every float. */
#include "writers.h"

#include "../../runtime/kiln.h"

#include <stdio.h>
#include <string.h>

/* A name in one line: control characters become blanks, of which none is first or last. A last
 * backslash has a '_' behind it: many readers take it for the mark of a line that goes on, and
 * would lose the face or the material below. */
static void put_name(kiln_bytes *out, const char *keyword, const char *name)
{
    kiln_bytes_print(out, "%s ", keyword);
    while (*name != '\0' && (unsigned char)*name <= ' ') {
        name++;
    }
    size_t length = strlen(name);
    while (length > 0 && (unsigned char)name[length - 1] <= ' ') {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        const char c = (unsigned char)name[i] < ' ' || name[i] == 127 ? ' ' : name[i];
        kiln_bytes_add(out, &c, 1);
    }
    kiln_bytes_print(out, "%s\n", length == 0 ? "mesh" : name[length - 1] == '\\' ? "_" : "");
}

static void put_levels(const kiln_picture *picture, kiln_bytes *out)
{
    for (uint32_t i = 0; i < picture->level_count; i++) {
        const kiln_picture_level *level = &picture->levels[i];
        if (level->volumes == 0) {
            continue;
        }
        put_name(out, "o", level->name);
        put_name(out, "usemtl", level->name);
        for (size_t v = level->vertex_first; v < level->vertex_first + level->vertex_count; v++) {
            const float *p = picture->vertices[v];
            const uint8_t *c = picture->colours[v];
            kiln_bytes_print(out, "v %.9g %.9g %.9g %.3f %.3f %.3f\n", (double)p[0], (double)p[1],
                             (double)p[2], c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
        }
        const size_t base = level->vertex_first + 1;
        for (size_t t = level->triangle_first; t < level->triangle_first + level->triangle_count;
             t++) {
            const uint32_t *of = picture->triangles[t];
            kiln_picture_tell(picture, t, picture->triangle_count + picture->mesh_triangle_count);
            kiln_bytes_print(out, "f %zu %zu %zu\n", base + of[0], base + of[1], base + of[2]);
        }
    }
}

static void put_mesh(const kiln_picture *picture, kiln_bytes *out)
{
    const size_t base = picture->vertex_count + 1;
    bool named = false; /* is a material in force? */
    for (size_t v = 0; v < picture->mesh_vertex_count; v++) {
        const float *p = picture->mesh_vertices[v];
        kiln_bytes_print(out, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t r = 0; r < picture->run_count; r++) {
        const kiln_picture_run *run = &picture->runs[r];
        const char *name = kiln_picture_value_name(picture, run->value);
        if (r == 0 || run->part != run[-1].part) {
            put_name(out, "o", kiln_picture_node_name(picture, run->part));
        }
        /* The material that readers give to faces before the first usemtl needs none. */
        if (named || name == NULL || strcmp(name, "DefaultMaterial") != 0) {
            char number[32];
            (void)snprintf(number, sizeof number, "value %lu", (unsigned long)run->value);
            name = name != NULL ? name : number;
            put_name(out, "usemtl", name);
            named = true;
        }
        for (size_t t = run->first; t < run->first + run->count; t++) {
            const uint32_t *of = picture->mesh_triangles[t];
            kiln_picture_tell(picture, picture->triangle_count + t,
                              picture->triangle_count + picture->mesh_triangle_count);
            kiln_bytes_print(out, "f %zu %zu %zu\n", base + of[0], base + of[1], base + of[2]);
        }
    }
}

const char *kiln_write_obj(const kiln_picture *picture, kiln_bytes *out)
{
    kiln_bytes_print(out, "# kiln export %s\n", KILN_VERSION_STRING);
    put_levels(picture, out);
    put_mesh(picture, out);
    return NULL;
}
