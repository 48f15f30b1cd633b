/* shapes NAME TRIANGLES OUT: writes a procedural model as OBJ, PLY or binary STL, by the ending of
 * OUT.
 *
 * NAME is one of those in shape/shape.c. The bytes are the same on every machine. */
#include "shape/shape.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
    (void)fputs("usage: shapes NAME TRIANGLES OUT.obj|OUT.ply|OUT.stl\n", stderr);
    for (unsigned i = 0; i < shape_kind_count; i++) {
        (void)fprintf(stderr, "  %-6s %s\n", shape_kinds[i].name, shape_kinds[i].what);
    }
    return 1;
}

static bool ends_with(const char *path, const char *ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

/* Millionths as a decimal number. */
static void write_vertices(FILE *out, const shape_mesh *mesh, const char *prefix)
{
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        (void)fputs(prefix, out);
        for (int k = 0; k < 3; k++) {
            const int32_t value = mesh->positions[3 * (size_t)i + (size_t)k];
            const uint32_t size = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
            (void)fprintf(out, "%s%s%u.%06u", k > 0 ? " " : "", value < 0 ? "-" : "",
                          size / 1000000, size % 1000000);
        }
        (void)fputc('\n', out);
    }
}

static void write_faces(FILE *out, const shape_mesh *mesh, const char *prefix, uint32_t first)
{
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        const uint32_t *corner = mesh->indices + 3 * (size_t)i;
        (void)fprintf(out, "%s%u %u %u\n", prefix, corner[0] + first, corner[1] + first,
                      corner[2] + first);
    }
}

static void write_ply_head(FILE *out, const shape_mesh *mesh)
{
    (void)fprintf(out,
                  "ply\nformat ascii 1.0\nelement vertex %u\nproperty float x\nproperty float y\n"
                  "property float z\nelement face %u\nproperty list uchar int vertex_indices\n"
                  "end_header\n",
                  mesh->vertex_count, mesh->triangle_count);
}

static void put_u32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static void put_corner(uint8_t *to, const int32_t *position)
{
    for (int k = 0; k < 3; k++) {
        const float value = (float)(position[k] / 1e6);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        put_u32(to + 4 * k, bits);
    }
}

/* Without normals, which readers reckon themselves. */
static void write_stl(FILE *out, const shape_mesh *mesh)
{
    uint8_t head[84] = "a procedural model of kiln";
    put_u32(head + 80, mesh->triangle_count);
    (void)fwrite(head, sizeof head, 1, out);
    for (uint32_t i = 0; i < mesh->triangle_count; i++) {
        uint8_t facet[50] = {0};
        for (size_t k = 0; k < 3; k++) {
            const size_t vertex = mesh->indices[3 * (size_t)i + k];
            put_corner(facet + 12 + 12 * k, mesh->positions + 3 * vertex);
        }
        (void)fwrite(facet, sizeof facet, 1, out);
    }
}

static int write_mesh(const char *path, const shape_mesh *mesh)
{
    FILE *out = fopen(path, "wb");
    if (out != NULL && ends_with(path, ".ply")) {
        write_ply_head(out, mesh);
        write_vertices(out, mesh, "");
        write_faces(out, mesh, "3 ", 0);
    } else if (out != NULL && ends_with(path, ".stl")) {
        write_stl(out, mesh);
    } else if (out != NULL) {
        write_vertices(out, mesh, "v ");
        write_faces(out, mesh, "f ", 1);
    }
    if (out == NULL || ferror(out) != 0 || fclose(out) != 0) {
        (void)fprintf(stderr, "shapes: %s: %s\n", path, strerror(errno));
        return 2;
    }
    return 0;
}

int main(int argc, char **argv)
{
    const shape_kind *kind = argc == 4 ? shape_find(argv[1]) : NULL;
    const long triangles = argc == 4 ? strtol(argv[2], NULL, 10) : 0;
    if (kind == NULL || triangles < 100 || triangles > 100000000 ||
        (!ends_with(argv[3], ".obj") && !ends_with(argv[3], ".ply") &&
         !ends_with(argv[3], ".stl"))) {
        return usage();
    }
    shape_mesh mesh = shape_make(kind, (uint32_t)triangles);
    const int status = write_mesh(argv[3], &mesh);
    shape_free(&mesh);
    return status;
}
