/* The product of two floats is exact in double, down to the square of the least subnormal. The sign
 * of a sum of such products is filtered in double and settled by a sum without rounding: a list of
 * doubles of which none overlaps the next (Shewchuk, "Adaptive Precision Floating-Point
 * Arithmetic", 1997). */
#include "orient.h"

#include <math.h>
#include <stddef.h>

enum { TERMS = 6 };

/* *sum + *error == a + b, exactly. */
static void two_sum(double a, double b, double *sum, double *error)
{
    double s = a + b;
    double b_part = s - a;
    double a_part = s - b_part;

    *sum = s;
    *error = (a - a_part) + (b - b_part);
}

static int sign_of_sum(const double terms[TERMS])
{
    double expansion[TERMS];
    size_t count = 0;

    for (size_t i = 0; i < TERMS; i++) {
        double carry = terms[i];
        size_t kept = 0;

        for (size_t j = 0; j < count; j++) {
            double error;
            two_sum(carry, expansion[j], &carry, &error);
            if (error != 0)
                expansion[kept++] = error;
        }
        if (carry != 0)
            expansion[kept++] = carry;
        count = kept;
    }
    return count == 0 ? 0 : expansion[count - 1] > 0 ? 1 : -1;
}

static int orient(double ax, double ay, double bx, double by, double cx, double cy)
{
    double terms[TERMS] = {ax * by, -(ay * bx), bx * cy, -(by * cx), cx * ay, -(cy * ax)};
    double left = (ax - cx) * (by - cy), right = (ay - cy) * (bx - cx);
    double determinant = left - right;

    /* Each difference and product is off by at most 2^-53 of itself: 8 of these are more than
     * enough where nothing underflows, and the float products leave room for that. */
    if (fabs(determinant) > 8 * 0x1p-53 * (fabs(left) + fabs(right)))
        return determinant > 0 ? 1 : -1;
    return sign_of_sum(terms);
}

int kiln_orient(const float a[2], const float b[2], const float c[2])
{
    return orient((double)a[0], (double)a[1], (double)b[0], (double)b[1], (double)c[0],
                  (double)c[1]);
}

bool kiln_no_area(const float a[3], const float b[3], const float c[3])
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (orient((double)a[i], (double)a[j], (double)b[i], (double)b[j], (double)c[i],
                   (double)c[j]) != 0)
            return false;
    }
    return true;
}
