/* Filled-bins tables: what their values must be whatever the numbers, that bytes depend on the
 * options alone, that estimates keep their bounds and that an audit sees what is wrong. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../formats/codec.h"
#include "../../lut/bins_exact.h"
#include "../../lut/bins_round.h"
#include "../../lut/bins_terms.h"
#include "../../tools/encode/transform.h"
#include "../support/meshes.h"
#include "../support/quick_bins.h"

static _Alignas(8) uint8_t work[KILN_TRANSFORM_WORK];

enum { U = 48, X = 10, FORMS = 4 };

static const uint32_t forms[FORMS][2] = {{KILN_BINS_EXACT, KILN_BINS_NEAREST},
                                         {KILN_BINS_EXACT, KILN_BINS_DOWN},
                                         {KILN_BINS_COMPACT, KILN_BINS_NEAREST},
                                         {KILN_BINS_COMPACT, KILN_BINS_DOWN}};

typedef struct {
    void *bytes;
    kiln_bins *table;
    kiln_bins_info info;
} opened;

static opened open_form(int form, uint32_t max_u, uint32_t max_x, kiln_layout layout,
                        uint32_t flags)
{
    opened o;
    size_t size;
    kiln_open_options options = kiln_open_options_default();
    options.flags = flags;
    o.bytes = quick_bins(forms[form][0], forms[form][1], max_u, max_x, 1, layout, &size);
    assert_int_equal(kiln_bins_open_memory(o.bytes, size, &options, &o.table), KILN_OK);
    o.info = kiln_bins_get_info(o.table);
    return o;
}

static void close_form(opened *o)
{
    kiln_bins_close(o->table);
    free(o->bytes);
}

static double p_of(const opened *o, uint32_t u, uint32_t v, uint32_t w, uint32_t x)
{
    double p = -1;
    assert_int_equal(kiln_bins_probability(o->table, u, v, w, x, &p), KILN_OK);
    return p;
}

/* |p - wanted| <= certificate, and p <= wanted where rounded down. */
static void assert_certified(const opened *o, double p, double wanted)
{
    const double slack = o->info.certificate + 0x1p-50;
    assert_true(p <= wanted + (o->info.rounded_down ? 0 : slack));
    assert_true(p >= wanted - slack);
}

/* ------------------------------------------------------------------------------ known values -- */

static void each_form(void (*check)(const opened *o))
{
    for (int form = 0; form < FORMS; form++) {
        opened o = open_form(form, U, X, KILN_LAYOUT_RAW, 0);
        assert_int_equal(o.info.rounded_down, forms[form][1]);
        check(&o);
        close_form(&o);
    }
}

static void check_one_ball(const opened *o)
{
    for (uint32_t u = 1; u <= U; u++) {
        assert_certified(o, p_of(o, u, 1, 1, 1), 1.0 / u);
        for (uint32_t w = 1; w <= u; w++) {
            assert_certified(o, p_of(o, u, 1, w, 1), (double)w / u);
        }
    }
}

static void one_ball_meets_w_of_u(void **state)
{
    (void)state;
    each_form(check_one_ball);
}

static void check_certain(const opened *o)
{
    for (uint32_t u = 1; u <= U; u++) {
        for (uint32_t v = 1; v <= u; v++) {
            for (uint32_t w = u - v + 1; w <= u; w++) {
                for (uint32_t x = 1; x <= v + w - u && x <= X; x++) {
                    assert_certified(o, p_of(o, u, v, w, x), 1.0);
                }
            }
        }
    }
}

static void more_balls_than_bins_must_meet(void **state)
{
    (void)state;
    each_form(check_certain);
}

static void check_impossible(const opened *o)
{
    for (uint32_t u = 0; u <= U; u++) {
        for (uint32_t v = 0; v <= u; v++) {
            for (uint32_t w = 0; w <= u; w++) {
                for (uint32_t x = (v < w ? v : w) + 1; x <= X; x++) {
                    assert_true(p_of(o, u, v, w, x) == 0);
                }
            }
        }
    }
}

