/* Scenes: memory, ids, arguments, groups and excluded pairs, order, edges of numbers, files that
 * are not all there. That nothing is missed is in property/test_scene.c. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/scene/scene.h"
#include "../support/quick_bake.h"

static quick_model box;
static const kiln_tree *tree;

static int make_tree(void **state)
{
    (void)state;
    box = quick_model_of(mesh_box(0, 0, 0, 1, 1, 1), "obb", 4);
    tree = kiln_file_tree(box.file, 0);
    return 0;
}

static int free_tree(void **state)
{
    (void)state;
    quick_model_free(&box);
    return 0;
}

/* In memory of its own, exactly as large as it has to be; free() releases `*memory`. */
static kiln_scene *scene_of(uint32_t capacity, void **memory)
{
    kiln_scene *scene = NULL;
    const size_t size = kiln_scene_size(capacity);
    *memory = malloc(size);
    assert_non_null(*memory);
    assert_int_equal(kiln_scene_place(*memory, size, capacity, &scene), KILN_OK);
    return scene;
}

static kiln_scene_object object_at(double x)
{
    kiln_scene_object object = kiln_scene_object_default();
    object.tree = tree;
    object.pose.translation[0] = x;
    object.user = (uint64_t)(x * 16);
    return object;
}

static kiln_scene_id add_at(kiln_scene *scene, double x)
{
    kiln_scene_id id = 0;
    const kiln_scene_object object = object_at(x);
    assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
    assert_true(id != 0);
    return id;
}

static size_t count_pairs(const kiln_scene *scene, const kiln_scene_options *options)
{
    size_t count = 77;
    assert_int_equal(kiln_scene_pairs(scene, options, NULL, 0, &count), KILN_OK);
    return count;
}

static void memory_is_as_large_as_said(void **state)
{
    (void)state;
    kiln_scene *scene = (kiln_scene *)&scene;
    uint64_t little[2];
    assert_true(kiln_scene_size(0) > 0 && kiln_scene_size(0) <= 300);
    assert_true(kiln_scene_size(10000) <= 300 + 10000 * (size_t)300);
    assert_int_equal(kiln_scene_size((1u << 24) + 1), 0);
    assert_true(kiln_scene_size(1u << 24) > 0);
    assert_int_equal(kiln_scene_place(NULL, 1 << 20, 1, &scene), KILN_ERROR_ARGUMENT);
    assert_null(scene);
    assert_int_equal(kiln_scene_place(little, sizeof little, 0, &scene), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_scene_place(little, sizeof little, 0, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_scene_place(little, SIZE_MAX, UINT32_MAX, &scene), KILN_ERROR_ARGUMENT);
    for (uint32_t capacity = 0; capacity < 4; capacity++) {
        const size_t size = kiln_scene_size(capacity);
        for (size_t off = 0; off < 64; off += 7) { /* of any alignment; asan watches its ends */
            char *memory = malloc(size + off);
            assert_non_null(memory);
            assert_int_equal(kiln_scene_place(memory + off, size, capacity, &scene), KILN_OK);
            const kiln_scene_object object = object_at(0);
            kiln_scene_id id = 9;
            for (uint32_t i = 0; i < capacity; i++) {
                (void)add_at(scene, i / 2.0);
            }
            assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_ERROR_FULL);
            assert_int_equal(id, 9);
            assert_int_equal(kiln_scene_get_info(scene).count, capacity);
            assert_int_equal(kiln_scene_get_info(scene).capacity, capacity);
            assert_int_equal(kiln_scene_rebuild(scene), KILN_OK);
            assert_int_equal(kiln_scene_move_many(scene, NULL, NULL, 0), KILN_OK);
            assert_int_equal(count_pairs(scene, NULL), capacity < 2 ? 0 : 2 * capacity - 3);
            free(memory);
        }
    }
}

