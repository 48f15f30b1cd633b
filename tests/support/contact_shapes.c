/* See contact_shapes.h. */
#include "contact_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct {
    mesh m;
    uint32_t vertex_room, triangle_room;
} builder;

static uint32_t add_vertex(builder *b, double x, double y, double z)
{
    if (b->m.vertex_count == b->vertex_room) {
        b->vertex_room = 2 * b->vertex_room + 64;
        b->m.positions = realloc(b->m.positions, 3 * sizeof(float) * b->vertex_room);
    }
    if (b->m.positions == NULL) {
        abort();
    }
    float *at = b->m.positions + 3 * (size_t)b->m.vertex_count;
    at[0] = (float)x;
    at[1] = (float)y;
    at[2] = (float)z;
    return b->m.vertex_count++;
}

static void add_triangle(builder *b, uint32_t i, uint32_t j, uint32_t k)
{
    if (b->m.triangle_count == b->triangle_room) {
        b->triangle_room = 2 * b->triangle_room + 64;
        b->m.indices = realloc(b->m.indices, 3 * sizeof(uint32_t) * b->triangle_room);
    }
    if (b->m.indices == NULL) {
        abort();
    }
    uint32_t *of = b->m.indices + 3 * (size_t)b->m.triangle_count++;
    of[0] = i;
    of[1] = j;
    of[2] = k;
}

/* ---------------------------------------------------------------- polyhedra, by their faces -- */

/* The same for both triangles at an edge: of its ends in order, and of a number. */
static double edge_noise(const float *low, const float *high, uint32_t i)
{
    uint64_t state = 0x1234567 + i;
    for (int k = 0; k < 6; k++) {
        uint32_t bits;
        memcpy(&bits, k < 3 ? &low[k] : &high[k - 3], sizeof bits);
        state = random_next(&state) ^ bits;
    }
    return random_between(&state, -0.35, 0.35);
}

/* Point i of n along an edge, the same to the bit from either end. */
static void on_edge(const float *from, const float *to, uint32_t i, uint32_t n, bool irregular,
                    double out[3])
{
    const bool turned = memcmp(from, to, 3 * sizeof *from) > 0;
    const float *low = turned ? to : from, *high = turned ? from : to;
    const uint32_t at = turned ? n - i : i;
    const double noise = irregular && at > 0 && at < n ? edge_noise(low, high, at) : 0;
    const double part = (at + noise) / n;
    for (int k = 0; k < 3; k++) {
        out[k] =
            at == n ? (double)high[k] : (double)low[k] + part * ((double)high[k] - (double)low[k]);
    }
}

/* Triangle a b c as n x n, in rows from a. Vertices are not shared, but equal. */
static void add_divided(builder *b, const float *a, const float *p, const float *q, uint32_t n,
                        bool irregular, uint64_t *state)
{
    const uint32_t first = b->m.vertex_count;
    for (uint32_t row = 0; row <= n; row++) {
        for (uint32_t i = 0; i <= row; i++) {
            double at[3];
            if (i == 0) {
                on_edge(a, p, row, n, irregular, at);
            } else if (i == row) {
                on_edge(a, q, row, n, irregular, at);
            } else if (row == n) {
                on_edge(p, q, i, n, irregular, at);
            } else {
                const double move = irregular ? 0.3 : 0;
                const double u = (row - i + random_between(state, -move, move)) / n;
                const double v = (i + random_between(state, -move, move)) / n;
                for (int k = 0; k < 3; k++) {
                    at[k] = (double)a[k] + u * ((double)p[k] - (double)a[k]) +
                            v * ((double)q[k] - (double)a[k]);
                }
            }
            add_vertex(b, at[0], at[1], at[2]);
        }
    }
    for (uint32_t row = 0; row < n; row++) {
        const uint32_t above = first + row * (row + 1) / 2, below = above + row + 1;
        for (uint32_t i = 0; i <= row; i++) {
            add_triangle(b, above + i, below + i, below + i + 1);
            if (i < row) {
                add_triangle(b, above + i, below + i + 1, above + i + 1);
            }
        }
    }
}

mesh solid_divided(const mesh *m, uint32_t n)
{
    builder b = {{NULL, NULL, 0, 0}, 0, 0};
    uint64_t unused = 0;
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const uint32_t *of = m->indices + 3 * (size_t)t;
        add_divided(&b, m->positions + 3 * (size_t)of[0], m->positions + 3 * (size_t)of[1],
                    m->positions + 3 * (size_t)of[2], n, false, &unused);
    }
    return b.m;
}

