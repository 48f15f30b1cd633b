/* A point that two triangles surely have in common.
 *
 * Where an edge of the one crosses the other strictly, six determinants of three differences of
 * corners each say so by their signs: on which sides of the plane the edge's ends are, and on which
 * side of the edge's line those of the triangle are. With L the greatest difference of a
 * coordinate between two of the corners, a minor is at most 2 L^2 and a determinant 6 L^3, and
 * either has a rounding of less than 2^-47 L^3 (differences, products and sums: 60 roundings of
 * 2^-53 of at most L^3). Signs beyond twice that are certain. The point divides the edge by two of
 * the determinants, p and q, at p / (p + q), which is off by at most 2^-46 L^3 / (p + q). */
#include "exact.h"

#include "../../formats/vector.h"

#include <math.h>
#include <string.h>

#define BEYOND 0x1p-46      /* of L^3 */
#define LEAST_SIZE 0x1p-300 /* below it L^3 times that might underflow */
#define BEYOND_AREA 0x1p-48 /* of L^2 */
#define ROUNDING 0x1p-50    /* of coordinates, by what forms a point of an edge */

/* The determinant of three vectors. */
static double certain_volume(const double a[3], const double b[3], const double c[3])
{
    double minors[3];
    kiln_cross(a, b, minors);
    return kiln_dot(minors, c);
}

/* Are the signs opposite for certain? */
static bool are_opposite(double p, double q, double limit)
{
    return (p > limit && q < -limit) || (p < -limit && q > limit);
}

/* The point at p / (p - q) of the way between two corners, where p and -q are of one sign and each
 * is off by less than half of `limit`. */
static void divide_edge(const double from[3], const double to[3], double p, double q, double size,
                        double limit, double point[3], double *error)
{
    const double part = p / (p - q);
    double reach = 0;
    for (int k = 0; k < 3; k++) {
        point[k] = from[k] + part * (to[k] - from[k]);
        reach = fmax(reach, fabs(from[k]));
    }
    *error = size * (limit / fabs(p - q)) + ROUNDING * (size + reach);
}

/* Where an edge of `t` crosses `face`. */
static bool find_crossing(const double t[9], const double face[9], double size, double point[3],
                          double *error)
{
    const double limit = BEYOND * (size * size * size);
    double side[2][3], height[3];
    kiln_subtract(face + 3, face, side[0]);
    kiln_subtract(face + 6, face, side[1]);
    for (int i = 0; i < 3; i++) {
        double up[3];
        kiln_subtract(t + 3 * i, face, up);
        height[i] = certain_volume(side[0], side[1], up);
    }
    for (int i = 0; i < 3; i++) {
        const double *from = t + 3 * i, *to = t + 3 * ((i + 1) % 3);
        const double p = height[i], q = height[(i + 1) % 3];
        if (!are_opposite(p, q, limit)) {
            continue;
        }
        double way[3], least = HUGE_VAL, most = -HUGE_VAL;
        kiln_subtract(to, from, way);
        for (int k = 0; k < 3; k++) {
            double u[3], v[3];
            kiln_subtract(face + 3 * k, from, u);
            kiln_subtract(face + 3 * ((k + 1) % 3), from, v);
            const double volume = certain_volume(u, v, way);
            least = fmin(least, volume);
            most = fmax(most, volume);
        }
        if (!(least > limit || most < -limit)) {
            continue;
        }
        divide_edge(from, to, p, q, size, limit, point, error);
        return true;
    }
    return false;
}

/* The area of the parallelogram on p -> q and p -> r without the coordinate `along`. */
static double projected_area(const double p[3], const double q[3], const double r[3], int along)
{
    const int i = (along + 1) % 3, j = (along + 2) % 3;
    return (q[i] - p[i]) * (r[j] - p[j]) - (r[i] - p[i]) * (q[j] - p[j]);
}

/* A corner of `t` within `face`, in whose plane it lies, or a crossing of edges in one plane. */
static bool find_touch(const double t[9], const double face[9], double size, double point[3],
                       double *error)
{
    const double limit = BEYOND_AREA * (size * size);
    bool in_plane[3];
    for (int i = 0; i < 3; i++) {
        in_plane[i] = kiln_exact_orient3d(face, face + 3, face + 6, t + 3 * i) == 0;
    }
    if (!in_plane[0] && !in_plane[1] && !in_plane[2]) {
        return false;
    }
    double areas[3];
    for (int k = 0; k < 3; k++) {
        areas[k] = fabs(projected_area(face, face + 3, face + 6, k));
    }
    const int along = areas[0] >= areas[1] && areas[0] >= areas[2] ? 0
                      : areas[1] >= areas[2]                       ? 1
                                                                   : 2;
    if (!(areas[along] > limit)) {
        return false; /* it may be a segment, which lies in many planes */
    }
    for (int i = 0; i < 3; i++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int k = 0; k < 3; k++) {
            const double area =
                projected_area(t + 3 * i, face + 3 * k, face + 3 * ((k + 1) % 3), along);
            least = fmin(least, area);
            most = fmax(most, area);
        }
        if (in_plane[i] && (least > limit || most < -limit)) {
            memcpy(point, t + 3 * i, 3 * sizeof *point);
            *error = 0;
            return true;
        }
    }
    for (int i = 0; i < 9 && in_plane[0] && in_plane[1] && in_plane[2]; i++) {
        const double *from = t + i / 3 * 3, *to = t + (i / 3 + 1) % 3 * 3;
        const double *start = face + i % 3 * 3, *end = face + (i % 3 + 1) % 3 * 3;
        const double p = projected_area(start, end, from, along),
                     q = projected_area(start, end, to, along);
        if (are_opposite(p, q, limit) &&
            are_opposite(projected_area(from, to, start, along),
                         projected_area(from, to, end, along), limit)) {
            divide_edge(from, to, p, q, size, limit, point, error);
            return true;
        }
    }
    return false;
}

bool kiln_triangles_certain_point(const double x[9], const double y[9], double point[3],
                                  double *error)
{
    for (int i = 0; i < 9; i++) {
        const double *a = x + i / 3 * 3, *b = y + i % 3 * 3;
        if (a[0] == b[0] && a[1] == b[1] && a[2] == b[2]) {
            memcpy(point, a, 3 * sizeof *point);
            *error = 0;
            return true;
        }
    }
    double size = 0;
    for (int k = 0; k < 3; k++) {
        const double lower =
            fmin(fmin(fmin(x[k], x[3 + k]), x[6 + k]), fmin(fmin(y[k], y[3 + k]), y[6 + k]));
        const double upper =
            fmax(fmax(fmax(x[k], x[3 + k]), x[6 + k]), fmax(fmax(y[k], y[3 + k]), y[6 + k]));
        size = fmax(size, upper - lower);
    }
    return size > LEAST_SIZE &&
           (find_crossing(x, y, size, point, error) || find_crossing(y, x, size, point, error) ||
            find_touch(x, y, size, point, error) || find_touch(y, x, size, point, error));
}
