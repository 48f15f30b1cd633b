/* See written.h. A table by device and inode number, open addressing; one lock for the look, the rename and
 * the note, so that of two outputs that are one file the later is always seen. All of it is shared with
 * processes that are forked from this one (worker.h). */
#define _DEFAULT_SOURCE

#include "output_registry.h"

#include "../../common/paths.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

typedef struct {
    kiln_file_id id;
    size_t job; /* 1 more than its number; 0: free */
} slot;

struct written {
    const plan *of;
    pthread_mutex_t lock;
    size_t mask, bytes; /* of slots less 1; of all this */
    slot slots[];
};

static bool open_lock(written *w)
{
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    const bool good = pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0 &&
                      pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST) == 0 &&
                      pthread_mutex_init(&w->lock, &shared) == 0;
    pthread_mutexattr_destroy(&shared);
    return good;
}

/* Also from a process that was killed: what it may not have noted is a file of its own asset. */
static void lock(written *w)
{
    if (pthread_mutex_lock(&w->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&w->lock);
    }
}

written *output_registry_new(const plan *of)
{
    size_t size = 16;
    while (size / 4 < of->count) { /* a job whose file was moved notes it once */
        size *= 2;
    }
    const size_t bytes = sizeof(written) + size * sizeof(slot);
    written *w = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (w == MAP_FAILED) {
        return NULL;
    }
    w->of = of;
    w->mask = size - 1;
    w->bytes = bytes;
    if (!open_lock(w)) {
        (void)munmap(w, bytes);
        return NULL;
    }
    return w;
}

void output_registry_free(written *w)
{
    if (w != NULL) {
        pthread_mutex_destroy(&w->lock);
        (void)munmap(w, w->bytes);
    }
}

/* Where the file is, or would be. */
static slot *find(written *w, const kiln_file_id *id)
{
    const uint64_t mixed =
        ((uint64_t)id->number ^ ((uint64_t)id->device << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(mixed >> 20) & w->mask;
    while (w->slots[at].job != 0 && kiln_file_id_compare(&w->slots[at].id, id) != 0) {
        at = (at + 1) & w->mask;
    }
    return &w->slots[at];
}

static void note(written *w, const kiln_file_id *id, size_t number)
{
    *find(w, id) = (slot){*id, number + 1};
}

/* Is the file at `path` another job's? */
static bool is_of_another(const output_registry_place *place, const char *path,
                          char message[KILN_WRITE_MESSAGE_SIZE])
{
    written *w = place->of;
    kiln_file_id id;
    const slot *at = kiln_file_id_of(path, &id) ? find(w, &id) : NULL;
    if (at == NULL || at->job == 0 || at->job == place->job + 1) {
        return false;
    }
    snprintf(
        message, KILN_WRITE_MESSAGE_SIZE,
        "is '%.100s' by another name, which this run has made; the disk takes both names for one "
        "file; give one of them another",
        w->of->jobs[at->job - 1].output);
    return true;
}

bool output_registry_move(void *user, const char *from, const char *to,
                          char message[KILN_WRITE_MESSAGE_SIZE])
{
    const output_registry_place *place = user;
    kiln_file_id id;
    lock(place->of);
    bool done = !is_of_another(place, to, message);
    if (done) {
        const bool known = kiln_file_id_of(from, &id);
        done = rename(from, to) == 0;
        if (done && known) {
            note(place->of, &id, place->job);
        }
    }
    const int error = errno;
    pthread_mutex_unlock(&place->of->lock);
    errno = error;
    return done;
}

bool output_registry_note(const output_registry_place *place, const char *path,
                          char message[KILN_WRITE_MESSAGE_SIZE])
{
    kiln_file_id id;
    lock(place->of);
    const bool own = !is_of_another(place, path, message);
    if (own && kiln_file_id_of(path, &id)) {
        note(place->of, &id, place->job);
    }
    pthread_mutex_unlock(&place->of->lock);
    return own;
}
