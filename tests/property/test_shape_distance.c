/* What is sampled: convex shapes of one to 300 vertices (spheres, capsules, boxes by
 * kiln_convex_from, triangles, hulls, round and flat ones, with and without a radius) at soups and
 * lattices of small integers, of sizes from 2^-30 to 2^30, near and far, at random and exact poses
 * that scale, of meshes also at affine ones, in trees of every kind and a refitted copy, leaf sizes
 * 1 to 15, each instruction set in turn, under other rounding modes and flush-to-zero, with
 * filters, limits, tolerances and hints.
 *
 * Oracle: kiln_convex_triangle_nearest, which test_convex_triangle.c holds against rational
 * numbers, of every triangle carried as kiln.h says; answers have to be equal to the bit. What a
 * shape meets, also by near_oracle.c, for one shape of forty.
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

#include "../../runtime/exact/convex_triangle.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/affine.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/carried.h"
#include "../support/rounding.h"
#include "near_oracle.h"

enum { MESHES = 240, SHAPES = 6, TREES = BODY_KINDS + 1, TRIANGLES_MAX = 64, VERTICES_MAX = 300 };

static uint64_t state;

/* All trees of a mesh: every kind, and a refitted copy of one of them. */
typedef struct {
    body body;
    void *memory;
    const kiln_tree *trees[TREES];
} placed_mesh;

static placed_mesh placed_mesh_of(mesh m, uint32_t number)
{
    placed_mesh p;
    p.body = body_of(m, 1 + (int)random_below(&state, 15), body_layout(number));
    kiln_refit *refit;
    const kiln_tree *from = kiln_file_find(p.body.file, NULL, KILN_BV_AABB);
    const size_t size = kiln_refit_size(from);
    p.memory = malloc(size);
    assert_true(p.memory != NULL && kiln_refit_place(p.memory, size, from, &refit) == KILN_OK &&
                kiln_refit_update(refit, kiln_refit_vertices(refit),
                                  kiln_refit_vertex_count(refit)) == KILN_OK);
    memcpy(p.trees, p.body.trees, sizeof p.body.trees);
    p.trees[BODY_KINDS] = kiln_refit_tree(refit);
    return p;
}

static void placed_mesh_free(placed_mesh *p)
{
    body_free(&p->body);
    free(p->memory);
}

/* ----------------------------------------------------------------------------------- shapes -- */

typedef struct {
    kiln_convex convex;
    double vertices[3 * VERTICES_MAX];
} shape_sample;

static void any_shape(shape_sample *s, bool whole, double size)
{
    const uint32_t kind = random_below(&state, 6);
    double place[3];
    for (int k = 0; k < 3; k++) {
        place[k] = whole ? size * ((double)random_below(&state, 9) - 4)
                         : size * random_between(&state, -2, 2);
    }
    const double radius =
        whole ? size * random_below(&state, 3) : size * random_between(&state, 0, 0.5);
    if (kind < 3) {
        kiln_shape shape = {(kiln_shape_kind)(1 + kind), {0, 0, 0}, {0, 0, 0}, radius};
        for (int k = 0; k < 3; k++) {
            shape.a[k] = place[k];
            shape.b[k] = place[k] + (whole ? size * random_below(&state, 4)
                                           : size * random_between(&state, 0, 1));
        }
        assert_int_equal(kiln_convex_from(&shape, s->vertices, &s->convex), KILN_OK);
        return;
    }
    s->convex.vertices = s->vertices;
    s->convex.radius = random_below(&state, 2) == 0 ? 0 : radius;
    s->convex.count = kind == 3 ? 3
                      : kind == 4
                          ? 4 + random_below(&state, 8)
                          : 1 + random_below(&state, 1 + random_below(&state, VERTICES_MAX));
    const bool round = kind == 5 && !whole;
    for (uint32_t i = 0; i < s->convex.count; i++) {
        double way[3];
        random_direction(&state, way);
        for (uint32_t k = 0; k < 3; k++) {
            s->vertices[3 * i + k] =
                place[k] + (whole   ? size * random_below(&state, 4)
                            : round ? size * way[k] / 2
                                    : size * random_between(&state, -0.5, 0.5));
        }
    }
}

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

