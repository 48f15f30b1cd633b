/* What is sampled: pairs of small meshes, soups at random poses and lattices of small integers at poses that
 * doubles hold exactly, scaled by powers of two, by any numbers and by the least and the largest scale, with
 * trees of every kind, in both orders, under other rounding modes.
 *
 * Oracle: every pair of triangles, carried as kiln.h says, by exact integer arithmetic (oracle.c) for contacts
 * and by kiln_triangles_nearest for distances; and for lattices at powers of two the same question of meshes
 * that were scaled before they were baked.
 * Tolerance: none, but 2^-40 of the distance between scaled instances and scaled meshes, which are compared in
 * different frames. */
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

#include "../../runtime/tri_distance.h"
#include "../support/brute.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"
#include "oracle.h"

enum { PAIRS = 600, KINDS = 4, CONTACTS_MAX = 2000 };

typedef struct {
    mesh mesh;
    void *bytes;
    kiln_file *file;
    const kiln_tree *trees[KINDS];
    kiln_instance at;
} body;

static body body_of(mesh m, int leaf)
{
    body b;
    b.mesh = m;
    b.file = quick_open(&b.mesh, "obb,aabb,obb2,aabb2", leaf, KILN_LAYOUT_RAW, &b.bytes);
    for (int i = 0; i < KINDS; i++) {
        b.trees[i] = kiln_file_find(b.file, NULL, (unsigned)(KILN_BV_OBB + i));
    }
    b.at = (kiln_instance){kiln_pose_identity(), 1};
    return b;
}

static void body_free(body *b)
{
    kiln_close(b->file);
    free(b->bytes);
    mesh_free(&b->mesh);
}

typedef struct {
    double distance;
    size_t contacts;
} truth;

static truth brute(const body *a, const body *b)
{
    brute_affine carry;
    const bool swapped = brute_place(a->trees[0], &a->at.pose, b->trees[0], &b->at.pose, &carry);
    const body *x = swapped ? b : a, *y = swapped ? a : b;
    const double ratio = y->at.scale / x->at.scale;
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            carry.r[k][j] *= ratio;
        }
        carry.t[k] /= x->at.scale;
    }
    truth out = {HUGE_VAL, 0};
    for (uint32_t i = 0; i < x->mesh.triangle_count; i++) {
        for (uint32_t j = 0; j < y->mesh.triangle_count; j++) {
            double p[9], q[9];
            kiln_tri_nearest near;
            brute_corners(&x->mesh, i, NULL, p);
            brute_corners(&y->mesh, j, &carry, q);
            out.contacts += !brute_boxes_apart(p, q) && oracle_triangles_meet(p, q);
            if (kiln_triangles_nearest(p, q, out.distance, &near)) {
                out.distance = near.value;
            }
        }
    }
    out.distance *= x->at.scale;
    return out;
}

static void ask(const kiln_tree *p, const kiln_instance *at_p, const kiln_tree *q,
                const kiln_instance *at_q, const truth *want, int mode)
{
    static kiln_contact contacts[CONTACTS_MAX];
    kiln_hit hit, within, beyond = {false, {0, 0}};
    kiln_nearest nearest;
    size_t count;
    rounding_enter(mode);
    const kiln_status status[] = {
        kiln_scaled_collide(p, at_p, q, at_q, &hit),
        kiln_scaled_contacts(p, at_p, q, at_q, contacts, CONTACTS_MAX, &count),
        kiln_scaled_distance(p, at_p, q, at_q, NULL, &nearest),
        kiln_scaled_within(p, at_p, q, at_q, want->distance, NULL, &within),
        want->distance > 0 ? kiln_scaled_within(p, at_p, q, at_q, nextafter(want->distance, 0),
                                                NULL, &beyond)
                           : KILN_OK};
    rounding_leave();
    for (size_t i = 0; i < sizeof status / sizeof status[0]; i++) {
        assert_int_equal(status[i], KILN_OK);
    }
    assert_true(hit.found == (want->contacts > 0));
    assert_int_equal(count, want->contacts);
    assert_true(nearest.found && nearest.distance == want->distance);
    assert_true(within.found && !beyond.found);
    for (size_t i = 0; i < count && i < CONTACTS_MAX; i++) {
        assert_true(contacts[i].depth >= 0 && isfinite(contacts[i].from[0]));
    }
    double along = 0, size = 0;
    for (int k = 0; k < 3; k++) {
        along += nearest.normal[k] * (nearest.point_a[k] - nearest.point_b[k]);
        size = fmax(size, fmax(fabs(nearest.point_a[k]), fabs(nearest.point_b[k])));
    }
    assert_true(fabs(along - nearest.distance) <= 1e-12 * (size + nearest.distance));
}

