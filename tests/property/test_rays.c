/* What is sampled: rays at soups, lattices of small integers (in which rays along edges, through
 * corners and in the planes of triangles abound, and triangles without area), tori and sizes from
 * 1e-18 to 1e21, at random and at exact poses, in trees of every kind, leaf sizes 1 to 15, each
 * instruction set in turn, with faster rays (kiln_rays.h) and without, under other rounding
 * modes and flush-to-zero. A third of the rays is
 * aimed at corners, a third at edges. Ends of t are infinite, random, or where a corner is.
 *
 * Oracle: every triangle by exact fractions (oracle_line.c), the ray carried as kiln.h says,
 * written anew. Tolerance: none for which triangles are met; t within 2^-40, weights within 2^-30,
 * as promised.
 *
 * And: from inside a closed mesh no ray escapes, whatever edge or corner it is aimed at: a million
 * rays.
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
#include "../support/fast_rays.h"
#include "../support/rounding.h"
#include "oracle_line.h"

enum { MESHES = 1500, RAYS = 12, KINDS = BODY_KINDS, TRIANGLES_MAX = 400, LINES = 500000 };

/* ------------------------------------------------------------------------------------ rays -- */

static void corner_of(const mesh *m, uint32_t triangle, uint32_t corner, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = (double)m->positions[3 * m->indices[3 * triangle + corner] + (uint32_t)k];
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

/* A corner, a point of an edge, or one inside a triangle. */
static void any_target(uint64_t *state, const mesh *m, double out[3])
{
    const uint32_t triangle = random_below(state, m->triangle_count);
    double corner[3][3], part[3] = {1, 0, 0};
    const uint32_t aim = random_below(state, 3);
    for (uint32_t i = 0; i < 3; i++) {
        corner_of(m, triangle, i, corner[i]);
    }
    if (aim > 0) {
        part[1] = 0.25 * random_below(state, 5);
        part[2] = aim == 1 ? 0 : (1 - part[1]) * random_between(state, 0, 1);
        part[0] = 1 - part[1] - part[2];
    }
    for (int k = 0; k < 3; k++) {
        out[k] = part[0] * corner[0][k] + part[1] * corner[1][k] + part[2] * corner[2][k];
    }
}

static kiln_ray any_ray(uint64_t *state, const mesh *m, const kiln_pose *pose, bool whole,
                        double size)
{
    kiln_ray ray;
    double from[3], to[3], origin[3], end[3];
    any_target(state, m, to);
    if (random_below(state, 2) == 0) {
        any_target(state, m, from);
    } else {
        for (int k = 0; k < 3; k++) {
            from[k] = whole ? size * ((double)random_below(state, 13) - 6)
                            : random_between(state, -4 * size, 4 * size);
        }
    }
    to_world(pose, from, origin);
    to_world(pose, to, end);
    ray = kiln_ray_between(origin, end);
    if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0) {
        ray.direction[random_below(state, 3)] = random_below(state, 2) == 0 ? size : -size;
    }
    switch (random_below(state, 4)) {
    case 0:
        ray.t_max = HUGE_VAL;
        break;
    case 1:
        ray.t_min = -HUGE_VAL;
        ray.t_max = HUGE_VAL;
        break;
    case 2:
        ray.t_min = random_between(state, -1, 1);
        ray.t_max = ray.t_min + random_between(state, 0, 2);
        break;
    default: /* ends where the corner is */
        break;
    }
    return ray;
}

/* The ray in the tree's own frame. */
static kiln_ray carried(const kiln_pose *pose, const kiln_ray *ray)
{
    kiln_ray out = *ray;
    double r[3][3], cofactor[3][3], from[3];
    memcpy(r, pose->rotation, sizeof r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactor[i][j] = r[i1][j1] * r[i2][j2] - r[i1][j2] * r[i2][j1];
        }
        from[i] = ray->origin[i] - pose->translation[i];
    }
    const double det =
        r[0][0] * cofactor[0][0] + r[0][1] * cofactor[0][1] + r[0][2] * cofactor[0][2];
    for (int i = 0; i < 3; i++) {
        double row[3];
        for (int j = 0; j < 3; j++) {
            row[j] = cofactor[j][i] / det;
        }
        out.origin[i] = (row[0] * from[0] + row[1] * from[1] + row[2] * from[2]) / pose->scale;
        out.direction[i] =
            row[0] * ray->direction[0] + row[1] * ray->direction[1] + row[2] * ray->direction[2];
    }
    out.t_min = ray->t_min / pose->scale;
    out.t_max = ray->t_max / pose->scale;
    return out;
}

/* ----------------------------------------------------------------------------------- truth -- */

typedef struct {
    kiln_ray_hit hits[TRIANGLES_MAX]; /* by triangle */
    bool met[TRIANGLES_MAX];
    size_t count;
} truth;