static mesh faces(solid_kind kind)
{
    if (kind == SOLID_CUBE) {
        return mesh_box(-1, -1, -1, 1, 1, 1);
    }
    if (kind == SOLID_GROUND) {
        return mesh_box(-6, -6, -4, 6, 6, 0);
    }
    builder b = {{NULL, NULL, 0, 0}, 0, 0};
    if (kind == SOLID_SHEET) {
        add_vertex(&b, -6, -6, 0);
        add_vertex(&b, 6, -6, 0);
        add_vertex(&b, 6, 6, 0);
        add_vertex(&b, -6, 6, 0);
        add_triangle(&b, 0, 1, 2);
        add_triangle(&b, 0, 2, 3);
        return b.m;
    }
    static const uint32_t of[8][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 5}, {0, 5, 4},
                                      {2, 3, 4}, {2, 4, 5}, {1, 2, 5}, {3, 0, 4}};
    add_vertex(&b, -1, -1, -1);
    add_vertex(&b, 1, -1, -1);
    add_vertex(&b, 1, 1, -1);
    add_vertex(&b, -1, 1, -1);
    add_vertex(&b, -1, 0, 1);
    add_vertex(&b, 1, 0, 1);
    for (int i = 0; i < 8; i++) {
        add_triangle(&b, of[i][0], of[i][1], of[i][2]);
    }
    return b.m;
}

/* ---------------------------------------------------------------------------- round solids -- */

/* A profile: radius and height at v from 0 to 1. */
static void profile(solid_kind kind, double v, double *radius, double *height)
{
    if (kind == SOLID_SPHERE) {
        *radius = sin(PI * v);
        *height = -cos(PI * v);
    } else if (kind == SOLID_TORUS) {
        *radius = 1 + 0.4 * cos(2 * PI * v);
        *height = 0.4 * sin(2 * PI * v);
    } else { /* a quarter each of the floor, the ceiling, and half the side */
        *radius = v < 0.25 ? 4 * v : v > 0.75 ? 4 * (1 - v) : 1;
        *height = v < 0.25 ? -1 : v > 0.75 ? 1 : 4 * v - 2;
    }
}

static mesh round_solid(solid_kind kind, uint32_t triangles, bool irregular, uint64_t *state)
{
    builder b = {{NULL, NULL, 0, 0}, 0, 0};
    const bool ring = kind == SOLID_TORUS;
    uint32_t rows = (uint32_t)(0.5 * sqrt(triangles)) / 4 * 4;
    rows = rows < 4 ? 4 : rows;
    uint32_t columns = ring ? triangles / (2 * rows) : triangles / (2 * (rows - 1));
    columns = columns < 3 ? 3 : columns;
    const uint32_t lines = ring ? rows : rows + 1;
    for (uint32_t row = 0; row < lines; row++) {
        const bool pole = !ring && (row == 0 || row == rows);
        /* The rims of a cylinder stay where they are. */
        const bool fixed = kind == SOLID_CYLINDER && (row == rows / 4 || row == 3 * rows / 4);
        for (uint32_t column = 0; column < (pole ? 1 : columns); column++) {
            const double move = irregular && !pole ? 0.3 : 0;
            const double v = (row + (fixed ? 0 : random_between(state, -move, move))) / rows;
            const double u = (column + random_between(state, -move, move)) / columns;
            double radius, height;
            profile(kind, v, &radius, &height);
            radius = pole ? 0 : radius;
            add_vertex(&b, radius * cos(2 * PI * u), radius * sin(2 * PI * u), height);
        }
    }
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t column = 0; column < columns; column++) {
            const uint32_t next = (column + 1) % columns;
            const uint32_t low = ring ? row * columns : row == 0 ? 0 : 1 + (row - 1) * columns;
            const uint32_t high = ring ? (row + 1) % rows * columns : 1 + row * columns;
            const bool other = irregular && random_below(state, 2) == 0;
            if (!ring && row == 0) {
                add_triangle(&b, 0, high + next, high + column);
            } else if (!ring && row == rows - 1) {
                add_triangle(&b, low + column, low + next, high);
            } else if (other) {
                add_triangle(&b, low + column, low + next, high + column);
                add_triangle(&b, low + next, high + next, high + column);
            } else {
                add_triangle(&b, low + column, low + next, high + next);
                add_triangle(&b, low + column, high + next, high + column);
            }
        }
    }
    return b.m;
}

mesh solid_shuffled(const mesh *m, uint64_t *state)
{
    mesh out = *m;
    out.positions = malloc(3 * sizeof(float) * (m->vertex_count + 1));
    out.indices = malloc(3 * sizeof(uint32_t) * (m->triangle_count + 1));
    if (out.positions == NULL || out.indices == NULL) {
        abort();
    }
    memcpy(out.positions, m->positions, 3 * sizeof(float) * m->vertex_count);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        const uint32_t j = random_below(state, i + 1), turn = random_below(state, 3);
        uint32_t *to = out.indices + 3 * (size_t)j;
        memmove(out.indices + 3 * (size_t)i, to, 3 * sizeof *to);
        for (uint32_t c = 0; c < 3; c++) {
            to[c] = m->indices[3 * (size_t)i + (c + turn) % 3];
        }
    }
    return out;
}

