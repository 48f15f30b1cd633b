/* A child process that works under limits, and the parent that watches it.
 *
 * The child is forked without exec: it starts with the parent's memory, so nothing has to be packed
 * for it, and it may use the C library's allocator, which the C library keeps usable across a fork.
 * It gives up everything of the parent's that it has no use for (signal handlers, descriptors,
 * locale), lowers its own limits, closes the sandbox and works.
 *
 * The parent reads the pipe until its end, and every TICK_MS looks at what the child has used. A
 * limit on address space stops the child by itself; resident memory, which no limit of the system
 * bounds, is looked at. Whatever happens, the child is reaped before the parent goes on. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
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

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/memory.h"

enum {
    CHILD_PIPE = 3, /* descriptors in the child; the three below lead to /dev/null */
    CHILD_FILE = 4,
    FAR_DESCRIPTOR = 16, /* where both are held while the low numbers are filled */
    DESCRIPTORS_MIN = 32,
    READ_SIZE = 1 << 18,
    RECEIVED_A_LOOK = 1 << 20, /* bytes */
    TICK_MS = 10
};

/* -- in the child -- */

static void lower(struct rlimit *limit, uint64_t most)
{
    if (limit->rlim_max == RLIM_INFINITY || most < limit->rlim_max)
        limit->rlim_max = (rlim_t)most;
    limit->rlim_cur = limit->rlim_max;
}

static _Noreturn void be_child(const kiln_child *child, int pipe)
{
    uint64_t address_space, resident;
    struct rlimit limit;
    int nowhere, far_pipe, far_file, first_unused;
    sigset_t none;
    locale_t plain;

    KILN_ASSERT(pipe >= 0 && child->file >= -1);
    /* Signals. A terminal sends these three to the child as well; the parent decides about them,
     * and kills the child when it goes. */
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif

    /* Descriptors: the child keeps the pipe and the file, and nothing else of the parent's. */
    nowhere = open("/dev/null", O_RDWR);
    far_pipe = fcntl(pipe, F_DUPFD, FAR_DESCRIPTOR);
    far_file = child->file >= 0 ? fcntl(child->file, F_DUPFD, FAR_DESCRIPTOR) : -1;
    if (nowhere < 0 || far_pipe < 0 || (child->file >= 0 && far_file < 0))
        _exit(1);
    for (int i = 0; i < CHILD_PIPE; i++)
        dup2(nowhere, i);
    dup2(far_pipe, CHILD_PIPE);
    if (far_file >= 0)
        dup2(far_file, CHILD_FILE);
    first_unused = far_file >= 0 ? CHILD_FILE + 1 : CHILD_FILE;
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first_unused, ~0u, 0u) == 0)
        first_unused = INT32_MAX;
#endif
    for (long i = first_unused, end = sysconf(_SC_OPEN_MAX); i < end && i < 65536; i++)
        close((int)i);

    /* Memory: no core file, and an address space that can grow by child->memory. A sanitizer maps
     * shadow memory of a size that no limit can be set for. */
    if (getrlimit(RLIMIT_CORE, &limit) == 0) {
        lower(&limit, 0);
        setrlimit(RLIMIT_CORE, &limit);
    }
    if (child->memory != 0 && !KILN_HAVE_SHADOW_MEMORY &&
        kiln_resident_of(getpid(), &address_space, &resident) &&
        getrlimit(RLIMIT_AS, &limit) == 0) {
        lower(&limit, address_space + child->memory);
        setrlimit(RLIMIT_AS, &limit);
    }

    /* Decimals are written with a point, whatever the host's locale says. */
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        _exit(1);
    uselocale(plain);
    if (child->readable != NULL)
        (void)kiln_sandbox_keep_in(child->readable); /* a second look at what readers open */
    (void)kiln_sandbox_close(); /* where there is no sandbox, the limits alone hold the child */
    child->work(child->work_user, CHILD_PIPE, child->file >= 0 ? CHILD_FILE : -1);
    _exit(0);
}

/* -- in the parent -- */

typedef struct {
    const kiln_child *child;
    pid_t process;
    int pipe;
    uint64_t resident_most; /* 0: no limit */
    uint64_t before;        /* resident bytes of the parent at the fork */
    uint64_t address_space; /* bytes of it at the fork */
    uint64_t received;      /* bytes since the limits were last looked at */
    double start, next_look;
    uint8_t *block;
    int status; /* of waitpid, once `reaped` */
    bool reaped, status_known;
} watch;

