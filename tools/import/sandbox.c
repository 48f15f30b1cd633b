/* The sandbox of the process that reads a model: a seccomp filter, made with libseccomp (Paul Moore
 * and others). The kernel runs the filter at every system call of the process (Linux,
 * Documentation/userspace-api/seccomp_filter.rst) and lets the call pass, makes it fail, or ends
 * the process.
 *
 * The policy is the tables below: calls that are allowed whatever their arguments are, calls that
 * are allowed when one argument permits it, and calls that end the process. A call of the second
 * kind with another argument fails with EPERM. A call that is in no table fails with ENOSYS, which
 * the C library takes for an older kernel and does without.
 *
 * libseccomp joins the rules of one call by "or", and its default action is one for all calls, here
 * ENOSYS. So the arguments that are denied are rules as well. Rules of one call exclude each other:
 * the order among them has no meaning. Arguments are compared as 64 bits.
 *
 * A seccomp filter sees no names. Which files may be opened is left to Landlock (Mickaël Salaün;
 * Linux 5.13 and later, Documentation/userspace-api/landlock.rst): everything below the folders in
 * which a model may have side files can be read, and no other file can be opened.
 *
 * The filter is built in the process itself, because one rule contains its number. That takes some
 * 70 KiB and a millisecond. */
#define _GNU_SOURCE
#include "sandbox.h"

#if defined(__SANITIZE_THREAD__)
#define HAVE_SANDBOX 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_SANDBOX 0
#endif
#endif
#if !defined(HAVE_SANDBOX) && defined(__linux__) && defined(__LP64__) &&                           \
    (defined(__x86_64__) || defined(__aarch64__))
#define HAVE_SANDBOX 1
#endif
#ifndef HAVE_SANDBOX
#define HAVE_SANDBOX 0
#endif

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#if HAVE_SANDBOX

#include <seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../formats/assert.h"

#define COUNT_OF(table) (sizeof(table) / sizeof(table)[0])
#define DENY SCMP_ACT_ERRNO(EPERM)

/* SCMP_SYS gives a negative number for a call that this architecture doesn't have; such a row is
 * skipped. */
static const int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(readv),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(lseek),
    SCMP_SYS(close),
    /* memory */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    /* facts about files, and folders */
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(getdents64),
    SCMP_SYS(getcwd),
    SCMP_SYS(chdir),
    SCMP_SYS(fadvise64),
    /* clocks, random numbers, facts about the machine and about the process */
    SCMP_SYS(time),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(getrandom),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getrusage),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    /* the end of the process, and signals on the way there */
    SCMP_SYS(exit_group),
    SCMP_SYS(exit),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(restart_syscall),
};

/* Calls that are allowed as long as none of these bits of an argument is set. */
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

static const struct {
    int call;
    unsigned argument;
    uint32_t forbidden;
} allowed_without[] = {
    {SCMP_SYS(open), 1, WRITING},
    {SCMP_SYS(openat), 2, WRITING},
    {SCMP_SYS(mmap), 2, PROT_EXEC},
    {SCMP_SYS(mprotect), 2, PROT_EXEC},
};

/* Rules that compare an argument with a value. prlimit64 may read a limit and set none; fdopen,
 * isatty and the like look at a descriptor's flags. */
static const struct {
    uint32_t action;
    int call;
    struct scmp_arg_cmp condition;
} compared[] = {
    {SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), {2, SCMP_CMP_EQ, 0, 0}},
    {DENY, SCMP_SYS(prlimit64), {2, SCMP_CMP_NE, 0, 0}},
    {SCMP_ACT_ALLOW, SCMP_SYS(fcntl), {1, SCMP_CMP_EQ, F_GETFD, 0}},
    {SCMP_ACT_ALLOW, SCMP_SYS(fcntl), {1, SCMP_CMP_EQ, F_GETFL, 0}},
    {DENY, SCMP_SYS(fcntl), {1, SCMP_CMP_LT, F_GETFD, 0}},
    {DENY, SCMP_SYS(fcntl), {1, SCMP_CMP_EQ, F_SETFD, 0}},
    {DENY, SCMP_SYS(fcntl), {1, SCMP_CMP_GT, F_GETFL, 0}},
};
_Static_assert(F_GETFD + 1 == F_SETFD && F_SETFD + 1 == F_GETFL, "the rules cover each command");

