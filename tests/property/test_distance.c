/* What is sampled: pairs of meshes: soups at random poses, lattices of small integers at poses
 * that doubles hold exactly (in which equally near pairs abound), dented tori, the same mesh
 * twice, meshes of a millionth and of a million times the size, of very different sizes, of one
 * triangle, far apart, out of sight, and specks a hair off a face. Each is asked for every
 * combination of kinds of tree, in both orders, under other rounding modes, with hints and with
 * none, with limits and tolerances.
 *
 * Oracle: every pair of triangles by kiln_triangles_nearest, which test_tri_distance.c holds to
 * rational numbers; here a sample of the least distances is held to them as well. Tolerance:
 * none, for value, pair, points and normal.
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

#include "../../runtime/kernel/kernel.h"
#include "../../runtime/exact/exact.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/brute.h"
#include "../support/rounding.h"
#include "../support/tally.h"
#include "near_oracle.h"

enum { PAIRS = 1500, KINDS = BODY_KINDS };

/* Packed or raw by the size of the leaves, of 15 that occur. */
static body body_by_leaf(mesh m, int leaf)
{
    return body_of(m, leaf, leaf % 8 == 7 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
}

static mesh scaled(mesh m, double factor)
{
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)((double)m.positions[i] * factor);
    }
    return m;
}

/* ------------------------------------------------------------------------------- the truth -- */

typedef struct {
    double value;
    kiln_pair pair; /* of the caller's A and B */
} truth;

static double exact_least(const double *x, uint32_t xs, const double *y, uint32_t ys, double value)
{
    mpq_t least, squared;
    mpq_inits(least, squared, NULL);
    for (uint32_t i = 0; i < xs * ys; i++) {
        near_oracle_squared(x + 9 * (size_t)(i / ys), y + 9 * (size_t)(i % ys), squared);
        if (i == 0 || mpq_cmp(squared, least) < 0) {
            mpq_set(least, squared);
        }
    }
    const double root = sqrt(mpq_get_d(least));
    assert_true(near_oracle_agrees(least, value, 0x1p-43 * (4 + 2 * value)));
    mpq_clears(least, squared, NULL);
    return root;
}

/* All pairs in the order of X, then of Y: the first of equal ones stays. */
static truth brute_nearest(const body *a, const kiln_pose *pose_a, const body *b,
                           const kiln_pose *pose_b, bool exactly)
{
    brute_affine carry;
    const bool swapped = brute_place(a->trees[0], pose_a, b->trees[0], pose_b, &carry);
    const mesh *x = swapped ? &b->mesh : &a->mesh, *y = swapped ? &a->mesh : &b->mesh;
    double *corners_x = malloc(9 * sizeof(double) * x->triangle_count);
    double *corners_y = malloc(9 * sizeof(double) * y->triangle_count);
    assert_true(corners_x != NULL && corners_y != NULL);
    for (uint32_t i = 0; i < x->triangle_count; i++) {
        brute_corners(x, i, NULL, corners_x + 9 * (size_t)i);
    }
    for (uint32_t j = 0; j < y->triangle_count; j++) {
        brute_corners(y, j, &carry, corners_y + 9 * (size_t)j);
    }
    truth out = {HUGE_VAL, {0, 0, 0, 0}};
    for (uint32_t i = 0; i < x->triangle_count; i++) {
        for (uint32_t j = 0; j < y->triangle_count; j++) {
            kiln_tri_nearest near;
            const double limit = nextafter(out.value, 0);
            if (kiln_triangles_nearest(corners_x + 9 * (size_t)i, corners_y + 9 * (size_t)j,
                                       out.value == HUGE_VAL ? HUGE_VAL : limit, &near) &&
                near.value < out.value) {
                out.value = near.value;
                out.pair = swapped ? (kiln_pair){j, i, 0, 0} : (kiln_pair){i, j, 0, 0};
            }
        }
    }
    if (exactly) {
        (void)exact_least(corners_x, x->triangle_count, corners_y, y->triangle_count, out.value);
    }
    free(corners_x);
    free(corners_y);
    return out;
}

/* ------------------------------------------------------------------------------- questions -- */

static kiln_nearest ask(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                        const kiln_pose *pose_b, const kiln_pair_options *options, int mode)
{
    kiln_nearest out;
    rounding_enter(mode);
    const kiln_status status = kiln_distance(a, pose_a, b, pose_b, options, &out);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    return out;
}

static bool ask_within(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                       const kiln_pose *pose_b, double distance, const kiln_pair_options *options,
                       int mode)
{
    kiln_hit hit;
    rounding_enter(mode);
    const kiln_status status = kiln_within(a, pose_a, b, pose_b, distance, options, &hit);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    return hit.found;
}