static void reap(watch *w, int flags)
{
    pid_t got;

    KILN_ASSERT(!w->reaped);
    do
        got = waitpid(w->process, &w->status, flags);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return;
    /* An error means that the host ignores SIGCHLD or has reaped the child for us. */
    w->reaped = true;
    w->status_known = got == w->process;
}

static uint64_t beyond(uint64_t bytes, uint64_t before)
{
    return bytes > before ? bytes - before : 0;
}

/* Compares what the child has used with its limits; KILN_CHILD_ENDED: it is within them. */
static kiln_child_end look(watch *w)
{
    const kiln_child *child = w->child;
    double now = kiln_seconds();
    uint64_t address_space, resident;

    KILN_ASSERT(!w->reaped && now >= w->start);
    if (now < w->next_look && w->received < RECEIVED_A_LOOK)
        return KILN_CHILD_ENDED;
    w->next_look = now + 1e-3 * TICK_MS;
    w->received = 0;
    if (child->seconds > 0 && now - w->start > child->seconds)
        return KILN_CHILD_OVER_TIME;
    if (w->resident_most != 0 && kiln_resident_of(w->process, &address_space, &resident)) {
        if (resident > w->resident_most)
            return KILN_CHILD_OVER_MEMORY;
        /* Both processes together. The child started with what the parent had, so that counts once.
         * What the parent has taken since is also subtracted from the child's limit of address
         * space: a process has more of that than resident memory, so the limit errs on the safe
         * side, and what the child already has stays with it. */
        if (child->together != 0 && !KILN_HAVE_SHADOW_MEMORY) {
            const uint64_t own = beyond(kiln_resident(), w->before);
#ifdef __linux__
            const uint64_t left = beyond(child->together, own);
            const uint64_t most = child->memory < left ? child->memory : left;
            struct rlimit limit;

            if (prlimit(w->process, RLIMIT_AS, NULL, &limit) == 0) {
                lower(&limit, w->address_space + most);
                (void)prlimit(w->process, RLIMIT_AS, &limit, NULL);
            }
#endif
            if (beyond(resident, w->before) + own > child->together)
                return KILN_CHILD_OVER_MEMORY;
        }
    }
    if (child->progress != NULL && !child->progress(child->progress_user))
        return KILN_CHILD_CANCELLED;
    return KILN_CHILD_ENDED;
}

/* Hands on what comes through the pipe until its end, or until the child has to be stopped. The
 * pipe may stay open after the child's end, since a process that was forked elsewhere at the same
 * moment holds it too: so the child's end is also waited for. */
static kiln_child_end listen_to(watch *w)
{
    bool open = true;
    kiln_child_end end = KILN_CHILD_ENDED;

    while (open && end == KILN_CHILD_ENDED) {
        struct pollfd ready = {.fd = w->pipe, .events = POLLIN, .revents = 0};

        if (poll(&ready, 1, w->reaped ? 0 : TICK_MS) > 0) {
            ssize_t got = read(w->pipe, w->block, READ_SIZE);

            KILN_ASSERT(got <= READ_SIZE);
            if (got > 0) {
                w->received += (uint64_t)got;
                if (!w->child->receive(w->child->receive_user, w->block, (size_t)got))
                    end = KILN_CHILD_REFUSED;
            } else {
                open = got < 0 && (errno == EINTR || errno == EAGAIN);
            }
        } else if (w->reaped) {
            open = false;
        } else {
            reap(w, WNOHANG);
        }
        if (end == KILN_CHILD_ENDED && !w->reaped)
            end = look(w);
    }
    return end;
}

/* Reaps the child. One that has closed its pipe is about to end and gets a second for it; one that
 * has to be stopped gets none. */