static truth check(const body *a, const body *b, int mode)
{
    const truth want = brute(a, b);
    for (int i = 0; i < KINDS; i++) {
        const int j = (i + mode) % KINDS;
        ask(a->trees[i], &a->at, b->trees[j], &b->at, &want, 0);
        ask(b->trees[j], &b->at, a->trees[i], &a->at, &want, mode);
    }
    return want;
}

/* In any frame a lattice at an exact pose is the same lattice. */
static void check_scaled_meshes(const body *a, const body *b, const truth *want)
{
    mesh copies[2];
    const body *of[2] = {a, b};
    body scaled[2];
    for (int i = 0; i < 2; i++) {
        const mesh *m = &of[i]->mesh;
        copies[i] = *m;
        copies[i].positions = malloc(3 * sizeof(float) * m->vertex_count);
        copies[i].indices = malloc(3 * sizeof(uint32_t) * m->triangle_count);
        assert_true(copies[i].positions != NULL && copies[i].indices != NULL);
        memcpy(copies[i].indices, m->indices, 3 * sizeof(uint32_t) * m->triangle_count);
        for (uint32_t k = 0; k < 3 * m->vertex_count; k++) {
            copies[i].positions[k] = (float)((double)m->positions[k] * of[i]->at.scale);
        }
        scaled[i] = body_of(copies[i], 4);
    }
    size_t count;
    kiln_nearest nearest;
    assert_int_equal(kiln_contacts(scaled[0].trees[0], &a->at.pose, scaled[1].trees[0], &b->at.pose,
                                   NULL, 0, &count), KILN_OK);
    assert_int_equal(kiln_distance(scaled[0].trees[0], &a->at.pose, scaled[1].trees[0], &b->at.pose,
                                   NULL, &nearest), KILN_OK);
    assert_int_equal(count, want->contacts);
    assert_true(fabs(nearest.distance - want->distance) <= 0x1p-40 * want->distance);
    body_free(&scaled[0]);
    body_free(&scaled[1]);
}

static double any_scale(uint64_t *state, int i, bool lattice)
{
    if (lattice) {
        return pow(2, (double)random_below(state, 5) - 2);
    }
    return i % 3 == 0 ? 1 : pow(10, random_between(state, -1, 1));
}