/* Also where another object has the place. */
static void stale_ids_are_errors(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(3, &memory);
    kiln_scene_object object = kiln_scene_object_default();
    const kiln_pose pose = kiln_pose_identity();
    double lower[3] = {1, 2, 3}, upper[3];
    const kiln_scene_id first = add_at(scene, 0), second = add_at(scene, 1);
    assert_true(first < second);
    assert_int_equal(kiln_scene_remove(scene, first), KILN_OK);
    const kiln_scene_id third = add_at(scene, 5);
    assert_int_equal(third >> 32, first >> 32);
    const kiln_scene_id stale[] = {0, first, third + 1, second + (1ull << 32), UINT64_MAX};
    for (size_t i = 0; i < sizeof stale / sizeof stale[0]; i++) {
        const kiln_scene_id id = stale[i], ids[2] = {second, id};
        const kiln_pose poses[2] = {pose, pose};
        assert_int_equal(kiln_scene_remove(scene, id), KILN_ERROR_NO_OBJECT);
        assert_int_equal(kiln_scene_move(scene, id, &pose), KILN_ERROR_NO_OBJECT);
        assert_int_equal(kiln_scene_move_many(scene, ids, poses, 2), KILN_ERROR_NO_OBJECT);
        assert_int_equal(kiln_scene_set_groups(scene, id, 1, 1), KILN_ERROR_NO_OBJECT);
        assert_int_equal(kiln_scene_get(scene, id, &object), KILN_ERROR_NO_OBJECT);
        assert_int_equal(kiln_scene_get_bounds(scene, id, lower, upper), KILN_ERROR_NO_OBJECT);
    }
    assert_true(lower[0] == 1 && lower[2] == 3);
    assert_int_equal(kiln_scene_get(scene, third, &object), KILN_OK);
    assert_true(object.user == 80 && object.pose.translation[0] == 5 && object.tree == tree);
    assert_int_equal(kiln_scene_get(scene, second, &object), KILN_OK);
    assert_true(object.pose.translation[0] == 1);
    assert_true(kiln_scene_next(scene, 0) == third && kiln_scene_next(scene, third) == second);
    assert_true(kiln_scene_next(scene, second) == 0 && kiln_scene_next(scene, first) == third);
    assert_true(kiln_scene_next(scene, UINT64_MAX) == 0 && kiln_scene_next(NULL, 0) == 0);
    free(memory);
}

/* A place is given up before its ids begin anew. */
static void ids_are_never_given_twice(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    kiln_scene_id id = add_at(scene, 0);
    scene->entries[0].generation = UINT32_MAX - 1;
    assert_int_equal(kiln_scene_remove(scene, UINT32_MAX - 1), KILN_OK);
    id = add_at(scene, 0);
    assert_true(id == UINT32_MAX);
    assert_int_equal(kiln_scene_remove(scene, id), KILN_OK);
    id = add_at(scene, 0);
    assert_true(id == (1ull << 32 | 1));
    const kiln_scene_object object = object_at(0);
    assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_ERROR_FULL);
    free(memory);
}

static bool never_called(void *user, const kiln_scene_pair *pair)
{
    (void)user;
    (void)pair;
    fail();
    return true;
}

static bool never_hit(void *user, const kiln_scene_hit *hit)
{
    (void)user;
    (void)hit;
    fail();
    return true;
}

static bool never_overlap(void *user, const kiln_scene_overlap *overlap)
{
    (void)user;
    (void)overlap;
    fail();
    return true;
}

