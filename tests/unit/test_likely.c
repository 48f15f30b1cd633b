/* kiln_collide_likely and its interruptible form: arguments, errors, memory, clocks, observers.
 * What answers are worth is in property/test_likely.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/quick_bake.h"

static quick_model torus;
static const kiln_tree *tree;

static int make_tree(void **state)
{
    (void)state;
    torus = quick_model_of(mesh_torus(40, 20, 0.1), "obb", 4);
    tree = kiln_file_tree(torus.file, 0);
    return 0;
}

static int free_tree(void **state)
{
    (void)state;
    quick_model_free(&torus);
    return 0;
}

/* Where tori cross. */
static kiln_pose crossing(void)
{
    kiln_pose pose = kiln_pose_identity();
    pose.translation[0] = 1.1;
    pose.translation[2] = 0.3;
    return pose;
}

static void modes_differ_by_their_threshold(void **state)
{
    (void)state;
    const double fast = kiln_likely_options_of(KILN_LIKELY_FAST).threshold;
    const double usual = kiln_likely_options_of(KILN_LIKELY_DEFAULT).threshold;
    const double careful = kiln_likely_options_of(KILN_LIKELY_CAREFUL).threshold;
    assert_true(0 < fast && fast < usual && usual < careful);
    assert_true(kiln_likely_options_of((kiln_likely_mode)77).threshold == usual);
    assert_int_equal(kiln_likely_options_of(KILN_LIKELY_FAST).struct_size,
                     sizeof(kiln_likely_options));
}

/* Outputs stay as they are. */
static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    static const double thresholds[] = {0, -1, NAN, -INFINITY};
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_weights weights = kiln_likely_get_weights(tree, tree);
    kiln_likely_answer answer, before;
    kiln_pose flat = kiln_pose_identity();
    memset(&answer, 7, sizeof answer);
    before = answer;
    flat.rotation[0] = 0;
#define REFUSED(error, call)                                                                       \
    assert_int_equal((call), (error));                                                             \
    assert_memory_equal(&answer, &before, sizeof answer)
    REFUSED(KILN_ERROR_ARGUMENT, kiln_collide_likely(NULL, NULL, tree, NULL, NULL, &answer));
    REFUSED(KILN_ERROR_ARGUMENT, kiln_collide_likely(tree, NULL, NULL, NULL, NULL, &answer));
    REFUSED(KILN_ERROR_ARGUMENT, kiln_collide_likely(tree, NULL, tree, NULL, NULL, NULL));
    REFUSED(KILN_ERROR_POSE, kiln_collide_likely(tree, &flat, tree, NULL, NULL, &answer));
    for (size_t i = 0; i < sizeof thresholds / sizeof thresholds[0]; i++) {
        options.threshold = thresholds[i];
        REFUSED(KILN_ERROR_ARGUMENT,
                kiln_collide_likely(tree, NULL, tree, NULL, &options, &answer));
    }
    options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    options.weights = &weights;
    for (size_t i = 0; i < sizeof weights / sizeof(float); i++) {
        static const float bad[] = {NAN, INFINITY, -INFINITY, 2e6f};
        const kiln_likely_weights good = weights;
        memcpy((char *)&weights + i * sizeof(float), &bad[i % 4], sizeof(float));
        REFUSED(KILN_ERROR_ARGUMENT,
                kiln_collide_likely(tree, NULL, tree, NULL, &options, &answer));
        weights = good;
    }
#undef REFUSED
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, NULL, &options, &answer), KILN_OK);
}

static void trees_without_polygons_are_refused(void **state)
{
    (void)state;
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *bare;
    kiln_likely_answer answer;
    size_t size;
    options.bv = "obb";
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = true;
    void *data = quick_bake_with(&torus.geometry, &options, &size);
    assert_int_equal(kiln_open_memory(data, size, NULL, &bare), KILN_OK);
    assert_int_equal(kiln_collide_likely(tree, NULL, kiln_file_tree(bare, 0), NULL, NULL, &answer),
                     KILN_ERROR_NOT_LOADED);
    kiln_close(bare);
    free(data);
}

