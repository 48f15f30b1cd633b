/* What is sampled: 20,000 pairs of small meshes: soups at random poses, and lattices of small
 * integers (in which touching, coplanar and degenerate triangles abound) at poses that doubles
 * hold exactly. Each pair is baked with trees of every kind, raw or, each eighth, packed, at
 * leaf sizes 1 to 15, and asked for every combination of kinds, both orders of A and B, under
 * other rounding modes and flush-to-zero, by the kernels of each instruction set in turn.
 *
 * Oracle: every pair of triangles by exact integer arithmetic (brute.c, oracle.c). Tolerance:
 * none, neither for the answer nor for the set of pairs.
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
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/brute.h"
#include "../support/rounding.h"
#include "../support/tally.h"

enum { PAIRS = 5000, KINDS = BODY_KINDS };

/* One query in the environment `mode`; the answer is compared with the truth. */
static void ask(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                const kiln_pose *pose_b, const kiln_pair *truth, size_t truth_count, bool swapped,
                int mode)
{
    kiln_hit hit;
    size_t count;
    kiln_pair *pairs = malloc((truth_count + 1) * sizeof *pairs);
    assert_non_null(pairs);
    bool may = false;
    rounding_enter(mode);
    const kiln_status boxes = kiln_collide_boxes(a, pose_a, b, pose_b, &may);
    const kiln_status collide = kiln_collide(a, pose_a, b, pose_b, NULL, &hit);
    const kiln_status contacts =
        kiln_contacts(a, pose_a, b, pose_b, NULL, pairs, truth_count + 1, &count);
    rounding_leave();
    assert_int_equal(boxes, KILN_OK);
    assert_true(may || truth_count == 0);
    assert_int_equal(collide, KILN_OK);
    assert_int_equal(contacts, KILN_OK);
    assert_int_equal(hit.found, truth_count > 0);
    assert_int_equal(count, truth_count);
    bool witness = !hit.found;
    for (size_t i = 0; i < truth_count; i++) {
        const uint32_t want_a = swapped ? truth[i].b : truth[i].a;
        const uint32_t want_b = swapped ? truth[i].a : truth[i].b;
        bool there = false;
        for (size_t k = 0; k < count && !there; k++) {
            there = pairs[k].a == want_a && pairs[k].b == want_b;
        }
        assert_true(there);
        witness = witness || (hit.pair.a == want_a && hit.pair.b == want_b);
    }
    assert_true(witness);
    for (size_t k = 1; k < count; k++) {
        assert_true(pairs[k - 1].a < pairs[k].a ||
                    (pairs[k - 1].a == pairs[k].a && pairs[k - 1].b < pairs[k].b));
    }
    free(pairs);
}

/* A short buffer holds the smallest pairs, whatever the kind. */
static void ask_short(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                      const kiln_pose *pose_b, const kiln_pair *truth, size_t truth_count)
{
    size_t count;
    kiln_pair some[3];
    assert_int_equal(kiln_contacts(a, pose_a, b, pose_b, NULL, some, 3, &count), KILN_OK);
    assert_int_equal(count, truth_count);
    for (size_t i = 0; i < 3 && i < truth_count; i++) {
        assert_int_equal(some[i].a, truth[i].a);
        assert_int_equal(some[i].b, truth[i].b);
    }
}

static unsigned set_in_turn(void)
{
    static unsigned turn;
    unsigned sets = 0;
    while (kiln_kernel_runnable(sets) != NULL) {
        sets++;
    }
    return turn++ % sets;
}

/* Every instruction set finds the same first pair. */
static void ask_sets(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                     const kiln_pose *pose_b)
{
    kiln_hit hit, same;
    assert_int_equal(kiln_collide(a, pose_a, b, pose_b, NULL, &hit), KILN_OK);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        assert_int_equal(kiln_collide(a, pose_a, b, pose_b, NULL, &same), KILN_OK);
        assert_int_equal(same.found, hit.found);
        assert_true(!hit.found || (same.pair.a == hit.pair.a && same.pair.b == hit.pair.b));
    }
    kiln_kernel_force(NULL);
}

