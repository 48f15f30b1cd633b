/* What the public header promises of nearest points: what is refused, answers on geometry that has
 * a name, pseudonormals and signs; and integers of any length. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/exact/point_triangle.h"
#include "../../runtime/exact/wide_integer.h"
#include "../../runtime/kiln_nearest.h"
#include "../../runtime/walk/affine_point_walk.h"
#include "../support/body.h"

static body box(void)
{
    return body_of(mesh_box(-1, -1, -1, 1, 1, 1), 2, KILN_LAYOUT_RAW);
}

static kiln_surface_point nearest(const kiln_tree *tree, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    kiln_surface_point out;
    assert_int_equal(kiln_nearest_point(tree, NULL, point, NULL, &out), KILN_OK);
    return out;
}

static double signed_at(const kiln_tree *tree, double x, double y, double z)
{
    const double point[3] = {x, y, z};
    double distance;
    assert_int_equal(kiln_signed_distance(tree, NULL, point, NULL, &distance, NULL), KILN_OK);
    return distance;
}

static void assert_vector(const double v[3], double x, double y, double z)
{
    const double off = fabs(v[0] - x) + fabs(v[1] - y) + fabs(v[2] - z);
    assert_true(off <= 1e-12);
}

/* ----------------------------------------------------------------------------------- answers -- */

/* Coordinates that an affine pose makes are rounded to the nearest step of those that are stored,
 * ties to even, in every power of two that has finer ones. */
static void test_least_steps(void **state)
{
    (void)state;
    const double thirds[] = {1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0, 1.0 / 9, 0, 0, 0, 0x1p-20};
    kiln_pose pose = kiln_pose_identity();
    kiln_placement placement;
    memcpy(pose.rotation, thirds, sizeof thirds);
    assert_int_equal(kiln_placement_form_any(&placement, &pose), KILN_OK);
    for (int i = 0; i < 16 * 140; i++) {
        double corners[9], rounded[9];
        for (int k = 0; k < 9; k++) {
            corners[k] = ldexp((k % 2 == 0 ? k : -k) * (16 + i % 16), i / 16 - 149);
        }
        for (int c = 0; c < 9; c += 3) {
            for (int k = 0; k < 3; k++) {
                const double *row = thirds + 3 * k, *v = corners + c;
                const double placed = (row[0] * v[0] + row[1] * v[1]) + row[2] * v[2];
                rounded[c + k] = ldexp(nearbyint(ldexp(placed, 149)), -149);
            }
        }
        kiln_affine_carry_corners(&placement, corners);
        for (int k = 0; k < 9; k++) {
            assert_true(corners[k] == rounded[k]);
        }
    }
}

/* A box of 2 x 6 x 2, about (10, 0, 0); and the same seen in a mirror. */
static void test_stretched_box(void **state)
{
    (void)state;
    body b = box();
    for (int mirror = 0; mirror < 2; mirror++) {
        kiln_pose pose = kiln_pose_identity();
        const double out = mirror ? -1 : 1, edge = sqrt(0.5);
        const double points[][3] = {{13, 0.5, 0.25}, {10.25, 7, 4}, {10, 2.5, 0.125}};
        double distances[3];
        kiln_surface_point at[3];
        pose.translation[0] = 10;
        pose.rotation[0] = out;
        pose.rotation[4] = 3;
        for (int kind = 0; kind < BODY_KINDS; kind++) {
            const kiln_tree *tree = b.trees[kind];
            assert_int_equal(kiln_nearest_points(tree, &pose, points[0], 3, NULL, at), KILN_OK);
            assert_true(at[0].distance == 2 && at[0].feature == KILN_FEATURE_FACE);
            assert_vector(at[0].point, 11, 0.5, 0.25);
            assert_vector(at[0].normal, out, 0, 0);
            assert_true(at[1].distance == 5 && at[1].feature == KILN_FEATURE_EDGE);
            assert_vector(at[1].point, 10.25, 3, 1);
            assert_vector(at[1].normal, 0, out * edge, out * edge);
            assert_true(at[2].distance == 0.5);
            assert_int_equal(kiln_signed_distances(tree, &pose, points[0], 3, NULL, distances),
                             KILN_OK);
            assert_true(distances[0] == 2 && distances[1] == 5 && distances[2] == -0.5);
        }
    }
    body_free(&b);
}

