/* A program in a child process, and the parent that watches it.
 *
 * The program is started by posix_spawn, never forked: a child that is forked from a process with
 * threads has the locks that other threads held at that moment, and nobody to release them. So
 * nothing of this process is passed on but what is named: an argument list, a pipe, a file, no
 * signal handlers, and of the environment what the dynamic linker and sanitizers need. Signals are
 * blocked until the program has decided about them (serve.c).
 *
 * The parent reads the pipe until its end. First comes a greeting, which says of which version the
 * program is and what it uses at its start. Every TICK_MS the parent looks at what the child has
 * used. A limit on address space stops the child by itself; resident memory, which no limit of the
 * system bounds, is looked at. Whatever happens, the child is reaped before the parent goes on. */
#define _GNU_SOURCE
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../formats/assert.h"
#include "../common/clock.h"
#include "../common/memory.h"

extern char **environ;

enum {
    FAR_DESCRIPTOR = 16, /* from here on are the parent's numbers of what is passed */
    DESCRIPTORS_MIN = 32,
    READ_SIZE = 1 << 18,
    RECEIVED_A_LOOK = 1 << 20, /* bytes */
    TICK_MS = 10
};

/* -- starting -- */

/* The entry "NAME=value" of this process' environment; NULL: there is none. */
static char *entry_of(const char *name)
{
    const size_t length = strlen(name);

    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry;
    return NULL;
}

