/* Spheres in batches: each answer is that of a single call, and of exact arithmetic.
 *
 * What is sampled: soups, lattices of small integers (in which spheres of whole radii touch),
 * sets of points, meshes with needles and with points beside triangles, and refitted copies;
 * sizes from 2^-60 to 2^60; links at random, exact and affine poses with scales; batches of one to
 * forty spheres, of one link or of several that follow each other or alternate; spheres at
 * random, about a corner, and with a radius that is the distance of the nearest triangle, a
 * little more or less; filters; trees of every kind, leaves of 1 to 15, every instruction set,
 * other rounding modes, one thread and several in any order.
 *
 * Oracle: single calls (kiln_overlap_any), and at exact poses, where carried vertices are the
 * same in any order of operations, distances in fractions (near_oracle.c) of every triangle: at
 * most the radius is met; beyond the radius and 2^-39 of the largest number is not.
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
#include "../../runtime/kiln_spheres.h"
#include "../support/amount.h"
#include "../support/body.h"
#include "../support/rounding.h"
#include "near_oracle.h"

enum { BODIES = 100, SPHERES_MOST = 40, LINKS_MOST = 4, CONFIGURATIONS = 3, KINDS = BODY_KINDS };

typedef struct {
    double number[4][SPHERES_MOST];
    uint32_t link[SPHERES_MOST];
    kiln_pose poses[CONFIGURATIONS * LINKS_MOST];
    kiln_spheres of;
} robot;

/* In any order, one after the other. */
static void backwards(void *user, void (*task)(void *context, uint32_t index), void *context,
                      uint32_t count)
{
    ++*(uint32_t *)user;
    while (count-- > 0) {
        task(context, count);
    }
}

static mesh any_mesh(uint64_t *state, bool lattice, uint32_t kind, double factor)
{
    const uint32_t n = 1 + random_below(state, 60);
    mesh m = lattice ? mesh_lattice(state, n, 1 + (int)random_below(state, 5))
                     : mesh_soup(state, n, random_between(state, 0.05, 1.0));
    for (uint32_t i = 0; i < 3 * m.triangle_count; i++) {
        /* Points alone, or some points, or some segments and needles. */
        const bool point = kind == 1 || (kind == 2 && i / 3 % 3 == 0);
        m.indices[i] = point ? m.indices[i / 3 * 3] : m.indices[i];
        if (kind == 2 && i / 3 % 3 == 1 && i % 3 == 2) {
            m.indices[i] = m.indices[i - 1];
        }
    }
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (float)((double)m.positions[i] * factor);
    }
    return m;
}

static kiln_pose any_place(uint64_t *state, bool exact, double factor)
{
    kiln_pose pose = exact ? pose_exact(state, 3) : pose_random(state, 0.5);
    pose.scale = scale_random(state, exact);
    for (int k = 0; k < 3; k++) {
        pose.translation[k] *= factor;
    }
    /* Within what counts as a rotation, or any affine map. */
    const double off = random_below(state, 6) == 0 ? 0.5 : 2e-7;
    for (int i = 0; !exact && i < 9 && random_below(state, 2) == 0; i++) {
        pose.rotation[i] += random_between(state, -off, off);
    }
    return pose;
}

static void any_robot(uint64_t *state, bool lattice, double factor, const kiln_pose *pose, robot *r)
{
    const uint32_t count = 1 + random_below(state, SPHERES_MOST);
    const uint32_t links = 1 + random_below(state, LINKS_MOST), run = 1 + random_below(state, 12);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++) {
            r->number[k][i] =
                lattice ? (double)random_below(state, 13) - 6 : random_between(state, -1.5, 1.5);
            r->number[k][i] *= factor;
        }
        r->number[3][i] = lattice ? (double)random_below(state, 5) : random_between(state, 0, 0.5);
        r->number[3][i] *= random_below(state, 9) == 0 ? 0 : factor;
        r->link[i] = i / run % links;
    }
    for (uint32_t i = 0; i < CONFIGURATIONS * links; i++) {
        r->poses[i] = i % 5 == 4 ? *pose : any_place(state, lattice, factor);
    }
    const kiln_spheres of = {
        r->number[0], r->number[1], r->number[2],
        r->number[3], count,        links == 1 && random_below(state, 2) == 0 ? NULL : r->link,
        links};
    r->of = of;
}

static kiln_shape shape_of(const robot *r, uint32_t i)
{
    const kiln_shape shape = {KILN_SHAPE_SPHERE,
                              {r->number[0][i], r->number[1][i], r->number[2][i]},
                              {0, 0, 0},
                              r->number[3][i]};
    return shape;
}

/* The tree's vertices in a link's frame, where both poses are exact: whole numbers and powers of
 * two, for which no order of operations rounds. */
static void carry(const kiln_pose *link, const kiln_pose *pose, const float vertex[3],
                  double out[3])
{
    double world[3];
    for (int k = 0; k < 3; k++) {
        const double *row = pose->rotation + 3 * k;
        world[k] = pose->scale * (row[0] * (double)vertex[0] + row[1] * (double)vertex[1] +
                                  row[2] * (double)vertex[2]) +
                   pose->translation[k] - link->translation[k];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = (link->rotation[k] * world[0] + link->rotation[3 + k] * world[1] +
                  link->rotation[6 + k] * world[2]) /
                 link->scale;
    }
}

