/* See crew.h. A thread at work holds a place; places beyond the first also need a token of the
 * jobserver, which is given back as soon as fewer are at work. Without a jobserver a worker holds its
 * place until there is no task left; then it is free for the loops of the others. */
#define _XOPEN_SOURCE 700

#include "crew.h"

#include "jobserver.h"

#include "../common/parallel.h"

#include <pthread.h>

enum { WAIT_MS = 20, WORKERS_MAX = 256 };

typedef struct {
    pthread_mutex_t lock;
    jobserver server;
    unsigned places, used;
    size_t count, next;
    crew_task *task;
    bool (*stopped)(void *user);
    void *user;
    kiln_helpers helpers;
} crew;

/* Up to `most` places, at once. */
static unsigned take_places(void *user, unsigned most)
{
    crew *c = user;
    pthread_mutex_lock(&c->lock);
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
    pthread_mutex_unlock(&c->lock);
    return taken;
}

static void give_places(void *user, unsigned count)
{
    crew *c = user;
    pthread_mutex_lock(&c->lock);
    c->used -= count;
    while (c->server.held > 0 && 1 + c->server.held > (c->used > 0 ? c->used : 1)) {
        jobserver_give(&c->server);
    }
    pthread_mutex_unlock(&c->lock);
}

/* The next task, or count when there is none to begin. */
static size_t next_task(crew *c)
{
    pthread_mutex_lock(&c->lock);
    const size_t index = c->stopped(c->user) ? c->count : c->next;
    c->next = index < c->count ? index + 1 : c->count;
    pthread_mutex_unlock(&c->lock);
    return index;
}

static bool any_left(crew *c)
{
    pthread_mutex_lock(&c->lock);
    const bool left = c->next < c->count && !c->stopped(c->user);
    pthread_mutex_unlock(&c->lock);
    return left;
}

/* Under a jobserver every task asks anew, so that others get their turn. */
static bool wait_for_place(crew *c)
{
    while (any_left(c)) {
        if (take_places(c, 1) == 1) {
            return true;
        }
        jobserver_wait(&c->server, WAIT_MS);
    }
    return false;
}

static void work(crew *c, bool lead)
{
    const bool ask = !lead && c->server.state == JOBSERVER_OPEN;
    bool has_place = lead || !ask;
    kiln_parallel_share(&c->helpers);
    while (has_place || wait_for_place(c)) {
        const size_t index = next_task(c);
        has_place = true;
        if (index == c->count) {
            break;
        }
        c->task(c->user, index);
        if (ask) {
            give_places(c, 1);
            has_place = false;
        }
    }
    if (has_place) {
        give_places(c, 1);
    }
    kiln_parallel_share(NULL);
}

static void *work_too(void *user)
{
    work(user, false);
    return NULL;
}

/* Workers start with the places that there are; under a jobserver they ask by themselves. */
static void work_together(crew *c)
{
    pthread_t workers[WORKERS_MAX];
    unsigned started = 0;
    c->used = 1;
    while (started + 1 < c->places && started + 1 < c->count) {
        const bool holds = c->server.state != JOBSERVER_OPEN;
        if (holds && take_places(c, 1) == 0) {
            break;
        }
        if (pthread_create(&workers[started], NULL, work_too, c) != 0) {
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

void crew_run(size_t count, int threads, crew_task *task, bool (*stopped)(void *user), void *user)
{
    crew c = {.count = count, .task = task, .stopped = stopped, .user = user};
    pthread_mutex_init(&c.lock, NULL);
    jobserver_open(&c.server);
    c.places = places_for(&c.server, threads);
    c.helpers = (kiln_helpers){take_places, give_places, &c};
    work_together(&c);
    jobserver_close(&c.server);
    pthread_mutex_destroy(&c.lock);
}

unsigned crew_size(int threads)
{
    jobserver server;
    jobserver_open(&server);
    const unsigned places = places_for(&server, threads);
    jobserver_close(&server);
    return places;
}
