/* What is sampled: pairs of small meshes, soups at random poses and lattices of small integers
 * at poses that doubles hold exactly, scaled by powers of two, by any numbers and by the least
 * and the largest scale, with trees of every kind, in both orders, under other rounding modes,
 * without and with filters of pairs.
 *
 * Oracle: every pair of triangles that is kept, carried as kiln.h says, by exact integer
 * arithmetic (oracle.c) for contacts and by kiln_triangles_nearest for distances; and for
 * lattices at powers of two the same question of meshes that were scaled before they were baked.
 * Tolerance: none, but 2^-40 of the distance between scaled poses and scaled meshes, which are
 * compared in different frames. */
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
#include "../support/body.h"
#include "../support/brute.h"
#include "../support/rounding.h"
#include "oracle.h"

enum { PAIRS = 500, KINDS = BODY_KINDS, CONTACTS_MAX = 2000 };

typedef struct {
    body body;
    kiln_pose at;
} placed;

static placed placed_of(mesh m, int leaf)
{
    return (placed){body_of(m, leaf, KILN_LAYOUT_RAW), kiln_pose_identity()};
}

typedef struct {
    double distance; /* infinite where no pair is kept */
    size_t contacts;
} truth;

static truth brute(const placed *a, const placed *b, const body_rule *rule)
{
    brute_affine carry;
    const bool swapped = brute_place(a->body.trees[0], &a->at, b->body.trees[0], &b->at, &carry);
    const placed *x = swapped ? b : a, *y = swapped ? a : b;
    truth out = {HUGE_VAL, 0};
    for (uint32_t i = 0; i < x->body.mesh.triangle_count; i++) {
        for (uint32_t j = 0; j < y->body.mesh.triangle_count; j++) {
            double p[9], q[9];
            kiln_tri_nearest near;
            if (!body_keeps_pair(rule, i, j)) {
                continue;
            }
            brute_corners(&x->body.mesh, i, NULL, p);
            brute_corners(&y->body.mesh, j, &carry, q);
            out.contacts += !brute_boxes_apart(p, q) && oracle_triangles_meet(p, q);
            if (kiln_triangles_nearest(p, q, out.distance, &near)) {
                out.distance = near.value;
            }
        }
    }
    out.distance *= x->at.scale;
    return out;
}

/* ------------------------------------------------------------------------------- questions -- */

static void check_pair(const body_rule *rule, const kiln_pair *pair)
{
    assert_true(body_keeps_pair(rule, pair->a, pair->b));
    assert_true(pair->value_a == body_value(pair->a) && pair->value_b == body_value(pair->b));
}

static bool count_pair(void *user, kiln_pair pair)
{
    check_pair(user, &pair);
    return true;
}

static void ask_contacts(const kiln_tree *p, const kiln_pose *at_p, const kiln_tree *q,
                         const kiln_pose *at_q, const truth *want, body_rule *rule, int mode)
{
    static kiln_contact contacts[CONTACTS_MAX];
    static kiln_pair pairs[CONTACTS_MAX];
    kiln_pair_options options = kiln_pair_options_default();
    kiln_contacts_summary summary;
    size_t count, found, calls;
    options.filter = rule->modulus == 1 ? NULL : body_pair_filter;
    options.filter_user = rule;
    rounding_enter(mode);
    const kiln_status status[] = {
        kiln_contacts_geometry(p, at_p, q, at_q, &options, contacts, CONTACTS_MAX, &count),
        kiln_contacts(p, at_p, q, at_q, &options, pairs, CONTACTS_MAX, &found),
        kiln_contacts_each(p, at_p, q, at_q, &options, count_pair, rule, &calls),
        kiln_contacts_summarise(p, at_p, q, at_q, &options, &summary)};
    rounding_leave();
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        assert_int_equal(status[i], KILN_OK);
    }
    assert_true(count == want->contacts && found == count && calls == count &&
                summary.count == count);
    for (size_t i = 0; i < count && i < CONTACTS_MAX; i++) {
        check_pair(rule, &contacts[i].pair);
        assert_true(contacts[i].depth >= 0 && isfinite(contacts[i].from[0]));
        assert_memory_equal(&contacts[i].pair, &pairs[i], sizeof pairs[i]);
        assert_true(summary.deepest.depth >= contacts[i].depth);
    }
}

