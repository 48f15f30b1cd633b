/* The signed volume is the sum of the tetrahedra between each triangle and one point, the first
 * corner of all: near the mesh, so that a mesh far from the origin does not lose its volume to
 * cancellation. For a closed mesh the point does not matter. */
#include "extent.h"

#include <math.h>
#include <string.h>

static void load(const float *vertices, uint32_t index, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (double)vertices[3 * (size_t)index + (size_t)i];
    }
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = a[i] - b[i];
    }
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* Adds twice the area and six times the volume: divided once, at the end. */
static void add_triangle(kiln_extent *sum, double corner[3][3], const double reference[3])
{
    double edge_1[3], edge_2[3], normal[3], arm[3];
    subtract(corner[1], corner[0], edge_1);
    subtract(corner[2], corner[0], edge_2);
    cross(edge_1, edge_2, normal);
    subtract(corner[0], reference, arm);
    sum->area += sqrt(dot(normal, normal));
    sum->signed_volume += dot(normal, arm);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) {
            sum->lower[i] = fmin(sum->lower[i], corner[c][i]);
            sum->upper[i] = fmax(sum->upper[i], corner[c][i]);
        }
    }
}

void kiln_extent_of(const float *vertices, const uint32_t *triangles, uint64_t count,
                    kiln_extent *out)
{
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
        add_triangle(out, corner, reference);
    }
    out->area /= 2.0;
    out->signed_volume /= 6.0;
}
