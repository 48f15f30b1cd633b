/* A loop whose tasks may run at once. What the tasks compute must not depend on which thread runs
 * them or in which order: callers fix the division into tasks by the input alone, and let a task
 * write only what is its own. */
#ifndef KILN_PARALLEL_H
#define KILN_PARALLEL_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* The receiver of progress, which may cancel. */
typedef struct {
    unsigned threads; /* most threads, the calling one among them; at least 1 */
    bool (*progress)(void *user, const char *stage, double part); /* NULL: none */
    void *user;
    const char *stage;
    double from, to; /* the part of the stage that the next loop stands for */
} kiln_watch;

/* Where the threads of loops come from beyond the calling one, when several loops share a number of
 * threads: `take` gives at most `most` of them, at once and be it none; `give` has back what was
 * taken. */
typedef struct {
    unsigned (*take)(void *user, unsigned most);
    void (*give)(void *user, unsigned count);
    void *user;
} kiln_helpers;

/* From now on loops of the calling thread start no threads but those that `helpers`, which must
 * stay, gives. NULL: as many as their watch allows. */
void kiln_parallel_share(const kiln_helpers *helpers);

typedef void (*kiln_task)(void *context, uint32_t index);

/* Calls task(context, 0 .. count - 1), each once; the calling thread runs tasks like the others and
 * is the only one that calls watch->progress. False when that cancelled: then some tasks have not
 * run. All threads have ended on return. Fewer threads run where one can't be started. */
bool kiln_parallel_for(const kiln_watch *watch, uint32_t count, kiln_task task, void *context);

/* Starts a thread with stack enough for a bake, whatever threads get by default. */
bool kiln_thread_start(pthread_t *thread, void *(*work)(void *), void *context);

/* Reports `from` itself; false when cancelled. */
bool kiln_watch_report(const kiln_watch *watch);

/* `threads` of the options as a number: 0 stands for one a processor. */
unsigned kiln_thread_count(int threads);

#endif
