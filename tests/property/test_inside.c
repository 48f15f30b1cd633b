/* What is sampled: closed meshes (tori; unions of tetrahedra with corners at small integers, which
 * overlap, touch, enclose each other, are turned inside out or have no volume; the same with
 * triangles turned over, where only parity counts) and points: random ones, small integers (on
 * corners, edges, faces and in line with many of them) and points of triangles; at random and at
 * exact poses, in trees of every kind, leaf sizes 1 to 15, each instruction set in turn, under
 * other rounding modes and flush-to-zero. And meshes of several parts in such meshes.
 *
 * Oracle: a point on any triangle, by integers (oracle.c); else the triangles that a ray in a
 * random direction meets, by fractions (oracle_line.c), added up by their sides. Tolerance: none.
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
#include "oracle.h"
#include "oracle_line.h"
#include "oracle_place.h"

enum { MESHES = 600, POINTS = 20, KINDS = BODY_KINDS };

static void next_set(void)
{
    static unsigned turn;
    const kiln_kernel *kernel = kiln_kernel_runnable(turn++);
    if (kernel == NULL) {
        turn = 1;
        kernel = kiln_kernel_runnable(0);
    }
    kiln_kernel_force(kernel);
}

/* ------------------------------------------------------------------------------------ meshes -- */

static void turn_some(uint64_t *state, mesh *m)
{
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        if (random_below(state, 2) == 0) {
            const uint32_t first = m->indices[3 * i];
            m->indices[3 * i] = m->indices[3 * i + 1];
            m->indices[3 * i + 1] = first;
        }
    }
}

static mesh small_boxes(uint64_t *state, uint32_t count, double reach)
{
    mesh m = {malloc(24 * count * sizeof(float)), malloc(36 * count * sizeof(uint32_t)), 8 * count,
              12 * count};
    assert_true(m.positions != NULL && m.indices != NULL);
    for (uint32_t i = 0; i < count; i++) {
        float at[3];
        for (int k = 0; k < 3; k++) {
            at[k] = (float)random_between(state, -reach, reach);
        }
        const float half = (float)random_between(state, 0.001, 0.05);
        mesh box = mesh_box(at[0] - half, at[1] - half, at[2] - half, at[0] + half, at[1] + half,
                            at[2] + half);
        memcpy(m.positions + 24 * i, box.positions, 24 * sizeof(float));
        for (uint32_t k = 0; k < 36; k++) {
            m.indices[36 * i + k] = box.indices[k] + 8 * i;
        }
        mesh_free(&box);
    }
    return m;
}

/* ------------------------------------------------------------------------------------- truth -- */

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

static void any_point(uint64_t *state, const mesh *m, const kiln_pose *pose, int extent,
                      double out[3])
{
    double p[3];
    const uint32_t kind = random_below(state, 3),
                   corner = 3 * random_below(state, m->triangle_count);
    const double part = 0.25 * random_below(state, 5);
    for (uint32_t k = 0; k < 3; k++) {
        const double a = (double)m->positions[3 * m->indices[corner] + k];
        const double b = (double)m->positions[3 * m->indices[corner + 1] + k];
        p[k] = kind == 0   ? random_between(state, -extent, extent)
               : kind == 1 ? (double)((int)random_below(state, (uint32_t)(2 * extent + 1)) - extent)
                           : a + part * (b - a);
    }
    for (int k = 0; k < 3; k++) {
        const double *row = pose->rotation + 3 * k;
        out[k] =
            pose->scale * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) + pose->translation[k];
    }
}

static void check_points(uint64_t *state, body *b, bool exact, int extent, int mode,
                         size_t tally[3])
{
    const bool oriented = kiln_tree_get_info(b->trees[0]).closed == KILN_MESH_CLOSED;
    for (int i = 0; i < POINTS; i++) {
        kiln_pose pose = exact ? pose_exact(state, 3) : pose_random(state, 0.5);
        double p[3], own[3];
        pose.scale = scale_random(state, exact);
        any_point(state, &b->mesh, &pose, extent, p);
        carried(&pose, p, own);
        const kiln_place want = oracle_place(state, &b->mesh, NULL, oriented, own);
        for (int k = 0; k < KINDS; k++) {
            kiln_place place = KILN_PLACE_PARTED;
            next_set();
            rounding_enter(mode);
            const kiln_status status = kiln_locate_point(b->trees[k], &pose, p, &place);
            rounding_leave();
            assert_int_equal(status, KILN_OK);
            assert_int_equal(place, want);
        }
        tally[want]++;
    }
    kiln_kernel_force(NULL);
}

