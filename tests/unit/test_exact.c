/* The exact predicates on geometry that has a name. Each pair of triangles is asked in both orders
 * and with every order of corners: the answer must not change. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/exact.h"
#include "../../runtime/kiln.h"

typedef double triangle[9];

static void permute(const triangle t, int order, triangle out)
{
    const int step = order < 3 ? 1 : 2;
    for (int k = 0; k < 3; ++k)
        memcpy(out + 3 * k, t + 3 * ((order + k * step) % 3), 3 * sizeof *out);
}

static void scaled(const triangle t, double factor, triangle out)
{
    for (int i = 0; i < 9; ++i)
        out[i] = t[i] * factor;
}

static void expect(bool meet, const triangle a, const triangle b)
{
    for (int order = 0; order < 36; ++order) {
        triangle p, q;
        permute(a, order / 6, p);
        permute(b, order % 6, q);
        assert_int_equal(kiln_exact_triangles_meet(p, q), meet);
        assert_int_equal(kiln_exact_triangles_meet(q, p), meet);
    }
}

/* The same at the sizes where float and the expansions end. */
static void expect_at_all_sizes(bool meet, const triangle a, const triangle b)
{
    static const double factors[] = {1.0, 0x1p-149, 0x1p+120, KILN_EXACT_MIN, 0x1p+240, 0x1.fp-20};
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; ++i) {
        triangle p, q;
        scaled(a, factors[i], p);
        scaled(b, factors[i], q);
        expect(meet, p, q);
    }
}

/* The triangle most tests hit: in the plane z = 0, right angle at the origin. */
static const triangle floor_ = {0, 0, 0, 8, 0, 0, 0, 8, 0};

/* ------------------------------------------------------------------------------- orientation -- */

static void test_orient3d_follows_the_determinant(void **context)
{
    (void)context;
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    const double inside[3] = {2, 3, 0};
    assert_int_equal(kiln_exact_orient3d(x, y, z, o), 1);
    assert_int_equal(kiln_exact_orient3d(y, x, z, o), -1);
    assert_int_equal(kiln_exact_orient3d(x, y, inside, o), 0);
    assert_int_equal(kiln_exact_orient3d(x, x, z, o), 0);
    assert_int_equal(kiln_exact_orient3d(o, o, o, o), 0);
}

static void test_orient2d_follows_the_determinant(void **context)
{
    (void)context;
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, far[3] = {-7, 0, 9};
    assert_int_equal(kiln_exact_orient2d(x, y, o, 0, 1), 1);
    assert_int_equal(kiln_exact_orient2d(x, y, o, 1, 0), -1);
    assert_int_equal(kiln_exact_orient2d(x, far, o, 0, 1), 0);
    assert_int_equal(kiln_exact_orient2d(x, far, o, 0, 2), 1);
}

/* The doubles next to 0.1, 0.1 and 0.8 add up to 1 + 2^-54, and to 1 - 2^-54 with the last one an
 * ulp less: two sides of the plane x + y + z = 1, both within the rounding of its terms. */
static void test_orient3d_sees_one_ulp(void **context)
{
    (void)context;
    const double a[3] = {0.5, 0.25, 0.25}, b[3] = {12, -12, 1}, c[3] = {-12, 24, -11};
    const double over[3] = {0.1, 0.1, 0.8}, under[3] = {0.1, 0.1, nextafter(0.8, 0.0)};
    /* (b - a) x (c - a) points to where the sum grows. */
    assert_int_equal(kiln_exact_orient3d(over, b, c, a), 1);
    assert_int_equal(kiln_exact_orient3d(under, b, c, a), -1);
}

static void test_orient2d_sees_one_ulp(void **context)
{
    (void)context;
    const double a[3] = {12, 12, 0}, b[3] = {24, 24, 0};
    for (int i = 0; i < 256; ++i) {
        for (int j = 0; j < 256; ++j) {
            const double c[3] = {0.5 + i * 0x1p-53, 0.5 + j * 0x1p-53, 0};
            const int expected = (i < j) - (i > j);
            assert_int_equal(kiln_exact_orient2d(a, b, c, 0, 1), c[0] == c[1] ? 0 : expected);
        }
    }
}

