/* Cases of the field that are too large to keep: many objects, many corners, faces that no plane
 * can tell apart. models/hard_big writes them. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "../../tools/encode/audit.h"
#include "../support/amount.h"
#include "../support/meshes.h"
#include "case_model.h"

enum { FACES = 20000, FACES_QUICK = 4000, FACES_TIMED = 100000, STACK = 64 * 1024 };
enum { DEPTH_MAX = 20, BINARY_DEPTH_MAX = 60 };

static unsigned faces;

static int make_inputs(void **state)
{
    (void)state;
    faces = getenv("KILN_TEST_TIMES") != NULL ? FACES_TIMED : is_shortened() ? FACES_QUICK : FACES;
    case_make_big(faces);
    return 0;
}

static case_model bake_big(const char *name, const kiln_bake_options *options)
{
    char relative[64], path[CASE_PATH_SIZE];
    (void)snprintf(relative, sizeof relative, "big/%s", name);
    return case_bake_path(case_temporary(relative, path), options);
}

static void expect_sound(const case_model *model)
{
    kiln_format_error error = {.code = KILN_FORMAT_ERROR_NONE};
    if (!kiln_audit(model->bytes, model->size, NULL, &error)) {
        fail_msg("%s", error.text);
    }
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        const kiln_tree_info info = kiln_tree_get_info(model->trees[kind]);
        const bool binary = info.bv == KILN_BV_OBB2 || info.bv == KILN_BV_AABB2;
        assert_in_range(info.depth, 1, binary ? BINARY_DEPTH_MAX : DEPTH_MAX);
    }
}

/* The one triangle of A that the probe meets at x. */
static uint32_t only_hit(const kiln_tree *tree, const kiln_tree *probe, double x)
{
    kiln_pair pair;
    size_t count;
    const kiln_pose at = case_at(x, 0, 0);
    assert_int_equal(kiln_contacts(tree, NULL, probe, &at, NULL, &pair, 1, &count), KILN_OK);
    assert_int_equal(count, 1);
    return pair.a;
}

/* Part numbers of more than ten bits. */
static void test_c019_many_objects(void **state)
{
    (void)state;
    const int parts[] = {0, 1023, 1024, 1499};
    case_model scene = bake_big("C019_many_objects.obj", NULL);
    case_model probe = case_bake("C013_probe.obj", NULL);
    assert_int_equal(scene.report.faces, 1500);
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        for (int i = 0; i < 4; i++) {
            char name[32];
            kiln_source source;
            const uint32_t hit = only_hit(scene.trees[kind], probe.trees[kind], 10.0 * parts[i]);
            assert_int_equal(kiln_tree_source(scene.trees[kind], hit, &source), KILN_OK);
            (void)snprintf(name, sizeof name, "part_%04d", parts[i]);
            assert_string_equal(source.mesh_name, name);
            assert_int_equal(source.face, parts[i]);
        }
    }
    case_free(&scene);
    case_free(&probe);
}

/* The same with a tree for each part. */
static void test_c019_a_tree_for_each_object(void **state)
{
    (void)state;
    kiln_bake_options options = case_options();
    options.split = KILN_SPLIT_MESH;
    case_model scene = bake_big("C019_many_objects.obj", &options);
    case_model probe = case_bake("C013_probe.obj", NULL);
    assert_int_equal(kiln_file_tree_count(scene.file), 1500 * CASE_KINDS);
    for (int i = 0; i < 1500; i++) {
        char name[32];
        kiln_hit hit;
        const kiln_pose at = case_at(10.0 * i, 0, 0);
        (void)snprintf(name, sizeof name, "part_%04d", i);
        const kiln_tree *tree = kiln_file_find(scene.file, name, KILN_BV_OBB);
        assert_non_null(tree);
        assert_int_equal(kiln_collide(tree, NULL, probe.trees[1], &at, NULL, &hit), KILN_OK);
        assert_true(hit.found);
    }
    case_free(&scene);
    case_free(&probe);
}

/* Indices of more than sixteen bits. */
static void test_c025_many_corners(void **state)
{
    (void)state;
    case_model strip = bake_big("C025_65538_corners.obj", NULL);
    case_model probe = case_bake("C013_probe.obj", NULL);
    assert_int_equal(strip.report.faces, 21846);
    expect_sound(&strip);
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        assert_int_equal(only_hit(strip.trees[kind], probe.trees[kind], 43690), 21845);
        assert_int_equal(only_hit(strip.trees[kind], probe.trees[kind], 0), 0);
    }
    const kiln_pose beside = case_at(43691.25, 0, 0);
    case_expect(&strip, NULL, &probe, &beside, false, 0);
    case_free(&strip);
    case_free(&probe);
}

enum { C029_DEPTH_MAX = 16 };