/* No reader of models makes these calls; code that has taken a reader over does. */
static const int hostile[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(sendto),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(reboot),
    SCMP_SYS(io_uring_setup),
};

static bool add(scmp_filter_ctx filter, uint32_t action, int call, struct scmp_arg_cmp condition)
{
    return call < 0 || seccomp_rule_add(filter, action, call, 1, condition) == 0;
}

static bool add_whole(scmp_filter_ctx filter, uint32_t action, const int *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (calls[i] >= 0 && seccomp_rule_add(filter, action, calls[i], 0) != 0)
            return false;
    return true;
}

bool kiln_sandbox_close(void)
{
    /* Kernels before 4.14 can only end the thread, which is all of this process. */
    const uint32_t kill = seccomp_api_get() >= 3 ? SCMP_ACT_KILL_PROCESS : SCMP_ACT_KILL_THREAD;
    const uint32_t own = (uint32_t)getpid();
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    bool good;

    if (filter == NULL)
        return false;
    /* Calls by another convention (32 bits, x32) end the process as hostile ones do. */
    good = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, kill) == 0 &&
           add_whole(filter, SCMP_ACT_ALLOW, allowed, COUNT_OF(allowed)) &&
           add_whole(filter, kill, hostile, COUNT_OF(hostile));

    /* libseccomp can express "these bits are all clear" but not "one of them is set": that takes a
     * rule for each bit. */
    for (size_t i = 0; good && i < COUNT_OF(allowed_without); i++) {
        const int call = allowed_without[i].call;
        const unsigned argument = allowed_without[i].argument;
        const uint32_t bits = allowed_without[i].forbidden;

        KILN_ASSERT(bits != 0 && argument < 6);
        good = add(filter, SCMP_ACT_ALLOW, call, SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bits, 0));
        for (uint32_t bit = 1; good && bit != 0; bit <<= 1)
            if ((bits & bit) != 0)
                good = add(filter, DENY, call, SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, bit, bit));
    }
    for (size_t i = 0; good && i < COUNT_OF(compared); i++)
        good = add(filter, compared[i].action, compared[i].call, compared[i].condition);

    /* abort() and raise() signal the thread that calls them; no other process may be signalled. */
    good = good &&
           add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), SCMP_CMP64(0, SCMP_CMP_EQ, own, 0)) &&
           add(filter, DENY, SCMP_SYS(tgkill), SCMP_CMP64(0, SCMP_CMP_NE, own, 0));

    /* Loading sets PR_SET_NO_NEW_PRIVS, without which a process may not limit itself. */
    good = good && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return good;
}

#else

bool kiln_sandbox_close(void)
{
    return false;
}

#endif

/* -- folders -- */

#if defined(__linux__) && defined(__has_include)
#if __has_include(<linux/landlock.h>)
#define HAVE_LANDLOCK 1
#endif
#endif

#ifdef HAVE_LANDLOCK

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define READING (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* Rights of the first version of the interface, which every later one has. */
bool kiln_sandbox_keep_in(const kiln_folders *folders)
{
    struct landlock_ruleset_attr handled = {
        .handled_access_fs = READING | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE};
    bool good = !folders->any;
    int rules = -1;

    if (good)
        rules = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0u);
    good = rules >= 0;
    for (size_t i = 0; good && i < folders->count; i++) {
        struct landlock_path_beneath_attr below = {.allowed_access = READING};

        below.parent_fd = open(folders->paths[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
        /* What is not there has nothing in it. A folder below one that may not be searched can be
         * reached from within only, and no rule can be made for it: then the check of each path
         * (kiln_read_open) has to do alone. */
        if (below.parent_fd < 0 && errno == EACCES)
            good = false;
        if (below.parent_fd < 0)
            continue;
        good = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &below, 0u) == 0;
        close(below.parent_fd);
    }
    good = good && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, rules, 0u) == 0;
    if (rules >= 0)
        close(rules);
    return good;
}

#else

bool kiln_sandbox_keep_in(const kiln_folders *folders)
{
    (void)folders;
    return false;
}

#endif
