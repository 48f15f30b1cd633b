/* Interruptible queries: arguments, errors, memory, levels, clocks, callbacks. What answers are
 * worth is in property/test_interruptible.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/quick_bake.h"

enum { WAITING = 500 };

static quick_model torus;
static const kiln_tree *tree;
static void *memory;
static kiln_interruptible *query;

static int make_tree(void **state)
{
    (void)state;
    torus = quick_model_of(mesh_torus(40, 20, 0.1), "obb", 4);
    tree = kiln_file_tree(torus.file, 0);
    const size_t size = kiln_interruptible_size(tree, tree, WAITING);
    memory = malloc(size);
    return memory != NULL && kiln_interruptible_place(memory, size, &query) == KILN_OK ? 0 : -1;
}

static int free_tree(void **state)
{
    (void)state;
    free(memory);
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

static kiln_interruptible_answer answer_now(void)
{
    kiln_interruptible_answer answer;
    assert_int_equal(kiln_interruptible_get_answer(query, &answer), KILN_OK);
    return answer;
}

/* After a refused begin no query is begun, and outputs stay as they are. */
static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const kiln_pose pose = crossing();
    kiln_interruptible_options options = kiln_interruptible_options_default();
    kiln_interruptible_answer answer, before;
    kiln_volume_contact contact;
    kiln_pose flat = kiln_pose_identity(), nothing = kiln_pose_identity();
    size_t count = 77;
    memset(&answer, 7, sizeof answer);
    before = answer;
    flat.rotation[0] = 0;
    nothing.translation[1] = NAN;
#define REFUSED(error, call)                                                                       \
    assert_int_equal((call), (error));                                                             \
    assert_int_equal(kiln_interruptible_run(query, 1, 1, 1), KILN_ERROR_ARGUMENT);                 \
    assert_int_equal(kiln_interruptible_get_answer(query, &answer), KILN_ERROR_ARGUMENT);          \
    assert_int_equal(kiln_interruptible_get_contacts(query, &contact, 1, &count),                  \
                     KILN_ERROR_ARGUMENT);                                                         \
    assert_int_equal(kiln_interruptible_run_all(&query, 1, 1, 1, 1), KILN_ERROR_ARGUMENT);         \
    assert_memory_equal(&answer, &before, sizeof answer);                                          \
    assert_int_equal(count, 77)
    REFUSED(KILN_ERROR_ARGUMENT, kiln_interruptible_begin(query, NULL, NULL, tree, NULL, NULL));
    REFUSED(KILN_ERROR_ARGUMENT, kiln_interruptible_begin(query, tree, NULL, NULL, NULL, NULL));
    REFUSED(KILN_ERROR_POSE, kiln_interruptible_begin(query, tree, &flat, tree, NULL, NULL));
    REFUSED(KILN_ERROR_POSE, kiln_interruptible_begin(query, tree, NULL, tree, &nothing, NULL));
    options.order = (kiln_order)3;
    REFUSED(KILN_ERROR_ARGUMENT, kiln_interruptible_begin(query, tree, NULL, tree, NULL, &options));
