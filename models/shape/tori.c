/* Round closed tubes. */
#include "parts.h"

static void torus_point(const void *user, double u, double v, double p[3])
{
    (void)user;
    const double r = 1 + 0.4 * shape_cosine(v);
    p[0] = r * shape_cosine(u);
    p[1] = r * shape_sine(u);
    p[2] = 0.4 * shape_sine(v);
}

void shape_make_torus(double triangles, shape_mesh *mesh)
{
    shape_sheet sheet = {.point = torus_point, .closed_u = true, .closed_v = true};
    shape_divide(triangles, 1, &sheet);
    shape_add_sheet(mesh, &sheet);
}

/* Winds twice around the axis while it goes three times through. */
static void knot_curve(const void *user, double u, double p[3])
{
    (void)user;
    const double r = 1 + 0.45 * shape_cosine(3 * u);
    p[0] = r * shape_cosine(2 * u);
    p[1] = r * shape_sine(2 * u);
    p[2] = 0.45 * shape_sine(3 * u);
}

void shape_make_knot(double triangles, shape_mesh *mesh)
{
    const shape_tube knot = {.curve = knot_curve, .radius = 0.18, .closed = true, .ratio = 12};
    shape_add_tube(mesh, &knot, triangles);
}