/* A plane through corners at 2^250, and points off it by the last bit of 2^-250: terms of 2^750
 * cancel down to one of 2^198, and every difference has a tail. */
static void test_orient3d_at_the_ends_of_the_range(void **context)
{
    (void)context;
    const double large = KILN_EXACT_MAX, small = KILN_EXACT_MIN;
    const double a[3] = {large, large, large}, b[3] = {-large, large, large};
    const double c[3] = {small, -large, -large}, line[3] = {small, large, large};
    const double on[3] = {small, small, small}, less[3] = {small, nextafter(small, 1.0), small};
    const double more[3] = {small, small, nextafter(small, 1.0)};
    const int side = kiln_exact_orient3d(a, b, c, more);
    assert_int_equal(kiln_exact_orient3d(a, b, c, on), 0);
    assert_int_equal(kiln_exact_orient3d(a, b, line, more), 0);
    assert_int_equal(side, -1);
    assert_int_equal(kiln_exact_orient3d(a, b, c, less), 1);
    assert_int_equal(kiln_exact_orient3d(c, a, b, more), side);
    assert_int_equal(kiln_exact_orient3d(b, a, c, more), -side);
}

/* -------------------------------------------------------------------------- general position -- */

static void test_piercing_and_passing_by(void **context)
{
    (void)context;
    const triangle through = {1, 1, -3, 2, 2, 5, 2, 1, 5};
    const triangle beside = {7, 7, -3, 6, 6, 5, 7, 6, 5};
    const triangle over = {1, 1, 1, 2, 2, 5, 2, 1, 5};
    expect_at_all_sizes(true, floor_, through);
    expect_at_all_sizes(false, floor_, beside);
    expect_at_all_sizes(false, floor_, over);
}

/* Each cuts the other's plane, the cuts lie one behind the other on the common line. */
static void test_interleaved_but_apart(void **context)
{
    (void)context;
    const triangle behind = {9, 1, -1, 12, 1, -1, 10, 1, 2};
    const triangle reaching = {6, 1, -1, 12, 1, -1, 9, 1, 2};
    expect_at_all_sizes(false, floor_, behind);
    expect_at_all_sizes(true, floor_, reaching);
}

static void test_needle_through(void **context)
{
    (void)context;
    const triangle needle = {2, 2, -1000000, 2, 2, 1000000, 2, 2.0009765625, 1000000};
    const triangle beside = {-0.0009765625, 2,   -1000000, -0.0009765625, 2, 1000000,
                             -0.0009765625, 2.5, 1000000};
    expect(true, floor_, needle);
    expect(false, floor_, beside);
}

/* ---------------------------------------------------------------------------------- touching -- */

static void test_corner_to_corner(void **context)
{
    (void)context;
    const triangle corner = {8, 0, 0, 12, 1, 3, 12, -1, 5};
    const triangle origin = {0, 0, 0, -1, -2, 5, -3, -1, 5};
    expect_at_all_sizes(true, floor_, corner);
    expect_at_all_sizes(true, floor_, origin);
}

static void test_corner_on_edge(void **context)
{
    (void)context;
    const triangle leg = {3, 0, 0, 3, -4, 2, 5, -4, 2};
    const triangle hypotenuse = {3, 5, 0, 9, 9, 2, 9, 9, 5};
    const triangle past_the_end = {9, 0, 0, 9, -4, 2, 12, -4, 2};
    expect_at_all_sizes(true, floor_, leg);
    expect_at_all_sizes(true, floor_, hypotenuse);
    expect_at_all_sizes(false, floor_, past_the_end);
}

static void test_corner_in_face(void **context)
{
    (void)context;
    const triangle inside = {2, 3, 0, 1, 1, 4, 5, 1, 7};
    const triangle outside = {5, 4, 0, 1, 1, 4, 5, 1, 7};
    expect_at_all_sizes(true, floor_, inside);
    expect_at_all_sizes(false, floor_, outside);
}