static void check_points(const kiln_nearest *nearest)
{
    double along = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        along += nearest->normal[k] * (nearest->point_a[k] - nearest->point_b[k]);
        size = fmax(size, fmax(fabs(nearest->point_a[k]), fabs(nearest->point_b[k])));
    }
    assert_true(fabs(along - nearest->distance) <= 1e-12 * (size + nearest->distance));
}

static void ask_near(const kiln_tree *p, const kiln_pose *at_p, const kiln_tree *q,
                     const kiln_pose *at_q, const truth *want, body_rule *rule, int mode)
{
    kiln_pair_options options = kiln_pair_options_default();
    kiln_hit hit, within, hinted, beyond = {false, {0, 0, 0, 0}, {0, 0}};
    kiln_nearest nearest;
    options.filter = rule->modulus == 1 ? NULL : body_pair_filter;
    options.filter_user = rule;
    rounding_enter(mode);
    const kiln_status status[] = {
        kiln_collide(p, at_p, q, at_q, &options, &hit),
        kiln_distance(p, at_p, q, at_q, &options, &nearest),
        kiln_within(p, at_p, q, at_q, want->distance, &options, &within),
        want->distance > 0
            ? kiln_within(p, at_p, q, at_q, nextafter(want->distance, 0), &options, &beyond)
            : KILN_OK};
    options.hint = (kiln_hint){1, 1}; /* refused or not, it never changes an answer */
    const kiln_status again = kiln_within(p, at_p, q, at_q, want->distance, &options, &hinted);
    rounding_leave();
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        assert_int_equal(status[i], KILN_OK);
    }
    assert_int_equal(again, KILN_OK);
    const bool any = want->distance < HUGE_VAL;
    assert_true(hit.found == (want->contacts > 0));
    assert_true(nearest.found == any && nearest.distance == want->distance);
    assert_true(within.found == any && hinted.found == any && !beyond.found);
    if (any) {
        check_pair(rule, &nearest.pair);
        check_pair(rule, &within.pair);
        check_pair(rule, &hinted.pair);
        check_points(&nearest);
    }
    if (hit.found) {
        check_pair(rule, &hit.pair);
        options.hint = hit.hint;
        assert_int_equal(kiln_within(p, at_p, q, at_q, 0, &options, &within), KILN_OK);
        assert_memory_equal(&within.pair, &hit.pair, sizeof hit.pair);
    }
}

static truth check(const placed *a, const placed *b, body_rule *rule, int mode)
{
    const truth want = brute(a, b, rule);
    for (int i = 0; i < KINDS; i++) {
        const int j = (i + mode) % KINDS;
        const kiln_tree *p = a->body.trees[i], *q = b->body.trees[j];
        ask_contacts(p, &a->at, q, &b->at, &want, rule, 0);
        ask_near(p, &a->at, q, &b->at, &want, rule, 0);
        ask_contacts(q, &b->at, p, &a->at, &want, rule, mode);
        ask_near(q, &b->at, p, &a->at, &want, rule, mode);
    }
    return want;
}

/* ----------------------------------------------------------------------------------- scales -- */

static mesh scaled_copy(const placed *of)
{
    const mesh *m = &of->body.mesh;
    mesh copy = *m;
    copy.positions = malloc(3 * sizeof(float) * m->vertex_count);
    copy.indices = malloc(3 * sizeof(uint32_t) * m->triangle_count);
    assert_true(copy.positions != NULL && copy.indices != NULL);
    memcpy(copy.indices, m->indices, 3 * sizeof(uint32_t) * m->triangle_count);
    for (uint32_t k = 0; k < 3 * m->vertex_count; k++) {
        copy.positions[k] = (float)((double)m->positions[k] * of->at.scale);
    }
    return copy;
}

