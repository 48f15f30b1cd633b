/* See grid.h. Every product and quotient by a power of two is exact in double, and a multiple of
 * the step that a float is nearest to is a float. */
#include "grid.h"

#include "../common/soup.h"
#include "weld.h"

#include <math.h>
#include <string.h>

static double longest_side(const kiln_soup *soup)
{
    double longest = 0;
    for (unsigned k = 0; k < 3 && soup->vertex_count > 0; k++) {
        double lower = soup->positions[k], upper = lower;
        for (uint32_t i = 1; i < soup->vertex_count; i++) {
            const double value = soup->positions[3 * (size_t)i + k];
            lower = value < lower ? value : lower;
            upper = value > upper ? value : upper;
        }
        longest = upper - lower > longest ? upper - lower : longest;
    }
    return longest;
}

/* The least power of two of which 2^bits reach from end to end. */
static double step_of(double longest, int bits)
{
    int exponent;
    const double fraction = frexp(longest, &exponent);
    return ldexp(1.0, exponent - (fraction == 0.5) - bits);
}

/* Half a step up goes up, whatever the rounding mode. */
static float snapped(float value, double step)
{
    return (float)(floor((double)value / step + 0.5) * step);
}

static bool move_vertices(kiln_soup *soup, kiln_weld *weld, double step)
{
    for (size_t i = 0; i < 3 * (size_t)soup->triangle_count; i++) {
        const float *from = soup->positions + 3 * (size_t)soup->indices[i];
        float to[3];
        double square = 0;
        for (unsigned k = 0; k < 3; k++) {
            to[k] = snapped(from[k], step);
            const double moved = (double)to[k] - (double)from[k];
            square += moved * moved;
        }
        soup->lossy_moved = sqrt(square) > soup->lossy_moved ? sqrt(square) : soup->lossy_moved;
        if (!kiln_weld_vertex(weld, to, &soup->indices[i])) {
            return false;
        }
    }
    return true;
}

static uint64_t count_degenerate(const kiln_soup *soup)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < soup->triangle_count; i++) {
        const uint32_t *corner = soup->indices + 3 * (size_t)i;
        count += kiln_no_area(soup->positions + 3 * (size_t)corner[0],
                              soup->positions + 3 * (size_t)corner[1],
                              soup->positions + 3 * (size_t)corner[2]);
    }
    return count;
}

bool kiln_snap_to_grid(kiln_soup *soup, int bits)
{
    const double longest = longest_side(soup);
    if (longest == 0) {
        return true;
    }
    kiln_weld weld;
    memset(&weld, 0, sizeof weld);
    soup->lossy_step = step_of(longest, bits);
    const bool done = move_vertices(soup, &weld, soup->lossy_step);
    if (done) {
        soup->vertex_count = (uint32_t)weld.count;
        memcpy(soup->positions, weld.positions, 3 * sizeof(float) * weld.count);
        const uint64_t degenerate = count_degenerate(soup);
        soup->lossy_degenerate = degenerate - soup->degenerate_count;
        soup->degenerate_count = degenerate;
    }
    kiln_weld_free(&weld);
    return done;
}
