/* Extrusion (ISO/IEC 19775-1, 13.3.5): a section in the x-z plane is scaled, rotated and put at
 * each point of a spine, in a plane there whose y axis follows the spine, and whose z axis is
 * normal to the curve. Where the spine is straight, z stays what it was; where it is straight all
 * over, the plane is that of the section, rotated the shortest way. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../formats/assert.h"
#include "../../../formats/vector.h"
#include "geometry.h"
#include "transform.h"

typedef struct {
    double x[3], y[3], z[3];
    size_t before, after; /* the nearest points of the spine that lie elsewhere; else its ends */
} axes;

/* As numbers: -0 is 0. */
static bool is_same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* False: it has no direction, at the scale of `size`. */
static bool normalize(double v[3], double size)
{
    const double length = sqrt(kiln_dot(v, v));

    if (!(length > 1e-9 * size))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
}

/* Points that coincide have the same neighbours, and so the same plane (13.3.5.4.4). */
static void find_neighbours(axes *at, double (*const spine)[3], size_t count, bool closed)
{
    for (size_t i = 1; i < count; i++)
        at[i].before = is_same(spine[i], spine[i - 1]) ? at[i - 1].before : i - 1;
    at[count - 1].after = count - 1;
    for (size_t i = count - 1; i-- > 0;)
        at[i].after = is_same(spine[i], spine[i + 1]) ? at[i + 1].after : i + 1;
    /* The first and the last point of a ring are one. */
    for (size_t i = 0; closed && i < count && is_same(spine[i], spine[0]); i++)
        at[i].before = at[count - 1].before;
    for (size_t i = count; closed && i-- > 0 && is_same(spine[i], spine[0]);)
        at[i].after = at[0].after;
}

/* The y axes, along the spine. False: it is one point, or goes back everywhere. */
static bool find_along(axes *at, double (*const spine)[3], size_t count, bool closed, double size)
{
    size_t known = count;

    KILN_ASSERT(count >= 2 && (!closed || count >= 3));
    for (size_t i = 0; i < count; i++) {
        kiln_subtract(spine[at[i].after], spine[at[i].before], at[i].y);
        if (normalize(at[i].y, size)) {
            known = known < i ? known : i;
        } else if (i > 0) {
            memcpy(at[i].y, at[i - 1].y, sizeof at[i].y);
        }
    }
    for (size_t i = 0; known < count && i < known; i++)
        memcpy(at[i].y, at[known].y, sizeof at[i].y);
    return known < count;
}

/* The z axes, normal to the curve. False: it is straight. */
static bool find_across(axes *at, double (*const spine)[3], size_t count, bool closed, double size)
{
    size_t known = count;

    for (size_t i = closed ? 0 : 1; i + 1 < count; i++) {
        double next[3], last[3];

        kiln_subtract(spine[at[i].after], spine[i], next);
        kiln_subtract(spine[at[i].before], spine[i], last);
        kiln_cross(next, last, at[i].z);
        /* Of unit vectors, so that short steps count as long ones do. */
        if (normalize(next, size) && normalize(last, size)) {
            double bend[3];

            kiln_cross(next, last, bend);
            if (normalize(bend, 1)) {
                memcpy(at[i].z, bend, sizeof bend);
                known = known < i ? known : i;
                continue;
            }
        }
        if (i > 0)
            memcpy(at[i].z, at[i - 1].z, sizeof at[i].z);
    }
    if (known == count)
        return false;
    for (size_t i = 0; i < known; i++)
        memcpy(at[i].z, at[known].z, sizeof at[i].z);
    /* The ends have the plane beside them; and no plane is rotated by half a turn against the one
     * before it, which would twist the surface. */
    memcpy(at[count - 1].z, at[closed ? 0 : count - 2].z, sizeof at[0].z);
    for (size_t i = 1; i < count; i++)
        if (kiln_dot(at[i].z, at[i - 1].z) < 0)
            for (int j = 0; j < 3; j++)
                at[i].z[j] = -at[i].z[j];
    return true;
}

/* The axes of a straight spine: those of the section, rotated from y to its direction. */
static void rotate_straight(axes *at, size_t count)
{
    static const double up[3] = {0, 1, 0};
    const double *y = at[0].y;
    double rotation[4] = {0, 0, 0, 0};
    kiln_affine turn;

    kiln_cross(up, y, rotation);
    rotation[3] = atan2(sqrt(kiln_dot(rotation, rotation)), y[1]);
    if (!normalize(rotation, 1)) {
        rotation[0] = 1;
        rotation[1] = rotation[2] = 0;
    }
    turn = kiln_x3d_rotation(rotation);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            at[i].x[k] = turn.m[k][0];
            at[i].z[k] = turn.m[k][2];
        }
}

/* A field of one value for each point of the spine, or of one for all. */
static double *load_each(const x3d_mesh *mesh, const char *name, size_t elements, size_t points,
                         size_t *count)
{
    double *numbers = kiln_x3d_numbers(mesh->document, mesh->node, name, count);

    KILN_ASSERT(elements > 0 && points >= 2);
    if (*count % elements != 0 || (*count > elements && *count / elements < points))
        kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                      "%s has %zu numbers, which are neither one value nor one for each of %zu "
                      "points of the spine",
                      name, *count, points);
    *count /= elements;
    return numbers;
}