#define REFUSED(call) assert_int_equal((call), KILN_ERROR_ARGUMENT)

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    const kiln_scene_id id = add_at(scene, 0);
    kiln_scene_object object = object_at(0), none = kiln_scene_object_default();
    kiln_scene_id out = 5;
    kiln_pose flat = kiln_pose_identity(), nan = flat, large = flat;
    flat.rotation[0] = 0;
    nan.translation[1] = NAN;
    large.scale = 1e30;
    REFUSED(kiln_scene_add(NULL, &object, &out));
    REFUSED(kiln_scene_add(scene, NULL, &out));
    REFUSED(kiln_scene_add(scene, &none, &out));
    REFUSED(kiln_scene_add(scene, &object, NULL));
    const kiln_pose *const bad[] = {&flat, &nan, &large};
    for (int i = 0; i < 3; i++) {
        double lower[3], upper[3];
        size_t count = 5;
        const kiln_scene_id ids[] = {id, id};
        const kiln_pose poses[] = {kiln_pose_identity(), *bad[i]};
        const kiln_shape ball = {KILN_SHAPE_SPHERE, {0, 0, 0}, {0, 0, 0}, 1};
        object.pose = *bad[i];
        assert_int_equal(kiln_scene_add(scene, &object, &out), KILN_ERROR_POSE);
        assert_int_equal(kiln_scene_move(scene, id, bad[i]), KILN_ERROR_POSE);
        assert_int_equal(kiln_scene_move_many(scene, ids, poses, 2), KILN_ERROR_POSE);
        assert_int_equal(kiln_scene_bounds_of(tree, bad[i], lower, upper), KILN_ERROR_POSE);
        assert_int_equal(
            kiln_scene_pairs_of_each(scene, tree, bad[i], NULL, never_called, NULL, &count),
            KILN_ERROR_POSE);
        assert_int_equal(
            kiln_scene_collide_object_each(scene, tree, bad[i], NULL, never_hit, NULL, &count),
            KILN_ERROR_POSE);
        assert_int_equal(
            kiln_scene_overlap_each(scene, &ball, bad[i], NULL, never_overlap, NULL, &count),
            KILN_ERROR_POSE);
        assert_int_equal(count, 5);
    }
    assert_true(out == 5 && kiln_scene_get_info(scene).count == 1);
    REFUSED(kiln_scene_remove(NULL, id));
    REFUSED(kiln_scene_move(NULL, id, NULL));
    REFUSED(kiln_scene_move_many(scene, NULL, &flat, 1));
    REFUSED(kiln_scene_move_many(scene, &id, NULL, 1));
    REFUSED(kiln_scene_set_groups(NULL, id, 1, 1));
    REFUSED(kiln_scene_rebuild(NULL));
    REFUSED(kiln_scene_get(scene, id, NULL));
    assert_int_equal(kiln_scene_get_info(NULL).capacity, 0);
    free(memory);
}

static void wrong_queries_are_refused(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    (void)add_at(scene, 0);
    kiln_scene_options options = kiln_scene_options_default();
    kiln_scene_ray_hit ray_hit;
    kiln_scene_hit hit;
    size_t count = 5;
    double low[3] = {0, 0, 0}, high[3] = {1, -1, 1};
    const double from[3] = {0, 0, 0}, to[3] = {1, 0, 0};
    kiln_ray ray = kiln_ray_between(from, from);
    kiln_shape shape = {(kiln_shape_kind)9, {0, 0, 0}, {0, 0, 0}, 1};
    REFUSED(kiln_scene_pairs(scene, NULL, NULL, 1, &count));
    REFUSED(kiln_scene_pairs(scene, NULL, NULL, 0, NULL));
    REFUSED(kiln_scene_pairs_each(scene, NULL, NULL, NULL, &count));
    REFUSED(kiln_scene_pairs_of_each(scene, NULL, NULL, NULL, never_called, NULL, &count));
    REFUSED(kiln_scene_pairs_in_box_each(scene, low, high, NULL, never_called, NULL, &count));
    high[1] = NAN;
    REFUSED(kiln_scene_pairs_in_box_each(scene, low, high, NULL, never_called, NULL, &count));
    REFUSED(kiln_scene_collide_any(scene, NULL, NULL));
    REFUSED(kiln_scene_collide_object_any(scene, NULL, NULL, NULL, &hit));
    REFUSED(kiln_scene_overlap_each(scene, &shape, NULL, NULL, never_overlap, NULL, &count));
    REFUSED(kiln_scene_overlap_each(scene, NULL, NULL, NULL, never_overlap, NULL, &count));
    REFUSED(kiln_scene_ray_closest(scene, &ray, NULL, &ray_hit));
    REFUSED(kiln_scene_ray_any(scene, NULL, NULL, &ray_hit));
    ray = kiln_ray_between(from, to);
    kiln_query_options query = kiln_query_options_default();
    query.cull = (kiln_cull)7;
    options.query = &query;
    REFUSED(kiln_scene_ray_closest(scene, &ray, &options, &ray_hit));
    static const double distances[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        options = kiln_scene_options_default();
        options.within = distances[i];
        REFUSED(kiln_scene_pairs(scene, &options, NULL, 0, &count));
    }
    const kiln_scene_pair wrong[][2] = {{{1, 1, 0, 0}, {1, 2, 0, 0}},
                                        {{2, 1, 0, 0}, {2, 3, 0, 0}},
                                        {{1, 2, 0, 0}, {1, 2, 1, 1}},
                                        {{1, 3, 0, 0}, {1, 2, 0, 0}}};
    options = kiln_scene_options_default();
    options.excluded_count = 2;
    REFUSED(kiln_scene_collide(scene, &options, NULL, 0, &count));
    for (int i = 0; i < 4; i++) {
        options.excluded = wrong[i];
        REFUSED(kiln_scene_pairs(scene, &options, NULL, 0, &count));
    }
    assert_int_equal(count, 5);
    free(memory);
}