/* Shears by integers carry integers exactly: the answers are those of the mesh carried before. */
static void test_sheared_lattice(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int turn = 0; turn < 12; turn++) {
        kiln_pose pose = kiln_pose_identity();
        uint64_t same = random;
        mesh m = mesh_lattice(&random, 60, 8), carried = mesh_lattice(&same, 60, 8);
        for (int k = 0; k < 3; k++) {
            pose.rotation[(int[]){1, 2, 5}[k]] = (double)random_below(&random, 9) - 4;
        }
        for (uint32_t i = 0; i < m.vertex_count; i++) {
            const float *v = m.positions + 3 * (size_t)i;
            for (size_t k = 0; k < 3; k++) {
                const double *row = pose.rotation + 3 * k;
                carried.positions[3 * i + k] =
                    (float)((row[0] * (double)v[0] + row[1] * (double)v[1]) +
                            row[2] * (double)v[2]);
            }
        }
        body sheared = body_of(m, 2, KILN_LAYOUT_RAW),
             before = body_of(carried, 2, KILN_LAYOUT_RAW);
        for (int n = 0; n < 40; n++) {
            double p[3];
            for (int k = 0; k < 3; k++) {
                p[k] = ((double)random_below(&random, 513) - 256) / 4;
            }
            const kiln_surface_point want = nearest(before.trees[0], p[0], p[1], p[2]);
            for (int kind = 0; kind < BODY_KINDS; kind++) {
                kiln_surface_point at;
                assert_int_equal(kiln_nearest_point(sheared.trees[kind], &pose, p, NULL, &at),
                                 KILN_OK);
                assert_int_equal(at.triangle, want.triangle);
                assert_true(at.distance == want.distance && at.feature == want.feature);
            }
        }
        body_free(&sheared);
        body_free(&before);
    }
}

static void test_features_of_a_box(void **state)
{
    (void)state;
    body b = box();
    const double third = 1 / sqrt(3.0), half = sqrt(0.5);
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        const kiln_tree *tree = b.trees[kind];
        kiln_surface_point at = nearest(tree, 0.25, 0.5, 3);
        assert_true(at.found && at.distance == 2 && at.feature == KILN_FEATURE_FACE);
        assert_vector(at.point, 0.25, 0.5, 1);
        assert_vector(at.normal, 0, 0, 1);
        at = nearest(tree, 0.25, 4, 5);
        assert_true(at.distance == 5 && at.feature == KILN_FEATURE_EDGE);
        assert_vector(at.point, 0.25, 1, 1);
        assert_vector(at.normal, 0, half, half);
        at = nearest(tree, 2, -2, 2);
        assert_true(fabs(at.distance - sqrt(3.0)) < 1e-12 && at.feature == KILN_FEATURE_CORNER);
        assert_vector(at.point, 1, -1, 1);
        assert_vector(at.normal, third, -third, third);
        assert_true(at.weights[at.part] == 1);
        /* above the diagonal of a face: one of two triangles, and the normal of both */
        at = nearest(tree, 0, 0, 2);
        assert_true(at.distance == 1 && at.feature == KILN_FEATURE_EDGE);
        assert_vector(at.normal, 0, 0, 1);
        /* all twelve triangles touch an edge's or a face's middle at distance 1 */
        at = nearest(tree, 0, 0, 0);
        assert_true(at.distance == 1 && at.triangle == 0);
    }
    body_free(&b);
}

static void test_signs(void **state)
{
    (void)state;
    body b = box();
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        const kiln_tree *tree = b.trees[kind];
        assert_true(signed_at(tree, 0, 0, 0) == -1);
        assert_true(signed_at(tree, 0.75, 0, 0) == -0.25);
        assert_true(signed_at(tree, 0, 0, 1) == 0);
        assert_true(signed_at(tree, 1, 1, 1) == 0);
        assert_true(signed_at(tree, 4, 5, 0) == 5);
        assert_true(signed_at(tree, 1 + 0x1p-52, 0.3, 0.1) > 0);
        assert_true(signed_at(tree, 1 - 0x1p-53, 0.3, 0.1) == -0x1p-53);
    }
    /* beyond what is wanted only the side is known */
    kiln_point_options options = kiln_point_options_default();
    const double inside[3] = {0, 0, 0}, outside[3] = {3, 0, 0};
    double distance;
    kiln_surface_point at;
    options.beyond = 0.5;
    assert_int_equal(kiln_signed_distance(b.trees[0], NULL, inside, &options, &distance, &at),
                     KILN_OK);
    assert_true(distance == -HUGE_VAL && !at.found && at.distance == 0.5);
    assert_int_equal(kiln_signed_distance(b.trees[0], NULL, outside, &options, &distance, NULL),
                     KILN_OK);
    assert_true(distance == HUGE_VAL);
    body_free(&b);
}

