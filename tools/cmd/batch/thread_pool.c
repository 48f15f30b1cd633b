/* A thread pool whose threads also help each other within large tasks.
 *
 * A thread at work holds a place, and there are as many places as threads were allowed. Under
 * make's jobserver (see jobserver.h) every place beyond the first also needs a token, which is
 * given back as soon as fewer places are in use. A thread without a task gives its place up, so
 * that the parallel loops of the tasks that still run can take it: these ask for places by
 * kiln_helpers.
 *
 * One lock covers the places, the tokens, and the calls of look, begin and end. Threads that wait
 * wake up when a task ends or a place becomes free, and every 20 ms, since tokens come and signals
 * that ask to end arrive without waking anyone.
 *
 * Invariants, with the lock: used <= places, and with a jobserver used <= 1 + tokens held. */
#define _XOPEN_SOURCE 700

#include "thread_pool.h"

#include "../../../formats/assert.h"
#include "../../common/parallel.h"
#include "jobserver.h"

#include <pthread.h>
#include <time.h>

enum { WAIT_MS = 20, WORKERS_MAX = 256 };

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t freed; /* a task has ended, or a place is free */
    jobserver server;
    unsigned places, used;
    const thread_pool_work *work;
    kiln_helpers helpers;
} thread_pool;

/* Takes up to `most` places without waiting; returns how many. With the lock. */
static unsigned take_now(thread_pool *c, unsigned most)
{
    KILN_ASSERT(c->used <= c->places);
    const unsigned room = c->places - c->used;
    unsigned taken = most < room ? most : room;
    if (c->server.state == JOBSERVER_OPEN) {
        unsigned covered = 0;
        while (covered < taken &&
               (c->used + covered < 1 + c->server.held || jobserver_take(&c->server))) {
            covered++;
        }
        taken = covered;
    }
    c->used += taken;
    KILN_ASSERT(c->used <= c->places);
    KILN_ASSERT(c->server.state != JOBSERVER_OPEN || c->used <= 1 + c->server.held);
    return taken;
}

/* Gives places back, and the tokens that nothing needs any more. With the lock. */
static void give_now(thread_pool *c, unsigned count)
{
    KILN_ASSERT(count <= c->used);
    c->used -= count;
    while (c->server.held > 0 && 1 + c->server.held > (c->used > 0 ? c->used : 1)) {
        jobserver_give(&c->server);
    }
    pthread_cond_broadcast(&c->freed);
}

/* The two functions of kiln_helpers, by which parallel loops within a task take and give places. */
static unsigned take_places(void *user, unsigned most)
{
    thread_pool *c = user;
    pthread_mutex_lock(&c->lock);
    const unsigned taken = take_now(c, most);
    pthread_mutex_unlock(&c->lock);
    return taken;
}

static void give_places(void *user, unsigned count)
{
    thread_pool *c = user;
    pthread_mutex_lock(&c->lock);
    give_now(c, count);
    pthread_mutex_unlock(&c->lock);
}

/* Waits for a task and a place, and begins the task. A thread that waits holds neither a place nor
 * a token. False: no task is left. */
static bool begin_task(thread_pool *c, bool *has_place, size_t *task)
{
    thread_pool_state state;
    pthread_mutex_lock(&c->lock);
    while ((state = c->work->look(c->work->user)) != THREAD_POOL_DONE) {
        if (state == THREAD_POOL_READY && (*has_place || take_now(c, 1) == 1)) {
            *has_place = true;
            *task = c->work->begin(c->work->user);
            break;
        }
        if (*has_place) {
            give_now(c, 1);
            *has_place = false;
        }
        if (state == THREAD_POOL_READY && c->server.state == JOBSERVER_OPEN) {
            pthread_mutex_unlock(&c->lock);
            jobserver_wait(&c->server, WAIT_MS);
            pthread_mutex_lock(&c->lock);
        } else {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_nsec += WAIT_MS * 1000000L;
            until.tv_sec += until.tv_nsec / 1000000000L;
            until.tv_nsec %= 1000000000L;
            (void)pthread_cond_timedwait(&c->freed, &c->lock, &until);
        }
    }
    if (state == THREAD_POOL_DONE && *has_place) {
        give_now(c, 1);
    }
    pthread_mutex_unlock(&c->lock);
    return state != THREAD_POOL_DONE;
}