#undef REFUSED
    assert_int_equal(kiln_interruptible_begin(NULL, tree, NULL, tree, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_run(NULL, 1, 1, 1), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_run_all(NULL, 1, 1, 1, 1), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_run_all(NULL, 0, 1, 1, 1), KILN_OK);
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, NULL), KILN_OK);
    assert_int_equal(kiln_interruptible_get_answer(NULL, &answer), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_get_answer(query, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_get_contacts(query, NULL, 1, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_get_contacts(query, &contact, 1, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(count, 77);
    assert_int_equal(kiln_interruptible_get_contacts(query, NULL, 0, &count), KILN_OK);
    assert_int_equal(count, 1);
}

static void trees_without_polygons_are_refused(void **state)
{
    (void)state;
    kiln_bake_options options = kiln_bake_options_default();
    kiln_file *bare;
    size_t size;
    options.bv = "obb";
    options.adb = 4;
    options.adb_factor = 0.75;
    options.no_geometry = true;
    void *data = quick_bake_with(&torus.geometry, &options, &size);
    assert_int_equal(kiln_open_memory(data, size, NULL, &bare), KILN_OK);
    assert_int_equal(
        kiln_interruptible_begin(query, tree, NULL, kiln_file_tree(bare, 0), NULL, NULL),
        KILN_ERROR_NOT_LOADED);
    kiln_close(bare);
    free(data);
}

static void memory_is_as_large_as_said(void **state)
{
    (void)state;
    const kiln_pose pose = crossing();
    const size_t size = kiln_interruptible_size(tree, tree, 0);
    kiln_interruptible *own = query;
    uint64_t little[8];
    assert_int_equal(kiln_interruptible_size(NULL, tree, 1), 0);
    assert_int_equal(kiln_interruptible_size(tree, NULL, 1), 0);
    assert_int_equal(kiln_interruptible_size(tree, tree, (1u << 24) + 1), 0);
    assert_int_equal(kiln_interruptible_size(tree, tree, 1u << 24) - size, 24ull << 24);
    const size_t levels = 2 * kiln_tree_get_info(tree).depth;
    assert_true(size <= 168 * levels + 6144);
    assert_int_equal(kiln_interruptible_place(NULL, size, &own), KILN_ERROR_ARGUMENT);
    assert_null(own);
    assert_int_equal(kiln_interruptible_place(little, sizeof little, &own), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_place(memory, size, NULL), KILN_ERROR_ARGUMENT);
    for (size_t off = 0; off < 64; off += 3) { /* of any alignment; asan watches its ends */
        char *room = malloc(size + off);
        kiln_interruptible_answer answer;
        assert_non_null(room);
        assert_int_equal(kiln_interruptible_place(room + off, size, &own), KILN_OK);
        assert_int_equal(kiln_interruptible_run(own, 1, 1, UINT64_MAX), KILN_ERROR_ARGUMENT);
        assert_int_equal(kiln_interruptible_begin(own, tree, NULL, tree, &pose, NULL), KILN_OK);
        assert_int_equal(kiln_interruptible_run(own, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
        assert_int_equal(kiln_interruptible_get_answer(own, &answer), KILN_OK);
        assert_true(answer.complete && answer.verdict == KILN_INTERRUPTIBLE_MEET);
        free(room);
    }

    /* A query of small trees has no room for deep ones. */
    mesh box = mesh_box(0, 0, 0, 1, 1, 1);
    void *data;
    kiln_file *small = quick_open(&box, "obb", 15, KILN_LAYOUT_RAW, &data);
    const kiln_tree *of_box = kiln_file_tree(small, 0);
    const size_t less = kiln_interruptible_size(of_box, of_box, 0);
    assert_true(less < size);
    char *room = malloc(less);
    assert_int_equal(kiln_interruptible_place(room, less, &own), KILN_OK);
    assert_int_equal(kiln_interruptible_begin(own, tree, NULL, tree, NULL, NULL),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_interruptible_begin(own, of_box, NULL, of_box, NULL, NULL), KILN_OK);
    free(room);
    kiln_close(small);
    free(data);
    mesh_free(&box);
}

/* Level 0: nothing is looked into, and the answer is that of the whole trees. */
static void a_level_ends_a_run(void **state)
{
    (void)state;
    const kiln_pose pose = crossing();
    kiln_volume_contact contacts[WAITING];
    size_t count;
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, NULL), KILN_OK);
    assert_int_equal(kiln_interruptible_run(query, 0, UINT64_MAX, UINT64_MAX), KILN_OK);
    kiln_interruptible_answer answer = answer_now();
    assert_int_equal(answer.verdict, KILN_INTERRUPTIBLE_UNRESOLVED);
    assert_int_equal(answer.steps, 0);
    assert_int_equal(answer.level, 0);
    assert_int_equal(answer.waiting, 1);
    double extent = 0;
    for (uint32_t level = 1; level <= 4; level++) {
        assert_int_equal(kiln_interruptible_run(query, level, UINT64_MAX, UINT64_MAX), KILN_OK);
        answer = answer_now();
        assert_false(answer.full);
        assert_int_equal(answer.level, level);
        assert_int_equal(answer.deepest, level - 1);
        assert_int_equal(kiln_interruptible_get_contacts(query, contacts, WAITING, &count),
                         KILN_OK);
        assert_int_equal(count, answer.waiting);
        double most = 0;
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(contacts[i].level, level);
            most = fmax(most, contacts[i].extent);
        }
        extent = level == 1 ? most : extent;
        assert_true(level < 4 || most < extent); /* volumes become smaller */
    }
    /* The first of few are the first of many. */
    kiln_volume_contact first[3];
    assert_true(count > 3);
    assert_int_equal(kiln_interruptible_get_contacts(query, first, 3, &count), KILN_OK);
    assert_memory_equal(first, contacts, sizeof first);
    assert_int_equal(count, answer.waiting);
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
    kiln_interruptible_options options = kiln_interruptible_options_default();
    uint64_t now = UINT64_MAX - 15; /* it wraps, too */
    const kiln_pose pose = crossing();
    options.clock = tick;
    options.clock_user = &now;
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, &options), KILN_OK);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, 35), KILN_OK);
    assert_int_equal(answer_now().steps, 3);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, 0), KILN_OK);
    assert_int_equal(answer_now().steps, 3);
    assert_int_equal(kiln_interruptible_run_all(&query, 1, UINT32_MAX, UINT64_MAX, 25), KILN_OK);
    assert_int_equal(answer_now().steps, 4);
    now = 0;
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, 1, UINT64_MAX), KILN_OK);
    assert_int_equal(now, 0); /* not looked at */
    assert_int_equal(answer_now().steps, 5);
}

typedef struct {
    unsigned calls, most;
} visitor;

static bool visit(void *user, kiln_pair pair)
{
    visitor *v = user;
    (void)pair;
    return ++v->calls < v->most;
}

static bool refuse(void *user, kiln_pair pair)
{
    (void)user;
    (void)pair;
    return false;
}

