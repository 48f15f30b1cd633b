/* The triangle soup, and facts about its triangles: exact signs of areas, and sizes for reports.
 *
 * Signs are exact because they decide what counts as degenerate and how polygons are cut, which
 * must not depend on where a model stands. Sizes are for people and computed plainly in double. */
#include "soup.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void kiln_soup_free(kiln_soup *soup)
{
    free(soup->positions);
    free(soup->indices);
    free(soup->face);
    free(soup->user);
    free(soup->parts);
    free(soup->materials);
    free(soup->strings);
    free(soup->notes);
    free(soup->side_files);
    free(soup->warnings);
    free(soup->samples);
    memset(soup, 0, sizeof *soup);
}

/* ------------------------------------------------------------------------------ exact signs -- */

/* The product of two floats is exact in double, down to the square of the least subnormal. The sign
 * of a sum of such products is filtered in double and settled by a sum without rounding: a list of
 * doubles of which none overlaps the next (Shewchuk, "Adaptive Precision Floating-Point
 * Arithmetic", 1997). */

enum { TERMS = 12 };

/* *sum + *error == a + b, exactly. */
static void two_sum(double a, double b, double *sum, double *error)
{
    double s = a + b;
    double b_part = s - a;
    double a_part = s - b_part;

    *sum = s;
    *error = (a - a_part) + (b - b_part);
}

/* The sign of the exact sum of the terms. */
static int sign_of_sum(const double *terms, size_t term_count)
{
    double expansion[TERMS];
    size_t count = 0;

    KILN_ASSERT(term_count <= TERMS);
    for (size_t i = 0; i < term_count; i++) {
        double carry = terms[i];
        size_t kept = 0;

        for (size_t j = 0; j < count; j++) {
            double error;
            two_sum(carry, expansion[j], &carry, &error);
            if (error != 0)
                expansion[kept++] = error;
        }
        if (carry != 0)
            expansion[kept++] = carry;
        count = kept;
    }
    return count == 0 ? 0 : expansion[count - 1] > 0 ? 1 : -1;
}

/* The sign of the area of a triangle in the plane: filtered in double, then exact. */
static int orient(double ax, double ay, double bx, double by, double cx, double cy)
{
    double terms[6] = {ax * by, -(ay * bx), bx * cy, -(by * cx), cx * ay, -(cy * ax)};
    double left = (ax - cx) * (by - cy), right = (ay - cy) * (bx - cx);
    double determinant = left - right;

    /* Each difference and product is off by at most 2^-53 of itself: 8 of these are more than
     * enough where nothing underflows, and the float products leave room for that. */
    if (fabs(determinant) > 8 * 0x1p-53 * (fabs(left) + fabs(right)))
        return determinant > 0 ? 1 : -1;
    return sign_of_sum(terms, 6);
}

int kiln_orient(const float a[2], const float b[2], const float c[2])
{
    return orient((double)a[0], (double)a[1], (double)b[0], (double)b[1], (double)c[0],
                  (double)c[1]);
}

/* A product of two doubles and what rounding it leaves over are exact together. */
int kiln_orient_double(const double a[2], const double b[2], const double c[2])
{
    const double *corners[4] = {a, b, c, a};
    const double left = (a[0] - c[0]) * (b[1] - c[1]), right = (a[1] - c[1]) * (b[0] - c[0]);
    double terms[TERMS];

    if (fabs(left - right) > 8 * 0x1p-53 * (fabs(left) + fabs(right)))
        return left > right ? 1 : -1;
    for (size_t i = 0; i < 3; i++) {
        const double *p = corners[i], *q = corners[i + 1];

        terms[4 * i] = p[0] * q[1];
        terms[4 * i + 1] = fma(p[0], q[1], -terms[4 * i]);
        terms[4 * i + 2] = -(p[1] * q[0]);
        terms[4 * i + 3] = fma(-p[1], q[0], -terms[4 * i + 2]);
    }
    return sign_of_sum(terms, TERMS);
}

/* Projected along each axis in turn: three points are on one line exactly if all three
 * projections have no area. */
bool kiln_no_area(const float a[3], const float b[3], const float c[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (orient((double)a[i], (double)a[j], (double)b[i], (double)b[j], (double)c[i],
                   (double)c[j]) != 0)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------ sizes -- */

/* The signed volume is the sum of the tetrahedra between each triangle and one point, the first
 * corner of all: near the mesh, so that a mesh far from the origin does not lose its volume to
 * cancellation. For a closed mesh the point does not matter. */

/* A vertex in double. */
static void load(const float *vertices, uint32_t index, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)vertices[3 * (size_t)index + (size_t)i];
    }
}

void kiln_extent_of(const float *vertices, const uint32_t *triangles, uint64_t count,
                    kiln_mesh_extent *out)
{
    KILN_ASSERT(count > 0);
    double reference[3];
    load(vertices, triangles[0], reference);
    memset(out, 0, sizeof *out);
    out->triangles = count;
    memcpy(out->lower, reference, sizeof reference);
    memcpy(out->upper, reference, sizeof reference);
    for (uint64_t t = 0; t < count; t++) {
        double corner[3][3];
        for (unsigned c = 0; c < 3; c++) {
            load(vertices, triangles[3 * t + c], corner[c]);
        }

        /* Adds twice the area and six times the volume: divided once, at the end. */
        double edge_1[3], edge_2[3], normal[3], arm[3];
        kiln_subtract(corner[1], corner[0], edge_1);
        kiln_subtract(corner[2], corner[0], edge_2);
        kiln_cross(edge_1, edge_2, normal);
        kiln_subtract(corner[0], reference, arm);
        out->area += sqrt(kiln_dot(normal, normal));
        out->signed_volume += kiln_dot(normal, arm);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                out->lower[i] = fmin(out->lower[i], corner[c][i]);
                out->upper[i] = fmax(out->upper[i], corner[c][i]);
            }
        }
    }
    out->area /= 2.0;
    out->signed_volume /= 6.0;
}

const char *kiln_face_reason(uint32_t reason)
{
    KILN_ASSERT(reason != 0);
    switch (reason) {
    case KILN_FACE_INDEX_RANGE:
        return "an index is past the end of the vertices";
    case KILN_FACE_NOT_FINITE:
        return "a corner is not finite";
    case KILN_FACE_DEGENERATE:
        return "no area";
    case KILN_FACE_DUPLICATE:
        return "a face with the same corners stands before it";
    default:
        return "left out";
    }
}
