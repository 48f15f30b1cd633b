/* What is sampled: filled bins without a table. Every u, v, w up to 60; random ones up to 512 and
 * up to 4096, half of them uniform and half with few balls, where probabilities are between 0 and
 * 1; real arguments around them.
 *
 * Oracle: support/filled_bins.c, counts of throws in whole numbers, and comparisons without
 * rounding.
 *
 * Tolerance: the certificates of kiln.h, 2^-46 absolute and 2^-36 relative, 2^-38 for the
 * expectation, and none where a value is certain or a lower bound is promised. The largest errors
 * are printed.
 *
 * support/amount.h tells how many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../runtime/kiln_adb.h"
#include "../support/amount.h"
#include "../support/filled_bins.h"

#define CERTIFICATE 0x1p-46
#define RELATIVE 0x1p-36
#define EXPECTED 0x1p-38

/* ------------------------------------------------------------------------------------ random -- */

static uint64_t state;

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t next(void)
{
    state += 0x9e3779b97f4a7c15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(void)
{
    return (double)(next() >> 11) * 0x1p-53;
}

/* 0 .. n: uniform, or with each magnitude as likely as another. */
static uint32_t up_to(uint32_t n, int few)
{
    return few ? (uint32_t)(exp2(unit() * log2((double)n + 1)) - unit())
               : (uint32_t)(next() % ((uint64_t)n + 1));
}

static long samples(long count)
{
    return amount((uint32_t)count);
}

/* ------------------------------------------------------------------------------------ checks -- */

static double worst, worst_relative;

static void keep_worst(double error, double *kept)
{
    *kept = fabs(error) > *kept ? fabs(error) : *kept;
}

static void print_worst(const char *what)
{
    printf("%s: largest error %.3g = %.2f x 2^-53", what, worst, worst * 0x1p53);
    if (worst_relative > 0) {
        printf(", %.3g of the value", worst_relative);
    }
    printf("\n");
    worst = worst_relative = 0;
}

/* All x of one u, v, w. */
static void check_triple(filled_bins *f, uint32_t u, uint32_t v, uint32_t w)
{
    double p[FILLED_BINS_X];
    assert_int_equal(kiln_bins_probabilities(NULL, u, v, w, FILLED_BINS_X, p), KILN_OK);
    filled_bins_count(f, u, v, w);
    for (uint32_t x = 1; x <= FILLED_BINS_X; x++) {
        const double error = filled_bins_excess(f, x, p[x - 1]);
        const int never = mpz_sgn(f->ways[x]) == 0;
        const int always = mpz_cmp(f->ways[x], f->all) == 0;
        if (never || always) {
            assert_true(p[x - 1] == (always ? 1.0 : 0.0));
            continue;
        }
        const double relative = filled_bins_relative_excess(f, x, p[x - 1]);
        keep_worst(error, &worst);
        keep_worst(relative, &worst_relative);
        if (!(fabs(error) <= CERTIFICATE && fabs(relative) <= RELATIVE &&
              (x == 1 || p[x - 1] <= p[x - 2]))) {
            fail_msg("u %u, v %u, w %u, x %u: %.17g is off by %g", u, v, w, x, p[x - 1], error);
        }
    }
}

static void every_small_triple(void **unused)
{
    (void)unused;
    filled_bins f;
    filled_bins_init(&f, 60);
    for (uint32_t u = 0; u <= 60; u++) {
        for (uint32_t v = 0; v <= u; v++) {
            for (uint32_t w = 0; w <= u; w++) {
                check_triple(&f, u, v, w);
            }
        }
    }
    filled_bins_clear(&f);
    print_worst("u <= 60");
}

static void random_triples(uint32_t max_u, long count)
{
    filled_bins f;
    filled_bins_init(&f, max_u);
    for (long i = 0; i < count; i++) {
        const uint32_t u = up_to(max_u, i % 4 == 0);
        const uint32_t v = up_to(u, i % 2 == 0), w = up_to(u, i % 2 == 0);
        check_triple(&f, u, v, w);
    }
    filled_bins_clear(&f);
}

static void a_million_triples_up_to_512(void **unused)
{
    (void)unused;
    random_triples(512, samples(1000000));
    print_worst("u <= 512");
}

static void ten_thousand_triples_up_to_4096(void **unused)
{
    (void)unused;
    random_triples(4096, samples(10000));
    print_worst("u <= 4096");
}

/* v and w change places, and P is the same to the last bit. */
static void colours_change_places(void **unused)
{
    (void)unused;
    for (long i = samples(100000); i > 0; i--) {
        const uint32_t u = up_to(KILN_BINS_MAX_U, i % 2 == 0);
        const uint32_t v = up_to(u, i % 3 == 0), w = up_to(u, i % 3 == 0);
        double p[10], q[10];
        assert_int_equal(kiln_bins_probabilities(NULL, u, v, w, 10, p), KILN_OK);
        assert_int_equal(kiln_bins_probabilities(NULL, u, w, v, 10, q), KILN_OK);
        assert_memory_equal(p, q, sizeof p);
    }
}

/* ---------------------------------------------------------------------------- real arguments -- */

typedef struct {
    double s, sa, sb;
} real_triple;

static double real_up_to(double limit, int few)
{
    return few ? fmin(limit, exp2(unit() * log2(limit + 1)) - 1) : unit() * limit;
}

static real_triple random_real(double max_s, long i)
{
    real_triple t;
    t.s = real_up_to(max_s, i % 2 == 0);
    t.sa = real_up_to(t.s, i % 3 != 0);
    t.sb = real_up_to(t.s, i % 5 != 0);
    if (i % 7 == 0) { /* whole numbers are edges */
        t.s = ceil(t.s);
        t.sa = floor(t.sa);
    }
    return t;
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void lower_bounds_are_below_all_neighbours(void **unused)
{
    (void)unused;
    filled_bins f;
    filled_bins_init(&f, 513);
    for (long i = samples(20000); i > 0; i--) {
        const real_triple t = random_real(512, i);
        double p[10];
        assert_int_equal(
            kiln_bins_probabilities_real(NULL, t.s, t.sa, t.sb, KILN_BINS_LOWER, 10, p), KILN_OK);
        for (uint32_t at = 0; at < 8; at++) {
            const uint32_t u = (uint32_t)(at & 1 ? ceil(t.s) : floor(t.s));
            const uint32_t v = less((uint32_t)(at & 2 ? ceil(t.sa) : floor(t.sa)), u);
            const uint32_t w = less((uint32_t)(at & 4 ? ceil(t.sb) : floor(t.sb)), u);
            filled_bins_count(&f, u, v, w);
            for (uint32_t x = 1; x <= 10; x++) {
                assert_true(p[x - 1] >= 0 && filled_bins_excess(&f, x, p[x - 1]) <= 0);
            }
        }
    }
    filled_bins_clear(&f);
}

/* The mean is between the least and the largest neighbour, is P itself at whole arguments, and
 * moves little where an argument does: it is continuous. */
static void means_are_between_and_continuous(void **unused)
{
    (void)unused;
    for (long i = samples(50000); i > 0; i--) {
        const real_triple t = random_real(511, i);
        double p[10], lower[10], near[10], at[10];
        const double step = 0x1p-30;
        assert_int_equal(
            kiln_bins_probabilities_real(NULL, t.s, t.sa, t.sb, KILN_BINS_INTERPOLATED, 10, p),
            KILN_OK);
        assert_int_equal(
            kiln_bins_probabilities_real(NULL, t.s, t.sa, t.sb, KILN_BINS_LOWER, 10, lower),
            KILN_OK);
        assert_int_equal(kiln_bins_probabilities_real(NULL, t.s + step, t.sa + step, t.sb + step,
                                                      KILN_BINS_INTERPOLATED, 10, near),
                         KILN_OK);
        for (int x = 0; x < 10; x++) {
            assert_true(p[x] >= lower[x] - 0x1p-48 && p[x] <= 1);
            assert_true(x == 0 || p[x] <= p[x - 1]);
            assert_true(fabs(near[x] - p[x]) <= 4 * step);
        }
        const double u = ceil(t.s), v = floor(t.sa), w = floor(t.sb);
        assert_int_equal(kiln_bins_probabilities_real(NULL, u, v, w, KILN_BINS_INTERPOLATED, 10, p),
                         KILN_OK);
        assert_int_equal(
            kiln_bins_probabilities(NULL, (uint32_t)u, (uint32_t)v, (uint32_t)w, 10, at), KILN_OK);
        assert_memory_equal(p, at, sizeof p);
    }
}

/* The mean by its definition, at random. */
static void means_are_what_they_are_defined_as(void **unused)
{
    (void)unused;
    for (long i = samples(50000); i > 0; i--) {
        const real_triple t = random_real(100, i);
        double p[10], mean[10] = {0};
        for (int at = 0; at < 8; at++) {
            const double fs = t.s - floor(t.s), fa = t.sa - floor(t.sa), fb = t.sb - floor(t.sb);
            const double weight =
                (at & 1 ? fs : 1 - fs) * (at & 2 ? fa : 1 - fa) * (at & 4 ? fb : 1 - fb);
            const uint32_t u = (uint32_t)floor(t.s) + (at & 1);
            const uint32_t v = less((uint32_t)floor(t.sa) + (at >> 1 & 1), u);
            const uint32_t w = less((uint32_t)floor(t.sb) + (at >> 2 & 1), u);
            assert_int_equal(kiln_bins_probabilities(NULL, u, v, w, 10, p), KILN_OK);
            for (int x = 0; x < 10; x++) {
                mean[x] += weight * p[x];
            }
        }
        assert_int_equal(
            kiln_bins_probabilities_real(NULL, t.s, t.sa, t.sb, KILN_BINS_INTERPOLATED, 10, p),
            KILN_OK);
        for (int x = 0; x < 10; x++) {
            assert_true(fabs(p[x] - mean[x]) <= 0x1p-47);
        }
    }
}

/* -------------------------------------------------------------------------------- Equation 8 -- */

/* The maximum over x by brute force, in long double. */
static long double brute_bound(const double p[], double lb, uint32_t *x_best)
{
    long double best = -1;
    for (uint32_t x = 1; x <= 10; x++) {
        const long double value = -expm1l((long double)x * log1pl(-(long double)lb)) * p[x - 1];
        if (value > best * (1 + 0x1p-48L)) {
            best = value;
            *x_best = x;
        }
    }
    return best;
}

static double random_lb(long i)
{
    return i % 4 == 0 ? unit() * 0x1p-20 : unit();
}

static void equation_8_is_the_maximum(void **unused)
{
    (void)unused;
    for (long i = samples(100000); i > 0; i--) {
        const real_triple t = random_real(512, i);
        const double lb = random_lb(i);
        for (int mode = KILN_BINS_LOWER; mode <= KILN_BINS_INTERPOLATED; mode++) {
            const kiln_bins_rounding rounding = (kiln_bins_rounding)mode;
            double p[10], best;
            uint32_t x = 0, x_brute = 0;
            assert_int_equal(kiln_bins_probabilities_real(NULL, t.s, t.sa, t.sb, rounding, 10, p),
                             KILN_OK);
            assert_int_equal(
                kiln_bins_collision_bound(NULL, t.s, t.sa, t.sb, lb, rounding, &x, &best), KILN_OK);
            const long double brute = brute_bound(p, lb, &x_brute);
            assert_true(fabsl(best - brute) <= brute * 0x1p-46L);
            assert_true(mode != KILN_BINS_LOWER || best <= brute);
            if (x != x_brute) { /* equals but for rounding */
                const long double value =
                    -expm1l((long double)x * log1pl(-(long double)lb)) * p[x - 1];
                assert_true(fabsl(value - brute) <= brute * 0x1p-46L);
            }
        }
    }
}

/* --------------------------------------------------------------------------------- expectation
 * -- */

static void expectation(uint32_t max_u, long count)
{
    filled_bins f;
    filled_bins_init(&f, max_u);
    for (long i = 0; i < count; i++) {
        const uint32_t u = up_to(max_u, i % 4 == 0);
        const uint32_t v = up_to(u, i % 2 == 0), w = up_to(u, i % 2 == 0);
        const double lb = i % 16 == 1 ? 1 : random_lb(i);
        double mean, lower, bound;
        assert_int_equal(kiln_bins_collision_expected(u, v, w, lb, KILN_BINS_INTERPOLATED, &mean),
                         KILN_OK);
        assert_int_equal(kiln_bins_collision_expected(u, v, w, lb, KILN_BINS_LOWER, &lower),
                         KILN_OK);
        assert_int_equal(
            kiln_bins_collision_bound(NULL, u, v, w, lb, KILN_BINS_LOWER, NULL, &bound), KILN_OK);
        const double error = filled_bins_expected_excess(&f, u, v, w, lb, mean);
        keep_worst(error, &worst);
        assert_true(fabs(error) <= EXPECTED);
        assert_true(filled_bins_expected_excess(&f, u, v, w, lb, lower) <= 0 || lower == 0);
        assert_true(bound <= mean + EXPECTED);
    }
    filled_bins_clear(&f);
}

static void expectations_up_to_512(void **unused)
{
    (void)unused;
    expectation(512, samples(20000));
    print_worst("expectation, u <= 512");
}

static void expectations_up_to_4096(void **unused)
{
    (void)unused;
    expectation(4096, samples(300));
    print_worst("expectation, u <= 4096");
}

static void expectation_of_real_arguments_is_bounded(void **unused)
{
    (void)unused;
    for (long i = samples(50000); i > 0; i--) {
        const real_triple t = random_real(512, i);
        const double lb = random_lb(i);
        double mean, lower, at;
        assert_int_equal(
            kiln_bins_collision_expected(t.s, t.sa, t.sb, lb, KILN_BINS_INTERPOLATED, &mean),
            KILN_OK);
        assert_int_equal(kiln_bins_collision_expected(t.s, t.sa, t.sb, lb, KILN_BINS_LOWER, &lower),
                         KILN_OK);
        assert_int_equal(kiln_bins_collision_expected(ceil(t.s), floor(t.sa), floor(t.sb), lb,
                                                      KILN_BINS_INTERPOLATED, &at),
                         KILN_OK);
        assert_true(lower <= mean && lower <= at && at - lower <= EXPECTED && mean <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_small_triple),
        cmocka_unit_test(a_million_triples_up_to_512),
        cmocka_unit_test(ten_thousand_triples_up_to_4096),
        cmocka_unit_test(colours_change_places),
        cmocka_unit_test(lower_bounds_are_below_all_neighbours),
        cmocka_unit_test(means_are_between_and_continuous),
        cmocka_unit_test(means_are_what_they_are_defined_as),
        cmocka_unit_test(equation_8_is_the_maximum),
        cmocka_unit_test(expectations_up_to_512),
        cmocka_unit_test(expectations_up_to_4096),
        cmocka_unit_test(expectation_of_real_arguments_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