static void test_edge_across_edge(void **context)
{
    (void)context;
    const triangle crossing = {4, -2, -2, 4, 2, 2, 4, -2, 5};
    const triangle touching = {3, 0, -5, 3, 0, 5, 3, -5, 0};
    const triangle beside = {3, -1, -5, 3, -1, 5, 3, -5, 0};
    expect_at_all_sizes(true, floor_, crossing);
    expect_at_all_sizes(true, floor_, touching);
    expect_at_all_sizes(false, floor_, beside);
}

static void test_edge_in_face(void **context)
{
    (void)context;
    const triangle inside = {1, 1, 0, 2, 3, 0, 1, 2, 7};
    const triangle across = {-1, 1, 0, 9, 3, 0, 1, 2, 7};
    const triangle around_the_corner = {7, 3, 0, 10, -1, 0, 9, 0, 7};
    expect_at_all_sizes(true, floor_, inside);
    expect_at_all_sizes(true, floor_, across);
    expect_at_all_sizes(false, floor_, around_the_corner);
}

static void test_shared_edge(void **context)
{
    (void)context;
    const triangle hinge = {0, 0, 0, 8, 0, 0, 3, -5, 4};
    const triangle folded_flat = {0, 0, 0, 8, 0, 0, 3, 5, 0};
    const triangle part_of_edge = {2, 0, 0, 11, 0, 0, 3, -5, 4};
    expect_at_all_sizes(true, floor_, hinge);
    expect_at_all_sizes(true, floor_, folded_flat);
    expect_at_all_sizes(true, floor_, part_of_edge);
}

static void test_identical(void **context)
{
    (void)context;
    const triangle tilted = {0.1, 0.7, -0.3, 1.9, 0.2, 0.4, -0.6, 2.2, 1.1};
    expect_at_all_sizes(true, floor_, floor_);
    expect(true, tilted, tilted);
}

/* ---------------------------------------------------------------------------------- coplanar -- */

static void test_coplanar(void **context)
{
    (void)context;
    const triangle contained = {1, 1, 0, 2, 1, 0, 1, 2, 0};
    const triangle overlapping = {2, 2, 0, 12, 2, 0, 2, 12, 0};
    const triangle star = {6, 6, 0, -2, 3, 0, 3, -2, 0};
    const triangle apart = {5, 5, 0, 9, 5, 0, 5, 9, 0};
    const triangle corner_on_edge = {4, 4, 0, 9, 5, 0, 5, 9, 0};
    const triangle edge_on_edge = {2, 0, 0, 6, 0, 0, 3, -4, 0};
    const triangle above = {1, 1, 1, 2, 1, 1, 1, 2, 1};
    expect_at_all_sizes(true, floor_, contained);
    expect_at_all_sizes(true, floor_, overlapping);
    expect_at_all_sizes(true, floor_, star);
    expect_at_all_sizes(false, floor_, apart);
    expect_at_all_sizes(true, floor_, corner_on_edge);
    expect_at_all_sizes(true, floor_, edge_on_edge);
    expect_at_all_sizes(false, floor_, above);
}

/* In planes that project to a line on one or two of the coordinate planes. */
static void test_coplanar_on_edge_of_projections(void **context)
{
    (void)context;
    const triangle wall = {0, 0, 0, 0, 8, 0, 0, 0, 8};
    const triangle wall_hit = {0, 1, 1, 0, 5, 1, 0, 1, 5};
    const triangle wall_miss = {0, 5, 5, 0, 9, 5, 0, 5, 9};
    const triangle ramp = {0, 0, 0, 8, 8, 0, 0, 0, 8};
    const triangle ramp_hit = {1, 1, 1, 2, 2, 1, 1, 1, 2};
    const triangle ramp_miss = {5, 5, 5, 9, 9, 5, 5, 5, 9};
    expect_at_all_sizes(true, wall, wall_hit);
    expect_at_all_sizes(false, wall, wall_miss);
    expect_at_all_sizes(true, ramp, ramp_hit);
    expect_at_all_sizes(false, ramp, ramp_miss);
}

