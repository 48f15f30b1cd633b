/* Filled bins without a table: known values, what is refused, the caller's environment. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <gmp.h>

#include "../../lut/factorials.h"
#include "../../runtime/kiln.h"
#include "../support/filled_bins.h"
#include "../support/rounding.h"

#define CERTIFICATE 0x1p-46
#define UNTOUCHED 7.5

static double probability(uint32_t u, uint32_t v, uint32_t w, uint32_t x)
{
    double p = UNTOUCHED;
    assert_int_equal(kiln_bins_probability(NULL, u, v, w, x, &p), KILN_OK);
    return p;
}

/* -------------------------------------------------------------------------------- factorials -- */

/* Each entry is the nearest there is: |mantissa 2^exponent - n!| <= 2^(exponent - 53), and the
 * exponent the largest that is not above n!. */
static void factorials_are_rounded_right(void **state)
{
    (void)state;
    mpz_t factorial, entry, half;
    mpz_inits(factorial, entry, half, NULL);
    mpz_set_ui(factorial, 1);
    for (uint32_t n = 0, i = 0; i < KILN_FACTORIAL_ENTRIES; i++) {
        for (; n < kiln_factorial_of_entry(i); n++) {
            mpz_mul_ui(factorial, factorial, n + 1);
        }
        const unsigned exponent = kiln_factorial_exponent[i];
        assert_int_equal(exponent + 1, mpz_sizeinbase(factorial, 2));
        mpz_set_d(entry, kiln_factorial_mantissa[i] * 0x1p52);
        mpz_mul_2exp(entry, entry, exponent + 1); /* all in units of 2^-53 */
        mpz_mul_2exp(factorial, factorial, 53);
        mpz_sub(entry, entry, factorial);
        mpz_set_ui(half, 1);
        mpz_mul_2exp(half, half, exponent);
        assert_true(mpz_cmpabs(entry, half) <= 0);
        mpz_fdiv_q_2exp(factorial, factorial, 53);
    }
    mpz_clears(factorial, entry, half, NULL);
}

/* ------------------------------------------------------------------------------ known values -- */

static void one_ball_of_each_meets_once_in_u(void **state)
{
    (void)state;
    for (uint32_t u = 1; u <= KILN_BINS_MAX_U; u++) {
        assert_true(fabs(probability(u, 1, 1, 1) - 1.0 / u) <= 0x1p-48 / u);
    }
}

static void one_blue_ball_meets_a_red_in_w_of_u(void **state)
{
    (void)state;
    for (uint32_t w = 0; w <= 512; w++) {
        assert_true(fabs(probability(512, 1, w, 1) - w / 512.0) <= CERTIFICATE);
    }
}

static void more_balls_than_bins_must_meet(void **state)
{
    (void)state;
    for (uint32_t u = 1; u <= 40; u++) {
        for (uint32_t v = 0; v <= u; v++) {
            for (uint32_t w = 0; w <= u; w++) {
                const uint32_t certain = v + w > u ? v + w - u : 0, most = v < w ? v : w;
                if (certain <= KILN_BINS_MAX_X) {
                    assert_true(probability(u, v, w, certain) == 1);
                }
                if (most < KILN_BINS_MAX_X) {
                    assert_true(probability(u, v, w, most + 1) == 0);
                }
            }
        }
    }
}

static void nothing_is_filled_without_bins_or_balls(void **state)
{
    (void)state;
    assert_true(probability(0, 0, 0, 1) == 0);
    assert_true(probability(512, 0, 512, 1) == 0);
    assert_true(probability(512, 512, 0, 1) == 0);
}

static void no_filled_bin_is_certain(void **state)
{
    (void)state;
    assert_true(probability(0, 0, 0, 0) == 1);
    assert_true(probability(512, 3, 4, 0) == 1);
}

/* Equation 7: 1 - product of (1 - w / (u - v + i)). */
static void equation_7(void **state)
{
    (void)state;
    for (uint32_t v = 1; v <= 200; v += 7) {
        for (uint32_t w = 1; w <= 200; w += 3) {
            long double none = 1;
            for (uint32_t i = 1; i <= v; i++) {
                none *= 1 - (long double)w / (512 - v + i);
            }
            assert_true(fabsl(probability(512, v, w, 1) - (1 - none)) <= CERTIFICATE);
        }
    }
}

/* The least positive value, and the smallest that is asked for: 1 / C(4096, 32). */
static void small_values_keep_their_digits(void **state)
{
    (void)state;
    long double expected = 1;
    for (int i = 1; i <= 32; i++) {
        expected *= (long double)i / (4096 - 32 + i);
    }
    const double p = probability(4096, 32, 32, 32);
    assert_true(p > 0 && fabsl(p - expected) <= expected * 0x1p-46L);
}

