/* Self-contacts: meshes whose pairs are known, what is refused, what is left as it was, and the
 * environment in which the caller's functions run. */
#include <fenv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/base/tree.h"
#include "../../runtime/kiln_self.h"
#include "../support/body.h"
#include "../support/counted.h"
#include "../support/quick_bake.h"
#include "../support/rounding.h"

enum { ROOM = 400 };

static mesh mesh_of(const float *positions, uint32_t vertices, const uint32_t *indices,
                    uint32_t triangles)
{
    mesh m = {malloc(3 * sizeof(float) * vertices), malloc(3 * sizeof(uint32_t) * triangles),
              vertices, triangles};
    assert_true(m.positions != NULL && m.indices != NULL);
    memcpy(m.positions, positions, 3 * sizeof(float) * vertices);
    memcpy(m.indices, indices, 3 * sizeof(uint32_t) * triangles);
    return m;
}

/* 0 and 1: a square. 2: crosses 0 in its middle. 3: stands on 1 by a corner. 4: lies in the plane
 * of 0 and 1, on both. 5: 0 again, its corners in another order. 6: folded onto 0 at its edge. 7:
 * off. 8: a segment through 0. */
static const float vertices[][3] = {
    {0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0},      {1, 0.5f, -1}, {1, 1, 1},       {2, 0.5f, 1},
    {1, 3, 0}, {1, 3, 2}, {2, 3, 2}, {1, 1, 0},      {3, 3, 0},     {3.5f, 3, 0},    {3, 1, 0},
    {9, 9, 9}, {9, 9, 8}, {9, 8, 9}, {3, 0.25f, -1}, {3, 0.25f, 1}, {3, 0.25f, 0.5f}};
static const uint32_t corners[][3] = {{0, 1, 2},  {0, 2, 3},    {4, 5, 6},
                                      {7, 8, 9},  {10, 11, 12}, {2, 0, 1},
                                      {0, 1, 13}, {14, 15, 16}, {17, 18, 19}};

static const struct {
    uint32_t a, b;
    kiln_self_kind kind;
    uint32_t shared;
    bool beyond;
} known[] = {{0, 1, KILN_SELF_TOUCHING, 2, false},   {0, 2, KILN_SELF_CROSSING, 0, true},
             {0, 4, KILN_SELF_OVERLAPPING, 0, true}, {0, 5, KILN_SELF_DUPLICATE, 3, true},
             {0, 6, KILN_SELF_OVERLAPPING, 2, true}, {0, 8, KILN_SELF_CROSSING, 0, true},
             {1, 3, KILN_SELF_TOUCHING, 0, true},    {1, 4, KILN_SELF_TOUCHING, 0, true},
             {1, 5, KILN_SELF_TOUCHING, 2, false},   {1, 6, KILN_SELF_TOUCHING, 1, false},
             {2, 5, KILN_SELF_CROSSING, 0, true},    {2, 6, KILN_SELF_TOUCHING, 0, true},
             {4, 5, KILN_SELF_OVERLAPPING, 0, true}, {5, 6, KILN_SELF_OVERLAPPING, 2, true},
             {5, 8, KILN_SELF_CROSSING, 0, true},    {6, 8, KILN_SELF_CROSSING, 0, true}};

enum { KNOWN = sizeof known / sizeof known[0] };

static body known_body(void)
{
    return body_of(mesh_of(vertices[0], sizeof vertices / sizeof vertices[0], corners[0],
                           sizeof corners / sizeof corners[0]),
                   2, KILN_LAYOUT_RAW);
}

static void known_pairs_are_found(void **state)
{
    (void)state;
    body b = known_body();
    for (int k = 0; k < BODY_KINDS; k++) {
        for (int way = 0; way < 3; way++) {
            kiln_self_options options = kiln_self_options_default();
            kiln_self_pair found[ROOM];
            size_t count, place = 0;
            options.neighbours = (kiln_neighbours)way;
            assert_int_equal(kiln_self_contacts(b.trees[k], &options, found, ROOM, &count),
                             KILN_OK);
            for (size_t i = 0; i < KNOWN; i++) {
                if (way == KILN_NEIGHBOURS_ALL || known[i].shared == 0 ||
                    (way == KILN_NEIGHBOURS_BEYOND && known[i].beyond)) {
                    assert_true(place < count);
                    const kiln_self_pair *pair = &found[place++];
                    assert_int_equal(pair->pair.a, known[i].a);
                    assert_int_equal(pair->pair.b, known[i].b);
                    assert_int_equal(pair->pair.value_a, body_value(pair->pair.a));
                    assert_int_equal(pair->pair.value_b, body_value(pair->pair.b));
                    assert_int_equal(pair->kind, known[i].kind);
                    assert_int_equal(pair->shared, known[i].shared);
                }
            }
            assert_int_equal(place, count);
        }
    }
    body_free(&b);
}

