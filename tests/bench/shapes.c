/* Procedural meshes. Those that users can generate, too, come from models/shape; the others are put
 * together from tubes and patches of vertices. Each mesh has its counts of vertices and triangles
 * before it is filled, so that nothing grows. */
#include "shapes.h"

#include "../../models/shape/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double full_circle = 6.283185307179586;

/* A mesh that is filled patch by patch. */
typedef struct {
    mesh mesh;
    uint32_t vertices, triangles; /* filled so far */
} filling;

static filling start(uint32_t vertices, uint32_t triangles)
{
    filling f = {{malloc(3 * sizeof(float) * vertices), malloc(3 * sizeof(uint32_t) * triangles),
                  vertices, triangles},
                 0,
                 0};
    if (f.mesh.positions == NULL || f.mesh.indices == NULL) {
        abort();
    }
    return f;
}

static void add_vertex(filling *f, const double p[3])
{
    for (int k = 0; k < 3; k++) {
        f->mesh.positions[3 * f->vertices + (uint32_t)k] = (float)p[k];
    }
    f->vertices++;
}

/* Two triangles between rows `a` and `b` of vertices, columns i and j. */
static void add_quad(filling *f, uint32_t a, uint32_t b, uint32_t i, uint32_t j)
{
    const uint32_t corners[6] = {a + i, b + i, b + j, a + i, b + j, a + j};
    memcpy(f->mesh.indices + 3 * f->triangles, corners, sizeof corners);
    f->triangles += 2;
}

/* Rows of `sides` vertices each, which start at vertex `first`, sewn into a tube. */
static void sew_tube(filling *f, uint32_t first, uint32_t rows, uint32_t sides, bool closed)
{
    for (uint32_t row = 0; row + (closed ? 0 : 1) < rows; row++) {
        const uint32_t a = first + row * sides, b = first + (row + 1) % rows * sides;
        for (uint32_t i = 0; i < sides; i++) {
            add_quad(f, a, b, i, (i + 1) % sides);
        }
    }
}

/* One of the models that are generated for users, too. */
static mesh of_model(const char *name, uint32_t triangles)
{
    shape_mesh made = shape_make(shape_find(name), triangles);
    filling f = start(made.vertex_count, made.triangle_count);
    for (uint32_t i = 0; i < made.vertex_count; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = made.positions[3 * i + (uint32_t)k] / 1e6;
        }
        add_vertex(&f, p);
    }
    memcpy(f.mesh.indices, made.indices, 3 * sizeof(uint32_t) * made.triangle_count);
    shape_free(&made);
    return f.mesh;
}

static mesh make_torus(void)
{
    return of_model("torus", 20000);
}

static void normalise(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; k++) {
        v[k] /= length;
    }
}

static mesh make_knot(void)
{
    return of_model("knot", 100000);
}

/* Six faces of a cube drawn onto a sphere with dents and bumps of several sizes. */
static mesh make_bumpy(void)
{
    enum { N = 82 };
    filling f = start(6 * (N + 1) * (N + 1), 6 * 2 * N * N);
    for (int face = 0; face < 6; face++) {
        const uint32_t first = f.vertices;
        for (int i = 0; i <= N; i++) {
            for (int j = 0; j <= N; j++) {
                double p[3];
                p[face % 3] = face < 3 ? 1 : -1;
                p[(face + 1) % 3] = tan(full_circle / 8 * (2.0 * i / N - 1));
                p[(face + 2) % 3] = tan(full_circle / 8 * (2.0 * j / N - 1));
                normalise(p);
                const double r = 1 + 0.12 * sin(5 * p[0] + 1) * sin(4 * p[1]) * cos(6 * p[2]) +
                                 0.02 * sin(23 * p[0]) * cos(19 * p[1] + 17 * p[2]);
                for (int k = 0; k < 3; k++) {
                    p[k] *= r;
                }
                add_vertex(&f, p);
            }
        }
        for (uint32_t i = 0; i < N; i++) {
            for (uint32_t j = 0; j < N; j++) {
                add_quad(&f, first + i * (N + 1), first + (i + 1) * (N + 1), j, j + 1);
            }
        }
    }
    return f.mesh;
}

/* Gear wheel with a bore: one closed outline, swept around teeth, rims and bore. */
static mesh make_gear(void)
{
    enum { TEETH = 28, STEPS = 16, COLUMNS = TEETH * STEPS, ROWS = 6 };
    static const double height[ROWS] = {-0.15, 0, 0.15, 0.15, 0, -0.15};
    filling f = start(ROWS * COLUMNS, 2 * ROWS * COLUMNS);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t i = 0; i < COLUMNS; i++) {
            const double angle = full_circle * i / COLUMNS, phase = (double)(i % STEPS) / STEPS;
            const double flank = fmin(1, fmax(0, 3 * fabs(2 * phase - 1) - 1));
            const double r = row < 3 ? 0.85 + 0.15 * flank : 0.35;
            const double p[3] = {r * cos(angle), r * sin(angle), height[row]};
            add_vertex(&f, p);
        }
    }
    sew_tube(&f, 0, ROWS, COLUMNS, true);
    return f.mesh;
}

/* 16 pipes along each axis, through each other: many parts that cross. */
static mesh make_lattice(void)
{
    enum { ACROSS = 4, PIPES = 3 * ACROSS * ACROSS, ROWS = 74, SIDES = 20 };
    filling f = start(PIPES * ROWS * SIDES, PIPES * 2 * (ROWS - 1) * SIDES);
    for (int pipe = 0; pipe < PIPES; pipe++) {
        const int axis = pipe % 3, place = pipe / 3;
        const double x = 0.5 * (place % ACROSS) - 0.75 + 0.02 * axis;
        const double y = 0.5 * (place / ACROSS) - 0.75 + 0.03 * axis;
        const uint32_t first = f.vertices;
        for (uint32_t row = 0; row < ROWS; row++) {
            for (uint32_t i = 0; i < SIDES; i++) {
                double p[3];
                p[axis] = 2.0 * row / (ROWS - 1) - 1;
                p[(axis + 1) % 3] = x + 0.06 * cos(full_circle * i / SIDES);
                p[(axis + 2) % 3] = y + 0.06 * sin(full_circle * i / SIDES);
                add_vertex(&f, p);
            }
        }
        sew_tube(&f, first, ROWS, SIDES, false);
    }
    return f.mesh;
}

const shape shapes[] = {
    {"gear", make_gear}, {"torus", make_torus},     {"bumpy", make_bumpy},
    {"knot", make_knot}, {"lattice", make_lattice},
};
const unsigned shape_count = sizeof shapes / sizeof shapes[0];
