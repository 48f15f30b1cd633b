/* What is sampled: pairs of triangles of 12 classes: generic, far apart, with sides of very
 * different length, on small grids (in which parallel, touching and degenerate features abound),
 * a hair apart at corner, edge or face, edges nearly parallel, slivers, segments and points, and
 * all magnitudes that coordinates may have. Every pair is asked as it is, with corners permuted,
 * and with a limit on both sides of its distance.
 *
 * Oracle: near_oracle.c, the squared distance in rational numbers; oracle.c for those that meet.
 * Tolerance: what exact.h states, 2^-43 of the size; none for 0.
 *
 * support/amount.h tells how many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "near_oracle.h"
#include "oracle.h"
#include "triangle_samples.h"

enum { PAIRS = 4000 };

static uint64_t state = 31;

static double between(double low, double high)
{
    return random_between(&state, low, high);
}

/* 10^-from .. 10^-to, as often in each power. */
static double small(double from, double to)
{
    return pow(10, -between(from, to));
}

static void fill(double t[9], double low, double high)
{
    for (int i = 0; i < 9; i++) {
        t[i] = between(low, high);
    }
}

static void generic(sample *s)
{
    fill(s->a, -1, 1);
    fill(s->b, -1, 1);
    for (int i = 0; i < 9; i++) {
        s->b[i] += i % 3 == 0 ? 1.5 : 0;
    }
}

static void far_apart(sample *s)
{
    const double away = 1 / small(0, 20);
    generic(s);
    for (int i = 0; i < 9; i++) {
        s->b[i] += away * (double)(i % 3);
    }
}

static void uneven(sample *s)
{
    const double ratio = small(0, 9);
    generic(s);
    for (int i = 0; i < 9; i++) {
        s->b[i] *= ratio;
    }
}

static void grid(sample *s)
{
    sample_grid(&state, s);
}

static void turned_grid(sample *s)
{
    sample_turned_grid(&state, s);
}

/* A corner of each, or a corner and a point inside, a hair from each other. */
static void near_corner(sample *s)
{
    const double gap = small(1, 18);
    const double inside = random_below(&state, 2) == 0 ? 0 : 0.3;
    generic(s);
    for (int k = 0; k < 3; k++) {
        const double at =
            s->a[k] + inside * (s->a[3 + k] - s->a[k]) + inside * (s->a[6 + k] - s->a[k]);
        const double shift = at - s->b[k] + between(-gap, gap);
        for (int c = 0; c < 3; c++) {
            s->b[3 * c + k] += shift;
        }
    }
}

/* Faces in parallel planes, a hair apart. */
static void near_faces(sample *s)
{
    const double gap = small(1, 18), tilt = random_below(&state, 2) == 0 ? 0 : small(5, 15);
    fill(s->a, -1, 1);
    fill(s->b, -1, 1);
    for (int c = 0; c < 3; c++) {
        s->a[3 * c + 2] = 0.25;
        s->b[3 * c + 2] = 0.25 + gap + tilt * between(0, 1);
    }
    if (random_below(&state, 2) == 0) {
        sample_turn(&state, s);
    }
}

static void nearly_parallel(sample *s)
{
    const double angle = small(1, 17), gap = small(0, 12);
    generic(s);
    for (int k = 0; k < 3; k++) {
        const double edge = s->a[3 + k] - s->a[k];
        s->b[k] = s->a[k] + 0.3 * edge + gap * between(-1, 1);
        s->b[3 + k] = s->b[k] + 0.9 * edge + angle * between(-1, 1);
        s->b[6 + k] = s->b[k] + between(-1, 1) * gap;
    }
}

/* The third corner a hair from the line through the first two, or from one of them. */
static void flatten(double t[9])
{
    const double off = small(1, 20), along = random_below(&state, 2) == 0 ? 0 : between(-0.5, 1.5);
    for (int k = 0; k < 3; k++) {
        t[6 + k] = t[k] + along * (t[3 + k] - t[k]) + off * between(-1, 1);
    }
}

static void slivers(sample *s)
{
    (random_below(&state, 2) == 0 ? generic : near_corner)(s);
    flatten(s->a);
    if (random_below(&state, 2) == 0) {
        flatten(s->b);
    }
}

/* A sliver under a face or an edge at a height near its own. */
static void near_slivers(sample *s)
{
    const double gap = small(1, 20);
    fill(s->a, -1, 1);
    flatten(s->a);
    for (int c = 0; c < 3; c++) {
        const double u = between(0, 1), v = between(0, 1 - u);
        for (int k = 0; k < 3; k++) {
            s->b[3 * c + k] = s->a[k] + u * (s->a[3 + k] - s->a[k]) + v * (s->a[6 + k] - s->a[k]) +
                              gap * between(-1, 1);
        }
    }
}

static void degenerate(sample *s)
{
    (random_below(&state, 2) == 0 ? generic : grid)(s);
    double *t = random_below(&state, 2) == 0 ? s->a : s->b;
    memcpy(t + 6, t + 3 * random_below(&state, 2), 3 * sizeof *t);
    if (random_below(&state, 2) == 0) {
        memcpy(t + 3, t, 3 * sizeof *t);
    }
    if (random_below(&state, 2) == 0) {
        memcpy(s->b + 6, s->b + 3, 3 * sizeof *t);
    }
}

