/* Tables of filled bins against Equation 6 of Klein and Zachmann 2003 as it stands there: a sum
 * of products of binomial coefficients in rational numbers, term by term, which shares no
 * recurrence and no rounding with the generator. Every u, v, w up to 40, and 20,000 random
 * places of full tables for u up to 512, kept values for the most part; both profiles, both
 * roundings, through the public calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <gmp.h>

#include "../support/amount.h"
#include "../support/meshes.h"
#include "../support/quick_bins.h"

enum { X = 10, FORMS = 4, PLACES = 20000 };

static const uint32_t forms[FORMS][2] = {{KILN_BINS_EXACT, KILN_BINS_NEAREST},
                                         {KILN_BINS_EXACT, KILN_BINS_DOWN},
                                         {KILN_BINS_COMPACT, KILN_BINS_NEAREST},
                                         {KILN_BINS_COMPACT, KILN_BINS_DOWN}};

typedef struct {
    void *bytes[FORMS];
    kiln_bins *tables[FORMS];
    uint64_t kept, beyond;
    mpz_t ways, part, all;
    mpq_t p, term, value, other, error, bound;
} oracle;

static void open_forms(oracle *o, uint32_t max_u)
{
    for (int form = 0; form < FORMS; form++) {
        size_t size;
        o->bytes[form] =
            quick_bins(forms[form][0], forms[form][1], max_u, X, 2, KILN_LAYOUT_RAW, &size);
        assert_int_equal(kiln_bins_open_memory(o->bytes[form], size, NULL, &o->tables[form]),
                         KILN_OK);
    }
    o->kept = o->beyond = 0;
    mpz_inits(o->ways, o->part, o->all, NULL);
    mpq_inits(o->p, o->term, o->value, o->other, o->error, o->bound, NULL);
}

static void close_forms(oracle *o)
{
    for (int form = 0; form < FORMS; form++) {
        kiln_bins_close(o->tables[form]);
        free(o->bytes[form]);
    }
    mpz_clears(o->ways, o->part, o->all, NULL);
    mpq_clears(o->p, o->term, o->value, o->other, o->error, o->bound, NULL);
    print_message("%llu kept values, %llu beyond the ends of rows\n", (unsigned long long)o->kept,
                  (unsigned long long)o->beyond);
}

/* term = C(w, t) C(u - w, v - t) / C(u, v), the last of which is in o->all */
static void set_term(oracle *o, uint32_t u, uint32_t v, uint32_t w, uint32_t t)
{
    if (t > v || t > w || v - t > u - w) {
        mpq_set_ui(o->term, 0, 1);
        return;
    }
    mpz_bin_uiui(o->ways, w, t);
    mpz_bin_uiui(o->part, u - w, v - t);
    mpz_mul(mpq_numref(o->term), o->ways, o->part);
    mpz_set(mpq_denref(o->term), o->all);
    mpq_canonicalize(o->term);
}

/* error = |value - p| */
static void set_error(oracle *o, double value)
{
    mpq_set_d(o->value, value);
    mpq_sub(o->error, o->value, o->p);
    mpq_abs(o->error, o->error);
}

static void assert_within(oracle *o, double value, double bound)
{
    set_error(o, value);
    mpq_set_d(o->bound, bound);
    assert_true(mpq_cmp(o->error, o->bound) <= 0);
}

static bool is_above(oracle *o, double value)
{
    mpq_set_d(o->value, value);
    return mpq_cmp(o->value, o->p) > 0;
}

/* No other float is nearer; or, down, it is the last that is not above. */
static void assert_rounded_float(oracle *o, double value, bool down)
{
    const float stored = (float)value;
    assert_true((double)stored == value);
    if (down) {
        assert_false(is_above(o, value));
        assert_true(value == 1.0 || is_above(o, (double)nextafterf(stored, 2.0f)));
        return;
    }
    set_error(o, value);
    mpq_set(o->bound, o->error);
    set_error(o, (double)nextafterf(stored, 2.0f));
    assert_true(mpq_cmp(o->bound, o->error) <= 0);
    set_error(o, (double)nextafterf(stored, -1.0f));
    assert_true(mpq_cmp(o->bound, o->error) <= 0);
}

