/* A loop whose tasks are taken from one counter by all threads.
 *
 * Threads live as long as a loop: they are started when it begins and joined when it ends, which
 * costs some tens of microseconds and leaves no threads that a library would have to shut down. The
 * calling thread works like the others and alone reports progress, so a caller's function is never
 * called from a foreign thread. */
#define _POSIX_C_SOURCE 200809L
#include "parallel.h"

#include "../../formats/assert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

/* Packing a block takes 500 KB of stack; what threads get by default is 128 KB with some C
 * libraries and follows `ulimit -s` with others. */
enum { THREADS_MAX = 256, REPORTS = 64, STACK_BYTES = 2 << 20 };

typedef struct {
    kiln_task task;
    void *context;
    uint32_t count;
    atomic_uint_fast64_t next; /* wider than count: every thread overshoots by one */
    atomic_bool cancelled;
} loop;

/* Runs one task; false when there is none left. */
static bool take_task(loop *work, uint_fast64_t *index)
{
    *index = atomic_fetch_add_explicit(&work->next, 1, memory_order_relaxed);
    if (*index >= work->count || atomic_load_explicit(&work->cancelled, memory_order_relaxed)) {
        return false;
    }
    work->task(work->context, (uint32_t)*index);
    return true;
}

/* A helping thread: takes tasks until none is left. */
static void *help(void *argument)
{
    KILN_ASSERT(argument != NULL);
    uint_fast64_t index;
    while (take_task(argument, &index)) {
    }
    return NULL;
}

static _Thread_local const kiln_helpers *shared;

void kiln_parallel_share(const kiln_helpers *helpers)
{
    shared = helpers;
}

/* False: the caller cancels. */
static bool report(const kiln_watch *watch, double part)
{
    return watch->progress == NULL || watch->progress(watch->user, watch->stage, part);
}

bool kiln_watch_report(const kiln_watch *watch)
{
    return report(watch, watch->from);
}

bool kiln_thread_start(pthread_t *thread, void *(*work)(void *), void *context)
{
    KILN_ASSERT(thread != NULL && work != NULL);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    const bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                         pthread_create(thread, &attributes, work, context) == 0;
    (void)pthread_attr_destroy(&attributes);
    return started;
}

bool kiln_parallel_for(const kiln_watch *watch, uint32_t count, kiln_task task, void *context)
{
    KILN_ASSERT(task != NULL);
    KILN_ASSERT(watch->from <= watch->to);
    loop work = {.task = task, .context = context, .count = count};
    pthread_t helpers[THREADS_MAX];
    unsigned started = 0;
    unsigned wanted = watch->threads > 0 ? watch->threads - 1 : 0;
    atomic_init(&work.next, 0);
    atomic_init(&work.cancelled, false);
    if (!kiln_watch_report(watch)) {
        return false;
    }
    wanted = wanted < count ? wanted : count - (count > 0);
    wanted = wanted < THREADS_MAX ? wanted : THREADS_MAX;
    const unsigned taken =
        shared != NULL && wanted > 0 ? shared->take(shared->user, wanted) : wanted;
    while (started < taken && kiln_thread_start(&helpers[started], help, &work)) {
        started++;
    }

    /* The calling thread works like the others, and reports now and then: at most REPORTS times, so
     * that a report costs nothing beside the tasks. */
    const uint_fast64_t interval = work.count / REPORTS + 1;
    uint_fast64_t index, due = interval;
    while (take_task(&work, &index)) {
        if (index + 1 >= due) {
            due = index + 1 + interval;
            const double done = (double)(index + 1) / (double)work.count;
            const double part = watch->from + (watch->to - watch->from) * done;
            if (!report(watch, part < watch->to ? part : watch->to)) { /* it may be rounded up */
                atomic_store_explicit(&work.cancelled, true, memory_order_relaxed);
            }
        }
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(helpers[i], NULL);
    }
    if (shared != NULL && taken > 0) {
        shared->give(shared->user, taken);
    }
    return !atomic_load(&work.cancelled);
}

unsigned kiln_thread_count(int threads)
{
    const long count = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1u : count > THREADS_MAX ? (unsigned)THREADS_MAX : (unsigned)count;
}
