/* Numbers as nodes store them: a grid of bytes and IEEE halves for wide nodes, floats about an
 * origin for binary nodes.
 *
 * All rounding is outwards and exact: a bound is computed in double, where decoding is exact by
 * the choice of steps, and compared after rounding, not trusted. So what is flat stays flat, and
 * the audit finds nothing that would have to be explained by rounding. The baker and the runtime's
 * refit of deforming meshes write nodes by these functions. */
#include "grid.h"

#include "assert.h"

#include <float.h>
#include <math.h>

/* ------------------------------------------------------------------------------- wide nodes -- */

/* Steps finer than this say nothing in node space, whose halves end at 2^-24. A step is also at
 * least 2^-40 of the origin, so that origin + 255 steps has at most 24 + 40 - 23 + 1 < 53 bits. */
enum { FINEST = -60 };

/* The greatest float not above x, of those that a grid may begin at. */
static float float_below(double x)
{
    KILN_ASSERT(x >= -8 && x <= 8);
    if (fabs(x) < 0x1p-60) {
        return x < 0 ? -0x1p-60f : 0.0f; /* no subnormals, no steps below FINEST */
    }
    const float f = (float)x;
    return (double)f > x ? nextafterf(f, -INFINITY) : f;
}

double kiln_grid_point(const kiln_grid *grid, unsigned index)
{
    KILN_ASSERT(index <= 255);
    return (double)grid->org + (double)index * grid->step;
}

/* Steps are powers of two, so that points of the grid are exact and cells of it are compared,
 * not estimated. */
void kiln_grid_choose(double lower, double upper, kiln_grid *grid)
{
    KILN_ASSERT(lower <= upper);
    grid->org = float_below(lower);
    int e;
    const double span = upper - (double)grid->org;
    const double least = fmax(fmax(span / 255, fabs((double)grid->org) * 0x1p-40), 0x1p-60);
    if (frexp(least, &e) == 0.5) {
        e--;
    }
    e = e < FINEST ? FINEST : e;
    grid->step = ldexp(1.0, e);
    while (kiln_grid_point(grid, 255) < upper) { /* the division may have rounded down */
        grid->step = ldexp(1.0, ++e);
    }
    grid->exp = (uint8_t)(e + 127);
}

static unsigned to_byte(double index)
{
    return index <= 0 ? 0 : index >= 255 ? 255 : (unsigned)index;
}

/* The division finds the neighbourhood, the two loops make it exact whatever it rounded. */
uint8_t kiln_grid_below(const kiln_grid *grid, double x)
{
    KILN_ASSERT(x >= (double)grid->org);
    unsigned i = to_byte(floor((x - (double)grid->org) / grid->step));
    while (i > 0 && kiln_grid_point(grid, i) > x) {
        i--;
    }
    while (i < 255 && kiln_grid_point(grid, i + 1) <= x) {
        i++;
    }
    return (uint8_t)i;
}

uint8_t kiln_grid_above(const kiln_grid *grid, double x)
{
    KILN_ASSERT(x >= (double)grid->org);
    const uint8_t below = kiln_grid_below(grid, x);
    return (uint8_t)(kiln_grid_point(grid, below) < x ? below + 1 : below);
}

uint8_t kiln_grid_nearest(const kiln_grid *grid, double x)
{
    return (uint8_t)to_byte(floor((x - (double)grid->org) / grid->step + 0.5));
}

uint16_t kiln_half_above(double x)
{
    KILN_ASSERT(x <= 65504);
    enum { LEAST_NORMAL = -14, FRACTION_BITS = 10 };
    if (x <= 0) {
        return 0;
    }
    int e;
    (void)frexp(x, &e);
    e = e - 1 < LEAST_NORMAL ? LEAST_NORMAL : e - 1; /* 2^e <= x, or subnormal */
    const double units = ceil(ldexp(x, FRACTION_BITS - e));
    /* Of a normal number 1024 units are the hidden bit, which adds 1 to the exponent field; so does
     * a round up to 2048. */
    return (uint16_t)((unsigned)(e - LEAST_NORMAL) * 1024u + (unsigned)units);
}

uint8_t kiln_half_exp_of(double greatest)
{
    KILN_ASSERT(greatest <= 8);
    int e;
    (void)frexp(greatest, &e);
    const int half_exp = 127 + e - 15;
    return (uint8_t)(greatest <= 0 || half_exp < (int)KILN_HALF_EXP_MIN ? (int)KILN_HALF_EXP_MIN
                                                                        : half_exp);
}

/* A first guess, which is one step wider where rounding says so. There is always a slab: see
 * kiln_dop_grid. */
void kiln_dop_write_slab(const kiln_dop_set *set, kiln_format_node8 *node, unsigned lane,
                         unsigned j, double lower, double upper, double error)
{
    const kiln_dop_grid grid = kiln_dop_grid_of(set, node, j);
    const double start = (double)grid.start, step = (double)grid.step;
    uint8_t *const rows = (uint8_t *)node + sizeof(kiln_format_node_aabb8);
    int low = (int)fmax(0, fmin(255, floor((lower - start) / step)));
    int high = (int)fmax(low, fmin(255, ceil((upper - start) / step)));
    for (;;) {
        float centre, half;
        rows[8 * j + lane] = (uint8_t)low;
        rows[8 * (set->slabs + j) + lane] = (uint8_t)high;
        kiln_dop_decode_slab(set, node, lane, j, &centre, &half);
        const bool below = (double)centre - (double)half <= lower - error;
        const bool above = (double)centre + (double)half >= upper + error;
        if ((below || low == 0) && (above || high == 255)) {
            KILN_ASSERT(below && above);
            return;
        }
        low -= !below && low > 0;
        high += !above && high < 255;
    }
}

/* ----------------------------------------------------------------------------- binary nodes -- */

enum { UNIT_EXPONENT = 127 };

static double nearest_multiple(double x, double step)
{
    KILN_ASSERT(step > 0);
    return floor(x / step + 0.5) * step;
}

void kiln_box2_head(double middle[2][3], unsigned lane_count, kiln_format_node8 *head)
{
    KILN_ASSERT(lane_count == 1 || lane_count == 2);
    for (unsigned k = 0; k < 3; k++) {
        const double sum = middle[0][k] + middle[lane_count - 1][k];
        const double org = nearest_multiple(0.5 * sum, 0x1p-24);
        head->org[k] = (float)fmin(1, fmax(-1, org));
        head->exp[k] = UNIT_EXPONENT;
    }
}

float kiln_box2_centre(float org, double middle)
{
    return (float)nearest_multiple(middle - (double)org, 0x1p-50);
}

float kiln_float_above(double x)
{
    KILN_ASSERT(x <= FLT_MAX);
    if (x <= 0) {
        return 0;
    }
    if (x < 0x1p-100) {
        return 0x1p-100f; /* no subnormals */
    }
    const float f = (float)x;
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

/* The least double not below a - b, by the exact error of the difference (O. Moller and D. E.
 * Knuth): boxes whose halves are short numbers keep them. */
static double difference_above(double a, double b)
{
    const double d = a - b, b_part = a - d, a_part = d + b_part;
    const double error = (a - a_part) + (b_part - b);
    return error > 0 ? nextafter(d, INFINITY) : d;
}

double kiln_reach_above(double centre, double lower, double upper)
{
    KILN_ASSERT(lower <= upper);
    return fmax(difference_above(upper, centre), difference_above(centre, lower));
}
