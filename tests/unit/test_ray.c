/* What the public header promises of rays: what is refused, and answers on geometry that has a
 * name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/kernel/kernel.h"
#include "../support/body.h"
#include "../support/counted.h"

static body body_from(const float *positions, uint32_t vertices, const uint32_t *indices,
                      uint32_t triangles)
{
    mesh m = {malloc(3 * vertices * sizeof *positions), malloc(3 * triangles * sizeof *indices),
              vertices, triangles};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, positions, 3 * vertices * sizeof *positions);
    memcpy(m.indices, indices, 3 * triangles * sizeof *indices);
    return body_of(m, 4, KILN_LAYOUT_RAW);
}

/* A square of two triangles in z = 0, from 0 to 2, facing up; its diagonal goes through 1 1. */
static const float square_positions[12] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 0};
static const uint32_t square_indices[6] = {0, 1, 2, 0, 2, 3};

static body square(void)
{
    return body_from(square_positions, 4, square_indices, 2);
}

static kiln_ray ray_of(double ox, double oy, double oz, double dx, double dy, double dz)
{
    const kiln_ray ray = {{ox, oy, oz}, {dx, dy, dz}, 0, HUGE_VAL};
    return ray;
}

static kiln_ray_hit closest(const body *b, const kiln_ray *ray)
{
    kiln_ray_hit hit;
    assert_int_equal(kiln_ray_closest(b->trees[0], NULL, ray, NULL, &hit), KILN_OK);
    return hit;
}

static void test_a_plain_hit(void **state)
{
    (void)state;
    body b = square();
    const kiln_ray down = ray_of(1.5, 0.5, 3, 0, 0, -2), up = ray_of(0.5, 1.5, -3, 0, 0, 1);
    kiln_ray_hit hit = closest(&b, &down);
    assert_true(hit.found && hit.triangle == 0 && hit.t == 1.5 && hit.side == KILN_SIDE_FRONT);
    assert_true(hit.weights[0] == 0.25 && hit.weights[1] == 0.5 && hit.weights[2] == 0.25);
    assert_true(hit.normal[0] == 0 && hit.normal[1] == 0 && hit.normal[2] == 1);
    hit = closest(&b, &up);
    assert_true(hit.found && hit.triangle == 1 && hit.t == 3 && hit.side == KILN_SIDE_BACK);
    assert_true(hit.normal[2] == 1);
    const kiln_ray away = ray_of(1.5, 0.5, 3, 0, 0, 2);
    hit = closest(&b, &away);
    assert_true(!hit.found && hit.t == 0 && hit.triangle == 0);
    body_free(&b);
}

/* What is told of a hit, and what is not. */
static void test_less_is_told(void **state)
{
    (void)state;
    body b = square();
    kiln_query_options options = kiln_query_options_default();
    const kiln_ray rays[2] = {ray_of(1.5, 0.5, 3, 0, 0, -2), ray_of(1.5, 0.5, 3, 0, 0, 2)};
    for (int i = 0; i < 4; i++) {
        const kiln_ray *ray = &rays[i % 2];
        const kiln_query_options *how = i < 2 ? NULL : &options;
        kiln_ray_hit full = closest(&b, ray), brief;
        bool meets;
        assert_int_equal(kiln_ray_meets(b.trees[0], NULL, ray, how, &meets), KILN_OK);
        assert_true(meets == (i % 2 == 0));
        assert_int_equal(kiln_ray_closest_brief(b.trees[0], NULL, ray, how, &brief), KILN_OK);
        memset(full.normal, 0, sizeof full.normal);
        full.value = 0;
        assert_memory_equal(&brief, &full, sizeof brief);
    }
    options.cull = KILN_CULL_FRONT;
    bool meets = true;
    assert_int_equal(kiln_ray_meets(b.trees[0], NULL, &rays[0], &options, &meets), KILN_OK);
    assert_false(meets);
    body_free(&b);
}

