/* A fork without exec: the child starts with the parent's memory, so nothing has to be packed for
 * it, and may use the C library's allocator, which the C library keeps usable across a fork. */
#define _GNU_SOURCE
#include "child.h"

#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "../common/resident.h"

enum {
    CHILD_PIPE = 3, /* descriptors in the child; the three below lead to nowhere */
    CHILD_FILE = 4,
    DESCRIPTORS_MIN = 32,
    READ_SIZE = 1 << 18,
    RECEIVED_A_LOOK = 1 << 20, /* bytes */
    TICK_MS = 10
};

double kiln_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void close_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0u, 0u) == 0)
        return;
#endif
    for (long i = first, end = sysconf(_SC_OPEN_MAX); i < end && i < 65536; i++)
        close((int)i);
}

/* Leaves the child the pipe and the file, and nothing else of the parent's. */
static void arrange_descriptors(int pipe, int file)
{
    int nowhere = open("/dev/null", O_RDWR);
    int far_pipe = fcntl(pipe, F_DUPFD, 16);
    int far_file = file >= 0 ? fcntl(file, F_DUPFD, 16) : -1;

    if (nowhere < 0 || far_pipe < 0 || (file >= 0 && far_file < 0))
        _exit(1);
    for (int i = 0; i < 3; i++)
        dup2(nowhere, i);
    dup2(far_pipe, CHILD_PIPE);
    if (far_file >= 0)
        dup2(far_file, CHILD_FILE);
    close_from(far_file >= 0 ? CHILD_FILE + 1 : CHILD_FILE);
}

static void lower(struct rlimit *limit, uint64_t most)
{
    if (limit->rlim_max == RLIM_INFINITY || most < limit->rlim_max)
        limit->rlim_max = (rlim_t)most;
    limit->rlim_cur = limit->rlim_max;
}

static void limit_memory(uint64_t memory)
{
    uint64_t address_space, resident;
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        lower(&limit, 0);
        setrlimit(RLIMIT_CORE, &limit);
    }
    if (memory != 0 && !KILN_HAVE_SHADOW_MEMORY &&
        kiln_resident_of(getpid(), &address_space, &resident) &&
        getrlimit(RLIMIT_AS, &limit) == 0) {
        lower(&limit, address_space + memory);
        setrlimit(RLIMIT_AS, &limit);
    }
}

static void default_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    /* A terminal sends these to the child as well; the parent decides, and takes it along. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void be_child(const kiln_child *child, int pipe)
{
    locale_t plain;

    default_signals();
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    arrange_descriptors(pipe, child->file);
    limit_memory(child->memory);
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        _exit(1);
    uselocale(plain);
    (void)kiln_sandbox_close(); /* where there is none, the limits alone hold it */
    child->work(child->work_user, CHILD_PIPE, child->file >= 0 ? CHILD_FILE : -1);
    _exit(0);
}

/* Signals wait while two processes share one set of handlers. */
static pid_t start(const kiln_child *child, int pipes[2])
{
    sigset_t all, before;
    pid_t process;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process = fork();
    if (process == 0)
        be_child(child, pipes[1]);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return process;
}

typedef struct {
    const kiln_child *child;
    pid_t process;
    int pipe;
    uint64_t resident_most; /* 0: no limit */
    uint64_t before;        /* resident bytes of the parent at the fork */
    uint64_t address_space; /* bytes of it at the fork */
    uint64_t received;      /* bytes since the last look */
    double start, next_look;
    uint8_t *block;
    int status; /* of waitpid, once `reaped` */
    bool reaped, status_known;
} watch;

static void reap(watch *w, int flags)
{
    pid_t got;

    do
        got = waitpid(w->process, &w->status, flags);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return;
    /* An error means that the host ignores SIGCHLD or has reaped it for us. */
    w->reaped = true;
    w->status_known = got == w->process;
}

static uint64_t beyond(uint64_t bytes, uint64_t before)
{
    return bytes > before ? bytes - before : 0;
}

/* Leaves the child what the parent has not taken meanwhile. That it is address space, of which a process
 * has more than is resident, errs on the safe side; what it has already stays with it. */
static void narrow(const watch *w, uint64_t own)
{
#ifdef __linux__
    const uint64_t all = w->child->together, left = all > own ? all - own : 0;
    const uint64_t most = w->child->memory < left ? w->child->memory : left;
    struct rlimit limit;

    if (prlimit(w->process, RLIMIT_AS, NULL, &limit) == 0) {
        lower(&limit, w->address_space + most);
        (void)prlimit(w->process, RLIMIT_AS, &limit, NULL);
    }
#else
    (void)w;
    (void)own;
#endif
}