/* ----------------------------------------------------------------------------------- checks -- */

/* One question: the shape at a pose, the mesh at one, and a filter. */
typedef struct {
    const placed_mesh *mesh;
    const kiln_pose *pose, *at;
    const kiln_convex *shape;
    body_rule *rule;
    int mode;
} question;

typedef struct {
    double values[TRIANGLES_MAX];
    uint32_t triangle, met;
    double value; /* in the shape's frame */
    bool any;
} truth;

static truth truth_of(const question *q, bool exactly)
{
    truth out = {{0}, 0, 0, HUGE_VAL, false};
    const carried carry = carried_into(q->at, q->pose);
    kiln_convex_core core;
    mpq_t squared, reach;
    mpq_inits(squared, reach, NULL);
    assert_true(kiln_convex_take(q->shape, NULL, &kiln_kernel_active()->convex, &core));
    mpq_set_d(reach, q->shape->radius);
    mpq_mul(reach, reach, reach);
    for (uint32_t i = 0; i < q->mesh->body.mesh.triangle_count; i++) {
        double corners[9];
        kiln_convex_nearest near;
        carried_corners(&q->mesh->body.mesh, i, &carry, corners);
        assert_true(kiln_convex_triangle_nearest(&core, corners, HUGE_VAL, &near));
        out.values[i] = body_keeps(q->rule, i) ? near.value : HUGE_VAL;
        if (exactly) {
            near_oracle_hull_squared(q->shape->vertices, q->shape->count, corners, squared);
            assert_true((mpq_cmp(squared, reach) <= 0) == (near.value == 0));
        }
        out.met += out.values[i] == 0;
        if (out.values[i] < out.value) {
            out.any = true;
            out.value = out.values[i];
            out.triangle = i;
        }
    }
    mpq_clears(squared, reach, NULL);
    return out;
}

static kiln_shape_options options_of(const question *q)
{
    kiln_shape_options options = kiln_shape_options_default();
    options.filter = q->rule->modulus > 1 ? body_filter : NULL;
    options.filter_user = q->rule;
    return options;
}

static kiln_shape_nearest ask(const question *q, int tree, const kiln_shape_options *options)
{
    kiln_shape_nearest nearest;
    next_set();
    rounding_enter(q->mode);
    const kiln_status status =
        kiln_shape_distance(q->mesh->trees[tree], q->pose, q->shape, q->at, options, &nearest);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    return nearest;
}

static bool ask_within(const question *q, int tree, double distance,
                       const kiln_shape_options *options)
{
    kiln_triangle_hit hit;
    next_set();
    rounding_enter(q->mode);
    const kiln_status status =
        kiln_shape_within(q->mesh->trees[tree], q->pose, q->shape, q->at, distance, options, &hit);
    rounding_leave();
    assert_int_equal(status, KILN_OK);
    assert_true(hit.found ? hit.value == body_value(hit.triangle)
                          : hit.triangle == 0 && hit.value == 0);
    return hit.found;
}

static void expect_same(const kiln_shape_nearest *a, const kiln_shape_nearest *b)
{
    assert_true(a->found == b->found && a->distance == b->distance);
    if (a->distance > 0) { /* each kind has its own stored order, which hints are in */
        assert_true(a->triangle == b->triangle && a->value == b->value);
        assert_memory_equal(a->point_mesh, b->point_mesh, sizeof a->point_mesh);
        assert_memory_equal(a->point_shape, b->point_shape, sizeof a->point_shape);
        assert_memory_equal(a->normal, b->normal, sizeof a->normal);
    }
}

static void expect_points(const kiln_shape_nearest *found, double size)
{
    double length = 0, along = 0;
    for (int k = 0; k < 3; k++) {
        length += found->normal[k] * found->normal[k];
        along += found->normal[k] * (found->point_mesh[k] - found->point_shape[k]);
        size = fmax(size, fmax(fabs(found->point_mesh[k]), fabs(found->point_shape[k])));
    }
    assert_true(fabs(length - 1) < 1e-14 || (found->distance == 0 && length == 0));
    assert_true(fabs(along - found->distance) <= 1e-12 * (size + found->distance));
}

