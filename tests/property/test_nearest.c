/* What is sampled: points at soups, lattices of small integers (in which points at corners, on
 * edges and equally far from several triangles abound, equal triangles, and such without area),
 * slivers, tori; meshes of sizes from 2^-60 to 2^60, at random and at exact poses that scale from
 * 2^-30 to 2^30; trees of every kind, leaf sizes 1 to 15, each instruction set in turn, under
 * other rounding modes, with and without hints and filters.
 *
 * Oracle: every triangle by exact fractions (oracle_point.c), the point carried as kiln.h says,
 * written anew. Tolerance: none for the order of all triangles, their features and how many are
 * within a radius; distances within 2^-40 of themselves, weights within 2^-30.
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
#include "../../runtime/kiln_nearest.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/rounding.h"
#include "oracle_point.h"

enum { MESHES = 500, POINTS = 6, KINDS = BODY_KINDS, TRIANGLES_MAX = 400 };

/* ----------------------------------------------------------------------------------- samples -- */

static void corners_of(const mesh *m, uint32_t triangle, double out[9])
{
    for (uint32_t i = 0; i < 9; i++) {
        out[i] = (double)m->positions[3 * m->indices[3 * triangle + i / 3] + i % 3];
    }
}

static void to_world(const kiln_pose *pose, const double p[3], double out[3])
{
    for (int k = 0; k < 3; k++) {
        const double *row = pose->rotation + 3 * k;
        out[k] =
            pose->scale * (row[0] * p[0] + row[1] * p[1] + row[2] * p[2]) + pose->translation[k];
    }
}

/* On a triangle, or near one, or between two, or anywhere, or far away. */
static void any_point(uint64_t *state, const mesh *m, bool whole, double size, double out[3])
{
    double t[9], u[9], part[3] = {1, 0, 0};
    corners_of(m, random_below(state, m->triangle_count), t);
    corners_of(m, random_below(state, m->triangle_count), u);
    const uint32_t aim = random_below(state, 8);
    if (aim != 0) {
        part[1] = 0.25 * random_below(state, 5);
        part[2] = aim == 1 ? 0 : (1 - part[1]) * random_between(state, 0, 1);
        part[0] = 1 - part[1] - part[2];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = part[0] * t[k] + part[1] * t[3 + k] + part[2] * t[6 + k];
        if (aim == 3) {
            out[k] += size * random_between(state, -0.01, 0.01);
        } else if (aim == 4) {
            out[k] = (t[k] + u[k]) / 2;
        } else if (aim > 4) {
            out[k] = whole ? size * ((double)random_below(state, 13) - 6)
                           : size * random_between(state, -3, 3);
        }
        if (aim == 7) {
            out[k] *= ldexp(1, (int)random_below(state, 40));
        }
    }
}

static void carry_point(const kiln_pose *pose, const double point[3], double out[3])
{
    double r[3][3], cofactor[3][3], from[3];
    memcpy(r, pose->rotation, sizeof r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
        }
        from[i] = point[i] - pose->translation[i];
    }
    const double det =
        r[0][0] * cofactor[0][0] + r[0][1] * cofactor[0][1] + r[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; i++) {
        double row[3];
        for (int j = 0; j < 3; j++) {
            row[j] = cofactor[j][i] / det;
        }
        out[i] = (row[0] * from[0] + row[1] * from[1] + row[2] * from[2]) / pose->scale;
        out[i] = fabs(out[i]) < 0x1p-250 ? 0 : out[i];
    }
}

/* ------------------------------------------------------------------------------------- truth -- */

/* Triangles where distances are measured: as stored, or of affine poses where these take them. */
static struct {
    oracle_point of[TRIANGLES_MAX]; /* by triangle */
    double corners[TRIANGLES_MAX][9];
    uint32_t order[TRIANGLES_MAX], count;
    double own[3], scale; /* the point there, and a unit there in the world */
    bool affine;
    int grid;
    bool ready;
} truth;

static int by_distance(const void *p, const void *q)
{
    const uint32_t a = *(const uint32_t *)p, b = *(const uint32_t *)q;
    const int sign = oracle_point_compare(&truth.of[a], &truth.of[b]);
    return sign != 0 ? sign : a < b ? -1 : a > b;
}

