/* A bake in a process of its own, so that its memory is counted apart from that of others and all
 * of it goes back to the system at the end.
 *
 * The process is forked without exec: it starts with the plan in memory and little else, as the
 * process it comes from bakes nothing itself. The two talk over a pair of sockets. The worker sends
 * messages: steps of progress, places of the thread pool that it takes and gives back, and at the
 * end the report. The parent answers a request for places, and says when to stop. Both are the same
 * program, so structs are sent as they are; of a report the texts and lists follow, since pointers
 * mean nothing on the other side.
 *
 * The parent's ends of all pairs close when it dies, and the kernel then kills its workers; a
 * worker's death closes its end, which the parent sees as an end of file. Neither waits for the
 * other in vain. */
#define _GNU_SOURCE
#include "worker.h"

#include "../../../formats/assert.h"
#include "../kit/signals.h"
#include "../kit/verb.h"

#include "../../common/text.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <malloc.h>
#include <sys/prctl.h>
#endif

enum { WAIT_MS = 20, MAPPED_MIN = 1 << 18 };

/* What a worker sends: a step of progress, places it wants or gives back, and that the report
 * follows. */
typedef enum { STEP, TAKE, GIVE, END } word;

typedef struct {
    word of;
    unsigned number; /* of places */
    double part;
    char stage[40];
} message;

/* What the parent sends. */
typedef enum { TAKEN, STOP } answer_word;

typedef struct {
    answer_word of;
    unsigned number;
} answer;

/* The worker's end of the pair. */
typedef struct {
    int socket;
    bool stop; /* the parent says so, or is gone */
} line;

/* Sends all of it. A peer that is gone is no signal but an error. */
static bool put(int socket, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        const ssize_t done = send(socket, bytes, size, MSG_NOSIGNAL);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* Receives exactly that much; false at the end of the stream. */
static bool get(int socket, void *data, size_t size)
{
    char *bytes = data;
    while (size > 0) {
        const ssize_t done = recv(socket, bytes, size, 0);
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return false;
        }
        bytes += done > 0 ? done : 0;
        size -= done > 0 ? (size_t)done : 0;
    }
    return true;
}

/* -- the report, sent and received -- */

/* Receives *count texts. Afterwards *count is how many there are to free, also after a failure. */
static bool get_texts(int socket, char ***texts, uint32_t *count)
{
    const uint32_t announced = *count;
    bool good = true;
    size_t size;
    *count = 0;
    *texts = announced > 0 ? calloc(announced, sizeof **texts) : NULL;
    if (announced > 0 && *texts == NULL) {
        return false;
    }
    *count = announced;
    for (uint32_t i = 0; i < announced && good; i++) {
        good = get(socket, &size, sizeof size) && size > 0 &&
               ((*texts)[i] = malloc(size)) != NULL && get(socket, (*texts)[i], size);
        if (good) {
            (*texts)[i][size - 1] = '\0';
        }
    }
    return good;
}

/* The lists of texts in a report. */
typedef struct {
    char ***texts;
    uint32_t *count;
} text_list;

enum { LISTS = 4 };

/* Collects the lists, so that both sides handle them in the same order. */
static void find_lists(kiln_bake_report *report, text_list lists[LISTS])
{
    lists[0] = (text_list){&report->warnings, &report->warning_count};
    lists[1] = (text_list){&report->dropped, &report->dropped_count};
    lists[2] = (text_list){&report->side_files, &report->side_file_count};
    lists[3] = (text_list){&report->absent_files, &report->absent_file_count};
}

/* The struct first, with its pointers, which the receiver replaces; then texts and trees. */
static bool put_baked(int socket, baked *out)
{
    const kiln_bake_report *report = &out->report;
    text_list lists[LISTS];
    find_lists(&out->report, lists);
    bool good = put(socket, out, sizeof *out);
    for (int i = 0; i < LISTS && good; i++) {
        char *const *texts = *lists[i].texts;
        for (uint32_t k = 0; k < *lists[i].count && good; k++) {
            const size_t size = strlen(texts[k]) + 1;
            good = put(socket, &size, sizeof size) && put(socket, texts[k], size);
        }
    }
    return good && put(socket, report->trees, report->tree_count * sizeof *report->trees) &&
           put(socket, report->candidates, report->candidate_count * sizeof *report->candidates);
}