mesh solid_mesh(solid_kind kind, uint32_t triangles, bool irregular, uint64_t *state)
{
    mesh m;
    if (kind == SOLID_SPHERE || kind == SOLID_CYLINDER || kind == SOLID_TORUS) {
        m = round_solid(kind, triangles, irregular, state);
    } else {
        builder b = {{NULL, NULL, 0, 0}, 0, 0};
        mesh base = faces(kind);
        uint32_t n = (uint32_t)(sqrt((double)triangles / base.triangle_count) + 0.5);
        n = n < 1 ? 1 : n;
        for (uint32_t t = 0; t < base.triangle_count; t++) {
            const uint32_t *of = base.indices + 3 * (size_t)t;
            add_divided(&b, base.positions + 3 * (size_t)of[0], base.positions + 3 * (size_t)of[1],
                        base.positions + 3 * (size_t)of[2], n, irregular, state);
        }
        mesh_free(&base);
        m = b.m;
    }
    if (irregular) {
        mesh shuffled = solid_shuffled(&m, state);
        mesh_free(&m);
        return shuffled;
    }
    return m;
}

void solid_extent(const mesh *m, const kiln_pose *pose, const double direction[3], double *low,
                  double *high)
{
    *low = HUGE_VAL;
    *high = -HUGE_VAL;
    for (uint32_t v = 0; v < m->vertex_count; v++) {
        double height = 0;
        for (int i = 0; i < 3; i++) {
            double at = pose->translation[i];
            for (int j = 0; j < 3; j++) {
                at += pose->scale * pose->rotation[3 * i + j] *
                      (double)m->positions[3 * (size_t)v + (size_t)j];
            }
            height += direction[i] * at;
        }
        *low = fmin(*low, height);
        *high = fmax(*high, height);
    }
}

/* How far a point of a triangle is inside. */
static double off_surface(solid_kind kind, const double at[3])
{
    const double across = hypot(at[0], at[1]);
    if (kind == SOLID_SPHERE) {
        return 1 - hypot(across, at[2]);
    }
    return kind == SOLID_TORUS ? 0.4 - hypot(across - 1, at[2]) : 1 - across;
}

double solid_sagitta(solid_kind kind, const mesh *m)
{
    double most = 0;
    if (kind != SOLID_SPHERE && kind != SOLID_CYLINDER && kind != SOLID_TORUS) {
        return 0;
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        const float *corner[3];
        for (int c = 0; c < 3; c++) {
            corner[c] = m->positions + 3 * (size_t)m->indices[3 * (size_t)t + (size_t)c];
        }
        if (kind == SOLID_CYLINDER && corner[0][2] == corner[1][2] &&
            corner[0][2] == corner[2][2] && fabsf(corner[0][2]) == 1) {
            continue; /* of the floor or the ceiling */
        }
        for (int c = 0; c < 3; c++) {
            double middle[3];
            for (int k = 0; k < 3; k++) {
                middle[k] = 0.5 * ((double)corner[c][k] + (double)corner[(c + 1) % 3][k]);
            }
            most = fmax(most, off_surface(kind, middle));
        }
    }
    return most;
}

const solid_meeting solid_meetings[SOLID_MEETINGS] = {
    {SOLID_SPHERE, SOLID_SPHERE, 2, 0, false, false},
    {SOLID_CUBE, SOLID_SPHERE, 2, 0.3, false, false},
    {SOLID_CYLINDER, SOLID_SPHERE, 2, 0.1, false, false},
    {SOLID_CUBE, SOLID_CUBE, 2, 0.5, false, false},
    {SOLID_WEDGE, SOLID_CUBE, 2, 0.5, false, false},
    {SOLID_SPHERE, SOLID_WEDGE, 2, 0, false, false},
    {SOLID_CUBE, SOLID_WEDGE, 2, 0.2, false, false},
    {SOLID_TORUS, SOLID_TORUS, 0.8, 0, false, false},
    {SOLID_TORUS, SOLID_CUBE, 1.4, 0, false, false},
    {SOLID_CYLINDER, SOLID_CYLINDER, 2, 0, false, false},
    {SOLID_SPHERE, SOLID_CYLINDER, 2, 0, false, true},
    {SOLID_CUBE, SOLID_CYLINDER, 2, 0, false, true},
    {SOLID_CYLINDER, SOLID_CUBE, 2, 0, true, false},
    {SOLID_TORUS, SOLID_SPHERE, 2.4, 0, true, false},
    {SOLID_WEDGE, SOLID_WEDGE, 2, 0.2, false, false},
    {SOLID_WEDGE, SOLID_CYLINDER, 2, 0.2, false, false},
    {SOLID_TORUS, SOLID_WEDGE, 2.4, 0, true, false},
    {SOLID_TORUS, SOLID_CYLINDER, 2.4, 0.2, true, false},
};
