/* What a caller may ask of filled bins: domains, errors, real arguments, Equation 8, the caller's
 * environment; with the evaluator and with a table. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../runtime/bins/bins.h"
#include "../support/rounding.h"

#define CERTIFICATE 0x1p-46
#define UNTOUCHED 7.5

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
    double p[4], at[4];
    assert_int_equal(kiln_bins_probabilities(NULL, 10, 6, 6, 4, at), KILN_OK);
    assert_int_equal(kiln_bins_probabilities_real(NULL, 9.5, 6.5, 6.5, KILN_BINS_LOWER, 4, p),
                     KILN_OK);
    assert_true(p[0] == 1 && p[1] == 1); /* ceil 10, floors 6 and 6 */
    assert_true(p[2] == at[2] - CERTIFICATE);
    assert_true(p[3] == at[3] - CERTIFICATE);
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

/* ----------------------------------------------------------------------------------- a table -- */

/* Stands for a table: the evaluator, for few u and x, with what a table may say of itself. */
static void look_up_stub(const kiln_bins *table, uint32_t u, uint32_t v, uint32_t w, uint32_t count,
                         double p[])
{
    assert_true(v <= u && w <= u && u <= table->max_u && count >= 1 && count <= table->max_x);
    kiln_bins_closed.profile->lookup(&kiln_bins_closed, u, v, w, count, p);
}

static const kiln_bins_profile stub = {"stub", look_up_stub};
static const kiln_bins near_table = {&stub, false, 20, 3, 0.25, 640};
static const kiln_bins down_table = {&stub, true, 20, 3, 0.25, 640};

static void facts_of_a_table(void **state)
{
    (void)state;
    const kiln_bins_info info = kiln_bins_get_info(&down_table);
    assert_string_equal(info.profile, "stub");
    assert_true(info.rounded_down);
    assert_int_equal(info.max_u, 20);
    assert_int_equal(info.max_x, 3);
    assert_true(info.certificate == 0.25);
    assert_int_equal(info.bytes, 640);
}

static void beyond_the_table_is_told(void **state)
{
    (void)state;
    double p[4] = {UNTOUCHED, UNTOUCHED, UNTOUCHED, UNTOUCHED};
    assert_int_equal(kiln_bins_probability(&near_table, 21, 1, 1, 1, p), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_bins_probability(&near_table, 21, 1, 1, 0, p), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_bins_probability(&near_table, 20, 1, 1, 4, p), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_bins_probabilities(&near_table, 21, 1, 1, 3, p), KILN_ERROR_NOT_LOADED);
    assert_int_equal(kiln_bins_probabilities(&near_table, 20, 1, 1, 4, p), KILN_ERROR_NOT_LOADED);
    for (int mode = KILN_BINS_LOWER; mode <= KILN_BINS_INTERPOLATED; mode++) {
        const kiln_bins_rounding rounding = (kiln_bins_rounding)mode;
        assert_int_equal(kiln_bins_probabilities_real(&near_table, 20.5, 1, 1, rounding, 3, p),
                         KILN_ERROR_NOT_LOADED);
        assert_int_equal(kiln_bins_probabilities_real(&near_table, 20, 1, 1, rounding, 4, p),
                         KILN_ERROR_NOT_LOADED);
        assert_int_equal(kiln_bins_collision_bound(&near_table, 20.5, 1, 1, 0.5, rounding, NULL, p),
                         KILN_ERROR_NOT_LOADED);
    }
    assert_int_equal(kiln_bins_probability(&near_table, 21, 22, 1, 1, p), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_bins_probabilities_real(&near_table, 21, 22, 1, KILN_BINS_LOWER, 3, p),
                     KILN_ERROR_ARGUMENT);
    assert_true(p[0] == UNTOUCHED && p[3] == UNTOUCHED);
}

static void up_to_its_end_a_table_answers(void **state)
{
    (void)state;
    double p[3], q[3];
    assert_int_equal(kiln_bins_probabilities(&near_table, 20, 9, 7, 3, p), KILN_OK);
    assert_int_equal(kiln_bins_probabilities(NULL, 20, 9, 7, 3, q), KILN_OK);
    assert_memory_equal(p, q, sizeof p);
    for (int mode = KILN_BINS_LOWER; mode <= KILN_BINS_INTERPOLATED; mode++) {
        assert_int_equal(kiln_bins_probabilities_real(&near_table, 19.5, 19.5, 19.5,
                                                      (kiln_bins_rounding)mode, 3, p),
                         KILN_OK);
    }
}

/* The certificate is given away once, and not where the table has done so itself. */
static void lower_bounds_of_a_table(void **state)
{
    (void)state;
    double p[3], near[3], down[3];
    assert_int_equal(kiln_bins_probabilities(NULL, 20, 9, 7, 3, p), KILN_OK);
    assert_int_equal(kiln_bins_probabilities_real(&near_table, 20, 9, 7, KILN_BINS_LOWER, 3, near),
                     KILN_OK);
    assert_int_equal(kiln_bins_probabilities_real(&down_table, 20, 9, 7, KILN_BINS_LOWER, 3, down),
                     KILN_OK);
    for (int x = 0; x < 3; x++) {
        assert_true(near[x] == p[x] - 0.25 && down[x] == p[x]);
    }
    assert_int_equal(kiln_bins_probabilities_real(&near_table, 20, 1, 1, KILN_BINS_LOWER, 3, near),
                     KILN_OK);
    assert_true(near[0] == 0); /* 1/20 less 1/4 */
    assert_int_equal(kiln_bins_probabilities_real(&near_table, 20, 20, 2, KILN_BINS_LOWER, 3, near),
                     KILN_OK);
    assert_true(near[0] == 1 && near[1] == 1 && near[2] == 0); /* certain: nothing given away */
}

static void equation_8_takes_what_a_table_has(void **state)
{
    (void)state;
    double p = UNTOUCHED;
    uint32_t x = 0;
    assert_int_equal(
        kiln_bins_collision_bound(&near_table, 20, 20, 20, 0.5, KILN_BINS_INTERPOLATED, &x, &p),
        KILN_OK);
    assert_true(p == 0.875 && x == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_of_the_evaluator),
        cmocka_unit_test(whole_arguments_out_of_range_are_refused),
        cmocka_unit_test(real_arguments_out_of_range_are_refused),
        cmocka_unit_test(ends_of_the_real_domain),
        cmocka_unit_test(half_a_bin),
        cmocka_unit_test(lower_bounds_give_the_certificate_away),
        cmocka_unit_test(equation_8_of_certain_cells),
        cmocka_unit_test(expectation_of_certain_cells),
        cmocka_unit_test(the_callers_environment_changes_nothing),
        cmocka_unit_test(facts_of_a_table),
        cmocka_unit_test(beyond_the_table_is_told),
        cmocka_unit_test(up_to_its_end_a_table_answers),
        cmocka_unit_test(lower_bounds_of_a_table),
        cmocka_unit_test(equation_8_takes_what_a_table_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