/* All ways of starting: C(4096, 2048) is 2^4090, its inverse no double. */
static void underflow_is_certainty(void **state)
{
    (void)state;
    assert_true(probability(4096, 2048, 2048, KILN_BINS_MAX_X) == 1);
    assert_true(probability(2048, 1024, 1024, 1) == 1);
}

static void monotone_in_every_argument(void **state)
{
    (void)state;
    for (uint32_t u = 2; u <= 512; u += 17) {
        for (uint32_t v = 0; v < u; v += 5) {
            for (uint32_t w = 0; w < u; w += 7) {
                double p[10], more_v[10], more_w[10], more_u[10];
                (void)kiln_bins_probabilities(NULL, u, v, w, 10, p);
                (void)kiln_bins_probabilities(NULL, u, v + 1, w, 10, more_v);
                (void)kiln_bins_probabilities(NULL, u, v, w + 1, 10, more_w);
                (void)kiln_bins_probabilities(NULL, u + 1, v, w, 10, more_u);
                for (int x = 0; x < 10; x++) {
                    assert_true(more_v[x] >= p[x] - 2 * CERTIFICATE);
                    assert_true(more_w[x] >= p[x] - 2 * CERTIFICATE);
                    assert_true(more_u[x] <= p[x] + 2 * CERTIFICATE);
                    assert_true(x == 0 || p[x] <= p[x - 1]);
                }
            }
        }
    }
}

/* One value asked for alone is that of all at once. */
static void one_is_as_all(void **state)
{
    (void)state;
    filled_bins f;
    filled_bins_init(&f, 300);
    filled_bins_count(&f, 300, 40, 60);
    for (uint32_t x = 1; x <= KILN_BINS_MAX_X; x++) {
        assert_true(fabs(filled_bins_excess(&f, x, probability(300, 40, 60, x))) <= CERTIFICATE);
    }
    filled_bins_clear(&f);
}

/* ------------------------------------------------------------------------------ the contract -- */

static void facts_of_the_evaluator(void **state)
{
    (void)state;
    const kiln_bins_info info = kiln_bins_get_info(NULL);
    assert_string_equal(info.profile, "closed");
    assert_false(info.rounded_down);
    assert_int_equal(info.max_u, KILN_BINS_MAX_U);
    assert_int_equal(info.max_x, KILN_BINS_MAX_X);
    assert_true(info.certificate == CERTIFICATE);
    assert_int_equal(info.bytes, 0);
}