static void magnitudes(sample *s)
{
    generic(s);
    const double size = pow(2, between(-220, 220)), other = pow(2, between(-220, 220));
    for (int i = 0; i < 9; i++) {
        s->a[i] *= size;
        s->b[i] *= random_below(&state, 2) == 0 ? size : other;
    }
}

static double size_of(const sample *s)
{
    double size = 0;
    for (int k = 0; k < 3; k++) {
        double low = s->a[k], high = s->a[k];
        for (int c = 0; c < 3; c++) {
            low = fmin(low, fmin(s->a[3 * c + k], s->b[3 * c + k]));
            high = fmax(high, fmax(s->a[3 * c + k], s->b[3 * c + k]));
        }
        size = fmax(size, high - low);
    }
    return size;
}

static bool in_range(const sample *s)
{
    for (int i = 0; i < 9; i++) {
        if ((s->a[i] != 0 && fabs(s->a[i]) < 0x1p-250) ||
            (s->b[i] != 0 && fabs(s->b[i]) < 0x1p-250)) {
            return false;
        }
    }
    return true;
}

/* Are the two points on the triangles, as far as rounding goes? */
static bool points_are_there(const sample *s, const kiln_tri_nearest *near, double room)
{
    double point[9];
    bool there = true;
    mpq_t squared;
    mpq_init(squared);
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < 3; c++) {
            memcpy(point + 3 * c, side == 0 ? near->on_x : near->on_y, 3 * sizeof *point);
        }
        near_oracle_squared(point, side == 0 ? s->a : s->b, squared);
        there = there && near_oracle_agrees(squared, 0, room);
    }
    mpq_clear(squared);
    return there;
}

static void show(const sample *s, double value, const mpq_t squared)
{
    for (int i = 0; i < 9; i++) {
        print_message("%a %a\n", s->a[i], s->b[i]);
    }
    print_message("value %.17g, true %.17g\n", value, sqrt(mpq_get_d(squared)));
}

/* How far values are off, in units of what is allowed. */
static double check(const sample *s)
{
    kiln_tri_nearest near, other;
    mpq_t squared;
    mpq_init(squared);
    near_oracle_squared(s->a, s->b, squared);
    assert_true(kiln_triangles_nearest(s->a, s->b, HUGE_VAL, &near));
    const double size = size_of(s), room = 0x1p-43 * size;
    double worst = 0x1p-20;
    while (worst < 1 && !near_oracle_agrees(squared, near.value, worst * room)) {
        worst *= 2;
    }
    if (!near_oracle_agrees(squared, near.value, room) ||
        (near.value == 0) != oracle_triangles_meet(s->a, s->b)) {
        show(s, near.value, squared);
        fail_msg("the distance is wrong");
    }
    if (near.value > 0) {
        double most = 0;
        for (int i = 0; i < 9; i++) {
            most = fmax(most, fmax(fabs(s->a[i]), fabs(s->b[i])));
        }
        assert_true(points_are_there(s, &near, room + 0x1p-50 * most));
        assert_false(kiln_triangles_nearest(s->a, s->b, nextafter(near.value, 0), &other));
        assert_true(kiln_triangles_nearest(s->a, s->b, near.value, &other));
        assert_memory_equal(&other, &near, sizeof near);
    }
    const sample turned = {
        {s->a[3], s->a[4], s->a[5], s->a[0], s->a[1], s->a[2], s->a[6], s->a[7], s->a[8]},
        {s->b[6], s->b[7], s->b[8], s->b[0], s->b[1], s->b[2], s->b[3], s->b[4], s->b[5]}};
    assert_true(kiln_triangles_nearest(turned.a, turned.b, HUGE_VAL, &other));
    assert_true(near_oracle_agrees(squared, other.value, room));
    assert_true((other.value == 0) == (near.value == 0));
    mpq_clear(squared);
    return worst;
}

static void run(void (*make)(sample *), const char *name)
{
    const int pairs = (int)amount(PAIRS);
    double worst = 0;
    for (int i = 0; i < pairs; i++) {
        sample s;
        do {
            make(&s);
        } while (!in_range(&s));
        worst = fmax(worst, check(&s));
    }
    print_message("%s: %d pairs, off by at most 2^%.0f of the size\n", name, pairs,
                  log2(worst) - 43);
}

#define CLASS_TEST(name)                                                                           \
    static void test_##name(void **unused)                                                         \
    {                                                                                              \
        (void)unused;                                                                              \
        run(name, #name);                                                                          \
    }

CLASS_TEST(generic)
CLASS_TEST(far_apart)
CLASS_TEST(uneven)
CLASS_TEST(grid)
CLASS_TEST(turned_grid)
CLASS_TEST(near_corner)
CLASS_TEST(near_faces)
CLASS_TEST(nearly_parallel)
CLASS_TEST(slivers)
CLASS_TEST(near_slivers)
CLASS_TEST(degenerate)
CLASS_TEST(magnitudes)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generic),     cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_uneven),      cmocka_unit_test(test_grid),
        cmocka_unit_test(test_turned_grid), cmocka_unit_test(test_near_corner),
        cmocka_unit_test(test_near_faces),  cmocka_unit_test(test_nearly_parallel),
        cmocka_unit_test(test_slivers),     cmocka_unit_test(test_near_slivers),
        cmocka_unit_test(test_degenerate),  cmocka_unit_test(test_magnitudes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
