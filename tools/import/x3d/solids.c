/* Geometry nodes of X3D that are given by their sizes. Their centres are the origin, and y is their
 * axis; round ones have X3D_AROUND corners around, which lie on the surface, so that they are
 * smaller than it by 1 - cos(pi / 64), about .12 percent of the radius, between the corners. */
#define _GNU_SOURCE
#include <math.h>

#include "../../../formats/assert.h"
#include "geometry.h"

/* Of which there is no shape of 0 or less. */
static void above_zero(const x3d_mesh *mesh, const char *name, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(values[i] > 0))
            kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                          "%s must be above 0, not %g", name, values[i]);
}

static double size_of(const x3d_mesh *mesh, const char *name, double otherwise)
{
    kiln_x3d_values(mesh->document, mesh->node, name, &otherwise, 1);
    above_zero(mesh, name, &otherwise, 1);
    return otherwise;
}

/* Adds a circle about the y axis, counterclockwise as seen from above; returns its first vertex. */
static uint32_t add_circle(x3d_mesh *mesh, double radius, double y)
{
    uint32_t first = 0;

    KILN_ASSERT(radius > 0);
    mesh->round = true;
    for (int i = 0; i < X3D_AROUND; i++) {
        /* Quarters are exact, so that bounds are those of the circle. */
        const double turn = 2 * M_PI * i / X3D_AROUND;
        const double c = i % (X3D_AROUND / 2) == X3D_AROUND / 4 ? 0 : cos(turn);
        const double s = i % (X3D_AROUND / 2) == 0 ? 0 : sin(turn);
        const uint32_t point = kiln_x3d_point(mesh, radius * c, y, -radius * s);

        if (i == 0)
            first = point;
    }
    return first;
}

/* The faces between two circles, the second above the first, or their apex. */
static void add_side(x3d_mesh *mesh, uint32_t below, uint32_t above, bool is_apex)
{
    KILN_ASSERT(below != above && above < mesh->own.at.count);
    for (uint32_t i = 0; i < X3D_AROUND; i++) {
        const uint32_t next = (i + 1) % X3D_AROUND;
        const uint32_t corners[4] = {below + i, below + next, is_apex ? above : above + next,
                                     is_apex ? above : above + i};

        kiln_x3d_face(mesh, corners, is_apex ? 3 : 4);
    }
}

/* The face that fills a circle. */
static void add_lid(x3d_mesh *mesh, uint32_t circle, bool upwards)
{
    uint32_t corners[X3D_AROUND];

    KILN_ASSERT(circle + X3D_AROUND <= mesh->own.at.count);
    for (uint32_t i = 0; i < X3D_AROUND; i++)
        corners[i] = circle + (upwards ? i : X3D_AROUND - 1 - i);
    kiln_x3d_face(mesh, corners, X3D_AROUND);
}

void kiln_x3d_box(x3d_mesh *mesh)
{
    /* A bit of a corner's number for each axis, set where it is on the greater side. */
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    double size[3] = {2, 2, 2};

    kiln_x3d_values(mesh->document, mesh->node, "size", size, 3);
    above_zero(mesh, "size", size, 3);
    for (int i = 0; i < 8; i++)
        (void)kiln_x3d_point(mesh, (i & 1) != 0 ? size[0] / 2 : -size[0] / 2,
                             (i & 2) != 0 ? size[1] / 2 : -size[1] / 2,
                             (i & 4) != 0 ? size[2] / 2 : -size[2] / 2);
    for (int i = 0; i < 6; i++)
        kiln_x3d_face(mesh, faces[i], 4);
}

