/* Faster rays: what is refused, which trees they are for, copies that move; that answers are those
 * of the tree, in every kind and instruction set. property/test_rays compares them with exact
 * fractions, too. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kernel/kernel.h"
#include "../support/body.h"
#include "../support/counted.h"
#include "../support/fast_rays.h"

/* ------------------------------------------------------------------------------- arguments -- */

/* Octrees have parts of triangles in their leaves. */
static bool is_taken(int kind)
{
    return kind != KILN_KIND_OCTREE;
}

static void octrees_are_refused(void **state)
{
    (void)state;
    body b = body_of(mesh_torus(8, 6, 0.3), 4, KILN_LAYOUT_RAW);
    uint8_t memory[64];
    kiln_ray_accel *accel;
    for (int kind = 0; kind < BODY_KINDS; kind++) {
        assert_true((kiln_ray_accel_size(b.trees[kind]) > 0) == is_taken(kind));
        assert_int_equal(kiln_ray_accel_place(memory, sizeof memory, b.trees[kind], &accel),
                         is_taken(kind) ? KILN_ERROR_ARGUMENT : KILN_ERROR_KIND);
        assert_null(accel);
    }
    body_free(&b);
}

/* Of a file whose triangles have not arrived. */
static void what_has_not_arrived_is_refused(void **state)
{
    (void)state;
    mesh m = mesh_torus(60, 40, 0.3);
    size_t size;
    uint8_t *bytes = quick_bake(&m, "aabb", 4, KILN_LAYOUT_RAW, &size);
    kiln_file *file;
    uint8_t memory[64];
    kiln_ray_accel *accel;
    assert_int_equal(kiln_open_partial(bytes, size / 2, NULL, &file), KILN_OK);
    assert_int_equal(kiln_ray_accel_size(kiln_file_tree(file, 0)), 0);
    assert_int_equal(kiln_ray_accel_place(memory, sizeof memory, kiln_file_tree(file, 0), &accel),
                     KILN_ERROR_PARTIAL);
    kiln_close(file);
    free(bytes);
    mesh_free(&m);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    body b = body_of(mesh_torus(8, 6, 0.3), 4, KILN_LAYOUT_RAW);
    const kiln_tree *tree = b.trees[KILN_KIND_AABB8];
    const size_t size = kiln_ray_accel_size(tree);
    void *memory = malloc(size);
    kiln_ray_accel *accel = (kiln_ray_accel *)memory;
    assert_non_null(memory);
    assert_int_equal(kiln_ray_accel_place(NULL, size, tree, &accel), KILN_ERROR_ARGUMENT);
    assert_null(accel);
    assert_int_equal(kiln_ray_accel_place(memory, size, NULL, &accel), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_accel_place(memory, size, tree, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_accel_place(memory, size - 1, tree, &accel), KILN_ERROR_ARGUMENT);
    assert_null(accel);
    assert_int_equal(kiln_ray_accel_place(memory, size, tree, &accel), KILN_OK);
    assert_non_null(accel);
    assert_int_equal(kiln_ray_accel_update(NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_ray_accel_size(NULL), 0);
    assert_null(kiln_ray_accel_tree(NULL));
    free(memory);
    body_free(&b);
}

static void a_tree_without_triangles_has_none(void **state)
{
    (void)state;
    counted boxes = counted_bake(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4, 4, KILN_ADB_OCTANTS, false);
    uint8_t memory[1024];
    kiln_ray_accel *accel;
    assert_int_equal(kiln_ray_accel_size(boxes.tree), 0);
    assert_int_equal(kiln_ray_accel_place(memory, sizeof memory, boxes.tree, &accel),
                     KILN_ERROR_NOT_LOADED);
    assert_null(accel);
    counted_free(&boxes);
}

/* Corners of this mesh are up to 1 from the middle of node space, as many powers of two more as the
 * exponent is lowered by, and farther where the middle is elsewhere. */
static void triangles_far_outside_node_space_are_refused(void **state)
{
    (void)state;
    body b = body_of(mesh_torus(8, 6, 0.3), 4, KILN_LAYOUT_RAW);
    for (int i = 0; i < 36; i++) {
        kiln_format_tree entry = *b.trees[KILN_KIND_AABB8]->view.entry;
        kiln_tree tree = *b.trees[KILN_KIND_AABB8];
        entry.scale_exponent -= i % 12;
        entry.origin[0] += i / 12 == 0 ? 0 : i / 12 == 1 ? 2 : -2; /* farther to one side */
        tree.view.entry = &entry;
        const size_t size = kiln_ray_accel_size(&tree);
        void *memory = malloc(size);
        kiln_ray_accel *accel;
        assert_non_null(memory);
        double most = 0;
        for (int k = 0; k < 3; k++) {
            const double unit = ldexp(1, -entry.scale_exponent);
            most = fmax(most, unit * ((double)entry.bounds_upper[k] - entry.origin[k]));
            most = fmax(most, unit * (entry.origin[k] - (double)entry.bounds_lower[k]));
        }
        assert_int_equal(kiln_ray_accel_place(memory, size, &tree, &accel),
                         most <= 4 ? KILN_OK : KILN_ERROR_RULE);
        assert_true((accel != NULL) == (most <= 4));
        free(memory);
    }
    body_free(&b);
}

/* --------------------------------------------------------------------------------- answers -- */

static kiln_ray any_ray(uint64_t *state, const mesh *m)
{
    double from[3], to[3];
    const uint32_t how = random_below(state, 3);
    random_direction(state, from);
    for (int k = 0; k < 3; k++) {
        from[k] *= how == 0 ? 0.5 : 4;
        to[k] = how == 2
                    ? (double)m->positions[3 * random_below(state, m->vertex_count) + (uint32_t)k]
                    : random_between(state, -1, 1);
    }
    kiln_ray ray = kiln_ray_between(from, to);
    ray.t_min = random_below(state, 4) == 0 ? -HUGE_VAL : 0;
    ray.t_max = random_below(state, 4) == 0 ? random_between(state, 0, 2) : HUGE_VAL;
    return ray;
}

static void compare(const kiln_tree *plain, const kiln_tree *fast, const kiln_pose *pose,
                    const kiln_ray *ray)
{
    kiln_ray_hit one[2], some[2], brief[2];
    bool met[2];
    size_t count[2];
    for (int i = 0; i < 2; i++) {
        const kiln_tree *tree = i == 0 ? plain : fast;
        kiln_ray_hit all[4];
        assert_int_equal(kiln_ray_closest(tree, pose, ray, NULL, &one[i]), KILN_OK);
        assert_int_equal(kiln_ray_closest_brief(tree, pose, ray, NULL, &brief[i]), KILN_OK);
        assert_int_equal(kiln_ray_any(tree, pose, ray, NULL, &some[i]), KILN_OK);
        assert_int_equal(kiln_ray_meets(tree, pose, ray, NULL, &met[i]), KILN_OK);
        assert_int_equal(kiln_ray_all(tree, pose, ray, NULL, all, 4, &count[i]), KILN_OK);
        /* The general walk works normals out for itself. */
        assert_true(count[i] == 0 || memcmp(&one[i], &all[0], sizeof one[i]) == 0);
        assert_true(met[i] == one[i].found && one[i].found == some[i].found &&
                    (count[i] > 0) == met[i]);
    }
    assert_memory_equal(&one[0], &one[1], sizeof one[0]);
    assert_memory_equal(&brief[0], &brief[1], sizeof brief[0]);
    assert_true(met[0] == met[1] && count[0] == count[1]);
    assert_memory_equal(&some[0], &some[1], sizeof some[0]);
}

static void answers_are_those_of_the_tree(void **state)
{
    (void)state;
    uint64_t random = 411;
    for (int leaf = 1; leaf < 16; leaf += 7) {
        body b = body_of(mesh_torus(24, 12, 0.3), leaf, KILN_LAYOUT_RAW);
        for (int kind = 0; kind < BODY_KINDS; kind++) {
            if (!is_taken(kind)) {
                continue;
            }
            fast_rays fast = fast_rays_of(b.trees[kind]);
            const kiln_kernel *kernel;
            for (unsigned set = 0; (kernel = kiln_kernel_runnable(set)) != NULL; set++) {
                kiln_kernel_force(kernel);
                for (int i = 0; i < 60; i++) {
                    kiln_pose pose = pose_random(&random, 1.5);
                    pose.scale = i % 4 == 0 ? 3 : 1;
                    const kiln_ray ray = any_ray(&random, &b.mesh);
                    compare(b.trees[kind], fast.tree, i % 2 == 0 ? NULL : &pose, &ray);
                }
            }
            kiln_kernel_force(NULL);
            fast_rays_free(&fast);
        }
        body_free(&b);
    }
}

/* Normals along axes have zeros, whose signs are those of the general walk. */
static void zeros_of_normals_have_their_signs(void **state)
{
    (void)state;
    uint64_t random = 415;
    for (int n = 0; n < 20; n++) {
        body b = body_of(mesh_lattice(&random, 40, 2), 4, KILN_LAYOUT_RAW);
        fast_rays fast = fast_rays_of(b.trees[KILN_KIND_AABB8]);
        for (int i = 0; i < 100; i++) {
            const kiln_ray ray = any_ray(&random, &b.mesh);
            compare(b.trees[KILN_KIND_AABB8], fast.tree, NULL, &ray);
        }
        fast_rays_free(&fast);
        body_free(&b);
    }
}

/* Meshes from 2^-60 to 2^60, as far from the origin as floats allow, and rays from far away. */
static void answers_are_at_all_scales(void **state)
{
    (void)state;
    uint64_t random = 412;
    for (int exponent = -60; exponent <= 60; exponent += 20) {
        mesh m = mesh_torus(16, 8, 0.3);
        for (uint32_t i = 0; i < 3 * m.vertex_count; i++) {
            m.positions[i] = ldexpf(m.positions[i] + (exponent % 3 == 0 ? 1000.0f : 0), exponent);
        }
        body b = body_of(m, 4, KILN_LAYOUT_RAW);
        fast_rays fast = fast_rays_of(b.trees[KILN_KIND_AABB8]);
        for (int i = 0; i < 100; i++) {
            kiln_ray ray = any_ray(&random, &b.mesh);
            const double away = ldexp(1, (int)random_below(&random, 60));
            for (int k = 0; k < 3; k++) {
                ray.origin[k] = i % 3 == 2 ? ray.origin[k] + 0.0 : ldexp(ray.origin[k], exponent);
                ray.direction[k] =
                    (double)b.mesh
                        .positions[3 * random_below(&random, b.mesh.vertex_count) + (uint32_t)k] -
                    ray.origin[k];
                ray.origin[k] -= i % 2 == 0 ? away * ray.direction[k] : 0;
            }
            ray.t_max = HUGE_VAL;
            compare(b.trees[KILN_KIND_AABB8], fast.tree, NULL, &ray);
        }
        fast_rays_free(&fast);
        body_free(&b);
    }
}

/* A filter and a mirror walk the tree itself. */
static void filters_and_mirrors_are_heeded(void **state)
{
    (void)state;
    body b = body_of(mesh_torus(24, 12, 0.3), 4, KILN_LAYOUT_RAW);
    fast_rays fast = fast_rays_of(b.trees[KILN_KIND_OBB8]);
    uint64_t random = 413;
    kiln_pose mirror = kiln_pose_identity();
    mirror.rotation[0] = -1;
    body_rule rule = {2, 0, 0};
    kiln_query_options options = kiln_query_options_default();
    options.filter = body_filter;
    options.filter_user = &rule;
    for (int i = 0; i < 200; i++) {
        const kiln_ray ray = any_ray(&random, &b.mesh);
        kiln_ray_hit one, other;
        assert_int_equal(kiln_ray_closest(fast.tree, NULL, &ray, &options, &one), KILN_OK);
        assert_int_equal(kiln_ray_closest(b.trees[KILN_KIND_OBB8], NULL, &ray, &options, &other),
                         KILN_OK);
        assert_memory_equal(&one, &other, sizeof one);
        assert_true(!one.found || one.triangle % 2 == 0);
        compare(b.trees[KILN_KIND_OBB8], fast.tree, &mirror, &ray);
    }
    fast_rays_free(&fast);
    body_free(&b);
}

/* ---------------------------------------------------------------------- copies that move -- */

static void copies_that_move_are_followed(void **state)
{
    (void)state;
    uint64_t random = 414;
    body b = body_of(mesh_torus(16, 10, 0.3), 4, KILN_LAYOUT_RAW);
    const kiln_tree *tree = b.trees[KILN_KIND_DOP14];
    const size_t size = kiln_refit_size(tree);
    void *memory = malloc(size);
    kiln_refit *refit;
    assert_non_null(memory);
    assert_int_equal(kiln_refit_place(memory, size, tree, &refit), KILN_OK);
    const size_t floats = 3 * (size_t)kiln_refit_vertex_count(refit);
    float *vertices = malloc(floats * sizeof *vertices);
    assert_non_null(vertices);
    fast_rays fast = fast_rays_of(kiln_refit_tree(refit));
    for (int frame = 0; frame < 6; frame++) {
        memcpy(vertices, kiln_refit_vertices(refit), floats * sizeof *vertices);
        for (size_t i = 0; i < floats; i++) {
            vertices[i] = 1.7f * vertices[i] + (float)random_between(&random, -0.1, 0.1);
        }
        assert_int_equal(kiln_refit_update(refit, vertices, (uint32_t)(floats / 3)), KILN_OK);
        if (frame % 2 == 0) { /* else rays walk the tree itself */
            assert_int_equal(kiln_ray_accel_update(fast.accel), KILN_OK);
        }
        for (int i = 0; i < 100; i++) {
            const kiln_ray ray = any_ray(&random, &b.mesh);
            compare(kiln_refit_tree(refit), fast.tree, NULL, &ray);
        }
    }
    /* A copy of the faster tree is no faster, and sees its own vertices. */
    kiln_refit *other;
    void *more = malloc(kiln_refit_size(fast.tree));
    assert_non_null(more);
    assert_int_equal(kiln_refit_place(more, kiln_refit_size(fast.tree), fast.tree, &other),
                     KILN_OK);
    for (size_t i = 0; i < floats; i++) {
        vertices[i] += 100;
    }
    assert_int_equal(kiln_refit_update(other, vertices, (uint32_t)(floats / 3)), KILN_OK);
    size_t found = 0;
    for (int i = 0; i < 50; i++) {
        kiln_ray ray = any_ray(&random, &b.mesh);
        for (int k = 0; k < 3; k++) {
            ray.origin[k] += 100;
        }
        kiln_ray_hit hit, all[1];
        size_t count;
        assert_int_equal(kiln_ray_closest(kiln_refit_tree(other), NULL, &ray, NULL, &hit), KILN_OK);
        assert_int_equal(kiln_ray_all(kiln_refit_tree(other), NULL, &ray, NULL, all, 1, &count),
                         KILN_OK);
        assert_int_equal(hit.found, count > 0);
        found += hit.found;
    }
    assert_true(found > 10);
    free(more);
    fast_rays_free(&fast);
    free(vertices);
    free(memory);
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(octrees_are_refused),
        cmocka_unit_test(what_has_not_arrived_is_refused),
        cmocka_unit_test(a_tree_without_triangles_has_none),
        cmocka_unit_test(triangles_far_outside_node_space_are_refused),
        cmocka_unit_test(answers_are_those_of_the_tree),
        cmocka_unit_test(zeros_of_normals_have_their_signs),
        cmocka_unit_test(answers_are_at_all_scales),
        cmocka_unit_test(filters_and_mirrors_are_heeded),
        cmocka_unit_test(copies_that_move_are_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
