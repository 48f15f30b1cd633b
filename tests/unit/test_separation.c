/* Runs of a separation list on recursion trees that are made up: the accounting of Li and Chen's
 * slides (1998), what becomes of the list where a search ends early or there is no room, and that
 * it always is a cut.
 *
 * Pairs are nodes of a complete binary tree, numbered as in a heap from 1 on. A node is opened
 * above a depth, which is what moves: deeper, objects come closer. With n pairs at that depth, the
 * recursion tests 2 n - 1. The slides count 2 n; where they say n, 1/2 n or 3/4 n are saved, one
 * less is here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../runtime/front/separation_runs.h"
#include "../support/amount.h"
#include "../support/meshes.h"

enum { DEEPEST = 9, ROOM = 1 << DEEPEST, BEFORE = 6, N = 1 << BEFORE };

/* A recursion tree: which nodes are opened, and the leaf at which the search ends. */
typedef struct {
    unsigned depth;
    uint64_t seed;    /* other than 0: nodes are opened or not at random */
    uint32_t ends_at; /* a node of the deepest level below one that ends the search; 0: none */
    uint32_t tests;
    bool ended;
    uint32_t last; /* deepest node on the left below the last one that was tested and not opened */
} made_up;

static unsigned depth_of(uint32_t node)
{
    return 31u - (unsigned)__builtin_clz(node);
}

/* The first node of the deepest level below a node. */
static uint32_t first_below(uint32_t node)
{
    return node << (DEEPEST - depth_of(node));
}

static bool is_opened(const made_up *tree, uint32_t node)
{
    uint64_t state = tree->seed ^ node * 0x9e3779b97f4a7c15u;
    if (depth_of(node) == DEEPEST) {
        return false;
    }
    return tree->seed == 0 ? depth_of(node) < tree->depth : random_next(&state) % 5 < 4;
}

static kiln_pair_answer test_node(void *recursion, kiln_volume_pair pair, kiln_volume_pair below[2],
                                  unsigned *count)
{
    made_up *tree = (made_up *)recursion;
    const uint32_t node = pair.a;
    tree->tests++;
    if (is_opened(tree, node)) {
        below[0] = (kiln_volume_pair){2 * node, 0};
        below[1] = (kiln_volume_pair){2 * node + 1, 0};
        *count = 2;
        return KILN_PAIR_OPENED;
    }
    /* pairs are tested in the order of the recursion */
    assert_true(tree->last < first_below(node));
    tree->last = first_below(node);
    const bool ends = depth_of(node) == DEEPEST && node == tree->ends_at;
    tree->ended = ends;
    return ends ? KILN_PAIR_ENOUGH : KILN_PAIR_STAYS;
}

static const kiln_volume_pair root = {1, 0};

typedef struct {
    kiln_separation list;
    kiln_volume_pair room[2][ROOM];
} run_list;

static run_list *list_of(uint32_t capacity, unsigned patience)
{
    run_list *list = calloc(1, sizeof *list);
    assert_non_null(list);
    list->list.pairs = list->room[0];
    list->list.spare = list->room[1];
    list->list.capacity = capacity;
    list->list.patience = patience;
    return list;
}

/* One run; returns how many pairs it tested. */
static uint32_t run_tree(run_list *list, made_up tree)
{
    tree.tests = 0;
    tree.last = 0;
    kiln_separation_run(&list->list, root, test_node, &tree);
    return tree.tests;
}

static uint32_t run_at(run_list *list, unsigned depth)
{
    return run_tree(list, (made_up){depth, 0, 0, 0, false, 0});
}

/* Tests of a list that shrinks: all of its pairs, what is below those that are opened, and then,
 * level by level, the pair above each two that stay, as long as that stays itself. */
static uint32_t shrinking_tests(unsigned before, unsigned depth)
{
    uint32_t tests = 1u << before;
    for (unsigned level = before; level < depth; level++) {
        tests += 2u << level;
    }
    for (unsigned level = before; level > 0 && level >= depth; level--) {
        tests += 1u << (level - 1);
    }
    return tests;
}

static uint32_t plain_tests(unsigned depth)
{
    run_list *none = list_of(0, 1);
    const uint32_t tests = run_at(none, depth);
    assert_false(none->list.kept);
    assert_int_equal(none->list.count, 0);
    free(none);
    return tests;
}

static uint32_t list_tests(unsigned before, unsigned depth)
{
    run_list *list = list_of(ROOM, 1);
    (void)run_at(list, before);
    assert_int_equal(list->list.count, 1u << before);
    const uint32_t tests = run_at(list, depth);
    free(list);
    return tests;
}

/* "Number of nodes in a recursion tree": 2 n - 1 1/2 n = 1/2 n; 2 n - n = n; n - 1 3/4 n = -3/4 n.
 * Where objects come closer, both also test the 2 n pairs below the list. */
