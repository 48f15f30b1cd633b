/* What is sampled: closed meshes (tori, boxes, unions of tetrahedra, procedural models), the same
 * with triangles cut away, soups and lattices, in units from 2^-30 to 2^30, some far from the
 * origin; points at random near and far, on corners, edges, their extensions and faces, and beside
 * them by any distance down to the last bit; at the identity and at poses, in trees of every kind,
 * leaf sizes 1 to 15, each instruction set in turn, under other rounding modes; accuracies from 10
 * down to 0. And small triangles that face a point, for which the bound is nearly reached.
 *
 * Oracle: the sum in numbers of hundreds of bits (oracle_winding.c). Tolerance: the error that the
 * answer itself states. What lies on a triangle is decided by integers (oracle.c), and the integers
 * of closed meshes are those nearest to the sum.
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
#include "../../runtime/kiln_winding.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/rounding.h"
#include "oracle.h"
#include "oracle_winding.h"

enum { MESHES = 60, POINTS = 14, KINDS = BODY_KINDS };

static const double accuracies[] = {10, 0.1, 0.01, 1e-4, 1e-7, 1e-12, 0};
enum { ACCURACIES = sizeof accuracies / sizeof accuracies[0] };

static void set_number(unsigned turn)
{
    const kiln_kernel *kernel = kiln_kernel_runnable(turn % 3);
    kiln_kernel_force(kernel != NULL ? kernel : kiln_kernel_runnable(0));
}

/* ------------------------------------------------------------------------------------ meshes -- */

static mesh any_mesh(uint64_t *state, bool *closed)
{
    static const char *const names[] = {"knot", "pipes", "lock", "car"};
    const uint32_t kind = random_below(state, 8);
    *closed = kind < 4;
    switch (kind) {
    case 0:
        return mesh_torus(3 + random_below(state, 10), 3 + random_below(state, 6), 0.3);
    case 1:
        return mesh_box(-1, -0.5f, -2, 1, 0.5f, 2);
    case 2:
        return mesh_tetrahedra(state, 1 + random_below(state, 12), 3);
    case 3:
        return mesh_tetrahedra(state, 1 + random_below(state, 4), 1);
    case 4:
        return mesh_of_shape(names[random_below(state, 4)], 60);
    case 5:
        return mesh_torus(6 + random_below(state, 10), 4 + random_below(state, 6), 0.1);
    case 6:
        return mesh_soup(state, 1 + random_below(state, 100), random_between(state, 0.01, 1));
    default:
        return mesh_lattice(state, 1 + random_below(state, 60), 2);
    }
}

/* Leaves out some of the triangles, at random or all of one end. */
static void cut(uint64_t *state, mesh *m)
{
    const bool end = random_below(state, 2) == 0;
    const uint32_t of = 2 + random_below(state, 10), count = m->triangle_count;
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (end ? i > count / of : random_below(state, of) != 0) {
            memmove(m->indices + 3 * left++, m->indices + 3 * i, 3 * sizeof(uint32_t));
        }
    }
    m->triangle_count = left > 0 ? left : 1;
}

/* In another unit, and perhaps far from the origin: coordinates then have few bits for it. */
static double move(uint64_t *state, mesh *m)
{
    const double unit = ldexp(1, (int)random_below(state, 61) - 30);
    const bool away = random_below(state, 4) == 0;
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        const double shift = away ? 100.0 * (i % 3 + 1) : 0;
        m->positions[i] = (float)(((double)m->positions[i] + shift) * unit);
    }
    return unit;
}

/* As they are stored; or where a pose takes them, turned back where it mirrors. */
static double *corners_of(const mesh *m, const brute_affine *carry, bool mirrors)
{
    double *corners = malloc(9 * (size_t)m->triangle_count * sizeof *corners);
    assert_non_null(corners);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        double *t = corners + 9 * (size_t)i, first[3];
        brute_corners(m, i, carry, t);
        if (mirrors) {
            memcpy(first, t, sizeof first);
            memcpy(t, t + 3, sizeof first);
            memcpy(t + 3, first, sizeof first);
        }
    }
    return corners;
}

/* ------------------------------------------------------------------------------------ points -- */