static void expect_same(const kiln_nearest *p, const kiln_nearest *q, bool swapped)
{
    assert_true(p->found == q->found && p->distance == q->distance);
    if (p->distance == 0) {
        return; /* which pair it is depends on the trees */
    }
    assert_int_equal(p->pair.a, swapped ? q->pair.b : q->pair.a);
    assert_int_equal(p->pair.b, swapped ? q->pair.a : q->pair.b);
    assert_memory_equal(p->point_a, swapped ? q->point_b : q->point_a, sizeof p->point_a);
    assert_memory_equal(p->point_b, swapped ? q->point_a : q->point_b, sizeof p->point_b);
    for (int k = 0; k < 3; k++) {
        assert_true(p->normal[k] == (swapped ? -q->normal[k] : q->normal[k]));
    }
}

/* Points are as far apart as is said, along the normal, as far as world coordinates tell. */
static void expect_points(const kiln_nearest *found)
{
    double length = 0, along = 0, size = 1;
    for (int k = 0; k < 3; k++) {
        const double step = found->point_a[k] - found->point_b[k];
        length += found->normal[k] * found->normal[k];
        along += found->normal[k] * step;
        size = fmax(size, fmax(fabs(found->point_a[k]), fabs(found->point_b[k])));
    }
    assert_true(fabs(length - 1) < 1e-14);
    assert_true(fabs(along - found->distance) <= 1e-12 * (size + found->distance));
}

static void check_limits(const body *a, const kiln_pose *pose_a, const body *b,
                         const kiln_pose *pose_b, double value, int mode)
{
    const kiln_tree *x = a->trees[mode % KINDS], *y = b->trees[(mode + 1) % KINDS];
    kiln_pair_options options = kiln_pair_options_default();
    options.beyond = value;
    assert_true(ask(x, pose_a, y, pose_b, &options, mode).found);
    assert_true(ask_within(x, pose_a, y, pose_b, value, NULL, mode));
    assert_true(ask_within(x, pose_a, y, pose_b, 1.5 * value, NULL, mode));
    if (value > 0) {
        options.beyond = nextafter(value, 0);
        const kiln_nearest none = ask(y, pose_b, x, pose_a, &options, mode);
        assert_true(!none.found && none.distance == options.beyond);
        assert_false(ask_within(y, pose_b, x, pose_a, options.beyond, NULL, mode));
        assert_false(ask_within(x, pose_a, y, pose_b, 0.5 * value, NULL, mode));
    }
    options = kiln_pair_options_default();
    options.relative = 0.25;
    options.absolute = mode % 2 == 0 ? 0 : 0.125 * value;
    const kiln_nearest loose = ask(x, pose_a, y, pose_b, &options, mode);
    assert_true(loose.found && loose.distance >= value &&
                loose.distance <= value * (1 + options.relative) + options.absolute);
}

static void check_hints(const body *a, const kiln_pose *pose_a, const body *b,
                        const kiln_pose *pose_b, const kiln_nearest *first, int mode)
{
    const kiln_hint hints[] = {
        first->hint,     {first->hint.b, first->hint.a},
        {1, 1},          {0, 1},
        {UINT32_MAX, 3}, {a->mesh.triangle_count, b->mesh.triangle_count + 1}};
    for (size_t i = 0; i < sizeof hints / sizeof hints[0]; i++) {
        kiln_pair_options options = kiln_pair_options_default();
        options.hint = hints[i];
        const kiln_nearest again = ask(a->trees[(mode + 2) % KINDS], pose_a, b->trees[mode % KINDS],
                                       pose_b, &options, mode);
        expect_same(&again, first, false);
        assert_true(
            ask_within(a->trees[0], pose_a, b->trees[1], pose_b, first->distance, &options, mode));
    }
}

static double check(const body *a, const kiln_pose *pose_a, const body *b, const kiln_pose *pose_b,
                    int mode, bool exactly)
{
    const truth want = brute_nearest(a, pose_a, b, pose_b, exactly);
    const kiln_nearest first = ask(a->trees[0], pose_a, b->trees[0], pose_b, NULL, 0);
    kiln_hit hit;
    assert_int_equal(kiln_collide(a->trees[0], pose_a, b->trees[0], pose_b, NULL, &hit), KILN_OK);
    assert_true(first.found && first.distance == want.value);
    assert_true(hit.found == (want.value == 0));
    assert_true(ask_within(a->trees[1], pose_a, b->trees[0], pose_b, 0, NULL, mode) == hit.found);
    if (want.value > 0) {
        assert_int_equal(first.pair.a, want.pair.a);
        assert_int_equal(first.pair.b, want.pair.b);
    }
    expect_points(&first);
    /* All kinds against all, in turn: a third of their pairs at each pose. */
    static int turn;
    turn++;
    for (int i = 0; i < KINDS; i++) {
        for (int j = (i + turn) % 3; j < KINDS; j += 3) {
            const kiln_nearest same = ask(a->trees[i], pose_a, b->trees[j], pose_b, NULL, mode);
            const kiln_nearest other = ask(b->trees[j], pose_b, a->trees[i], pose_a, NULL, mode);
            expect_same(&same, &first, false);
            expect_same(&other, &first, true);
        }
    }
    check_limits(a, pose_a, b, pose_b, want.value, mode);
    check_hints(a, pose_a, b, pose_b, &first, mode);
    return want.value;
}