static void a_list_that_shrinks_saves_as_in_the_slides(void **unused)
{
    (void)unused;
    assert_int_equal(plain_tests(BEFORE), 2 * N - 1);
    assert_int_equal(shrinking_tests(BEFORE, BEFORE), N + N / 2);
    assert_int_equal(plain_tests(BEFORE + 1), 2 * N - 1 + 2 * N);
    assert_int_equal(shrinking_tests(BEFORE, BEFORE + 1), N + 2 * N);
    assert_int_equal(plain_tests(BEFORE - 1), N - 1);
    assert_int_equal(shrinking_tests(BEFORE, BEFORE - 1), N + N / 2 + N / 4);
}

/* "Predicting motions of a separation list": 2 n - n = n; 2 n - n = n; n - n = 0. */
static void a_list_that_does_not_shrink_saves_as_in_the_slides(void **unused)
{
    (void)unused;
    assert_int_equal(list_tests(BEFORE, BEFORE), N);
    assert_int_equal(plain_tests(BEFORE) - list_tests(BEFORE, BEFORE), N - 1);
    assert_int_equal(list_tests(BEFORE, BEFORE + 1), N + 2 * N);
    assert_int_equal(plain_tests(BEFORE + 1) - list_tests(BEFORE, BEFORE + 1), N - 1);
    assert_int_equal(list_tests(BEFORE, BEFORE - 1), N);
    assert_int_equal((int)plain_tests(BEFORE - 1) - (int)list_tests(BEFORE, BEFORE - 1), -1);
}

/* "Deferring rebuilding a separation list": the situations of no growth after two runs, and what
 * two runs after a list of n pairs was built cost, in n / 4 tests, but for the one of each root:
 * plainly, with the list built again in the second run, and deferred. */
static void deferred_lists_save_as_in_the_slides(void **unused)
{
    (void)unused;
    enum { STILL = BEFORE, UP = BEFORE - 1 };
    static const struct {
        unsigned first, second;
        uint32_t plain, list, deferred; /* quarters of n */
        uint32_t built;                 /* of plain and list: runs from the roots */
    } situations[] = {
        {UP, UP - 1, 4 + 2, 4 + 2, 4 + 4, 1},          /* (up, up) */
        {UP, UP, 4 + 4, 4 + 4, 4 + 4, 1},              /* (up, still) */
        {UP, STILL, 4 + 8, 4 + 8, 4 + 4, 1},           /* (up, down) */
        {STILL, UP, 8 + 4, 4 + 4, 4 + 4, 1},           /* (still, up) */
        {STILL, STILL, 8 + 8, 4 + 8, 4 + 4, 1},        /* (still, still) */
        {STILL, STILL + 1, 8 + 16, 4 + 16, 4 + 12, 1}, /* and one of growth */
    };
    for (size_t i = 0; i < sizeof situations / sizeof situations[0]; i++) {
        run_list *list = list_of(ROOM, 1), *deferred = list_of(ROOM, 2);
        uint32_t tests = 0;
        (void)run_at(list, BEFORE);
        (void)run_at(deferred, BEFORE);
        assert_int_equal(plain_tests(situations[i].first) + plain_tests(situations[i].second),
                         situations[i].plain * N / 4 - 2);
        tests = run_at(list, situations[i].first);
        assert_true(kiln_separation_is_to_be_built(&list->list));
        tests += run_at(list, situations[i].second);
        assert_int_equal(tests, situations[i].list * N / 4 - situations[i].built);
        tests = run_at(deferred, situations[i].first);
        assert_false(kiln_separation_is_to_be_built(&deferred->list));
        tests += run_at(deferred, situations[i].second);
        assert_int_equal(tests, situations[i].deferred * N / 4);
        /* then it is built again, unless it grew */
        assert_true(kiln_separation_is_to_be_built(&deferred->list) ==
                    (situations[i].second <= STILL));
        free(list);
        free(deferred);
    }
}

/* Objects at rest: 2 n, n, 2 n, n ... and 2 n, n, n, 2 n ...; coming closer all the time, the list
 * is never built again. */
static void steady_motion_has_the_rhythm_of_the_predictions(void **unused)
{
    (void)unused;
    for (unsigned patience = 1; patience <= 2; patience++) {
        run_list *list = list_of(ROOM, patience);
        for (unsigned i = 0; i < 24; i++) {
            const bool built = i % (patience + 1) == 0;
            assert_true(kiln_separation_is_to_be_built(&list->list) == built);
            assert_int_equal(run_at(list, BEFORE), built ? 2 * N - 1 : N);
            assert_int_equal(list->list.count, N);
        }
        kiln_separation_forget(&list->list);
        for (unsigned depth = 0; depth <= DEEPEST; depth++) {
            const uint32_t tests = run_at(list, depth);
            assert_int_equal(tests, depth == 0 ? 1 : 3u << (depth - 1));
            assert_int_equal(list->list.count, 1u << depth);
        }
        free(list);
    }
}