/* The loop of one thread. The lead, which is the caller's thread, starts with a place. Under a
 * jobserver the others give theirs back after each task, so that other programs of the same make
 * get a token. */
static void work(thread_pool *c, bool lead)
{
    const bool asks = !lead && c->server.state == JOBSERVER_OPEN;
    bool has_place = lead || !asks;
    size_t task;
    kiln_parallel_share(&c->helpers);
    while (begin_task(c, &has_place, &task)) {
        KILN_ASSERT(has_place);
        c->work->run(c->work->user, task, &c->helpers);
        pthread_mutex_lock(&c->lock);
        c->work->end(c->work->user, task);
        pthread_cond_broadcast(&c->freed);
        pthread_mutex_unlock(&c->lock);
        if (asks) {
            give_places(c, 1);
            has_place = false;
        }
    }
    kiln_parallel_share(NULL);
}

static void *work_too(void *user)
{
    work(user, false);
    return NULL;
}

/* Where make has a jobserver but did not hand it on, this process is one job and uses one thread.
 */
static unsigned places_for(const jobserver *server, int threads)
{
    return threads == 0 && server->state == JOBSERVER_SHUT ? 1 : kiln_thread_count(threads);
}

void thread_pool_run_work(const thread_pool_work *all, int threads, size_t count)
{
    thread_pool c = {.work = all};
    pthread_t workers[WORKERS_MAX];
    unsigned started = 0;
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.freed, NULL);
    jobserver_open(&c.server);
    c.places = places_for(&c.server, threads);
    c.helpers = (kiln_helpers){take_places, give_places, &c};
    KILN_ASSERT(c.places > 0 && c.places <= WORKERS_MAX);

    /* Workers start with the places that there are; under a jobserver they take them by themselves.
     */
    c.used = 1;
    while (started + 1 < c.places && started + 1 < count) {
        const bool holds = c.server.state != JOBSERVER_OPEN;
        if (holds && take_places(&c, 1) == 0) {
            break;
        }
        if (!kiln_thread_start(&workers[started], work_too, &c)) {
            give_places(&c, holds ? 1 : 0);
            break;
        }
        started++;
    }
    work(&c, true);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i], NULL);
    }
    KILN_ASSERT(c.used == 0);
    jobserver_close(&c.server);
    pthread_cond_destroy(&c.freed);
    pthread_mutex_destroy(&c.lock);
}

/* Tasks that wait for nothing: begun one after another by their numbers. */
typedef struct {
    size_t count, next;
    thread_pool_task *task;
    bool (*stopped)(void *user);
    void *user;
} row;

static thread_pool_state look_at_row(void *user)
{
    const row *r = user;
    return r->next < r->count && !r->stopped(r->user) ? THREAD_POOL_READY : THREAD_POOL_DONE;
}

static size_t begin_in_row(void *user)
{
    row *r = user;
    KILN_ASSERT(r->next < r->count);
    return r->next++;
}

static void run_in_row(void *user, size_t task, const kiln_helpers *helpers)
{
    const row *r = user;
    (void)helpers;
    r->task(r->user, task);
}

static void end_in_row(void *user, size_t task)
{
    (void)user;
    (void)task;
}

void thread_pool_run(size_t count, int threads, thread_pool_task *task, bool (*stopped)(void *user),
                     void *user)
{
    row r = {count, 0, task, stopped, user};
    const thread_pool_work work = {look_at_row, begin_in_row, run_in_row, end_in_row, &r};
    thread_pool_run_work(&work, threads, count);
}

unsigned thread_pool_size(int threads)
{
    jobserver server;
    jobserver_open(&server);
    const unsigned places = places_for(&server, threads);
    jobserver_close(&server);
    return places;
}
