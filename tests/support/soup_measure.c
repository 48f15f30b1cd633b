/* See soup_measure.h. */
#include "soup_measure.h"

#include <math.h>

soup_measure soup_measure_of(const kiln_soup *soup)
{
    soup_measure m = {.bounds = {INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY}};

    for (size_t i = 0; i < soup->triangle_count; i++) {
        double p[3][3], u[3], v[3], n[3];

        for (size_t j = 0; j < 3; j++)
            for (size_t k = 0; k < 3; k++) {
                p[j][k] = (double)soup->positions[3 * (size_t)soup->indices[3 * i + j] + k];
                m.bounds[k] = fmin(m.bounds[k], p[j][k]);
                m.bounds[3 + k] = fmax(m.bounds[3 + k], p[j][k]);
            }
        for (int k = 0; k < 3; k++)
            u[k] = p[1][k] - p[0][k], v[k] = p[2][k] - p[0][k];
        for (int k = 0; k < 3; k++)
            n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        m.area += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / 2;
        m.volume += (p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]) / 6;
    }
    return m;
}