static void sound_meshes_have_none(void **state)
{
    (void)state;
    body bodies[3] = {body_of(mesh_box(0, 0, 0, 1, 1, 1), 4, KILN_LAYOUT_RAW),
                      body_of(mesh_torus(20, 12, 0.2), 4, KILN_LAYOUT_RAW), known_body()};
    for (int k = 0; k < BODY_KINDS; k++) {
        for (int i = 0; i < 3; i++) {
            bool any = i < 2;
            size_t count = 7;
            kiln_self_pair pair = {.shared = 9};
            assert_int_equal(kiln_self_contacts_any(bodies[i].trees[k], NULL, &any, &pair),
                             KILN_OK);
            assert_int_equal(kiln_self_contacts(bodies[i].trees[k], NULL, NULL, 0, &count),
                             KILN_OK);
            assert_true(any == (i == 2) && (count != 0) == any && (pair.shared == 9) == !any);
        }
        /* A box: each of its 18 edges, and what meets at a corner. */
        kiln_self_options options = kiln_self_options_default();
        size_t count;
        options.neighbours = KILN_NEIGHBOURS_ALL;
        assert_int_equal(kiln_self_contacts(bodies[0].trees[k], &options, NULL, 0, &count),
                         KILN_OK);
        assert_true(count > 18 && count < 66);
        options.kinds = KILN_SELF_ALL_KINDS & ~1u;
        assert_int_equal(kiln_self_contacts(bodies[0].trees[k], &options, NULL, 0, &count),
                         KILN_OK);
        assert_int_equal(count, 0);
    }
    for (int i = 0; i < 3; i++) {
        body_free(&bodies[i]);
    }
}

static bool never(void *user)
{
    ++*(size_t *)user;
    return false;
}

static bool at_once(void *user)
{
    ++*(size_t *)user;
    return true;
}

static bool take_two(void *user, const kiln_self_pair *pair)
{
    assert_true(pair->pair.a < pair->pair.b);
    return ++*(size_t *)user < 2;
}

/* Large triangles that all meet: marks of an octree, of which there are as many as pairs of lanes,
 * take no more work than none. */
static void marks_that_say_nothing_are_left_alone(void **state)
{
    (void)state;
    uint64_t random = 3;
    quick_model dense = quick_model_of(mesh_soup(&random, 200, 1), "octree", 4);
    kiln_tree plain = *kiln_file_tree(dense.file, 0);
    size_t looked[2] = {0, 0}, count[2];
    kiln_self_options options = kiln_self_options_default();
    options.stop = never;
    assert_non_null(plain.view.lane_pairs);
    for (int i = 0; i < 2; i++) {
        options.stop_user = &looked[i];
        assert_int_equal(kiln_self_contacts(&plain, &options, NULL, 0, &count[i]), KILN_OK);
        plain.view.lane_pairs = NULL;
    }
    assert_true(count[0] > 1000 && count[0] == count[1]);
    assert_in_range(looked[0], 1, 2 * looked[1]);
    quick_model_free(&dense);
}