static void place_truth(const body *b, const kiln_pose *pose, const double point[3])
{
    const brute_affine carry = affine_carry(pose, pose);
    truth.affine = affine_is_served(pose);
    truth.scale = truth.affine ? 1 : pose->scale;
    carry_point(pose, point, truth.own);
    for (int k = 0; k < 3 && truth.affine; k++) {
        const double own = point[k] - pose->translation[k];
        truth.own[k] = fabs(own) < 0x1p-250 ? 0 : own;
    }
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        double *t = truth.corners[i];
        brute_corners(&b->mesh, i, truth.affine ? &carry : NULL, t);
        for (int k = 0; k < 9; k++) {
            if (fabs(t[k]) < 0x1p-90) { /* else it is a multiple of 2^-149 */
                t[k] = ldexp(nearbyint(ldexp(t[k], 149)), -149);
            }
        }
    }
}

static void find_truth(const body *b, const kiln_pose *pose, const double point[3], double radius,
                       const body_rule *rule)
{
    truth.count = 0;
    for (int i = 0; i < TRIANGLES_MAX && !truth.ready; i++) {
        oracle_point_init(&truth.of[i]);
    }
    truth.ready = true;
    place_truth(b, pose, point);
    radius /= truth.scale;
    truth.grid = oracle_grid(&radius, 1, oracle_grid(truth.own, 3, 0));
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        truth.grid = oracle_grid(truth.corners[i], 9, truth.grid);
    }
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        if (body_keeps(rule, i)) {
            oracle_point_measure(truth.own, truth.corners[i], truth.grid, &truth.of[i]);
            truth.order[truth.count++] = i;
        }
    }
    qsort(truth.order, truth.count, sizeof truth.order[0], by_distance);
}

/* The normal of the feature by all triangles that have it in the file, in plain doubles; its length
 * before it was made a unit. */
