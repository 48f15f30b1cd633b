/* A seccomp filter (Documentation/userspace-api/seccomp_filter.rst of Linux): a program of classic BPF
 * that the kernel runs at every system call of the process, made here from a table. */
#define _GNU_SOURCE
#include "sandbox.h"

#if defined(__SANITIZE_THREAD__)
#define HAVE_CAGE 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_CAGE 0
#endif
#endif
#if !defined(HAVE_CAGE) && defined(__linux__) && defined(__LP64__) &&                              \
    (defined(__x86_64__) || defined(__aarch64__)) && defined(__has_include)
#if __has_include(<linux/seccomp.h>)
#define HAVE_CAGE 1
#endif
#endif
#ifndef HAVE_CAGE
#define HAVE_CAGE 0
#endif

#if HAVE_CAGE

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Kernels before 4.14 take the unknown action for RET_KILL_THREAD, which ends the one thread of this
 * process all the same. */
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

/* Numbers from here on are another calling convention of x86-64 (x32). */
#define X32_BIT 0x40000000u

typedef struct {
    uint32_t number;
    uint8_t argument;
    uint64_t forbidden; /* bits of the argument that may not be set; 0: no such condition */
} permission;

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

static const permission permissions[] = {
    /* the most frequent first */
    {__NR_read, 0, 0},
    {__NR_pread64, 0, 0},
    {__NR_write, 0, 0},
    {__NR_brk, 0, 0},
    {__NR_mmap, 2, PROT_EXEC},
    {__NR_munmap, 0, 0},
    {__NR_mremap, 0, 0},
    {__NR_madvise, 0, 0},
    {__NR_mprotect, 2, PROT_EXEC},
    {__NR_futex, 0, 0},
    /* files, for reading */
    {__NR_openat, 2, WRITING},
    {__NR_close, 0, 0},
    {__NR_lseek, 0, 0},
    {__NR_readv, 0, 0},
    {__NR_writev, 0, 0},
    {__NR_fstat, 0, 0},
    {__NR_newfstatat, 0, 0},
    {__NR_faccessat, 0, 0},
    {__NR_readlinkat, 0, 0},
    {__NR_getdents64, 0, 0},
    {__NR_getcwd, 0, 0},
    {__NR_chdir, 0, 0},
    {__NR_fadvise64, 0, 0},
#ifdef __NR_open
    {__NR_open, 1, WRITING},
    {__NR_stat, 0, 0},
    {__NR_lstat, 0, 0},
    {__NR_access, 0, 0},
    {__NR_readlink, 0, 0},
    {__NR_time, 0, 0},
#endif
#ifdef __NR_statx
    {__NR_statx, 0, 0},
#endif
#ifdef __NR_faccessat2
    {__NR_faccessat2, 0, 0},
#endif
    /* clocks, chance, facts about the machine and about itself */
    {__NR_clock_gettime, 0, 0},
    {__NR_clock_getres, 0, 0},
    {__NR_gettimeofday, 0, 0},
    {__NR_nanosleep, 0, 0},
    {__NR_clock_nanosleep, 0, 0},
    {__NR_sched_yield, 0, 0},
    {__NR_sched_getaffinity, 0, 0},
    {__NR_getrandom, 0, 0},
    {__NR_uname, 0, 0},
    {__NR_sysinfo, 0, 0},
    {__NR_getrusage, 0, 0},
    {__NR_prlimit64, 2, UINT64_MAX}, /* asks only: no new limit */
    {__NR_getpid, 0, 0},
    {__NR_gettid, 0, 0},
    /* its end, and signals on the way there */
    {__NR_exit_group, 0, 0},
    {__NR_exit, 0, 0},
    {__NR_rt_sigreturn, 0, 0},
    {__NR_rt_sigaction, 0, 0},
    {__NR_rt_sigprocmask, 0, 0},
    {__NR_sigaltstack, 0, 0},
    {__NR_restart_syscall, 0, 0},
};

/* What no reader of models asks for, and who has taken one over does. */
static const uint32_t hostile[] = {
    __NR_execve,
    __NR_execveat,
    __NR_socket,
    __NR_socketpair,
    __NR_connect,
    __NR_bind,
    __NR_sendto,
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_keyctl,
    __NR_add_key,
    __NR_init_module,
    __NR_finit_module,
    __NR_kexec_load,
    __NR_reboot,
#ifdef __NR_io_uring_setup
    __NR_io_uring_setup,
#endif
};