/* p in units of 1 / steps is within half of `count`; or, down, in count .. count + 1. */
static void assert_rounded_count(oracle *o, double value, bool down)
{
    const unsigned long steps = down ? 65536 : 65535;
    const double count = value * (double)steps;
    const long whole = lrint(count);
    assert_true(fabs(count - (double)whole) < 1e-9);
    mpq_set_ui(o->other, steps, 1);
    mpq_mul(o->other, o->other, o->p); /* p in units */
    mpq_set_si(o->value, whole, 1);
    mpq_sub(o->error, o->other, o->value);
    if (down) {
        assert_true(mpq_sgn(o->error) >= 0);
        assert_true(whole == 65535 || mpq_cmp_ui(o->error, 1, 1) < 0);
        return;
    }
    mpq_abs(o->error, o->error);
    assert_true(mpq_cmp_ui(o->error, 1, 2) <= 0);
}

static bool is_kept(const kiln_bins *table, double value)
{
    /* Beyond the ends tables that round to nearest say 1, and kept values of P < 1 that are rounded
     * to 1 are the same to a caller. */
    return kiln_bins_get_info(table).rounded_down ? value < 1.0 - 1.6e-5 : value < 1.0;
}

static void check_value(oracle *o, int form, double value)
{
    const kiln_bins_info info = kiln_bins_get_info(o->tables[form]);
    assert_within(o, value, info.certificate);
    if (info.rounded_down) {
        assert_false(is_above(o, value));
    }
    if (!is_kept(o->tables[form], value)) {
        o->beyond++;
    } else if (forms[form][0] == KILN_BINS_EXACT) {
        assert_rounded_float(o, value, info.rounded_down);
        o->kept++;
    } else {
        assert_rounded_count(o, value, info.rounded_down);
        o->kept++;
    }
}

static void check_place(oracle *o, uint32_t u, uint32_t v, uint32_t w)
{
    double values[FORMS][X];
    for (int form = 0; form < FORMS; form++) {
        assert_int_equal(kiln_bins_probabilities(o->tables[form], u, v, w, X, values[form]),
                         KILN_OK);
    }
    mpz_bin_uiui(o->all, u, v);
    mpq_set_ui(o->p, 1, 1);
    for (uint32_t x = 1; x <= X; x++) {
        set_term(o, u, v, w, x - 1);
        mpq_sub(o->p, o->p, o->term);
        for (int form = 0; form < FORMS; form++) {
            check_value(o, form, values[form][x - 1]);
        }
    }
}

static void every_place_up_to_40(void **state)
{
    (void)state;
    oracle o;
    open_forms(&o, 40);
    for (uint32_t u = 1; u <= 40; u++) {
        for (uint32_t v = 1; v <= u; v++) {
            for (uint32_t w = 1; w <= u; w++) {
                check_place(&o, u, v, w);
            }
        }
    }
    close_forms(&o);
}

/* Mean v w / u up to about 25, where rows have not ended for most x. */
static void random_place(uint64_t *random, uint32_t *u, uint32_t *v, uint32_t *w)
{
    *u = 1 + random_below(random, 512);
    *v = 1 + random_below(random, *u);
    const uint32_t most = 25 * *u / *v + 10;
    *w = 1 + random_below(random, most < *u ? most : *u);
    if (random_below(random, 2) != 0) {
        const uint32_t swapped = *v;
        *v = *w;
        *w = swapped;
    }
}

static void random_places_up_to_512(void **state)
{
    (void)state;
    oracle o;
    uint64_t random = 3;
    open_forms(&o, 512);
    const uint32_t places = amount(PLACES);
    for (uint32_t i = 0; i < places; i++) {
        uint32_t u, v, w;
        random_place(&random, &u, &v, &w);
        check_place(&o, u, v, w);
    }
    close_forms(&o);
}

static void all_terms_add_up_to_one(void **state)
{
    (void)state;
    oracle o;
    uint64_t random = 8;
    open_forms(&o, 1);
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t u = 1 + random_below(&random, 512);
        const uint32_t v = random_below(&random, u + 1), w = random_below(&random, u + 1);
        mpz_bin_uiui(o.all, u, v);
        mpq_set_ui(o.p, 0, 1);
        for (uint32_t t = 0; t <= v; t++) {
            set_term(&o, u, v, w, t);
            mpq_add(o.p, o.p, o.term);
        }
        assert_int_equal(mpq_cmp_ui(o.p, 1, 1), 0);
    }
    close_forms(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_up_to_40),
        cmocka_unit_test(random_places_up_to_512),
        cmocka_unit_test(all_terms_add_up_to_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