/* ------------------------------------------------------------------------------- the tests -- */

static void run_class(bool lattice)
{
    uint64_t state = lattice ? 21 : 22;
    uint32_t hits = 0;
    const uint32_t pairs = amount(PAIRS);
    for (uint32_t i = 0; i < pairs; i++) {
        const uint32_t n = 1 + random_below(&state, 30), m = 1 + random_below(&state, 30);
        const double size = random_between(&state, 0.05, 0.9);
        body a = body_by_leaf(lattice ? mesh_lattice(&state, n, 3) : mesh_soup(&state, n, size),
                              1 + (int)random_below(&state, 15));
        body b = body_by_leaf(lattice ? mesh_lattice(&state, m, 3) : mesh_soup(&state, m, size),
                              1 + (int)random_below(&state, 15));
        const kiln_pose pose_a = lattice ? pose_exact(&state, 9) : pose_random(&state, 2);
        const kiln_pose pose_b = lattice ? pose_exact(&state, 9) : pose_random(&state, 2);
        hits += check(&a, &pose_a, &b, &pose_b, 1 + (int)(i % ROUNDING_MODES),
                      i % 40 == 0 && n * m < 200) == 0;
        body_free(&a);
        body_free(&b);
    }
    print_message("%u pairs, %u meet\n", pairs, hits);
    assert_true(hits > pairs / 50 && hits < pairs / 2);
}

static void test_soups(void **state)
{
    (void)state;
    run_class(false);
}

static void test_lattices(void **state)
{
    (void)state;
    run_class(true);
}

static void test_tori(void **state)
{
    (void)state;
    uint64_t random = 5;
    body a = body_by_leaf(mesh_torus(24, 12, 0.3), 4);
    body b = body_by_leaf(mesh_torus(20, 10, 0.2), 3);
    const int poses = (int)amount(30);
    for (int i = 0; i < poses; i++) {
        const kiln_pose pose_a = pose_random(&random, 2.5), pose_b = pose_random(&random, 2.5);
        (void)check(&a, &pose_a, &b, &pose_b, 1 + i % ROUNDING_MODES, false);
        (void)check(&a, &pose_a, &a, &pose_b, 1 + i % ROUNDING_MODES, false);
    }
    const kiln_pose pose = pose_random(&random, 2);
    assert_true(check(&a, &pose, &a, &pose, 1, false) == 0);
    body_free(&a);
    body_free(&b);
}

/* Both a millionth and a million times as large, and one of each. */
static void test_sizes(void **state)
{
    (void)state;
    uint64_t random = 6;
    const double sizes[][2] = {{1e-6, 1e-6}, {1e6, 1e6},  {1e-6, 1},
                               {1, 1e6},     {1e-6, 1e6}, {1e-30, 1e30}};
    const int pairs = (int)amount(120);
    for (int i = 0; i < pairs; i++) {
        const double *size = sizes[i % 6], larger = fmax(size[0], size[1]);
        body a = body_by_leaf(scaled(mesh_torus(9, 7, 0.3), size[0]), 1 + i % 8);
        body b = body_by_leaf(scaled(mesh_soup(&random, 40, 0.3), size[1]), 1 + i % 5);
        kiln_pose pose_a = pose_random(&random, 1), pose_b = pose_random(&random, 1);
        for (int k = 0; k < 3; k++) {
            pose_a.translation[k] *= larger;
            pose_b.translation[k] *= larger;
        }
        (void)check(&a, &pose_a, &b, &pose_b, 1 + i % ROUNDING_MODES, false);
        body_free(&a);
        body_free(&b);
    }
}

/* One triangle; every distance from touching to far. */
static void test_single_triangles(void **state)
{
    (void)state;
    uint64_t random = 7;
    const int pairs = (int)amount_of_few(300);
    for (int i = 0; i < pairs; i++) {
        body a = body_by_leaf(mesh_soup(&random, 1, 0.5), 1),
             b = body_by_leaf(mesh_soup(&random, 1, 0.5), 4);
        const double reach = pow(10, random_between(&random, -1, 5));
        const kiln_pose pose_a = pose_random(&random, reach), pose_b = pose_random(&random, reach);
        (void)check(&a, &pose_a, &b, &pose_b, 1 + i % ROUNDING_MODES, true);
        body_free(&a);
        body_free(&b);
    }
}