/* In any frame a lattice at an exact pose is the same lattice. */
static void check_scaled_meshes(const placed *a, const placed *b, const truth *want)
{
    placed big_a = placed_of(scaled_copy(a), 4), big_b = placed_of(scaled_copy(b), 4);
    size_t count;
    kiln_nearest nearest;
    big_a.at = a->at;
    big_b.at = b->at;
    big_a.at.scale = big_b.at.scale = 1;
    const kiln_tree *p = big_a.body.trees[0], *q = big_b.body.trees[0];
    assert_int_equal(kiln_contacts(p, &big_a.at, q, &big_b.at, NULL, NULL, 0, &count), KILN_OK);
    assert_int_equal(kiln_distance(p, &big_a.at, q, &big_b.at, NULL, &nearest), KILN_OK);
    assert_int_equal(count, want->contacts);
    assert_true(fabs(nearest.distance - want->distance) <= 0x1p-40 * want->distance);
    body_free(&big_a.body);
    body_free(&big_b.body);
}

static void place_any(uint64_t *state, placed *p, bool lattice)
{
    p->at = lattice ? pose_exact(state, 5) : pose_random(state, 1);
    p->at.scale = scale_random(state, lattice);
}

static void run(bool lattice)
{
    uint64_t state = lattice ? 71 : 72;
    const int pairs = (int)amount(PAIRS);
    int hits = 0;
    for (int i = 0; i < pairs; i++) {
        const uint32_t n = 1 + random_below(&state, 25), m = 1 + random_below(&state, 25);
        placed a =
            placed_of(lattice ? mesh_lattice(&state, n, 3) : mesh_soup(&state, n, 0.5), 1 + i % 6);
        placed b =
            placed_of(lattice ? mesh_lattice(&state, m, 3) : mesh_soup(&state, m, 0.5), 1 + i % 5);
        place_any(&state, &a, lattice);
        place_any(&state, &b, lattice);
        body_rule all = {1, 0, 0}, some = {2 + random_below(&state, 3), 1, 0};
        const truth want = check(&a, &b, &all, 1 + i % ROUNDING_MODES);
        (void)check(&a, &b, &some, 1 + i % ROUNDING_MODES);
        hits += want.contacts > 0;
        assert_true(all.calls == 0 && some.calls >= want.contacts);
        if (lattice) {
            check_scaled_meshes(&a, &b, &want);
        }
        body_free(&a.body);
        body_free(&b.body);
    }
    print_message("%d pairs, %d meet\n", pairs, hits);
    assert_true(hits > pairs / 10 && hits < pairs);
}

static void test_soups(void **state)
{
    (void)state;
    run(false);
}

static void test_lattices(void **state)
{
    (void)state;
    run(true);
}

/* The least scale, the largest, and both. */
static void test_extremes(void **state)
{
    (void)state;
    uint64_t random = 73;
    body_rule all = {1, 0, 0};
    const double scales[][2] = {{KILN_SCALE_MIN, KILN_SCALE_MIN},
                                {KILN_SCALE_MAX, KILN_SCALE_MAX},
                                {KILN_SCALE_MIN, 1},
                                {1, KILN_SCALE_MAX},
                                {KILN_SCALE_MIN, KILN_SCALE_MAX}};
    for (int i = 0; i < 100; i++) {
        placed a = placed_of(mesh_soup(&random, 20, 0.5), 4),
               b = placed_of(mesh_soup(&random, 15, 0.5), 3);
        const double *scale = scales[i % 5];
        a.at = pose_random(&random, fmax(scale[0], scale[1]));
        b.at = pose_random(&random, fmax(scale[0], scale[1]));
        a.at.scale = scale[0];
        b.at.scale = scale[1];
        (void)check(&a, &b, &all, 1 + i % ROUNDING_MODES);
        body_free(&a.body);
        body_free(&b.body);
    }
}