/* All kinds against all, in turn: a third of their pairs at each pose, so that consecutive poses
 * have them all. */
static size_t check_pair(body *a, const kiln_pose *pose_a, body *b, const kiln_pose *pose_b,
                         int mode)
{
    static int turn;
    size_t count;
    kiln_pair *truth =
        brute_pairs(&a->mesh, a->trees[0], pose_a, &b->mesh, b->trees[0], pose_b, false, &count);
    turn++;
    for (int i = 0; i < KINDS; i++) {
        for (int j = (i + turn) % 3; j < KINDS; j += 3) {
            ask_sets(a->trees[i], pose_a, b->trees[j], pose_b);
            kiln_kernel_force(kiln_kernel_runnable(set_in_turn()));
            ask(a->trees[i], pose_a, b->trees[j], pose_b, truth, count, false, 0);
            ask(b->trees[j], pose_b, a->trees[i], pose_a, truth, count, true, mode);
        }
    }
    kiln_kernel_force(NULL);
    ask_short(a->trees[mode % KINDS], pose_a, b->trees[0], pose_b, truth, count);
    free(truth);
    return count;
}

static void run_class(bool lattice)
{
    uint64_t state = lattice ? 11 : 12;
    uint32_t hits = 0;
    size_t contacts = 0;
    const uint32_t pairs = amount(PAIRS);
    for (uint32_t i = 0; i < pairs; i++) {
        const int leaf = 1 + (int)random_below(&state, 15);
        const uint32_t n = 1 + random_below(&state, 30), m = 1 + random_below(&state, 30);
        const int extent = 1 + (int)random_below(&state, 6);
        const double size = random_between(&state, 0.02, 0.6);
        const kiln_layout layout = body_layout(i);
        body a = body_of(lattice ? mesh_lattice(&state, n, extent) : mesh_soup(&state, n, size),
                         leaf, layout);
        body b = body_of(lattice ? mesh_lattice(&state, m, extent) : mesh_soup(&state, m, size),
                         leaf, layout);
        const kiln_pose pose_a = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.5);
        const kiln_pose pose_b = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.5);
        const size_t found = check_pair(&a, &pose_a, &b, &pose_b, 1 + (int)(i % ROUNDING_MODES));
        hits += found > 0;
        contacts += found;
        body_free(&a);
        body_free(&b);
    }
    print_message("%u pairs of meshes, %u hits, %zu contacts, 0 differences\n", pairs, hits,
                  contacts);
    assert_true(hits > pairs / 10 && hits < pairs - pairs / 20);
}

static void test_soups_at_random_poses(void **state)
{
    (void)state;
    run_class(false);
}

static void test_lattices_at_exact_poses(void **state)
{
    (void)state;
    run_class(true);
}

/* Larger trees, deeper descents: the answer for every kind equals that of all pairs. */
static void test_bumpy_tori(void **state)
{
    (void)state;
    uint64_t random = 5;
    body a = body_of(mesh_torus(24, 12, 0.3), 4, KILN_LAYOUT_PACKED);
    body b = body_of(mesh_torus(20, 10, 0.2), 2, KILN_LAYOUT_RAW);
    const int poses = (int)amount(60);
    for (int i = 0; i < poses; i++) {
        const kiln_pose pose_a = pose_random(&random, 1), pose_b = pose_random(&random, 1);
        (void)check_pair(&a, &pose_a, &b, &pose_b, 1 + i % ROUNDING_MODES);
        (void)check_pair(&a, &pose_a, &a, &pose_b, 1 + i % ROUNDING_MODES);
    }
    body_free(&a);
    body_free(&b);
}

/* Boxes a few float ulps wide about the faces of one a million times larger. Its flat leaves
 * have no extent across and stand where rounding a centre to float moves it by as much as a
 * small box. */