/* The sign of the pseudonormal is that of the inside test, near edges and corners too. */
static void test_pseudonormals_tell_sides(void **state)
{
    (void)state;
    uint64_t random = 5;
    body b = body_of(mesh_torus(20, 12, 0.3), 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < 2000; i++) {
        double point[3], distance, along = 0;
        kiln_surface_point at;
        for (int k = 0; k < 3; k++) {
            point[k] = random_between(&random, -1.6, 1.6) * (k == 2 ? 0.4 : 1);
        }
        assert_int_equal(
            kiln_signed_distance(b.trees[i % BODY_KINDS], NULL, point, NULL, &distance, &at),
            KILN_OK);
        for (int k = 0; k < 3; k++) {
            along += at.normal[k] * (point[k] - at.point[k]);
        }
        assert_true(fabs(distance) == at.distance);
        assert_true(along > 0 ? distance > 0 : distance < 0);
    }
    body_free(&b);
}

/* A pose that scales: lengths are those of the world, and a radius is met exactly. */
static void test_scales(void **state)
{
    (void)state;
    body b = box();
    kiln_pose pose = kiln_pose_identity();
    kiln_surface_point out[12];
    const double point[3] = {10, 0, 50};
    size_t count;
    pose.scale = 4;
    pose.translation[0] = 10;
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        const kiln_tree *tree = b.trees[kind];
        assert_int_equal(kiln_nearest_point(tree, &pose, point, NULL, &out[0]), KILN_OK);
        assert_true(out[0].distance == 46);
        assert_vector(out[0].point, 10, 0, 4);
        assert_int_equal(kiln_nearest_within(tree, &pose, point, 46, NULL, out, 12, &count),
                         KILN_OK);
        assert_int_equal(count, 2);
        assert_true(out[0].triangle < out[1].triangle && out[1].distance == 46);
        assert_int_equal(
            kiln_nearest_within(tree, &pose, point, nextafter(46, 0), NULL, out, 12, &count),
            KILN_OK);
        assert_int_equal(count, 0);
        assert_int_equal(kiln_nearest_within(tree, &pose, point, HUGE_VAL, NULL, NULL, 0, &count),
                         KILN_OK);
        assert_int_equal(count, 12);
        assert_int_equal(kiln_nearest_several(tree, &pose, point, 3, NULL, out, &count), KILN_OK);
        assert_int_equal(count, 3);
        assert_int_equal(kiln_nearest_several(tree, &pose, point, 0, NULL, NULL, &count), KILN_OK);
        assert_int_equal(count, 0);
    }
    body_free(&b);
}

/* Very far away, and very large and small numbers: nothing overflows. */
static void test_far_away(void **state)
{
    (void)state;
    body b = box();
    for (int exponent = -250; exponent <= 199; exponent += 3) {
        const double far = ldexp(1, exponent);
        const kiln_surface_point at = nearest(b.trees[exponent & 1], far, 2 * far, 3 * far);
        assert_true(at.found && isfinite(at.distance));
        if (exponent > 60) {
            assert_true(at.feature == KILN_FEATURE_CORNER && at.point[0] == 1 && at.point[2] == 1);
            assert_true(fabs(at.distance / far - sqrt(14.0)) < 1e-12);
        }
    }
    body_free(&b);
}

/* Just beside corners and edges, where distances are far smaller than triangles, so that doubles
 * say different things of triangles that share them: the triangle is the one that exact comparisons
 * of all give. */