static void queries_end_when_told(void **state)
{
    (void)state;
    body b = known_body();
    for (int k = 0; k < BODY_KINDS; k++) {
        kiln_self_options options = kiln_self_options_default();
        size_t calls = 0, count = 0, taken = 0;
        bool any = false;
        assert_int_equal(kiln_self_contacts_each(b.trees[k], NULL, take_two, &taken, &count),
                         KILN_OK);
        assert_true(taken == 2 && count == 2);
        assert_int_equal(kiln_self_contacts_each(b.trees[k], NULL, take_two, &taken, NULL),
                         KILN_OK);
        options.stop_user = &calls;
        options.stop = never;
        assert_int_equal(kiln_self_contacts(b.trees[k], &options, NULL, 0, &count), KILN_OK);
        assert_true(calls > 0);
        const size_t whole = count;
        options.stop = at_once;
        calls = 0;
        assert_int_equal(kiln_self_contacts(b.trees[k], &options, NULL, 0, &count),
                         KILN_ERROR_STOPPED);
        assert_int_equal(kiln_self_contacts_any(b.trees[k], &options, &any, NULL),
                         KILN_ERROR_STOPPED);
        assert_int_equal(kiln_self_contacts_each(b.trees[k], &options, take_two, &taken, &count),
                         KILN_ERROR_STOPPED);
        assert_int_equal(calls, 3);
        assert_true(!any && count == whole);
    }
    body_free(&b);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    body b = known_body();
    counted bare = counted_bake(mesh_torus(8, 6, 0), "aabb", 4, 4, KILN_ADB_OCTANTS, false);
    const kiln_tree *tree = b.trees[0];
    kiln_self_options options = kiln_self_options_default();
    kiln_self_pair pair;
    size_t count = 5, taken = 0;
    bool any = true;
    assert_int_equal(kiln_self_contacts(NULL, NULL, NULL, 0, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts(tree, NULL, NULL, 1, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts(tree, NULL, &pair, 1, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts_each(NULL, NULL, take_two, &taken, &count),
                     KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts_each(tree, NULL, NULL, NULL, &count), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts_any(NULL, NULL, &any, NULL), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts_any(tree, NULL, NULL, &pair), KILN_ERROR_ARGUMENT);
    assert_int_equal(kiln_self_contacts(bare.tree, NULL, NULL, 0, &count), KILN_ERROR_NOT_LOADED);
    options.neighbours = (kiln_neighbours)3;
    assert_int_equal(kiln_self_contacts(tree, &options, NULL, 0, &count), KILN_ERROR_ARGUMENT);
    assert_true(count == 5 && any && taken == 0);
    /* Options of a caller who knows the first member alone: what is behind it is not read. */
    options.kinds = 0;
    options.struct_size = sizeof options.struct_size;
    assert_int_equal(kiln_self_contacts(tree, &options, NULL, 0, &count), KILN_OK);
    assert_true(count > 5);
    counted_free(&bare);
    body_free(&b);
}

static bool in_callers_rounding(void *user, const kiln_self_pair *pair)
{
    (void)pair;
    assert_int_equal(fegetround(), *(const int *)user);
    return true;
}

static bool stop_in_callers_rounding(void *user)
{
    assert_int_equal(fegetround(), *(const int *)user);
    return false;
}

/* Answers are the same in every environment, and the caller's functions run in the caller's. */
static void environments_do_not_matter(void **state)
{
    (void)state;
    body b = known_body();
    for (int mode = 0; mode <= ROUNDING_MODES; mode++) {
        kiln_self_pair found[ROOM];
        size_t count, called;
        rounding_enter(mode);
        int rounding = fegetround();
        kiln_self_options options = kiln_self_options_default();
        options.filter = in_callers_rounding;
        options.stop = stop_in_callers_rounding;
        options.filter_user = options.stop_user = &rounding;
        for (int k = 0; k < BODY_KINDS; k++) {
            assert_int_equal(kiln_self_contacts(b.trees[k], &options, found, ROOM, &count),
                             KILN_OK);
            assert_int_equal(kiln_self_contacts_each(b.trees[k], &options, in_callers_rounding,
                                                     &rounding, &called),
                             KILN_OK);
            assert_int_equal(count, 13);
            assert_int_equal(called, 13);
            assert_int_equal(fegetround(), rounding);
        }
        rounding_leave();
    }
    body_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_pairs_are_found),
                                       cmocka_unit_test(sound_meshes_have_none),
                                       cmocka_unit_test(queries_end_when_told),
                                       cmocka_unit_test(marks_that_say_nothing_are_left_alone),
                                       cmocka_unit_test(what_is_wrong_is_refused),
                                       cmocka_unit_test(environments_do_not_matter)};
    return cmocka_run_group_tests_name("self-contacts", tests, NULL, NULL);
}