static double plain_normal(const mesh *m, const kiln_surface_point *of, double out[3])
{
    double t[9], u[9], length = 0;
    corners_of(m, of->triangle, t);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t i = 0; i < m->triangle_count; i++) {
        corners_of(m, i, u);
        for (int c = 0; c < 3; c++) {
            const double *a = u + 3 * c, *p = u + 3 * ((c + 1) % 3), *q = u + 3 * ((c + 2) % 3);
            const double *at_a = truth.corners[i] + 3 * c;
            const double *at_p = truth.corners[i] + 3 * ((c + 1) % 3);
            const double *at_q = truth.corners[i] + 3 * ((c + 2) % 3);
            double e[3], f[3], n[3], ee = 0, ff = 0, ef = 0, nn = 0, most = 0;
            for (int k = 0; k < 3; k++) {
                e[k] = at_p[k] - at_a[k];
                f[k] = at_q[k] - at_a[k];
                most = fmax(most, fmax(fabs(e[k]), fabs(f[k])));
            }
            for (int k = 0; k < 3; k++) {
                e[k] /= most;
                f[k] /= most;
                ee += e[k] * e[k];
                ff += f[k] * f[k];
                ef += e[k] * f[k];
            }
            for (int k = 0; k < 3; k++) {
                const int x = (k + 1) % 3, y = (k + 2) % 3;
                n[k] = e[x] * f[y] - e[y] * f[x];
                nn += n[k] * n[k];
            }
            const double *first = t + 3 * ((of->part + 1) % 3),
                         *second = t + 3 * ((of->part + 2) % 3);
            const double *corner = t + 3 * of->part;
            const bool face = of->feature == KILN_FEATURE_FACE && i == of->triangle && c == 0;
            const bool edge = of->feature == KILN_FEATURE_EDGE && a[0] == first[0] &&
                              a[1] == first[1] && a[2] == first[2] &&
                              ((p[0] == second[0] && p[1] == second[1] && p[2] == second[2]) ||
                               (q[0] == second[0] && q[1] == second[1] && q[2] == second[2]));
            const bool at = of->feature == KILN_FEATURE_CORNER && a[0] == corner[0] &&
                            a[1] == corner[1] && a[2] == corner[2];
            if (!(nn > 1e-12 * ee * ff)) {
                if ((edge || at || face)) {
                    return 0; /* of a sliver doubles don't know it so well */
                }
                continue;
            }
            const double weight = at ? atan2(sqrt(nn), ef) : edge || face ? 1 : 0;
            for (int k = 0; k < 3; k++) {
                out[k] += weight * n[k] / sqrt(nn);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        length += out[k] * out[k];
    }
    return sqrt(length);
}

static void check_surface(const body *b, const kiln_pose *pose, const kiln_surface_point *got,
                          uint32_t id)
{
    const oracle_point *want = &truth.of[id];
    double normal[3], turned[3], squared = 0, corners[9], at[3], world[3], off = 0, size = 0;
    assert_true(got->found);
    assert_int_equal(got->triangle, id);
    assert_int_equal(got->value, body_value(id));
    assert_int_equal(got->feature, want->kind);
    assert_int_equal(got->part, want->part);
    assert_true(oracle_point_is(want, got->distance / truth.scale, truth.grid, 0x1p-40));
    memcpy(corners, truth.corners[id], sizeof corners);
    for (int k = 0; k < 3; k++) {
        assert_true(got->weights[k] >= 0 && got->weights[k] <= 1);
        assert_true(fabs(got->weights[k] - want->weights[k]) <= 0x1p-30);
        assert_true(want->weights[k] != 0 || got->weights[k] == 0);
        at[k] = want->weights[0] * corners[k] + want->weights[1] * corners[3 + k] +
                want->weights[2] * corners[6 + k];
        squared += got->normal[k] * got->normal[k];
    }
    kiln_pose way = *pose;
    if (truth.affine) {
        way = kiln_pose_identity();
        memcpy(way.translation, pose->translation, sizeof way.translation);
    }
    to_world(&way, at, world);
    for (int k = 0; k < 3; k++) {
        off = fmax(off, fabs(got->point[k] - world[k]));
        size += fabs(world[k]) + fabs(way.translation[k]);
        size += way.scale * (fabs(corners[k]) + fabs(corners[3 + k]) + fabs(corners[6 + k]));
    }
    assert_true(off <= 0x1p-28 * size);
    assert_true(squared == 0 || fabs(squared - 1) < 1e-5);
    if (plain_normal(&b->mesh, got, normal) > 1e-3) {
        for (int k = 0; k < 3; k++) {
            const double *row = way.rotation + 3 * k;
            turned[k] = row[0] * normal[0] + row[1] * normal[1] + row[2] * normal[2];
        }
        const double length =
            sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(turned[k] / length - got->normal[k]) < 1e-4);
        }
    }
}

/* ------------------------------------------------------------------------------------ checks -- */

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

/* All but the hint, whose place is the last. */
static void assert_same(const kiln_surface_point *a, const kiln_surface_point *b)
{
    assert_memory_equal(a, b, offsetof(kiln_surface_point, hint));
}

typedef struct {
    const kiln_surface_point *all; /* in order */
    size_t count, seen;
    bool met[TRIANGLES_MAX];
} each_near;

static bool see_near(void *user, const kiln_surface_point *found)
{
    each_near *each = user;
    size_t place = 0;
    while (place < each->count && each->all[place].triangle != found->triangle) {
        place++;
    }
    assert_true(place < each->count && !each->met[found->triangle]);
    assert_same(found, &each->all[place]);
    each->met[found->triangle] = true;
    each->seen++;
    return true;
}