static void run(bool lattice)
{
    uint64_t state = lattice ? 71 : 72;
    const char *more = getenv("KILN_PROPERTY_SCALE");
    const int pairs = PAIRS * (more != NULL ? atoi(more) : 1);
    int hits = 0;
    for (int i = 0; i < pairs; i++) {
        const uint32_t n = 1 + random_below(&state, 25), m = 1 + random_below(&state, 25);
        body a = body_of(lattice ? mesh_lattice(&state, n, 3) : mesh_soup(&state, n, 0.5), 1 + i % 6);
        body b = body_of(lattice ? mesh_lattice(&state, m, 3) : mesh_soup(&state, m, 0.5), 1 + i % 5);
        a.at = (kiln_instance){lattice ? pose_exact(&state, 5) : pose_random(&state, 1),
                               any_scale(&state, i, lattice)};
        b.at = (kiln_instance){lattice ? pose_exact(&state, 5) : pose_random(&state, 1),
                               any_scale(&state, i + 1, lattice)};
        const truth want = check(&a, &b, 1 + i % ROUNDING_MODES);
        hits += want.contacts > 0;
        if (lattice) {
            check_scaled_meshes(&a, &b, &want);
        }
        body_free(&a);
        body_free(&b);
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
    const double scales[][2] = {{KILN_SCALE_MIN, KILN_SCALE_MIN}, {KILN_SCALE_MAX, KILN_SCALE_MAX},
                                {KILN_SCALE_MIN, 1}, {1, KILN_SCALE_MAX},
                                {KILN_SCALE_MIN, KILN_SCALE_MAX}};
    for (int i = 0; i < 100; i++) {
        body a = body_of(mesh_soup(&random, 20, 0.5), 4), b = body_of(mesh_soup(&random, 15, 0.5), 3);
        const double *scale = scales[i % 5];
        a.at = (kiln_instance){pose_random(&random, 1), scale[0]};
        b.at = (kiln_instance){pose_random(&random, 1), scale[1]};
        for (int k = 0; k < 3; k++) {
            a.at.pose.translation[k] *= fmax(scale[0], scale[1]);
            b.at.pose.translation[k] *= fmax(scale[0], scale[1]);
        }
        (void)check(&a, &b, 1 + i % ROUNDING_MODES);
        body_free(&a);
        body_free(&b);
    }
}

/* Scales of 1 are the calls without; equal instances of one mesh meet in all of it. */
static void test_plain_and_equal(void **state)
{
    (void)state;
    uint64_t random = 74;
    body a = body_of(mesh_torus(9, 7, 0.3), 4), b = body_of(mesh_soup(&random, 30, 0.4), 4);
    for (int i = 0; i < 50; i++) {
        kiln_nearest plain, one;
        a.at = (kiln_instance){pose_random(&random, 2), 1};
        b.at = (kiln_instance){pose_random(&random, 2), 1};
        assert_int_equal(kiln_distance(a.trees[0], &a.at.pose, b.trees[1], &b.at.pose, NULL, &plain), KILN_OK);
        assert_int_equal(kiln_scaled_distance(a.trees[0], &a.at, b.trees[1], &b.at, NULL, &one), KILN_OK);
        assert_memory_equal(&plain, &one, sizeof plain);
        a.at.scale = random_between(&random, 0.1, 10);
        size_t count, own;
        assert_int_equal(kiln_contacts(a.trees[0], NULL, a.trees[0], NULL, NULL, 0, &own), KILN_OK);
        assert_int_equal(kiln_scaled_contacts(a.trees[0], &a.at, a.trees[1], &a.at, NULL, 0, &count), KILN_OK);
        assert_int_equal(count, own);
    }
    body_free(&a);
    body_free(&b);
}

static void test_wrong_scales(void **state)
{
    (void)state;
    body a = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4);
    const double wrong[] = {0, -1, NAN, HUGE_VAL, -0.0, 2 * KILN_SCALE_MAX, KILN_SCALE_MIN / 2};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const kiln_instance bad = {kiln_pose_identity(), wrong[i]};
        kiln_hit hit;
        kiln_nearest nearest;
        size_t count = 9;
        assert_int_equal(kiln_scaled_collide(a.trees[0], &bad, a.trees[0], NULL, &hit), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_scaled_collide(a.trees[0], NULL, a.trees[0], &bad, &hit), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_scaled_contacts(a.trees[0], NULL, a.trees[0], &bad, NULL, 0, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_scaled_distance(a.trees[0], &bad, a.trees[0], NULL, NULL, &nearest),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_scaled_within(a.trees[0], &bad, a.trees[0], NULL, 1, NULL, &hit),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(count, 9);
    }
    body_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),           cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_extremes),        cmocka_unit_test(test_plain_and_equal),
        cmocka_unit_test(test_wrong_scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