/* ------------------------------------------------------------------------------ without area -- */

static void test_segment_and_triangle(void **context)
{
    (void)context;
    const triangle through = {2, 2, -1, 2, 2, 0, 2, 2, 4};
    const triangle short_of = {2, 2, 1, 2, 2, 2, 2, 2, 4};
    const triangle ends_on = {2, 2, 0, 3, 2, 2, 4, 2, 4};
    const triangle through_corner = {8, 0, -1, 8, 0, 1, 8, 0, 1};
    const triangle through_edge = {4, 4, -1, 4, 4, 1, 4, 4, -1};
    const triangle past_edge = {5, 4, -1, 5, 4, 1, 5, 4, -1};
    const triangle flat_across = {-1, 3, 0, 1, 3, 0, 12, 3, 0};
    const triangle flat_inside = {1, 1, 0, 2, 2, 0, 3, 3, 0};
    const triangle flat_apart = {9, 0, 0, 8, 1, 0, 0, 9, 0};
    const triangle flat_touching = {-1, 1, 0, 0, 0, 0, 1, -1, 0};
    const triangle along_edge = {-5, 0, 0, 1, 0, 0, 3, 0, 0};
    const triangle before_edge = {-5, 0, 0, -2, 0, 0, -1, 0, 0};
    expect_at_all_sizes(true, floor_, through);
    expect_at_all_sizes(false, floor_, short_of);
    expect_at_all_sizes(true, floor_, ends_on);
    expect_at_all_sizes(true, floor_, through_corner);
    expect_at_all_sizes(true, floor_, through_edge);
    expect_at_all_sizes(false, floor_, past_edge);
    expect_at_all_sizes(true, floor_, flat_across);
    expect_at_all_sizes(true, floor_, flat_inside);
    expect_at_all_sizes(false, floor_, flat_apart);
    expect_at_all_sizes(true, floor_, flat_touching);
    expect_at_all_sizes(true, floor_, along_edge);
    expect_at_all_sizes(false, floor_, before_edge);
}

static void test_point_and_triangle(void **context)
{
    (void)context;
    const triangle inside = {2, 2, 0, 2, 2, 0, 2, 2, 0};
    const triangle on_edge = {4, 4, 0, 4, 4, 0, 4, 4, 0};
    const triangle on_corner = {0, 8, 0, 0, 8, 0, 0, 8, 0};
    const triangle outside = {4, 5, 0, 4, 5, 0, 4, 5, 0};
    const triangle above = {2, 2, 1, 2, 2, 1, 2, 2, 1};
    expect_at_all_sizes(true, floor_, inside);
    expect_at_all_sizes(true, floor_, on_edge);
    expect_at_all_sizes(true, floor_, on_corner);
    expect_at_all_sizes(false, floor_, outside);
    expect_at_all_sizes(false, floor_, above);
}

static void test_segments_on_one_line(void **context)
{
    (void)context;
    const triangle base = {0, 0, 0, 4, 8, 12, 1, 2, 3};
    const triangle overlapping = {3, 6, 9, 6, 12, 18, 5, 10, 15};
    const triangle inside = {1, 2, 3, 2, 4, 6, 1, 2, 3};
    const triangle touching = {4, 8, 12, 6, 12, 18, 5, 10, 15};
    const triangle apart = {5, 10, 15, 6, 12, 18, 7, 14, 21};
    const triangle point_on = {2, 4, 6, 2, 4, 6, 2, 4, 6};
    const triangle point_past = {5, 10, 15, 5, 10, 15, 5, 10, 15};
    expect_at_all_sizes(true, base, overlapping);
    expect_at_all_sizes(true, base, inside);
    expect_at_all_sizes(true, base, touching);
    expect_at_all_sizes(false, base, apart);
    expect_at_all_sizes(true, base, point_on);
    expect_at_all_sizes(false, base, point_past);
    expect_at_all_sizes(true, base, base);
}