static void test_points(void **unused)
{
    (void)unused;
    uint64_t state = 41;
    size_t tally[3] = {0, 0, 0};
    for (uint32_t i = 0; i < amount(MESHES); i++) {
        const int extent = 1 + (int)random_below(&state, 4);
        const bool torus = i % 8 == 0;
        mesh m = torus ? mesh_torus(8 + random_below(&state, 8), 6, 0.3)
                       : mesh_tetrahedra(&state, 1 + random_below(&state, 8), extent);
        if (i % 3 == 0) {
            turn_some(&state, &m);
        }
        body b = body_of(m, 1 + (int)random_below(&state, 15), body_layout(i));
        assert_true(kiln_tree_get_info(b.trees[0]).closed != KILN_MESH_OPEN);
        check_points(&state, &b, !torus && i % 4 != 0, torus ? 1 : extent,
                     1 + (int)(i % ROUNDING_MODES), tally);
        body_free(&b);
    }
    print_message("%zu points outside, %zu inside, %zu on the surface, 0 differences\n", tally[0],
                  tally[1], tally[2]);
    const size_t some = amount(MESHES) * 5 / 6;
    assert_true(tally[0] > some && tally[1] > some && tally[2] > some);
}

static kiln_place mesh_place(uint64_t *state, const body *a, const kiln_pose *pose_a, const body *b,
                             const kiln_pose *pose_b)
{
    const bool oriented = kiln_tree_get_info(a->trees[0]).closed == KILN_MESH_CLOSED;
    brute_affine carry;
    size_t contacts;
    const bool b_stays = brute_place(a->trees[0], pose_a, b->trees[0], pose_b, &carry);
    free(
        brute_pairs(&a->mesh, a->trees[0], pose_a, &b->mesh, b->trees[0], pose_b, true, &contacts));
    if (contacts > 0) {
        return KILN_PLACE_SURFACE;
    }
    bool inside = false, outside = false;
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        double corners[9];
        brute_corners(&b->mesh, i, b_stays ? NULL : &carry, corners);
        const kiln_place place =
            oracle_place(state, &a->mesh, b_stays ? &carry : NULL, oriented, corners);
        inside = inside || place == KILN_PLACE_INSIDE;
        outside = outside || place == KILN_PLACE_OUTSIDE;
    }
    return inside ? (outside ? KILN_PLACE_PARTED : KILN_PLACE_INSIDE) : KILN_PLACE_OUTSIDE;
}

static void test_meshes(void **unused)
{
    (void)unused;
    uint64_t state = 42;
    size_t tally[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < amount(MESHES) / 3; i++) {
        mesh outer = i % 3 == 0   ? mesh_torus(10, 8, 0.1)
                     : i % 3 == 1 ? mesh_box(-1, -1, -1, 1, 1, 1)
                                  : mesh_tetrahedra(&state, 3, 2);
        body a = body_of(outer, 1 + (int)random_below(&state, 6), KILN_LAYOUT_RAW);
        body b = body_of(small_boxes(&state, 1 + random_below(&state, 4), 0.3), 2, KILN_LAYOUT_RAW);
        for (int n = 0; n < 4; n++) {
            kiln_pose pose_a = pose_random(&state, 3), pose_b = pose_random(&state, 0);
            pose_a.scale = scale_random(&state, false);
            pose_b.scale = pose_a.scale * (n % 2 == 0 ? 1 : random_between(&state, 0.5, 1.5));
            for (int k = 0; k < 3; k++) { /* near A, or in the middle of the tube of a torus */
                pose_b.translation[k] = pose_a.translation[k] +
                                        pose_a.scale * (i % 3 == 0 ? pose_a.rotation[3 * k]
                                                                   : random_between(&state, -1, 1));
            }
            const kiln_place want = mesh_place(&state, &a, &pose_a, &b, &pose_b);
            for (int k = 0; k < KINDS * KINDS; k++) {
                kiln_place place = (kiln_place)77;
                next_set();
                rounding_enter(1 + (int)(i % ROUNDING_MODES));
                const kiln_status status = kiln_locate_mesh(a.trees[k / KINDS], &pose_a,
                                                            b.trees[k % KINDS], &pose_b, &place);
                rounding_leave();
                assert_int_equal(status, KILN_OK);
                assert_int_equal(place, want);
            }
            tally[want]++;
        }
        body_free(&a);
        body_free(&b);
    }
    kiln_kernel_force(NULL);
    print_message("%zu meshes outside, %zu inside, %zu touching, %zu parted, 0 differences\n",
                  tally[0], tally[1], tally[2], tally[3]);
    const size_t some = amount(MESHES) / 60;
    assert_true(tally[0] > some && tally[1] > some && tally[2] > some && tally[3] > some);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