/* On the diagonal and in a corner: both triangles are met, the smaller id is told. */
static void test_edges_and_corners(void **state)
{
    (void)state;
    body b = square();
    const double places[][2] = {{1, 1}, {0, 0}, {2, 2}, {0x1.8p-3, 0x1.8p-3}};
    for (int i = 0; i < 4; i++) {
        const kiln_ray ray = ray_of(places[i][0], places[i][1], 1, 0, 0, -1);
        kiln_ray_hit hits[2];
        size_t count;
        assert_int_equal(kiln_ray_all(b.trees[0], NULL, &ray, NULL, hits, 2, &count), KILN_OK);
        assert_int_equal(count, 2);
        assert_true(hits[0].t == 1 && hits[1].t == 1);
        assert_true(hits[0].triangle == 0 && hits[1].triangle == 1);
        assert_true(hits[0].weights[1] == 0 && hits[1].weights[2] == 0);
        assert_int_equal(closest(&b, &ray).triangle, 0);
    }
    body_free(&b);
}

static void test_ends_of_t(void **state)
{
    (void)state;
    body b = square();
    kiln_ray ray = ray_of(1.5, 0.5, 1, 0, 0, -1);
    ray.t_max = 1;
    assert_true(closest(&b, &ray).found);
    ray.t_max = nextafter(1, 0);
    assert_false(closest(&b, &ray).found);
    ray.t_max = HUGE_VAL;
    ray.t_min = 1;
    assert_true(closest(&b, &ray).found);
    ray.t_min = nextafter(1, 2);
    assert_false(closest(&b, &ray).found);
    ray.t_min = -HUGE_VAL;
    ray.origin[2] = -5;
    assert_true(closest(&b, &ray).t == -5);
    ray.origin[2] = 0; /* on the surface */
    ray.t_min = ray.t_max = 0;
    assert_true(closest(&b, &ray).found && closest(&b, &ray).t == 0);
    body_free(&b);
}

/* A plate so thin that t rounds to the same on both of its faces: from either side the front comes
 * first, whatever the ids. */
static void test_the_front_of_something_thin(void **state)
{
    (void)state;
    const float thin = 0x1p-60f;
    const float corners[18] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, thin, 2, 0, thin, 0, 2, thin};
    const uint32_t order[2][6] = {{0, 2, 1, 3, 4, 5}, {3, 4, 5, 0, 2, 1}};
    for (int i = 0; i < 4; i++) {
        body b = body_from(corners, 6, order[i / 2], 2);
        const double from = i % 2 == 0 ? -1 : 1;
        const kiln_ray ray = ray_of(0.5, 0.5, from, 0, 0, -from);
        for (int k = 0; k < BODY_KINDS; k++) {
            kiln_ray_hit hit, hits[2];
            size_t count;
            assert_int_equal(kiln_ray_closest(b.trees[k], NULL, &ray, NULL, &hit), KILN_OK);
            assert_true(hit.found && hit.t == 1 && hit.side == KILN_SIDE_FRONT);
            assert_int_equal(kiln_ray_all(b.trees[k], NULL, &ray, NULL, hits, 2, &count), KILN_OK);
            assert_int_equal(count, 2);
            assert_true(hits[1].t == 1 && hits[1].side == KILN_SIDE_BACK);
            assert_int_equal(hits[0].triangle, hit.triangle);
            assert_int_equal(kiln_ray_all(b.trees[k], NULL, &ray, NULL, hits, 1, &count), KILN_OK);
            assert_int_equal(hits[0].triangle, hit.triangle);
        }
        body_free(&b);
    }
}

static void test_in_the_plane(void **state)
{
    (void)state;
    body b = square();
    kiln_ray ray = ray_of(-1, 0.5, 0, 2, 0, 0);
    kiln_ray_hit hit = closest(&b, &ray);
    assert_true(hit.found && hit.side == KILN_SIDE_EDGE && hit.t == 0.5 && hit.triangle == 1);
    ray.origin[0] = 1; /* starts inside the one triangle */
    hit = closest(&b, &ray);
    assert_true(hit.found && hit.t == 0 && hit.triangle == 0);
    ray.origin[1] = 2; /* along an edge */
    assert_true(closest(&b, &ray).found && closest(&b, &ray).triangle == 1);
    ray.origin[1] = nextafter(2, 3);
    assert_false(closest(&b, &ray).found);
    ray.origin[2] = 0x1p-60; /* above it */
    ray.origin[1] = 0.5;
    assert_false(closest(&b, &ray).found);
    body_free(&b);
}