/* Of callers that know fewer members, or more. */
static void structs_of_other_versions_are_taken(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    struct {
        kiln_scene_object known;
        char more[40];
    } object = {object_at(3), "of a later version"};
    kiln_scene_id id;
    object.known.struct_size = sizeof object;
    assert_int_equal(kiln_scene_add(scene, &object.known, &id), KILN_OK);
    memset(&object, 0x33, sizeof object);
    object.known.struct_size = sizeof object;
    assert_int_equal(kiln_scene_get(scene, id, &object.known), KILN_OK);
    assert_true(object.known.user == 48 && object.known.category == 1);
    assert_int_equal(object.more[0], 0x33);
    kiln_scene_object old = object_at(3);
    old.struct_size = offsetof(kiln_scene_object, user);
    old.mask = 0;
    assert_int_equal(kiln_scene_add(scene, &old, &id), KILN_OK);
    old.user = 7;
    assert_int_equal(kiln_scene_get(scene, id, &old), KILN_OK);
    assert_true(old.user == 7 && old.pose.translation[0] == 3);
    assert_int_equal(count_pairs(scene, NULL), 1);
    free(memory);
}

/* ------------------------------------------------------------------------------------- rules -- */

static bool only_odd(void *user, const kiln_scene_pair *pair)
{
    (void)user;
    return pair->user_b % 2 == 1;
}

static void rules_leave_pairs_out(void **state)
{
    (void)state;
    enum { N = 5 };
    void *memory;
    kiln_scene *scene = scene_of(N, &memory);
    kiln_scene_id ids[N];
    kiln_scene_pair pairs[N * N], two;
    for (int i = 0; i < N; i++) {
        ids[i] = add_at(scene, i / 16.0);
    }
    kiln_scene_options options = kiln_scene_options_default();
    assert_int_equal(count_pairs(scene, NULL), 10);
    size_t count;
    assert_int_equal(kiln_scene_pairs(scene, NULL, pairs, N * N, &count), KILN_OK);
    assert_int_equal(kiln_scene_pairs(scene, NULL, &two, 1, &count), KILN_OK);
    assert_true(count == 10 && two.a == ids[0] && two.b == ids[1]);
    options.excluded = pairs;
    for (size_t i = 0; i <= 10; i++) {
        options.excluded_count = i;
        assert_int_equal(count_pairs(scene, &options), 10 - i);
    }
    options.excluded_count = 0;
    options.ignore = ids[2];
    assert_int_equal(count_pairs(scene, &options), 6);
    options.ignore = 0;
    assert_int_equal(kiln_scene_set_groups(scene, ids[0], 2, 1), KILN_OK);
    assert_int_equal(kiln_scene_set_groups(scene, ids[1], 4, 1), KILN_OK); /* not with each other */
    assert_int_equal(count_pairs(scene, NULL), 9);
    assert_int_equal(kiln_scene_set_groups(scene, ids[1], 0, UINT32_MAX), KILN_OK); /* with none */
    assert_int_equal(count_pairs(scene, NULL), 6);
    options.filter = only_odd;
    assert_int_equal(count_pairs(scene, &options), 2); /* 0 and 3, 2 and 3 */
    free(memory);
}

static bool stop_at_third(void *user, const kiln_scene_pair *pair)
{
    (void)pair;
    return ++*(int *)user < 3;
}

