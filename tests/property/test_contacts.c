/* What is sampled: pairs of triangles that meet: generic, on small grids as they are and turned
 * (in which touching, coplanar and degenerate pairs abound), nearly coplanar, sharing corners
 * and edges, slivers, and of sizes from 10^-30 to 10^30; and whole meshes at random poses.
 *
 * Oracle: near_oracle.c for points (rational numbers), oracle.c for whether triangles meet after
 * they were moved; kiln_contacts for the pairs of meshes, with trees of every kind and in both
 * orders. Tolerance: points within 2^-40 of the size from both triangles and in the boxes of
 * both exactly; a movement by depth and 2^-30 of the size parts them; less by as much and by
 * 2^-19 of itself, along this or a random direction, does not.
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

#include "../../runtime/query/query.h"
#include "../support/amount.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"
#include "near_oracle.h"
#include "oracle.h"
#include "triangle_samples.h"

enum { PAIRS = 3000, KINDS = 4 };

static uint64_t state = 61;

static double between(double low, double high)
{
    return random_between(&state, low, high);
}

static void generic(sample *s)
{
    for (int i = 0; i < 9; i++) {
        s->a[i] = between(-1, 1);
        s->b[i] = between(-1, 1);
    }
}

static void grid(sample *s)
{
    sample_grid(&state, s);
}

static void turned_grid(sample *s)
{
    sample_turned_grid(&state, s);
}

static void flat_grid(sample *s)
{
    grid(s);
    for (int c = 0; c < 3; c++) {
        s->a[3 * c + 2] = s->b[3 * c + 2] = 1;
    }
}

static void nearly_coplanar(sample *s)
{
    const double off = pow(10, -between(1, 17));
    flat_grid(s);
    for (int c = 0; c < 3; c++) {
        s->b[3 * c + 2] += off * between(-1, 1);
    }
    if (random_below(&state, 2) == 0) {
        sample_turn(&state, s);
    }
}

/* A corner, an edge, or all in common. */
static void shared(sample *s)
{
    generic(s);
    memcpy(s->b, s->a + 3, 3 * (1 + random_below(&state, 2)) * sizeof(double));
    if (random_below(&state, 4) == 0) {
        memcpy(s->b, s->a, sizeof s->a);
    }
}

static void slivers(sample *s)
{
    (random_below(&state, 2) == 0 ? generic : shared)(s);
    const double off = random_below(&state, 4) == 0 ? 0 : pow(10, -between(1, 20));
    double *t = random_below(&state, 2) == 0 ? s->a : s->b;
    const double along = between(-0.5, 1.5);
    for (int k = 0; k < 3; k++) {
        t[6 + k] = t[k] + along * (t[3 + k] - t[k]) + off * between(-1, 1);
    }
}

static void sizes(sample *s)
{
    const double size = pow(10, between(-30, 30));
    (random_below(&state, 2) == 0 ? generic : grid)(s);
    for (int i = 0; i < 9; i++) {
        s->a[i] *= size;
        s->b[i] *= size;
    }
}

static double size_of(const sample *s)
{
    double size = 0;
    for (int i = 0; i < 9; i++) {
        size = fmax(size, fmax(fabs(s->a[i]), fabs(s->b[i])));
    }
    return size;
}

static void expect_point(const double p[3], const double t[9], double room)
{
    double point[9];
    mpq_t squared;
    mpq_init(squared);
    for (int i = 0; i < 9; i++) {
        point[i] = p[i % 3];
        assert_true(isfinite(p[i % 3]));
    }
    near_oracle_squared(point, t, squared);
    assert_true(near_oracle_agrees(squared, 0, room));
    mpq_clear(squared);
    for (int k = 0; k < 3; k++) {
        assert_true(p[k] >= fmin(t[k], fmin(t[3 + k], t[6 + k])));
        assert_true(p[k] <= fmax(t[k], fmax(t[3 + k], t[6 + k])));
    }
}

