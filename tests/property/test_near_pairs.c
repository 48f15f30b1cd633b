/* All pairs within a distance.
 *
 * What is sampled: pairs of soups and of lattices of small integers, with points among the
 * triangles or points alone, in units from 2^-30 to 2^30, at random and exact poses with scales and
 * at affine ones, a mesh and itself; distances of 0, at random, and that of a pair as doubles have
 * it, a little more and less; every kind of tree against others in both orders, leaves of 1 to 15,
 * instruction sets, rounding modes, filters, buffers that are too small, callbacks that end the
 * query.
 *
 * Oracle: every pair of triangles by kiln_triangles_nearest, which test_tri_distance.c holds to
 * rational numbers; for each third pair of meshes by distances in fractions, too (near_oracle.c):
 * what is nearer or further than the error that kiln.h states.
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

#include "../../runtime/exact/exact.h"
#include "../../runtime/kernel/kernel.h"
#include "../../runtime/kiln_spheres.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/rounding.h"
#include "near_oracle.h"

enum { PAIRS = 90, DISTANCES = 4, TRIANGLES = 24, MOST = TRIANGLES * TRIANGLES };

static mesh any_mesh(uint64_t *state, bool lattice, uint32_t kind, double unit)
{
    const uint32_t n = 1 + random_below(state, TRIANGLES);
    mesh m = lattice ? mesh_lattice(state, n, 1 + (int)random_below(state, 5))
                     : mesh_soup(state, n, random_between(state, 0.05, 1.0));
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++) {
        const bool point = kind == 1 || (kind == 2 && i / 3 % 2 == 0);
        m.indices[i] = point ? m.indices[i / 3 * 3] : m.indices[i];
    }
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)((double)m.positions[i] * unit);
    }
    return m;
}

/* Distances of all pairs, in the world; row of A, column of B. */
static void all_distances(const body *a, const kiln_pose *pose_a, const body *b,
                          const kiln_pose *pose_b, bool exact, double *out, double *errors)
{
    const affine_frame frame = affine_frame_of(a->trees[0], pose_a, b->trees[0], pose_b);
    const double scale = frame.scale;
    mpq_t squared;
    mpq_init(squared);
    for (uint32_t i = 0; i < a->mesh.triangle_count; i++) {
        for (uint32_t j = 0; j < b->mesh.triangle_count; j++) {
            double x[9], y[9], size = 0;
            kiln_tri_nearest near;
            affine_corners(&frame, &a->mesh, i, &b->mesh, j, x, y);
            assert_true(kiln_triangles_nearest(x, y, HUGE_VAL, &near));
            for (int k = 0; k < 27; k++) {
                size = fmax(size, fabs(x[k / 9 * 3 + k % 3] - y[k % 9]));
                size = fmax(size, fabs(x[k / 9 * 3 + k % 3] - x[k % 9]));
                size = fmax(size, fabs(y[k / 9 * 3 + k % 3] - y[k % 9]));
            }
            out[i * b->mesh.triangle_count + j] = near.value * scale;
            errors[i * b->mesh.triangle_count + j] = 0x1p-43 * size * scale;
            if (exact) {
                near_oracle_squared(x, y, squared);
                assert_true(near_oracle_agrees(squared, near.value, 0x1p-43 * size));
            }
        }
    }
    mpq_clear(squared);
}

typedef struct {
    size_t calls, most;
    kiln_pair seen[MOST];
} collected;

static bool collect(void *user, kiln_pair pair)
{
    collected *c = user;
    assert_true(c->calls < MOST);
    c->seen[c->calls++] = pair;
    return c->calls < c->most;
}