/* A needle along x and a point, both met exactly or not at all. */
static void test_triangles_without_area(void **state)
{
    (void)state;
    const float positions[] = {0, 0, 0, 1, 0, 0, 3, 0, 0, 5, 5, 5};
    const uint32_t indices[] = {0, 2, 1, 3, 3, 3};
    body b = body_from(positions, 4, indices, 2);
    kiln_ray ray = ray_of(2, 0, 7, 0, 0, -1);
    kiln_ray_hit hit = closest(&b, &ray);
    assert_true(hit.found && hit.triangle == 0 && hit.t == 7 && hit.side == KILN_SIDE_EDGE);
    assert_true(hit.normal[0] == 0 && hit.normal[1] == 0 && hit.normal[2] == 0);
    ray.origin[1] = 0x1p-200;
    assert_false(closest(&b, &ray).found);
    ray = ray_of(-1, 0, 0, 1, 0, 0); /* along it */
    assert_true(closest(&b, &ray).t == 1);
    ray = ray_of(0, 0, 0, 1, 1, 1);
    ray.t_min = 1;
    hit = closest(&b, &ray);
    assert_true(hit.found && hit.triangle == 1 && hit.t == 5);
    body_free(&b);
}

static void test_culling(void **state)
{
    (void)state;
    body b = square();
    kiln_query_options options = kiln_query_options_default();
    const kiln_ray down = ray_of(1.5, 0.5, 3, 0, 0, -2), along = ray_of(-1, 0.5, 0, 2, 0, 0);
    kiln_ray_hit hit;
    options.cull = KILN_CULL_BACK;
    assert_int_equal(kiln_ray_closest(b.trees[0], NULL, &down, &options, &hit), KILN_OK);
    assert_true(hit.found);
    assert_int_equal(kiln_ray_closest(b.trees[0], NULL, &along, &options, &hit), KILN_OK);
    assert_true(hit.found);
    options.cull = KILN_CULL_FRONT;
    assert_int_equal(kiln_ray_any(b.trees[0], NULL, &down, &options, &hit), KILN_OK);
    assert_false(hit.found);
    assert_int_equal(kiln_ray_any(b.trees[0], NULL, &along, &options, &hit), KILN_OK);
    assert_true(hit.found);
    body_free(&b);
}

typedef struct {
    uint32_t refused;
    uint32_t calls;
} refusal;

static bool keeps(void *user, uint32_t triangle, uint32_t value)
{
    refusal *r = user;
    r->calls++;
    assert_int_equal(value, body_value(triangle));
    return triangle != r->refused;
}

static void test_filter(void **state)
{
    (void)state;
    body b = square();
    refusal r = {0, 0};
    kiln_query_options options = kiln_query_options_default();
    options.filter = keeps;
    options.filter_user = &r;
    const kiln_ray down = ray_of(1, 1, 3, 0, 0, -2);
    kiln_ray_hit hit, hits[2];
    size_t count;
    assert_int_equal(kiln_ray_closest(b.trees[0], NULL, &down, &options, &hit), KILN_OK);
    assert_true(hit.found && hit.triangle == 1 && r.calls == 2);
    assert_int_equal(kiln_ray_all(b.trees[0], NULL, &down, &options, hits, 2, &count), KILN_OK);
    assert_true(count == 1 && hits[0].triangle == 1);
    r.refused = 7;
    assert_int_equal(kiln_ray_closest(b.trees[0], NULL, &down, &options, &hit), KILN_OK);
    assert_int_equal(hit.triangle, 0);
    body_free(&b);
}

static bool stop_at_once(void *user, const kiln_ray_hit *hit)
{
    (void)hit;
    ++*(size_t *)user;
    return false;
}