static void any_point(uint64_t *state, const double *corners, uint32_t count, double unit,
                      double p[3])
{
    const double *t = corners + 9 * (size_t)random_below(state, count);
    const uint32_t kind = random_below(state, 8);
    double part[2] = {0.25 * random_below(state, 5), 0.125 * random_below(state, 6)};
    if (kind == 3) { /* on an edge's extension */
        part[0] = 2 + random_below(state, 5);
    }
    part[1] = kind == 4 || kind == 5 ? part[1] : 0;
    part[0] = kind == 1 ? 0 : part[0] * (1 - part[1]);
    const double off =
        unit * ldexp(random_between(state, -1, 1), -(int)random_below(state, kind == 5 ? 20 : 60));
    for (int k = 0; k < 3; k++) {
        const double a = t[k], b = t[3 + k], c = t[6 + k];
        p[k] = a + part[0] * (b - a) + part[1] * (c - a);
        p[k] += kind >= 5 ? off * random_between(state, -1, 1) : 0;
        p[k] = kind == 0 ? a + unit * random_between(state, -2, 2) : p[k];
    }
    if (kind == 7 && random_below(state, 4) == 0) { /* far away */
        const double far = ldexp(unit, (int)random_below(state, 150));
        for (int k = 0; k < 3; k++) {
            p[k] = far * random_between(state, -1, 1);
        }
    }
}

static bool is_on(const double *corners, uint32_t count, const double p[3])
{
    const double here[9] = {p[0], p[1], p[2], p[0], p[1], p[2], p[0], p[1], p[2]};
    bool on = false;
    for (uint32_t i = 0; i < count && !on; i++) {
        double t[9];
        for (int k = 0; k < 9; k++) {
            t[k] = corners[9 * (size_t)i + (unsigned)k];
        }
        on = oracle_triangles_meet(t, here);
    }
    return on;
}

/* In the tree's own frame, as kiln.h says. */
static void carried(const kiln_pose *pose, const double p[3], double out[3])
{
    double r[3][3], c[3][3];
    memcpy(r, pose->rotation, sizeof r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[i][j] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
        }
    }
    const double det = r[0][0] * c[0][0] + r[0][1] * c[0][1] + r[0][2] * c[0][2];
    const double from[3] = {p[0] - pose->translation[0], p[1] - pose->translation[1],
                            p[2] - pose->translation[2]};
    for (int i = 0; i < 3; i++) {
        out[i] = (c[0][i] / det * from[0] + c[1][i] / det * from[1] + c[2][i] / det * from[2]) /
                 pose->scale;
    }
}

/* ------------------------------------------------------------------------------------- tests -- */

typedef struct {
    body body;
    void *memory[KINDS];
    kiln_winding *winding[KINDS];
} wound;

static void wind(wound *w, mesh m, int leaf, uint32_t turn)
{
    w->body = body_of(m, leaf, body_layout(turn));
    for (int k = 0; k < KINDS; k++) {
        const size_t size = kiln_winding_size(w->body.trees[k]);
        w->memory[k] = malloc(size);
        assert_non_null(w->memory[k]);
        assert_int_equal(kiln_winding_place(w->memory[k], size, w->body.trees[k], &w->winding[k]),
                         KILN_OK);
    }
}

static void unwind(wound *w)
{
    for (int k = 0; k < KINDS; k++) {
        free(w->memory[k]);
    }
    body_free(&w->body);
}

typedef struct {
    size_t answers, surface, decided, undecided;
    double most;  /* of what numbers were off by, as a part of the error */
    size_t rough; /* errors that are far from the accuracy: nearer to edges than doubles tell */
    bool affine;
} winding_tally;

