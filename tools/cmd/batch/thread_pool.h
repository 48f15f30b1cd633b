/* A thread pool: threads that share a number of tasks, and help each other within large ones. There
 * are never more at work than were allowed, nor than make's jobserver gives. */
#ifndef KILN_CMD_THREAD_POOL_H
#define KILN_CMD_THREAD_POOL_H

#include "../../common/parallel.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    THREAD_POOL_READY, /* a task can begin */
    /* A task may be able to begin once one under way has ended. Threads that wait for that hold
     * neither a place nor a token. */
    THREAD_POOL_LATER,
    THREAD_POOL_DONE /* no other task will begin */
} thread_pool_state;

/* The tasks. `look`, `begin` and `end` are called by one thread at a time. */
typedef struct {
    thread_pool_state (*look)(void *user);
    size_t (*begin)(void *user); /* after THREAD_POOL_READY, before anything else: the task */
    /* Loops of tools/common/parallel.h in it take part in the count; so may others, by `helpers`.
     */
    void (*run)(void *user, size_t task, const kiln_helpers *helpers);
    void (*end)(void *user, size_t task);
    void *user;
} thread_pool_work;

/* Runs tasks until no other will begin, on up to `threads` threads (0: one a processor, or one
 * where make has a jobserver that it did not hand on) and on no more than `count`. */
void thread_pool_run_work(const thread_pool_work *work, int threads, size_t count);

/* Work on task `index`, 0 to count - 1, each once and in this order of beginning. */
typedef void thread_pool_task(void *user, size_t index);

/* The same for tasks that wait for nothing; they are begun as long as `stopped` is false. */
void thread_pool_run(size_t count, int threads, thread_pool_task *task, bool (*stopped)(void *user),
                     void *user);

/* How many threads thread_pool_run would take at most. */
unsigned thread_pool_size(int threads);

#endif