static kiln_child_end finish(watch *w, kiln_child_end end, int *number)
{
    double give_up = kiln_seconds() + 1;
    bool killed = false;
    struct timespec moment = {.tv_sec = 0, .tv_nsec = 200000};

    while (end == KILN_CHILD_ENDED && !w->reaped && kiln_seconds() < give_up) {
        reap(w, WNOHANG);
        if (!w->reaped)
            nanosleep(&moment, NULL);
    }
    if (!w->reaped) {
        kill(w->process, SIGKILL);
        reap(w, 0);
        killed = true;
    }
    KILN_ASSERT(w->reaped);
    if (end == KILN_CHILD_ENDED && !killed && w->status_known && WIFSIGNALED(w->status)) {
        *number = WTERMSIG(w->status);
        return KILN_CHILD_CRASHED;
    }
    return end;
}

/* -- without a child, for a debugger -- */

#ifdef KILN_ASSERTS

#define IN_PROCESS "KILN_IMPORT_IN_PROCESS"

/* Where the work of this thread returns to when it ends early; NULL: it is in a child process. */
static _Thread_local jmp_buf *leave_point;

static void work_here(const kiln_child *child, int pipe)
{
    jmp_buf point;

    KILN_ASSERT(leave_point == NULL);
    leave_point = &point;
    if (setjmp(point) == 0)
        child->work(child->work_user, pipe, child->file);
    leave_point = NULL;
}

/* Does the work in this process, without limits and without a sandbox. A file without a name stands
 * in for the pipe, which nobody would empty meanwhile. The work may change the folder and expects
 * the plain locale; the memory that it leaves to the end of its process is lost. */
static kiln_child_end run_in_process(const kiln_child *child, int *number)
{
    kiln_child_end end = KILN_CHILD_ENDED;
    FILE *sent = tmpfile();
    uint8_t *block = malloc(READ_SIZE);
    int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), callers = uselocale(plain);
    ssize_t got;

    *number = errno;
    if (sent == NULL || block == NULL || folder < 0) {
        end = KILN_CHILD_NOT_STARTED;
        goto done;
    }
    work_here(child, fileno(sent));
    if (fchdir(folder) != 0 || lseek(fileno(sent), 0, SEEK_SET) != 0)
        end = KILN_CHILD_REFUSED;
    while (end == KILN_CHILD_ENDED && (got = read(fileno(sent), block, READ_SIZE)) > 0)
        if (!child->receive(child->receive_user, block, (size_t)got))
            end = KILN_CHILD_REFUSED;
done:
    uselocale(callers);
    if (plain != (locale_t)0)
        freelocale(plain);
    if (folder >= 0)
        close(folder);
    free(block);
    if (sent != NULL)
        (void)fclose(sent);
    return end;
}

#endif

_Noreturn void kiln_child_leave(int status)
{
#ifdef KILN_ASSERTS
    if (leave_point != NULL)
        longjmp(*leave_point, 1);
#endif
    _exit(status);
}

/* -- the whole -- */

kiln_child_end kiln_child_run(const kiln_child *child, int *number)
{
    kiln_child_end end = KILN_CHILD_NOT_STARTED;
    watch w = {.child = child};
    uint64_t address_space, resident;
    struct rlimit limit;
    sigset_t all, before;
    int pipes[2];

    KILN_ASSERT(child->work != NULL && child->receive != NULL);
#ifdef KILN_ASSERTS
    if (getenv(IN_PROCESS) != NULL && strcmp(getenv(IN_PROCESS), "1") == 0)
        return run_in_process(child, number);
#endif
    /* The child moves its descriptors out of the way, which takes some. */
    *number = EMFILE;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < DESCRIPTORS_MIN)
        return end;
    *number = ENOMEM;
    w.block = malloc(READ_SIZE);
    if (w.block == NULL)
        return end;
    if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0) {
        *number = errno;
        goto done;
    }
    fcntl(pipes[1], F_SETFL, 0); /* the child's end blocks; the parent's is polled */
    w.pipe = pipes[0];
    w.start = kiln_seconds();
    if (child->memory != 0 && kiln_resident_of(getpid(), &address_space, &resident)) {
        w.resident_most = child->memory + resident;
        w.before = resident;
        w.address_space = address_space;
    }

    /* No signal is delivered while two processes have the same set of handlers. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    w.process = fork();
    if (w.process == 0)
        be_child(child, pipes[1]);
    *number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    close(pipes[1]);
    if (w.process > 0)
        end = finish(&w, listen_to(&w), number);
    close(pipes[0]);
done:
    free(w.block);
    return end;
}