/* Do they meet with A moved so far along `normal`? */
static bool meet_moved(const sample *s, const double normal[3], double by)
{
    double moved[9];
    for (int i = 0; i < 9; i++) {
        moved[i] = s->a[i] + by * normal[i % 3];
    }
    return oracle_triangles_meet(moved, s->b);
}

static void check(const sample *s)
{
    kiln_tri_contact found, swapped;
    kiln_triangles_contact(s->a, s->b, &found);
    kiln_triangles_contact(s->b, s->a, &swapped);
    const double size = size_of(s), room = 0x1p-30 * size;
    expect_point(found.from, s->a, 0x1p-40 * size);
    expect_point(found.from, s->b, 0x1p-40 * size);
    expect_point(found.to, s->a, 0x1p-40 * size);
    expect_point(found.to, s->b, 0x1p-40 * size);
    double length = 0;
    for (int k = 0; k < 3; k++) {
        length += found.normal[k] * found.normal[k];
    }
    assert_true(fabs(length - 1) < 1e-12);
    assert_true(found.depth >= 0 && found.depth <= 4 * size);
    assert_true(fabs(found.depth - swapped.depth) <= room);
    assert_false(meet_moved(s, found.normal, found.depth + room));
    if (found.depth > 4 * room) {
        const double less = found.depth * (1 - 0x1p-19) - room;
        assert_true(meet_moved(s, found.normal, less));
        for (int i = 0; i < 6; i++) { /* no shorter way out */
            const kiln_pose any = pose_random(&state, 0);
            const double way[3] = {any.rotation[0], any.rotation[3], any.rotation[6]};
            assert_true(meet_moved(s, way, less));
        }
    }
}

static void run(void (*make)(sample *), const char *name)
{
    const int pairs = (int)amount(PAIRS);
    int tried = 0;
    for (int i = 0; i < pairs; tried++) {
        sample s;
        make(&s);
        if (oracle_triangles_meet(s.a, s.b)) {
            check(&s);
            i++;
        }
    }
    print_message("%s: %d of %d pairs meet\n", name, pairs, tried);
}