/* More neighbours than are looked up at a time, all of one object and all of one place. */
static void many_neighbours_come_in_order(void **state)
{
    (void)state;
    enum { N = 3 * KILN_SCENE_CHUNK + 5 };
    void *memory;
    kiln_scene *scene = scene_of(N, &memory);
    kiln_scene_id *ids = malloc(N * sizeof ids[0]);
    kiln_scene_pair *pairs = malloc(2 * N * sizeof pairs[0]);
    for (uint32_t i = 0; i < N; i++) {
        ids[i] = add_at(scene, 0);
    }
    size_t count;
    int calls = 0;
    assert_int_equal(kiln_scene_pairs(scene, NULL, pairs, 2 * N, &count), KILN_OK);
    assert_int_equal(count, (size_t)N * (N - 1) / 2);
    for (uint32_t i = 0; i < 2 * N; i++) {
        const uint32_t a = i < N - 1 ? 0 : i < 2 * N - 3 ? 1 : 2;
        const uint32_t b = a == 0 ? i + 1 : a == 1 ? i - (N - 1) + 2 : i - (2 * N - 3) + 3;
        assert_true(pairs[i].a == ids[a] && pairs[i].b == ids[b]);
    }
    assert_int_equal(kiln_scene_pairs_each(scene, NULL, stop_at_third, &calls, &count), KILN_OK);
    assert_true(calls == 3 && count == 3);
    for (uint32_t i = 0; i < N; i++) { /* equal boxes do not become a list */
        assert_true(i >= N - 1 || scene->links[scene->root].height <= 40);
        assert_int_equal(kiln_scene_remove(scene, ids[i]), KILN_OK);
    }
    assert_int_equal(scene->root, KILN_SCENE_NOWHERE);
    free(ids);
    free(pairs);
    free(memory);
}

/* ----------------------------------------------------------------------------------- numbers -- */

static void bounds_are_tight_and_outward(void **state)
{
    (void)state;
    double lower[3], upper[3];
    kiln_pose pose = kiln_pose_identity();
    assert_int_equal(kiln_scene_bounds_of(tree, NULL, lower, upper), KILN_OK);
    for (int k = 0; k < 3; k++) {
        assert_true(lower[k] <= 0 && lower[k] > -1e-11 && upper[k] >= 1 && upper[k] < 1 + 1e-11);
    }
    /* A thin rod along the diagonal: the box of its vertices is large, the tree's are not. */
    mesh rod = mesh_box(-10, -0.01f, -0.01f, 10, 0.01f, 0.01f);
    for (uint32_t i = 0; i < rod.vertex_count; i++) {
        float *p = rod.positions + 3 * (size_t)i;
        const float x = p[0] - p[1], y = p[0] + p[1];
        p[0] = x;
        p[1] = y;
    }
    void *data;
    kiln_file *thin = quick_open(&rod, "obb", 4, KILN_LAYOUT_RAW, &data);
    pose.rotation[0] = pose.rotation[4] = sqrt(0.5);
    pose.rotation[1] = sqrt(0.5);
    pose.rotation[3] = -sqrt(0.5);
    assert_int_equal(kiln_scene_bounds_of(kiln_file_tree(thin, 0), &pose, lower, upper), KILN_OK);
    assert_true(upper[0] > 14 && upper[0] < 14.3 && lower[0] < -14 && lower[0] > -14.3);
    assert_true(upper[1] < 0.1 && lower[1] > -0.1);
    kiln_close(thin);
    free(data);
    mesh_free(&rod);
    kiln_scene *none = NULL;
    REFUSED(kiln_scene_bounds_of(NULL, NULL, lower, upper));
    REFUSED(kiln_scene_bounds_of(tree, NULL, NULL, upper));
    REFUSED(kiln_scene_get_bounds(none, 1, lower, upper));
}

static void extreme_numbers_are_defined(void **state)
{
    (void)state;
    static const double places[] = {1e60, -1e60, 1e6, 0, DBL_MIN, 4.9e-324, 1e-250, 1e30};
    enum { N = 2 * sizeof places / sizeof places[0] };
    void *memory;
    kiln_scene *scene = scene_of(N, &memory);
    for (int i = 0; i < N; i++) {
        kiln_scene_object object = object_at(0);
        kiln_scene_id id;
        object.pose.translation[0] = object.pose.translation[2] = places[i / 2];
        object.pose.scale = i % 2 == 0 ? KILN_SCALE_MIN : KILN_SCALE_MAX;
        assert_int_equal(kiln_scene_add(scene, &object, &id), KILN_OK);
    }
    const kiln_scene_info info = kiln_scene_get_info(scene);
    assert_true(info.lower[0] <= -1e60 && info.upper[0] >= 1e60 && info.upper[0] < 2e60);
    size_t count;
    assert_int_equal(kiln_scene_collide(scene, NULL, NULL, 0, &count), KILN_OK);
    /* pairs of one place far out; 1e6, 0 and three that hardly differ from it: 10 in 1e9 */
    assert_true(count > 3);
    assert_int_equal(kiln_scene_rebuild(scene), KILN_OK);
    size_t again;
    assert_int_equal(kiln_scene_collide(scene, NULL, NULL, 0, &again), KILN_OK);
    assert_int_equal(again, count);
    const double low[3] = {-INFINITY, -INFINITY, -INFINITY}, high[3] = {INFINITY, 2e9, INFINITY};
    int calls = -1000;
    assert_int_equal(
        kiln_scene_pairs_in_box_each(scene, low, high, NULL, stop_at_third, &calls, &count),
        KILN_OK);
    assert_int_equal(count, N);
    free(memory);
}

