/* Threads of a long call: they begin and end with it. */
#include "module.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256, THREAD_STACK = 512 * 1024 };

typedef struct {
    void (*task)(void *context, uint32_t index);
    void *context;
    uint32_t count;
    atomic_uint next;
} parallel_work;

static void *take_tasks(void *argument)
{
    parallel_work *work = argument;
    for (;;) {
        const uint32_t index = atomic_fetch_add(&work->next, 1);
        if (index >= work->count) {
            return NULL;
        }
        work->task(work->context, index);
    }
}

/* A thread that can't be started is done without. */
void run_parallel(void *user, void (*task)(void *context, uint32_t index), void *context,
                  uint32_t count)
{
    const uint32_t wanted = *(const uint32_t *)user;
    parallel_work work = {.task = task, .context = context, .count = count};
    pthread_t started[THREADS_MAX];
    uint32_t running = 0;
    pthread_attr_t attributes;
    if (wanted > 1 && count > 1 && pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, THREAD_STACK) == 0) {
            while (running + 1 < wanted && running + 1 < count && running < THREADS_MAX &&
                   pthread_create(&started[running], &attributes, take_tasks, &work) == 0) {
                running++;
            }
        }
        pthread_attr_destroy(&attributes);
    }
    take_tasks(&work);
    while (running > 0) {
        pthread_join(started[--running], NULL);
    }
}

/* Asked once: the system reads a file for it. Called with the interpreter locked. */
static uint32_t processors(void)
{
    static uint32_t known;
    if (known == 0) {
        const long online = sysconf(_SC_NPROCESSORS_ONLN);
        known = online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (uint32_t)online;
    }
    return known;
}

bool threads_of(PyObject *object, uint32_t otherwise, uint32_t *out)
{
    uint64_t wanted = otherwise;
    if (object != NULL && object != Py_None && !count_of(object, "threads", THREADS_MAX, &wanted)) {
        return false;
    }
    *out = wanted == 0 ? processors() : (uint32_t)wanted;
    return true;
}