static void test_close_to_the_surface(void **state)
{
    (void)state;
    uint64_t random = 7;
    body b = body_of(mesh_torus(16, 10, 0.3), 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < 300; i++) {
        const uint32_t *t = b.mesh.indices + 3 * random_below(&random, b.mesh.triangle_count);
        const double part = i % 2 == 0 ? 0 : random_between(&random, 0, 1);
        const double off = ldexp(1, -30 - i % 20);
        double point[3], best[9];
        kiln_nearest_feature of_best = {KILN_FEATURE_FACE, 0};
        uint32_t wanted = UINT32_MAX;
        for (int k = 0; k < 3; k++) {
            const double from = (double)b.mesh.positions[3 * t[0] + (uint32_t)k];
            const double to = (double)b.mesh.positions[3 * t[1] + (uint32_t)k];
            point[k] = from + part * (to - from) + random_between(&random, -off, off);
        }
        for (uint32_t j = 0; j < b.mesh.triangle_count; j++) {
            double corners[9];
            for (uint32_t k = 0; k < 9; k++) {
                corners[k] = (double)b.mesh.positions[3 * b.mesh.indices[3 * j + k / 3] + k % 3];
            }
            const kiln_nearest_feature at = kiln_point_feature(point, corners);
            if (wanted == UINT32_MAX || kiln_point_compare(point, corners, at, best, of_best) < 0) {
                wanted = j;
                of_best = at;
                memcpy(best, corners, sizeof best);
            }
        }
        const kiln_surface_point at =
            nearest(b.trees[i % BODY_KINDS], point[0], point[1], point[2]);
        assert_int_equal(at.triangle, wanted);
    }
    body_free(&b);
}

/* Halves of a torus of 2^-16, 2 apart: nodes are finer than a float is of
 * where they lie. What is at corners, and beside them, is found there. */
static void test_fine_detail(void **state)
{
    (void)state;
    mesh m = mesh_torus(24, 12, 0.3);
    for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
        m.positions[i] = (2 * i < 3 * m.vertex_count ? 0.7f : -0.93f) + 0x1p-17f * m.positions[i];
    }
    body b = body_of(m, 2, KILN_LAYOUT_RAW);
    for (uint32_t i = 2; i < 2 * m.vertex_count; i++) {
        const float *v = m.positions + 3 * (i / 2);
        const double off = i % 2 == 0 ? 0 : 0x1p-28;
        kiln_surface_point first;
        for (int kind = 0; kind < BODY_KINDS; kind++) {
            kiln_surface_point at = nearest(b.trees[kind], (double)v[0] + off,
                                            (double)v[1] - off / 2, (double)v[2] + off / 4);
            assert_true(at.distance <= 2 * off);
            at.hint = 0;
            first = kind == 0 ? at : first;
            assert_memory_equal(&at, &first, sizeof at);
        }
    }
    body_free(&b);
}

/* Two triangles share the corner that is nearest in the first one. The other one's edge leads
 * nearer by 2^-50. */
static void test_corner_left_hardly(void **state)
{
    (void)state;
    mesh m = mesh_box(0, 0, 0, 1, 1, 1);
    const float at[5][3] = {
        {0, 0, 0}, {-1, 0, -1}, {-1, 1, -1}, {1, 0, -0x1.fffffep-1f}, {1, 0, -2}};
    const uint32_t corner[6] = {0, 1, 2, 0, 3, 4};
    m.triangle_count = 2;
    memcpy(m.positions, at, sizeof at);
    memcpy(m.indices, corner, sizeof corner);
    body b = body_of(m, 2, KILN_LAYOUT_RAW);
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        const kiln_surface_point out = nearest(b.trees[kind], 1, 0, 1);
        assert_int_equal(out.triangle, 1);
        assert_int_equal(out.feature, KILN_FEATURE_EDGE);
    }
    body_free(&b);
}

/* ------------------------------------------------------------------------------- many points -- */

static void backwards(void *user, void (*task)(void *context, uint32_t index), void *context,
                      uint32_t count)
{
    *(uint32_t *)user += count;
    while (count-- > 0) {
        task(context, count);
    }
}

