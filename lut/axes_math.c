/* Arithmetic whose bits are the same on every machine (axes_math.h). */
#include "axes_math.h"

#include "axes_hull.h"

#include <math.h>

/* Taylor's series about 0. For |x| <= pi / 4 the term left out is below 2^-60; what remains are the
 * roundings, a few of 2^-53. */
static double series_sine(double x)
{
    double term = x, sum = 0.0;
    double terms[12];
    for (unsigned i = 0; i < 12; i++) {
        terms[i] = term;
        term *= -x * x / (double)((2 * i + 2) * (2 * i + 3));
    }
    for (unsigned i = 12; i-- > 0;) { /* the small ones first */
        sum += terms[i];
    }
    return sum;
}

static double series_cosine(double x)
{
    double term = 1.0, sum = 0.0;
    double terms[12];
    for (unsigned i = 0; i < 12; i++) {
        terms[i] = term;
        term *= -x * x / (double)((2 * i + 1) * (2 * i + 2));
    }
    for (unsigned i = 12; i-- > 0;) {
        sum += terms[i];
    }
    return sum;
}

/* Quarter turns are taken off first. pi / 2 is the double nearest to it, off by 2^-54, and at most
 * four of them are taken off. */
static double turned(double angle, unsigned phase)
{
    const double quarters = floor(angle / (0.5 * KILN_LUT_PI) + 0.5);
    const double rest = angle - quarters * (0.5 * KILN_LUT_PI);
    const unsigned quarter = ((unsigned)((int)quarters + 8) + phase) % 4;
    const double value = quarter % 2 == 0 ? series_sine(rest) : series_cosine(rest);
    return quarter < 2 ? value : -value;
}

double kiln_lut_sine(double angle)
{
    return turned(angle, 0);
}

double kiln_lut_cosine(double angle)
{
    return turned(angle, 1);
}

double kiln_lut_decay(double x)
{
    const double ln2 = 0x1.62e42fefa39efp-1;
    const double halvings = floor(x / ln2);
    const double rest = x - halvings * ln2;
    double sum = 1.0, term = 1.0;
    for (unsigned i = 1; i < 16; i++) { /* ln 2^16 / 16! < 2^-52 */
        term *= -rest / (double)i;
        sum += term;
    }
    return ldexp(sum, -(int)halvings);
}

/* Bisection by the sine above, whose error is added to what is asked for. Near pi / 2, where the
 * sine hardly rises, an angle of at most pi / 2 + 2^-50 comes out. */
double kiln_lut_angle_above(double sine)
{
    double low = 0.0, high = 0.5 * KILN_LUT_PI + 0x1p-50;
    for (unsigned i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (kiln_lut_sine(middle) - 0x1p-49 >= sine) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

double kiln_lut_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    z = z ^ z >> 31;
    return (double)(z >> 11) * 0x1p-53;
}

int kiln_lut_to_sphere(double point[3])
{
    const double size = sqrt(point[0] * point[0] + point[1] * point[1] + point[2] * point[2]);
    if (!(size > 1e-100)) {
        return 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        point[i] = rint(point[i] / size * 0x1p53) * KILN_LUT_AXES_GRID;
    }
    return 1;
}

void kiln_lut_random_point(uint64_t *state, double point[3])
{
    double size;
    do { /* from the ball within the cube */
        size = 0.0;
        for (unsigned i = 0; i < 3; i++) {
            point[i] = 2.0 * kiln_lut_random(state) - 1.0;
            size += point[i] * point[i];
        }
    } while (size > 1.0 || size < 0.01);
    kiln_lut_to_sphere(point);
}