static void triangle_of(const mesh *m, uint32_t triangle, double out[9])
{
    for (uint32_t i = 0; i < 3; i++) {
        corner_of(m, triangle, i, out + 3 * i);
    }
}

static void check_weights(const mesh *m, const kiln_ray *own, double t, const kiln_ray_hit *hit)
{
    double corners[9], size = 0, sum = 0, off = 0;
    triangle_of(m, hit->triangle, corners);
    for (int i = 0; i < 3; i++) {
        assert_true(hit->weights[i] >= 0 && hit->weights[i] <= 1);
        sum += hit->weights[i];
    }
    assert_true(fabs(sum - 1) < 1e-12);
    for (int k = 0; k < 3; k++) {
        const double at = own->origin[k] + t * own->direction[k];
        const double there = hit->weights[0] * corners[k] + hit->weights[1] * corners[3 + k] +
                             hit->weights[2] * corners[6 + k];
        off = fmax(off, fabs(at - there));
        size = fmax(size, fabs(own->origin[k]) + fabs(t * own->direction[k]));
        size = fmax(size, fabs(corners[k]) + fabs(corners[3 + k]) + fabs(corners[6 + k]));
    }
    assert_true(off <= 0x1p-28 * size);
}

/* All hits of a query are the true ones and in order. Their t are kept. */
static void check_all(const body *b, const kiln_ray *own, double scale, const body_rule *rule,
                      const kiln_ray_hit *hits, size_t count, truth *out)
{
    memset(out->met, 0, sizeof out->met);
    out->count = 0;
    for (uint32_t i = 0; i < b->mesh.triangle_count; i++) {
        double corners[9];
        oracle_line_hit want;
        triangle_of(&b->mesh, i, corners);
        if (!body_keeps(rule, i) || !oracle_line_meets(own->origin, own->direction, own->t_min,
                                                       own->t_max, corners, &want)) {
            continue;
        }
        const kiln_ray_hit *got = NULL;
        for (size_t k = 0; k < count && got == NULL; k++) {
            got = hits[k].triangle == i ? &hits[k] : NULL;
        }
        assert_non_null(got);
        assert_true(got->found && oracle_line_t_is(got->t / scale, 0x1p-40));
        assert_int_equal(got->value, body_value(i));
        assert_int_equal(got->side, want.side < 0   ? KILN_SIDE_FRONT
                                    : want.side > 0 ? KILN_SIDE_BACK
                                                    : KILN_SIDE_EDGE);
        check_weights(&b->mesh, own, got->t / scale, got);
        out->met[i] = true;
        out->hits[i] = *got;
        out->count++;
    }
    assert_int_equal(count, out->count);
    for (size_t k = 1; k < count; k++) {
        const kiln_ray_hit *p = &hits[k - 1], *q = &hits[k];
        assert_true(p->t != q->t         ? p->t < q->t
                    : p->side != q->side ? p->side < q->side
                                         : p->triangle < q->triangle);
    }
}

typedef struct {
    const truth *want;
    size_t seen;
} each_check;

static bool see_hit(void *user, const kiln_ray_hit *hit)
{
    each_check *check = user;
    assert_true(check->want->met[hit->triangle]);
    assert_memory_equal(hit, &check->want->hits[hit->triangle], sizeof *hit);
    check->seen++;
    return true;
}

/* Every kind gives what the first one gave, to the bit. */
static void check_kind(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                       const kiln_query_options *options, const kiln_ray_hit *hits,
                       const truth *want, int mode)
{
    static kiln_ray_hit again[TRIANGLES_MAX];
    kiln_ray_hit closest, any, three[3];
    size_t count = 0, short_count = 0, calls = 0;
    bool meets = false;
    each_check check = {want, 0};
    rounding_enter(mode);
    const kiln_status all = kiln_ray_all(tree, pose, ray, options, again, TRIANGLES_MAX, &count);
    const kiln_status one = kiln_ray_closest(tree, pose, ray, options, &closest);
    const kiln_status some = kiln_ray_any(tree, pose, ray, options, &any);
    const kiln_status few = kiln_ray_all(tree, pose, ray, options, three, 3, &short_count);
    const kiln_status each = kiln_ray_each(tree, pose, ray, options, see_hit, &check, &calls);
    const kiln_status meet = kiln_ray_meets(tree, pose, ray, options, &meets);
    rounding_leave();
    assert_true(meet == KILN_OK && meets == (count != 0));
    assert_true(all == KILN_OK && one == KILN_OK && some == KILN_OK && few == KILN_OK &&
                each == KILN_OK);
    assert_int_equal(count, want->count);
    assert_int_equal(short_count, count);
    assert_int_equal(calls, count);
    assert_int_equal(check.seen, count);
    for (size_t i = 0; i < count; i++) {
        assert_memory_equal(&again[i], &hits[i], sizeof again[i]);
        if (i < 3) {
            assert_memory_equal(&three[i], &hits[i], sizeof three[i]);
        }
    }
    assert_int_equal(closest.found, count > 0);
    assert_int_equal(any.found, count > 0);
    if (count > 0) {
        assert_memory_equal(&closest, &hits[0], sizeof closest);
        assert_memory_equal(&any, &want->hits[any.triangle], sizeof any);
    }
}