static void check_trees(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                        const kiln_pose *pose_b, double distance, const kiln_pair *want,
                        size_t want_count, const kiln_pair_options *options, uint32_t turn)
{
    static kiln_pair pairs[MOST + 1];
    static collected each;
    static const size_t capacities[] = {MOST, 3, 0};
    const size_t capacity = capacities[turn % 3];
    size_t count = 77, calls = 77;
    each.calls = 0;
    each.most = turn % 5 == 0 ? 2 : MOST + 1;
    kiln_kernel_force(kiln_kernel_runnable(turn % 2) != NULL ? kiln_kernel_runnable(turn % 2)
                                                             : NULL);
    kiln_kernel_force(turn % 4 == 3 ? NULL : kiln_kernel_runnable(turn % 2));
    rounding_enter(1 + (int)(turn % ROUNDING_MODES));
    const kiln_status all =
        kiln_near_pairs(a, pose_a, b, pose_b, distance, options, pairs, capacity, &count);
    const kiln_status one_by_one =
        kiln_near_pairs_each(a, pose_a, b, pose_b, distance, options, collect, &each, &calls);
    rounding_leave();
    kiln_kernel_force(NULL);
    assert_true(all == KILN_OK && one_by_one == KILN_OK);
    assert_int_equal(count, want_count);
    for (size_t i = 0; i < count && i < capacity; i++) {
        assert_true(pairs[i].a == want[i].a && pairs[i].b == want[i].b);
        assert_true(pairs[i].value_a == body_value(pairs[i].a) &&
                    pairs[i].value_b == body_value(pairs[i].b));
    }
    assert_true(calls == each.calls && calls == (each.most == 2 && count > 2 ? 2 : count));
    for (size_t i = 0; i < calls; i++) { /* each once, and one of them */
        bool found = false;
        for (size_t k = 0; k < want_count; k++) {
            found = found || (want[k].a == each.seen[i].a && want[k].b == each.seen[i].b);
        }
        for (size_t k = 0; k < i; k++) {
            found =
                found && !(each.seen[k].a == each.seen[i].a && each.seen[k].b == each.seen[i].b);
        }
        assert_true(found);
    }
}

typedef struct {
    size_t distances, found, exact; /* asked, pairs within, pairs held against fractions */
} near_tally;

static void check_pair(const body *a, const kiln_pose *pose_a, const body *b,
                       const kiln_pose *pose_b, double unit, uint64_t *state, uint32_t turn,
                       near_tally *tally)
{
    static double distances[MOST], errors[MOST];
    static kiln_pair want[MOST];
    const uint32_t as = a->mesh.triangle_count, bs = b->mesh.triangle_count;
    all_distances(a, pose_a, b, pose_b, turn % 3 == 0, distances, errors);
    tally->exact += turn % 3 == 0 ? as * bs : 0;
    tally->distances += DISTANCES;
    for (uint32_t d = 0; d < DISTANCES; d++) {
        const uint32_t of = random_below(state, as * bs);
        const double off[] = {0, 0x1p-52, -0x1p-52, 0x1p-44};
        const double distance = d == 0   ? 0
                                : d == 1 ? random_between(state, 0, 0.5 * unit)
                                         : distances[of] * (1 + off[random_below(state, 4)]);
        body_rule rule = {(turn + d) % 5 == 0 ? 2 : 1, 0, 0};
        kiln_pair_options options = kiln_pair_options_default();
        size_t count = 0;
        bool sure = false, may = false, within = false; /* for kiln_within, whose error counts */
        options.filter = rule.modulus > 1 ? body_pair_filter : NULL;
        options.filter_user = &rule;
        for (uint32_t i = 0; i < as * bs; i++) {
            const double error = distance > 0 ? errors[i] : 0;
            const bool keeps = body_keeps_pair(&rule, i / bs, i % bs);
            sure = sure || (keeps && distances[i] + error <= distance);
            may = may || (keeps && distances[i] - error <= distance);
            if (distances[i] <= distance && keeps) {
                const kiln_pair pair = {i / bs, i % bs, 0, 0};
                want[count++] = pair;
            }
        }
        tally->found += count;
        for (int i = 0; i < BODY_KINDS; i++) {
            const int j = (i + (int)turn + (int)d) % BODY_KINDS;
            check_trees(a->trees[i], pose_a, b->trees[j], pose_b, distance, want, count, &options,
                        turn + d + (uint32_t)i);
            kiln_hit hit; /* any of them: yes or no, alike, and the same for all kinds */
            assert_int_equal(
                kiln_within(a->trees[i], pose_a, b->trees[j], pose_b, distance, &options, &hit),
                KILN_OK);
            within = i == 0 ? hit.found : within;
            assert_true(hit.found == within && (hit.found || !sure) && (may || !hit.found));
        }
    }
}

