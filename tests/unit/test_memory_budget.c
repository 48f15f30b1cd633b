/* The memory_budget of a limited memory: never more than there is, everything has its turn, what
 * was refused gets more, at last all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../../tools/cmd/batch/memory_budget.h"

/* The command is no library. */
#include "../../tools/cmd/batch/memory_budget.c"

enum { TASKS = 40, PLACES = 6, LIMIT = 1000 };

static void ends_in_order_without_a_limit(void **state)
{
    (void)state;
    memory_budget l;
    size_t task = 0;
    assert_true(memory_budget_open(&l, 3, 0));
    for (size_t i = 0; i < 3; i++) {
        assert_true(memory_budget_any_later(&l));
        assert_true(memory_budget_find(&l, &task));
        assert_int_equal(task, i);
        memory_budget_take(&l, task);
        assert_true(memory_budget_has_all(&l, task));
    }
    assert_false(memory_budget_find(&l, &task));
    assert_false(memory_budget_any_later(&l));
    memory_budget_close(&l);
}

static void shares_grow_to_all(void **state)
{
    (void)state;
    static const uint64_t shares[] = {10, 40, 160, 640, 1000};
    memory_budget l;
    size_t task = 0;
    assert_true(memory_budget_open(&l, 1, LIMIT));
    memory_budget_set_share(&l, 0, shares[0]);
    for (size_t i = 0; i < 5; i++) {
        assert_true(memory_budget_find(&l, &task));
        memory_budget_take(&l, 0);
        assert_int_equal(l.lines[0].share, shares[i]);
        assert_int_equal(l.taken, shares[i]);
        assert_int_equal(memory_budget_has_all(&l, 0), i == 4);
        assert_int_equal(memory_budget_any_later(&l), i < 4);
        assert_false(memory_budget_find(&l, &task));
        memory_budget_give(&l, 0, i == 4);
        assert_int_equal(l.taken, 0);
    }
    assert_false(memory_budget_any_later(&l));
    memory_budget_close(&l);
}

static void smaller_ones_fill_the_room(void **state)
{
    (void)state;
    static const uint64_t shares[] = {UINT64_MAX, 700, 600, 300, 200};
    memory_budget l;
    size_t task = 0;
    assert_true(memory_budget_open(&l, 5, LIMIT));
    for (size_t i = 0; i < 5; i++) {
        memory_budget_set_share(&l, i, shares[i]);
    }
    assert_true(memory_budget_find(&l, &task) && task == 0);
    memory_budget_take(&l, 0);
    assert_false(memory_budget_find(&l, &task));
    memory_budget_give(&l, 0, true);
    assert_true(memory_budget_find(&l, &task) && task == 1);
    memory_budget_take(&l, 1);
    assert_true(memory_budget_find(&l, &task) && task == 3);
    memory_budget_take(&l, 3);
    assert_false(memory_budget_find(&l, &task));
    assert_true(memory_budget_any_later(&l));
    memory_budget_give(&l, 1, true);
    assert_true(memory_budget_find(&l, &task) && task == 2);
    memory_budget_close(&l);
}

/* Tasks of unknown needs, ended in any order: what is under way never has more than there is,
 * and there is never nothing under way while something waits. */
static void any_order_comes_to_an_end(void **state)
{
    (void)state;
    srand(1);
    for (int run = 0; run < 2000; run++) {
        uint64_t needs[TASKS];
        size_t under_way[PLACES], count = 0, ended = 0, task = 0, rounds = 0;
        memory_budget l;
        assert_true(memory_budget_open(&l, TASKS, LIMIT));
        for (size_t i = 0; i < TASKS; i++) {
            needs[i] = (uint64_t)rand() % (LIMIT + 100); /* some need more than there is */
            memory_budget_set_share(&l, i, 1 + (uint64_t)rand() % (2 * LIMIT));
        }
        while (count > 0 || memory_budget_any_later(&l)) {
            uint64_t sum = 0;
            /* A share grows a few times until it is all there is, so far fewer rounds suffice. */
            assert_true(rounds++ < 1000 * TASKS);
            while (count < PLACES && rand() % 4 != 0 && memory_budget_find(&l, &task)) {
                memory_budget_take(&l, task);
                under_way[count++] = task;
            }
            for (size_t i = 0; i < count; i++) {
                sum += l.lines[under_way[i]].share;
            }
            assert_true(sum <= LIMIT && sum == l.taken);
            if (count == 0) {
                assert_true(memory_budget_find(&l, &task));
                continue;
            }
            const size_t which = (size_t)rand() % count;
            task = under_way[which];
            under_way[which] = under_way[--count];
            const bool enough =
                needs[task] <= l.lines[task].share || memory_budget_has_all(&l, task);
            memory_budget_give(&l, task, enough);
            ended += enough;
        }
        assert_int_equal(ended, TASKS);
        assert_int_equal(l.taken, 0);
        memory_budget_close(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_in_order_without_a_limit),
        cmocka_unit_test(shares_grow_to_all),
        cmocka_unit_test(smaller_ones_fill_the_room),
        cmocka_unit_test(any_order_comes_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