/* The oracle holds the number that is wanted. */
static void check_answers(const wound *w, const kiln_pose *pose, const double p[3], bool on,
                          uint32_t turn, winding_tally *tally)
{
    kiln_winding_options options = kiln_winding_options_default();
    const bool closed = kiln_tree_get_info(w->body.trees[0]).closed == KILN_MESH_CLOSED;
    for (uint32_t k = 0; k < KINDS; k++) {
        kiln_winding_answer answer, same;
        options.count_closed = false;
        options.decide = turn % 3 == 0;
        options.threshold = turn % 2 == 0 ? 0.5 : 0.25;
        options.accuracy = accuracies[(turn + k) % ACCURACIES];
        set_number(turn + k);
        rounding_enter(1 + (int)(turn % ROUNDING_MODES));
        assert_int_equal(kiln_winding_number(w->winding[k], pose, p, &options, &answer), KILN_OK);
        set_number(turn + k + 1);
        assert_int_equal(kiln_winding_number(w->winding[k], pose, p, &options, &same), KILN_OK);
        rounding_leave();
        const double off = oracle_winding_off(answer.number);
        if (!(off <= answer.error && answer.error < 1e6)) {
            print_error("kind %u, accuracy %g: %.17g instead of %.17g, off by %g, error %g\n", k,
                        options.accuracy, answer.number, oracle_winding_number(), off,
                        answer.error);
        }
        assert_true(off <= answer.error && answer.error < 1e6);
        assert_memory_equal(&answer.number, &same.number, sizeof answer.number);
        assert_memory_equal(&answer.error, &same.error, sizeof answer.error);
        assert_int_equal(answer.surface, on);
        assert_false(answer.exact);
        if (options.decide) {
            const double number = oracle_winding_number();
            assert_true(answer.side != KILN_WINDING_ABOVE || number > options.threshold);
            assert_true(answer.side != KILN_WINDING_NOT_ABOVE || number <= options.threshold);
            tally->decided += answer.side != KILN_WINDING_UNDECIDED;
            tally->undecided += answer.side == KILN_WINDING_UNDECIDED;
        } else {
            assert_int_equal(answer.side, KILN_WINDING_UNDECIDED);
            const bool rough = answer.error > options.accuracy + 0x1p-20;
            tally->rough += rough;
            assert_true(!rough || tally->affine);
        }
        tally->most =
            answer.error > 0 && off / answer.error > tally->most ? off / answer.error : tally->most;
        tally->answers++;
        tally->surface += on;
        options.count_closed = true;
        assert_int_equal(kiln_winding_number(w->winding[k], pose, p, &options, &answer), KILN_OK);
        assert_int_equal(answer.exact, closed && !on);
        if (answer.exact) {
            assert_true(answer.number == floor(answer.number) && answer.error == 0);
            assert_true(oracle_winding_off(answer.number) < 1e-30);
            assert_true(!options.decide ||
                        (answer.side == KILN_WINDING_ABOVE) == (answer.number > options.threshold));
        }
    }
    kiln_kernel_force(NULL);
}

static void test_numbers(void **unused)
{
    (void)unused;
    uint64_t state = 51;
    winding_tally tally = {0, 0, 0, 0, 0, 0, false};
    size_t open = 0;
    for (uint32_t i = 0; i < amount(MESHES); i++) {
        bool closed;
        wound w;
        mesh m = any_mesh(&state, &closed);
        if (!closed || random_below(&state, 2) == 0) {
            cut(&state, &m);
        }
        const double unit = move(&state, &m);
        double *corners = corners_of(&m, NULL, false);
        const uint32_t count = m.triangle_count;
        wind(&w, m, 1 + (int)random_below(&state, 15), i);
        open += kiln_tree_get_info(w.body.trees[0]).closed != KILN_MESH_CLOSED;
        for (uint32_t n = 0; n < POINTS; n++) {
            kiln_pose pose = pose_random(&state, unit);
            pose.scale = scale_random(&state, false);
            double p[3], own[3];
            any_point(&state, corners, count, unit, p);
            memcpy(own, p, sizeof own);
            if (n % 4 == 0) { /* somewhere about it */
                for (int k = 0; k < 3; k++) {
                    p[k] = pose.scale * p[k] + pose.translation[k];
                }
                carried(&pose, p, own);
            }
            oracle_winding_set(corners, count, own);
            check_answers(&w, n % 4 == 0 ? &pose : NULL, p, is_on(corners, count, own),
                          i * POINTS + n, &tally);
        }
        unwind(&w);
        free(corners);
    }
    print_message("%zu answers, %zu of them on the surface, %zu meshes of %u open, %zu decided and "
                  "%zu not, at most %.3f of the error, 0 beyond\n",
                  tally.answers, tally.surface, open, (unsigned)amount(MESHES), tally.decided,
                  tally.undecided, tally.most);
    assert_true(is_shortened() || (tally.surface > 100 && tally.decided > 100 && open >= 25));
}