enum {
    PERMISSIONS = sizeof permissions / sizeof permissions[0],
    HOSTILE = sizeof hostile / sizeof hostile[0],
    STEPS_MAX = 16 + 7 * PERMISSIONS + 2 * HOSTILE
};

typedef struct {
    struct sock_filter steps[STEPS_MAX];
    unsigned short count;
} program;

static void step(program *p, uint16_t code, uint8_t if_true, uint8_t if_false, uint32_t value)
{
    p->steps[p->count++] =
        (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = value};
}

static void load(program *p, size_t offset)
{
    step(p, BPF_LD | BPF_W | BPF_ABS, 0, 0, (uint32_t)offset);
}

static void answer(program *p, uint32_t action)
{
    step(p, BPF_RET | BPF_K, 0, 0, action);
}

/* Skips the next `count` steps unless the number of the call, which is loaded, is this one. */
static void skip_unless(program *p, uint32_t number, uint8_t count)
{
    step(p, BPF_JMP | BPF_JEQ | BPF_K, 0, count, number);
}

/* Both architectures have the lower half of an argument first. */
static size_t half_of_argument(unsigned argument, bool upper)
{
    return offsetof(struct seccomp_data, args) + 8 * (size_t)argument + (upper ? 4 : 0);
}

static void permit(program *p, const permission *of)
{
    const uint32_t deny = SECCOMP_RET_ERRNO | EPERM;

    if (of->forbidden == 0) {
        skip_unless(p, of->number, 1);
        answer(p, SECCOMP_RET_ALLOW);
        return;
    }
    skip_unless(p, of->number, 6);
    load(p, half_of_argument(of->argument, false));
    step(p, BPF_JMP | BPF_JSET | BPF_K, 2, 0, (uint32_t)of->forbidden);
    load(p, half_of_argument(of->argument, true));
    step(p, BPF_JMP | BPF_JSET | BPF_K, 0, 1, (uint32_t)(of->forbidden >> 32));
    answer(p, deny);
    answer(p, SECCOMP_RET_ALLOW);
}

/* abort() and raise() signal the thread that calls them, and nobody else. */
static void permit_own_end(program *p)
{
    skip_unless(p, __NR_tgkill, 4);
    load(p, half_of_argument(0, false));
    step(p, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)getpid());
    answer(p, SECCOMP_RET_ALLOW);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
}

/* fdopen, isatty and the like look at a descriptor's flags. */
static void permit_looks(program *p)
{
    skip_unless(p, __NR_fcntl, 5);
    load(p, half_of_argument(1, false));
    step(p, BPF_JMP | BPF_JEQ | BPF_K, 2, 0, F_GETFL);
    step(p, BPF_JMP | BPF_JEQ | BPF_K, 1, 0, F_GETFD);
    answer(p, SECCOMP_RET_ERRNO | EPERM);
    answer(p, SECCOMP_RET_ALLOW);
}

static void write_program(program *p)
{
    load(p, offsetof(struct seccomp_data, arch));
    skip_unless(p, ARCHITECTURE, 1);
    step(p, BPF_JMP | BPF_JA, 0, 0, 1);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    load(p, offsetof(struct seccomp_data, nr));
    step(p, BPF_JMP | BPF_JGE | BPF_K, 0, 1, X32_BIT);
    answer(p, SECCOMP_RET_KILL_PROCESS);
    for (size_t i = 0; i < PERMISSIONS; i++)
        permit(p, &permissions[i]);
    permit_own_end(p);
    permit_looks(p);
    for (size_t i = 0; i < HOSTILE; i++) {
        skip_unless(p, hostile[i], 1);
        answer(p, SECCOMP_RET_KILL_PROCESS);
    }
    /* The C library takes ENOSYS of a call that is newer than this table for an older kernel, and
     * does without. */
    answer(p, SECCOMP_RET_ERRNO | ENOSYS);
}

bool kiln_sandbox_close(void)
{
    program p = {.count = 0};
    struct sock_fprog whole = {.filter = p.steps};

    write_program(&p);
    whole.len = p.count;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

#else

bool kiln_sandbox_close(void)
{
    return false;
}

#endif