/* Receives a report that can be freed in any case: no pointer of the other process is kept in it.
 */
static bool get_baked(int socket, baked *out)
{
    baked sent;
    kiln_bake_report *report = &out->report;
    text_list announced[LISTS], lists[LISTS];
    if (!get(socket, &sent, sizeof sent)) {
        return false;
    }
    *out = sent;
    report->trees = NULL;
    report->tree_count = 0;
    report->candidates = NULL;
    report->candidate_count = 0;
    find_lists(&sent.report, announced);
    find_lists(report, lists);
    for (int i = 0; i < LISTS; i++) {
        *lists[i].texts = NULL;
        *lists[i].count = 0;
    }
    for (int i = 0; i < LISTS; i++) {
        *lists[i].count = *announced[i].count;
        if (!get_texts(socket, lists[i].texts, lists[i].count)) {
            return false;
        }
    }
    if (sent.report.tree_count > 0) {
        report->trees = calloc(sent.report.tree_count, sizeof *report->trees);
    }
    if (sent.report.tree_count > 0 && report->trees == NULL) {
        return false;
    }
    report->tree_count = sent.report.tree_count;
    if (!get(socket, report->trees, report->tree_count * sizeof *report->trees)) {
        return false;
    }
    if (sent.report.candidate_count > 0) {
        report->candidates = calloc(sent.report.candidate_count, sizeof *report->candidates);
    }
    if (sent.report.candidate_count > 0 && report->candidates == NULL) {
        return false;
    }
    report->candidate_count = sent.report.candidate_count;
    return get(socket, report->candidates, report->candidate_count * sizeof *report->candidates);
}

/* -- in the worker -- */

/* Sends a step, and looks without waiting whether the parent has said to stop. */
static bool step_over(void *user, const char *stage, double part)
{
    line *to = user;
    message m = {.of = STEP, .part = part};
    answer got;
    (void)snprintf(m.stage, sizeof m.stage, "%s", stage);
    to->stop = to->stop || !put(to->socket, &m, sizeof m);
    const ssize_t size = recv(to->socket, &got, sizeof got, MSG_DONTWAIT);
    to->stop = to->stop || size >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    return !to->stop;
}

/* Asks the parent for places of the thread pool. */
static unsigned take_over(void *user, unsigned most)
{
    line *to = user;
    const message m = {.of = TAKE, .number = most};
    answer got;
    if (to->stop || !put(to->socket, &m, sizeof m)) {
        return 0;
    }
    while (get(to->socket, &got, sizeof got)) {
        if (got.of == TAKEN && got.number <= most) {
            return got.number;
        }
        to->stop = true;
    }
    to->stop = true;
    return 0;
}

/* Gives places back; there is no answer to wait for. */
static void give_over(void *user, unsigned count)
{
    line *to = user;
    const message m = {.of = GIVE, .number = count};
    to->stop = !put(to->socket, &m, sizeof m) || to->stop;
}

/* The life of a worker. A terminal sends signals to all processes of a group: the parent decides
 * what they mean. */
static _Noreturn void be_worker(const worker_task *task, int socket, pid_t parent)
{
    line to = {.socket = socket};
    const kiln_helpers helpers = {take_over, give_over, &to};
    const baking_steps steps = {step_over, &to};
    const message end = {.of = END};
    baked out;
    memset(&out, 0, sizeof out);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) {
        _exit(EXIT_RUN);
    }
    kiln_parallel_share(&helpers);
    task->bake(task->user, &steps, &out);
    _exit(put(socket, &end, sizeof end) && put_baked(socket, &out) ? EXIT_DONE : EXIT_RUN);
}

/* -- in the parent -- */

/* Workers are started one at a time: none may inherit the other end of another's pair, since the
 * closing of that end is how a death is noticed. */
static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