static void test_specks_on_faces(void **state)
{
    (void)state;
    uint64_t random = 6;
    uint32_t hits = 0;
    body large = body_of(mesh_box(-1, -1, -1, 1, 1, 1), 2, KILN_LAYOUT_RAW);
    const kiln_pose at_rest = kiln_pose_identity();
    const uint32_t specks = amount(400);
    for (uint32_t i = 0; i < specks; i++) {
        const float h = (float)random_between(&random, 0x1p-26, 0x1p-20);
        body speck = body_of(mesh_box(-h, -h, -h, h, h, h), 4, KILN_LAYOUT_RAW);
        for (int face = 0; face < 6; face++) {
            kiln_pose pose = kiln_pose_identity();
            for (int k = 0; k < 3; k++) {
                pose.translation[k] = random_between(&random, -0x1p-8, 0x1p-8);
            }
            pose.translation[face / 2] =
                (face % 2 == 0 ? 1 : -1) + random_between(&random, -1.5, 1.5) * (double)h;
            hits += check_pair(&large, &at_rest, &speck, &pose, 1 + (int)(i % ROUNDING_MODES)) > 0;
        }
        body_free(&speck);
    }
    assert_true(hits > 3 * specks && hits < 5 * specks);
    body_free(&large);
}

/* Where the body is when its own pose is `inner`, and what that is relative to is at `outer`. */
static kiln_pose pose_within(const kiln_pose *outer, const kiln_pose *inner)
{
    kiln_pose pose = kiln_pose_identity();
    for (int i = 0; i < 3; i++) {
        const double *row = outer->rotation + 3 * i;
        pose.translation[i] = outer->translation[i];
        for (int k = 0; k < 3; k++) {
            pose.translation[i] += row[k] * inner->translation[k];
            pose.rotation[3 * i + k] = row[0] * inner->rotation[k] +
                                       row[1] * inner->rotation[3 + k] +
                                       row[2] * inner->rotation[6 + k];
        }
    }
    return pose;
}

/* About a point of a triangle of the mesh. */
static kiln_pose pose_near_triangle(uint64_t *random, const mesh *m)
{
    kiln_pose pose = pose_random(random, 1.2);
    const uint32_t *corner = m->indices + 3 * (size_t)random_below(random, m->triangle_count);
    double left = 1;
    for (int c = 0; c < 3; c++) {
        const double weight = c == 2 ? left : random_between(random, 0, left);
        left -= weight;
        for (int k = 0; k < 3; k++) {
            pose.translation[k] += weight * (double)m->positions[3 * (size_t)corner[c] + (size_t)k];
        }
    }
    return pose;
}

/* A small torus beside triangles some fifty times its size: whole branches lie within the box of
 * one leaf, and its triangles separate them or not. At random poses of both. */