static bool keep_all(void *user, uint32_t triangle, uint32_t value)
{
    (void)user;
    (void)triangle;
    (void)value;
    return true;
}

/* The walks for one hit give what the general one does, which a filter asks for, and in every set
 * the same. */
static void check_walks(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray)
{
    kiln_ray_hit closest, general, any, first_any, brief;
    bool meets;
    kiln_query_options options = kiln_query_options_default();
    options.filter = keep_all;
    assert_int_equal(kiln_ray_closest(tree, pose, ray, &options, &general), KILN_OK);
    const kiln_kernel *kernel;
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        kiln_kernel_force(kernel);
        assert_int_equal(kiln_ray_closest(tree, pose, ray, NULL, &closest), KILN_OK);
        assert_int_equal(kiln_ray_any(tree, pose, ray, NULL, &any), KILN_OK);
        assert_int_equal(kiln_ray_meets(tree, pose, ray, NULL, &meets), KILN_OK);
        assert_int_equal(kiln_ray_closest_brief(tree, pose, ray, NULL, &brief), KILN_OK);
        assert_memory_equal(&closest, &general, sizeof closest);
        assert_true(meets == closest.found);
        memset(closest.normal, 0, sizeof closest.normal);
        closest.value = 0;
        assert_memory_equal(&brief, &closest, sizeof brief);
        assert_int_equal(any.found, closest.found);
        first_any = set == 0 ? any : first_any;
        assert_memory_equal(&any, &first_any, sizeof any);
    }
}

