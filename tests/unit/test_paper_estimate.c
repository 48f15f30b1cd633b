/* Equations 1 to 8 of Klein and Zachmann (2003) on boxes and numbers small enough to work out by
 * hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../bench/adb/paper_estimate.h"

static void near_to(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%.17g is not within %g of %.17g", value, tolerance, expected);
    }
}

/* ------------------------------------------------------------------------ trees made by hand -- */

enum { BOXES = 7 };

typedef struct {
    kiln_paper_box boxes[BOXES];
    kiln_paper_tree tree;
} small_tree;

static kiln_paper_box box_of(float x0, float y0, float z0, float x1, float y1, float z1)
{
    kiln_paper_box box = {{(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2},
                          {(x1 - x0) / 2, (y1 - y0) / 2, (z1 - z0) / 2},
                          0,
                          0,
                          0,
                          0,
                          0,
                          0,
                          {0}};
    double half[3] = {(double)box.half[0], (double)box.half[1], (double)box.half[2]};
    kiln_paper_thicken(half, KILN_PAPER_POINT);
    box.volume = (float)kiln_paper_box_volume(half);
    return box;
}

/* Of one region and 512 cells; a leaf so far. */
static void tree_of(small_tree *t, kiln_paper_box root, uint16_t possible)
{
    memset(t, 0, sizeof *t);
    t->boxes[0] = root;
    t->boxes[0].region[0] = possible;
    t->tree = (kiln_paper_tree){.boxes = t->boxes,
                                .box_count = BOXES,
                                .scale = 1,
                                .region_count = 1,
                                .cells = 512,
                                .region_cells = {512},
                                .depth_max = 1};
}

static void put_below(small_tree *t, uint32_t parent, uint32_t index, kiln_paper_box box,
                      uint16_t possible)
{
    t->boxes[index] = box;
    t->boxes[index].region[0] = possible;
    t->boxes[index].depth = (uint8_t)(t->boxes[parent].depth + 1);
    t->boxes[parent].children = index - (index + 1) % 2;
    t->boxes[parent].used |= (uint8_t)(1u << ((index + 1) % 2));
}

static kiln_paper_options plain_options(void)
{
    kiln_paper_options options = kiln_paper_options_default();
    options.volume = KILN_PAPER_EXACT;
    return options;
}

static kiln_paper_estimate estimate(const small_tree *a, const small_tree *b,
                                    const kiln_paper_options *options)
{
    kiln_paper_frame frame;
    kiln_paper_estimate out;
    assert_int_equal(kiln_paper_frame_form(&frame, &a->tree, NULL, &b->tree, NULL), KILN_OK);
    kiln_paper_estimate_pair(&frame, 0, 0, options, &out);
    return out;
}

/* -------------------------------------------------------------------- section 3.4: s, sA, sB -- */

static void boxes_of_one_size_have_parts_of_their_cells(void **state)
{
    (void)state;
    small_tree a, b;
    const kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 100);
    tree_of(&b, box_of(0.25f, 0.5f, 0, 1.25f, 1.5f, 1), 200);
    const kiln_paper_estimate e = estimate(&a, &b, &options); /* 3/4 x 1/2 x 1 in common */
    assert_false(e.gated);
    near_to(e.volume, 0.375, 1e-14);
    near_to(e.s, 0.375 * 512, 1e-11);  /* Equation 2 */
    near_to(e.sa, 0.375 * 100, 1e-12); /* Equation 3 */
    near_to(e.sb, 0.375 * 200, 1e-12);
    assert_int_equal(e.visited, 1);
    tree_of(&b, box_of(2, 0, 0, 3, 1, 1), 200);
    assert_true(estimate(&a, &b, &options).gated);
}