void kiln_x3d_sphere(x3d_mesh *mesh)
{
    const double radius = size_of(mesh, "radius", 1);
    uint32_t circles[X3D_AROUND / 2], bottom, top;

    /* From pole to pole; the circle in the middle is exact, so that bounds are. */
    bottom = kiln_x3d_point(mesh, 0, -radius, 0);
    for (int i = 1; i < X3D_AROUND / 2; i++) {
        const double turn = 2 * M_PI * i / X3D_AROUND;

        circles[i] = i == X3D_AROUND / 4
                         ? add_circle(mesh, radius, 0)
                         : add_circle(mesh, radius * sin(turn), -radius * cos(turn));
    }
    top = kiln_x3d_point(mesh, 0, radius, 0);
    for (uint32_t i = 0; i < X3D_AROUND; i++) {
        const uint32_t next = (i + 1) % X3D_AROUND;
        const uint32_t corners[3] = {bottom, circles[1] + next, circles[1] + i};

        kiln_x3d_face(mesh, corners, 3);
    }
    for (int i = 1; i + 1 < X3D_AROUND / 2; i++)
        add_side(mesh, circles[i], circles[i + 1], false);
    add_side(mesh, circles[X3D_AROUND / 2 - 1], top, true);
}

void kiln_x3d_cone(x3d_mesh *mesh)
{
    const double radius = size_of(mesh, "bottomRadius", 1), height = size_of(mesh, "height", 2);
    const uint32_t circle = add_circle(mesh, radius, -height / 2);
    const uint32_t apex = kiln_x3d_point(mesh, 0, height / 2, 0);

    if (kiln_x3d_bool(mesh->document, mesh->node, "side", true))
        add_side(mesh, circle, apex, true);
    if (kiln_x3d_bool(mesh->document, mesh->node, "bottom", true))
        add_lid(mesh, circle, false);
}

void kiln_x3d_cylinder(x3d_mesh *mesh)
{
    const double radius = size_of(mesh, "radius", 1), height = size_of(mesh, "height", 2);
    const uint32_t below = add_circle(mesh, radius, -height / 2);
    const uint32_t above = add_circle(mesh, radius, height / 2);

    if (kiln_x3d_bool(mesh->document, mesh->node, "side", true))
        add_side(mesh, below, above, false);
    if (kiln_x3d_bool(mesh->document, mesh->node, "bottom", true))
        add_lid(mesh, below, false);
    if (kiln_x3d_bool(mesh->document, mesh->node, "top", true))
        add_lid(mesh, above, true);
}

/* -- in the plane z = 0 -- */

void kiln_x3d_rectangle(x3d_mesh *mesh)
{
    static const uint32_t corners[4] = {0, 1, 2, 3};
    double size[2] = {2, 2};

    kiln_x3d_values(mesh->document, mesh->node, "size", size, 2);
    above_zero(mesh, "size", size, 2);
    for (int i = 0; i < 4; i++)
        (void)kiln_x3d_point(mesh, i == 1 || i == 2 ? size[0] / 2 : -size[0] / 2,
                             i >= 2 ? size[1] / 2 : -size[1] / 2, 0);
    kiln_x3d_face(mesh, corners, 4);
}

/* A circle about z is one about y of which z becomes -y. */
void kiln_x3d_disk(x3d_mesh *mesh)
{
    double inner = 0, outer = 1;
    double(*points)[3];

    kiln_x3d_values(mesh->document, mesh->node, "innerRadius", &inner, 1);
    kiln_x3d_values(mesh->document, mesh->node, "outerRadius", &outer, 1);
    above_zero(mesh, "outerRadius", &outer, 1);
    if (!(inner >= 0 && inner <= outer))
        kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                      "innerRadius is %g, where outerRadius is %g", inner, outer);
    if (inner == outer) {
        mesh->lines++;
        return;
    }
    (void)add_circle(mesh, outer, 0);
    if (inner > 0)
        (void)add_circle(mesh, inner, 0);
    points = mesh->own.at.items;
    for (size_t i = 0; i < mesh->own.at.count; i++) {
        points[i][1] = -points[i][2];
        points[i][2] = 0;
    }
    if (inner > 0)
        add_side(mesh, 0, X3D_AROUND, false);
    else
        add_lid(mesh, 0, true);
}
