/* The registry of outputs: a hash table from device and inode number to the job that wrote the
 * file, with open addressing. One lock covers the look, the rename and the note, so that of two
 * outputs that are one file the later is always noticed.
 *
 * The table lives in shared memory with a process-shared lock, because workers (worker.h) are
 * forked from this process and move their own files. A worker may be killed with the lock held: the
 * lock is robust, and the next one to take it goes on. Each job notes at most one file, and there
 * are four slots a job, so a search always ends at a free slot. */
#define _DEFAULT_SOURCE

#include "output_registry.h"

#include "../../../formats/assert.h"
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

/* Takes the lock, also from a process that was killed: what that may not have noted is the file of
 * its own asset. */
static void lock(written *w)
{
    if (pthread_mutex_lock(&w->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&w->lock);
    }
}

/* The size is a power of two with at least four slots a job; a page that nothing is noted in is
 * never touched. */
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
    pthread_mutexattr_t shared;
    pthread_mutexattr_init(&shared);
    const bool good = pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED) == 0 &&
                      pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST) == 0 &&
                      pthread_mutex_init(&w->lock, &shared) == 0;
    pthread_mutexattr_destroy(&shared);
    if (!good) {
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

/* The slot that the file has, or would get. */
static slot *find(written *w, const kiln_file_id *id)
{
    const uint64_t mixed =
        ((uint64_t)id->number ^ ((uint64_t)id->device << 32)) * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(mixed >> 20) & w->mask;
    KILN_ASSERT((w->mask & (w->mask + 1)) == 0); /* a power of two less 1 */
    while (w->slots[at].job != 0 && kiln_file_id_compare(&w->slots[at].id, id) != 0) {
        at = (at + 1) & w->mask;
    }
    return &w->slots[at];
}

static void note(written *w, const kiln_file_id *id, size_t number)
{
    KILN_ASSERT(number < w->of->count);
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
    KILN_ASSERT(at->job <= w->of->count);
    snprintf(
        message, KILN_WRITE_MESSAGE_SIZE,
        "is '%.100s' by another name, which this run has made; the disk takes both names for one "
        "file; give one of them another",
        w->of->jobs[at->job - 1].output);
    return true;
}

/* The inode is read before the rename, which keeps it: afterwards another process may have replaced
 * the file. errno is that of the rename, for the message of the library. */
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