static void whole_arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    static const uint32_t bad[][4] = {
        {5, 6, 1, 1},
        {5, 1, 6, 1},
        {0, 1, 0, 1},
        {KILN_BINS_MAX_U + 1, 1, 1, 1},
        {5, 1, 1, KILN_BINS_MAX_X + 1},
        {UINT32_MAX, UINT32_MAX, UINT32_MAX, 1},
        {5, UINT32_MAX, 1, 1},
        {5, 1, 1, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double p[KILN_BINS_MAX_X] = {UNTOUCHED};
        assert_int_equal(kiln_bins_probability(NULL, bad[i][0], bad[i][1], bad[i][2], bad[i][3], p),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(
            kiln_bins_probabilities(NULL, bad[i][0], bad[i][1], bad[i][2], bad[i][3], p),
            KILN_ERROR_ARGUMENT);
        assert_true(p[0] == UNTOUCHED);
    }
    double p = UNTOUCHED;
    assert_int_equal(kiln_bins_probabilities(NULL, 5, 1, 1, 0, &p), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_probability(NULL, 5, 1, 1, 1, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_probabilities(NULL, 5, 1, 1, 1, NULL), KILN_ERROR_ARGUMENT);
    assert_true(p == UNTOUCHED);
}

static void refuse_real(double s, double sa, double sb, double lb, int mode)
{
    double p = UNTOUCHED;
    uint32_t x = 77;
    if (lb == 0.5) {
        assert_int_equal(
            kiln_bins_probabilities_real(NULL, s, sa, sb, (kiln_bins_rounding)mode, 1, &p),
            KILN_ERROR_ARGUMENT);
    }
    assert_int_equal(
        kiln_bins_collision_bound(NULL, s, sa, sb, lb, (kiln_bins_rounding)mode, &x, &p),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_collision_expected(s, sa, sb, lb, (kiln_bins_rounding)mode, &p),
                     KILN_ERROR_ARGUMENT);
    assert_true(p == UNTOUCHED && x == 77);
}

static void real_arguments_out_of_range_are_refused(void **state)
{
    (void)state;
    const double nan = (double)NAN, inf = (double)INFINITY;
    for (int mode = KILN_BINS_LOWER; mode <= KILN_BINS_INTERPOLATED; mode++) {
        refuse_real(nan, 1, 1, 0.5, mode);
        refuse_real(5, nan, 1, 0.5, mode);
        refuse_real(5, 1, nan, 0.5, mode);
        refuse_real(inf, 1, 1, 0.5, mode);
        refuse_real(-1, -1, -1, 0.5, mode);
        refuse_real(-0x1p-1074, 0, 0, 0.5, mode);
        refuse_real(5, -0x1p-1074, 1, 0.5, mode);
        refuse_real(5, 1, -1, 0.5, mode);
        refuse_real(5, nextafter(5, 6), 1, 0.5, mode);
        refuse_real(5, 1, nextafter(5, 6), 0.5, mode);
        refuse_real(nextafter(KILN_BINS_MAX_U, DBL_MAX), 1, 1, 0.5, mode);
        refuse_real(5, 1, 1, nan, mode);
        refuse_real(5, 1, 1, -0x1p-1074, mode);
        refuse_real(5, 1, 1, nextafter(1, 2), mode);
    }
    refuse_real(5, 1, 1, 0.5, 0);
    refuse_real(5, 1, 1, 0.5, 3);
    double p = UNTOUCHED;
    uint32_t x = 77;
    assert_int_equal(kiln_bins_probabilities_real(NULL, 5, 1, 1, KILN_BINS_LOWER, 0, &p),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(
        kiln_bins_probabilities_real(NULL, 5, 1, 1, KILN_BINS_LOWER, KILN_BINS_MAX_X + 1, &p),
        KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_probabilities_real(NULL, 5, 1, 1, KILN_BINS_LOWER, 1, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_collision_bound(NULL, 5, 1, 1, 0.5, KILN_BINS_LOWER, &x, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_collision_expected(5, 1, 1, 0.5, KILN_BINS_LOWER, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_true(p == UNTOUCHED && x == 77);
}

/* The ends of the domain that are inside it. */
static void ends_of_the_real_domain(void **state)
{
    (void)state;
    static const double ends[][3] = {
        {0, 0, 0},
        {-0.0, -0.0, -0.0},
        {0x1p-1074, 0x1p-1074, 0},
        {0.5, 0.5, 0.5},
        {KILN_BINS_MAX_U, KILN_BINS_MAX_U, KILN_BINS_MAX_U},
        {KILN_BINS_MAX_U - 0.5, KILN_BINS_MAX_U - 0.5, 0.25},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        for (int mode = KILN_BINS_LOWER; mode <= KILN_BINS_INTERPOLATED; mode++) {
            for (int lb = 0; lb <= 1; lb++) {
                double p = UNTOUCHED;
                assert_int_equal(kiln_bins_collision_bound(NULL, ends[i][0], ends[i][1], ends[i][2],
                                                           lb, (kiln_bins_rounding)mode, NULL, &p),
                                 KILN_OK);
                assert_true(p >= 0 && p <= 1);
                assert_int_equal(kiln_bins_collision_expected(ends[i][0], ends[i][1], ends[i][2],
                                                              lb, (kiln_bins_rounding)mode, &p),
                                 KILN_OK);
                assert_true(p >= 0 && p <= 1);
            }
        }
    }
}

/* One bin is half there, and so are the balls in it: both are there in a quarter of the cases that
 * have the bin, and always met if so. */
static void half_a_bin(void **state)
{
    (void)state;
    double p = UNTOUCHED;
    assert_int_equal(
        kiln_bins_probabilities_real(NULL, 0.5, 0.5, 0.5, KILN_BINS_INTERPOLATED, 1, &p), KILN_OK);
    assert_true(p == 0.125);
    assert_int_equal(kiln_bins_probabilities_real(NULL, 0.5, 0.5, 0.5, KILN_BINS_LOWER, 1, &p),
                     KILN_OK);
    assert_true(p == 0);
}

/* A bound is lowered by the certificate except where it is certain. */
static void lower_bounds_give_the_certificate_away(void **state)
{
    (void)state;
    double p[4];
    assert_int_equal(kiln_bins_probabilities_real(NULL, 9.5, 6.5, 6.5, KILN_BINS_LOWER, 4, p),
                     KILN_OK);
    assert_true(p[0] == 1 && p[1] == 1); /* ceil 10, floors 6 and 6 */
    assert_true(p[2] == probability(10, 6, 6, 3) - CERTIFICATE);
    assert_true(p[3] == probability(10, 6, 6, 4) - CERTIFICATE);
}

static void equation_8_of_certain_cells(void **state)
{
    (void)state;
    double p = UNTOUCHED;
    uint32_t x = 0;
    assert_int_equal(
        kiln_bins_collision_bound(NULL, 100, 100, 20, 0.5, KILN_BINS_INTERPOLATED, &x, &p),
        KILN_OK);
    assert_true(p == 1 - 0x1p-10 && x == 10);
    assert_int_equal(
        kiln_bins_collision_bound(NULL, 100, 100, 3, 0.5, KILN_BINS_INTERPOLATED, &x, &p), KILN_OK);
    assert_true(p == 0.875 && x == 3);
    assert_int_equal(
        kiln_bins_collision_bound(NULL, 100, 0, 3, 0.5, KILN_BINS_INTERPOLATED, &x, &p), KILN_OK);
    assert_true(p == 0 && x == 1);
}

static void expectation_of_certain_cells(void **state)
{
    (void)state;
    double p = UNTOUCHED;
    assert_int_equal(kiln_bins_collision_expected(100, 100, 20, 0.5, KILN_BINS_INTERPOLATED, &p),
                     KILN_OK);
    assert_true(p == 1 - 0x1p-20);
    assert_int_equal(kiln_bins_collision_expected(100, 1, 50, 0.5, KILN_BINS_INTERPOLATED, &p),
                     KILN_OK);
    assert_true(fabs(p - 0.25) <= 0x1p-38);
}

/* All answers of one list of questions. */
static void answer_all(double answers[64])
{
    uint32_t x;
    (void)kiln_bins_probabilities(NULL, 511, 37, 83, 10, answers);
    (void)kiln_bins_probabilities(NULL, 4001, 129, 277, 10, answers + 10);
    (void)kiln_bins_probabilities(NULL, 4096, 32, 32, 32, answers + 20);
    (void)kiln_bins_probabilities_real(NULL, 300.3, 20.7, 80.1, KILN_BINS_INTERPOLATED, 3,
                                       answers + 52);
    (void)kiln_bins_probabilities_real(NULL, 300.3, 20.7, 80.1, KILN_BINS_LOWER, 3, answers + 55);
    (void)kiln_bins_collision_bound(NULL, 300.3, 20.7, 80.1, 0.3, KILN_BINS_LOWER, &x,
                                    answers + 58);
    (void)kiln_bins_collision_expected(300.3, 20.7, 80.1, 0.3, KILN_BINS_LOWER, answers + 59);
    (void)kiln_bins_collision_expected(300.3, 20.7, 80.1, 0.3, KILN_BINS_INTERPOLATED,
                                       answers + 60);
    (void)kiln_bins_probability(NULL, 512, 100, 100, 12, answers + 61);
    answers[62] = x;
    answers[63] = 0;
}

static void the_callers_environment_changes_nothing(void **state)
{
    (void)state;
    double expected[64], answers[64];
    answer_all(expected);
    for (int mode = 0; mode < ROUNDING_MODES; mode++) {
        rounding_enter(mode);
        answer_all(answers);
        rounding_leave();
        assert_memory_equal(answers, expected, sizeof expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factorials_are_rounded_right),
        cmocka_unit_test(one_ball_of_each_meets_once_in_u),
        cmocka_unit_test(one_blue_ball_meets_a_red_in_w_of_u),
        cmocka_unit_test(more_balls_than_bins_must_meet),
        cmocka_unit_test(nothing_is_filled_without_bins_or_balls),
        cmocka_unit_test(no_filled_bin_is_certain),
        cmocka_unit_test(equation_7),
        cmocka_unit_test(small_values_keep_their_digits),
        cmocka_unit_test(underflow_is_certainty),
        cmocka_unit_test(monotone_in_every_argument),
        cmocka_unit_test(one_is_as_all),
        cmocka_unit_test(facts_of_the_evaluator),
        cmocka_unit_test(whole_arguments_out_of_range_are_refused),
        cmocka_unit_test(real_arguments_out_of_range_are_refused),
        cmocka_unit_test(ends_of_the_real_domain),
        cmocka_unit_test(half_a_bin),
        cmocka_unit_test(lower_bounds_give_the_certificate_away),
        cmocka_unit_test(equation_8_of_certain_cells),
        cmocka_unit_test(expectation_of_certain_cells),
        cmocka_unit_test(the_callers_environment_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
