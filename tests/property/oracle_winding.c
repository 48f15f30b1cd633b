/* The sum of solid angles over 4 pi, by the formula of Van Oosterom and Strackee in numbers of 640
 * bits, with the determinant of the three vectors themselves. The angle of x + i y is 2 atan(|y| /
 * (|x| + |x + i y|)) from the nearer half axis, and the arc tangent is halved three times and then
 * summed by its series, in 224 bits: good to 2^-190 or so. */
#include "oracle_winding.h"

#include <gmp.h>
#include <stdbool.h>

enum { LONG = 640, SHORT = 224 };

static mpf_t exact, pi, a[9], length[3], dot, x, y, t, s, power, term, angle, one;

static void set_up(void)
{
    static bool done;
    if (!done) {
        done = true;
        for (int i = 0; i < 9; i++) {
            mpf_init2(a[i], LONG);
        }
        for (int i = 0; i < 3; i++) {
            mpf_init2(length[i], LONG);
        }
        mpf_init2(dot, LONG);
        mpf_init2(x, LONG);
        mpf_init2(y, LONG);
        mpf_init2(exact, SHORT);
        mpf_init2(pi, SHORT);
        mpf_init2(t, SHORT);
        mpf_init2(s, SHORT);
        mpf_init2(power, SHORT);
        mpf_init2(term, SHORT);
        mpf_init2(angle, SHORT);
        mpf_init2(one, SHORT);
        mpf_set_ui(one, 1);
        mpf_set_ui(pi, 0);
    }
}

/* angle = atan(t), from 0 to 1 */
static void arc_tangent(void)
{
    for (int i = 0; i < 3; i++) {
        mpf_mul(s, t, t);
        mpf_add(s, s, one);
        mpf_sqrt(s, s);
        mpf_add(s, s, one);
        mpf_div(t, t, s);
    }
    mpf_mul(s, t, t);
    mpf_set(power, t);
    mpf_set(angle, t);
    for (unsigned long k = 3; k < 70; k += 2) {
        mpf_mul(power, power, s);
        mpf_neg(power, power);
        mpf_div_ui(term, power, k);
        mpf_add(angle, angle, term);
    }
    mpf_mul_2exp(angle, angle, 3);
}

static void dot_of(int i, int j)
{
    mpf_mul(dot, a[3 * i], a[3 * j]);
    for (int k = 1; k < 3; k++) {
        mpf_mul(length[2], a[3 * i + k], a[3 * j + k]);
        mpf_add(dot, dot, length[2]);
    }
}

static void determinant(void)
{
    mpf_set_ui(y, 0);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        mpf_mul(dot, a[3 + i], a[6 + j]);
        mpf_mul(x, a[3 + j], a[6 + i]);
        mpf_sub(dot, dot, x);
        mpf_mul(dot, dot, a[k]);
        mpf_add(y, y, dot);
    }
}

/* Adds half the solid angle of the triangle at `a` to the number. */
static void add_one(void)
{
    mpf_t lengths[3];
    determinant();
    if (mpf_sgn(y) == 0) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        mpf_init2(lengths[i], LONG);
        dot_of(i, i);
        mpf_sqrt(lengths[i], dot);
    }
    mpf_mul(x, lengths[0], lengths[1]);
    mpf_mul(x, x, lengths[2]);
    for (int i = 0; i < 3; i++) {
        dot_of((i + 1) % 3, (i + 2) % 3);
        mpf_mul(dot, dot, lengths[i]);
        mpf_add(x, x, dot);
    }
    for (int i = 0; i < 3; i++) {
        mpf_clear(lengths[i]);
    }
    const bool negative = mpf_sgn(y) < 0, obtuse = mpf_sgn(x) < 0;
    mpf_abs(y, y);
    mpf_abs(x, x);
    mpf_mul(dot, x, x);
    mpf_mul(length[2], y, y);
    mpf_add(dot, dot, length[2]);
    mpf_sqrt(dot, dot);
    mpf_add(dot, dot, x);
    mpf_div(dot, y, dot);
    mpf_set(t, dot);
    arc_tangent();
    mpf_mul_ui(angle, angle, 2);
    if (obtuse) {
        mpf_sub(angle, pi, angle);
    }
    if (negative) {
        mpf_neg(angle, angle);
    }
    mpf_add(exact, exact, angle);
}

void oracle_winding_set(const double *corners, uint32_t count, const double point[3])
{
    set_up();
    if (mpf_sgn(pi) == 0) {
        mpf_set_ui(t, 1);
        arc_tangent();
        mpf_mul_ui(pi, angle, 4);
    }
    mpf_set_ui(exact, 0);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 9; k++) {
            mpf_set_d(a[k], corners[9 * (uint64_t)i + (unsigned)k]);
            mpf_set_d(dot, point[k % 3]);
            mpf_sub(a[k], a[k], dot);
        }
        add_one();
    }
    mpf_div(exact, exact, pi);
    mpf_div_ui(exact, exact, 2);
}

double oracle_winding_off(double number)
{
    mpf_set_d(term, number);
    mpf_sub(term, term, exact);
    mpf_abs(term, term);
    return mpf_get_d(term);
}

double oracle_winding_number(void)
{
    return mpf_get_d(exact);
}