/* A list with room for n - 1 pairs keeps none of n. */
static void lists_without_room_are_dropped(void **unused)
{
    (void)unused;
    for (uint32_t capacity = 1; capacity <= N + 1; capacity++) {
        run_list *list = list_of(capacity, 2);
        (void)run_at(list, 0);
        assert_true(list->list.kept && list->list.count == 1);
        const uint32_t tests = run_at(list, BEFORE);
        assert_int_equal(tests, 2 * N - 1);
        assert_true(list->list.kept == (capacity >= N));
        assert_int_equal(list->list.count, capacity >= N ? N : 0);
        assert_int_equal(run_at(list, BEFORE), capacity >= N ? N : 2 * N - 1);
        free(list);
    }
}

/* Every node of the deepest level is below exactly one pair, and pairs are in order. */
static void assert_is_cut(const kiln_separation *list)
{
    uint32_t next = 1u << DEEPEST;
    for (uint32_t i = 0; i < list->count; i++) {
        assert_int_equal(first_below(list->pairs[i].a), next);
        next += 1u << (DEEPEST - depth_of(list->pairs[i].a));
    }
    assert_int_equal(next, 2u << DEEPEST);
}

/* Is a leaf of the deepest level tested in a run that starts from these pairs: are all that are
 * above it, from the one on that it is below, opened? */
static bool is_reached(const made_up *tree, uint32_t leaf, const kiln_separation *from)
{
    uint32_t at = 1;
    for (uint32_t i = 0; i < from->count; i++) {
        const uint32_t pair = from->pairs[i].a;
        at = leaf >> (DEEPEST - depth_of(pair)) == pair ? pair : at;
    }
    for (unsigned up = DEEPEST - depth_of(at); up > 0; up--) {
        if (!is_opened(tree, leaf >> up)) {
            return false;
        }
    }
    return true;
}

/* Recursion trees that have nothing to do with each other, with and without an end at some leaf:
 * the list stays a cut, nothing is tested out of order, and the search ends exactly if the leaf is
 * reached. */
static void lists_are_cuts_whatever_the_tree(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    run_list *before = list_of(ROOM, 1);
    for (uint32_t round = 0; round < amount(40); round++) {
        run_list *list = list_of(round % 4 == 0 ? 1 + random_below(&state, ROOM) : ROOM,
                                 1 + random_below(&state, 2));
        for (int i = 0; i < 20; i++) {
            made_up tree = {0, random_next(&state) | 1, 0, 0, false, 0};
            if (random_below(&state, 2) == 0) {
                tree.ends_at = (1u << DEEPEST) + random_below(&state, 1u << DEEPEST);
            }
            before->list.count = 0;
            if (!kiln_separation_is_to_be_built(&list->list)) {
                before->list.count = list->list.count;
                memcpy(before->list.pairs, list->list.pairs,
                       list->list.count * sizeof(kiln_volume_pair));
            }
            kiln_separation_run(&list->list, root, test_node, &tree);
            if (tree.ends_at != 0) {
                assert_true(tree.ended == is_reached(&tree, tree.ends_at, &before->list));
            }
            if (list->list.kept) {
                assert_is_cut(&list->list);
            }
            assert_true(list->list.kept || list->list.count == 0);
            assert_true(list->list.kept || list->list.capacity < ROOM);
        }
        free(list);
    }
    free(before);
}

/* What a hit leaves untested is tested when the hit is gone. */
static void what_a_hit_leaves_waiting_is_tested_later(void **unused)
{
    (void)unused;
    run_list *list = list_of(ROOM, 2);
    made_up tree = {DEEPEST, 0, 1u << DEEPEST, 0, false, 0}; /* the first leaf ends it */
    assert_int_equal(run_tree(list, tree), DEEPEST + 1);
    assert_int_equal(list->list.count, DEEPEST + 1);
    assert_is_cut(&list->list);
    assert_int_equal(run_tree(list, tree), 1);
    assert_int_equal(list->list.idle, 1);
    tree.ends_at = 0;
    assert_int_equal(run_tree(list, tree), ROOM + (ROOM - 1) - DEEPEST);
    assert_int_equal(list->list.count, ROOM);
    assert_int_equal(list->list.idle, 0);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_that_shrinks_saves_as_in_the_slides),
        cmocka_unit_test(a_list_that_does_not_shrink_saves_as_in_the_slides),
        cmocka_unit_test(deferred_lists_save_as_in_the_slides),
        cmocka_unit_test(steady_motion_has_the_rhythm_of_the_predictions),
        cmocka_unit_test(lists_without_room_are_dropped),
        cmocka_unit_test(lists_are_cuts_whatever_the_tree),
        cmocka_unit_test(what_a_hit_leaves_waiting_is_tested_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