/* Equal poses of one mesh meet in all of it, whatever the scale. */
static void test_equal(void **state)
{
    (void)state;
    uint64_t random = 74;
    placed a = placed_of(mesh_torus(9, 7, 0.3), 4);
    const kiln_tree *p = a.body.trees[0], *q = a.body.trees[1];
    for (int i = 0; i < 50; i++) {
        size_t count, own;
        a.at = pose_random(&random, 2);
        a.at.scale = random_between(&random, 0.1, 10);
        assert_int_equal(kiln_contacts(p, NULL, p, NULL, NULL, NULL, 0, &own), KILN_OK);
        assert_int_equal(kiln_contacts(p, &a.at, q, &a.at, NULL, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, own);
    }
    body_free(&a.body);
}

static void test_wrong_scales(void **state)
{
    (void)state;
    placed a = placed_of(mesh_box(0, 0, 0, 1, 1, 1), 4);
    const kiln_tree *tree = a.body.trees[0];
    const double wrong[] = {0, -1, NAN, HUGE_VAL, -0.0, 2 * KILN_SCALE_MAX, KILN_SCALE_MIN / 2};
    const double point[3] = {0, 0, 0};
    const kiln_ray ray = {{0, 0, 0}, {1, 0, 0}, 0, 1};
    const kiln_shape ball = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        kiln_pose bad = kiln_pose_identity();
        kiln_hit hit;
        kiln_nearest nearest;
        kiln_ray_hit ray_hit;
        kiln_triangle_hit triangle;
        kiln_place place;
        size_t count = 9;
        bad.scale = wrong[i];
        const kiln_status status[] = {
            kiln_collide(tree, &bad, tree, NULL, NULL, &hit),
            kiln_collide(tree, NULL, tree, &bad, NULL, &hit),
            kiln_contacts_geometry(tree, NULL, tree, &bad, NULL, NULL, 0, &count),
            kiln_distance(tree, &bad, tree, NULL, NULL, &nearest),
            kiln_within(tree, &bad, tree, NULL, 1, NULL, &hit),
            kiln_ray_closest(tree, &bad, &ray, NULL, &ray_hit),
            kiln_overlap_any(tree, &bad, &ball, NULL, NULL, &triangle),
            kiln_overlap_any(tree, NULL, &ball, &bad, NULL, &triangle),
            kiln_locate_point(tree, &bad, point, &place),
            kiln_locate_mesh(tree, &bad, tree, NULL, &place)};
        for (size_t k = 0; k < sizeof status / sizeof status[0]; k++) {
            assert_int_equal(status[k], KILN_ERROR_POSE);
        }
        assert_int_equal(count, 9);
    }
    body_free(&a.body);
}

/* Poses whose numbers are equal are equal, whatever the signs of zeros: a triangle meets itself. */
static void test_signs_of_zeros(void **state)
{
    (void)state;
    uint64_t random = 21;
    placed p = placed_of(mesh_soup(&random, 1, 1), 1);
    for (int i = 0; i < 50; i++) {
        kiln_pose at = pose_random(&random, 3), same;
        kiln_hit hit, back;
        at.translation[i % 3] = 0;
        same = at;
        same.translation[i % 3] = -0.0;
        at.scale = same.scale = scale_random(&random, false);
        const kiln_tree *a = p.body.trees[i % KINDS], *b = p.body.trees[(i + i / KINDS) % KINDS];
        assert_int_equal(kiln_collide(a, &at, b, &same, NULL, &hit), KILN_OK);
        assert_int_equal(kiln_collide(a, &same, b, &at, NULL, &back), KILN_OK);
        assert_true(hit.found && back.found);
    }
    body_free(&p.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_extremes),     cmocka_unit_test(test_equal),
        cmocka_unit_test(test_wrong_scales), cmocka_unit_test(test_signs_of_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