static void test_callback_stops(void **state)
{
    (void)state;
    body b = square();
    const kiln_ray down = ray_of(1, 1, 3, 0, 0, -2);
    size_t calls = 0, count = 9;
    assert_int_equal(kiln_ray_each(b.trees[0], NULL, &down, NULL, stop_at_once, &calls, &count),
                     KILN_OK);
    assert_true(calls == 1 && count == 1);
    assert_int_equal(kiln_ray_each(b.trees[0], NULL, &down, NULL, NULL, NULL, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 1);
    body_free(&b);
}

static void test_pose(void **state)
{
    (void)state;
    body b = square();
    /* a quarter turn about y: the square stands in x = 3, facing +x */
    const kiln_pose pose = {{0, 0, 1, 0, 1, 0, -1, 0, 0}, {3, 0, 0}, 1};
    const kiln_ray ray = ray_of(10, 0.5, -1.5, -1, 0, 0);
    kiln_ray_hit hit;
    assert_int_equal(kiln_ray_closest(b.trees[0], &pose, &ray, NULL, &hit), KILN_OK);
    assert_true(hit.found && hit.t == 7 && hit.side == KILN_SIDE_FRONT && hit.triangle == 0);
    assert_true(hit.normal[0] == 1 && hit.normal[1] == 0 && hit.normal[2] == 0);
    body_free(&b);
}

static void expect_refused(const kiln_tree *tree, const kiln_pose *pose, const kiln_ray *ray,
                           const kiln_query_options *options, kiln_status want)
{
    kiln_ray_hit hit, before;
    size_t count = 77;
    memset(&before, 0x5A, sizeof before);
    hit = before;
    assert_int_equal(kiln_ray_closest(tree, pose, ray, options, &hit), want);
    assert_int_equal(kiln_ray_any(tree, pose, ray, options, &hit), want);
    assert_int_equal(kiln_ray_closest_brief(tree, pose, ray, options, &hit), want);
    assert_int_equal(kiln_ray_meets(tree, pose, ray, options, &hit.found), want);
    assert_int_equal(kiln_ray_all(tree, pose, ray, options, &hit, 1, &count), want);
    assert_memory_equal(&hit, &before, sizeof hit);
    assert_int_equal(count, 77);
}

static void test_refusals(void **state)
{
    (void)state;
    body b = square();
    const kiln_ray good = ray_of(1, 1, 3, 0, 0, -2);
    const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL, 1e61};
    expect_refused(NULL, NULL, &good, NULL, KILN_ERROR_ARGUMENT);
    expect_refused(b.trees[0], NULL, NULL, NULL, KILN_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 3; k++) {
            kiln_ray ray = good;
            ray.origin[k] = bad[i];
            expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
            ray = good;
            ray.direction[k] = bad[i];
            expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
        }
    }
    kiln_ray ray = good;
    ray.t_min = NAN;
    expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
    ray = good;
    ray.t_max = NAN;
    expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
    ray.t_max = -1;
    expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
    ray = ray_of(1, 1, 3, 0, 0, 0);
    expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
    ray = ray_of(1, 1, 3, 0, 1e-31, 0);
    expect_refused(b.trees[0], NULL, &ray, NULL, KILN_ERROR_ARGUMENT);
    kiln_query_options options = kiln_query_options_default();
    options.cull = (kiln_cull)3;
    expect_refused(b.trees[0], NULL, &good, &options, KILN_ERROR_ARGUMENT);
    kiln_pose pose = kiln_pose_identity();
    pose.rotation[0] = 0;
    expect_refused(b.trees[0], &pose, &good, NULL, KILN_ERROR_POSE);
    kiln_ray_hit hit;
    size_t count;
    assert_int_equal(kiln_ray_closest(b.trees[0], NULL, &good, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_closest_brief(b.trees[0], NULL, &good, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_meets(b.trees[0], NULL, &good, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_all(b.trees[0], NULL, &good, NULL, NULL, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_all(b.trees[0], NULL, &good, NULL, &hit, 1, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_all(b.trees[0], NULL, &good, NULL, NULL, 0, &count), KILN_OK);
    assert_int_equal(count, 2);
    body_free(&b);
}

static void test_without_polygons(void **state)
{
    (void)state;
    counted c = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    const kiln_ray good = ray_of(0.5, 0.5, 3, 0, 0, -2);
    expect_refused(c.tree, NULL, &good, NULL, KILN_ERROR_NOT_LOADED);
    counted_free(&c);
}

/* Ends of t and directions as far as they may go. */
static void test_extremes(void **state)
{
    (void)state;
    body b = square();
    kiln_ray ray = ray_of(1.5, 0.5, 1, 0, 0, -1e-30);
    assert_true(fabs(closest(&b, &ray).t / 1e30 - 1) < 1e-12);
    ray = ray_of(1.5, 0.5, 1e60, 0, 0, -1e30);
    assert_true(fabs(closest(&b, &ray).t / 1e30 - 1) < 1e-12);
    ray.t_min = -HUGE_VAL;
    assert_true(closest(&b, &ray).found);
    ray = ray_of(1.5, 1e60, 1, 0, 0, -1);
    assert_false(closest(&b, &ray).found);
    ray = ray_of(1.5, 0.5, 1, 1e-200, -1e-200, -1);
    assert_true(closest(&b, &ray).t == 1);
    ray.t_max = 1e300;
    ray.t_min = 1e-310;
    assert_true(closest(&b, &ray).t == 1);
    ray = ray_of(1.5, 0.5, 0x1p-300, 0, 0, -1); /* counts as on the square */
    assert_true(closest(&b, &ray).t == 0);
    body_free(&b);
}

/* The origin is so close to the plane of the triangle that doubles lose digits of t. The plane has
 * few binary digits and its height below the origin at most 53, so that t is known exactly. */
static void test_close_to_the_plane(void **state)
{
    (void)state;
    uint64_t random = 5;
    static const uint32_t indices[3] = {0, 1, 2};
    static const double around[3][2] = {{-1, -1}, {2, -1}, {0, 2}};
    for (int i = 0; i < 64; i++) {
        const double slope_x = random_below(&random, 512) * 0x1p-11,
                     slope_y = random_below(&random, 512) * 0x1p-11,
                     x = 0.25 + random_below(&random, 1u << 31) * 0x1p-41,
                     y = 0.25 + random_below(&random, 1u << 31) * 0x1p-41;
        float corners[9];
        for (int k = 0; k < 3; k++) {
            const double corner_x = around[k][0] + random_below(&random, 256) * 0x1p-10,
                         corner_y = around[k][1] + random_below(&random, 256) * 0x1p-10;
            corners[3 * k] = (float)corner_x;
            corners[3 * k + 1] = (float)corner_y;
            corners[3 * k + 2] = (float)(slope_x * corner_x + slope_y * corner_y);
        }
        body b = body_from(corners, 3, indices, 1);
        const kiln_ray ray = ray_of(x, y, (slope_x * x + slope_y * y) + 0x1p-22, 0, 0, -1);
        const kiln_ray_hit hit = closest(&b, &ray);
        assert_true(hit.found);
        assert_true(fabs(hit.t * 0x1p+22 - 1) <= 0x1p-40);
        body_free(&b);
    }
}

/* The yes or no of every instruction set is that of the exact decision. */
static bool meets_as_decided(const kiln_tree *tree, const kiln_ray *ray)
{
    const kiln_kernel *kernel;
    kiln_ray_hit hit;
    assert_int_equal(kiln_ray_closest(tree, NULL, ray, NULL, &hit), KILN_OK);
    for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
        bool meets;
        kiln_kernel_force(kernel);
        assert_int_equal(kiln_ray_meets(tree, NULL, ray, NULL, &meets), KILN_OK);
        assert_true(meets == hit.found);
    }
    kiln_kernel_force(NULL);
    return hit.found;
}

/* A ray that passes a triangle within a few roundings of an edge. */
static void test_meets_close_to_edges(void **state)
{
    (void)state;
    uint64_t random = 78;
    size_t hits = 0;
    for (int i = 0; i < 1500; i++) {
        body b = body_of(mesh_soup(&random, 1, 0.9), 4, KILN_LAYOUT_RAW);
        const uint32_t corner = random_below(&random, 3);
        const double along = random_between(&random, 0, 1);
        double from[3], to[3];
        random_direction(&random, from);
        for (uint32_t k = 0; k < 3; k++) {
            const double p = (double)b.mesh.positions[3 * corner + k];
            const double q = (double)b.mesh.positions[3 * ((corner + 1) % 3) + k];
            from[k] *= ldexp(1, i % 20);
            to[k] = p + along * (q - p);
        }
        kiln_ray ray = kiln_ray_between(from, to);
        ray.t_max = HUGE_VAL;
        hits += meets_as_decided(b.trees[i % BODY_KINDS], &ray);
        body_free(&b);
    }
    assert_true(hits > 250 && hits < 1250);
}

/* A ray that begins at 0, within a few roundings of a triangle. */
static void test_meets_close_to_the_start(void **state)
{
    (void)state;
    uint64_t random = 79;
    size_t hits = 0;
    for (int i = 0; i < 400; i++) {
        body b = body_of(mesh_soup(&random, 1, 0.9), 4, KILN_LAYOUT_RAW);
        for (int k = 0; k < 20; k++) {
            kiln_ray ray = {.t_max = HUGE_VAL};
            double weight[3] = {random_between(&random, 0.1, 1), random_between(&random, 0.1, 1),
                                random_between(&random, 0.1, 1)};
            const double sum = weight[0] + weight[1] + weight[2];
            random_direction(&random, ray.direction);
            for (uint32_t j = 0; j < 9; j++) {
                ray.origin[j % 3] += weight[j / 3] / sum *
                                     (double)b.mesh.positions[3 * b.mesh.indices[j / 3] + j % 3];
            }
            hits += meets_as_decided(b.trees[i % BODY_KINDS], &ray);
        }
        body_free(&b);
    }
    assert_true(hits > 2000 && hits < 6000);
}

/* A ray that ends, or begins, within a few roundings of where it passes through a triangle: whether
 * there is a hit is asked without computing it, and must be what the exact decision says, in every
 * instruction set. */
static void test_meets_close_to_ends(void **state)
{
    (void)state;
    uint64_t random = 77;
    size_t hits = 0, misses = 0;
    for (int i = 0; i < 300; i++) {
        body b = body_of(mesh_soup(&random, 1, 0.9), 4, KILN_LAYOUT_RAW);
        const kiln_tree *tree = b.trees[i % BODY_KINDS];
        double from[3], to[3] = {0, 0, 0};
        random_direction(&random, from);
        for (int k = 0; k < 9; k++) {
            to[k % 3] +=
                (double)b.mesh.positions[3 * b.mesh.indices[k / 3] + (uint32_t)(k % 3)] / 3;
        }
        for (int k = 0; k < 3; k++) {
            from[k] *= ldexp(1, (int)random_below(&random, 20));
        }
        kiln_ray ray = kiln_ray_between(from, to);
        ray.t_max = HUGE_VAL;
        kiln_ray_hit hit;
        assert_int_equal(kiln_ray_closest(tree, NULL, &ray, NULL, &hit), KILN_OK);
        assert_true(hit.found);
        double low = hit.t, high = hit.t;
        for (int step = 0; step < 12; step++) {
            for (int end = 0; end < 4; end++) {
                kiln_ray cut = ray;
                const double at = end % 2 == 0 ? low : high;
                *(end < 2 ? &cut.t_max : &cut.t_min) = at;
                const bool met = meets_as_decided(tree, &cut);
                hits += met;
                misses += !met;
            }
            low = nextafter(low, -HUGE_VAL);
            high = nextafter(high, HUGE_VAL);
        }
        body_free(&b);
    }
    assert_true(hits > 1000 && misses > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_plain_hit),
        cmocka_unit_test(test_less_is_told),
        cmocka_unit_test(test_edges_and_corners),
        cmocka_unit_test(test_ends_of_t),
        cmocka_unit_test(test_the_front_of_something_thin),
        cmocka_unit_test(test_in_the_plane),
        cmocka_unit_test(test_triangles_without_area),
        cmocka_unit_test(test_culling),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_callback_stops),
        cmocka_unit_test(test_pose),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_without_polygons),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_close_to_the_plane),
        cmocka_unit_test(test_meets_close_to_edges),
        cmocka_unit_test(test_meets_close_to_ends),
        cmocka_unit_test(test_meets_close_to_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
