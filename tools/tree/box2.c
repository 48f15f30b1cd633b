#include "box2.h"

#include <math.h>

enum { UNIT_EXPONENT = 127 };

static double nearest_multiple(double x, double step)
{
    return floor(x / step + 0.5) * step;
}

void kiln_box2_head(double middle[2][3], unsigned lane_count, kiln_format_node8 *head)
{
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
    return fmax(difference_above(upper, centre), difference_above(centre, lower));
}