static void memory_is_as_large_as_said(void **state)
{
    (void)state;
    const size_t size = kiln_likely_size(tree, tree);
    kiln_likely *query = (kiln_likely *)&query;
    kiln_likely_answer answer;
    assert_int_equal(kiln_likely_size(NULL, tree), 0);
    assert_int_equal(kiln_likely_size(tree, NULL), 0);
    assert_int_equal(kiln_likely_place(NULL, size, &query), KILN_ERROR_ARGUMENT);
    assert_null(query);
    assert_int_equal(kiln_likely_place(&answer, sizeof answer, &query), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_place(&answer, sizeof answer, NULL), KILN_ERROR_ARGUMENT);
    for (size_t off = 0; off < 64; off += 3) { /* of any alignment; asan watches its ends */
        char *memory = malloc(size + off);
        assert_non_null(memory);
        assert_int_equal(kiln_likely_place(memory + off, size, &query), KILN_OK);
        assert_int_equal(kiln_likely_run(query, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_likely_get_answer(query, &answer), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_likely_run_all(&query, 1, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
        const kiln_pose pose = crossing();
        assert_int_equal(kiln_likely_begin(query, tree, NULL, tree, &pose, NULL), KILN_OK);
        assert_int_equal(kiln_likely_run(query, UINT64_MAX, UINT64_MAX), KILN_OK);
        assert_int_equal(kiln_likely_get_answer(query, &answer), KILN_OK);
        assert_int_equal(kiln_likely_get_answer(query, NULL), KILN_ERROR_ARGUMENT);
        assert_int_not_equal(answer.verdict, KILN_LIKELY_UNDECIDED);
        free(memory);
    }
    /* A query of small trees has no room for deep ones. */
    mesh box = mesh_box(0, 0, 0, 1, 1, 1);
    void *data;
    kiln_file *small = quick_open(&box, "obb", 15, KILN_LAYOUT_RAW, &data);
    const size_t little = kiln_likely_size(kiln_file_tree(small, 0), kiln_file_tree(small, 0));
    assert_true(little < size);
    char *memory = malloc(little);
    assert_int_equal(kiln_likely_place(memory, little, &query), KILN_OK);
    assert_int_equal(kiln_likely_begin(query, tree, NULL, tree, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_run(query, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_begin(NULL, tree, NULL, tree, NULL, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_run(NULL, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_run_all(NULL, 1, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_run_all(NULL, 0, 1, UINT64_MAX), KILN_OK);
    kiln_likely *twice[2] = {query, query};
    assert_int_equal(kiln_likely_begin(query, kiln_file_tree(small, 0), NULL,
                                       kiln_file_tree(small, 0), NULL, NULL),
                     KILN_OK);
    assert_int_equal(kiln_likely_run_all(twice, 2, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_likely_run_all(twice, 1, 1, UINT64_MAX), KILN_OK);
    free(memory);
    kiln_close(small);
    free(data);
    mesh_free(&box);
}

/* Struct sizes of callers that know less of the options. */
static void options_of_other_versions_are_taken(void **state)
{
    (void)state;
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    options.struct_size = offsetof(kiln_likely_options, steps);
    options.threshold = INFINITY;
    options.steps = 1; /* not looked at */
    const kiln_pose pose = crossing();
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &answer), KILN_OK);
    assert_true(answer.proved && answer.verdict == KILN_LIKELY_YES);
}

/* A clock that goes on by 10 at each look. */
static uint64_t tick(void *user)
{
    uint64_t *now = user;
    return *now += 10;
}

static void budgets_of_time_end_runs(void **state)
{
    (void)state;
    kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_DEFAULT);
    kiln_likely_answer answer;
    uint64_t now = UINT64_MAX - 15; /* it wraps, too */
    const kiln_pose pose = crossing();
    options.threshold = INFINITY;
    options.clock = tick;
    options.clock_user = &now;
    options.nanoseconds =
        35; /* three steps besides that of the roots, by a clock read at the call */
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &answer), KILN_OK);
    assert_int_equal(answer.verdict, KILN_LIKELY_UNDECIDED);
    assert_int_equal(answer.steps, 4);
    options.nanoseconds = 0;
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &answer), KILN_OK);
    assert_int_equal(answer.steps, 1);
    options.nanoseconds = UINT64_MAX;
    now = 0;
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &answer), KILN_OK);
    assert_int_equal(now, 0); /* not looked at */
    options.steps = 0;        /* as 1 */
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &answer), KILN_OK);
    assert_int_equal(answer.steps, 1);
}