/* ----------------------------------------------------------------------------- other queries -- */

static bool note_user(void *user, const kiln_scene_overlap *overlap)
{
    *(uint64_t *)user = *(uint64_t *)user * 100 + overlap->user / 16;
    return true;
}

static void shapes_and_rays_meet_objects(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(8, &memory);
    for (int i = 1; i < 8; i++) {
        (void)add_at(scene, 2 * i);
    }
    const kiln_shape capsule = {KILN_SHAPE_CAPSULE, {3.5, 0.5, 0.5}, {6, 0.5, 0.5}, 0.6};
    uint64_t users = 0;
    size_t count;
    assert_int_equal(
        kiln_scene_overlap_each(scene, &capsule, NULL, NULL, note_user, &users, &count), KILN_OK);
    assert_true(count == 3 && users == 20406);
    kiln_ray ray = {{100, 0.5, 0.25}, {-1, 0, 0}, 0, INFINITY};
    kiln_scene_ray_hit hit;
    kiln_scene_options options = kiln_scene_options_default();
    assert_int_equal(kiln_scene_ray_closest(scene, &ray, &options, &hit), KILN_OK);
    assert_true(hit.hit.found && hit.user == 14 * 16 && fabs(hit.hit.t - 85) < 1e-9);
    options.ignore = hit.id;
    assert_int_equal(kiln_scene_ray_closest(scene, &ray, &options, &hit), KILN_OK);
    assert_true(hit.hit.found && hit.user == 12 * 16 && hit.id != options.ignore);
    options.mask = 2;
    assert_int_equal(kiln_scene_ray_closest(scene, &ray, &options, &hit), KILN_OK);
    assert_true(!hit.hit.found && hit.id == 0 && hit.user == 0);
    ray.origin[1] = 1.5;
    assert_int_equal(kiln_scene_ray_any(scene, &ray, NULL, &hit), KILN_OK);
    assert_false(hit.hit.found);
    free(memory);
}

/* A t_min next to 0 counts as 0, so that a hit may come before it: the second object of two at one
 * place is then looked for along a ray that has ended. */
static void rays_may_begin_next_to_zero(void **state)
{
    (void)state;
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    const kiln_scene_id first = add_at(scene, 0);
    (void)add_at(scene, 0);
    for (int i = 0; i < 2; i++) {
        kiln_ray ray = {{0, 0.5, 0.25}, {1, 0, 0}, 1e-100, 1};
        kiln_scene_ray_hit hit;
        ray.t_min *= i == 0 ? 1 : -1;
        memset(&hit, 0, sizeof hit);
        assert_int_equal(kiln_scene_ray_closest(scene, &ray, NULL, &hit), KILN_OK);
        assert_true(hit.hit.found && hit.hit.t == 0 && hit.id == first);
        assert_int_equal(kiln_scene_ray_any(scene, &ray, NULL, &hit), KILN_OK);
        assert_true(hit.hit.found);
    }
    free(memory);
}