static double processor_seconds(int who)
{
    struct rusage used;
    assert_int_equal(getrusage(who, &used), 0);
    return (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
           (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
}

/* Of the processor, the importing child's included. */
static double seconds(void)
{
    return processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
}

/* A torus of about as many faces, as text. */
static char *ordinary_text(void)
{
    const uint32_t sides = 100;
    mesh torus = mesh_torus(faces / (2 * sides), sides, 0.3);
    char *text = malloc(64 * (size_t)(torus.vertex_count + torus.triangle_count));
    assert_non_null(text);
    char *at = text;
    for (uint32_t i = 0; i < torus.vertex_count; i++) {
        const float *p = torus.positions + 3 * (size_t)i;
        at += sprintf(at, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (uint32_t i = 0; i < torus.triangle_count; i++) {
        const uint32_t *c = torus.indices + 3 * (size_t)i;
        at += sprintf(at, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1);
    }
    mesh_free(&torus);
    return text;
}

static double time_ordinary(const kiln_bake_options *options)
{
    char *text = ordinary_text();
    const double start = seconds();
    case_model model = case_bake_text(text, options);
    const double spent = seconds() - start;
    case_free(&model);
    free(text);
    return spent;
}

/* No plane separates the faces: the depth is bounded all the same, and the bake near-linear.
 * Time is asserted only where the environment has KILN_TEST_TIMES, as in `make soak`. */
static void test_c029_time_and_depth(void **state)
{
    (void)state;
    kiln_bake_options options = case_options();
    options.threads = 1;
    const double ordinary = time_ordinary(&options);
    const char *names[] = {"C029_same_centroid.obj", "C029_copies.obj"};
    for (int i = 0; i < 2; i++) {
        const double start = seconds();
        case_model model = bake_big(names[i], &options);
        const double spent = seconds() - start;
        print_message("%s: %u faces, depth %u and %u, %.2f s, %.1f times an ordinary mesh\n",
                      names[i], faces, kiln_tree_get_info(model.trees[0]).depth,
                      kiln_tree_get_info(model.trees[1]).depth, spent, spent / ordinary);
        assert_int_equal(model.report.faces, faces);
        /* A level looks at each face a bounded number of times, so that depth bounds the work. */
        assert_in_range(kiln_tree_get_info(model.trees[0]).depth, 1, C029_DEPTH_MAX);
        assert_in_range(kiln_tree_get_info(model.trees[1]).depth, 1, C029_DEPTH_MAX);
        if (getenv("KILN_TEST_TIMES") != NULL) {
            assert_true(spent < 10 * ordinary);
        }
        expect_sound(&model);
        case_free(&model);
    }
}

typedef struct {
    const case_model *model, *probe;
    int kinds; /* the first so many */
    size_t hits, misses;
} small_stack;

static void *query_on_small_stack(void *context)
{
    small_stack *work = context;
    for (int i = 0; i < work->kinds; i++) {
        for (int j = 0; j < work->kinds; j++) {
            const kiln_pose clear = case_at(4, 0, 0), inside = case_at(0, 0, 0);
            kiln_hit hit;
            size_t count = 0;
            (void)kiln_collide(work->model->trees[i], NULL, work->probe->trees[j], &clear, NULL,
                               &hit);
            work->misses += !hit.found;
            (void)kiln_collide(work->model->trees[i], NULL, work->probe->trees[j], &inside, NULL,
                               &hit);
            work->hits += hit.found;
            (void)kiln_contacts(work->model->trees[i], NULL, work->probe->trees[j], &inside, NULL,
                                NULL, 0, &count);
            work->hits += count > 0;
        }
    }
    return NULL;
}

static void run_on_stack(const case_model *model, const case_model *probe, int kinds, size_t stack)
{
    small_stack work = {model, probe, kinds, 0, 0};
    pthread_attr_t attributes;
    pthread_t thread;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    stack *= 16;
#endif
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, stack), 0);
    assert_int_equal(pthread_create(&thread, &attributes, query_on_small_stack, &work), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attributes), 0);
    assert_int_equal(work.misses, kinds * kinds);
    assert_int_equal(work.hits, 2 * kinds * kinds);
}

/* A query needs little stack, also on the deepest trees; twice as much on binary trees, which come
 * last. */
static void test_c029_small_stack(void **state)
{
    (void)state;
    const char *names[] = {"C029_same_centroid.obj", "C029_copies.obj"};
    case_model probe = case_bake("C013_probe.obj", NULL);
    for (int i = 0; i < 2; i++) {
        case_model model = bake_big(names[i], NULL);
        run_on_stack(&model, &probe, 2, STACK);
        run_on_stack(&model, &probe, CASE_KINDS, 2 * STACK);
        case_free(&model);
    }
    case_free(&probe);
}

static bool stop_at_ten(void *user, kiln_pair pair)
{
    unsigned *calls = user;
    (void)pair;
    return ++*calls < 10;
}

/* All copies answer, or as many as the caller has room for. */
static void test_c029_pairs_of_copies(void **state)
{
    (void)state;
    case_model copies = bake_big("C029_copies.obj", NULL),
               probe = case_bake("C013_probe.obj", NULL);
    kiln_pair *pairs = malloc(faces * sizeof *pairs);
    assert_non_null(pairs);
    for (int kind = 0; kind < CASE_KINDS; kind++) {
        size_t count = 0;
        kiln_pair few[5];
        unsigned calls = 0;
        const kiln_tree *tree = copies.trees[kind];
        assert_int_equal(
            kiln_contacts(tree, NULL, probe.trees[0], NULL, NULL, pairs, faces, &count), KILN_OK);
        assert_int_equal(count, faces);
        for (uint32_t i = 0; i < faces; i++) {
            assert_int_equal(pairs[i].a, i);
        }
        assert_int_equal(kiln_contacts(tree, NULL, probe.trees[0], NULL, NULL, few, 5, &count),
                         KILN_OK);
        assert_int_equal(count, faces);
        assert_memory_equal(few, pairs, sizeof few);
        assert_int_equal(
            kiln_contacts_each(tree, NULL, probe.trees[0], NULL, NULL, stop_at_ten, &calls, NULL),
            KILN_OK);
        assert_int_equal(calls, 10);
    }
    free(pairs);
    case_free(&copies);
    case_free(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c019_many_objects),
        cmocka_unit_test(test_c019_a_tree_for_each_object),
        cmocka_unit_test(test_c025_many_corners),
        cmocka_unit_test(test_c029_time_and_depth),
        cmocka_unit_test(test_c029_small_stack),
        cmocka_unit_test(test_c029_pairs_of_copies),
    };
    return cmocka_run_group_tests(tests, make_inputs, NULL);
}
