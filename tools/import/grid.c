/* The rounding of coordinates: what floats lose, and the grid of --lossy-grid.
 *
 * The step of the grid is a power of two. So every product and quotient by it is exact in double,
 * and a multiple of the step that a float is nearest to is a float: a vertex is rounded once, and a
 * grid that is finer than the floats changes nothing. */
#include "grid.h"

#include "../../formats/assert.h"
#include "../common/soup.h"
#include "weld.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 1024 };

/* -- what floats lose -- */

double kiln_float_step(double value)
{
    int exponent;

    frexp(value, &exponent);
    if (exponent < FLT_MIN_EXP)
        exponent = FLT_MIN_EXP; /* subnormals step as the least normal numbers do */
    return ldexp(1, exponent - FLT_MANT_DIG);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of a large part, every n-th triangle is taken, so the same triangles give the same length. */
double kiln_typical_edge(const float *positions, const uint32_t *indices, size_t triangles)
{
    double edges[3 * SAMPLE];
    size_t count = triangles < SAMPLE ? triangles : SAMPLE;

    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = indices + 3 * (size_t)((uint64_t)i * triangles / count);

        for (size_t j = 0; j < 3; j++) {
            const float *a = positions + 3 * (size_t)corners[j];
            const float *b = positions + 3 * (size_t)corners[(j + 1) % 3];
            double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1];
            double z = (double)a[2] - (double)b[2];

            edges[3 * i + j] = sqrt(x * x + y * y + z * z);
        }
    }
    qsort(edges, 3 * count, sizeof edges[0], compare);
    return count > 0 ? edges[3 * count / 2] : 0;
}

double kiln_extent(const float *positions, const uint32_t *indices, size_t triangles)
{
    double most = 0;

    for (size_t axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t i = 0; i < 3 * triangles; i++) {
            double value = (double)positions[3 * (size_t)indices[i] + axis];

            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        KILN_ASSERT(triangles == 0 || low <= high);
        most = high - low > most ? high - low : most;
    }
    return most;
}

/* -- the grid -- */

bool kiln_snap_to_grid(kiln_soup *soup, int bits)
{
    const double longest = kiln_extent(soup->positions, soup->indices, soup->triangle_count);
    uint64_t degenerate = 0;
    kiln_weld weld = {0};
    int exponent;

    if (longest == 0)
        return true;
    /* The least power of two of which 2^bits reach from end to end. */
    const double fraction = frexp(longest, &exponent);
    const double step = ldexp(1.0, exponent - (fraction == 0.5) - bits);

    KILN_ASSERT(step > 0 && ldexp(step, bits) >= longest);
    soup->lossy_step = step;
    for (size_t i = 0; i < 3 * (size_t)soup->triangle_count; i++) {
        const float *from = soup->positions + 3 * (size_t)soup->indices[i];
        float to[3];
        double square = 0;

        for (unsigned k = 0; k < 3; k++) {
            /* Half a step goes up, whatever the rounding mode. */
            to[k] = (float)(floor((double)from[k] / step + 0.5) * step);
            const double moved = (double)to[k] - (double)from[k];
            square += moved * moved;
        }
        soup->lossy_moved = sqrt(square) > soup->lossy_moved ? sqrt(square) : soup->lossy_moved;
        if (!kiln_weld_vertex(&weld, to, &soup->indices[i])) {
            kiln_weld_free(&weld);
            return false;
        }
    }
    /* Vertices only coincide, so the new ones fit where the old ones were. */
    KILN_ASSERT(weld.count <= soup->vertex_count);
    soup->vertex_count = (uint32_t)weld.count;
    memcpy(soup->positions, weld.positions, 3 * sizeof(float) * weld.count);
    kiln_weld_free(&weld);

    for (uint32_t i = 0; !soup->points && i < soup->triangle_count; i++) {
        const uint32_t *corner = soup->indices + 3 * (size_t)i;

        degenerate += kiln_no_area(soup->positions + 3 * (size_t)corner[0],
                                   soup->positions + 3 * (size_t)corner[1],
                                   soup->positions + 3 * (size_t)corner[2]);
    }
    soup->lossy_degenerate = degenerate - soup->degenerate_count;
    soup->degenerate_count = degenerate;
    return true;
}