/* Pairs to queries that take a list: a budget that is shared among all candidates. */
static void candidates_feed_other_queries(void **state)
{
    (void)state;
    enum { N = 6 };
    void *memory;
    kiln_scene *scene = scene_of(N, &memory);
    for (int i = 0; i < N; i++) {
        (void)add_at(scene, 0.75 * i);
    }
    kiln_scene_pair pairs[N * N];
    kiln_likely *queries[N * N];
    void *rooms[N * N];
    size_t count;
    assert_int_equal(kiln_scene_pairs(scene, NULL, pairs, N * N, &count), KILN_OK);
    assert_int_equal(count, N - 1);
    for (size_t i = 0; i < count; i++) {
        kiln_scene_object a = kiln_scene_object_default(), b = a;
        assert_int_equal(kiln_scene_get(scene, pairs[i].a, &a), KILN_OK);
        assert_int_equal(kiln_scene_get(scene, pairs[i].b, &b), KILN_OK);
        const size_t size = kiln_likely_size(a.tree, b.tree);
        rooms[i] = malloc(size);
        assert_int_equal(kiln_likely_place(rooms[i], size, &queries[i]), KILN_OK);
        assert_int_equal(kiln_likely_begin(queries[i], a.tree, &a.pose, b.tree, &b.pose, NULL),
                         KILN_OK);
    }
    assert_int_equal(kiln_likely_run_all(queries, count, 1000, UINT64_MAX), KILN_OK);
    for (size_t i = 0; i < count; i++) {
        kiln_likely_answer answer;
        assert_int_equal(kiln_likely_get_answer(queries[i], &answer), KILN_OK);
        assert_int_equal(answer.verdict, KILN_LIKELY_YES);
        free(rooms[i]);
    }
    free(memory);
}

/* Bounds and candidates from the start; exact answers when all is there. */
static void objects_of_files_that_arrive(void **state)
{
    (void)state;
    mesh torus = mesh_torus(40, 20, 0.1);
    size_t size;
    uint8_t *data = quick_bake(&torus, "obb", 4, KILN_LAYOUT_RAW, &size);
    kiln_file *arriving = NULL;
    size_t have = 64;
    while (kiln_open_partial(data, have, NULL, &arriving) == KILN_ERROR_PARTIAL) {
        have += 64;
    }
    assert_non_null(arriving);
    void *memory;
    kiln_scene *scene = scene_of(2, &memory);
    kiln_scene_object object = kiln_scene_object_default();
    kiln_scene_id first, second;
    kiln_scene_hit hit;
    object.tree = kiln_file_tree(arriving, 0);
    assert_int_equal(kiln_scene_add(scene, &object, &first), KILN_OK);
    object.pose.rotation[0] = object.pose.rotation[4] = 0.6;
    object.pose.rotation[1] = 0.8;
    object.pose.rotation[3] = -0.8;
    assert_int_equal(kiln_scene_add(scene, &object, &second), KILN_OK);
    assert_int_equal(count_pairs(scene, NULL), 1);
    assert_int_equal(kiln_scene_collide_any(scene, NULL, &hit), KILN_ERROR_PARTIAL);
    assert_int_equal(kiln_file_advance(arriving, data, size, NULL), KILN_OK);
    assert_int_equal(kiln_scene_collide_any(scene, NULL, &hit), KILN_OK);
    assert_true(hit.hit.found);
    double wide[2][3], tight[2][3];
    assert_int_equal(kiln_scene_get_bounds(scene, second, wide[0], wide[1]), KILN_OK);
    assert_int_equal(kiln_scene_move(scene, second, &object.pose), KILN_OK);
    assert_int_equal(kiln_scene_get_bounds(scene, second, tight[0], tight[1]), KILN_OK);
    assert_true(tight[1][0] < wide[1][0] - 0.01);
    free(memory);
    kiln_close(arriving);
    free(data);
    mesh_free(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_as_large_as_said),
        cmocka_unit_test(stale_ids_are_errors),
        cmocka_unit_test(ids_are_never_given_twice),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(wrong_queries_are_refused),
        cmocka_unit_test(structs_of_other_versions_are_taken),
        cmocka_unit_test(rules_leave_pairs_out),
        cmocka_unit_test(many_neighbours_come_in_order),
        cmocka_unit_test(bounds_are_tight_and_outward),
        cmocka_unit_test(extreme_numbers_are_defined),
        cmocka_unit_test(shapes_and_rays_meet_objects),
        cmocka_unit_test(rays_may_begin_next_to_zero),
        cmocka_unit_test(candidates_feed_other_queries),
        cmocka_unit_test(objects_of_files_that_arrive),
    };
    return cmocka_run_group_tests(tests, make_tree, free_tree);
}