/* Points of two or three numbers, at least two; where the field is not given, others. */
static double *load_or(const x3d_mesh *mesh, const char *name, const double *otherwise,
                       size_t otherwise_count, size_t elements, size_t *count)
{
    double *numbers = kiln_x3d_numbers(mesh->document, mesh->node, name, count);

    if (kiln_x3d_text(mesh->node, name) == NULL) {
        numbers = malloc(otherwise_count * sizeof *numbers);
        if (numbers == NULL)
            kiln_read_no_memory(mesh->document->reading);
        memcpy(numbers, otherwise, otherwise_count * sizeof *numbers);
        *count = otherwise_count;
    }
    if (*count % elements != 0 || *count / elements < 2)
        kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_INVALID,
                      "%s has %zu numbers, which are no two points or more of %zu", name, *count,
                      elements);
    *count /= elements;
    return numbers;
}

/* The sides, in rings of four corners each, and a face at each end. A section that is a ring has
 * its first point as its last, too, and its seam closes by equal positions. */
static void add_faces(x3d_mesh *mesh, const double *section, size_t around, size_t along)
{
    uint32_t *cap = malloc(around * sizeof *cap);
    const bool ring =
        section[0] == section[2 * around - 2] && section[1] == section[2 * around - 1];
    const size_t count = ring ? around - 1 : around;

    if (cap == NULL)
        kiln_read_no_memory(mesh->document->reading);
    for (size_t i = 0; i + 1 < along; i++)
        for (size_t j = 0; j + 1 < around; j++) {
            const uint32_t at = (uint32_t)(i * around + j), next = at + (uint32_t)around;
            const uint32_t corners[4] = {at, at + 1, next + 1, next};

            kiln_x3d_face(mesh, corners, 4);
        }
    if (count >= 3 && kiln_x3d_bool(mesh->document, mesh->node, "beginCap", true)) {
        for (size_t j = 0; j < count; j++)
            cap[j] = (uint32_t)(count - 1 - j);
        kiln_x3d_face(mesh, cap, count);
    }
    if (count >= 3 && kiln_x3d_bool(mesh->document, mesh->node, "endCap", true)) {
        for (size_t j = 0; j < count; j++)
            cap[j] = (uint32_t)((along - 1) * around + j);
        kiln_x3d_face(mesh, cap, count);
    }
    free(cap);
}

void kiln_x3d_extrusion(x3d_mesh *mesh)
{
    static const double square[] = {1, 1, 1, -1, -1, -1, -1, 1, 1, 1},
                        straight[] = {0, 0, 0, 0, 1, 0};
    size_t around, along, scales, turns;
    double *section = load_or(mesh, "crossSection", square, 10, 2, &around);
    double(*spine)[3] = (double(*)[3])(void *)load_or(mesh, "spine", straight, 6, 3, &along);
    double *scale = load_each(mesh, "scale", 2, along, &scales);
    double *turn = load_each(mesh, "orientation", 4, along, &turns), size = 0;
    axes *at = calloc(along, sizeof *at);
    const bool closed = along > 2 && is_same(spine[0], spine[along - 1]);

    if (at == NULL)
        kiln_read_no_memory(mesh->document->reading);
    for (size_t i = 1; i < along; i++)
        for (int k = 0; k < 3; k++)
            size = fmax(size, fabs(spine[i][k] - spine[0][k]));
    find_neighbours(at, spine, along, closed);
    if (!find_along(at, spine, along, closed, size))
        kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_UNSUPPORTED,
                      "its spine has no direction at any of its points; export it as faces");
    if (!find_across(at, spine, along, closed, size))
        rotate_straight(at, along);
    else
        for (size_t i = 0; i < along; i++) {
            /* z is normal to y but for rounding: both are of the plane of the nearest bend. */
            kiln_cross(at[i].y, at[i].z, at[i].x);
            if (!normalize(at[i].x, 1))
                kiln_x3d_fail(mesh->document, mesh->node, KILN_BAKE_UNSUPPORTED,
                              "its spine has no plane at point %zu; export it as faces", i);
            kiln_cross(at[i].x, at[i].y, at[i].z);
        }
    /* A point of the section is scaled, rotated in the plane of its place, and put there. */
    for (size_t i = 0; i < along; i++) {
        const double still[4] = {0, 0, 1, 0};
        const double *s = scales > 0 ? scale + 2 * (scales > 1 ? i : 0) : NULL;
        double rotation[4];
        kiln_affine own;

        memcpy(rotation, turns > 0 ? turn + 4 * (turns > 1 ? i : 0) : still, sizeof rotation);
        rotation[3] *= mesh->document->angle;
        own = kiln_x3d_rotation_of(mesh->document, mesh->node, "orientation", rotation);
        for (size_t j = 0; j < around; j++) {
            const double u = section[2 * j] * (s != NULL ? s[0] : 1);
            const double v = section[2 * j + 1] * (s != NULL ? s[1] : 1);
            double local[3], point[3];

            for (int k = 0; k < 3; k++)
                local[k] = own.m[k][0] * u + own.m[k][2] * v;
            for (int k = 0; k < 3; k++)
                point[k] = spine[i][k] + at[i].x[k] * local[0] + at[i].y[k] * local[1] +
                           at[i].z[k] * local[2];
            (void)kiln_x3d_point(mesh, point[0], point[1], point[2]);
        }
    }
    KILN_ASSERT(mesh->own.at.count == around * along);
    add_faces(mesh, section, around, along);
    free(section);
    free(spine);
    free(scale);
    free(turn);
    free(at);
}