static void test_affine_poses(void **unused)
{
    (void)unused;
    uint64_t state = 52;
    winding_tally tally = {0, 0, 0, 0, 0, 0, true};
    for (uint32_t i = 0; i < amount(MESHES / 3); i++) {
        const affine_mix how = (affine_mix)(i % AFFINE_MIXES);
        bool closed;
        wound w;
        mesh m = any_mesh(&state, &closed);
        if (i % 3 == 0) {
            cut(&state, &m);
        }
        wind(&w, m, 1 + (int)random_below(&state, 15), i);
        for (uint32_t n = 0; n < 6; n++) {
            kiln_pose pose = affine_pose(&state, how);
            while (!affine_is_served(&pose)) {
                pose = affine_pose(&state, how);
            }
            const brute_affine carry = affine_carry(&pose, &pose);
            double *corners =
                corners_of(&w.body.mesh, &carry, affine_determinant(pose.rotation) < 0);
            double p[3], own[3];
            any_point(&state, corners, w.body.mesh.triangle_count, pose.scale, own);
            for (int k = 0; k < 3; k++) {
                pose.translation[k] = n % 3 == 0 ? 0 : pose.translation[k];
                p[k] = own[k] + pose.translation[k];
                own[k] = p[k] - pose.translation[k];
            }
            oracle_winding_set(corners, w.body.mesh.triangle_count, own);
            check_answers(&w, &pose, p, is_on(corners, w.body.mesh.triangle_count, own), 6 * i + n,
                          &tally);
            free(corners);
        }
        unwind(&w);
    }
    print_message("%zu answers, %zu of them on the surface, %zu decided and %zu not, at most %.3f "
                  "of the error, 0 beyond; %zu errors far from the accuracy\n",
                  tally.answers, tally.surface, tally.decided, tally.undecided, tally.most,
                  tally.rough);
    assert_true(tally.rough <= tally.answers / 500);
    assert_true(is_shortened() || (tally.surface > 10 && tally.decided > 10));
}

/* Small triangles that face the point, of which one is far from the centre: the terms that are left
 * out all have one sign, and come near their bound. Without the bound's second factor, or with a
 * shorter radius, it would be exceeded. */
static void test_sharp_bound(void **unused)
{
    (void)unused;
    uint64_t state = 52;
    double most = 0;
    for (uint32_t i = 0; i < 10 * amount(MESHES); i++) {
        const double far = random_between(&state, 0.01, 0.7), size = ldexp(1, -12);
        const double light = ldexp(1, -2 - (int)random_below(&state, 4));
        double corners[36];
        /* Four, since a leaf of one sees nothing but itself. */
        for (uint32_t t = 0; t < 4; t++) {
            const double s = size * (t == 0 ? light : 1);
            const double at[9] = {-s, -s, 0, s, -s, 0, 0, s, 0};
            for (int k = 0; k < 9; k++) {
                corners[9 * t + (uint32_t)k] =
                    (float)(at[k] + (k % 3 == 2 ? (t == 0 ? far : 0) : 0));
            }
        }
        mesh m = {malloc(36 * sizeof(float)), malloc(12 * sizeof(uint32_t)), 12, 4};
        assert_true(m.positions != NULL && m.indices != NULL);
        for (uint32_t k = 0; k < 36; k++) {
            m.positions[k] = (float)corners[k];
        }
        for (uint32_t k = 0; k < 12; k++) {
            m.indices[k] = k;
        }
        wound w;
        wind(&w, m, 15, i);
        kiln_winding_options options = kiln_winding_options_default();
        options.accuracy = 1e9;
        const double p[3] = {0, 0, random_below(&state, 2) == 0 ? 1 : -1};
        oracle_winding_set(corners, 4, p);
        for (int k = 0; k < KINDS; k++) {
            kiln_winding_answer answer;
            assert_int_equal(kiln_winding_number(w.winding[k], NULL, p, &options, &answer),
                             KILN_OK);
            const double off = oracle_winding_off(answer.number);
            assert_true(off <= answer.error);
            most = off / answer.error > most ? off / answer.error : most;
        }
        unwind(&w);
    }
    print_message("at most %.3f of the error\n", most);
    assert_true(most > 0.9);
}

/* Four triangles at random, one unit apart, and the same for oracles. */
static mesh scattered(uint64_t *state, double corners[36])
{
    mesh m = {malloc(36 * sizeof(float)), malloc(12 * sizeof(uint32_t)), 12, 4};
    assert_true(m.positions != NULL && m.indices != NULL);
    for (uint32_t k = 0; k < 36; k++) {
        m.positions[k] = (float)(random_between(state, -1, 1) + k / 9);
        corners[k] = m.positions[k];
    }
    for (uint32_t k = 0; k < 12; k++) {
        m.indices[k] = k;
    }
    return m;
}