static void no_more_filled_bins_than_balls(void **state)
{
    (void)state;
    each_form(check_impossible);
}

static void check_order(const opened *o)
{
    for (uint32_t u = 1; u <= U; u++) {
        for (uint32_t v = 1; v <= u; v++) {
            double before[X] = {0};
            for (uint32_t w = 1; w <= u; w++) {
                double p[X], swapped[X];
                assert_int_equal(kiln_bins_probabilities(o->table, u, v, w, X, p), KILN_OK);
                assert_int_equal(kiln_bins_probabilities(o->table, u, w, v, X, swapped), KILN_OK);
                assert_memory_equal(p, swapped, sizeof p);
                for (uint32_t x = 0; x < X; x++) {
                    assert_true(p[x] >= 0 && p[x] <= 1);
                    /* More red balls; but the next row may keep what this one has cut. */
                    assert_true(p[x] >= before[x] - o->info.certificate);
                    assert_true(x == 0 || p[x] <= p[x - 1]);
                }
                memcpy(before, p, sizeof p);
            }
        }
    }
}

static void symmetric_rising_with_balls_falling_with_x(void **state)
{
    (void)state;
    each_form(check_order);
}

static void one_x_is_as_all(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        opened o = open_form(form, 20, X, KILN_LAYOUT_PACKED, 0);
        opened one = open_form(form, 20, 1, KILN_LAYOUT_PACKED, 0);
        opened three = open_form(form, 20, 3, KILN_LAYOUT_RAW, KILN_OPEN_TRUSTED);
        for (uint32_t u = 1; u <= 20; u++) {
            for (uint32_t v = 1; v <= u; v++) {
                for (uint32_t w = 1; w <= u; w++) {
                    double p[X];
                    assert_int_equal(kiln_bins_probabilities(o.table, u, v, w, X, p), KILN_OK);
                    for (uint32_t x = 1; x <= X; x++) {
                        /* Alone, a smaller x can't borrow from what a larger one has kept. */
                        assert_true(p_of(&o, u, v, w, x) <= p[x - 1]);
                        assert_certified(&o, p_of(&o, u, v, w, x), p[x - 1]);
                    }
                    assert_true(p_of(&o, u, v, w, 1) == p_of(&one, u, v, w, 1));
                    assert_true(p_of(&o, u, v, w, 3) == p_of(&three, u, v, w, 3));
                }
            }
        }
        close_form(&o);
        close_form(&one);
        close_form(&three);
    }
}

/* ----------------------------------------------------------------------------- the generator -- */

static void bytes_depend_on_options_alone(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        for (int layout = 0; layout < 2; layout++) {
            size_t size, again;
            void *bytes =
                quick_bins(forms[form][0], forms[form][1], U, X, 1, (kiln_layout)layout, &size);
            for (unsigned threads = 2; threads <= 3; threads++) {
                void *other = quick_bins(forms[form][0], forms[form][1], U, X, threads,
                                         (kiln_layout)layout, &again);
                assert_int_equal(size, again);
                assert_memory_equal(bytes, other, size);
                free(other);
            }
            free(bytes);
        }
    }
}

/* For v < 10 every possible t is among the terms: nothing is left of all above the last. */
static void terms_add_up_to_one_exactly(void **state)
{
    (void)state;
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, X);
    for (uint32_t u = 1; u <= 512; u += u < 60 ? 1 : 113) {
        for (uint32_t v = 1; v < X && v <= u; v++) {
            kiln_lut_exact_set(&exact, u, v, v);
            for (;;) {
                assert_int_equal(mpz_sgn(exact.above[v]), 0);
                assert_int_equal(mpz_sgn(exact.above[v - 1]), 1);
                if (exact.w == u) {
                    break;
                }
                kiln_lut_exact_step(&exact);
            }
        }
    }
    kiln_lut_exact_clear(&exact);
}