/* Every kind gives what the first one gave, to the bit. */
static void check_kind(const kiln_tree *tree, const kiln_pose *pose, const double point[3],
                       double radius, const kiln_point_options *options,
                       const kiln_surface_point *all, size_t within, uint64_t *state, int mode)
{
    static kiln_surface_point some[TRIANGLES_MAX];
    kiln_surface_point nearest, limited;
    kiln_point_options hinted = *options;
    size_t count = 0, kept = 0, calls = 0;
    static each_near each;
    memset(&each, 0, sizeof each);
    each.all = all;
    each.count = within;
    const size_t most = random_below(state, (uint32_t)truth.count + 2);
    hinted.hint = random_below(state, 2) == 0 ? UINT32_MAX : random_below(state, 50);
    rounding_enter(mode);
    kiln_status status = kiln_nearest_point(tree, pose, point, &hinted, &nearest);
    hinted.beyond = radius;
    status |= kiln_nearest_point(tree, pose, point, &hinted, &limited);
    status |= kiln_nearest_several(tree, pose, point, most, options, some, &kept);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    assert_int_equal(nearest.found, truth.count > 0);
    if (truth.count > 0) {
        assert_same(&nearest, &all[0]);
    }
    assert_int_equal(limited.found, within > 0);
    if (within > 0) {
        assert_same(&limited, &all[0]);
    } else {
        assert_true(limited.distance == radius);
    }
    assert_int_equal(kept, most < truth.count ? most : truth.count);
    for (size_t i = 0; i < kept; i++) {
        assert_same(&some[i], &all[i]);
    }
    rounding_enter(mode);
    status = kiln_nearest_within(tree, pose, point, radius, options, some, most, &count);
    status |= kiln_nearest_within_each(tree, pose, point, radius, options, see_near, &each, &calls);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    assert_int_equal(count, within);
    assert_int_equal(calls, within);
    assert_int_equal(each.seen, within);
    for (size_t i = 0; i < most && i < within; i++) {
        assert_same(&some[i], &all[i]);
    }
}

static size_t check_point(const body *b, const kiln_pose *pose, const double point[3],
                          double radius, uint64_t *state, int mode)
{
    static uint32_t turn;
    static kiln_surface_point all[TRIANGLES_MAX];
    body_rule rule = {turn++ % 3 == 0 ? 2 : 1, 0, 0};
    kiln_point_options options = kiln_point_options_default();
    size_t count = 0, within = 0;
    options.filter = rule.modulus > 1 ? body_filter : NULL;
    options.filter_user = &rule;
    find_truth(b, pose, point, radius, &rule);
    const double own_radius = radius / truth.scale;
    next_set();
    assert_int_equal(kiln_nearest_several(b->trees[turn % KINDS], pose, point, TRIANGLES_MAX,
                                          &options, all, &count),
                     KILN_OK);
    assert_int_equal(count, truth.count);
    for (size_t i = 0; i < count; i++) {
        check_surface(b, pose, &all[i], truth.order[i]);
        within +=
            oracle_point_compare_radius(&truth.of[truth.order[i]], own_radius, truth.grid) <= 0;
    }
    for (int i = 0; i < KINDS; i++) {
        next_set();
        check_kind(b->trees[i], pose, point, radius, &options, all, within, state, mode);
    }
    kiln_kernel_force(NULL);
    size_t equal = 0;
    for (size_t i = 1; i < count; i++) {
        equal +=
            oracle_point_compare(&truth.of[truth.order[i - 1]], &truth.of[truth.order[i]]) == 0;
    }
    return equal;
}

/* Makes every third triangle long and thin, or a copy of another. */
static void spoil(uint64_t *state, mesh *m)
{
    for (uint32_t i = 0; i + 1 < m->triangle_count; i += 3) {
        uint32_t *t = m->indices + 3 * i;
        const uint32_t how = random_below(state, 4);
        if (how == 0) {
            memcpy(t, t + 3, 3 * sizeof *t);
        } else if (how == 1) {
            t[1] = t[0];
        } else {
            const float part = (float)random_between(state, 0, 1);
            for (uint32_t k = 0; k < 3; k++) {
                const float *a = m->positions + 3 * t[0], *c = m->positions + 3 * t[2];
                m->positions[3 * t[1] + k] = a[k] + part * (c[k] - a[k]);
            }
        }
    }
}

/* At rotations, or at the poses of affine.h. */
static kiln_pose some_pose(uint64_t *state, bool lattice, int affine, int turn)
{
    kiln_pose pose = lattice ? pose_exact(state, 5) : pose_random(state, 1.5);
    if (affine >= 0) {
        pose = affine_pose(state, (affine_mix)affine);
        const kiln_pose was = pose;
        pose.scale = ldexp(1, (int)random_below(state, 61) - 30);
        return turn % 3 == 0 && (affine_is_rotation(&pose) || affine_is_served(&pose)) ? pose : was;
    }
    pose.scale =
        turn % 3 == 0 ? ldexp(1, (int)random_below(state, 61) - 30) : scale_random(state, lattice);
    return pose;
}