/* The child starts with what the parent had, so that counts once. */
static bool over_together(const watch *w, uint64_t of_child)
{
    const uint64_t own = beyond(kiln_resident(), w->before);

    if (w->child->together == 0 || KILN_HAVE_SHADOW_MEMORY)
        return false;
    narrow(w, own);
    return beyond(of_child, w->before) + own > w->child->together;
}

/* Looks after limits; KILN_CHILD_ENDED: all is well. */
static kiln_child_end look(watch *w)
{
    const kiln_child *child = w->child;
    double now = kiln_clock();
    uint64_t address_space, resident;

    if (now < w->next_look && w->received < RECEIVED_A_LOOK)
        return KILN_CHILD_ENDED;
    w->next_look = now + 1e-3 * TICK_MS;
    w->received = 0;
    if (child->seconds > 0 && now - w->start > child->seconds)
        return KILN_CHILD_OVER_TIME;
    if (w->resident_most != 0 && kiln_resident_of(w->process, &address_space, &resident) &&
        (resident > w->resident_most || over_together(w, resident)))
        return KILN_CHILD_OVER_MEMORY;
    if (child->progress != NULL && !child->progress(child->progress_user))
        return KILN_CHILD_CANCELLED;
    return KILN_CHILD_ENDED;
}

/* Takes what the pipe holds; *open is false at its end. */
static kiln_child_end take(watch *w, bool *open)
{
    ssize_t got = read(w->pipe, w->block, READ_SIZE);

    w->received += got > 0 ? (uint64_t)got : 0;
    if (got > 0)
        return w->child->receive(w->child->receive_user, w->block, (size_t)got)
                   ? KILN_CHILD_ENDED
                   : KILN_CHILD_REFUSED;
    *open = got < 0 && (errno == EINTR || errno == EAGAIN);
    return KILN_CHILD_ENDED;
}

/* The pipe may stay open after the child's end: a process forked elsewhere at the same moment holds
 * it too. So its end is also looked for. */
static kiln_child_end listen_to(watch *w)
{
    bool open = true;
    kiln_child_end end = KILN_CHILD_ENDED;

    while (open && end == KILN_CHILD_ENDED) {
        struct pollfd ready = {.fd = w->pipe, .events = POLLIN, .revents = 0};
        int count = poll(&ready, 1, w->reaped ? 0 : TICK_MS);

        if (count > 0)
            end = take(w, &open);
        else if (w->reaped)
            open = false;
        else
            reap(w, WNOHANG);
        if (end == KILN_CHILD_ENDED && !w->reaped)
            end = look(w);
    }
    return end;
}

/* A child that has closed its pipe is about to end; it gets a moment. */
static kiln_child_end finish(watch *w, kiln_child_end end, int *number)
{
    double give_up = kiln_clock() + 1;
    bool killed = false;
    struct timespec moment = {.tv_sec = 0, .tv_nsec = 200000};

    while (end == KILN_CHILD_ENDED && !w->reaped && kiln_clock() < give_up) {
        reap(w, WNOHANG);
        if (!w->reaped)
            nanosleep(&moment, NULL);
    }
    if (!w->reaped) {
        kill(w->process, SIGKILL);
        reap(w, 0);
        killed = true;
    }
    if (end == KILN_CHILD_ENDED && !killed && w->status_known && WIFSIGNALED(w->status)) {
        *number = WTERMSIG(w->status);
        return KILN_CHILD_CRASHED;
    }
    return end;
}

static kiln_child_end run(const kiln_child *child, int pipes[2], uint8_t *block, int *number)
{
    uint64_t address_space, resident;
    watch w = {.child = child, .pipe = pipes[0], .block = block, .start = kiln_clock()};

    if (child->memory != 0 && kiln_resident_of(getpid(), &address_space, &resident)) {
        w.resident_most = child->memory + resident;
        w.before = resident;
        w.address_space = address_space;
    }
    w.process = start(child, pipes);
    *number = errno;
    close(pipes[1]);
    if (w.process < 0)
        return KILN_CHILD_NOT_STARTED;
    return finish(&w, listen_to(&w), number);
}

/* The child moves its descriptors out of the way, which takes some. */
static bool has_descriptors(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS_MIN;
}

kiln_child_end kiln_child_run(const kiln_child *child, int *number)
{
    kiln_child_end end = KILN_CHILD_NOT_STARTED;
    uint8_t *block = malloc(READ_SIZE);
    int pipes[2];

    *number = has_descriptors() ? ENOMEM : EMFILE;
    if (block != NULL && *number == ENOMEM && pipe2(pipes, O_CLOEXEC | O_NONBLOCK) == 0) {
        fcntl(pipes[1], F_SETFL, 0);
        end = run(child, pipes, block, number);
        close(pipes[0]);
    } else if (block != NULL && *number == ENOMEM) {
        *number = errno;
    }
    free(block);
    return end;
}