static void test_segments_in_space(void **context)
{
    (void)context;
    const triangle base = {0, 0, 0, 4, 4, 4, 2, 2, 2};
    const triangle crossing = {2, 0, 2, 2, 4, 2, 2, 1, 2};
    const triangle tee = {2, 2, 2, 2, 4, 0, 2, 3, 1};
    const triangle end_to_end = {4, 4, 4, 9, 4, 2, 9, 4, 2};
    const triangle parallel = {1, 0, 0, 5, 4, 4, 3, 2, 2};
    const triangle skew = {2, 0, 3, 2, 4, 3, 2, 1, 3};
    const triangle short_of = {2, 3, 2, 2, 4, 2, 2, 4, 2};
    expect_at_all_sizes(true, base, crossing);
    expect_at_all_sizes(true, base, tee);
    expect_at_all_sizes(true, base, end_to_end);
    expect_at_all_sizes(false, base, parallel);
    expect_at_all_sizes(false, base, skew);
    expect_at_all_sizes(false, base, short_of);
}

static void test_points(void **context)
{
    (void)context;
    const triangle here = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    const triangle there = {1, 2, 4, 1, 2, 4, 1, 2, 4};
    const triangle zero = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    const triangle minus_zero = {-0.0, 0, -0.0, 0, -0.0, 0, -0.0, 0, 0};
    expect_at_all_sizes(true, here, here);
    expect_at_all_sizes(false, here, there);
    expect(true, zero, minus_zero);
}

/* -------------------------------------------------------------------------------- small gaps -- */

static void test_gaps(void **context)
{
    (void)context;
    static const double gaps[] = {0x1p-20, 0x1p-50, 1e-39, 0x1p-149, KILN_EXACT_MIN};
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; ++i) {
        const double gap = gaps[i];
        const triangle over_face = {2, 2, gap, 1, 1, 4, 5, 1, 7};
        const triangle into_face = {2, 2, -gap, 1, 1, 4, 5, 1, 7};
        const triangle before_leg = {3, -gap, 0, 3, -4, 2, 5, -4, 2};
        const triangle beside_leg = {3, -gap, 0, 3, -4, 0, 5, -4, 0};
        const triangle point = {-gap, 1, 0, -gap, 1, 0, -gap, 1, 0};
        const triangle parallel = {0, 0, gap, 8, 0, gap, 0, 8, gap};
        expect(false, floor_, over_face);
        expect(true, floor_, into_face);
        expect(false, floor_, before_leg);
        expect(false, floor_, beside_leg);
        expect(false, floor_, point);
        expect(false, floor_, parallel);
    }
}

/* Past the middle of the hypotenuse by one ulp: no box or single coordinate tells. */
static void test_gap_of_an_ulp_on_a_slope(void **context)
{
    (void)context;
    const double past = nextafter(4.0, 5.0), within = nextafter(4.0, 3.0);
    const triangle miss = {4, past, 0, 9, 9, 2, 9, 9, 5};
    const triangle hit = {4, within, 0, 9, 9, 2, 9, 9, 5};
    const triangle coplanar_miss = {4, past, 0, 9, 5, 0, 5, 9, 0};
    const triangle segment_miss = {4, past, -1, 4, past, 1, 4, past, 0};
    const triangle segment_hit = {4, within, -1, 4, within, 1, 4, within, 0};
    expect(false, floor_, miss);
    expect(true, floor_, hit);
    expect(false, floor_, coplanar_miss);
    expect(false, floor_, segment_miss);
    expect(true, floor_, segment_hit);
}

