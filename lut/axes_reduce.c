/* Reduces coverings to axes (axes_reduce.h).
 *
 * Why the axes that are left cover every line: of the two directions of a line one, u, has u . pole
 * >= 0. A point p is within the radius R of u, so its angle with the pole is at most 90 degrees +
 * R, and p . pole >= -sin R |p|: it is kept. */
#include "axes_reduce.h"

#include "axes_math.h"

#include "../formats/assert.h"

#include <math.h>
#include <string.h>

/* Of two opposite directions the one whose last coordinate that is not 0 is above 0. */
static bool points_up(const double point[3])
{
    for (unsigned j = 3; j-- > 0;) {
        if (point[j] != 0.0) {
            return point[j] > 0.0;
        }
    }
    return false;
}

uint32_t kiln_lut_axes_of_pairs(const double (*points)[3], uint32_t count, double (*axes)[3])
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (points_up(points[i])) {
            memcpy(axes[kept++], points[i], sizeof *axes);
        }
    }
    return kept;
}

static double along_pole(const double point[3], const double pole[3])
{
    return point[0] * pole[0] + point[1] * pole[1] + point[2] * pole[2];
}

/* Slack for roundings; a point more does no harm. */
static uint32_t count_above(const double (*points)[3], uint32_t count, const double pole[3],
                            double sine)
{
    uint32_t above = 0;
    for (uint32_t i = 0; i < count; i++) {
        above += along_pole(points[i], pole) >= -sine - 0x1p-40;
    }
    return above;
}

uint32_t kiln_lut_axes_of_points(const double (*points)[3], uint32_t count, double sine,
                                 uint32_t tries, double (*axes)[3])
{
    uint64_t state = 1;
    double best[3] = {0.0, 0.0, 1.0};
    uint32_t least = count_above(points, count, best, sine);
    double reach = 1.0; /* poles are tried everywhere first, then ever nearer to the best */
    for (uint32_t i = 0; i < tries; i++) {
        double pole[3];
        kiln_lut_random_point(&state, pole);
        if (i >= tries / 2) {
            reach = 0.1 * (double)(tries - i) / tries;
            for (unsigned j = 0; j < 3; j++) {
                pole[j] = best[j] + reach * pole[j];
            }
            kiln_lut_to_sphere(pole);
        }
        const uint32_t above = count_above(points, count, pole, sine);
        if (above < least) {
            least = above;
            memcpy(best, pole, sizeof best);
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (along_pole(points[i], best) < -sine - 0x1p-40) {
            continue;
        }
        bool is_opposite = false;
        /* Only points near the equator have an opposite that is kept. */
        for (uint32_t k = 0; k < kept && fabs(along_pole(points[i], best)) <= sine + 0x1p-40; k++) {
            is_opposite = is_opposite || (fabs(axes[k][0] + points[i][0]) < 1e-9 &&
                                          fabs(axes[k][1] + points[i][1]) < 1e-9 &&
                                          fabs(axes[k][2] + points[i][2]) < 1e-9);
        }
        if (!is_opposite) {
            memcpy(axes[kept++], points[i], sizeof *axes);
        }
    }
    return kept;
}