/* Boxes a hair off the faces of one a million times larger. */
static void test_specks(void **state)
{
    (void)state;
    uint64_t random = 8;
    body large = body_by_leaf(mesh_box(-1, -1, -1, 1, 1, 1), 2);
    const kiln_pose at_rest = kiln_pose_identity();
    const int specks = (int)amount_of_few(60);
    for (int i = 0; i < specks; i++) {
        const float h = (float)random_between(&random, 0x1p-26, 0x1p-20);
        body speck = body_by_leaf(mesh_box(-h, -h, -h, h, h, h), 4);
        for (int face = 0; face < 6; face++) {
            kiln_pose pose = i % 2 == 0 ? kiln_pose_identity() : pose_random(&random, 0);
            for (int k = 0; k < 3; k++) {
                pose.translation[k] = random_between(&random, -0x1p-8, 0x1p-8);
            }
            pose.translation[face / 2] =
                (face % 2 == 0 ? 1 : -1) * (1 + random_between(&random, -1, 4) * (double)h);
            (void)check(&large, &at_rest, &speck, &pose, 1 + i % ROUNDING_MODES, false);
        }
        body_free(&speck);
    }
    body_free(&large);
}

/* Up to 2^20 sizes apart answers are the same; what it costs must not grow with the distance. */
static void test_far_apart(void **state)
{
    (void)state;
    uint64_t random = 9;
    body a = body_by_leaf(mesh_torus(24, 12, 0.3), 4), b = body_by_leaf(mesh_torus(20, 10, 0.2), 3);
    const int poses = (int)amount_of_few(24);
    for (int i = 0; i < poses; i++) {
        kiln_pose pose_a = pose_random(&random, 0), pose_b = pose_random(&random, 0);
        pose_b.translation[i % 3] = pow(2, 1 + i % 20);
        pose_b.translation[(i + 1) % 3] = i % 2 == 0 ? 0 : pow(2, 1 + i % 20);
        (void)check(&a, &pose_a, &b, &pose_b, 1 + i % ROUNDING_MODES, false);
    }
    body_free(&a);
    body_free(&b);
}

/* Beyond that the distance is near enough, and found at once: a walk of a few nodes, where one that
 * can't tell boxes apart would measure each triangle against every other. */
static void test_out_of_sight(void **state)
{
    (void)state;
    body a = body_by_leaf(mesh_torus(60, 60, 0.1), 4);
    kiln_pose off = kiln_pose_identity();
    off.rotation[0] = 1 + 4e-7;
    for (int e = 7; e <= 60; e++) {
        for (int k = 0; k < KINDS; k++) {
            kiln_pose pose = kiln_pose_identity();
            pose.translation[e % 3] = pow(10, e);
            const kiln_nearest there =
                ask(a.trees[k], e % 2 == 0 ? NULL : &off, a.trees[k], &pose, NULL, 0);
            const double want = pow(10, e) - (e % 3 == 2 ? 0.8 : 2.8);
            assert_true(fabs(there.distance - want) < 2e-6 * want);
            assert_false(ask_within(a.trees[k], NULL, a.trees[k], &pose, 0.5 * want, NULL, 0));
            const double found = there.distance;
            assert_true(ask_within(a.trees[k], e % 2 == 0 ? NULL : &off, a.trees[(k + 1) % KINDS],
                                   &pose, found, NULL, 0));
            tally sum = {0, 0, 0};
            (void)tally_distance(a.trees[k], a.trees[k], &pose, &sum);
            /* Balls stick out of a flat side, where boxes end with it. */
            const uint64_t most = kiln_node_kinds[k].balls ? 100000 : 10000;
            assert_true(sum.nodes < most && sum.pairs < 50);
        }
    }
    body_free(&a);
}

/* Every instruction set. */
static void test_kernels(void **state)
{
    (void)state;
    uint64_t random = 10;
    body a = body_by_leaf(mesh_torus(16, 9, 0.3), 4),
         b = body_by_leaf(mesh_soup(&random, 60, 0.2), 3);
    for (unsigned i = 0; kiln_kernel_runnable(i) != NULL; i++) {
        kiln_kernel_force(kiln_kernel_runnable(i));
        uint64_t same = 11;
        for (int k = 0; k < 30; k++) {
            const kiln_pose pose_a = pose_random(&same, 2), pose_b = pose_random(&same, 2);
            (void)check(&a, &pose_a, &b, &pose_b, 1 + k % ROUNDING_MODES, false);
        }
    }
    kiln_kernel_force(NULL);
    body_free(&a);
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_tori),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_single_triangles),
        cmocka_unit_test(test_specks),
        cmocka_unit_test(test_far_apart),
        cmocka_unit_test(test_out_of_sight),
        cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