static void run_class(bool lattice, bool spoilt, int affine, uint32_t meshes, uint64_t seed)
{
    uint64_t state = seed;
    size_t points = 0, equal = 0;
    for (uint32_t i = 0; i < amount(meshes); i++) {
        const int leaf = 1 + (int)random_below(&state, 15);
        const uint32_t n = 1 + random_below(&state, 30);
        const int extent = 1 + (int)random_below(&state, 5);
        const double factor = i % 4 != 0 ? 1 : ldexp(1, (int)random_below(&state, 120) - 60);
        mesh m = lattice ? mesh_lattice(&state, n, extent)
                         : mesh_soup(&state, n, random_between(&state, 0.02, 0.8));
        if (spoilt) {
            spoil(&state, &m);
        }
        for (uint32_t k = 0; k < 3 * m.vertex_count; k++) {
            m.positions[k] = (float)((double)m.positions[k] * factor);
        }
        body b = body_of(m, leaf, body_layout(i));
        for (int k = 0; k < POINTS; k++) {
            double own[3], point[3];
            kiln_pose pose = some_pose(&state, lattice, affine, k);
            for (int j = 0; j < 3; j++) {
                pose.translation[j] *= factor * pose.scale;
            }
            any_point(&state, &b.mesh, lattice, factor, own);
            to_world(&pose, own, point);
            const double radius =
                factor * pose.scale *
                (lattice ? (double)random_below(&state, 12) : random_between(&state, 0, 2));
            equal += check_point(&b, &pose, point, radius, &state, 1 + (int)(i % ROUNDING_MODES));
            points++;
        }
        body_free(&b);
    }
    print_message("%zu points, %zu equal distances, 0 differences\n", points, equal);
    assert_true(!lattice || equal > points / 4);
}

static void test_soups(void **state)
{
    (void)state;
    run_class(false, false, -1, MESHES / 4, 31);
}

static void test_lattices(void **state)
{
    (void)state;
    run_class(true, false, -1, MESHES / 2, 32);
}

static void test_slivers(void **state)
{
    (void)state;
    run_class(false, true, -1, MESHES / 4, 33);
}

static void test_affine_poses(void **state)
{
    (void)state;
    run_class(true, false, AFFINE_LATTICE, MESHES / 8, 34);
    run_class(false, false, AFFINE_MILD, MESHES / 16, 35);
    run_class(false, true, AFFINE_STRONG, MESHES / 16, 36);
    run_class(false, false, AFFINE_EXTREME, MESHES / 16, 37);
}

/* A point exactly where a corner is carried is on the surface: what the proof has for roundings is
 * needed where boxes have none, which are those of triangles that are points of a lattice. */
static void test_touching(void **unused)
{
    (void)unused;
    uint64_t state = 38;
    for (uint32_t i = 0; i < amount(30); i++) {
        kiln_pose pose = pose_random(&state, 0);
        for (int k = 0; k < 9; k++) {
            pose.rotation[k] *= k % 3 == (int)(i % 3) ? -1 : exp2(-(double)(i % 30));
        }
        mesh m = mesh_lattice(&state, 40, 9);
        for (uint32_t k = 0; k < 3 * m.triangle_count; k++) {
            m.indices[k] = m.indices[k - k % 3];
        }
        for (uint32_t k = 0; k < 3 * m.vertex_count; k++) { /* far for its size */
            m.positions[k] += (float)(100000 + 7 * i);
        }
        const body b = body_of(m, 1, KILN_LAYOUT_RAW);
        const brute_affine carry = affine_carry(&pose, &pose);
        kiln_point_options options = kiln_point_options_default();
        options.beyond = 0;
        options.no_normal = true;
        for (uint32_t t = 0; t < 40; t++) {
            double corners[9];
            brute_corners(&b.mesh, t, &carry, corners);
            for (int k = 0; k < 3 * KINDS; k++) {
                kiln_surface_point at;
                assert_int_equal(
                    kiln_nearest_point(b.trees[k / 3], &pose, corners + 3 * (k % 3), &options, &at),
                    KILN_OK);
                assert_true(at.found && at.distance == 0);
            }
        }
        body_free((body *)&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups), cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_slivers), cmocka_unit_test(test_affine_poses),
        cmocka_unit_test(test_touching)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