#define CLASS_TEST(name)                                                                           \
    static void test_##name(void **unused)                                                         \
    {                                                                                              \
        (void)unused;                                                                              \
        run(name, #name);                                                                          \
    }

CLASS_TEST(generic)
CLASS_TEST(grid)
CLASS_TEST(turned_grid)
CLASS_TEST(flat_grid)
CLASS_TEST(nearly_coplanar)
CLASS_TEST(shared)
CLASS_TEST(slivers)
CLASS_TEST(sizes)

/* ---------------------------------------------------------------------------------- meshes -- */

static kiln_contact *ask(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                         const kiln_pose *pose_b, size_t capacity, int mode, size_t *count)
{
    kiln_contact *contacts = malloc((capacity + 1) * sizeof *contacts);
    assert_non_null(contacts);
    rounding_enter(mode);
    const kiln_status status =
        kiln_contacts_geometry(a, pose_a, b, pose_b, NULL, contacts, capacity, count);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    return contacts;
}

static void expect_swapped(const kiln_contact *one, const kiln_contact *others, size_t count)
{
    size_t i = 0;
    while (i < count && (others[i].pair.a != one->pair.b || others[i].pair.b != one->pair.a)) {
        i++;
    }
    assert_true(i < count);
    assert_memory_equal(one->from, others[i].from, sizeof one->from);
    assert_memory_equal(one->to, others[i].to, sizeof one->to);
    assert_true(one->depth == others[i].depth);
    for (int k = 0; k < 3; k++) {
        assert_true(one->normal[k] == -others[i].normal[k]);
    }
}

static void expect_summary(const kiln_tree *a, const kiln_pose *pose_a, const kiln_tree *b,
                           const kiln_pose *pose_b, const kiln_contact *contacts, size_t count)
{
    kiln_contacts_summary summary;
    assert_int_equal(kiln_contacts_summarise(a, pose_a, b, pose_b, NULL, &summary), KILN_OK);
    assert_int_equal(summary.count, count);
    size_t deepest = 0;
    for (size_t i = 0; i < count; i++) {
        deepest = contacts[i].depth > contacts[deepest].depth ? i : deepest;
        for (int k = 0; k < 3; k++) {
            assert_true(contacts[i].from[k] >= summary.lower[k]);
            assert_true(contacts[i].to[k] <= summary.upper[k]);
        }
    }
    if (count > 0) {
        assert_memory_equal(&summary.deepest, &contacts[deepest], sizeof summary.deepest);
    }
}

static void test_meshes(void **unused)
{
    (void)unused;
    mesh m = mesh_torus(12, 9, 0.3), n = mesh_lattice(&state, 40, 3);
    void *bytes_m, *bytes_n;
    kiln_file *file_m = quick_open(&m, QUICK_ALL_KINDS, 4, KILN_LAYOUT_RAW, &bytes_m);
    kiln_file *file_n = quick_open(&n, QUICK_ALL_KINDS, 2, KILN_LAYOUT_RAW, &bytes_n);
    size_t all = 0;
    for (int i = 0; i < 60; i++) {
        const kiln_pose pose_a = i % 3 == 0 ? pose_exact(&state, 1) : pose_random(&state, 0.5);
        const kiln_pose pose_b = i % 3 == 0 ? pose_exact(&state, 1) : pose_random(&state, 0.5);
        kiln_file *file_b = i % 2 == 0 ? file_n : file_m;
        const kiln_tree *a = kiln_file_tree(file_m, 0), *b = kiln_file_tree(file_b, 0);
        size_t count, first;
        assert_int_equal(kiln_contacts(a, &pose_a, b, &pose_b, NULL, NULL, 0, &count), KILN_OK);
        kiln_pair *pairs = malloc((count + 1) * sizeof *pairs);
        assert_int_equal(kiln_contacts(a, &pose_a, b, &pose_b, NULL, pairs, count, &count),
                         KILN_OK);
        kiln_contact *want = ask(a, &pose_a, b, &pose_b, count, 0, &first);
        assert_int_equal(first, count);
        for (size_t k = 0; k < count; k++) {
            assert_true(want[k].pair.a == pairs[k].a && want[k].pair.b == pairs[k].b);
        }
        for (int kind = 0; kind < KINDS; kind++) {
            const kiln_tree *p = kiln_file_tree(file_m, (uint32_t)kind);
            const kiln_tree *q = kiln_file_tree(file_b, (uint32_t)(kind + i) % KINDS);
            size_t found;
            kiln_contact *same = ask(p, &pose_a, q, &pose_b, count, 1 + i % ROUNDING_MODES, &found);
            assert_int_equal(found, count);
            assert_memory_equal(same, want, count * sizeof *want);
            kiln_contact *other = ask(q, &pose_b, p, &pose_a, count, 0, &found);
            for (size_t k = 0; k < count; k++) {
                expect_swapped(&want[k], other, count);
            }
            kiln_contact *some = ask(p, &pose_a, q, &pose_b, 3, 0, &found);
            assert_int_equal(found, count);
            assert_memory_equal(some, want, (count < 3 ? count : 3) * sizeof *want);
            expect_summary(p, &pose_a, q, &pose_b, want, count);
            free(same);
            free(other);
            free(some);
        }
        all += count;
        free(want);
        free(pairs);
    }
    assert_true(all > 1000);
    kiln_close(file_m);
    kiln_close(file_n);
    free(bytes_m);
    free(bytes_n);
    mesh_free(&m);
    mesh_free(&n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generic),         cmocka_unit_test(test_grid),
        cmocka_unit_test(test_turned_grid),     cmocka_unit_test(test_flat_grid),
        cmocka_unit_test(test_nearly_coplanar), cmocka_unit_test(test_shared),
        cmocka_unit_test(test_slivers),         cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