/* The visitor ends the query when it has had enough; what a filter refuses does not meet. */
static void visitors_and_filters_decide(void **state)
{
    (void)state;
    kiln_interruptible_options options = kiln_interruptible_options_default();
    visitor v = {.calls = 0, .most = 7};
    const kiln_pose pose = crossing();
    options.visit = visit;
    options.visit_user = &v;
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, &options), KILN_OK);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    kiln_interruptible_answer answer = answer_now();
    assert_int_equal(v.calls, 7);
    assert_int_equal(answer.found, 7);
    assert_true(answer.complete && answer.verdict == KILN_INTERRUPTIBLE_MEET);
    const uint64_t steps = answer.steps;
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    assert_int_equal(answer_now().steps, steps);
    options.filter = refuse;
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, &options), KILN_OK);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    answer = answer_now();
    assert_int_equal(v.calls, 7);
    assert_true(answer.complete && answer.verdict == KILN_INTERRUPTIBLE_APART && answer.found == 0);
}

/* Struct sizes of callers that know less of the options. */
static void options_of_other_versions_are_taken(void **state)
{
    (void)state;
    kiln_interruptible_options options = kiln_interruptible_options_default();
    const kiln_pose pose = crossing();
    options.struct_size = offsetof(kiln_interruptible_options, visit);
    options.visit = visit; /* not looked at: it would fail without a user */
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, &options), KILN_OK);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, UINT64_MAX, UINT64_MAX), KILN_OK);
    assert_int_equal(answer_now().found, 1);
}

/* Roots that are apart decide a query without a step. */
static void far_meshes_take_no_step(void **state)
{
    (void)state;
    kiln_pose pose = kiln_pose_identity();
    kiln_volume_contact contact;
    size_t count;
    pose.translation[1] = 50;
    assert_int_equal(kiln_interruptible_begin(query, tree, NULL, tree, &pose, NULL), KILN_OK);
    const kiln_interruptible_answer answer = answer_now();
    assert_true(answer.complete && answer.verdict == KILN_INTERRUPTIBLE_APART);
    assert_true(answer.steps == 0 && answer.waiting == 0 && answer.level == UINT32_MAX);
    assert_int_equal(kiln_interruptible_run(query, UINT32_MAX, 9, UINT64_MAX), KILN_OK);
    assert_int_equal(kiln_interruptible_get_contacts(query, &contact, 1, &count), KILN_OK);
    assert_int_equal(count, 0);
}

/* The contact of two unit boxes that overlap by a tenth along x, at a pose with a scale. */
static void contacts_are_where_boxes_overlap(void **state)
{
    (void)state;
    mesh box = mesh_box(0, 0, 0, 1, 1, 1);
    void *data;
    kiln_file *boxes = quick_open(&box, "aabb", 15, KILN_LAYOUT_RAW, &data);
    const kiln_tree *of_box = kiln_file_tree(boxes, 0);
    kiln_pose a = kiln_pose_identity(), b = a;
    kiln_volume_contact contact;
    size_t count;
    a.scale = b.scale = 2;
    a.translation[0] = 10;
    b.translation[0] = 11.8;
    assert_int_equal(kiln_interruptible_begin(query, of_box, &a, of_box, &b, NULL), KILN_OK);
    assert_int_equal(kiln_interruptible_get_contacts(query, &contact, 1, &count), KILN_OK);
    assert_int_equal(count, 1);
    const kiln_tree_info info = kiln_tree_get_info(of_box);
    double middle[3], size = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = ((double)info.bounds_lower[k] + (double)info.bounds_upper[k]) / 2;
        const double side = (double)info.bounds_upper[k] - (double)info.bounds_lower[k];
        size += side * side;
    }
    const double side = (double)info.bounds_upper[0] - (double)info.bounds_lower[0];
    assert_true(fabs(contact.depth - (2 * side - 1.8)) < 1e-4);
    assert_true(contact.depth >= 2 * side - 1.8);
    assert_true(contact.normal[0] == -1 && contact.normal[1] == 0 && contact.normal[2] == 0);
    assert_true(fabs(contact.position[0] - (10.9 + 2 * middle[0])) < 1e-4);
    assert_true(fabs(contact.position[1] - 2 * middle[1]) < 1e-4);
    assert_true(contact.extent >= sqrt(size) && contact.extent < 2 * sqrt(size));
    kiln_close(boxes);
    free(data);
    mesh_free(&box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(trees_without_polygons_are_refused),
        cmocka_unit_test(memory_is_as_large_as_said),
        cmocka_unit_test(a_level_ends_a_run),
        cmocka_unit_test(budgets_of_time_end_runs),
        cmocka_unit_test(visitors_and_filters_decide),
        cmocka_unit_test(options_of_other_versions_are_taken),
        cmocka_unit_test(far_meshes_take_no_step),
        cmocka_unit_test(contacts_are_where_boxes_overlap),
    };
    return cmocka_run_group_tests(tests, make_tree, free_tree);
}