/* Along whole rows, the small and the vanishing ones too: |p - P| <= error, exactly. */
static void check_row_bounds(kiln_lut_exact *exact, uint32_t u, uint32_t v)
{
    kiln_lut_terms terms;
    kiln_lut_estimate estimates[X];
    kiln_lut_terms_start(&terms, u, v, X);
    for (;;) {
        kiln_lut_terms_estimate(&terms, estimates);
        kiln_lut_exact_set(exact, u, v, terms.w);
        for (uint32_t x = 1; x <= X; x++) {
            const kiln_lut_estimate *e = &estimates[x - 1];
            assert_true(kiln_lut_exact_is_near(exact, x, e->p, e->error));
        }
        if (terms.vanish || terms.w == u || estimates[X - 1].complement < 1e-6) {
            return;
        }
        kiln_lut_terms_step(&terms);
    }
}

static void estimates_keep_their_bounds(void **state)
{
    (void)state;
    kiln_lut_exact exact;
    kiln_lut_exact_init(&exact, X);
    for (uint32_t u = 1; u <= 30; u++) {
        for (uint32_t v = 1; v <= u; v++) {
            check_row_bounds(&exact, u, v);
        }
    }
    static const uint32_t rows[][2] = {{512, 1},   {512, 9},   {512, 12},   {512, 40},
                                       {512, 256}, {512, 511}, {4096, 200}, {4096, 2048}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_row_bounds(&exact, rows[i][0], rows[i][1]);
    }
    kiln_lut_exact_clear(&exact);
}

/* P lies between two floats. The estimate is the upper one and its error reaches down to almost the
 * lower one, so that only exact arithmetic can round down. */
static void doubtful_estimates_are_decided_exactly(void **state)
{
    (void)state;
    enum { V = 7 };
    static kiln_lut_terms terms;
    kiln_lut_rounder rounder = {.down = true};
    kiln_lut_exact exact;
    kiln_lut_exact_init(&rounder.exact, X);
    kiln_lut_exact_init(&exact, X);
    kiln_lut_terms_start(&terms, U, V, X);
    for (uint32_t w = V + 1; w <= U - V; w++) {
        kiln_lut_terms_step(&terms);
        kiln_lut_exact_set(&exact, U, V, w);
        for (uint32_t x = 1; x <= V; x++) {
            const float below = kiln_lut_exact_float(&exact, x, true);
            const double above = (double)nextafterf(below, 2);
            const kiln_lut_estimate estimate = {.p = above, .error = 0.49 * (above - below)};
            assert_true(kiln_lut_round_float(&rounder, &terms, x, &estimate) == below);
        }
    }
    assert_int_equal(rounder.exact_values, (U - 2 * V) * V);
    kiln_lut_exact_clear(&exact);
    kiln_lut_exact_clear(&rounder.exact);
}

/* --------------------------------------------------------------------------------- the audit -- */

static kiln_lut_bins_audit audit_of(const kiln_lut_bins *table)
{
    kiln_lut_bins_audit audit;
    const kiln_bins_view view = quick_bins_view(table);
    assert_true(kiln_lut_bins_audit_all(&view, &quick_bins_serial, &audit));
    return audit;
}

static void good_tables_pass_the_audit(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        kiln_lut_bins table = quick_bins_table(forms[form][0], forms[form][1], U, X, 1);
        const kiln_lut_bins_audit audit = audit_of(&table);
        uint64_t kept = 0;
        for (uint32_t x = 0; x < X; x++) {
            kept += table.header.kept[x];
        }
        assert_int_equal(audit.values, kept);
        assert_int_equal(audit.off + audit.misrounded + audit.misplaced, 0);
        assert_true(audit.worst_kept <= table.header.certificate_kept);
        assert_true(audit.worst_beyond <= table.header.certificate_beyond);
        assert_true(audit.worst_kept > 0.9 * table.header.certificate_kept);
        kiln_lut_bins_free(&table);
    }
}

