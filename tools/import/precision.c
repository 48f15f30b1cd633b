#include "precision.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLE = 1024 };

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

static double distance(const float *a, const float *b)
{
    double x = (double)a[0] - (double)b[0], y = (double)a[1] - (double)b[1];
    double z = (double)a[2] - (double)b[2];

    return sqrt(x * x + y * y + z * z);
}

double kiln_typical_edge(const float *positions, const uint32_t *indices, size_t triangles)
{
    double edges[3 * SAMPLE];
    size_t count = triangles < SAMPLE ? triangles : SAMPLE;

    for (size_t i = 0; i < count; i++) {
        const uint32_t *corners = indices + 3 * (size_t)((uint64_t)i * triangles / count);

        for (size_t j = 0; j < 3; j++)
            edges[3 * i + j] = distance(positions + 3 * (size_t)corners[j],
                                        positions + 3 * (size_t)corners[(j + 1) % 3]);
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
        most = high - low > most ? high - low : most;
    }
    return most;
}
