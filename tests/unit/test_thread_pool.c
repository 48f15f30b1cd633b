/* Threads that share tasks: who waits for one to end holds no token of make's and no place. */
#define _DEFAULT_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../tools/cmd/batch/thread_pool.h"
#include "../support/scratch.h"

/* The command is no library. */
#include "../../tools/cmd/batch/thread_pool.c"
#include "../../tools/cmd/batch/jobserver.c"

#include <sys/ioctl.h>

enum { TASKS = 6, TOKENS = 3 };

/* Tasks of which one runs at a time. */
typedef struct {
    int tokens; /* the jobserver's */
    size_t begun, ended, turns[TASKS];
    bool running, alone, all_tokens;
    unsigned places; /* that others left it */
} singles;

static thread_pool_state look_for_single(void *user)
{
    const singles *s = user;
    return s->begun == TASKS ? THREAD_POOL_DONE
           : s->running      ? THREAD_POOL_LATER
                             : THREAD_POOL_READY;
}

static size_t begin_single(void *user)
{
    singles *s = user;
    s->running = true;
    return s->begun++;
}

/* The others hold a token and a place while they look for a task, and give them back when there is
 * none: on a busy machine that may take any time, but it ends, where what is held while they wait
 * would never be seen free as long as this task runs. */
static void run_single(void *user, size_t task, const kiln_helpers *helpers)
{
    enum { TRIES = 20000 }; /* 200 s */
    singles *s = user;
    bool tokens = false;
    unsigned places = 0;
    s->turns[task]++;
    for (int i = 0; i < TRIES && !(tokens && places == TOKENS); i++) {
        int count = 0;
        (void)usleep(10000);
        tokens = tokens || (ioctl(s->tokens, FIONREAD, &count) == 0 && count == TOKENS);
        const unsigned taken = helpers->take(helpers->user, TOKENS);
        places = taken > places ? taken : places;
        helpers->give(helpers->user, taken);
    }
    s->all_tokens = s->all_tokens && tokens;
    s->places = places < s->places ? places : s->places;
}

static void end_single(void *user, size_t task)
{
    singles *s = user;
    s->alone = s->alone && s->running;
    s->running = false;
    s->ended++;
    s->turns[task]++;
}

static void nothing_is_held_while_waiting(void **state)
{
    (void)state;
    char folder[SCRATCH_SIZE], path[SCRATCH_PATH_SIZE], flags[SCRATCH_PATH_SIZE + 64];
    singles s = {.alone = true, .all_tokens = true, .places = TOKENS};
    const thread_pool_work work = {look_for_single, begin_single, run_single, end_single, &s};
    int left = 0;
    assert_true(scratch_make(folder, "pool"));
    (void)snprintf(path, sizeof path, "%s/tokens", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    s.tokens = open(path, O_RDWR);
    assert_true(s.tokens >= 0);
    assert_int_equal(write(s.tokens, "abc", TOKENS), TOKENS);
    (void)snprintf(flags, sizeof flags, " -j4 --jobserver-auth=fifo:%s", path);
    assert_int_equal(setenv("MAKEFLAGS", flags, 1), 0);
    thread_pool_run_work(&work, 4, TASKS);
    assert_int_equal(unsetenv("MAKEFLAGS"), 0);
    assert_int_equal(s.ended, TASKS);
    assert_true(s.alone);
    assert_true(s.all_tokens);
    assert_int_equal(s.places, TOKENS);
    for (size_t i = 0; i < TASKS; i++) {
        assert_int_equal(s.turns[i], 2);
    }
    assert_int_equal(ioctl(s.tokens, FIONREAD, &left), 0);
    assert_int_equal(left, TOKENS);
    (void)close(s.tokens);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_held_while_waiting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
