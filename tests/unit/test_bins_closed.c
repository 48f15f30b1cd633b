/* Filled bins without a table: the factorials it rests on, known values, edges. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <gmp.h>

#include "../../lut/factorials.h"
#include "../../runtime/kiln_adb.h"
#include "../support/filled_bins.h"

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
