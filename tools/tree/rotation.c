#include "rotation.h"

#include "../../formats/nodes.h"

#include <math.h>

/* Unit quaternion w x y z of the rotation whose columns are the axes (S. W. Shepperd, 1978: divide
 * by the largest component). */
static void to_quaternion(double axis[3][3], double q[4])
{
    const double xx = axis[0][0], yy = axis[1][1], zz = axis[2][2];
    const double four[4] = {1 + ((xx + yy) + zz), 1 + ((xx - yy) - zz), 1 + ((yy - xx) - zz),
                            1 + ((zz - xx) - yy)};
    unsigned largest = 0;
    for (unsigned i = 1; i < 4; i++) {
        largest = four[i] > four[largest] ? i : largest;
    }
    /* R_21 - R_12 = 4 w x and so on; R_10 + R_01 = 4 x y and so on. R_ij = axis[j][i]. */
    const double wx = axis[1][2] - axis[2][1], wy = axis[2][0] - axis[0][2];
    const double wz = axis[0][1] - axis[1][0], xy = axis[0][1] + axis[1][0];
    const double xz = axis[0][2] + axis[2][0], yz = axis[1][2] + axis[2][1];
    const double products[4][4] = {
        {four[0], wx, wy, wz}, {wx, four[1], xy, xz}, {wy, xy, four[2], yz}, {wz, xz, yz, four[3]}};
    const double scale = 0.5 / sqrt(four[largest]);
    for (unsigned i = 0; i < 4; i++) {
        q[i] = products[largest][i] * scale;
    }
}

static double sign_of(double x)
{
    return x < 0 ? -1.0 : 1.0;
}

/* The element g of the box's rotation group whose dot product with q is greatest. The 24 rotations
 * are, up to sign, the quaternions with one component 1, two of sqrt(1/2), or four of 1/2; with
 * |components| of q sorted a >= b >= c >= d these reach at best a, (a + b) sqrt(1/2) and
 * (a + b + c + d) / 2. */
static void nearest_symmetry(const double q[4], double g[4])
{
    const double root_half = 0.70710678118654752;
    unsigned first = 0;
    for (unsigned i = 1; i < 4; i++) {
        first = fabs(q[i]) > fabs(q[first]) ? i : first;
    }
    unsigned second = first == 0 ? 1 : 0;
    for (unsigned i = 0; i < 4; i++) {
        second = i != first && fabs(q[i]) > fabs(q[second]) ? i : second;
    }
    const double one = fabs(q[first]);
    const double two = (fabs(q[first]) + fabs(q[second])) * root_half;
    const double four = 0.5 * ((fabs(q[0]) + fabs(q[1])) + (fabs(q[2]) + fabs(q[3])));
    for (unsigned i = 0; i < 4; i++) {
        const int in_two = i == first || i == second;
        g[i] = one >= two && one >= four ? (i == first ? 1.0 : 0.0)
               : two >= four             ? (in_two ? root_half : 0.0)
                                         : 0.5;
        g[i] *= sign_of(q[i]);
    }
}

static int8_t to_byte(double r)
{
    const double steps = r / (double)KILN_RODRIGUES_STEP;
    const int nearest = (int)(steps + 0.5 * sign_of(steps));
    return (int8_t)(nearest > 127 ? 127 : nearest < -127 ? -127 : nearest);
}

void kiln_rotation_quantise(double axis[3][3], int8_t rotation[3])
{
    double q[4], g[4];
    to_quaternion(axis, q);
    nearest_symmetry(q, g);
    /* q conj(g): the box's own axes turned first. Its w = q . g is the greatest of the 24, never
     * below cos(62.8 degrees / 2), so the division is safe. */
    const double w = (q[0] * g[0] + q[1] * g[1]) + (q[2] * g[2] + q[3] * g[3]);
    const double x = (q[1] * g[0] - q[0] * g[1]) + (q[3] * g[2] - q[2] * g[3]);
    const double y = (q[2] * g[0] - q[0] * g[2]) + (q[1] * g[3] - q[3] * g[1]);
    const double z = (q[3] * g[0] - q[0] * g[3]) + (q[2] * g[1] - q[1] * g[2]);
    rotation[0] = to_byte(x / w);
    rotation[1] = to_byte(y / w);
    rotation[2] = to_byte(z / w);
}