static void test_many_points(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static double points[3 * COUNT], distances[COUNT];
    static kiln_surface_point out[COUNT], again[COUNT];
    uint64_t random = 9;
    uint32_t tasks = 0;
    body b = body_of(mesh_torus(20, 12, 0.3), 4, KILN_LAYOUT_RAW);
    kiln_point_options options = kiln_point_options_default();
    for (int i = 0; i < 3 * COUNT; i++) {
        points[i] = random_between(&random, -2, 2);
    }
    assert_int_equal(kiln_nearest_points(b.trees[0], NULL, points, COUNT, NULL, out), KILN_OK);
    options.parallel = backwards;
    options.parallel_user = &tasks;
    assert_int_equal(kiln_nearest_points(b.trees[0], NULL, points, COUNT, &options, again),
                     KILN_OK);
    assert_int_equal(kiln_signed_distances(b.trees[0], NULL, points, COUNT, &options, distances),
                     KILN_OK);
    assert_int_equal(tasks, 8);
    assert_memory_equal(out, again, sizeof out);
    for (int i = 0; i < COUNT; i++) {
        const kiln_surface_point one =
            nearest(b.trees[1], points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        assert_memory_equal(&one, &out[i], offsetof(kiln_surface_point, hint));
        assert_true(fabs(distances[i]) == one.distance);
    }
    points[3 * 700] = NAN;
    assert_int_equal(kiln_nearest_points(b.trees[0], NULL, points, COUNT, NULL, out),
                     KILN_ERROR_ARGUMENT);
    kiln_pose flat = kiln_pose_identity();
    kiln_point_options none = kiln_point_options_default();
    flat.rotation[8] = 0;
    none.beyond = -1;
    assert_int_equal(kiln_nearest_points(b.trees[0], NULL, NULL, 0, NULL, NULL), KILN_OK);
    assert_int_equal(kiln_nearest_points(b.trees[0], &flat, NULL, 0, NULL, NULL), KILN_ERROR_POSE);
    assert_int_equal(kiln_signed_distances(b.trees[0], &flat, NULL, 0, NULL, NULL),
                     KILN_ERROR_POSE);
    assert_int_equal(kiln_nearest_points(b.trees[0], NULL, NULL, 0, &none, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_points(NULL, NULL, points, 1, NULL, out), KILN_ERROR_ARGUMENT);
    body_free(&b);
}

/* ---------------------------------------------------------------------------------- refusals -- */

static bool stop_second(void *user)
{
    return ++*(int *)user == 2;
}

static bool end_at_once(void *user, const kiln_surface_point *found)
{
    (void)found;
    ++*(int *)user;
    return false;
}

static void test_refusals(void **state)
{
    (void)state;
    body b = box();
    kiln_point_options options = kiln_point_options_default();
    kiln_pose pose = kiln_pose_identity();
    double point[3] = {0, 0, 3}, distance = 7;
    kiln_surface_point out, untouched;
    size_t count = 5;
    int calls = 0;
    memset(&out, 1, sizeof out);
    untouched = out;
    assert_int_equal(kiln_nearest_point(NULL, NULL, point, NULL, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_point(b.trees[0], NULL, NULL, NULL, &out), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_point(b.trees[0], NULL, point, NULL, NULL), KILN_ERROR_ARGUMENT);
    const double bad[] = {NAN, HUGE_VAL, -1e61};
    for (int i = 0; i < 3; i++) {
        point[1] = bad[i];
        assert_int_equal(kiln_nearest_point(b.trees[0], NULL, point, NULL, &out),
                         KILN_ERROR_ARGUMENT);
    }
    point[1] = 0;
    options.beyond = -1;
    assert_int_equal(kiln_nearest_point(b.trees[0], NULL, point, &options, &out),
                     KILN_ERROR_ARGUMENT);
    options.beyond = NAN;
    assert_int_equal(kiln_nearest_point(b.trees[0], NULL, point, &options, &out),
                     KILN_ERROR_ARGUMENT);
    pose.scale = 0;
    assert_int_equal(kiln_nearest_point(b.trees[0], &pose, point, NULL, &out), KILN_ERROR_POSE);
    assert_memory_equal(&out, &untouched, sizeof out);
    assert_int_equal(kiln_nearest_several(b.trees[0], NULL, point, 1, NULL, NULL, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_several(b.trees[0], NULL, point, 1, NULL, &out, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_within(b.trees[0], NULL, point, -1, NULL, &out, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_within(b.trees[0], NULL, point, NAN, NULL, &out, 1, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_nearest_within_each(b.trees[0], NULL, point, 1, NULL, NULL, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 5);
    assert_int_equal(kiln_signed_distance(b.trees[0], NULL, point, NULL, NULL, &out),
                     KILN_ERROR_ARGUMENT);
    /* what stops, and what ends */
    options = kiln_point_options_default();
    options.stop = stop_second;
    options.stop_user = &calls;
    assert_int_equal(kiln_nearest_within(b.trees[0], NULL, point, 9, &options, &out, 1, &count),
                     KILN_ERROR_STOPPED);
    calls = 0;
    assert_int_equal(
        kiln_nearest_within_each(b.trees[0], NULL, point, 9, NULL, end_at_once, &calls, &count),
        KILN_OK);
    assert_true(calls == 1 && count == 1);
    /* options of an older caller, whose struct ends after the filter */
    options = kiln_point_options_default();
    options.struct_size = offsetof(kiln_point_options, beyond);
    options.beyond = -1;
    assert_int_equal(kiln_nearest_point(b.trees[0], NULL, point, &options, &out), KILN_OK);
    body_free(&b);
    body open = body_of(mesh_torus(4, 4, 0), 4, KILN_LAYOUT_RAW);
    body_free(&open);
    uint64_t random = 1;
    body soup = body_of(mesh_soup(&random, 9, 0.5), 4, KILN_LAYOUT_RAW);
    assert_int_equal(kiln_signed_distance(soup.trees[0], NULL, point, NULL, &distance, &out),
                     KILN_ERROR_OPEN_MESH);
    assert_true(distance == 7);
    body_free(&soup);
}

/* -------------------------------------------------------------------------- single decisions -- */

/* Degenerate triangles: a point, a segment, one whose corners are on a line. */
static void test_triangles_without_area(void **state)
{
    (void)state;
    const double p[3] = {0.5, 1, 0};
    const double point[9] = {0, 0, 0, 0, 0, 0, 0, 0, 0}, segment[9] = {0, 0, 0, 2, 0, 0, 2, 0, 0};
    const double line[9] = {0, 0, 0, 0.5, 0, 0, 2, 0, 0};
    kiln_nearest_feature at = kiln_point_feature(p, point);
    assert_true(at.kind == KILN_FEATURE_CORNER && at.part == 0);
    at = kiln_point_feature(p, segment);
    assert_true(at.kind == KILN_FEATURE_EDGE && at.part == 1);
    at = kiln_point_feature(p, line);
    assert_true(at.kind == KILN_FEATURE_CORNER && at.part == 1);
}

/* Two triangles whose distances differ by less than pairs of doubles hold. */
static void test_near_ties(void **state)
{
    (void)state;
    const double p[3] = {0, 0, 0}, off = 0x1p-249;
    const double t[9] = {1, -1, -1, 1, 2, 0, 1, 0, 3};
    const double u[9] = {-1, -1, -1, -1, 2, 0, -1, 0, 3};
    const double q[3] = {off, 0, 0};
    const kiln_nearest_feature of_t = kiln_point_feature(p, t), of_u = kiln_point_feature(p, u);
    assert_int_equal(of_t.kind, KILN_FEATURE_FACE);
    assert_int_equal(kiln_point_compare(p, t, of_t, u, of_u), 0);
    assert_int_equal(kiln_point_compare(q, t, of_t, u, of_u), -1);
    assert_int_equal(kiln_point_compare(q, u, of_u, t, of_t), 1);
    assert_int_equal(kiln_point_compare_radius(p, t, of_t, 1), 0);
    assert_int_equal(kiln_point_compare_radius(q, t, of_t, 1), -1);
    assert_int_equal(kiln_point_compare_radius(q, u, of_u, 1), 1);
    assert_int_equal(kiln_point_compare_radius(q, u, of_u, HUGE_VAL), -1);

    /* one plane, x + y + z = 1, by triangles of many sizes: the square is 1 / 3 for all */
    const double first[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const kiln_nearest_feature of_first = kiln_point_feature(p, first);
    for (int i = 0; i < 1000; i++) {
        const double a = i % 10, b = i / 10 % 10, c = i / 100;
        const double v[9] = {1 + 2 * a, -a, -a, -b, 1 + 2 * b, -b, -c, -c, 1 + 2 * c};
        const kiln_nearest_feature of_v = kiln_point_feature(p, v);
        assert_int_equal(of_v.kind, KILN_FEATURE_FACE);
        assert_int_equal(kiln_point_compare(p, first, of_first, v, of_v), 0);
    }
}

/* A multiple of 2^-45 from -1 to 1: sums of a few are exact. */
static double forty_bits(uint64_t *state)
{
    return floor(random_between(state, -1, 1) * 0x1p45) * 0x1p-45;
}

/* Equal distances that pairs of doubles round, each in a way of its own: to triangles in a plane
 * whose distance is r, to edges in one line, to corners with the same coordinates in another order.
 */
static void test_rounded_ties(void **state)
{
    (void)state;
    uint64_t random = 21;
    const double p[3] = {0, 0, 0};
    size_t faces = 0, edges = 0;
    for (int i = 0; i < 300; i++) {
        double t[2][9];
        kiln_nearest_feature of[2];
        const double r = 0.25 + fabs(forty_bits(&random)) / 8;
        for (int n = 0; n < 2; n++) { /* x + 2 y + 2 z = 3 r */
            for (int c = 0; c < 9; c += 3) {
                t[n][c + 1] = 2 * forty_bits(&random);
                t[n][c + 2] = 2 * forty_bits(&random);
                t[n][c] = 3 * r - 2 * (t[n][c + 1] + t[n][c + 2]);
            }
            of[n] = kiln_point_feature(p, t[n]);
        }
        for (int n = 0; n < 2; n++) {
            faces += of[n].kind == KILN_FEATURE_FACE;
            assert_true(of[n].kind != KILN_FEATURE_FACE ||
                        kiln_point_compare_radius(p, t[n], of[n], r) == 0);
        }
        assert_true(of[0].kind != KILN_FEATURE_FACE || of[1].kind != KILN_FEATURE_FACE ||
                    kiln_point_compare(p, t[0], of[0], t[1], of[1]) == 0);

        /* (x, y, z) + s (1, 1, 1), with the third corner behind */
        const double at[3] = {forty_bits(&random), forty_bits(&random), forty_bits(&random)};
        const double middle = (at[0] + at[1] + at[2]) / 3;
        for (int n = 0; n < 2; n++) {
            const double near = 4 + forty_bits(&random), far = 4 + forty_bits(&random);
            for (int k = 0; k < 3; k++) {
                t[n][k] = at[k] - near;
                t[n][3 + k] = at[k] + far;
                t[n][6 + k] = 3 * (at[k] - middle) + forty_bits(&random) / 64;
            }
            of[n] = kiln_point_feature(p, t[n]);
        }
        if (of[0].kind == KILN_FEATURE_EDGE && of[1].kind == KILN_FEATURE_EDGE) {
            edges++;
            assert_int_equal(kiln_point_compare(p, t[0], of[0], t[1], of[1]), 0);
        }

        const double u = random_between(&random, 0, 0x1p-20), q[3] = {u, u, u};
        for (int n = 0; n < 2; n++) {
            for (int k = 0; k < 9; k++) {
                t[n][k] = at[(k + n) % 3] * (k < 3 ? 1 : 2) + (k < 6 ? 0 : at[k % 3] / 16);
            }
            of[n] = kiln_point_feature(q, t[n]);
            assert_int_equal(of[n].kind, KILN_FEATURE_CORNER);
        }
        assert_int_equal(kiln_point_compare(q, t[0], of[0], t[1], of[1]), 0);
    }
    assert_true(faces > 20 && edges > 20);
}

static void test_wide_integers(void **state)
{
    (void)state;
    kiln_wide a, b, c, d;
    int exponent = 0;
    kiln_wide_set(&a, -0x1.8p+200, -302);
    kiln_wide_set(&b, 0x1p-302, -302);
    kiln_wide_add(&c, &a, &b, 1);
    kiln_wide_add(&d, &c, &a, -1);
    assert_int_equal(kiln_wide_compare(&d, &b), 0);
    kiln_wide_multiply(&d, &c, &c);
    assert_true(d.sign == 1 && kiln_wide_fraction(&d, &exponent) == 0x1.2p-1);
    assert_int_equal(exponent, 1006);
    kiln_wide_add(&d, &a, &a, -1);
    assert_true(d.sign == 0 && d.count == 0 && kiln_wide_fraction(&d, &exponent) == 0);
    assert_int_equal(kiln_wide_lowest_bit(-0x1.8p+3), 2);
    assert_int_equal(kiln_wide_lowest_bit(0x1p-1074), -1074);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_features_of_a_box),
                                       cmocka_unit_test(test_sheared_lattice),
                                       cmocka_unit_test(test_stretched_box),
                                       cmocka_unit_test(test_least_steps),
                                       cmocka_unit_test(test_signs),
                                       cmocka_unit_test(test_pseudonormals_tell_sides),
                                       cmocka_unit_test(test_scales),
                                       cmocka_unit_test(test_far_away),
                                       cmocka_unit_test(test_close_to_the_surface),
                                       cmocka_unit_test(test_fine_detail),
                                       cmocka_unit_test(test_corner_left_hardly),
                                       cmocka_unit_test(test_many_points),
                                       cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_triangles_without_area),
                                       cmocka_unit_test(test_near_ties),
                                       cmocka_unit_test(test_rounded_ties),
                                       cmocka_unit_test(test_wide_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