static void a_larger_box_is_descended(void **state)
{
    (void)state;
    small_tree a, b;
    kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0.5f, 0, 0, 1.5f, 1, 1), 64);
    tree_of(&b, box_of(0, 0, 0, 4, 1, 1), 512);
    put_below(&b, 0, 1, box_of(0, 0, 0, 2, 1, 1), 300);
    put_below(&b, 0, 2, box_of(2, 0, 0, 4, 1, 1), 400); /* apart from A */
    put_below(&b, 1, 3, box_of(0, 0, 0, 1, 1, 1), 40);
    put_below(&b, 1, 4, box_of(1, 0, 0, 2, 1, 1), 80);
    const kiln_paper_estimate e = estimate(&a, &b, &options);
    near_to(e.s, 512, 1e-10);
    near_to(e.sa, 64, 1e-11);
    near_to(e.sb, 40 / 2.0 + 80 / 2.0, 1e-11); /* Equation 4 over boxes 3 and 4 */
    assert_int_equal(e.visited, 4);            /* 0, 1, 3, 4 */
    const kiln_paper_estimate swapped = estimate(&b, &a, &options);
    near_to(swapped.sa, e.sb, 1e-11);
    near_to(swapped.sb, e.sa, 1e-11);
    near_to(swapped.p, e.p, 1e-12);

    /* One of them no longer there: its cells are gone. */
    b.boxes[1].used = 2;
    near_to(estimate(&a, &b, &options).sb, 80 / 2.0, 1e-11);

    /* Without a gate box 2 is kept out by its sphere, or gives nothing. */
    options.gate = KILN_PAPER_NO_GATE;
    near_to(estimate(&a, &b, &options).sb, 80 / 2.0, 1e-11);
}

static void leaves_that_are_larger_are_corrected(void **state)
{
    (void)state;
    near_to(kiln_paper_equation_5(1, 1), 1, 0);
    near_to(kiln_paper_equation_5(1, 8), 4, 1e-15); /* Figure 6 */
    near_to(kiln_paper_equation_5(2, 27), 18, 1e-14);
    near_to(kiln_paper_equation_5(0, 27), 0, 0);
    small_tree a, b;
    kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 64);
    tree_of(&b, box_of(0, 0, 0, 2, 2, 2), 64);
    near_to(estimate(&a, &b, &options).sb, 64 / 8.0 * 4, 1e-11);
    b.boxes[0].region[0] = 300; /* 300 / 8 * 4 = 150 */
    near_to(estimate(&a, &b, &options).sb, 150, 1e-11);
    tree_of(&b, box_of(-1, -1, -1, 2, 2, 2), 512); /* 512 / 27 * 9 */
    near_to(estimate(&a, &b, &options).sb, 512 / 3.0, 1e-4);

    /* Equation 5 for all instead of a descent. */
    tree_of(&b, box_of(0, 0, 0, 2, 2, 2), 64);
    put_below(&b, 0, 1, box_of(0, 0, 0, 1, 1, 1), 7);
    near_to(estimate(&a, &b, &options).sb, 7, 1e-11);
    options.share = KILN_PAPER_EQUATION_5;
    near_to(estimate(&a, &b, &options).sb, 32, 1e-11);
}

/* A box of 4^3 cells is as good as one of 8^3 of eight times its volume. */
static void cells_decide_which_box_is_smaller(void **state)
{
    (void)state;
    small_tree a, b;
    const kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 20);
    a.tree.cells = 64;
    tree_of(&b, box_of(0, 0, 0, 2, 2, 2), 100);
    kiln_paper_estimate e = estimate(&a, &b, &options);
    near_to(e.s, 64, 1e-11);
    near_to(e.sb, 100 / 8.0, 1e-11); /* no Equation 5 */
    tree_of(&b, box_of(0, 0, 0, 1, 1, 1), 100);
    e = estimate(&a, &b, &options); /* now B's cells are an eighth of A's */
    near_to(e.s, 512, 1e-10);
    near_to(e.sb, 100, 1e-11);
    near_to(e.sa, 20 * 4, 1e-11);
}

