/* The body of a car, as sheet metal is: an outer and an inner skin a little apart, with windows and
 * wheel arches cut out, a corrugated floor, wheels with discs, seats, a steering wheel. The length
 * lies along x, up is z. */
#include "parts.h"

#include <math.h>

static double square(double x)
{
    return x * x;
}

/* Half the width, and the height of the roof line, along the car: 0 at the nose, 1 at the tail. */
static double half_width(double u)
{
    return 0.40 * (0.55 + 0.45 * shape_step(0, 0.12, u)) * (1 - 0.2 * shape_step(0.85, 1, u));
}

static double roof(double u)
{
    const double hood = 0.34 + 0.08 * shape_step(0, 0.3, u);
    const double cabin = 0.30 * shape_step(0.28, 0.42, u) * (1 - shape_step(0.72, 0.88, u));
    return (hood + cabin) * (0.6 + 0.4 * shape_step(0, 0.05, u)) *
           (1 - 0.25 * shape_step(0.95, 1, u));
}

/* A skin is a closed section swept along x; `inset` is how far it lies within the outer one. */
typedef struct {
    double inset;
} skin;

static void skin_point(const void *user, double u, double v, double p[3])
{
    const skin *of = user;
    const double c = shape_cosine(v), s = shape_sine(v);
    const double squareness = sqrt(sqrt(square(c * c) + square(s * s)));
    const double low = 0.12, high = roof(u) - of->inset, middle = 0.5 * (low + high);
    /* Sides lean inwards above the belt line. */
    const double lean =
        1 - 0.25 * shape_step(0.36, 0.72, middle + 0.5 * (high - low) * s / squareness);
    p[0] = (2 * u - 1) * (1 - of->inset);
    p[1] = (half_width(u) - of->inset) * lean * c / squareness;
    p[2] = middle + 0.5 * (high - low - of->inset) * s / squareness;
}

/* Windows, wheel arches, and the underside, which the floor closes. */
static bool skin_hole(const void *user, double u, double v)
{
    double p[3];
    skin_point(user, u, v, p);
    for (int axle = 0; axle < 2; axle++) {
        const double x = axle == 0 ? -0.62 : 0.60;
        if (square(p[0] - x) + square(p[2] - 0.14) < square(0.17) && fabs(p[1]) > 0.2) {
            return true;
        }
    }
    const bool side = fabs(p[1]) > 0.24 && p[2] > 0.44 && p[2] < 0.62;
    const bool door = (u > 0.41 && u < 0.545) || (u > 0.575 && u < 0.71);
    const bool screen =
        fabs(p[1]) < 0.24 && p[2] > 0.46 && ((u > 0.30 && u < 0.40) || (u > 0.74 && u < 0.85));
    return (side && door) || screen || p[2] < 0.1301;
}

static void add_skin(shape_mesh *mesh, double inset, double triangles)
{
    const skin of = {inset};
    shape_sheet sheet = {.point = skin_point, .hole = skin_hole, .user = &of, .closed_v = true};
    shape_divide(triangles, 1.3, &sheet);
    shape_add_sheet(mesh, &sheet);
}

static void floor_point(const void *user, double u, double v, double p[3])
{
    (void)user;
    p[0] = 0.94 * (2 * u - 1);
    p[1] = 0.92 * half_width(u) * (2 * v - 1);
    p[2] = 0.125 + 0.012 * shape_sine(9 * v) +
           0.05 * shape_step(0.42, 0.48, v) * (1 - shape_step(0.52, 0.58, v));
}

static void add_floor(shape_mesh *mesh, double triangles)
{
    shape_sheet sheet = {.point = floor_point};
    shape_divide(triangles, 1.5, &sheet);
    shape_add_sheet(mesh, &sheet);
}

typedef struct {
    double centre[3], axis_y, radius, thickness;
} ring;

/* Around y for wheels; the steering wheel is tilted: around (1, 0, 1). */
static void ring_point(const void *user, double u, double v, double p[3])
{
    const ring *of = user;
    const double r = of->radius + of->thickness * shape_cosine(v);
    const double x = r * shape_cosine(u), z = r * shape_sine(u), y = of->thickness * shape_sine(v);
    const double tilt = sqrt(0.5);
    p[0] = of->centre[0] + (of->axis_y != 0 ? x : tilt * (z + y));
    p[1] = of->centre[1] + (of->axis_y != 0 ? y : x);
    p[2] = of->centre[2] + (of->axis_y != 0 ? z : tilt * (z - y));
}

static void add_ring(shape_mesh *mesh, const ring *of, double triangles)
{
    shape_sheet sheet = {.point = ring_point, .user = of, .closed_u = true, .closed_v = true};
    shape_divide(triangles, 2, &sheet);
    shape_add_sheet(mesh, &sheet);
}

static double disc_radius(const void *user, double v)
{
    (void)user;
    return 0.085 + 0.008 * shape_cosine(5 * v);
}

static void add_wheel(shape_mesh *mesh, double x, double y, double triangles)
{
    const ring tyre = {{x, y, 0.13}, 1, 0.10, 0.03};
    const shape_plate disc = {disc_radius, NULL, {x, y, 0.13}, {1, 0, 0}, {0, 1, 0}, 0.02, 0.02};
    add_ring(mesh, &tyre, 0.7 * triangles);
    shape_add_plate(mesh, &disc, 0.3 * triangles);
}

/* Rounded cushions. */
typedef struct {
    double centre[3], half[3];
} cushion;

static void cushion_point(const void *user, double u, double v, double p[3])
{
    const cushion *of = user;
    const double d[3] = {shape_sine(0.5 * u) * shape_cosine(v), shape_sine(0.5 * u) * shape_sine(v),
                         shape_cosine(0.5 * u)};
    const double sum = (square(square(d[0])) + square(square(d[1]))) + square(square(d[2]));
    const double scale = 1 / sqrt(sqrt(sum));
    for (int k = 0; k < 3; k++) {
        p[k] = of->centre[k] + of->half[k] * scale * d[k];
    }
}

static void add_cushion(shape_mesh *mesh, const cushion *of, double triangles)
{
    shape_sheet sheet = {.point = cushion_point, .user = of, .closed_v = true};
    shape_divide(triangles, 0.5, &sheet);
    shape_add_sheet(mesh, &sheet);
}

static void add_seats(shape_mesh *mesh, double triangles)
{
    for (int i = 0; i < 4; i++) {
        const double x = i < 2 ? 0.0 : 0.38, y = i % 2 == 0 ? -0.17 : 0.17;
        const cushion bottom = {{x, y, 0.24}, {0.11, 0.12, 0.035}};
        const cushion back = {{x + 0.13, y, 0.38}, {0.03, 0.11, 0.14}};
        add_cushion(mesh, &bottom, triangles / 8);
        add_cushion(mesh, &back, triangles / 8);
    }
}

void shape_make_car(double triangles, shape_mesh *mesh)
{
    const ring steering = {{-0.16, -0.17, 0.38}, 0, 0.07, 0.008};
    add_skin(mesh, 0, 0.40 * triangles);
    add_skin(mesh, 0.015, 0.30 * triangles);
    add_floor(mesh, 0.09 * triangles);
    for (int i = 0; i < 4; i++) {
        add_wheel(mesh, i < 2 ? -0.62 : 0.60, i % 2 == 0 ? -0.33 : 0.33, 0.035 * triangles);
    }
    add_seats(mesh, 0.06 * triangles);
    add_ring(mesh, &steering, 0.01 * triangles);
}