static void check_limits(const question *q, const truth *want, double distance,
                         const kiln_shape_nearest *first)
{
    static int turn;
    const int tree = turn++ % TREES, other = turn % TREES;
    kiln_shape_options options = options_of(q);
    options.beyond = distance;
    assert_true(ask(q, tree, &options).found);
    options = options_of(q);
    assert_true(ask_within(q, tree, distance, &options));
    assert_true(ask_within(q, other, 1.5 * distance, &options));
    assert_true(ask_within(q, other, 0, &options) == (want->value == 0));
    if (distance > 0) {
        options.beyond = nextafter(distance, 0);
        const kiln_shape_nearest none = ask(q, other, &options);
        assert_true(!none.found && none.distance == options.beyond && none.hint == 0);
        assert_false(ask_within(q, other, options.beyond, &options));
        assert_false(ask_within(q, tree, distance / 2, &options));
    }
    options = options_of(q);
    options.relative = 0.25;
    options.absolute = turn % 2 == 0 ? 0 : 0.125 * distance;
    const kiln_shape_nearest loose = ask(q, other, &options);
    assert_true(loose.found && loose.distance >= distance &&
                loose.distance <= distance * (1 + options.relative) + options.absolute);
    const uint32_t hints[] = {first->hint, 1, UINT32_MAX, random_below(&state, 99)};
    for (int i = 0; i < 4; i++) {
        options = options_of(q);
        options.hint = hints[i];
        const kiln_shape_nearest again = ask(q, (tree + i) % TREES, &options);
        expect_same(&again, first);
        assert_true(ask_within(q, other, distance, &options));
    }
}

static bool count_call(void *user, const kiln_triangle_hit *hit)
{
    assert_true(hit->found && hit->value == body_value(hit->triangle));
    ++*(size_t *)user;
    return true;
}

/* All triangles that are met, of every kind of tree. */
static void check_overlaps(const question *q, const truth *want)
{
    kiln_query_options options = kiln_query_options_default();
    options.filter = q->rule->modulus > 1 ? body_filter : NULL;
    options.filter_user = q->rule;
    for (int i = 0; i < TREES; i++) {
        kiln_triangle_hit hits[TRIANGLES_MAX], hit;
        size_t count = 0, few = 0, calls = 0, seen = 0;
        const kiln_tree *tree = q->mesh->trees[i];
        next_set();
        rounding_enter(q->mode);
        const kiln_status all = kiln_convex_overlap_all(tree, q->pose, q->shape, q->at, &options,
                                                        hits, TRIANGLES_MAX, &count);
        const kiln_status none =
            kiln_convex_overlap_all(tree, q->pose, q->shape, q->at, &options, NULL, 0, &few);
        const kiln_status any =
            kiln_convex_overlap_any(tree, q->pose, q->shape, q->at, &options, &hit);
        const kiln_status each = kiln_convex_overlap_each(tree, q->pose, q->shape, q->at, &options,
                                                          count_call, &seen, &calls);
        rounding_leave();
        assert_true(all == KILN_OK && none == KILN_OK && any == KILN_OK && each == KILN_OK);
        assert_true(count == want->met && few == count && seen == count && calls == count);
        assert_true(hit.found == (count > 0));
        assert_true(!hit.found || want->values[hit.triangle] == 0);
        for (size_t k = 0; k < count; k++) {
            assert_true(want->values[hits[k].triangle] == 0);
            assert_true(k == 0 || hits[k].triangle > hits[k - 1].triangle);
        }
    }
}