static void regions_count_where_they_are(void **state)
{
    (void)state;
    small_tree a, b;
    kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 0);
    a.tree.region_count = 8;
    for (uint16_t i = 0; i < 8; i++) {
        a.boxes[0].region[i] = (uint16_t)(i + 1);
    }
    tree_of(&b, box_of(0.5f, 0, 0, 1.5f, 1, 1), 64);
    near_to(estimate(&a, &b, &options).sa, 2 + 4 + 6 + 8, 1e-12); /* bit 0: the upper half on x */
    tree_of(&b, box_of(0, -0.25f, 0, 1, 0.75f, 1), 64);
    near_to(estimate(&a, &b, &options).sa, 1 + 2 + 5 + 6 + (3 + 4 + 7 + 8) / 2.0, 1e-12);

    /* Pyramids: all of a box within another one; none of the upper one on z with what is below. */
    a.tree.region_count = 6;
    tree_of(&b, box_of(-1, -1, -1, 2, 2, 2), 64);
    near_to(estimate(&a, &b, &options).sa, 1 + 2 + 3 + 4 + 5 + 6, 1e-12);
    near_to(estimate(&b, &a, &options).sb, 21, 1e-12);
    tree_of(&b, box_of(0, 0, -1, 1, 1, 0), 64);
    near_to(estimate(&a, &b, &options).sa, 0, 1e-12);
    for (uint16_t i = 0; i < 6; i++) {
        a.boxes[0].region[i] = i == 4 ? 60 : 0; /* the lower one on z */
    }
    tree_of(&b, box_of(0, 0, -0.5f, 1, 1, 0.5f), 64);
    near_to(estimate(&a, &b, &options).sa, 60, 1e-12); /* it is in the lower half */
    tree_of(&b, box_of(0, 0, 0.5f, 1, 1, 1.5f), 64);
    near_to(estimate(&a, &b, &options).sa, 0, 1e-12);
}

static void sums_do_not_exceed_the_cells(void **state)
{
    (void)state;
    small_tree a, b;
    const kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 512);
    tree_of(&b, box_of(0, 0, 0, 2, 2, 2), 512);
    put_below(&b, 0, 1, box_of(0, 0, 0, 1, 1, 1), 512); /* children that overlap */
    put_below(&b, 0, 2, box_of(0, 0, 0, 1, 1, 1), 512);
    const kiln_paper_estimate e = estimate(&a, &b, &options);
    near_to(e.sb, e.s, 0);
    assert_true(e.sa <= e.s);
}

/* ----------------------------------------------------------------- section 3.5: Eq. 1, 6 - 8 -- */

static double equation_8(const kiln_paper_options *options, double s, double sa, double sb,
                         double lb)
{
    double p = -1;
    assert_int_equal(kiln_paper_equation_8(options, s, sa, sb, lb, &p), KILN_OK);
    return p;
}

static double choose(int n, int k)
{
    double product = k < 0 || k > n ? 0 : 1;
    for (int i = 1; i <= k && product > 0; i++) {
        product *= (double)(n - k + i) / i;
    }
    return product;
}

/* Equation 6. */
static double filled(int u, int v, int w, int x)
{
    double sum = 1;
    for (int t = 0; t < x; t++) {
        sum -= choose(w, t) * choose(u - w, v - t) / choose(u, v);
    }
    return sum;
}

static void probabilities_are_those_of_the_text(void **state)
{
    (void)state;
    kiln_paper_options options = plain_options();
    /* Four bins, two balls of each colour: none filled in 1 of 6 throws, both in 1. */
    near_to(equation_8(&options, 4, 2, 2, 1), 5 / 6.0, 1e-12);
    near_to(equation_8(&options, 4, 2, 2, 0.5), 5 / 12.0, 1e-12);  /* x = 1 */
    near_to(equation_8(&options, 4, 4, 4, 0.5), 15 / 16.0, 1e-12); /* x = 4, all certain */
    near_to(equation_8(&options, 4, 4, 2, 0.25), 7 / 16.0, 1e-12); /* x = 2 */
    near_to(equation_8(&options, 12, 12, 12, 0.1), 1 - pow(0.9, 10), 1e-12); /* x ends at 10 */
    options.x_max = 3;
    near_to(equation_8(&options, 4, 4, 4, 0.5), 7 / 8.0, 1e-12);
    options.x_max = 1; /* Equation 1 */
    near_to(equation_8(&options, 4, 4, 4, 0.5), 0.5, 1e-12);
    near_to(equation_8(&options, 100, 10, 20, 0.7), 0.7 * filled(100, 10, 20, 1), 1e-12);
    /* Equation 7. */
    double product = 1;
    for (int i = 1; i <= 10; i++) {
        product *= 1 - 20.0 / (100 - 10 + i);
    }
    near_to(equation_8(&options, 100, 10, 20, 1), 1 - product, 1e-12);
    options.x_max = 10;
    for (int w = 0; w <= 100; w += 7) {
        double best = 0;
        for (int x = 1; x <= 10; x++) {
            best = fmax(best, filled(100, 30, w, x) * (1 - pow(0.6, x)));
        }
        near_to(equation_8(&options, 100, 30, w, 0.4), best, 1e-10);
    }
}