static void check_scattered(const wound *w, const double corners[36], const double p[3],
                            double accuracy)
{
    kiln_winding_options options = kiln_winding_options_default();
    options.accuracy = accuracy;
    oracle_winding_set(corners, 4, p);
    for (int k = 0; k < KINDS; k++) {
        kiln_winding_answer answer;
        set_number((unsigned)k);
        assert_int_equal(kiln_winding_number(w->winding[k], NULL, p, &options, &answer), KILN_OK);
        assert_true(oracle_winding_off(answer.number) <= answer.error && answer.error < 1e-3);
    }
    kiln_kernel_force(NULL);
}

/* Points that are as near to a face as roundings let them be: the determinant says nothing of the
 * side, on which half a turn depends. And far away, where nothing is left but rounding. */
static void test_roundings(void **unused)
{
    (void)unused;
    uint64_t state = 53;
    for (uint32_t i = 0; i < 40; i++) {
        double corners[36], p[3];
        wound w;
        wind(&w, scattered(&state, corners), 1 + (int)(i % 15), i);
        for (uint32_t n = 0; n < 8; n++) {
            const double *t = corners + 9 * (n % 4);
            const double u = random_between(&state, 0.2, 0.4);
            const double v = random_between(&state, 0.2, 0.4);
            for (int k = 0; k < 3; k++) {
                p[k] = t[k] + u * (t[3 + k] - t[k]) + v * (t[6 + k] - t[k]);
            }
            check_scattered(&w, corners, p, 0);
        }
        for (uint32_t n = 0; n < 8; n++) {
            for (int k = 0; k < 3; k++) {
                p[k] = ldexp(random_between(&state, -1, 1), 16 + (int)random_below(&state, 40));
            }
            check_scattered(&w, corners, p, 1);
        }
        unwind(&w);
    }
}

/* Forty triangles that turn one side and the other to the point by turns, by nearly the same angle:
 * nothing is left of the sum but what the arc tangents and the additions were off by. `beside`: an
 * edge goes by the point, so that pairs of doubles are taken; else it is a little above all. */
static mesh balanced(uint64_t *state, bool beside, double corners[])
{
    enum { COUNT = 40 };
    mesh m = {malloc(9 * COUNT * sizeof(float)), malloc(3 * COUNT * sizeof(uint32_t)), 3 * COUNT,
              COUNT};
    assert_true(m.positions != NULL && m.indices != NULL);
    const double turn = random_between(state, 0, 6), above = random_between(state, 1, 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        const double off = ldexp(random_between(state, -1, 1), -16);
        const double height = ldexp(above + off, -20);
        const double flat[9] = {-3, -2, height, 4, -1 + off, height, 0.5, 5, height};
        const double edge[9] = {0x1p-30, -1, 0, 0x1p-30, 1, 0, cos(turn) + off, 0.3, sin(turn)};
        for (uint32_t k = 0; k < 9; k++) {
            const uint32_t corner = k / 3;
            const uint32_t turned = corner < 2 ? 3 * (1 - corner) + k % 3 : k;
            const uint32_t to = i % 2 == 0 ? k : turned;
            m.positions[9 * i + to] = (float)(beside ? edge[k] : flat[k]);
        }
        for (uint32_t k = 0; k < 9; k++) {
            corners[9 * i + k] = m.positions[9 * i + k];
        }
        for (uint32_t k = 3 * i; k < 3 * i + 3; k++) {
            m.indices[k] = k;
        }
    }
    return m;
}

static void test_sums_of_roundings(void **unused)
{
    (void)unused;
    uint64_t state = 54;
    const double p[3] = {0, 0, 0};
    kiln_winding_options options = kiln_winding_options_default();
    options.accuracy = 0;
    for (uint32_t i = 0; i < 20; i++) {
        static double corners[360];
        wound w;
        wind(&w, balanced(&state, i % 2 == 0, corners), 15, i);
        oracle_winding_set(corners, 40, p);
        for (int k = 0; k < KINDS; k++) {
            kiln_winding_answer answer;
            assert_int_equal(kiln_winding_number(w.winding[k], NULL, p, &options, &answer),
                             KILN_OK);
            assert_true(oracle_winding_off(answer.number) <= answer.error);
            assert_true(answer.error < 0x1p-40);
        }
        unwind(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),           cmocka_unit_test(test_affine_poses),
        cmocka_unit_test(test_sharp_bound),       cmocka_unit_test(test_roundings),
        cmocka_unit_test(test_sums_of_roundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