/* True: they meet. */
static bool check(const question *q, double size, bool exactly)
{
    const truth want = truth_of(q, exactly);
    const kiln_shape_options options = options_of(q);
    const kiln_shape_nearest first = ask(q, 0, &options);
    assert_true(first.found == want.any);
    check_overlaps(q, &want);
    if (!want.any) {
        assert_true(first.distance == HUGE_VAL && !ask_within(q, 0, HUGE_VAL, &options));
        return false;
    }
    assert_true(first.distance == want.value * q->at->scale);
    assert_true(want.value == 0 ? want.values[first.triangle] == 0
                                : first.triangle == want.triangle);
    assert_int_equal(first.value, body_value(first.triangle));
    expect_points(&first, size * q->at->scale);
    for (int i = 1; i < TREES; i++) {
        const kiln_shape_nearest again = ask(q, i, &options);
        expect_same(&again, &first);
    }
    check_limits(q, &want, first.distance, &first);
    return want.value == 0;
}

static void run_class(bool lattice, uint64_t seed)
{
    state = seed;
    uint32_t met = 0;
    const uint32_t meshes = amount(MESHES);
    for (uint32_t i = 0; i < meshes; i++) {
        const uint32_t n = 1 + random_below(&state, i % 2 == 0 ? 8 : 40);
        const double factor = i % 3 != 0 ? 1 : ldexp(1, (int)random_below(&state, 61) - 30);
        mesh m = lattice ? mesh_lattice(&state, n, 1 + (int)random_below(&state, 5))
                         : mesh_soup(&state, n, random_between(&state, 0.02, 0.8));
        for (uint32_t k = 0; k < 3 * m.vertex_count; k++) {
            m.positions[k] = (float)((double)m.positions[k] * factor);
        }
        placed_mesh p = placed_mesh_of(m, i);
        for (int k = 0; k < SHAPES; k++) {
            const double reach = random_below(&state, 6) == 0 ? 1e5 : 1;
            kiln_pose pose = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5 * reach);
            kiln_pose at = lattice ? pose_exact(&state, 3) : pose_random(&state, 0.5 * reach);
            for (int j = 0; j < 3; j++) {
                pose.translation[j] *= factor;
                at.translation[j] *= factor;
            }
            pose.scale = scale_random(&state, lattice);
            at.scale = scale_random(&state, lattice);
            shape_sample shape;
            body_rule rule = {k % 3 == 0 ? 2 : 1, 0, 0};
            any_shape(&shape, lattice, factor);
            const bool exactly =
                shape.convex.count <= NEAR_ORACLE_VERTICES && (i + (uint32_t)k) % 40 == 0;
            const question q = {&p,
                                &pose,
                                k % 5 == 0 ? &pose : &at,
                                &shape.convex,
                                &rule,
                                1 + (int)(i % ROUNDING_MODES)};
            met += check(&q, factor, exactly);
        }
        placed_mesh_free(&p);
    }
    kiln_kernel_force(NULL);
    print_message("%u shapes, %u that meet\n", meshes * SHAPES, met);
    assert_true(met > meshes * SHAPES / 20 && met < meshes * SHAPES);
}

static void test_soups(void **unused)
{
    (void)unused;
    run_class(false, 41);
}

static void test_lattices(void **unused)
{
    (void)unused;
    run_class(true, 42);
}

/* A matrix that stretches, mirrors and shears. */
static void skew(kiln_pose *pose)
{
    double mixed[9];
    for (int i = 0; i < 9; i++) {
        mixed[i] = pose->rotation[i] * ldexp(1, (int)random_below(&state, 5) - 2) +
                   random_between(&state, -0.3, 0.3);
    }
    memcpy(pose->rotation, mixed, sizeof mixed);
}

/* A shape where a pose takes it, less its translation. */
static void carry_shape(const kiln_pose *pose, const shape_sample *from, shape_sample *to)
{
    double m[9];
    for (int i = 0; i < 9; i++) {
        m[i] = pose->scale * pose->rotation[i];
    }
    for (uint32_t i = 0; i < from->convex.count; i++) {
        const double *v = from->vertices + 3 * i;
        for (uint32_t k = 0; k < 3; k++) {
            to->vertices[3 * i + k] = (m[3 * k] * v[0] + m[3 * k + 1] * v[1]) + m[3 * k + 2] * v[2];
        }
    }
    to->convex = (kiln_convex){to->vertices, from->convex.count, from->convex.radius};
}