/* Starts a worker. Returns its process, or -1 with errno; *socket is to be closed. */
static pid_t start(const worker_task *task, int *socket)
{
    const pid_t parent = getpid();
    int ends[2];
    pthread_mutex_lock(&starting);
    pid_t process = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 ? 0 : -1;
    if (process == 0) {
        process = fork();
        if (process == 0) {
            close(ends[0]);
            be_worker(task, ends[1], parent);
        }
        const int error = errno;
        close(ends[1]);
        *socket = ends[0];
        if (process < 0) {
            close(ends[0]);
        }
        errno = error;
    }
    pthread_mutex_unlock(&starting);
    return process;
}

/* How a conversation with a worker ends: with its report, before it, or with a message that no
 * worker sends. Its memory may be damaged, as it reads files of others. */
typedef enum { HEARD_REPORT, HEARD_END, HEARD_NONSENSE } heard;

/* Serves the worker until it has sent its report. `lent` counts the places that it holds. */
static heard serve(const worker_task *task, int socket, unsigned *lent, baked *out)
{
    bool stopped = false;
    for (;;) {
        struct pollfd ready = {.fd = socket, .events = POLLIN, .revents = 0};
        const int count = poll(&ready, 1, WAIT_MS);
        message m;
        if (!stopped && signals_noted() != 0) {
            const answer stop = {.of = STOP};
            stopped = true;
            (void)put(socket, &stop, sizeof stop);
        }
        if (count <= 0) {
            continue;
        }
        if (!get(socket, &m, sizeof m)) {
            return HEARD_END;
        }
        if (m.of == STEP) {
            m.stage[sizeof m.stage - 1] = '\0';
            (void)task->steps.step(task->steps.user, m.stage, m.part);
        } else if (m.of == TAKE) {
            const answer taken = {TAKEN, task->helpers->take(task->helpers->user, m.number)};
            *lent += taken.number;
            (void)put(socket, &taken, sizeof taken);
        } else if (m.of == GIVE && m.number <= *lent) {
            task->helpers->give(task->helpers->user, m.number);
            *lent -= m.number;
        } else {
            return m.of != END ? HEARD_NONSENSE : get_baked(socket, out) ? HEARD_REPORT : HEARD_END;
        }
    }
}

/* Makes the error of a worker that has no report. */
static void fail(const worker_task *task, baked *out, const char *what, const char *why,
                 const char *cure)
{
    kiln_bake_report_free(&out->report);
    memset(out, 0, sizeof *out);
    out->status = EXIT_RUN;
    (void)snprintf(out->report.error, sizeof out->report.error, "%.500s: %s; %s; %s", task->file,
                   what, why, cure);
}

/* Places that a worker held when it ended are given back for it, however it ended. */
void worker_run(const worker_task *task, baked *out)
{
    int socket, status = 0;
    unsigned lent = 0;
    KILN_ASSERT(task->bake != NULL && task->helpers != NULL);
    memset(out, 0, sizeof *out);
    const pid_t process = start(task, &socket);
    if (process < 0) {
        fail(task, out, "no process for the bake", strerror(errno), "close other programs");
        return;
    }
    const heard end = serve(task, socket, &lent, out);
    if (end == HEARD_NONSENSE) {
        (void)kill(process, SIGKILL);
    }
    if (lent > 0) {
        task->helpers->give(task->helpers->user, lent);
    }
    close(socket);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    if (end == HEARD_NONSENSE) {
        fail(task, out, "the process that baked it sent a message that makes no sense",
             "its memory was damaged", "bake it again, and report it if that recurs");
    } else if (end == HEARD_END) {
        fail(task, out, "the process that baked it was ended",
             WIFSIGNALED(status) ? kiln_signal_text(WTERMSIG(status)) : "without a word",
             "give less memory (--max-memory) or threads (--jobs) than the machine has");
    }
}

void worker_prepare(void)
{
#ifdef M_ARENA_MAX
    /* Threads would each reserve 64 MiB of address space, which counts in limits of the processes
     * that come from them. */
    (void)mallopt(M_ARENA_MAX, 1);
    /* In a worker, an array that grows moves within the address space and so is never there twice,
     * and what is freed goes back at once: both only for blocks that are mappings of their own. The
     * C library's own threshold rises with each of them that is freed, and what it has kept of
     * those before is filled first. */
    (void)mallopt(M_MMAP_THRESHOLD, MAPPED_MIN);
    (void)malloc_trim(0);
#endif
}
