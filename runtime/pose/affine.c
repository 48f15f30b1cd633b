/* Poses that are no rotations: a matrix with an inverse.
 *
 * Matrices as skewed as 2^40 are taken, for which cofactors in doubles would have no digit that is
 * right. They are formed in pairs of doubles: a product of two doubles is exact in these, and a sum
 * is off by 2^-100 of itself, so cofactors are, too. The determinant is a sum of three products
 * with a sum of magnitudes that is larger than it by up to s, the product of the largest entries
 * of matrix and inverse, times 9: it is off by 2^-98 s of itself. */
#include "affine.h"

#include "../../formats/assert.h"
#include "../../formats/vector.h"
#include "../exact/double_double.h"

#include <float.h>
#include <math.h>

/* The largest entry of scale x rotation and of its inverse, and of their largest the product. */
#define ENTRY_MAX 0x1p+30
#define SPREAD_MAX 0x1p+40
#define AFFINE_TRANSLATION_MAX 1e60

/* What is left of an arm beside another one counts as no direction from here on, squared. */
#define ARM_LEFT 0x1p-40

int kiln_matrix_invert_wide(const double m[9], double out[9])
{
    kiln_dd cofactor[9], det = {0, 0};
    for (int i = 0; i < 3; i++) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[3 * j + i] =
                kiln_dd_subtract(kiln_dd_two_product(m[3 * i1 + j1], m[3 * i2 + j2]),
                                 kiln_dd_two_product(m[3 * i1 + j2], m[3 * i2 + j1]));
        }
    }
    for (int j = 0; j < 3; j++) {
        det = kiln_dd_add(det, kiln_dd_multiply(kiln_dd_of(m[j]), cofactor[3 * j]));
    }
    for (int i = 0; i < 9; i++) {
        out[i] = kiln_dd_divide(cofactor[i], det).head + 0.0; /* no -0 */
    }
    return det.head > 0 ? 1 : det.head < 0 ? -1 : 0;
}

/* A NaN is lost in the comparison, but not in the sum. */
double kiln_matrix_most(const double m[9])
{
    double most = 0, sum = 0;
    for (int i = 0; i < 9; i++) {
        most = fabs(m[i]) > most ? fabs(m[i]) : most;
        sum += m[i];
    }
    return sum - sum == 0 ? most : HUGE_VAL;
}

double kiln_matrix_norm(const double m[9])
{
    double squared = 0;
    for (int i = 0; i < 9; i++) {
        squared += m[i] * m[i];
    }
    return sqrt(squared) * (1 + 0x1p-48);
}

bool kiln_affine_form(const kiln_pose *pose, kiln_affine *out)
{
    for (int i = 0; i < 9; i++) {
        out->matrix[i] = pose->scale * pose->rotation[i];
    }
    const int sign = kiln_matrix_invert_wide(out->matrix, out->inverse);
    out->most = kiln_matrix_most(out->matrix);
    out->most_inverse = kiln_matrix_most(out->inverse);
    out->mirrors = sign < 0;
    return sign != 0;
}

bool kiln_affine_is_sound(const kiln_pose *pose, const kiln_affine *affine)
{
    const double *t = pose->translation;
    return fabs(t[0]) <= AFFINE_TRANSLATION_MAX && fabs(t[1]) <= AFFINE_TRANSLATION_MAX &&
           fabs(t[2]) <= AFFINE_TRANSLATION_MAX && pose->scale >= KILN_SCALE_MIN &&
           pose->scale <= KILN_SCALE_MAX && affine->most > 0 && affine->most <= ENTRY_MAX &&
           affine->most_inverse <= ENTRY_MAX && affine->most * affine->most_inverse <= SPREAD_MAX;
}

/* Something of length 1 across the unit vector `line`. */
static void unit_across(const double line[3], double out[3])
{
    double axis[3] = {0, 0, 0};
    int least = 0;
    for (int k = 1; k < 3; k++) {
        least = fabs(line[k]) < fabs(line[least]) ? k : least;
    }
    axis[least] = 1;
    kiln_cross(line, axis, out);
    const double length = sqrt(kiln_dot(out, out));
    for (int k = 0; k < 3; k++) {
        out[k] /= length;
    }
}

/* The longest arm, and what is left of the longer other one beside it (Gram and Schmidt). That is
 * off by 2^-52 of the arm, so that where 2^-20 of the longest arm is left the axes are orthogonal
 * within 2^-31; where less is, any direction will do. Squares neither over- nor underflow: arms are
 * boxes of 2^-149 to 2^18 in node space times matrices of 2^-340 to 2^340, which units of trees
 * differ by, and where they do underflow, there is no direction. */
void kiln_arms_enclose(double arm[3][3], double axis[3][3], double half[3])
{
    double squared[3];
    int first = 0;
    for (int k = 0; k < 3; k++) {
        squared[k] = kiln_dot(arm[k], arm[k]);
        first = squared[k] > squared[first] ? k : first;
    }
    KILN_ASSERT(!(squared[first] < 0));
    const double length = sqrt(squared[first]);
    for (int k = 0; k < 3; k++) {
        axis[0][k] = length > DBL_MIN && length < HUGE_VAL ? arm[first][k] / length
                     : k == 0                              ? 1
                                                           : 0;
    }
    double left[2][3], left_squared[2];
    for (int j = 0; j < 2; j++) {
        const double *other = arm[(first + 1 + j) % 3];
        const double along = kiln_dot(other, axis[0]);
        for (int k = 0; k < 3; k++) {
            left[j][k] = other[k] - along * axis[0][k];
        }
        left_squared[j] = kiln_dot(left[j], left[j]);
    }
    const int second = left_squared[1] > left_squared[0];
    if (left_squared[second] > ARM_LEFT * squared[first] && left_squared[second] < HUGE_VAL) {
        const double beside = sqrt(left_squared[second]);
        for (int k = 0; k < 3; k++) {
            axis[1][k] = left[second][k] / beside;
        }
    } else {
        unit_across(axis[0], axis[1]);
    }
    kiln_cross(axis[0], axis[1], axis[2]);
    for (int i = 0; i < 3; i++) {
        half[i] = (fabs(kiln_dot(axis[i], arm[0])) + fabs(kiln_dot(axis[i], arm[1]))) +
                  fabs(kiln_dot(axis[i], arm[2]));
    }
}
