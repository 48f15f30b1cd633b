/* See thread_pool.h. A thread at work holds a place; places beyond the first also need a token of the
 * jobserver, which is given back as soon as fewer are at work. Without a jobserver a worker holds its
 * place until there is no task for it; then it is free for the loops of the others. */
#define _XOPEN_SOURCE 700

#include "thread_pool.h"

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

/* Up to `most` places, at once. With the lock. */
static unsigned take_now(thread_pool *c, unsigned most)
{
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
    return taken;
}

static void give_now(thread_pool *c, unsigned count)
{
    c->used -= count;
    while (c->server.held > 0 && 1 + c->server.held > (c->used > 0 ? c->used : 1)) {
        jobserver_give(&c->server);
    }
    pthread_cond_broadcast(&c->freed);
}

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

/* For a moment at most: tokens come, and signals that ask to end, without a word. With the lock, which others
 * get meanwhile. */
static void wait_a_moment(thread_pool *c, thread_pool_state state)
{
    if (state == THREAD_POOL_READY && c->server.state == JOBSERVER_OPEN) {
        pthread_mutex_unlock(&c->lock);
        jobserver_wait(&c->server, WAIT_MS);
        pthread_mutex_lock(&c->lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    (void)pthread_cond_timedwait(&c->freed, &c->lock, &until);
}

/* Begins the next task, in a place. False: there is none left; then no place is held. */
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
        wait_a_moment(c, state);
    }
    if (state == THREAD_POOL_DONE && *has_place) {
        give_now(c, 1);
    }
    pthread_mutex_unlock(&c->lock);
    return state != THREAD_POOL_DONE;
}

static void end_task(thread_pool *c, size_t task)
{
    pthread_mutex_lock(&c->lock);
    c->work->end(c->work->user, task);
    pthread_cond_broadcast(&c->freed);
    pthread_mutex_unlock(&c->lock);
}

/* Under a jobserver every task asks anew, so that others get their turn. */
static void work(thread_pool *c, bool lead)
{
    const bool ask = !lead && c->server.state == JOBSERVER_OPEN;
    bool has_place = lead || !ask;
    size_t task;
    kiln_parallel_share(&c->helpers);
    while (begin_task(c, &has_place, &task)) {
        c->work->run(c->work->user, task, &c->helpers);
        end_task(c, task);
        if (ask) {
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

/* Workers start with the places that there are; under a jobserver they ask by themselves. */
static void work_together(thread_pool *c, size_t count)
{
    pthread_t workers[WORKERS_MAX];
    unsigned started = 0;
    c->used = 1;
    while (started + 1 < c->places && started + 1 < count) {
        const bool holds = c->server.state != JOBSERVER_OPEN;
        if (holds && take_places(c, 1) == 0) {
            break;
        }
        if (!kiln_thread_start(&workers[started], work_too, c)) {
            give_places(c, holds ? 1 : 0);
            break;
        }
        started++;
    }
    work(c, true);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i], NULL);
    }
}

static unsigned places_for(const jobserver *server, int threads)
{
    return threads == 0 && server->state == JOBSERVER_SHUT ? 1 : kiln_thread_count(threads);
}

void thread_pool_run_work(const thread_pool_work *work, int threads, size_t count)
{
    thread_pool c = {.work = work};
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.freed, NULL);
    jobserver_open(&c.server);
    c.places = places_for(&c.server, threads);
    c.helpers = (kiln_helpers){take_places, give_places, &c};
    work_together(&c, count);
    jobserver_close(&c.server);
    pthread_cond_destroy(&c.freed);
    pthread_mutex_destroy(&c.lock);
}

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