static void test_mixed_magnitudes(void **context)
{
    (void)context;
    const double tiny = 0x1p-149, huge = 1e38;
    const triangle sheet = {-huge, -huge, 0, huge, -huge, 0, 0, huge, 0};
    const triangle pin_through = {0, 0, -tiny, tiny, 0, tiny, 0, tiny, tiny};
    const triangle pin_over = {0, 0, tiny, tiny, 0, 2 * tiny, 0, tiny, 2 * tiny};
    const triangle spike = {0, 0, -huge, 0, tiny, huge, tiny, 0, huge};
    const triangle slab = {0, -huge, tiny, huge, huge, tiny, -huge, huge, tiny};
    expect(true, sheet, pin_through);
    expect(false, sheet, pin_over);
    expect(true, sheet, spike);
    expect(true, slab, spike);
    expect(false, sheet, slab);
}

static void test_ends_of_the_range(void **context)
{
    (void)context;
    const double tiny = KILN_EXACT_MIN, huge = KILN_EXACT_MAX;
    const triangle sheet = {-huge, -huge, 0, huge, -huge, 0, 0, huge, 0};
    const triangle tilted = {-huge, -huge, -huge, huge, huge, huge, -huge, huge, -huge};
    const triangle over = {tiny, 0, 2 * tiny, huge, 0, huge, huge, -tiny, huge};
    const triangle through = {tiny, 0, 0, huge, 0, huge, huge, -tiny, huge};
    const triangle corner = {huge, huge, huge, huge, huge, huge, huge, huge, huge};
    expect(false, tilted, over);
    expect(true, sheet, through);
    expect(false, sheet, over);
    expect(true, tilted, corner);
    expect(true, tilted, tilted);
}

/* ------------------------------------------------------------------------------- public call -- */

static void test_public_call(void **state)
{
    (void)state;
    const double a[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    double b[9] = {0.25, 0.25, 0, 1, 1, 1, 0, 1, 1};
    bool meet = false;
    assert_int_equal(kiln_triangles_meet(a, b, &meet), KILN_OK);
    assert_true(meet); /* a corner inside */
    b[2] = 0x1p-52;
    assert_int_equal(kiln_triangles_meet(a, b, &meet), KILN_OK);
    assert_false(meet);
    const double wrong[] = {NAN, INFINITY, 0x1p-251, 0x1.1p+250};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        b[8] = wrong[i];
        meet = true;
        assert_int_equal(kiln_triangles_meet(a, b, &meet), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_triangles_meet(b, a, &meet), KILN_ERROR_ARGUMENT);
        assert_true(meet);
    }
    assert_int_equal(kiln_triangles_meet(NULL, a, &meet), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_triangles_meet(a, NULL, &meet), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_triangles_meet(a, a, NULL), KILN_ERROR_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orient3d_follows_the_determinant),
        cmocka_unit_test(test_orient2d_follows_the_determinant),
        cmocka_unit_test(test_orient3d_sees_one_ulp),
        cmocka_unit_test(test_orient2d_sees_one_ulp),
        cmocka_unit_test(test_orient3d_at_the_ends_of_the_range),
        cmocka_unit_test(test_piercing_and_passing_by),
        cmocka_unit_test(test_interleaved_but_apart),
        cmocka_unit_test(test_needle_through),
        cmocka_unit_test(test_corner_to_corner),
        cmocka_unit_test(test_corner_on_edge),
        cmocka_unit_test(test_corner_in_face),
        cmocka_unit_test(test_edge_across_edge),
        cmocka_unit_test(test_edge_in_face),
        cmocka_unit_test(test_shared_edge),
        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_coplanar),
        cmocka_unit_test(test_coplanar_on_edge_of_projections),
        cmocka_unit_test(test_segment_and_triangle),
        cmocka_unit_test(test_point_and_triangle),
        cmocka_unit_test(test_segments_on_one_line),
        cmocka_unit_test(test_segments_in_space),
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_gap_of_an_ulp_on_a_slope),
        cmocka_unit_test(test_mixed_magnitudes),
        cmocka_unit_test(test_ends_of_the_range),
        cmocka_unit_test(test_public_call),
    };
    return cmocka_run_group_tests_name("exact", tests, NULL, NULL);
}
