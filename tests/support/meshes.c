/* See meshes.h. */
#include "meshes.h"

#include "../../models/shape/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mesh mesh_of(uint32_t vertices, uint32_t triangles)
{
    mesh m = {malloc(3 * sizeof(float) * vertices), malloc(3 * sizeof(uint32_t) * triangles),
              vertices, triangles};
    if (m.positions == NULL || m.indices == NULL) {
        abort();
    }
    return m;
}

void mesh_free(mesh *m)
{
    free(m->positions);
    free(m->indices);
    memset(m, 0, sizeof *m);
}

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(random_next(state) % limit);
}

double random_between(uint64_t *state, double lower, double upper)
{
    return lower + (upper - lower) * ((double)(random_next(state) >> 11) * 0x1p-53);
}

void random_direction(uint64_t *state, double out[3])
{
    double length;
    do {
        length = 0;
        for (int k = 0; k < 3; k++) {
            out[k] = random_between(state, -1, 1);
            length += out[k] * out[k];
        }
    } while (length > 1 || length < 0.01);
    for (int k = 0; k < 3; k++) {
        out[k] /= sqrt(length);
    }
}

mesh mesh_box(float x0, float y0, float z0, float x1, float y1, float z1)
{
    static const uint32_t faces[36] = {0, 2, 1, 0, 3, 2, 4, 5, 6, 4, 6, 7, 0, 1, 5, 0, 5, 4,
                                       1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7};
    const float corners[24] = {x0, y0, z0, x1, y0, z0, x1, y1, z0, x0, y1, z0,
                               x0, y0, z1, x1, y0, z1, x1, y1, z1, x0, y1, z1};
    mesh m = mesh_of(8, 12);
    memcpy(m.positions, corners, sizeof corners);
    memcpy(m.indices, faces, sizeof faces);
    return m;
}

mesh mesh_torus(uint32_t rings, uint32_t sides, double bump)
{
    mesh m = mesh_of(rings * sides, 2 * rings * sides);
    const double turn = 6.283185307179586;
    for (uint32_t i = 0; i < rings; i++) {
        for (uint32_t j = 0; j < sides; j++) {
            const double u = turn * i / rings, v = turn * j / sides;
            const double r = 0.4 * (1 + bump * sin(7 * u) * cos(5 * v));
            float *p = m.positions + 3 * (i * sides + j);
            p[0] = (float)((1 + r * cos(v)) * cos(u));
            p[1] = (float)((1 + r * cos(v)) * sin(u));
            p[2] = (float)(r * sin(v));
            const uint32_t a = i * sides + j, b = i * sides + (j + 1) % sides;
            const uint32_t c = (i + 1) % rings * sides + j;
            const uint32_t d = (i + 1) % rings * sides + (j + 1) % sides;
            const uint32_t two[6] = {a, c, d, a, d, b};
            memcpy(m.indices + 6 * (i * sides + j), two, sizeof two);
        }
    }
    return m;
}

static void count_up(mesh *m)
{
    for (uint32_t i = 0; i < 3 * m->triangle_count; i++) {
        m->indices[i] = i;
    }
}

mesh mesh_of_shape(const char *name, uint32_t triangles)
{
    const shape_kind *kind = shape_find(name);
    if (kind == NULL) {
        abort();
    }
    shape_mesh made = shape_make(kind, triangles);
    mesh m = mesh_of(made.vertex_count, made.triangle_count);
    for (size_t i = 0; i < 3 * (size_t)made.vertex_count; i++) {
        m.positions[i] = (float)(made.positions[i] / 1e6);
    }
    memcpy(m.indices, made.indices, 3 * sizeof(uint32_t) * made.triangle_count);
    shape_free(&made);
    return m;
}

mesh mesh_tetrahedra(uint64_t *state, uint32_t count, int extent)
{
    static const uint32_t faces[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    mesh m = mesh_of(4 * count, 4 * count);
    for (uint32_t i = 0; i < 12 * count; i++) {
        m.positions[i] = (float)((int)random_below(state, (uint32_t)(2 * extent + 1)) - extent);
        m.indices[i] = 4 * (i / 12) + faces[i % 12];
    }
    return m;
}

mesh mesh_soup(uint64_t *state, uint32_t triangles, double size)
{
    mesh m = mesh_of(3 * triangles, triangles);
    for (uint32_t i = 0; i < triangles; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            const double centre = random_between(state, -1, 1);
            for (uint32_t corner = 0; corner < 3; corner++) {
                m.positions[9 * i + 3 * corner + k] =
                    (float)(centre + random_between(state, -size, size));
            }
        }
    }
    count_up(&m);
    return m;
}

mesh mesh_lattice(uint64_t *state, uint32_t triangles, int extent)
{
    mesh m = mesh_of(3 * triangles, triangles);
    for (uint32_t i = 0; i < 9 * triangles; i++) {
        m.positions[i] = (float)((int)random_below(state, (uint32_t)(2 * extent + 1)) - extent);
    }
    count_up(&m);
    return m;
}

kiln_pose pose_random(uint64_t *state, double reach)
{
    double q[4], length = 0;
    do {
        length = 0;
        for (int i = 0; i < 4; i++) {
            q[i] = random_between(state, -1, 1);
            length += q[i] * q[i];
        }
    } while (length > 1 || length < 0.01);
    length = sqrt(length);
    double translation[3];
    for (int i = 0; i < 4; i++) {
        q[i] /= length;
    }
    for (int i = 0; i < 3; i++) {
        translation[i] = random_between(state, -reach, reach);
    }
    kiln_pose pose;
    if (kiln_pose_from_quaternion(q, translation, &pose) != KILN_OK) {
        abort();
    }
    return pose;
}

kiln_pose pose_exact(uint64_t *state, int reach)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    const uint32_t pick = random_below(state, 24);
    const int *order = orders[pick % 6];
    double sign[3] = {(pick / 6) & 1 ? -1 : 1, (pick / 12) & 1 ? -1 : 1, 1};
    sign[2] = sign[0] * sign[1] * (pick % 6 < 3 ? 1 : -1); /* determinant 1 */
    kiln_pose pose = kiln_pose_identity();
    memset(pose.rotation, 0, sizeof pose.rotation);
    for (int i = 0; i < 3; i++) {
        pose.rotation[3 * i + order[i]] = sign[i];
        pose.translation[i] = (int)random_below(state, (uint32_t)(2 * reach + 1)) - reach;
    }
    return pose;
}

double scale_random(uint64_t *state, bool exact)
{
    const uint32_t pick = random_below(state, 9);
    if (pick < 2) {
        return 1;
    }
    return exact ? ldexp(1, (int)pick - 5) : pow(10, random_between(state, -1, 1));
}

void pose_turn(kiln_pose *pose, const double axis[3], double half_sine)
{
    const double c = sqrt(1 - half_sine * half_sine);
    const double q[4] = {axis[0] * half_sine, axis[1] * half_sine, axis[2] * half_sine, c};
    double r[9];
    kiln_pose by;
    if (kiln_pose_from_quaternion(q, NULL, &by) != KILN_OK) {
        abort();
    }
    for (int i = 0; i < 9; i++) {
        r[i] = by.rotation[i / 3 * 3] * pose->rotation[i % 3] +
               by.rotation[i / 3 * 3 + 1] * pose->rotation[3 + i % 3] +
               by.rotation[i / 3 * 3 + 2] * pose->rotation[6 + i % 3];
    }
    memcpy(pose->rotation, r, sizeof r);
}