/* Starts the program with the pipe's end as KILN_CHILD_PIPE. 0, or an errno. */
static int start(const kiln_child *child, int pipe, pid_t *process)
{
    /* Where the program's own libraries are, and the options of sanitizers. */
    static const char *const kept[] = {"LD_LIBRARY_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                                       "TSAN_OPTIONS"};
    enum { KEPT = sizeof kept / sizeof kept[0] };
    char *environment[KEPT + 1] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int far_pipe = -1, far_file = -1, number = ENOMEM;
    sigset_t all;

    KILN_ASSERT(pipe >= 0 && child->file >= -1);
    for (size_t i = 0, count = 0; i < KEPT; i++)
        if ((environment[count] = entry_of(kept[i])) != NULL)
            count++;
    if (posix_spawn_file_actions_init(&files) != 0)
        return number;
    if (posix_spawnattr_init(&attributes) != 0)
        goto destroy;

    /* Held far from the numbers that they get, which may be anything in this process, even each
     * other's. Where the C library can't close what follows them, the program does. */
    number = EMFILE;
    far_pipe = fcntl(pipe, F_DUPFD_CLOEXEC, FAR_DESCRIPTOR);
    far_file = child->file >= 0 ? fcntl(child->file, F_DUPFD_CLOEXEC, FAR_DESCRIPTOR) : -1;
    if (far_pipe < 0 || (child->file >= 0 && far_file < 0))
        goto done;
    number = 0;
    for (int i = 0; number == 0 && i < KILN_CHILD_PIPE; i++)
        number = posix_spawn_file_actions_addopen(&files, i, "/dev/null", O_RDWR, 0);
    if (number == 0)
        number = posix_spawn_file_actions_adddup2(&files, far_pipe, KILN_CHILD_PIPE);
    if (number == 0 && far_file >= 0)
        number = posix_spawn_file_actions_adddup2(&files, far_file, KILN_CHILD_FILE);
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
    if (number == 0)
        number = posix_spawn_file_actions_addclosefrom_np(
            &files, far_file >= 0 ? KILN_CHILD_FILE + 1 : KILN_CHILD_FILE);
#endif
#endif

    /* A terminal's signals reach the child as well, and only this process decides about them. */
    sigfillset(&all);
    if (number == 0)
        number = posix_spawnattr_setsigmask(&attributes, &all);
    if (number == 0)
        number = posix_spawnattr_setsigdefault(&attributes, &all);
    if (number == 0)
        number =
            posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (number == 0)
        number = posix_spawn(process, child->program, &files, &attributes, child->arguments,
                             environment);
done:
    if (far_pipe >= 0)
        close(far_pipe);
    if (far_file >= 0)
        close(far_file);
    posix_spawnattr_destroy(&attributes);
destroy:
    posix_spawn_file_actions_destroy(&files);
    return number;
}
/* -- watching -- */

typedef struct {
    const kiln_child *child;
    pid_t process;
    int pipe;
    kiln_child_greeting *greeting;
    size_t greeted;    /* bytes of the greeting that have come */
    uint64_t before;   /* resident bytes of the parent at the start */
    uint64_t received; /* bytes since the limits were last looked at */
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
    /* Until it has greeted, it has read nothing of the model. */
    if (child->memory != 0 && w->greeted == sizeof *w->greeting &&
        kiln_resident_of(w->process, &address_space, &resident)) {
        const bool both = child->together != 0 && !KILN_HAVE_SHADOW_MEMORY;
        const uint64_t at_start = w->greeting->resident;
        const uint64_t own = both ? beyond(kiln_resident(), w->before) : 0;
        const uint64_t left = beyond(child->together, own + at_start);

        if (beyond(resident, at_start) > child->memory ||
            (both && resident + own > child->together))
            return KILN_CHILD_OVER_MEMORY;
        /* What the parent has taken is also subtracted from the child's limit of address space: a
         * process has more of that than resident memory, so the limit errs on the safe side, and
         * what the child already has stays with it. */
        if (both && left < child->memory)
            kiln_limit_lower(w->process, RLIMIT_AS, w->greeting->address_space + left);
    }
    if (child->progress != NULL && !child->progress(child->progress_user))
        return KILN_CHILD_CANCELLED;
    return KILN_CHILD_ENDED;
}

/* Takes the greeting from what has come first, and hands on the rest. */
static kiln_child_end take(watch *w, const uint8_t *bytes, size_t size)
{
    kiln_child_greeting *greeting = w->greeting;
    size_t missing = sizeof *greeting - w->greeted, part = size < missing ? size : missing;

    KILN_ASSERT(w->greeted <= sizeof *greeting);
    memcpy((uint8_t *)greeting + w->greeted, bytes, part);
    w->greeted += part;
    if (part > 0 && w->greeted == sizeof *greeting) {
        greeting->program[sizeof greeting->program - 1] = '\0';
        greeting->version[sizeof greeting->version - 1] = '\0';
        greeting->library[sizeof greeting->library - 1] = '\0';
        if (strcmp(greeting->program, KILN_CHILD_PROGRAM) != 0)
            return KILN_CHILD_UNKNOWN;
        if (strcmp(greeting->version, KILN_CHILD_VERSION) != 0)
            return KILN_CHILD_OTHER_VERSION;
    }
    return part == size || w->child->receive(w->child->receive_user, bytes + part, size - part)
               ? KILN_CHILD_ENDED
               : KILN_CHILD_REFUSED;
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
                end = take(w, w->block, (size_t)got);
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
    *number = w->status_known && WIFEXITED(w->status) ? WEXITSTATUS(w->status) : -1;
    if (end == KILN_CHILD_ENDED && !killed && w->status_known && WIFSIGNALED(w->status)) {
        *number = WTERMSIG(w->status);
        end = KILN_CHILD_CRASHED;
    }
    return end == KILN_CHILD_ENDED && w->greeted < sizeof *w->greeting ? KILN_CHILD_UNKNOWN : end;
}

/* -- the whole -- */

kiln_child_end kiln_child_run(const kiln_child *child, kiln_child_greeting *greeting, int *number)
{
    kiln_child_end end = KILN_CHILD_NOT_STARTED;
    watch w = {.child = child, .greeting = greeting};
    struct rlimit limit;
    int pipes[2];

    KILN_ASSERT(child->program != NULL && child->receive != NULL);
    memset(greeting, 0, sizeof *greeting);
    /* Descriptors are held twice for a moment, and the second time far off. */
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
    w.before = kiln_resident();

    *number = start(child, pipes[1], &w.process);
    close(pipes[1]);
    if (*number == 0)
        end = finish(&w, listen_to(&w), number);
    close(pipes[0]);
done:
    free(w.block);
    return end;
}