/* Roots that are apart decide a query without a step. */
static void far_meshes_take_no_step(void **state)
{
    (void)state;
    kiln_pose pose = kiln_pose_identity();
    kiln_likely_answer answer;
    pose.translation[1] = 50;
    assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, NULL, &answer), KILN_OK);
    assert_int_equal(answer.verdict, KILN_LIKELY_NO);
    assert_true(answer.proved && answer.probability == 0 && answer.steps == 0);
    const size_t size = kiln_likely_size(tree, tree);
    char *memory = malloc(size);
    kiln_likely *query;
    assert_non_null(memory);
    memset(memory, 0xA5, size); /* nothing else of the query is set */
    assert_int_equal(kiln_likely_place(memory, size, &query), KILN_OK);
    assert_int_equal(kiln_likely_begin(query, tree, NULL, tree, &pose, NULL), KILN_OK);
    assert_int_equal(kiln_likely_run(query, 5, UINT64_MAX), KILN_OK);
    assert_int_equal(kiln_likely_run_all(&query, 1, 5, UINT64_MAX), KILN_OK);
    assert_int_equal(kiln_likely_get_answer(query, &answer), KILN_OK);
    assert_true(answer.proved && answer.verdict == KILN_LIKELY_NO && answer.steps == 0);
    free(memory);
}

typedef struct {
    unsigned seen, meet;
} watcher;

static void watch(void *user, const kiln_likely_seen *seen)
{
    watcher *w = user;
    w->seen++;
    w->meet += seen->meet;
    for (int i = 0; i < KILN_LIKELY_FEATURES; i++) {
        assert_true(seen->feature[i] >= -40 && seen->feature[i] <= 40);
    }
}

/* An observer changes nothing, and of a proved "no" no lane meets. */
static void observers_see_what_is_weighed(void **state)
{
    (void)state;
    uint64_t random = 5;
    unsigned seen = 0, meet = 0;
    for (int i = 0; i < 300; i++) {
        const kiln_pose pose = pose_random(&random, 1.5);
        kiln_likely_options options = kiln_likely_options_of(KILN_LIKELY_CAREFUL);
        kiln_likely_answer plain, observed;
        watcher w = {0, 0};
        assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &plain), KILN_OK);
        options.observer = watch;
        options.observer_user = &w;
        assert_int_equal(kiln_collide_likely(tree, NULL, tree, &pose, &options, &observed),
                         KILN_OK);
        assert_int_equal(plain.verdict, observed.verdict);
        assert_int_equal(plain.steps, observed.steps);
        assert_true(plain.probability == observed.probability);
        assert_true(plain.verdict != KILN_LIKELY_NO || w.meet == 0);
        seen += w.seen;
        meet += w.meet;
    }
    assert_true(seen > 300 && meet > 100 && meet < seen);
}

static void weights_do_not_depend_on_the_order(void **state)
{
    (void)state;
    mesh box = mesh_box(0, 0, 0, 1, 1, 1);
    void *data;
    kiln_file *other = quick_open(&box, QUICK_ALL_KINDS, 2, KILN_LAYOUT_RAW, &data);
    const kiln_likely_weights none = kiln_likely_get_weights(NULL, tree);
    static const kiln_likely_weights zero;
    assert_memory_equal(&none, &zero, sizeof none);
    for (uint32_t i = 0; i < kiln_file_tree_count(other); i++) {
        const kiln_likely_weights p = kiln_likely_get_weights(tree, kiln_file_tree(other, i));
        const kiln_likely_weights q = kiln_likely_get_weights(kiln_file_tree(other, i), tree);
        assert_memory_equal(&p, &q, sizeof p);
        assert_true(p.feature[1] > 0 && p.early_score > 0 && p.all_score > 0);
    }
    kiln_close(other);
    free(data);
    mesh_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_differ_by_their_threshold),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(trees_without_polygons_are_refused),
        cmocka_unit_test(memory_is_as_large_as_said),
        cmocka_unit_test(options_of_other_versions_are_taken),
        cmocka_unit_test(budgets_of_time_end_runs),
        cmocka_unit_test(far_meshes_take_no_step),
        cmocka_unit_test(observers_see_what_is_weighed),
        cmocka_unit_test(weights_do_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, make_tree, free_tree);
}