static void fractions_of_cells_are_rounded_as_asked(void **state)
{
    (void)state;
    kiln_paper_options options = plain_options();
    near_to(equation_8(&options, 0.2, 0.2, 0.2, 0.5), 0, 0);
    near_to(equation_8(&options, 0.6, 0.6, 0.6, 0.5), 0.5, 1e-12);
    near_to(equation_8(&options, 3.6, 2.4, 1.6, 0.5), 5 / 12.0, 1e-12);
    near_to(equation_8(&options, 0, 0, 0, 1), 0, 0);
    options.rounding = KILN_PAPER_LOWER;
    near_to(equation_8(&options, 0.6, 0.6, 0.6, 0.5), 0, 0);
    near_to(equation_8(&options, 3.6, 2.4, 2, 0.5), 5 / 12.0, 1e-12);
    options.rounding = KILN_PAPER_INTERPOLATED;
    near_to(equation_8(&options, 0.6, 0.6, 0.6, 0.5), 0.6 * 0.6 * 0.6 * 0.5, 1e-12);
    near_to(equation_8(&options, 4, 2, 1, 1), 0.5, 1e-12);
    near_to(equation_8(&options, 4, 2, 1.5, 1), (0.5 + 5 / 6.0) / 2, 1e-12);
}

static void lower_bounds_follow_the_depth(void **state)
{
    (void)state;
    small_tree a, b;
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 64);
    tree_of(&b, box_of(0, 0, 0, 1, 1, 1), 64);
    put_below(&a, 0, 1, box_of(0, 0, 0, 1, 1, 1), 64);
    put_below(&a, 1, 3, box_of(0, 0, 0, 1, 1, 1), 64);
    a.tree.depth_max = 2;
    b.tree.depth_max = 3;
    a.boxes[3].level = 255;
    b.boxes[0].level = 51;
    const kiln_paper_tree *ta = &a.tree, *tb = &b.tree;
    near_to(kiln_paper_lower_bound(ta, 0, tb, 0, KILN_PAPER_BY_DEPTH), 0, 0);
    near_to(kiln_paper_lower_bound(ta, 3, tb, 0, KILN_PAPER_BY_DEPTH), 2 / 5.0, 1e-15);
    near_to(kiln_paper_lower_bound(tb, 0, ta, 1, KILN_PAPER_BY_DEPTH), 1 / 5.0, 1e-15);
    near_to(kiln_paper_lower_bound(ta, 3, tb, 0, KILN_PAPER_BY_TRIANGLES), 0.6, 1e-15);
}

/* ------------------------------------------------------------------------------- odd boxes -- */

static void boxes_without_volume_are_thickened(void **state)
{
    (void)state;
    double half[3] = {0, 5, 1};
    kiln_paper_thicken(half, KILN_PAPER_POINT);
    near_to(half[0], 0.1, 1e-15);
    near_to(half[2], 1, 0);
    double point[3] = {0, 0, 0};
    kiln_paper_thicken(point, 0.25);
    assert_true(point[0] == 0.25 && point[1] == 0.25 && point[2] == 0.25);

    small_tree a, b;
    for (int volume = 0; volume < KILN_PAPER_VOLUMES; volume++) {
        kiln_paper_options options = kiln_paper_options_default();
        options.volume = (kiln_paper_volume)volume;
        tree_of(&a, box_of(0, 0, 0, 1, 1, 0), 64); /* plane, through the middle of b */
        tree_of(&b, box_of(0, 0, -0.5f, 1, 1, 0.5f), 64);
        kiln_paper_estimate e = estimate(&a, &b, &options);
        assert_true(!e.gated && e.s > 0 && e.s <= 512 && e.sa <= e.s && e.sb <= e.s);
        if (volume != KILN_PAPER_SPHERES) {
            near_to(e.s, 512, 1e-6); /* its thickness, too */
        }
        tree_of(&a, box_of(0.5f, 0.5f, 0, 0.5f, 0.5f, 0), 0); /* a point, which has no cells */
        e = estimate(&a, &b, &options);
        assert_true(!e.gated && e.s >= 0 && e.s <= 512 * (1 + 1e-12) && e.p == 0);
        tree_of(&b, box_of(0.5f, 0.5f, 0, 0.5f, 0.5f, 0), 0);
        e = estimate(&a, &b, &options);
        assert_true(!e.gated && e.s >= 0 && e.s <= 512 * (1 + 1e-12) && e.p == 0);
    }
}