/* The answers for a shape at an affine pose are those for one that is carried before. */
static void check_stretched(const question *carried_one, const shape_sample *shape,
                            const kiln_pose *at)
{
    question q = *carried_one;
    const kiln_shape_options options = options_of(&q);
    const kiln_shape_nearest want = ask(carried_one, 0, &options);
    q.shape = &shape->convex;
    q.at = at;
    for (int i = 0; i < TREES; i++) {
        const kiln_shape_nearest found = ask(&q, i, &options);
        expect_same(&found, &want);
    }
    assert_true(!want.found || ask_within(&q, 0, want.distance, &options));
    assert_true(!(want.distance > 0) ||
                !ask_within(&q, 1, nextafter(want.distance, 0) * (1 - 0x1p-50), &options));
}

/* Meshes at affine poses; shapes in the world, or at affine poses, too. */
static void test_affine(void **unused)
{
    (void)unused;
    state = 44;
    uint32_t met = 0;
    kiln_pose at = kiln_pose_identity();
    const uint32_t meshes = amount(MESHES / 3);
    for (uint32_t i = 0; i < meshes; i++) {
        placed_mesh p = placed_mesh_of(mesh_soup(&state, 1 + random_below(&state, 40), 0.3), i);
        for (int k = 0; k < SHAPES; k++) {
            kiln_pose pose = pose_random(&state, random_below(&state, 4) == 0 ? 100 : 1);
            pose.scale = scale_random(&state, false);
            skew(&pose);
            shape_sample shape;
            body_rule rule = {k % 3 == 0 ? 2 : 1, 0, 0};
            any_shape(&shape, false, 1);
            question q = {&p, &pose, &at, &shape.convex, &rule, 1 + (int)(i % ROUNDING_MODES)};
            if (k % 2 == 0) {
                static shape_sample carried_one;
                kiln_pose stretched;
                do {
                    stretched = affine_pose(&state, (affine_mix)(i % AFFINE_MIXES));
                    stretched.scale = 1;
                } while (!affine_is_served(&stretched));
                shape.convex.radius = 0;
                pose = k % 4 == 0 ? pose_random(&state, 1) : pose;
                at = kiln_pose_identity();
                memcpy(at.translation, stretched.translation, sizeof at.translation);
                carry_shape(&stretched, &shape, &carried_one);
                q.shape = &carried_one.convex;
                check_stretched(&q, &shape, &stretched);
            }
            met += check(&q, 1, false);
            at = kiln_pose_identity();
        }
        placed_mesh_free(&p);
    }
    kiln_kernel_force(NULL);
    print_message("%u shapes, %u that meet\n", meshes * SHAPES, met);
    assert_true((met > 0 || is_shortened()) && met < meshes * SHAPES);
}

/* Further apart than 2^20 sizes: what is stated there. */
static void test_out_of_sight(void **unused)
{
    (void)unused;
    state = 43;
    for (uint32_t i = 0; i < amount_of_few(40); i++) {
        placed_mesh p = placed_mesh_of(mesh_soup(&state, 30, 0.3), 1);
        const kiln_pose pose = pose_random(&state, 1);
        kiln_pose at = pose_random(&state, 1);
        shape_sample shape;
        body_rule rule = {1, 0, 0};
        any_shape(&shape, false, 1);
        at.translation[i % 3] += ldexp(1, 22 + (int)(4 * (i % 40)));
        const question q = {&p, &pose, &at, &shape.convex, &rule, 1 + (int)(i % ROUNDING_MODES)};
        const truth want = truth_of(&q, false);
        for (int k = 0; k < TREES; k++) {
            const kiln_shape_nearest found = ask(&q, k, NULL);
            assert_true(found.found && found.distance >= want.value &&
                        found.distance <= want.value * (1 + 0x1p-37));
            assert_true(found.distance == want.values[found.triangle]);
        }
        placed_mesh_free(&p);
    }
    kiln_kernel_force(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_affine),
        cmocka_unit_test(test_out_of_sight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