static void triangle_in(const mesh *m, const kiln_pose *link, const kiln_pose *pose, uint32_t t,
                        double corners[9])
{
    for (uint32_t c = 0; c < 3; c++) {
        carry(link, pose, m->positions + 3 * (size_t)m->indices[3 * t + c], corners + 3 * c);
    }
}

/* Exactly: is the sphere within reach of a triangle for certain (1), of none (-1), or neither? */
static int truth_of(const mesh *m, const kiln_pose *link, const kiln_pose *pose,
                    const kiln_shape *shape, mpq_t squared, mpq_t radius)
{
    double point[9], corners[9];
    int truth = -1;
    memcpy(point, shape->a, sizeof shape->a);
    memcpy(point + 3, shape->a, sizeof shape->a);
    memcpy(point + 6, shape->a, sizeof shape->a);
    for (uint32_t t = 0; t < m->triangle_count && truth < 1; t++) {
        double size = shape->radius;
        triangle_in(m, link, pose, t, corners);
        for (int i = 0; i < 9; i++) {
            size = fmax(size, fabs(corners[i] - shape->a[i % 3]));
        }
        near_oracle_squared(corners, point, squared);
        mpq_set_d(radius, shape->radius);
        mpq_mul(radius, radius, radius);
        if (mpq_cmp(squared, radius) <= 0) {
            truth = 1;
        } else {
            mpq_set_d(radius, (shape->radius + 0x1p-39 * size) * (1 + 0x1p-50));
            mpq_mul(radius, radius, radius);
            truth = mpq_cmp(squared, radius) <= 0 ? 0 : truth;
        }
    }
    return truth;
}

/* Some radii become the distance of the nearest triangle, as doubles have it, or differ from it by
 * little; and some spheres are about a corner. */
static void make_tangent(uint64_t *state, bool exact, double factor, const mesh *m,
                         const kiln_pose *pose, robot *r, mpq_t squared)
{
    for (uint32_t i = 0; i < r->of.count; i++) {
        const kiln_pose *link = r->poses + (r->of.link != NULL ? r->link[i] : 0);
        double corners[9], point[9], least = HUGE_VAL;
        if (random_below(state, 3) != 0) {
            continue;
        }
        if (random_below(state, 4) == 0) {
            triangle_in(m, link, pose, random_below(state, m->triangle_count), corners);
            for (int k = 0; k < 3; k++) {
                r->number[k][i] = corners[k];
            }
            r->number[3][i] = ldexp(r->number[3][i], -(int)random_below(state, 50));
            continue;
        }
        for (int k = 0; k < 9; k++) {
            point[k] = r->number[k % 3][i];
        }
        for (uint32_t t = 0; t < m->triangle_count; t++) {
            triangle_in(m, link, pose, t, corners);
            near_oracle_squared(corners, point, squared);
            least = fmin(least, mpq_get_d(squared));
        }
        /* Within the margins of poses that are not quite rotations, where they are none. */
        const double off[] = {0, 0, 0x1p-52, -0x1p-52, 0x1p-39, -0x1p-39, 0x1p-34, -0x1p-34};
        const double part =
            exact ? off[random_below(state, 8)] : random_between(state, -1e-6, 1e-6);
        const double radius = sqrt(least) * (1 + part);
        const double less = random_below(state, 3) == 0 ? 0x1p-42 * 8 * factor : 0;
        r->number[3][i] = fmax(radius - less, 0);
    }
}

typedef struct {
    size_t met, all, truths, unsure;
} tally;