static void frames_refuse_what_is_no_pose(void **state)
{
    (void)state;
    small_tree a;
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 64);
    kiln_paper_frame frame;
    kiln_pose pose = kiln_pose_identity();
    const double bad[] = {NAN, INFINITY, -1, 1 + 1e-5};
    for (int i = 0; i < 4; i++) {
        pose.rotation[4] = bad[i];
        assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, &pose, &a.tree, NULL),
                         KILN_ERROR_POSE);
        assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, NULL, &a.tree, &pose),
                         KILN_ERROR_POSE);
    }
    pose = kiln_pose_identity();
    pose.translation[2] = NAN;
    assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, &pose, &a.tree, NULL), KILN_ERROR_POSE);
    small_tree large = a;
    large.tree.boxes = large.boxes;
    large.tree.scale = 0x1p+41;
    assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, NULL, &large.tree, NULL),
                     KILN_ERROR_ARGUMENT);
}

/* Both turned and moved alike: nothing changes. In other units: nothing either. */
static void frames_relate_the_trees(void **state)
{
    (void)state;
    small_tree a, b;
    const kiln_paper_options options = plain_options();
    tree_of(&a, box_of(0, 0, 0, 1, 1, 1), 100);
    tree_of(&b, box_of(0, 0, 0, 1, 1, 1), 200);
    kiln_pose pose = kiln_pose_identity(), other;
    pose.translation[0] = 0.25;
    pose.translation[1] = 0.5;
    const double quaternion[4] = {0.5, 0.1, -0.7, 0.5}, shift[3] = {10, 20, 30};
    double unit[4], length = sqrt(0.5 * 0.5 + 0.01 + 0.49 + 0.25);
    for (int i = 0; i < 4; i++) {
        unit[i] = quaternion[i] / length;
    }
    assert_int_equal(kiln_pose_from_quaternion(unit, shift, &other), KILN_OK);
    kiln_pose both = other; /* other, after pose */
    for (int i = 0; i < 3; i++) {
        both.translation[i] += 0.25 * other.rotation[3 * i] + 0.5 * other.rotation[3 * i + 1];
    }
    kiln_paper_frame frame;
    kiln_paper_estimate e;
    assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, &other, &b.tree, &both), KILN_OK);
    kiln_paper_estimate_pair(&frame, 0, 0, &options, &e);
    near_to(e.volume, 0.375, 1e-12);
    near_to(e.sb, 75, 1e-10);
    /* B in node space of half the unit, its origin elsewhere. */
    tree_of(&b, box_of(-1, -1, -1, 1, 1, 1), 200);
    b.tree.scale = 0.5;
    b.tree.origin[0] = b.tree.origin[1] = b.tree.origin[2] = 0.5;
    assert_int_equal(kiln_paper_frame_form(&frame, &a.tree, NULL, &b.tree, &pose), KILN_OK);
    kiln_paper_estimate_pair(&frame, 0, 0, &options, &e);
    near_to(e.volume, 0.375, 1e-12);
    near_to(e.sb, 75, 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_of_one_size_have_parts_of_their_cells),
        cmocka_unit_test(a_larger_box_is_descended),
        cmocka_unit_test(leaves_that_are_larger_are_corrected),
        cmocka_unit_test(cells_decide_which_box_is_smaller),
        cmocka_unit_test(regions_count_where_they_are),
        cmocka_unit_test(sums_do_not_exceed_the_cells),
        cmocka_unit_test(probabilities_are_those_of_the_text),
        cmocka_unit_test(fractions_of_cells_are_rounded_as_asked),
        cmocka_unit_test(lower_bounds_follow_the_depth),
        cmocka_unit_test(boxes_without_volume_are_thickened),
        cmocka_unit_test(frames_refuse_what_is_no_pose),
        cmocka_unit_test(frames_relate_the_trees),
    };
    return cmocka_run_group_tests_name("paper estimate", tests, NULL, NULL);
}