static void the_audit_sees_the_last_bit(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        for (uint32_t k = 0; k < X; k += 3) {
            kiln_lut_bins table = quick_bins_table(forms[form][0], forms[form][1], 20, X, 1);
            assert_true(table.record_counts[k] > 1);
            uint8_t *value =
                (uint8_t *)table.records[k] +
                table.record_counts[k] / 2 * kiln_lut_bins_record_size(&table.header, k);
            value[0] ^= 1;
            const kiln_lut_bins_audit audit = audit_of(&table);
            assert_true(audit.off + audit.misrounded > 0);
            assert_in_range(audit.at[0], 1, 20);
            kiln_lut_bins_free(&table);
        }
    }
}

static void the_audit_sees_certificates_that_are_too_good(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        kiln_lut_bins table = quick_bins_table(forms[form][0], forms[form][1], U, X, 1);
        table.header.certificate_kept *= 0.9;
        assert_true(audit_of(&table).off > 0);
        table.header.certificate_kept /= 0.9;
        table.header.certificate_beyond *= 0.9;
        assert_true(audit_of(&table).off > 0);
        kiln_lut_bins_free(&table);
    }
}

/* -------------------------------------------------------------------------------- transforms -- */

static void curves_come_back(void **state)
{
    (void)state;
    static const struct {
        uint16_t transform;
        uint32_t element;
    } cases[] = {{KILN_TRANSFORM_CURVE16_PLANES, 2},
                 {KILN_TRANSFORM_CURVE16_PLANES, 6},
                 {KILN_TRANSFORM_CURVE16_PLANES, 20},
                 {KILN_TRANSFORM_CURVE32_PLANES, 4},
                 {KILN_TRANSFORM_CURVE32_PLANES, 40}};
    uint64_t random = 5;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (size_t count = 0; count < 40; count++) {
            _Alignas(8) uint8_t raw[40 * 40], coded[KILN_BLOCK_SIZE], back[40 * 40];
            kiln_segments segments;
            size_t coded_size;
            const size_t size = count * cases[i].element;
            for (size_t byte = 0; byte < size; byte++) {
                static const uint8_t extremes[] = {0, 0xFF, 0x80, 0x7F};
                raw[byte] = random_below(&random, 2) != 0 ? extremes[random_below(&random, 4)]
                                                          : (uint8_t)random_below(&random, 256);
            }
            assert_true(kiln_transform_apply(cases[i].transform, cases[i].element, raw, size, coded,
                                             &coded_size, &segments, work));
            assert_true(kiln_transform_undo(cases[i].transform, cases[i].element, coded, coded_size,
                                            back, size));
            assert_memory_equal(raw, back, size);
        }
    }
}

/* The specification by hand: 16-bit words 5, 7, 8 are 5, then steps 5, 2, 1, then bends 5, -3,
 * -1. */
static void curves_are_those_of_the_document(void **state)
{
    (void)state;
    static const _Alignas(8) uint8_t raw[] = {5, 0, 7, 0, 8, 0};
    static const uint8_t wanted[] = {10, 5, 1, 0, 0, 0};
    uint8_t coded[KILN_BLOCK_SIZE];
    kiln_segments segments;
    size_t size;
    assert_true(kiln_transform_apply(KILN_TRANSFORM_CURVE16_PLANES, 2, raw, sizeof raw, coded,
                                     &size, &segments, work));
    assert_int_equal(size, sizeof wanted);
    assert_memory_equal(coded, wanted, sizeof wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ball_meets_w_of_u),
        cmocka_unit_test(more_balls_than_bins_must_meet),
        cmocka_unit_test(no_more_filled_bins_than_balls),
        cmocka_unit_test(symmetric_rising_with_balls_falling_with_x),
        cmocka_unit_test(one_x_is_as_all),
        cmocka_unit_test(bytes_depend_on_options_alone),
        cmocka_unit_test(terms_add_up_to_one_exactly),
        cmocka_unit_test(estimates_keep_their_bounds),
        cmocka_unit_test(doubtful_estimates_are_decided_exactly),
        cmocka_unit_test(good_tables_pass_the_audit),
        cmocka_unit_test(the_audit_sees_the_last_bit),
        cmocka_unit_test(the_audit_sees_certificates_that_are_too_good),
        cmocka_unit_test(curves_come_back),
        cmocka_unit_test(curves_are_those_of_the_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