static void check_robot(const body *b, const kiln_tree *copy, const kiln_pose *pose, const robot *r,
                        bool exact, uint32_t turn, tally *sum)
{
    static uint8_t want[CONFIGURATIONS * SPHERES_MOST], meets[CONFIGURATIONS * SPHERES_MOST];
    kiln_spheres_hit hits[CONFIGURATIONS];
    const size_t count = r->of.count;
    body_rule rule = {turn % 4 == 0 ? 2 : 1, 0, 0};
    uint32_t tasks = 0;
    kiln_query_options single = kiln_query_options_default();
    kiln_spheres_options options = kiln_spheres_options_default();
    single.filter = options.filter = rule.modulus > 1 ? body_filter : NULL;
    single.filter_user = options.filter_user = &rule;
    options.parallel = turn % 2 == 0 ? backwards : NULL;
    options.parallel_user = &tasks;
    mpq_t squared, radius;
    mpq_inits(squared, radius, NULL);
    uint64_t total = 0;
    for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t link = r->of.link != NULL ? r->link[i] : 0;
            const kiln_pose *at = r->poses + c * r->of.link_count + link;
            const kiln_shape shape = shape_of(r, i);
            kiln_triangle_hit hit;
            assert_int_equal(kiln_overlap_any(b->trees[0], pose, &shape, at, &single, &hit),
                             KILN_OK);
            want[c * count + i] = hit.found;
            total += hit.found;
            if (exact && rule.modulus == 1) {
                const int truth = truth_of(&b->mesh, at, pose, &shape, squared, radius);
                assert_true(truth == 0 || hit.found == (truth > 0));
                sum->truths += truth != 0;
                sum->unsure += truth == 0;
            }
        }
    }
    sum->met += total;
    sum->all += CONFIGURATIONS * count;
    mpq_clears(squared, radius, NULL);
    for (int kind = 0; kind <= KINDS; kind++) {
        const kiln_tree *tree = kind == KINDS ? copy : b->trees[kind];
        uint64_t found = 7;
        for (unsigned set = 0; kiln_kernel_runnable(set) != NULL; set++) {
            if ((turn + (unsigned)kind + set) % 2 == 0 && set > 0) {
                continue; /* each set with each kind in some of the turns */
            }
            kiln_kernel_force(kiln_kernel_runnable(set));
            memset(meets, 9, sizeof meets);
            rounding_enter(1 + (int)(turn % ROUNDING_MODES));
            const kiln_status each = kiln_spheres_each(tree, pose, &r->of, r->poses, CONFIGURATIONS,
                                                       &options, meets, &found);
            const kiln_status any =
                kiln_spheres_any(tree, pose, &r->of, r->poses, CONFIGURATIONS, &options, hits);
            rounding_leave();
            assert_int_equal(each, KILN_OK);
            assert_int_equal(any, KILN_OK);
            assert_int_equal(found, total);
            assert_memory_equal(meets, want, CONFIGURATIONS * count);
            for (uint32_t c = 0; c < CONFIGURATIONS; c++) {
                const uint8_t *first = memchr(want + c * count, 1, count);
                assert_int_equal(hits[c].found, first != NULL);
                if (first == NULL) {
                    assert_true(hits[c].sphere == 0 && hits[c].triangle == 0 && hits[c].value == 0);
                    continue;
                }
                assert_int_equal(hits[c].sphere, first - (want + c * count));
                assert_int_equal(hits[c].value, body_value(hits[c].triangle));
                assert_true(body_keeps(&rule, hits[c].triangle));
                /* It meets the triangle that is named. */
                const uint32_t sphere = hits[c].sphere;
                const kiln_shape shape = shape_of(r, sphere);
                body_rule only = {b->mesh.triangle_count, hits[c].triangle, 0};
                kiln_query_options alone = kiln_query_options_default();
                kiln_triangle_hit hit;
                alone.filter = body_filter;
                alone.filter_user = &only;
                assert_int_equal(kiln_overlap_any(tree, pose, &shape,
                                                  r->poses + c * r->of.link_count +
                                                      (r->of.link != NULL ? r->link[sphere] : 0),
                                                  &alone, &hit),
                                 KILN_OK);
                assert_true(hit.found && hit.triangle == hits[c].triangle);
            }
        }
        kiln_kernel_force(NULL);
    }
}

static void run_bodies(bool lattice, uint64_t seed)
{
    uint64_t state = seed;
    tally sum = {0, 0, 0, 0};
    const uint32_t bodies = amount(BODIES);
    mpq_t squared;
    mpq_init(squared);
    for (uint32_t i = 0; i < bodies; i++) {
        const double factor = i % 4 != 0 ? 1 : ldexp(1, (int)random_below(&state, 120) - 60);
        body b = body_of(any_mesh(&state, lattice, i % 3, factor),
                         1 + (int)random_below(&state, 15), body_layout(i));
        const kiln_pose pose = any_place(&state, lattice, factor);
        /* A copy with vertices that did not move is the same tree; some kinds have none. */
        static const uint32_t kinds[] = {KILN_KIND_AABB8, KILN_KIND_AABB2, KILN_KIND_DOP14,
                                         KILN_KIND_DOP26, KILN_KIND_SPHERE};
        const kiln_tree *of_copy = b.trees[kinds[i % 5]];
        const size_t size = kiln_refit_size(of_copy);
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        kiln_refit *refit;
        assert_int_equal(kiln_refit_place(memory, size, of_copy, &refit), KILN_OK);
        for (uint32_t k = 0; k < 3; k++) {
            robot r;
            any_robot(&state, lattice, factor, &pose, &r);
            if (k != 2) {
                make_tangent(&state, lattice, factor, &b.mesh, &pose, &r, squared);
            }
            check_robot(&b, kiln_refit_tree(refit), &pose, &r, lattice && k == 0, 3 * i + k, &sum);
        }
        free(memory);
        body_free(&b);
    }
    mpq_clear(squared);
    print_message("%zu spheres, %zu that meet, %zu compared with fractions, %zu too near\n",
                  sum.all, sum.met, sum.truths, sum.unsure);
    assert_true(sum.met > sum.all / 20 && sum.met < sum.all);
}

static void random_bodies(void **state)
{
    (void)state;
    run_bodies(false, 61);
}

static void lattices(void **state)
{
    (void)state;
    run_bodies(true, 62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bodies),
        cmocka_unit_test(lattices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