/* Faster rays find the same one of all hits. */
static void check_same_hit(const kiln_tree *tree, const kiln_tree *fast, const kiln_pose *pose,
                           const kiln_ray *ray)
{
    kiln_ray_hit any, fast_any;
    assert_int_equal(kiln_ray_any(tree, pose, ray, NULL, &any), KILN_OK);
    assert_int_equal(kiln_ray_any(fast, pose, ray, NULL, &fast_any), KILN_OK);
    assert_memory_equal(&any, &fast_any, sizeof any);
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

/* By every third ray a filter that keeps some is asked. */
static size_t check_ray(const body *b, const kiln_pose *pose, const kiln_ray *ray, int mode)
{
    static uint32_t turn;
    body_rule rule = {turn++ % 3 == 0 ? 2 : 1, 0, 0};
    kiln_query_options options = kiln_query_options_default();
    options.filter = rule.modulus > 1 ? body_filter : NULL;
    options.filter_user = &rule;
    static kiln_ray_hit hits[TRIANGLES_MAX];
    static truth want;
    size_t count = 0;
    const kiln_ray own = carried(pose, ray);
    next_set();
    assert_int_equal(kiln_ray_all(b->trees[0], pose, ray, &options, hits, TRIANGLES_MAX, &count),
                     KILN_OK);
    check_all(b, &own, pose->scale, &rule, hits, count, &want);
    for (int i = 0; i < KINDS; i++) {
        next_set();
        check_kind(b->trees[i], pose, ray, &options, hits, &want, mode);
        if ((turn + (uint32_t)i) % 8 == 0) {
            check_walks(b->trees[i], pose, ray);
        }
        if ((turn + (uint32_t)i) % 8 == 0 && kiln_ray_accel_size(b->trees[i]) > 0) {
            fast_rays fast = fast_rays_of(b->trees[i]);
            check_walks(fast.tree, pose, ray);
            check_same_hit(b->trees[i], fast.tree, pose, ray);
            fast_rays_free(&fast);
        }
    }
    kiln_kernel_force(NULL);
    return count;
}

static void scale_mesh(mesh *m, double factor)
{
    for (uint32_t i = 0; i < 3 * m->vertex_count; i++) {
        m->positions[i] = (float)((double)m->positions[i] * factor);
    }
}

static void run_class(bool lattice, uint64_t seed)
{
    uint64_t state = seed;
    size_t hits = 0, met = 0, rays = 0;
    for (uint32_t i = 0; i < amount(MESHES); i++) {
        const int leaf = 1 + (int)random_below(&state, 15);
        const uint32_t n = 1 + random_below(&state, 40);
        const int extent = 1 + (int)random_below(&state, 5);
        const double factor = i % 4 != 0 ? 1 : ldexp(1, (int)random_below(&state, 130) - 60);
        mesh m = lattice ? mesh_lattice(&state, n, extent)
                         : mesh_soup(&state, n, random_between(&state, 0.02, 0.8));
        scale_mesh(&m, factor);
        body b = body_of(m, leaf, body_layout(i));
        for (int k = 0; k < RAYS; k++) {
            kiln_pose pose = lattice ? pose_exact(&state, 5) : pose_random(&state, 1.5);
            for (int j = 0; j < 3; j++) {
                pose.translation[j] *= factor;
            }
            pose.scale = scale_random(&state, lattice);
            const kiln_ray ray = any_ray(&state, &b.mesh, &pose, lattice, factor);
            const size_t found = check_ray(&b, &pose, &ray, 1 + (int)(i % ROUNDING_MODES));
            hits += found;
            met += found > 0;
            rays++;
        }
        body_free(&b);
    }
    print_message("%zu rays, %zu that meet, %zu hits, 0 differences\n", rays, met, hits);
    assert_true(met > rays / 4 && hits > met);
}

static void test_soups(void **state)
{
    (void)state;
    run_class(false, 21);
}

static void test_lattices(void **state)
{
    (void)state;
    run_class(true, 22);
}

/* Deeper trees, and rays from far away. */
static void test_tori(void **state)
{
    (void)state;
    uint64_t random = 23;
    for (int i = 0; i < 6; i++) {
        body b = body_of(mesh_torus(16, 10, 0.3), 1 + i, KILN_LAYOUT_RAW);
        for (int k = 0; k < 40; k++) {
            const kiln_pose pose = pose_random(&random, 2);
            kiln_ray ray = any_ray(&random, &b.mesh, &pose, false, 1);
            const double away = ldexp(1, (int)random_below(&random, 60));
            for (int j = 0; j < 3 && k % 2 == 0; j++) {
                ray.origin[j] -= away * ray.direction[j];
            }
            ray.t_max = HUGE_VAL;
            (void)check_ray(&b, &pose, &ray, 1 + k % ROUNDING_MODES);
        }
        body_free(&b);
    }
}

/* ------------------------------------------------------------------------------ watertight -- */

/* Inside the tube of the torus of mesh_torus, near its middle. */
static void inside_torus(uint64_t *state, double out[3])
{
    const double turn = random_between(state, 0, 6.283);
    out[0] = cos(turn);
    out[1] = sin(turn);
    out[2] = random_between(state, -0.05, 0.05);
}

static void inside_box(uint64_t *state, double out[3])
{
    for (int k = 0; k < 3; k++) {
        out[k] = random_below(state, 4) == 0 ? 0 : random_between(state, -0.9, 0.9);
    }
}

/* From inside a closed mesh every ray meets it, whatever edge or corner it is aimed at. */
static void check_no_escape(body *b, uint64_t seed, void (*inside)(uint64_t *, double[3]))
{
    uint64_t random = seed;
    uint32_t on_edges = 0;
    const uint32_t rays = amount(LINES) / 2;
    fast_rays fast[KINDS];
    for (int i = 0; i < KINDS; i++) { /* octrees are refused */
        fast[i] = fast_rays_of(b->trees[kiln_ray_accel_size(b->trees[i]) > 0 ? i : 0]);
    }
    for (uint32_t i = 0; i < rays; i++) {
        double from[3], target[3];
        kiln_ray_hit hit, any;
        inside(&random, from);
        any_target(&random, &b->mesh, target);
        kiln_ray ray = kiln_ray_between(from, target);
        ray.t_max = HUGE_VAL;
        next_set();
        const kiln_tree *tree = i % 2 == 0 ? b->trees[i / 2 % KINDS] : fast[i / 2 % KINDS].tree;
        assert_int_equal(kiln_ray_closest(tree, NULL, &ray, NULL, &hit), KILN_OK);
        assert_int_equal(kiln_ray_any(tree, NULL, &ray, NULL, &any), KILN_OK);
        assert_true(hit.found && any.found);
        on_edges += hit.weights[0] == 0 || hit.weights[1] == 0 || hit.weights[2] == 0;
    }
    for (int i = 0; i < KINDS; i++) {
        fast_rays_free(&fast[i]);
    }
    kiln_kernel_force(NULL);
    print_message("%u rays, %u of them exactly through edges or corners, none escapes\n", rays,
                  on_edges);
}

static void test_no_ray_escapes(void **state)
{
    (void)state;
    body torus = body_of(mesh_torus(60, 30, 0.2), 4, KILN_LAYOUT_RAW);
    body box = body_of(mesh_box(-1, -1, -1, 1, 1, 1), 1, KILN_LAYOUT_RAW);
    check_no_escape(&torus, 24, inside_torus);
    check_no_escape(&box, 25, inside_box);
    body_free(&torus);
    body_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_soups),
        cmocka_unit_test(test_lattices),
        cmocka_unit_test(test_tori),
        cmocka_unit_test(test_no_ray_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