static void test_fine_beside_coarse(void **state)
{
    (void)state;
    uint64_t random = 9;
    uint32_t hits = 0, asked = 0;
    const int soups = (int)amount_of_few(10);
    for (int i = 0; i < soups; i++) {
        mesh large = mesh_soup(&random, 6 + random_below(&random, 8), 1);
        for (uint32_t k = 0; k < 3 * large.vertex_count; k++) {
            large.positions[k] *= 64;
        }
        body coarse = body_of(large, 2 + i % 7, i % 2 == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        body fine = body_of(mesh_torus(14, 8, 0.2), 1 + i % 4, KILN_LAYOUT_RAW);
        for (int k = 0; k < 24; k++, asked++) {
            const kiln_pose outer = pose_random(&random, 30);
            const kiln_pose inner = pose_near_triangle(&random, &coarse.mesh);
            const kiln_pose pose = pose_within(&outer, &inner);
            hits += check_pair(&coarse, &outer, &fine, &pose, 1 + k % ROUNDING_MODES) > 0;
        }
        body_free(&coarse);
        body_free(&fine);
    }
    assert_true(hits > asked / 4 && hits < asked - asked / 20);
}

/* The same with the outermost vertices in the plane of a face, where they touch, or a few ulps
 * above or below. */
static void test_fine_touches_coarse(void **state)
{
    (void)state;
    uint64_t random = 10;
    uint32_t touches = 0;
    const kiln_pose at_rest = kiln_pose_identity();
    const int boxes = (int)amount_of_few(6);
    for (int i = 0; i < boxes; i++) {
        const float side = 64.0f + (float)i;
        body coarse = body_of(mesh_box(-side, -side, -side, side, side, side), 4, KILN_LAYOUT_RAW);
        body fine = body_of(mesh_torus(14, 8, 0.2), 4, KILN_LAYOUT_PACKED);
        double top = 0;
        for (uint32_t v = 0; v < fine.mesh.vertex_count; v++) {
            top = fmax(top, (double)fine.mesh.positions[3 * v + 2]);
        }
        for (int ulps = -3; ulps <= 3; ulps++) {
            for (int k = 0; k < 4; k++) {
                kiln_pose pose = kiln_pose_identity();
                pose.translation[0] = floor(random_between(&random, -60, 60));
                pose.translation[1] = floor(random_between(&random, -60, 60));
                pose.translation[2] = (double)-side - top + ulps * 0x1p-46;
                const size_t met =
                    check_pair(&coarse, &at_rest, &fine, &pose, 1 + k % ROUNDING_MODES);
                touches += met > 0;
                assert_true(met > 0 || ulps < 0);
                assert_true(met == 0 || ulps >= 0);
            }
        }
        body_free(&coarse);
        body_free(&fine);
    }
    assert_int_equal(touches, boxes * 4 * 4);
}

/* Distances that no float holds are seen at the roots: without that, each of these queries compares
 * every triangle with every other. Counted, not timed: at most the roots are opened. */
static void test_poses_out_of_sight(void **state)
{
    (void)state;
    body a = body_of(mesh_torus(60, 60, 0.1), 4, KILN_LAYOUT_RAW);
    for (int e = 10; e <= 60; e++) {
        for (int k = 0; k < KINDS; k++) {
            kiln_pose pose = kiln_pose_identity();
            kiln_hit hit;
            tally sum = {0, 0, 0};
            pose.translation[e % 3] = pow(10, e);
            assert_false(tally_collide(a.trees[k], a.trees[k], &pose, &sum));
            assert_true(sum.nodes <= 2 && sum.pairs == 0);
            assert_int_equal(kiln_collide(a.trees[k], NULL, a.trees[k], &pose, NULL, &hit),
                             KILN_OK);
            assert_false(hit.found);
        }
    }
    body_free(&a);
}

/* A torus with one triangle a hundred million times its size away: the torus's own boxes must
 * stay as small as they are, in every kind of tree. What a hit costs shows it: without care for
 * the frame, every leaf meets every other and a query takes seconds. */
static void test_far_strays(void **state)
{
    (void)state;
    uint64_t random = 8;
    for (int i = 0; i < 4; i++) {
        mesh m = mesh_torus(24, 12, 0.3);
        const uint32_t stray = 17 * (uint32_t)(i + 1);
        for (uint32_t corner = 0; corner < 3; corner++) {
            /* a vertex that only this triangle has */
            m.positions[3 * m.indices[3 * stray + corner]] *= corner == 0 ? 1e8f : 1.0f;
        }
        body b = body_of(m, 4, i % 2 == 0 ? KILN_LAYOUT_PACKED : KILN_LAYOUT_RAW);
        for (int k = 0; k < 4; k++) {
            const kiln_pose pose_a = pose_random(&random, 1), pose_b = pose_random(&random, 1);
            (void)check_pair(&b, &pose_a, &b, &pose_b, 1 + k % ROUNDING_MODES);
        }
        body_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups_at_random_poses),
        cmocka_unit_test(test_lattices_at_exact_poses),
        cmocka_unit_test(test_bumpy_tori),
        cmocka_unit_test(test_specks_on_faces),
        cmocka_unit_test(test_fine_beside_coarse),
        cmocka_unit_test(test_fine_touches_coarse),
        cmocka_unit_test(test_far_strays),
        cmocka_unit_test(test_poses_out_of_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
