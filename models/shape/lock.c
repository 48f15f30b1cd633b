/* A door lock, as machined and stamped parts are: flat faces, straight walls, many small parts
 * close together, thin sheets. */
#include "parts.h"

#include <math.h>

static double round_outline(const void *user, double v)
{
    (void)v;
    return *(const double *)user;
}

/* Regular polygons by their distance from the middle: radius(v) = inner / cos(angle to the
 * side). */
typedef struct {
    double inner;
    int sides;
} polygon;

static double polygon_outline(const void *user, double v)
{
    const polygon *of = user;
    const double side = floor(v * of->sides + 0.5) / of->sides;
    return of->inner / shape_cosine(v - side);
}

/* Straight teeth. */
typedef struct {
    double root, tip;
    int teeth;
} gear;

static double gear_outline(const void *user, double v)
{
    const gear *of = user;
    const double phase = v * of->teeth - floor(v * of->teeth);
    return of->root +
           (of->tip - of->root) * (shape_step(0.15, 0.3, phase) - shape_step(0.65, 0.8, phase));
}

/* The fork: a disc with a slot for the striker. */
static double fork_outline(const void *user, double v)
{
    (void)user;
    const double slot = shape_step(0.04, 0.06, v) * (1 - shape_step(0.13, 0.15, v));
    const double tooth = shape_step(0.45, 0.47, v) * (1 - shape_step(0.60, 0.75, v));
    return 0.30 - 0.19 * slot + 0.07 * tooth;
}

/* The pawl: a lever. */
static double pawl_outline(const void *user, double v)
{
    (void)user;
    const double c = shape_cosine(v - 0.6);
    const double nose = c > 0 ? c : 0;
    return 0.10 + 0.28 * (nose * nose * nose) * (nose * nose * nose);
}

static void add_disc(shape_mesh *mesh, double x, double y, double z, double radius,
                     double thickness, double hole, double triangles)
{
    const shape_plate disc = {round_outline, &radius,   {x, y, z}, {1, 0, 0},
                              {0, 0, 1},     thickness, hole};
    shape_add_plate(mesh, &disc, triangles);
}

static void add_bolt(shape_mesh *mesh, double x, double y, double triangles)
{
    const polygon hexagon = {0.055, 6};
    const shape_plate head = {
        polygon_outline, &hexagon, {x, y, 0.26}, {1, 0, 0}, {0, 0, 1}, 0.06, 0};
    shape_add_plate(mesh, &head, 0.3 * triangles);
    add_disc(mesh, x, y, 0.0, 0.03, 0.46, 0, 0.5 * triangles);
    add_disc(mesh, x, y, 0.222, 0.07, 0.012, 0.031, 0.2 * triangles);
}

/* A rectangle as an outline around its middle; `half` along x and y. */
static double box_outline(const void *user, double v)
{
    const double *half = user;
    const double c = fabs(shape_cosine(v)), s = fabs(shape_sine(v));
    return c * half[1] > s * half[0] ? half[0] / c : half[1] / s;
}

/* A sheet of metal across y, bent outwards at its lower edge. */
static void side_point(const void *user, double u, double v, double p[3])
{
    const double y = *(const double *)user, lip = v < 0.25 ? 0.25 - v : 0;
    p[0] = 0.78 * (2 * u - 1);
    p[1] = y + (y > 0 ? 0.4 : -0.4) * lip;
    p[2] = 0.17 * (2 * v - 1) + 0.34 * lip;
}

/* Base and cover, and the two sides between them, of two skins each. */
static void add_housing(shape_mesh *mesh, double triangles)
{
    static const double base[2] = {0.80, 0.55};
    static const double side[4] = {-0.49, -0.505, 0.49, 0.505};
    for (int i = 0; i < 2; i++) {
        const double sign = i == 0 ? -1 : 1;
        const shape_plate plate = {box_outline, base,  {0, 0, 0.2 * sign}, {1, 0, 0},
                                   {0, 0, 1},   0.025, i == 0 ? 0.0 : 0.16};
        shape_add_plate(mesh, &plate, 0.3 * triangles);
    }
    for (int i = 0; i < 4; i++) {
        shape_sheet sheet = {.point = side_point, .user = &side[i]};
        shape_divide(0.1 * triangles, 4, &sheet);
        shape_add_sheet(mesh, &sheet);
    }
}

typedef struct {
    double start[3], radius, length;
    double coils;
} spring;

static void spring_curve(const void *user, double u, double p[3])
{
    const spring *of = user;
    p[0] = of->start[0] + of->length * u;
    p[1] = of->start[1] + of->radius * shape_cosine(of->coils * u);
    p[2] = of->start[2] + of->radius * shape_sine(of->coils * u);
}

static void add_spring(shape_mesh *mesh, double x, double y, double triangles)
{
    const spring of = {{x, y, 0.06}, 0.06, 0.45, 8};
    const shape_tube wire = {spring_curve, &of, 0.012, false, 25};
    shape_add_tube(mesh, &wire, triangles);
}

static void add_levers(shape_mesh *mesh, double triangles)
{
    const shape_plate fork = {fork_outline, NULL, {-0.25, 0, -0.06}, {1, 0, 0}, {0, 0, 1},
                              0.08,         0.06};
    const shape_plate pawl = {pawl_outline, NULL, {0.32, 0.05, -0.06}, {1, 0, 0}, {0, 0, 1},
                              0.07,         0.045};
    const gear large = {0.15, 0.19, 24}, small = {0.06, 0.09, 11};
    const shape_plate first = {gear_outline, &large, {0.42, -0.26, 0.08}, {1, 0, 0}, {0, 0, 1},
                               0.05,         0.03};
    const shape_plate second = {gear_outline, &small, {0.14, -0.26, 0.08}, {1, 0, 0}, {0, 0, 1},
                                0.07,         0.02};
    shape_add_plate(mesh, &fork, 0.35 * triangles);
    shape_add_plate(mesh, &pawl, 0.25 * triangles);
    shape_add_plate(mesh, &first, 0.25 * triangles);
    shape_add_plate(mesh, &second, 0.15 * triangles);
}

void shape_make_lock(double triangles, shape_mesh *mesh)
{
    static const double corner[4][2] = {{-0.7, -0.45}, {-0.7, 0.45}, {0.7, -0.45}, {0.7, 0.45}};
    add_housing(mesh, 0.22 * triangles);
    add_levers(mesh, 0.36 * triangles);
    for (int i = 0; i < 4; i++) {
        add_bolt(mesh, corner[i][0], corner[i][1], 0.035 * triangles);
    }
    add_bolt(mesh, -0.25, 0, 0.04 * triangles);
    add_bolt(mesh, 0.32, 0.05, 0.04 * triangles);
    add_spring(mesh, -0.2, 0.34, 0.10 * triangles);
    add_spring(mesh, -0.5, -0.34, 0.10 * triangles);
}