static void move(kiln_pose *pose, double unit)
{
    for (int k = 0; k < 3; k++) {
        pose->translation[k] *= unit;
    }
}

static void run_pairs(bool lattice, uint64_t seed)
{
    uint64_t state = seed;
    near_tally tally = {0, 0, 0};
    const uint32_t pairs = amount(PAIRS);
    for (uint32_t i = 0; i < pairs; i++) {
        const double unit = i % 4 != 0 ? 1 : ldexp(1, (int)random_below(&state, 61) - 30);
        body a = body_of(any_mesh(&state, lattice, i % 3, unit), 1 + (int)random_below(&state, 15),
                         body_layout(i));
        body b = body_of(any_mesh(&state, lattice, i / 3 % 3, unit),
                         1 + (int)random_below(&state, 15), body_layout(i + 7));
        kiln_pose pose_a = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5);
        kiln_pose pose_b = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5);
        pose_a.scale = scale_random(&state, lattice);
        pose_b.scale = i % 2 == 0 ? pose_a.scale : scale_random(&state, lattice);
        if (i % 5 > 2) { /* one of them, or both, are perhaps no rotations */
            pose_a = affine_pose(&state, lattice ? AFFINE_LATTICE : AFFINE_MILD);
            pose_b = i % 5 == 3 ? affine_pose(&state, AFFINE_STRONG) : pose_b;
        }
        move(&pose_a, unit);
        move(&pose_b, unit);
        check_pair(&a, &pose_a, &b, &pose_b, unit, &state, i, &tally);
        if (i % 6 == 0) {
            check_pair(&a, &pose_a, &a, i % 12 == 0 ? &pose_a : &pose_b, unit, &state, i, &tally);
        }
        body_free(&a);
        body_free(&b);
    }
    print_message("%u pairs of meshes, %zu distances, %zu pairs of triangles within, %zu held "
                  "against fractions\n",
                  pairs, tally.distances, tally.found, tally.exact);
    assert_true(tally.found > pairs);
}

static void soups(void **state)
{
    (void)state;
    run_pairs(false, 71);
}

static void lattices(void **state)
{
    (void)state;
    run_pairs(true, 72);
}

static bool stop_at_once(void *user)
{
    (void)user;
    return true;
}

static void arguments(void **state)
{
    (void)state;
    body a = body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW);
    kiln_pose bad = kiln_pose_identity();
    kiln_pair_options options = kiln_pair_options_default();
    kiln_pair pairs[2];
    size_t count = 7;
    bad.scale = 0;
    for (int i = 0; i < BODY_KINDS; i++) {
        const kiln_tree *tree = a.trees[i];
        assert_int_equal(kiln_near_pairs(NULL, NULL, tree, NULL, 1, NULL, pairs, 2, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, NULL, NULL, NULL, 1, NULL, pairs, 2, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, -1, NULL, pairs, 2, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, NAN, NULL, pairs, 2, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, 1, NULL, NULL, 2, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, 1, NULL, pairs, 2, NULL),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs_each(tree, NULL, tree, NULL, 1, NULL, NULL, NULL, &count),
                         KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_near_pairs(tree, &bad, tree, NULL, 1, NULL, pairs, 2, &count),
                         KILN_ERROR_POSE);
        options.stop = stop_at_once;
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, 1, &options, pairs, 2, &count),
                         KILN_ERROR_STOPPED);
        assert_int_equal(count, 7);
        assert_int_equal(kiln_near_pairs(tree, NULL, tree, NULL, HUGE_VAL, NULL, NULL, 0, &count),
                         KILN_OK);
        assert_int_equal(count, 144);
        count = 7;
    }
    body_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arguments),
        cmocka_unit_test(soups),
        cmocka_unit_test(lattices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
