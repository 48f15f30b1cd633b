/* Half the solid angle of a triangle where doubles don't tell it: the point is near an edge or a
 * corner, or nearly in the plane.
 *
 * Which side of the plane the point is on is decided exactly; in the plane a triangle adds nothing,
 * wherever it is. The rest is what kernel_winding.h computes, in pairs of doubles (u = 2^-100 for
 * each operation, exact.h), after differences that are exact: lengths are off by 4 u, products of
 * two by 5 u, so that 2^-94 of |a| |b| |c|, and of the magnitudes in the determinant, is more than
 * x and y are off by. The numbers are moved, exactly, so that the longest coordinate is from 1/2 to
 * 1: what is lost of others to the range of doubles is below 2^-300. */
#include "winding.h"

#include "../exact/double_double.h"
#include "../exact/exact.h"

#include <string.h>

#define PI 0x1.921fb54442d18p+1
#define OFF 0x1p-94
#define LOST 0x1p-300

/* Of a number that is not negative. */
static kiln_dd pair_root(kiln_dd v)
{
    if (!(v.head > 0)) {
        return kiln_dd_of(0);
    }
    const double root = sqrt(v.head);
    const kiln_dd rest = kiln_dd_subtract(v, kiln_dd_two_product(root, root));
    return kiln_dd_ordered(root, (rest.head + rest.tail) / (2 * root));
}

/* Of x + i y, y >= 0, within 2^-49 of itself, as kernel_winding.h does it. */
static double argument_of(double x, double y)
{
    const double wide = fabs(x), low = y < wide ? y : wide, high = y < wide ? wide : y;
    const bool some = low > 0x1.975f5e0553158p-3 * high, more = low > 0x1.561b82ab7f99p-1 * high;
    const double turn = more ? 1 : some ? 0x1.a827999fcef32p-2 : 0;
    const double turned = more ? PI / 4 : some ? PI / 8 : 0;
    const double t = (low - turn * high) / (high + turn * low), s = t * t;
    double series = 1.0 / 23;
    for (int k = 21; k >= 3; k -= 2) {
        series = 1.0 / k - s * series;
    }
    double angle = turned + (t - t * s * series);
    angle = y > wide ? PI / 2 - angle : angle;
    return x < 0 ? PI - angle : angle;
}

/* The smallest power of two above the largest coordinate, which is not 0, as its inverse. */
static double unit_of(const double v[9])
{
    double most = 0;
    int exponent;
    for (int i = 0; i < 9; i++) {
        most = fmax(most, fabs(v[i]));
    }
    (void)frexp(most, &exponent);
    return ldexp(1, -exponent);
}

/* x, y and what they may be off by. */
static void measure_angle(const double corners[9], const double point[3], double value[2],
                          double off[2])
{
    kiln_dd v[3][3], e[3], f[3], n[3], length[3], x, y;
    double heads[9], sizes = 0, edges[2][3];
    for (int i = 0; i < 9; i++) {
        heads[i] = corners[i] - point[i % 3];
    }
    const double unit = unit_of(heads);
    for (int i = 0; i < 9; i++) {
        const kiln_dd exact = kiln_dd_two_sum(corners[i], -point[i % 3]);
        v[i / 3][i % 3] = (kiln_dd){exact.head * unit, exact.tail * unit};
    }
    for (int k = 0; k < 3; k++) {
        const kiln_dd along_e = kiln_dd_two_sum(corners[3 + k], -corners[k]);
        const kiln_dd along_f = kiln_dd_two_sum(corners[6 + k], -corners[k]);
        e[k] = (kiln_dd){along_e.head * unit, along_e.tail * unit};
        f[k] = (kiln_dd){along_f.head * unit, along_f.tail * unit};
        edges[0][k] = fabs(e[k].head);
        edges[1][k] = fabs(f[k].head);
        length[k] = pair_root(kiln_dd_dot(v[k], v[k]));
    }
    kiln_dd_cross(e, f, n);
    y = kiln_dd_dot(v[0], n);
    x = kiln_dd_multiply(kiln_dd_multiply(length[0], length[1]), length[2]);
    off[0] = OFF * x.head + LOST;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        x = kiln_dd_add(x, kiln_dd_multiply(kiln_dd_dot(v[i], v[j]), length[k]));
        sizes += fabs(v[0][k].head) * (edges[0][i] * edges[1][j] + edges[0][j] * edges[1][i]);
    }
    off[1] = OFF * sizes + LOST;
    value[0] = x.head;
    value[1] = y.head;
}

/* With what is known, the angle is from 0 to pi or from -pi to 0. */
void kiln_half_angle_of(const double corners[9], const double point[3], kiln_half_angle *out)
{
    double value[2], off[2], here[9];
    /* Positive where the point sees the back: it is below the plane, as orient3d has it. */
    const int side = kiln_exact_orient3d(corners, corners + 3, corners + 6, point);
    memset(out, 0, sizeof *out);
    if (side == 0) {
        for (int i = 0; i < 9; i++) {
            here[i] = point[i % 3];
        }
        out->on = kiln_exact_triangles_meet(corners, here);
        return;
    }
    measure_angle(corners, point, value, off);
    const double x = value[0], y = value[1] * side > 0 ? fabs(value[1]) : 0;
    const double both = off[0] + 2 * off[1], squared = x * x + y * y;
    if (256 * (both * both) < squared) {
        out->angle = argument_of(x, y);
        out->error = 1.125 * (fabs(x) * (2 * off[1]) + y * off[0]) / squared;
        out->error += 0x1p-49 * out->angle;
    } else {
        out->angle = out->error = PI / 2;
    }
    out->error *= 1 + 0x1p-48;
    out->angle *= side;
}
